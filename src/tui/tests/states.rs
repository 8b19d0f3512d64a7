//! Every state of the screen at the three sizes that people have: its text, and its styles in a dark theme, a light one
//! and without colours. One line a state, keys in the notation of the keymap.

use ratatui::layout::Size;

use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::state::State;
use crate::tui::theme::{Colours, Theme};
use crate::tui::update::update;

use super::{PROMPT, happened, look, press, typed};

/// The desk of the fixture after these keys.
fn desk(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    typed(&mut state, keys);
    state
}

/// The same on a busy morning, with a prompt typed that touches sources in every way.
fn busy(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    happened(&mut state);
    press(&mut state, "3 Enter");
    update(&mut state, Input::Paste(PROMPT.to_owned()));
    typed(&mut state, "");
    typed(&mut state, keys);
    state
}

fn looked(keys: &str, at: fn(Size, &str) -> State) -> String {
    let indexed = Theme::new(Colours::Indexed);
    let themes = [("dark", indexed), ("light", indexed.named("light").unwrap()), ("mono", Theme::new(Colours::Mono))];
    let shown = |(width, height)| {
        let state = at(Size { width, height }, keys);
        format!("{width}x{height}\n{}", look::in_themes(&state, &themes))
    };
    [(80, 24), (120, 36), (200, 60)].map(shown).join("\n")
}

macro_rules! looks {
    ($at:ident: $($name:ident $keys:literal)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(looked($keys, $at));
            }
        )*
    };
}

#[rustfmt::skip]
looks! { desk:
    catalog_first_look ""
    catalog_row "j"
    catalog_zoomed "z j"
    catalog_reading "j l"
    catalog_reading_to_the_end "j l G"
    catalog_searching "j l / \"pattern\""
    catalog_searched "j l / \"the\" Enter n"
    catalog_filtering "/ \"java\""
    catalog_filtered "/ \"java\" Enter j"
    catalog_filtered_by_terms "/ \"#java !selected\""
    catalog_filter_without_hits "/ \"cobol\""
    catalog_filter_with_a_wrong_term "/ \"java type:foo\""
    catalog_filter_that_fits_nothing_together "/ \"#java type:url\" Enter"
    catalog_sorted_by_id "s"
    catalog_sorted_by_tokens "s s s"
    catalog_sorted_by_state "s s s s j"
    catalog_refusal "j j Space"
    selection_of_a_pick "2"
    selection_of_what_is_pulled_in "2 j"
    selection_of_what_is_missing "2 G k k k k"
    selection_of_what_is_excluded "2 G"
    selection_zoomed "2 z j j"
    hints_empty "3"
    hints_typing "3 Enter \"a java client\""
    hints_found "3 Enter \"write a java client for @payments-api\" Esc"
    hints_zoomed "3 z Enter \"a java client\" Esc"
    templates_list "4"
    templates_zoomed "4 z"
    templates_reading "4 Right"
    templates_values "4 i Enter \"com.example\" Enter j j j Space k k"
    templates_typing_a_value "4 i Enter \":={\""
    help_of_the_catalog "?"
    help_to_the_end "? G"
    help_of_the_templates "4 ?"
    problems "d j"
    palette ":"
    palette_filtered "j : \"border\" Down"
    question_before_clearing "C"
    borders_moved "> > > > > > - - - -"
}

#[rustfmt::skip]
looks! { busy:
    candidates_while_typing ""
    candidates_hinted_at "Esc j j"
    candidates_passed_over "Esc G k"
    feed "Esc f j"
    feed_to_the_end "Esc f G k k"
    feed_filtering "Esc f / \"files\" Down"
    feed_filtered "Esc f / \"select @retry\" Enter"
    feed_news_elsewhere "Esc 1"
}
