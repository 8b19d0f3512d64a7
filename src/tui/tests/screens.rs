//! What each pane, window and state looks like, at the sizes people have.

use crate::engine::{Event, Loading, Notice, Topic, Watching, Who};
use crate::enrich::Matcher;
use crate::render::Rendered;
use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::Input;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::{Colours, Theme};
use crate::tui::update::update;

use super::{answer, look, press, screen};

/// The screen after these keys, at this size.
fn shown(width: u16, height: u16, keys: &str) -> String {
    let mut state = fixture::state(width, height);
    typed(&mut state, keys);
    screen(&state)
}

/// Presses keys and answers what they ask for.
fn typed(state: &mut State, keys: &str) {
    press(state, keys);
    let id = state.subject(Pane::Catalog).unwrap_or_default().to_owned();
    let generation = state.catalog.document.generation;
    answer(state, Event::Document { generation, document: fixture::document(&id, fixture::TEXT) });
    let text = "public class {{Entity}} {\n\tprivate String name;\n}\n".repeat(8);
    let generation = state.templates.generation;
    let outcome = Ok(Rendered { text, warnings: Vec::new() });
    answer(state, Event::Preview { generation, template: "CircuitBreaker.java.tpl".to_owned(), outcome });
    let snapshot = &state.snapshot;
    let prompt = state.hints.prompt.text();
    let findings = Matcher::default().candidates(prompt, &snapshot.catalog, &snapshot.selection, false);
    let generation = state.hints.generation;
    answer(state, Event::Findings { generation, findings });
    if let Some(id) = state.subject(state.focus).map(str::to_owned) {
        let outlook = fixture::outlook(&id, &[&id, "timeouts", "java-service"], &[&id, "retry-pattern"]);
        answer(state, Event::Outlook { generation: state.outlook.generation, outlook });
    }
}

/// Each state at the three sizes, with the styles of three themes.
fn looked(keys: &str) -> String {
    let themes = [
        ("dark", Theme::new(Colours::Indexed)),
        ("light", Theme::new(Colours::Indexed).named("light").unwrap()),
        ("mono", Theme::new(Colours::Mono)),
    ];
    let at = |(width, height)| {
        let mut state = fixture::state(width, height);
        typed(&mut state, keys);
        format!("{width}x{height}\n{}", look::in_themes(&state, &themes))
    };
    [(80, 24), (120, 36), (200, 60)].map(at).join("\n")
}

macro_rules! at_all_sizes {
    ($($name:ident: $keys:literal;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(looked($keys));
            }
        )*
    };
}

at_all_sizes! {
    first_look: "";
    values: "4 i Enter \"com.example\" Enter j j j Space k k";
}

/// A prompt that touches sources in every way.
const PROMPT: &str = "write a java client for @payments-api\nsee src/tickets/api.rs, the @release-notes and style";

/// What happened on a busy morning.
fn happened(state: &mut State) {
    let other = || Who::Other("refdesk select".into());
    for (time, who, topic, text, reason, subject) in [
        ("09:14:02", Who::Files, Topic::Desk, "Too many folders to watch: they are looked at every 2 s", "", None),
        ("09:20:31", Who::You, Topic::Selection, "Picked @circuit-breaker", "", Some("circuit-breaker")),
        (
            "09:20:31",
            Who::You,
            Topic::Selection,
            "References transitively included: @retry-pattern (from @circuit-breaker), @timeouts (from @circuit-breaker, \
             @retry-pattern), @error-handling (from @retry-pattern), +1 more",
            "~2868 tokens",
            Some("retry-pattern"),
        ),
        ("10:02:40", other(), Topic::Selection, "Excluded @release-notes", "", Some("release-notes")),
        ("10:41:07", Who::Files, Topic::Document, "@timeouts changed", "~600 to ~640 tokens", Some("timeouts")),
        ("10:58:50", Who::Files, Topic::Catalog, "Gone from the catalog: @old-runbook", "", Some("old-runbook")),
        ("11:03:12", Who::Files, Topic::Problem, "error: references.json:41:15: `tags` is a number", "", None),
        (
            "11:03:13",
            Who::Files,
            Topic::Selection,
            "@retry-pattern now mentions @error-handling: pulled in",
            "adr/adr-005.md:7",
            Some("error-handling"),
        ),
    ] {
        let subject = subject.map(Into::into);
        let notice =
            Notice { time: time.to_owned(), reason: reason.to_owned(), subject, ..Notice::new(who, topic, text) };
        answer(state, Event::Notice(notice));
    }
}

