//! The views in place of the panes: going back returns to the same position in them, and the next screen starts there.

use std::sync::Arc;

use ratatui::layout::Size;
use refdesk_desk::engine::{Response, Snapshot};

use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::session;
use crate::tui::state::{Skin, State};
use crate::tui::tests::{answer, press};
use crate::tui::update::update;
use crate::tui::views::{View, ViewPlace};

/// Answers the views' requests, as the engine does.
fn answer_views(state: &mut State) {
    let response = match state.view {
        View::Panes => return,
        View::Graph => fixture::analysis(state),
        View::Agents => Response::Agents(Arc::new(fixture::agents())),
        View::Databases => Response::Databases(Arc::new(fixture::overview())),
    };
    answer(state, response);
}

/// The screen with one of the views, after these keys.
fn viewed(keys: &str) -> State {
    let mut state = fixture::state(120, 36);
    for key in keys.split(' ') {
        press(&mut state, key);
        answer_views(&mut state);
    }
    state
}

const PLACES: [&str; 13] = [
    "j R",
    "j R l j",
    "j R h",
    "R Tab j j",
    "R Tab j c R Tab Tab",
    "j R m l p",
    "S",
    "S j",
    "S Enter j j",
    "S j Enter Tab j",
    "6",
    "6 j j",
    "6 j j Tab",
];

#[test]
fn going_back_leads_to_the_same_place_of_a_view() {
    for keys in PLACES {
        let was = ViewPlace::here(&viewed(keys));
        assert!(was.is_some(), "{keys}");
        for way_out in ["1", "2", "q", "0", "f"] {
            let mut state = viewed(keys);
            press(&mut state, way_out);
            if state.view != View::Panes {
                continue;
            }
            press(&mut state, "M-Left");
            answer_views(&mut state);
            assert_eq!(ViewPlace::here(&state), was, "{keys}, {way_out}");
            press(&mut state, "M-Right");
            assert_eq!(state.view, View::Panes, "{keys}, {way_out}");
        }
    }
}

#[test]
fn the_next_screen_begins_in_the_view_that_was_left() {
    for keys in PLACES {
        let left = viewed(keys).session();
        let saved = left.view.clone();
        assert!(saved.is_some(), "{keys}");
        let resumed = || {
            let mut state = State::new(Size { width: 120, height: 36 }, Skin::default());
            session::begin(&mut state, left.clone());
            assert_eq!(state.session().view, saved, "{keys}: nothing is lost before the workspace is open");
            state
        };
        let opened = |mut state: State| {
            update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
            state
        };
        let mut state = opened(resumed());
        assert_eq!(state.session().view, saved, "{keys}");
        answer_views(&mut state);
        assert_eq!(state.session().view, saved, "{keys}");
        // A user who has pressed a key has moved on.
        let mut state = resumed();
        press(&mut state, "j");
        assert_eq!(opened(state).view, View::Panes, "{keys}");
    }
}

#[test]
fn a_view_is_saved_before_the_screen_ends_and_its_cursor_is_not() {
    let panes = viewed("j").session();
    for (view, within, other) in [("R Tab", "R Tab j", "R"), ("S Enter", "S Enter j", "S"), ("6", "6 j j", "6 j j Tab")]
    {
        let saved = viewed(view).session();
        assert!(saved.has_other_drafts(&panes) && panes.has_other_drafts(&saved), "{view}: a kill does not lose it");
        assert!(!viewed(within).session().has_other_drafts(&saved), "{within}: not each key is a write");
        assert!(viewed(other).session().has_other_drafts(&saved), "{other}");
    }
}

#[test]
fn the_graph_begins_at_the_source_of_the_view_it_is_opened_from() {
    let mut state = viewed("S j Enter Tab");
    let source = state.in_view().map(str::to_owned);
    assert!(source.is_some());
    press(&mut state, "R");
    assert_eq!(state.graph.centre.as_ref().map(|id| id.as_str().to_owned()), source);
}

#[test]
fn a_cursor_in_the_graph_survives_a_catalog_that_changed_before_its_analysis_came() {
    let mut state = viewed("R Tab j j");
    let source = state.in_view().map(str::to_owned);
    let mut snapshot = Snapshot { generation: 9, ..fixture::snapshot() };
    snapshot.catalog = Arc::new(snapshot.catalog.as_ref().clone());
    let effects = update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Ask(_))));
    answer_views(&mut state);
    assert_eq!(state.in_view().map(str::to_owned), source);
}
