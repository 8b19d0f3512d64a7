//! Actions on all sources in a list: they ask first, with the consequence of each change.

use std::sync::Arc;

use crate::common::change_cost::of_sources;
use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::state::State;
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_desk::engine::{PickReach, Request, Response, Snapshot};
use refdesk_desk::{BulkChange, BulkPreview, CostChange, LargePick, SelectionChange};

use crate::tui::tests::consequences::picked;
use crate::tui::tests::mouse::click_on;
use crate::tui::tests::{answer, commands, message, press, screen, typed};

fn bulk(ids: &[&str], enters: &[&str], leaves: &[&str], tokens: i64) -> BulkChange {
    let [ids, enters, leaves] = [ids, enters, leaves].map(|ids| ids.iter().map(|id| SourceId::from(*id)).collect());
    BulkChange {
        ids,
        change: SelectionChange { enters, leaves, cost: of_sources(tokens), ..SelectionChange::default() },
    }
}

fn preview() -> BulkPreview {
    BulkPreview {
        sources: 4,
        pick: bulk(&["java-service", "payments-api"], &["java-service", "payments-api", "x", "y"], &[], 76_475),
        unpick: bulk(&["circuit-breaker"], &[], &["circuit-breaker", "timeouts"], -1_250),
        exclude: bulk(&["java-service", "payments-api", "circuit-breaker"], &[], &["circuit-breaker"], -610),
        include: bulk(&["release-notes"], &[], &[], 0),
    }
}

fn asked(width: u16, height: u16, preview: BulkPreview) -> State {
    let mut state = fixture::state(width, height);
    let asked = commands(&press(&mut state, "*"));
    assert!(matches!(asked.as_slice(), [Request::PreviewBulk(ids)] if ids.len() == 10), "{asked:?}");
    answer(&mut state, Response::BulkPreview(Box::new(preview)));
    state
}

#[test]
fn shown_sources_are_counted_again_after_a_change() {
    let mut state = asked(120, 36, preview());
    let sources = fixture::snapshot().catalog.sources().iter().take(4).cloned().collect();
    let snapshot = Snapshot { catalog: Arc::new(Catalog::new(sources)), ..fixture::snapshot() };
    let effects = update(&mut state, Input::Snapshot(Box::new(snapshot)));
    let again = commands(&effects);
    assert!(again.iter().any(|it| matches!(it, Request::PreviewBulk(ids) if ids.len() == 4)), "{again:?}");
    assert_eq!(commands(&press(&mut state, "+")), []);
    answer(&mut state, Response::BulkPreview(Box::new(BulkPreview { sources: 3, ..preview() })));
    assert!(screen(&state).contains("3 sources are shown"), "{}", screen(&state));
    assert_eq!(commands(&press(&mut state, "+")).len(), 1);
}