/// The hints pane after a busy morning and these keys.
fn desk_with_feed(width: u16, height: u16, keys: &str) -> String {
    let mut state = fixture::state(width, height);
    happened(&mut state);
    press(&mut state, "3 Enter");
    update(&mut state, Input::Paste(PROMPT.to_owned()));
    typed(&mut state, "");
    typed(&mut state, keys);
    screen(&state)
}

macro_rules! feeds {
    ($($name:ident: $width:literal x $height:literal, $keys:literal;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(desk_with_feed($width, $height, $keys));
            }
        )*
    };
}

feeds! {
    feed_80x24: 80 x 24, "Esc f j";
    feed_filtered_80x24: 80 x 24, "Esc f / \"select @retry\" Enter";
    feed_filter_while_typing_80x24: 80 x 24, "Esc f / \"files\" Down";
    feed_120x36: 120 x 36, "Esc f G k k";
    feed_200x60: 200 x 60, "Esc f j j j j j";
    candidates_80x24: 80 x 24, "Esc j j";
    candidates_120x36: 120 x 36, "Esc G k";
    candidates_200x60: 200 x 60, "Esc G";
    candidates_while_typing_120x36: 120 x 36, "";
    candidates_40x10: 40 x 10, "Esc";
    feed_40x10: 40 x 10, "Esc l";
    new_in_the_feed_120x36: 120 x 36, "Esc 1";
}

#[test]
fn the_feed_and_what_is_passed_over_in_ascii() {
    let mut state = fixture::state(80, 24);
    state.skin.glyphs = Glyphs::ASCII;
    happened(&mut state);
    press(&mut state, "3 Enter");
    update(&mut state, Input::Paste(format!("{PROMPT} {}/java", "a".repeat(90))));
    for keys in ["", "Esc G", "f G", "/ \"you\""] {
        typed(&mut state, keys);
        let shown = screen(&state);
        assert!(shown.is_ascii(), "{shown}");
    }
}

#[test]
fn the_newest_notice_is_said_and_how_many_came_with_it() {
    let mut state = fixture::state(80, 24);
    happened(&mut state);
    let bottom = |state: &State| screen(state).lines().last().unwrap_or_default().to_owned();
    assert_eq!(bottom(&state), " @retry-pattern now mentions @error-handling: pulled in · +7 more: f");
    state.size.width = 50;
    assert_eq!(bottom(&state), " @retry-pattern now mentions @error… · +7 more: f");
    press(&mut state, "j");
    answer(&mut state, Event::Notice(fixture::notice("Something else")));
    assert_eq!(bottom(&state), " Something else");
}

macro_rules! looks {
    ($($name:ident: $width:literal x $height:literal, $keys:literal;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(shown($width, $height, $keys));
            }
        )*
    };
}

