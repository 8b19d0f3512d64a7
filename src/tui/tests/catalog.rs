//! The catalog by its keys: filter, order, and the document under the cursor.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::update::update;
use crate::tui::widgets::page::PageLine;
use refdesk_desk::engine::{Request, Response, Snapshot};

use crate::tui::tests::{answer, message, press, screen, stale, typed};

#[test]
fn the_bottom_line_says_what_is_wrong_with_a_filter() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "0 / \"tokens:>5x\"");
    let fault = "The filter is invalid: tokens: needs < or > and a number, as in tokens:>5k";
    assert!(screen(&state).contains(fault), "{}", screen(&state));
    press(&mut state, "Enter");
    assert!(!screen(&state).contains(fault), "{}", screen(&state));
}

#[test]
fn the_filter_narrows_and_esc_clears_it() {
    let mut state = fixture::state(80, 24);
    for (keys, rows, typing) in [
        ("/", 10, Some(Typing::Filter(FilteredList::Catalog))),
        ("\"java\"", 3, Some(Typing::Filter(FilteredList::Catalog))),
        ("Space \"retry\"", 1, Some(Typing::Filter(FilteredList::Catalog))),
        ("C-w", 3, Some(Typing::Filter(FilteredList::Catalog))),
        ("Enter", 3, None),
        ("Esc", 10, None),
        ("/ \"retry\" Esc", 10, None),
    ] {
        press(&mut state, keys);
        assert_eq!((state.catalog.rows.len(), state.typing), (rows, typing), "{keys}");
    }
}

#[test]
fn esc_goes_back_from_a_filter_that_matches_nothing() {
    let pane_keys =
        [(Pane::Catalog, "1 g j j j", "re"), (Pane::Selection, "2 g j", "e"), (Pane::Templates, "4 g j", "circ")];
    for (pane, keys, letters) in pane_keys {
        let mut state = fixture::state(80, 24);
        let row = |state: &State| match pane {
            Pane::Templates => state.template().map(|template| template.name.clone()),
            _ => state.subject(pane).map(str::to_owned),
        };
        press(&mut state, keys);
        let before = row(&state);
        assert!(before.is_some(), "{pane:?}");
        press(&mut state, &format!("/ \"{letters}\""));
        assert_ne!(row(&state), before, "{pane:?}");
        press(&mut state, "\"zzz\" Esc");
        assert_eq!(row(&state), before, "{pane:?}");
    }
}

#[test]
fn the_details_tell_an_agents_pick_from_a_persons() {
    let by_agents: Arc<BTreeSet<String>> = Arc::new(["circuit-breaker".to_owned()].into());
    for (by_agents, is_told) in [(Arc::default(), false), (by_agents, true)] {
        let mut state = fixture::state(200, 60);
        update(&mut state, Input::Snapshot(Box::new(Snapshot { by_agents, ..fixture::snapshot() })));
        for keys in ["1 g j", "2 g"] {
            press(&mut state, keys);
            let shown = screen(&state).to_lowercase();
            assert_eq!(shown.contains("picked by an agent, not confirmed by a person"), is_told, "{keys}: {shown}");
        }
    }
}

#[test]
fn the_cursor_is_on_the_best_match_with_every_key() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j j /");
    for key in ["j", "a", "v", "a"] {
        typed(&mut state, &format!("Down \"{key}\""));
        assert_eq!(state.catalog.cursor.at, 0, "after {key}");
    }
    let best = state.subject(Pane::Catalog).map(str::to_owned);
    press(&mut state, "Esc");
    assert_eq!(state.subject(Pane::Catalog).map(str::to_owned), best, "without a filter it stays on its source");
    press(&mut state, "g j j / Down Down");
    assert_eq!(state.subject(Pane::Catalog), Some("error-handling"), "arrows move in the list while typing");
}

#[test]
fn one_very_long_id_leaves_the_document_its_place_and_is_cut_in_the_middle() {
    let long = format!("a-{}-z", "very-long-id".repeat(8));
    let local = || fixture::local("a.md", refdesk_core::catalog::PathState::File);
    let source = |id: &str| fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, &["java"], local());
    for others in [&[][..], &["timeouts"], &["timeouts", "retry-pattern", "error-handling"]] {
        let sources = others.iter().copied().chain([long.as_str()]).map(source).collect();
        let catalog = Arc::new(refdesk_core::catalog::Catalog::new(sources));
        let mut state = fixture::state(120, 36);
        update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
        let shown = screen(&state);
        assert!(state.layout().reader.is_some(), "{shown}");
        assert!(shown.lines().any(|line| line.contains(" a-very") && line.contains("id-z ")), "{shown}");
    }
}

