//! What each pane, window and state looks like, at the sizes people have.

use crate::engine::{Event, Loading, Watching};
use crate::enrich::{Expansion, Findings, Hint};
use crate::render::Rendered;
use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::Input;
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
    let text = "public class {{Entity}} {\n\tprivate String name;\n}\n".repeat(8);
    let generation = state.templates.generation;
    let outcome = Ok(Rendered { text, warnings: Vec::new() });
    answer(state, Event::Preview { generation, template: "CircuitBreaker.java.tpl".to_owned(), outcome });
    let prompt = state.hints.prompt.text();
    let find = |word: &str| prompt.find(word).map(|at| at..at + word.len());
    let mut findings = Findings::default();
    if let Some(range) = find("payments-api") {
        findings.expansions.push(Expansion { id: "payments-api".into(), range });
    }
    if let Some(range) = find("java") {
        findings.hints.push(Hint { id: "java-service".into(), tags: vec!["java".to_owned()], ranges: vec![range] });
    }
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
