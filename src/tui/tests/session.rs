//! The saved state of the screen in a workspace, and the history of places.

use std::sync::Arc;

use ratatui::layout::Size;

use crate::tui::catalog::reading;
use crate::tui::fixture;
use crate::tui::glyphs::Glyphs;
use crate::tui::input::{Effect, Input};
use crate::tui::layout::Arrangement;
use crate::tui::pane::Pane;
use crate::tui::session;
use crate::tui::state::{PanePart, Skin, State};
use crate::tui::theme::{Colours, Theme};
use crate::tui::update::update;
use refdesk_core::config::screen_session::{SavedCursor, ScreenSession};
use refdesk_desk::engine::{Audience, Loading, Request, Response, Snapshot};

use crate::tui::tests::prompt::found;
use crate::tui::tests::{answer, commands, message, press};

/// A screen of a workspace that was left in this state, before the workspace is open.
fn resumed(left: &ScreenSession) -> State {
    let skin = Skin { theme: Theme::new(Colours::Indexed), glyphs: Glyphs::UNICODE };
    let mut state = State::new(Size { width: 120, height: 36 }, skin);
    session::begin(&mut state, left.clone());
    state
}

fn open(state: &mut State, snapshot: Snapshot) -> Vec<Request> {
    commands(&update(state, Input::Snapshot(Box::new(snapshot))))
}

#[test]
fn everything_is_restored() {
    for keys in [
        "",
        "j j z",
        "/ \"java\" Enter j",
        "3 Enter \"why twice?\nand again\"",
        "4 j",
        "4 Enter Enter \"com.example\" Esc",
        "2 j j j",
        "2 / \"legacy\" Enter",
        "f / \"picked\" Enter",
        "F4",
        "/ \"#java\" Enter F \"ours\" Enter /",
        "0 2 j",
        "s s s",
        "2 $",
        "j j Enter",
        // Quitting by these keys leaves the view open, so it opens again, as after a kill.
        "j j R",
        "R Tab",
        "6",
        "F7",
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        let left = state.session();
        let mut state = resumed(&left);
        assert_eq!(state.session(), left, "{keys}: nothing is lost before the workspace is open");
        open(&mut state, fixture::snapshot());
        assert_eq!(state.session(), left, "{keys}");
        assert_eq!(left == ScreenSession::default(), keys.is_empty(), "{keys}: {left:?}");
    }
}

#[test]
fn the_cursor_of_the_graph_is_restored_once_its_source_has_a_row() {
    for keys in ["j", "Tab j j", "Tab Tab Tab Tab j", "Tab j m", "Tab / \"java\" Enter j"] {
        let mut state = fixture::state(120, 36);
        press(&mut state, "j j R");
        let analysis = fixture::analysis(&state);
        answer(&mut state, analysis);
        press(&mut state, keys);
        let (left, source) = (state.session(), state.in_graph().map(str::to_owned));
        assert!(source.is_some(), "{keys}");
        for is_loading in [false, true] {
            let mut state = resumed(&left);
            if is_loading {
                let loading = Some(Loading { done: 1, total: 10 });
                open(&mut state, Snapshot { loading, graph: Arc::default(), ..fixture::snapshot() });
                let analysis = fixture::analysis(&state);
                answer(&mut state, analysis);
                assert_eq!(state.session().view, left.view, "{keys}: nothing is lost in the meantime");
            }
            open(&mut state, fixture::snapshot());
            let analysis = fixture::analysis(&state);
            answer(&mut state, analysis);
            assert_eq!(state.in_graph(), source.as_deref(), "{keys}, {is_loading}");
            let now = state.session();
            assert_eq!((now.view, now.filters), (left.view.clone(), left.filters.clone()), "{keys}, {is_loading}");
        }
    }
}

#[test]
fn the_row_of_a_hint_and_the_enriched_prompt_are_restored() {
    let hints = || Response::Findings(found(&["timeouts", "java-service", "release-notes"]));
    let mut state = fixture::state(120, 36);
    press(&mut state, "3 Enter \"retry\" Esc");
    answer(&mut state, hints());
    press(&mut state, "j j");
    let left = state.session();
    assert_eq!(left.cursors["Hints"].on, "release-notes");
    let mut state = resumed(&left);
    open(&mut state, fixture::snapshot());
    assert_eq!(state.session(), left, "nothing is lost before the answer");
    answer(&mut state, hints());
    assert_eq!((state.subject(Pane::Hints), state.session()), (Some("release-notes"), left));
    for audience in [Audience::NewSession, Audience::ThisSession] {
        press(&mut state, "v");
        let left = state.session();
        let mut state = resumed(&left);
        let asked = update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
        let simulated =
            |it: &Effect| matches!(it, Effect::Ask(Request::Simulate { audience: of, .. }) if *of == audience);
        assert!(asked.iter().any(simulated), "{asked:?}");
        assert_eq!(state.session(), left);
    }
}