#[test]
fn an_id_typed_in_full_wins() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"ret\"");
    let first = state.subject(Pane::Catalog).map(str::to_owned);
    press(&mut state, "C-u \"retry-pattern\"");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"), "not {first:?}");
}

#[test]
fn cursors_follow_their_sources_through_a_reload() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "G k 2");
    assert_eq!(state.subject(Pane::Selection), Some("legacy-errors"));
    let mut snapshot = fixture::snapshot();
    let fewer = snapshot.catalog.sources().iter().skip(3).cloned().collect();
    snapshot.catalog = Arc::new(refdesk_core::catalog::Catalog::new(fewer));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(state.subject(Pane::Catalog), Some("legacy-errors"));
    assert_eq!(state.subject(Pane::Selection), Some("legacy-errors"));
}

#[test]
fn the_document_under_the_cursor_is_requested_if_visible() {
    let mut state = fixture::state(80, 24);
    let reads = |effects: &[Effect]| -> Vec<String> {
        let read = |effect: &Effect| match effect {
            Effect::Ask(Request::Read { id, .. }) => Some(id.to_string()),
            _ => None,
        };
        effects.iter().filter_map(read).collect()
    };
    assert_eq!(reads(&press(&mut state, "j")), ["circuit-breaker"]);
    assert_eq!(reads(&press(&mut state, "l j h z z 2 d Esc")), [""; 0]);
    let mut again = fixture::snapshot();
    assert_eq!(
        reads(&update(&mut state, Input::Snapshot(Box::new(again.clone())))),
        [""; 0],
        "elsewhere, nothing is read"
    );
    press(&mut state, "1");
    again.reads = 1;
    let effects = update(&mut state, Input::Snapshot(Box::new(again)));
    assert_eq!(reads(&effects), ["circuit-breaker"], "the workspace was read again");
    let document = |text: &str| fixture::document("circuit-breaker", text);
    stale(&mut state, Response::Document(document("old")));
    assert_eq!(state.catalog.document.answer, None, "the answer to an old question");
    answer(&mut state, Response::Document(document("new")));
    assert_eq!(state.catalog.reading.loaded.lines().next().map(PageLine::text), Some("new"));
    press(&mut state, "j");
    assert_eq!(state.catalog.reading.loaded.len(), 0, "of the source before");
    let mut small = fixture::state(40, 10);
    assert_eq!(reads(&press(&mut small, "j j")), [""; 0], "there is no room for details");
}

#[test]
fn searching_a_document() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j l");
    let document = fixture::document("circuit-breaker", &"one\n\ntwo\n\nThree\n\n".repeat(20));
    answer(&mut state, Response::Document(document));
    for (keys, at, hits, typing) in [
        ("/", 0, 0, Some(Typing::Search)),
        ("\"TH\"", 0, 0, Some(Typing::Search)),
        ("C-u \"thr\"", 0, 20, Some(Typing::Search)),
        ("Enter", 0, 20, None),
        ("n n", 2, 20, None),
        ("N", 1, 20, None),
        ("N N", 19, 20, None),
        ("n", 0, 20, None),
        ("/ \"e\"", 28, 87, Some(Typing::Search)),
        ("Esc", 0, 0, None),
        ("/ \"two\" Enter Esc", 0, 0, None),
    ] {
        press(&mut state, keys);
        let search = &state.catalog.search;
        assert_eq!((search.at, search.hits.len(), state.typing), (at, hits, typing), "{keys}");
        assert_eq!(state.part, PanePart::Detail, "{keys}");
    }
    press(&mut state, "/ \"Three\" Enter N");
    assert!(state.catalog.scroll.top > 40, "the last hit is in sight");
    press(&mut state, "/ \"@circuit\"");
    assert_eq!(state.catalog.scroll.top, 0, "the only hit is far above");
    press(&mut state, "Esc h j");
    assert_eq!((state.part, state.catalog.search.is_on()), (PanePart::List, false));
    press(&mut state, "l / \"retry\" Enter h");
    assert_eq!(state.part, PanePart::Detail, "first the search is left");
}

#[test]
fn a_search_ends_with_its_source() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "l / \"a\" Enter 2 1 j");
    assert!(!state.catalog.search.is_on());
    press(&mut state, "l n");
    assert_eq!(message(&state), "there is no search: press / to type one");
    press(&mut state, "/ \"cobol\" Enter N");
    assert_eq!(message(&state), "no match for cobol in these details");
}

