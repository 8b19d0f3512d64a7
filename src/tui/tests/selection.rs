//! The filter of the selection: the rows it keeps, where the cursor goes, and what clears it.

use std::sync::Arc;

use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::pane::Pane;
use crate::tui::state::{State, Typing};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::{Catalog, Mode};
use refdesk_desk::engine::Snapshot;

use crate::tui::tests::{message, press, screen};

/// The ids of the rows; those in brackets do not match themselves.
fn rows(state: &State) -> String {
    let rows = state.selection.rows.iter().map(|row| {
        let id = row.id(&state.snapshot).unwrap();
        if row.matches { id.to_owned() } else { format!("({id})") }
    });
    rows.collect::<Vec<_>>().join(" ")
}

#[test]
fn instructions_alone_are_not_the_cost_of_a_selection() {
    let mut state = fixture::state(120, 36);
    let sources = fixture::sources().into_iter().filter(|source| source.mode != refdesk_core::catalog::Mode::Auto);
    let catalog = refdesk_core::catalog::Catalog::new(sources.collect()).into();
    let selection = fixture::selection(Vec::new(), &[], &[]).into();
    let snapshot = Snapshot { catalog, selection, instructions: 56, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "z");
    assert!(screen(&state).contains("2 Selection 0 ~56"), "{}", screen(&state));
}

#[test]
fn rows_kept_by_a_line() {
    for (line, kept) in [
        ("timeouts", "(circuit-breaker) timeouts"),
        ("legacy", "(circuit-breaker) (retry-pattern) (error-handling) legacy-errors"),
        ("#resilience", "circuit-breaker timeouts"),
        ("#resilience !timeouts", "circuit-breaker"),
        ("picked", "circuit-breaker"),
        ("pulled missing", "(circuit-breaker) (retry-pattern) (error-handling) legacy-errors"),
        ("mode:auto", "team-conventions"),
        ("type:inline", "(circuit-breaker) (retry-pattern) error-handling"),
        ("excluded", "release-notes"),
        ("dormant", "old-runbook"),
        ("runbook", "old-runbook"),
        ("old r", "old-runbook"),
        ("!#java !pulled !auto", "old-runbook release-notes"),
        ("payments", ""),
        ("cobol", ""),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, &format!("2 / \"{line}\""));
        assert_eq!(rows(&state), kept, "{line}");
        let count = state.selection.rows.iter().filter(|row| row.matches).count();
        let shown = screen(&state);
        assert_eq!(shown.matches(&format!("{count} of 8")).count(), 1, "{line}: in the line of the filter");
        let title = "1 picked · 4 pulled in · 1 auto · ~4,628 ";
        assert!(shown.contains(title), "{line}: the title has the totals\n{shown}");
        press(&mut state, "Esc");
        assert_eq!((state.selection.rows.len(), state.typing), (8, None), "{line}");
    }
}

#[test]
fn the_cursor_is_on_the_best_match_and_stays_on_its_source() {
    let mut state = fixture::state(80, 24);
    for (keys, on, typing) in [
        ("2 j j /", Some("error-handling"), true),
        ("\"err\"", Some("error-handling"), true),
        ("C-u \"legacy\"", Some("legacy-errors"), true),
        ("C-u \"missing\"", Some("legacy-errors"), true),
        ("C-u \"re\"", Some("retry-pattern"), true),
        ("C-u \"release-notes\"", Some("release-notes"), true),
        ("C-u \"cobol\"", None, true),
        ("C-u \"#resilience\" Down", Some("timeouts"), true),
        ("Enter k", Some("circuit-breaker"), false),
        ("j Esc", Some("timeouts"), false),
        ("/ \"runbook\" Esc", Some("old-runbook"), false),
    ] {
        press(&mut state, keys);
        let list = Some(Typing::Filter(FilteredList::Selection)).filter(|_| typing);
        assert_eq!((state.selected(), state.typing), (on, list), "{keys}");
    }
    assert_eq!(state.selection.rows, state.selection.all);
    press(&mut state, "Esc");
    assert_eq!(state.selected(), Some("old-runbook"), "without a filter there is nothing to clear");
}