looks! {
    catalog_80x24: 80 x 24, "j";
    selection_80x24: 80 x 24, "2 j";
    selection_reasons_80x24: 80 x 24, "2 G k k k k";
    hints_80x24: 80 x 24, "3 Enter \"write a java client for @payments-api\" Esc";
    templates_80x24: 80 x 24, "4";
    values_80x24: 80 x 24, "4 i Enter \"com.example\" Enter j j j Space k k";
    values_120x36: 120 x 36, "4 i Enter \":={\"";
    selection_of_a_pick_120x36: 120 x 36, "2";
    reading_a_preview_80x24: 80 x 24, "4 Right";
    grid_120x36: 120 x 36, "j 3 Enter \"write a java client for @payments-api\" Esc 1";
    catalog_120x36: 120 x 36, "z j";
    selection_120x36: 120 x 36, "2 z j j";
    hints_120x36: 120 x 36, "3 z Enter \"a java client\"";
    templates_120x36: 120 x 36, "4 z";
    grid_200x60: 200 x 60, "2 j";
    smallest_40x10: 40 x 10, "j j";
    filter_while_typing: 80 x 24, "/ \"java\"";
    filter_kept: 80 x 24, "/ \"java\" Enter j";
    filter_without_hits: 80 x 24, "/ \"cobol\"";
    help_of_the_catalog: 80 x 24, "?";
    help_further_down: 80 x 24, "? G";
    help_of_the_templates_120x36: 120 x 36, "4 ?";
    problems_80x24: 80 x 24, "d j";
    problems_120x36: 120 x 36, "d";
    refusal_of_a_transitive_source: 80 x 24, "j j Space";
    refusal_of_a_missing_source: 120 x 36, "/ \"ticket\" Esc G k Space";
    details_scrolled: 80 x 24, "j l j";
    palette_80x24: 80 x 24, ":";
    palette_120x36: 120 x 36, "j : \"border\" Down";
    palette_smallest_40x10: 40 x 10, ": \"pick\"";
    question_before_clearing_80x24: 80 x 24, "C";
    question_before_clearing_40x10: 40 x 10, "C";
    borders_moved_120x36: 120 x 36, "> > > > > > - - - -";
    reading_120x36: 120 x 36, "j l";
    reading_200x60: 200 x 60, "j l G";
    reading_beside_the_list_120x36: 120 x 36, "z j l j";
    sorted_by_id: 80 x 24, "s";
    sorted_by_tokens_120x36: 120 x 36, "z s s s";
    sorted_by_state: 80 x 24, "s s s s j";
    filter_terms: 80 x 24, "/ \"#java !selected\"";
    filter_with_a_wrong_term: 80 x 24, "/ \"java type:foo\"";
    filter_that_fits_nothing_together: 80 x 24, "/ \"#java type:url\" Enter";
    filter_for_what_is_dormant: 80 x 24, "/ \"dormant\" Enter";
}

#[test]
fn before_the_desk_is_open() {
    let state = State::new(ratatui::layout::Size::new(80, 24), fixture::state(1, 1).skin);
    insta::assert_snapshot!(screen(&state));
}

#[test]
fn while_documents_are_read() {
    let mut state = fixture::state(120, 36);
    let mut snapshot = fixture::snapshot();
    snapshot.loading = Some(Loading { done: 12, total: 40 });
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert!(screen(&state).lines().next().unwrap().contains("reading 12/40 documents"));
}

#[test]
fn while_the_desk_looks_for_changes_itself() {
    for (watching, expected) in [
        (Watching::Live, None),
        (Watching::Polling("no watch is left".into()), Some("polling every 2 s")),
        (Watching::Off("no thread is left".into()), Some("not watching")),
    ] {
        for width in [80, 120, 200] {
            let mut state = fixture::state(width, 36);
            let mut snapshot = fixture::snapshot();
            snapshot.watching = watching.clone();
            update(&mut state, Input::Snapshot(Box::new(snapshot)));
            let shown = screen(&state);
            let top = shown.lines().next().unwrap();
            let said: Vec<&str> =
                ["polling every 2 s", "not watching"].into_iter().filter(|it| top.contains(it)).collect();
            assert_eq!(said, Vec::from_iter(expected), "{width}: {top}");
        }
    }
}

#[test]
fn a_template_that_does_not_render_says_its_line() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 j");
    let generation = state.templates.generation;
    let error = fixture::unrendered("unclosed block", Some(4));
    answer(
        &mut state,
        Event::Preview { generation, template: "retry-policy.yaml.tmpl".to_owned(), outcome: Err(error) },
    );
    insta::assert_snapshot!(screen(&state));
}

