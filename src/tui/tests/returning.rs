//! Where keys go after something was left, read or undone: back to where the user was.

use std::sync::Arc;

use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::layout::Arrangement;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::tests::{answer, press, screen};
use crate::tui::update::update;
use refdesk_desk::Document;
use refdesk_desk::engine::{Response, Snapshot};

/// Answers the request for a source's document.
fn read(state: &mut State, id: &str) {
    answer(state, Response::Document(fixture::document(id, &"A line of text.\n\n".repeat(40))));
}

#[test]
fn a_document_that_was_opened_from_another_pane_is_left_for_that_pane() {
    for (keys, pane, subject) in [
        ("2 j Enter Esc", Pane::Selection, "retry-pattern"),
        ("2 j Enter j j Esc", Pane::Selection, "retry-pattern"),
        ("j j Enter Esc", Pane::Catalog, "retry-pattern"),
        // Going to the list in between leaves the selection.
        ("2 j Enter 1 Enter Esc", Pane::Catalog, "retry-pattern"),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        assert_eq!((state.focus, state.subject(pane), state.reads()), (pane, Some(subject), false), "{keys}");
    }
}

#[test]
fn esc_leaves_a_pane_that_fills_the_screen_for_where_its_key_was_pressed() {
    for (key, filled) in [("F4", Pane::Hints), ("F5", Pane::Templates), ("F6", Pane::Hints)] {
        for (before, pane) in [("1", Pane::Catalog), ("2", Pane::Selection)] {
            let mut state = fixture::state(120, 36);
            press(&mut state, &format!("{before} {key}"));
            assert_eq!((state.focus, state.arrangement), (filled, Arrangement::Zoomed), "{before} {key}");
            press(&mut state, "Esc");
            assert_eq!((state.focus, state.arrangement), (pane, Arrangement::Focused), "{before} {key}");
        }
    }
    let mut state = fixture::state(120, 36);
    press(&mut state, "2 F5 F4 Esc");
    assert_eq!(state.focus, Pane::Selection, "one step back, however many keys filled the screen");
}

#[test]
fn reading_begins_at_the_document_where_details_would_hide_it() {
    let first = |width, height, keys: &str| {
        let mut state = fixture::state(width, height);
        press(&mut state, "j j Enter");
        read(&mut state, "retry-pattern");
        // The preview makes the details longer.
        let preview = fixture::preview_selection("retry-pattern", &[], &["retry-pattern"]);
        answer(&mut state, Response::SelectionPreview(preview));
        press(&mut state, keys);
        screen(&state)
    };
    let small = first(80, 24, "");
    assert!(small.matches("A line of text.").count() >= 6 && !small.contains("@retry-pattern  Retry"), "{small}");
    assert!(first(80, 24, "g").contains("@retry-pattern  Retry Pattern"), "the details are above it");
    let wide = first(120, 36, "");
    assert!(wide.contains("A line of text.") && wide.contains("@retry-pattern  Retry Pattern"), "{wide}");
}

#[test]
fn where_there_is_no_room_for_both_a_document_takes_the_place_of_its_list() {
    let mut state = fixture::state(40, 12);
    press(&mut state, "j j Enter");
    read(&mut state, "retry-pattern");
    let shown = screen(&state);
    assert!(state.reads() && shown.contains("A line of text."), "{shown}");
    press(&mut state, "Esc");
    assert!(screen(&state).contains("1 Catalog"), "{}", screen(&state));
}

#[test]
fn the_document_beside_the_selection_is_that_of_its_row() {
    let mut state = fixture::state(200, 60);
    press(&mut state, "2 j");
    read(&mut state, "retry-pattern");
    let shown = screen(&state);
    assert!(shown.contains("╭ retry-pattern ") && shown.contains("A line of text."), "{shown}");
    press(&mut state, "1");
    assert!(!screen(&state).contains("╭ retry-pattern "), "the list's own again");
}

#[test]
fn a_document_or_a_form_that_a_reload_replaces_is_left_for_its_list() {
    let without = |gone: &str| {
        let mut snapshot = fixture::snapshot();
        let sources = snapshot.catalog.sources().iter().filter(|source| source.id.as_str() != gone).cloned().collect();
        snapshot.catalog = Arc::new(refdesk_core::catalog::Catalog::new(sources));
        let mut templates = (*snapshot.templates).clone();
        templates.templates.retain(|template| template.name != gone);
        snapshot.templates = templates.into();
        snapshot
    };
    let (source, template) = ("retry-pattern", "CircuitBreaker.java.tpl");
    for (keys, gone, part) in [
        ("j j Enter", source, PanePart::List),
        ("j j Enter", "timeouts", PanePart::Detail),
        ("2 j Enter", source, PanePart::List),
        ("j j Enter / \"line\"", source, PanePart::List),
        ("/ \"retr\" Enter Enter", source, PanePart::List),
        ("4 Enter \"p\"", template, PanePart::List),
        ("4 Enter \"p\"", "retry-policy.yaml.tmpl", PanePart::Values),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        assert_ne!(state.part, PanePart::List, "{keys}");
        read(&mut state, source);
        update(&mut state, Input::Snapshot(Box::new(without(gone))));
        let is_typing = state.typing.is_some();
        assert_eq!((state.part, is_typing), (part, part == PanePart::Values), "{keys} without {gone}");
    }
}

#[test]
fn undo_moves_the_selection_cursor_to_the_restored_source() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "2");
    assert_eq!(state.selected(), Some("circuit-breaker"));
    let without = fixture::selection(Vec::new(), &["old-runbook"], &[]).into();
    let after = Snapshot { selection: without, generation: 2, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(after.clone())));
    assert_ne!(state.selected(), Some("circuit-breaker"));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { generation: 3, ..fixture::snapshot() })));
    assert_eq!(state.selected(), Some("circuit-breaker"));
    // A cursor that was moved meanwhile stays where it is.
    update(&mut state, Input::Snapshot(Box::new(after)));
    press(&mut state, "j");
    let moved_to = state.selected().map(str::to_owned);
    update(&mut state, Input::Snapshot(Box::new(Snapshot { generation: 4, ..fixture::snapshot() })));
    assert_eq!(state.selected().map(str::to_owned), moved_to);
}

#[test]
fn why_a_source_is_selected_is_read_whole_and_before_what_a_key_changes() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "2 j");
    answer(
        &mut state,
        Response::SelectionPreview(fixture::preview_selection("retry-pattern", &[], &["retry-pattern"])),
    );
    let shown = screen(&state);
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text} is missing: {shown}"));
    assert!(at("Pulled in at depth 1") < at("x would exclude it"), "{shown}");
    assert_eq!(shown.matches("@circuit-breaker  by ").count(), 2, "every reason is in view: {shown}");
}

#[test]
fn lines_of_a_text_in_the_catalog_stay_lines() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j j j j");
    assert_eq!(state.subject(Pane::Catalog), Some("error-handling"));
    let text = "AOS: the pass begins\nLOS: the pass ends\n**TLE**: an orbit";
    let document = Document { path: None, ..fixture::document("error-handling", text) };
    answer(&mut state, Response::Document(document));
    let shown = screen(&state);
    for line in ["│ AOS: the pass begins ", "│ LOS: the pass ends ", "│ TLE: an orbit "] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
}