#[test]
fn a_jump_to_a_row_that_the_filter_hides_clears_it() {
    let said = "cleared the filter of the selection: it hid this source";
    for (keys, filter, on, note) in [
        ("1 C-k \"@timeouts\" Enter 2", "", "timeouts", said),
        ("1 C-k \"@retry-pattern\" Enter 2", "legacy", "retry-pattern", ""),
        ("1 C-k \"@payments-api\" Enter 2", "legacy", "legacy-errors", ""),
        // `Tab` only moves the focus, which is not a jump to the row.
        ("1 C-k \"@timeouts\" Enter Tab", "legacy", "legacy-errors", ""),
        ("1 C-k \"@timeouts\" Enter Tab BackTab 2", "", "timeouts", said),
        ("1 C-k \"@timeouts\" Enter 2 / \"legacy\" Enter 1 2", "legacy", "legacy-errors", ""),
        ("Esc G 1 2 / \"legacy\" Enter M-Left M-Left", "", "release-notes", said),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, "1 2 / \"legacy\" Enter");
        press(&mut state, keys);
        assert_eq!((state.selection.filter.text(), state.selected()), (filter, Some(on)), "{keys}");
        assert_eq!((state.focus, message(&state)), (Pane::Selection, note), "{keys}");
    }
}

#[test]
fn a_snapshot_keeps_the_filter() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "2 / \"pulled\" Enter G");
    assert_eq!(
        (rows(&state).as_str(), state.selected()),
        ("(circuit-breaker) retry-pattern error-handling legacy-errors timeouts", Some("timeouts"))
    );
    let members = vec![fixture::member("java-service", 0, &[]), fixture::member("timeouts", 1, &["java-service"])];
    let selection = Arc::new(fixture::selection(members, &[], &[]));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { selection: selection.clone(), ..fixture::snapshot() })));
    assert_eq!((rows(&state).as_str(), state.selected()), ("(java-service) timeouts", Some("timeouts")));
    // The same sources have other positions in this catalog.
    let fewer = state.snapshot.catalog.sources().iter().skip(2).cloned().collect();
    let snapshot = Snapshot { selection, catalog: Arc::new(Catalog::new(fewer)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!((rows(&state).as_str(), state.selected()), ("(java-service) timeouts", Some("timeouts")));
    assert_eq!(state.selection.filter.text(), "pulled");
}

#[test]
fn a_filter_that_matches_nothing_says_so() {
    for (line, said) in [
        ("cobol", "No source matches 'cobol'. Esc shows all again."),
        ("RETRY", "Capitals match only capitals."),
        ("payments", "Nothing in the selection matches 'payments'."),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, &format!("2 / \"{line}\""));
        assert!(screen(&state).contains(said), "{line}: {}", screen(&state));
    }
}

#[test]
fn documents_are_searched_elsewhere() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "3 /");
    assert_eq!(state.open_window(), Some(WindowKind::Jump));
    let mut state = fixture::state(80, 24);
    update(
        &mut state,
        Input::Snapshot(Box::new(Snapshot {
            selection: Arc::default(),
            catalog: Arc::default(),
            ..fixture::snapshot()
        })),
    );
    press(&mut state, "2 /");
    assert_eq!((state.typing, message(&state)), (None, "there is nothing in the selection to filter yet"));
}

#[test]
fn an_excluded_source_of_mode_auto_is_still_in_the_instructions() {
    let mut state = fixture::state(120, 36);
    let selection = fixture::selection(Vec::new(), &[], &["team-conventions"]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { selection, generation: 2, ..fixture::snapshot() })));
    let shown = screen(&state);
    assert!(shown.contains("excluded, still in the instructions (auto)"), "{shown}");
}

#[test]
fn the_title_of_an_empty_selection_keeps_its_price() {
    let sources = fixture::sources().into_iter().filter(|source| source.mode == Mode::Selectable).collect();
    let (catalog, selection) = (Catalog::new(sources).into(), fixture::selection(Vec::new(), &[], &[]).into());
    let snapshot = Snapshot { catalog, selection, instructions: 173, ..fixture::snapshot() };
    let mut forms = std::collections::BTreeSet::new();
    for width in 60..200 {
        let mut state = fixture::state(width, 36);
        update(&mut state, Input::Snapshot(Box::new(snapshot.clone())));
        press(&mut state, "2");
        let shown = screen(&state);
        let title = shown.lines().find(|line| line.contains("2 Selection")).unwrap_or_default();
        let forms_here =
            ["nothing picked · ~173 ", "nothing picked · instructions ~173 "].map(|form| title.contains(form));
        assert!(forms_here.contains(&true), "{width} {shown}");
        forms.insert(forms_here);
    }
    assert_eq!(forms.len(), 2, "both forms are needed");
}