#[test]
fn in_ascii() {
    let mut state = fixture::state(120, 36);
    state.skin.glyphs = Glyphs::ASCII;
    let shown = screen(&state).replace('×', "");
    assert!(shown.is_ascii(), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn too_small_a_terminal_gets_a_sentence() {
    assert_eq!(shown(20, 5, "").trim_end(), "refdesk needs at\nleast 40×10; this\nterminal is 20×5");
    assert_eq!(shown(39, 10, "").trim_end(), "refdesk needs at least 40×10; this\nterminal is 39×10");
}

#[test]
fn text_from_outside_is_shown_escaped() {
    let mut state = fixture::state(80, 24);
    let mut snapshot = fixture::snapshot();
    let hostile = "\x1b[2Ja\u{202e}b\u{200b}";
    let mut source = fixture::source(hostile, hostile, crate::catalog::Mode::Selectable, &[hostile], {
        fixture::local(hostile, crate::catalog::Standing::File)
    });
    source.description = "tab\there\nand a bell \x07".to_owned();
    snapshot.catalog = std::sync::Arc::new(crate::catalog::Catalog::new(vec![source]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    insta::assert_snapshot!(screen(&state));
}

#[test]
fn wide_characters_shift_no_column() {
    let mut state = fixture::state(80, 24);
    let mut snapshot = fixture::snapshot();
    let id = |id: &str| {
        let kind = fixture::local("a.md", crate::catalog::Standing::File);
        fixture::source(id, id, crate::catalog::Mode::Selectable, &["日本"], kind)
    };
    let sources = vec![id("plain"), id("日本語の資料"), id("e\u{301}tude"), id("👍🏽-emoji"), id(&"長".repeat(40))];
    snapshot.catalog = std::sync::Arc::new(crate::catalog::Catalog::new(sources));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    insta::assert_snapshot!(screen(&state));
}

/// The screen while a document is searched that came before the keys.
fn searched(width: u16, height: u16, open: &str, keys: &str) -> State {
    let mut state = fixture::state(width, height);
    typed(&mut state, open);
    press(&mut state, keys);
    state
}

#[test]
fn scrolling_and_searching_the_details() {
    insta::assert_snapshot!("details_scrolled", screen(&searched(80, 24, "j l", "j j")));
    insta::assert_snapshot!("search_while_typing", screen(&searched(80, 24, "j l", "/ \"circuit\"")));
    insta::assert_snapshot!("search_kept", screen(&searched(80, 24, "j l", "/ \"circuit\" Enter n n n n")));
    insta::assert_snapshot!("search_without_hits", screen(&searched(80, 24, "j l", "/ \"cobol\"")));
    insta::assert_snapshot!("search_beside_the_list_120x36", screen(&searched(120, 36, "z j l", "/ \"the\"")));
}

#[test]
fn what_matches_is_marked() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"cbreak\"");
    insta::assert_snapshot!("marks_of_the_filter", marked(&state));
    insta::assert_snapshot!("marks_of_the_search", marked(&searched(80, 24, "j l", "/ \"call\" Enter n")));
}

/// The lines with something underlined in them, which is put between brackets; what is reversed besides, between braces.
fn marked(state: &State) -> String {
    use ratatui::style::Modifier;
    let buffer = look::buffer(state);
    let mut told = String::new();
    for y in 0..buffer.area.height {
        let (mut line, mut before, mut any) = (String::new(), ' ', false);
        for x in 0..buffer.area.width {
            let look = buffer[(x, y)].modifier;
            let is = match (look.contains(Modifier::UNDERLINED), look.contains(Modifier::REVERSED)) {
                (true, true) => '{',
                (true, false) => '[',
                _ => ' ',
            };
            if is != before {
                line.push_str(match before {
                    '{' => "}",
                    '[' => "]",
                    _ => "",
                });
                if is != ' ' {
                    line.push(is);
                }
            }
            any |= is != ' ';
            before = is;
            line.push_str(buffer[(x, y)].symbol());
        }
        if any {
            told.push_str(line.trim_end());
            told.push('\n');
        }
    }
    told
}
