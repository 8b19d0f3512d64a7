//! Screens that `states` does not cover: too small, in ASCII, before the desk is open, with texts that would break the
//! layout.

use std::sync::Arc;

use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::Input;
use crate::tui::state::State;
use crate::tui::update::update;
use refdesk_desk::engine::{Event, Loading, Response, Watching};

use crate::tui::tests::{PROMPT, answer, busy_morning, event, press, screen, snapshot, typed};

/// The screen after these keys, at this size.
fn shown(width: u16, height: u16, keys: &str) -> String {
    let mut state = fixture::state(width, height);
    typed(&mut state, keys);
    screen(&state)
}

#[test]
fn the_feed_and_sources_passed_over_in_ascii() {
    let mut state = fixture::state(80, 24);
    state.skin.glyphs = Glyphs::ASCII;
    busy_morning(&mut state);
    press(&mut state, "3 Enter");
    update(&mut state, Input::Paste(format!("{PROMPT} {}/java", "a".repeat(90))));
    for keys in ["", "Esc G", "f G", "/ \"you\""] {
        typed(&mut state, keys);
        let shown = screen(&state);
        assert!(shown.is_ascii(), "{shown}");
    }
}

#[test]
fn the_newest_notice_is_shown_with_the_number_of_others() {
    let mut state = fixture::state(80, 24);
    busy_morning(&mut state);
    let bottom = |state: &State| screen(state).lines().last().unwrap_or_default().to_owned();
    assert_eq!(bottom(&state), " @retry-pattern now mentions @error-handling: pulled in · f shows 7 more");
    state.size.width = 50;
    assert_eq!(bottom(&state), " @retry-pattern now mentions @e… · f shows 7 more");
    press(&mut state, "j");
    event(&mut state, Event::Notice(fixture::notice("Something else")));
    assert_eq!(bottom(&state), " Something else");
}

macro_rules! screens {
    ($($name:ident: $width:literal x $height:literal, $keys:literal;)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(shown($width, $height, $keys));
            }
        )*
    };
}

screens! {
    smallest_40x10: 40 x 10, "j j";
    palette_smallest_40x10: 40 x 10, ": \"pick\"";
    question_before_clearing_40x10: 40 x 10, "C";
    matches_40x10: 40 x 10, "3 Enter \"java for @payments-api\" Esc";
    feed_40x10: 40 x 10, "3 l";
    reading_beside_the_list_120x36: 120 x 36, "z j l j";
}

#[test]
fn before_the_workspace_is_open() {
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
fn while_the_desk_polls_for_changes() {
    for (watching, expected) in [
        (Watching::Live, None),
        (Watching::Polling("no watch is left".into()), Some("polling every 2 s")),
        (Watching::Partly("there is too much".into()), Some("watching in part")),
        (Watching::Off("no thread is left".into()), Some("not watching")),
    ] {
        for width in [80, 120, 200] {
            let mut state = fixture::state(width, 36);
            let mut snapshot = fixture::snapshot();
            snapshot.watching = watching.clone();
            update(&mut state, Input::Snapshot(Box::new(snapshot)));
            let shown = screen(&state);
            let top = shown.lines().next().unwrap();
            let all = ["polling every 2 s", "watching in part", "not watching"];
            let said: Vec<&str> = all.into_iter().filter(|it| top.contains(it)).collect();
            assert_eq!(said, Vec::from_iter(expected), "{width}: {top}");
        }
    }
}

#[test]
fn a_template_error_is_shown_with_its_line() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "4 j");
    let error = fixture::unrendered("unclosed block", Some(4));
    answer(&mut state, Response::Preview { template: "retry-policy.yaml.tmpl".to_owned(), outcome: Err(error) });
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
fn external_text_is_escaped() {
    let mut state = fixture::state(80, 24);
    let mut snapshot = fixture::snapshot();
    let hostile = "\x1b[2Ja\u{202e}b\u{200b}";
    let mut source = fixture::source(hostile, hostile, refdesk_core::catalog::Mode::Selectable, &[hostile], {
        fixture::local(hostile, refdesk_core::catalog::PathState::File)
    });
    source.description = "tab\there\nand a bell \x07".to_owned();
    snapshot.catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(vec![source]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    insta::assert_snapshot!(screen(&state));
}

#[test]
fn wide_characters_shift_no_column() {
    let mut state = fixture::state(80, 24);
    let mut snapshot = fixture::snapshot();
    let id = |id: &str| {
        let kind = fixture::local("a.md", refdesk_core::catalog::PathState::File);
        fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, &["日本"], kind)
    };
    let sources = vec![id("plain"), id("日本語の資料"), id("e\u{301}tude"), id("👍🏽-emoji"), id(&"長".repeat(40))];
    snapshot.catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    insta::assert_snapshot!(screen(&state));
}

/// The screen during a search in a document that arrived before the keys.
fn with_search(width: u16, height: u16, open: &str, keys: &str) -> State {
    let mut state = fixture::state(width, height);
    typed(&mut state, open);
    press(&mut state, keys);
    state
}

#[test]
fn scrolling_and_searching_the_details() {
    insta::assert_snapshot!("details_scrolled", screen(&with_search(80, 24, "j l", "j j")));
    insta::assert_snapshot!("search_while_typing", screen(&with_search(80, 24, "j l", "/ \"circuit\"")));
    insta::assert_snapshot!("search_kept", screen(&with_search(80, 24, "j l", "/ \"circuit\" Enter n n n n")));
    insta::assert_snapshot!("search_without_hits", screen(&with_search(80, 24, "j l", "/ \"cobol\"")));
    insta::assert_snapshot!("search_beside_the_list_120x36", screen(&with_search(120, 36, "z j l", "/ \"the\"")));
}

#[test]
fn matches_are_marked() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"cbreak\"");
    insta::assert_snapshot!("marks_of_the_filter", marked(&state));
    insta::assert_snapshot!("marks_of_the_search", marked(&with_search(80, 24, "j l", "/ \"call\" Enter n")));
}

/// The lines, with underlined text in brackets and reversed text in braces.
fn marked(state: &State) -> String {
    use ratatui::style::Modifier;
    let buffer = snapshot::buffer(state);
    let mut out = String::new();
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
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out
}

#[test]
fn an_auto_source_that_is_excluded_shows_both() {
    let mut state = fixture::state(120, 36);
    let mut snapshot = fixture::snapshot();
    snapshot.selection = Arc::new(fixture::selection(Vec::new(), &[], &["team-conventions"]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "2");
    let shown = screen(&state);
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("⊘ team-conventions")).collect();
    assert!(rows.iter().any(|row| row.contains("auto")), "{shown}");
    assert!(shown.contains("Mode auto, excluded: in the instructions all the same"), "{shown}");
}