#[test]
fn front_matter_stays_unfolded() {
    let mut state = fixture::state(120, 36);
    reading::toggle_front_matter(&mut state);
    let left = state.session();
    assert!(left.shows_front_matter);
    assert_eq!(resumed(&left).session(), left);
}

#[test]
fn the_prompt_is_matched_and_the_values_are_rendered_again() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "3 Enter \"java\" Esc 4 Enter Enter \"com.example\" Esc");
    let left = state.session();
    let mut state = resumed(&left);
    let asked = open(&mut state, fixture::snapshot());
    assert!(asked.contains(&Request::Match("java".into())), "{asked:?}");
    let typed = |request: &Request| matches!(request, Request::Preview { values: Some(values), .. } if values.to_string().contains("com.example"));
    assert!(asked.iter().any(typed), "{asked:?}");
}

#[test]
fn a_cursor_waits_for_its_row_until_a_key_is_pressed() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "4 j 2 j j");
    let left = state.session();
    assert_eq!(left.cursors["Templates"].on, "retry-policy.yaml.tmpl");
    let without = || Snapshot { templates: Arc::default(), ..fixture::snapshot() };
    let mut state = resumed(&left);
    open(&mut state, without());
    assert_eq!((state.focus, state.selected()), (Pane::Selection, Some("error-handling")));
    assert_eq!(state.session(), left, "the template's cursor is not forgotten");
    open(&mut state, Snapshot { generation: 2, ..fixture::snapshot() });
    assert_eq!(state.templates.cursor.at, 1);
    let mut state = resumed(&left);
    open(&mut state, without());
    press(&mut state, "k");
    open(&mut state, Snapshot { generation: 2, ..fixture::snapshot() });
    assert_eq!(state.templates.cursor.at, 0);
}

#[test]
fn a_document_is_read_where_it_was_left() {
    let read = |state: &mut State| {
        answer(state, Response::Document(fixture::document("circuit-breaker", &fixture::TEXT.repeat(20))));
        reading::line(state)
    };
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Enter");
    read(&mut state);
    press(&mut state, "PageDown PageDown");
    let line = reading::line(&state);
    let left = state.session();
    let mut state = resumed(&left);
    open(&mut state, fixture::snapshot());
    assert_eq!((state.part, state.subject(Pane::Catalog)), (PanePart::Detail, Some("circuit-breaker")));
    assert_eq!(state.session(), left, "the place is not forgotten before the document is there");
    assert_eq!((read(&mut state), line.is_some()), (line, true));
}

#[test]
fn missing_items_are_not_restored() {
    let cursors = ["Catalog", "Selection", "Templates", "Nowhere"];
    let cursor = |name: &str| (name.to_owned(), SavedCursor { on: "gone".to_owned(), top: usize::MAX });
    let left = ScreenSession {
        pane: Some("Nowhere".to_owned()),
        arrangement: Some("sideways".to_owned()),
        is_inside: true,
        cursors: cursors.into_iter().map(cursor).collect(),
        ..ScreenSession::default()
    };
    let mut state = resumed(&left);
    open(&mut state, fixture::snapshot());
    assert_eq!((state.focus, state.part, state.arrangement), (Pane::Catalog, PanePart::List, Arrangement::Focused));
    press(&mut state, "j");
    assert_eq!(state.session().cursors.len(), 1);
}

#[test]
fn places_are_walked_back_and_forward() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "M-Left");
    assert_eq!(message(&state), "there is no place to go back to");
    press(&mut state, "j j 4 j C-k \"@timeouts\" Enter Enter 2");
    let at = |state: &State| {
        let subject = state.subject(state.focus).or(state.template().map(|template| template.name.as_str()));
        (state.focus, state.part, subject.map(str::to_owned))
    };
    let place = |pane, part, subject: &str| (pane, part, Some(subject.to_owned()));
    let places = [
        place(Pane::Selection, PanePart::List, "timeouts"),
        place(Pane::Catalog, PanePart::Detail, "timeouts"),
        place(Pane::Templates, PanePart::List, "retry-policy.yaml.tmpl"),
        place(Pane::Catalog, PanePart::List, "retry-pattern"),
    ];
    for expected in &places {
        assert_eq!(at(&state), *expected);
        press(&mut state, "M-Left");
    }
    assert_eq!(message(&state), "there is no place to go back to");
    for expected in places.iter().rev().skip(1) {
        press(&mut state, "M-Right");
        assert_eq!(at(&state), *expected);
    }
    press(&mut state, "1 G C-k \"#retry\" Enter M-Left");
    assert_eq!(state.subject(Pane::Catalog), Some("release-notes"), "going back leaves the filter");
    assert_eq!(state.catalog.filter.text(), "");
    press(&mut state, "M-Right");
    assert_eq!((state.catalog.filter.text(), state.catalog.rows.len()), ("#retry", 1), "forward to the filter too");
    press(&mut state, "M-Left M-Right");
    assert_eq!(state.catalog.filter.text(), "#retry");
    press(&mut state, "M-Right");
    assert_eq!(message(&state), "there is no place to go forward to");
}