#[test]
fn an_answer_that_comes_after_the_window_was_closed_does_not_open_it() {
    let mut state = asked(120, 36, preview());
    let sources = fixture::snapshot().catalog.sources().iter().take(4).cloned().collect();
    let snapshot = Snapshot { catalog: Arc::new(Catalog::new(sources)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "Esc");
    answer(&mut state, Response::BulkPreview(Box::new(preview())));
    assert_eq!(state.window, None);
}

#[test]
fn a_window_that_comes_after_the_next_key_does_not_catch_what_is_typed() {
    for keys in ["Esc", "2", "/ \"how to fi\""] {
        let mut state = fixture::state(120, 36);
        press(&mut state, &format!("* {keys}"));
        answer(&mut state, Response::BulkPreview(Box::new(preview())));
        assert_eq!(state.window, None, "{keys}");
    }
}

#[test]
fn tokens_of_instructions_are_named_where_room_is_short() {
    let mut preview = preview();
    preview.pick.change.cost = CostChange { sources: 0, total: -302 };
    let shown = screen(&asked(70, 24, preview));
    assert!(shown.contains("pick 2 sources: ~302 tokens of instructions saved  "), "{shown}");
}

#[test]
fn what_a_pick_of_all_shown_trusts_is_said_before() {
    let mut preview = preview();
    preview.pick.change.trusts = vec!["payments-api".into()];
    for (width, height, expected) in [
        (120, 36, "2 others pulled in, trusts 1 source"),
        (120, 36, "With +, agents may then fetch @payments-api. u undoes"),
        (40, 12, "+  pick 2 sources, trusts 1 "),
    ] {
        let shown = screen(&asked(width, height, preview.clone()));
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn untrusted_sources_are_among_those_counted() {
    let mut state = asked(120, 36, preview());
    let mut sources = fixture::sources();
    sources.retain(|source| source.id.as_str() != "timeouts");
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("timeouts", "Timeouts", refdesk_core::catalog::Mode::Selectable, &[], outside));
    state.snapshot.catalog = Arc::new(Catalog::new(sources));
    let shown = screen(&state);
    assert!(shown.contains("~1,250 tokens saved, 1 other released, 1 of them untrusted"), "{shown}");
}

/// The question about all shown, the one about a large pick, and the message after it.
#[test]
fn all_texts_about_one_pick_count_the_same_untrusted_sources() {
    let outside = |id: &str| {
        let place = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
        fixture::source(id, id, refdesk_core::catalog::Mode::Selectable, &[], place)
    };
    // The picks are java-service and payments-api, which pull in x and y.
    for (untrusted, in_all_shown, in_others) in [
        (&["x"][..], "2 others pulled in, 1 of them untrusted", ", 1 untrusted source"),
        (&["payments-api"], "2 others pulled in, 1 untrusted in all", ", 1 untrusted source in all"),
        (&["payments-api", "x", "y"], "2 others pulled in, 3 untrusted in all", ", 3 untrusted sources in all"),
        (&[], "2 others pulled in  ", ", ~76,475 tokens more  "),
    ] {
        let mut sources = fixture::sources();
        sources.retain(|source| !untrusted.contains(&source.id.as_str()));
        sources.extend(untrusted.iter().map(|id| outside(id)));
        let mut state = asked(120, 36, preview());
        state.snapshot.catalog = Arc::new(Catalog::new(sources));
        let shown = screen(&state);
        assert!(shown.contains(in_all_shown), "{untrusted:?} {shown}");
        let whole = preview().pick.change;
        let alone = SelectionChange { enters: ids(&["java-service", "payments-api"]), ..SelectionChange::default() };
        let ids = ids(&["java-service", "payments-api"]);
        let large = LargePick { ids, whole, near: alone.clone(), alone, excludes: [0, 0] };
        press(&mut state, "+");
        answer(&mut state, Response::LargePick(Box::new(large)));
        let shown = screen(&state);
        assert!(shown.contains("all: +2, ~76,475 tokens more"), "{untrusted:?} {shown}");
        assert!(shown.contains(in_others), "{untrusted:?} {shown}");
        press(&mut state, "y");
        answer(&mut state, picked(&["java-service", "payments-api"], &[], &["x", "y"], 76_475));
        let said = message(&state);
        assert_eq!(said.contains(in_others), !untrusted.is_empty(), "{untrusted:?} {said}");
        assert_eq!(said.contains("untrusted"), !untrusted.is_empty(), "{untrusted:?} {said}");
    }
}

#[test]
fn a_window_below_the_help_is_counted_again() {
    let mut state = asked(120, 36, preview());
    press(&mut state, "?");
    let sources = fixture::snapshot().catalog.sources().iter().take(4).cloned().collect();
    let snapshot = Snapshot { catalog: Arc::new(Catalog::new(sources)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    answer(&mut state, Response::BulkPreview(Box::new(BulkPreview { sources: 3, ..preview() })));
    assert_eq!(state.open_window(), Some(WindowKind::Help));
    press(&mut state, "Esc");
    assert_eq!(state.open_window(), Some(WindowKind::AllShown));
    assert!(screen(&state).contains("3 sources are shown"), "{}", screen(&state));
}

fn ids(ids: &[&str]) -> Vec<SourceId> {
    ids.iter().map(|id| SourceId::from(*id)).collect()
}

fn requests() -> [(&'static str, &'static str, Option<Request>); 6] {
    let pick = Request::PickWithin { ids: ids(&["java-service", "payments-api"]), reach: PickReach::AllIfFew };
    [
        ("+", "+  pick", Some(pick)),
        ("-", "-  unpick", Some(Request::Unpick(ids(&["circuit-breaker"])))),
        ("x", "x  exclude", Some(Request::Exclude(ids(&["java-service", "payments-api", "circuit-breaker"])))),
        ("X", "X  include", Some(Request::Include(ids(&["release-notes"])))),
        ("Esc", "Esc  nothing", None),
        ("n", "Esc  nothing", None),
    ]
}

#[test]
fn a_change_of_all_shown_is_made_by_its_key_or_by_a_click_on_its_line() {
    for (key, line, expected) in requests() {
        for by_mouse in [false, true] {
            let mut state = asked(120, 36, preview());
            assert_eq!(state.open_window(), Some(WindowKind::AllShown));
            let sent = if by_mouse { click_on(&mut state, line) } else { press(&mut state, key) };
            let expected: Vec<Request> = expected.clone().into_iter().collect();
            assert_eq!((commands(&sent), state.window), (expected, None), "{key}");
        }
    }
}

#[test]
fn a_large_pick_of_all_shown_has_smaller_sizes_too() {
    for (key, reach) in
        [("y", Some(PickReach::All)), ("d", Some(PickReach::Near)), ("o", Some(PickReach::Alone)), ("Esc", None)]
    {
        let mut state = asked(120, 36, preview());
        press(&mut state, "+");
        let ids = ids(&["java-service", "payments-api"]);
        let change = |ids: &[&str], tokens| bulk(&[], ids, &[], tokens).change;
        let pick = LargePick {
            ids: ids.clone(),
            whole: change(&["java-service", "payments-api", "x", "y"], 76_475),
            near: change(&["java-service", "payments-api", "x"], 9_310),
            alone: change(&["java-service", "payments-api"], 2_769),
            excludes: [1, 2],
        };
        answer(&mut state, Response::LargePick(Box::new(pick)));
        let shown = screen(&state);
        assert!(shown.contains("only these: ~2,769 tokens more, excludes 2"), "{shown}");
        assert!(shown.contains("Picking 2 sources pulls in @x, @y."), "{shown}");
        let sent = commands(&press(&mut state, key));
        let expected = reach.map(|reach| Request::PickWithin { ids, reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{key}");
    }
}

#[test]
fn changes_without_effect_are_not_offered() {
    let mut state = asked(120, 36, BulkPreview { include: BulkChange::default(), ..preview() });
    assert!(!screen(&state).contains("include"), "{}", screen(&state));
    assert_eq!(commands(&press(&mut state, "X")), []);
    assert_eq!(message(&state), "there is no source to include here");
    let mut state = asked(120, 36, BulkPreview { sources: 1, ..BulkPreview::default() });
    assert_eq!(state.window, None);
    assert!(message(&state).contains("always in the instructions"), "{}", message(&state));
    // An invalid filter keeps every source, which the user did not intend.
    typed(&mut state, "/ \"tokens:5k\" Enter");
    assert_eq!(commands(&press(&mut state, "*")), []);
    assert!(message(&state).starts_with("the filter is invalid: tokens: needs"), "{}", message(&state));
    typed(&mut state, "Esc / \"no-such-source\" Enter");
    assert_eq!(commands(&press(&mut state, "*")), []);
    assert_eq!(message(&state), "no source is shown here");
}

#[test]
fn the_sources_shown_are_those_that_match() {
    for (keys, expected) in [
        ("/ \"#tickets | type:url\" Enter", &["payments-api", "ticket-search"][..]),
        // Excludes the rows above a match.
        ("2 / \"timeouts\" Enter", &["timeouts"]),
        ("2 / \"dormant\" Enter", &["old-runbook"]),
    ] {
        let mut state = fixture::state(120, 36);
        typed(&mut state, keys);
        assert_eq!(commands(&press(&mut state, "*")), [Request::PreviewBulk(ids(expected))], "{keys}");
    }
}

#[test]
fn many_picks_are_counted_and_few_are_named() {
    for (ids, expected) in [(&["a", "b", "c"][..], "Picked @a, @b, @c"), (&["a", "b", "c", "d"], "Picked 4 sources")] {
        let mut state = fixture::state(120, 36);
        answer(&mut state, picked(ids, &[], &["x"], 900));
        assert!(message(&state).starts_with(expected), "{}", message(&state));
    }
}

#[test]
fn windows_of_all_shown() {
    for (width, height) in [(40, 12), (80, 24), (120, 36)] {
        insta::assert_snapshot!(format!("all_shown_{width}x{height}"), screen(&asked(width, height, preview())));
    }
}