#[test]
fn sorting_keeps_the_cursor_on_its_source() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j j");
    for (first, last) in [
        ("circuit-breaker", "timeouts"),
        ("circuit-breaker", "timeouts"),
        ("error-handling", "payments-api"),
        ("team-conventions", "release-notes"),
        ("payments-api", "ticket-search"),
        ("java-service", "legacy-errors"),
        ("circuit-breaker", "legacy-errors"),
        ("team-conventions", "release-notes"),
    ] {
        press(&mut state, "s");
        let id = |row: Option<&usize>| state.snapshot.catalog.sources()[*row.unwrap()].id.to_string();
        let rows = &state.catalog.rows;
        assert_eq!((id(rows.first()).as_str(), id(rows.last()).as_str()), (first, last), "{:?}", state.catalog.order);
        assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"), "{:?}", state.catalog.order);
    }
    press(&mut state, "s / \"java\"");
    let ids = |state: &State| -> Vec<String> {
        let sources = state.snapshot.catalog.sources();
        state.catalog.rows.iter().map(|row| sources[*row].id.to_string()).collect()
    };
    assert_eq!(ids(&state), ["circuit-breaker", "java-service", "retry-pattern"], "an order that was chosen stays");
    for (keys, best) in [
        ("C-u \"j\"", "java-service"),
        ("\"a\"", "java-service"),
        ("C-u \"error\"", "error-handling"),
        ("C-u \"#java\"", "circuit-breaker"),
        ("C-u \"#java retr\"", "retry-pattern"),
    ] {
        press(&mut state, keys);
        assert_eq!(state.subject(Pane::Catalog), Some(best), "{keys}: the cursor is on the best match");
    }
    press(&mut state, "C-u \"java\" Enter Down");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"), "from there it moves in the shown order");
}

#[test]
fn the_selection_shows_the_source_that_one_comes_from() {
    let mut state = fixture::state(80, 24);
    for (keys, expected) in [
        ("C-k \"timeouts\" Enter 2", "timeouts"),
        ("g 1 2", "circuit-breaker"),
        ("1 Enter Esc Tab", "circuit-breaker"),
        ("1 C-k \"payments-api\" Enter 2", "circuit-breaker"),
        ("1 C-k \"retry-pattern\" Enter Enter 2", "retry-pattern"),
    ] {
        press(&mut state, keys);
        assert_eq!(state.subject(Pane::Selection), Some(expected), "{keys}");
    }
}

#[test]
fn a_filter_by_state_follows_the_selection() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "/ \"pulled !missing\" Enter G");
    assert_eq!((state.catalog.rows.len(), state.subject(Pane::Catalog)), (3, Some("error-handling")));
    let mut snapshot = fixture::snapshot();
    let members =
        vec![fixture::member("retry-pattern", 0, &[]), fixture::member("error-handling", 1, &["retry-pattern"])];
    snapshot.selection = Arc::new(fixture::selection(members, &[], &[]));
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!((state.catalog.rows.len(), state.subject(Pane::Catalog)), (1, Some("error-handling")));
}

#[test]
fn descriptions_are_cut_at_the_end_and_paths_at_the_beginning() {
    let rule = |height, keys, caption: &str| {
        let mut state = fixture::state(120, height);
        press(&mut state, keys);
        let id = state.subject(Pane::Catalog).unwrap().to_owned();
        let document = refdesk_desk::Document { caption: caption.to_owned(), ..fixture::document(&id, "text") };
        answer(&mut state, Response::Document(document));
        screen(&state)
    };
    let long = "called by the agent, not by refdesk, with arguments, and said at length";
    let shown = rule(36, "C-k \"ticket-search\" Enter", long);
    assert!(shown.contains("─ called by the agent, not by") && !shown.contains("─ …"), "{shown}");
    let shown = rule(24, "j - - - -", "12 lines");
    assert!(shown.contains(": 12 lines ─") || shown.contains("─ 12 lines ─"), "{shown}");
}

#[test]
fn a_filter_that_matches_nothing_says_so_and_lists_the_terms() {
    for (keys, said) in
        [("/ \"state:missing\"", "There is no term state:"), ("/ \"RETRY-pattern\"", "Capitals match only")]
    {
        let mut state = fixture::state(200, 60);
        press(&mut state, keys);
        let shown = screen(&state);
        assert!(
            shown.contains(said) && shown.contains("No source matches") && shown.contains("0 of 10"),
            "{keys}: {shown}"
        );
        assert!(!shown.contains("╭  ─"), "the box beside it has no title: {shown}");
    }
}
