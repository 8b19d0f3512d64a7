//! What a pick costs, before it is made: the question before a large one, and the budget.

use std::sync::Arc;

use crate::common::change_cost::of_sources;
use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::pane::Pane;
use crate::tui::selection::preview::{self, NameDetail};
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::update::update;
use crate::tui::widgets::cells;
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::Catalog;
use refdesk_core::selection::SelectedSource;
use refdesk_core::selection::StepName;
use refdesk_desk::engine::{Event, PickReach, Request, Response, Snapshot};
use refdesk_desk::{LargePick, PickStatus, Picked, Price, SelectionChange};

use refdesk_text::{Code, Error};

use crate::tui::tests::mouse::click_on;
use crate::tui::tests::{answer, commands, event, message, press, screen, typed};

fn large() -> LargePick {
    let change = |others: usize, tokens| SelectionChange {
        enters: std::iter::once("java-service".to_owned())
            .chain((0..others).map(|nth| format!("adr-{nth:03}")))
            .map(Into::into)
            .collect(),
        cost: of_sources(tokens),
        ..SelectionChange::default()
    };
    let (whole, near, alone) = (change(126, 76_475), change(4, 9_310), change(0, 2_769));
    LargePick { id: "java-service".into(), whole, near, alone, excludes: [12, 4] }
}

fn asked(width: u16, height: u16) -> State {
    let mut state = fixture::state(width, height);
    press(&mut state, "j j j j j");
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick_if_few("java-service")]);
    answer(&mut state, Response::LargePick(Box::new(large())));
    state
}

#[test]
fn a_large_pick_is_made_in_the_size_that_is_chosen() {
    for (key, reach) in [
        ("y", Some(PickReach::All)),
        ("Enter", Some(PickReach::All)),
        ("d", Some(PickReach::Near)),
        ("o", Some(PickReach::Alone)),
        ("Esc", None),
        ("n", None),
    ] {
        let mut state = asked(80, 24);
        assert_eq!(state.open_window(), Some(WindowKind::LargePick));
        let sent = commands(&press(&mut state, key));
        let expected = reach.map(|reach| Request::PickOne { id: "java-service".into(), reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{key}");
    }
}

#[test]
fn a_size_that_may_have_changed_is_counted_again_before_it_is_chosen() {
    let mut state = asked(120, 36);
    let change = |state: &mut State| {
        let catalog = fixture::snapshot().catalog.sources().iter().cloned().collect();
        let snapshot = Snapshot { catalog: Arc::new(Catalog::new(catalog)), ..fixture::snapshot() };
        let effects = update(state, Input::Snapshot(Box::new(snapshot)));
        let asked = commands(&effects);
        assert!(asked.contains(&Request::PickSizes("java-service".into())), "{asked:?}");
    };
    change(&mut state);
    assert_eq!(commands(&press(&mut state, "y")), []);
    assert!(screen(&state).contains("being counted again"), "{}", screen(&state));
    let near = LargePick { whole: large().near, ..large() };
    answer(&mut state, Response::PickSizes(Some(Box::new(near))));
    assert!(screen(&state).contains("all: +4, ~9,310 tokens"), "{}", screen(&state));
    change(&mut state);
    answer(&mut state, Response::PickSizes(None));
    assert_eq!(state.window, None);
    assert!(screen(&state).contains("@java-service is gone: nothing was picked"), "{}", screen(&state));
}

#[test]
fn a_click_on_the_line_of_a_size_chooses_it() {
    for (line, reach) in [
        ("y  all:", Some(PickReach::All)),
        ("direct mentions:", Some(PickReach::Near)),
        ("only this one:", Some(PickReach::Alone)),
        ("Esc  nothing", None),
    ] {
        let mut state = asked(80, 24);
        let sent = commands(&click_on(&mut state, line));
        let expected = reach.map(|reach| Request::PickOne { id: "java-service".into(), reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{line}");
    }
}

#[test]
fn a_source_that_is_large_by_itself_is_picked_or_not() {
    let alone = LargePick { whole: large().alone, near: large().alone, ..large() };
    for (key, reach) in [("y", Some(PickReach::All)), ("Esc", None)] {
        let mut state = fixture::state(80, 24);
        press(&mut state, "j j j j j Space");
        answer(&mut state, Response::LargePick(Box::new(alone.clone())));
        let shown = screen(&state);
        assert!(shown.contains("y  pick it: ~2,769 tokens") && !shown.contains("only this one"), "{shown}");
        let sent = commands(&press(&mut state, key));
        let expected = reach.map(|reach| Request::PickOne { id: "java-service".into(), reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{key}");
    }
}

#[test]
fn a_limit_is_typed_and_kept() {
    let mut state = fixture::state(120, 36);
    give_instructions(&mut state);
    assert!(screen(&state).contains("of 128k"), "{}", screen(&state));
    press(&mut state, "b");
    answer(&mut state, Response::Price(Price { instructions: 812, prompt: 96 }));
    typed(&mut state, "C-u \"4k\" Enter");
    assert_eq!((message(&state), state.window), ("the limit is 4k tokens", None));
    assert_eq!(state.session().token_limit, Some(4_000), "for this workspace");
    for (width, height) in [(80, 24), (120, 36)] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(width, height)));
        let top = screen(&state).lines().next().unwrap().to_owned();
        assert!(top.contains("~5,422 tokens") && top.contains("over the limit: 136% of 4k"), "{top}");
    }
    press(&mut state, "b");
    assert!(screen(&state).contains("~5,422  over the limit, 136% of 4k"), "{}", screen(&state));
    typed(&mut state, "\"much\"");
    let shown = screen(&state);
    assert!(shown.contains("Type a number of tokens, such as 128k") && !shown.contains("set limit"), "{shown}");
    assert_eq!(shown.matches("Esc close").count(), 1, "in the window, and not in the bottom line too: {shown}");
    typed(&mut state, "Enter");
    assert_eq!(message(&state), "", "the window says it already");
    assert_eq!(state.open_window(), Some(WindowKind::Budget));
    press(&mut state, "Esc");
    assert_eq!(state.session().token_limit, Some(4_000));
}

/// The engine's answer with the price of the instructions, which have the inline text of 18 tokens in full.
fn give_instructions(state: &mut State) {
    let snapshot = Snapshot { instructions: 812, ..state.snapshot.clone() };
    update(state, Input::Snapshot(Box::new(snapshot)));
}

#[test]
fn windows_before_a_pick() {
    for (width, height) in [(40, 10), (80, 24), (120, 36)] {
        insta::assert_snapshot!(format!("large_pick_{width}x{height}"), screen(&asked(width, height)));
        let mut state = fixture::state(width, height);
        give_instructions(&mut state);
        typed(&mut state, "3 Enter \"add circuit breakers\" Esc b");
        answer(&mut state, Response::Price(Price { instructions: 812, prompt: 96 }));
        insta::assert_snapshot!(format!("budget_{width}x{height}"), screen(&state));
    }
}

/// The engine's answer to a pick that costs these tokens.
pub fn picked(ids: &[&str], kept: &[&str], pulled_in: &[&str], tokens: i64) -> Response {
    let [picked, kept, pulled_in] = [ids, kept, pulled_in].map(|ids| ids.iter().map(|id| (*id).into()).collect());
    let (status, message) = (PickStatus::Success, String::new());
    let (unknown, missing) = (Vec::new(), Vec::new());
    let picked = Picked {
        status,
        picked,
        kept,
        pulled_in,
        excluded: Vec::new(),
        cost: of_sources(tokens),
        unknown,
        missing,
        message,
    };
    Response::Picked(Ok(Box::new((picked, serde_json::Value::Null))))
}

#[test]
fn a_pick_costs_what_it_adds() {
    for (ids, kept, tokens, said) in [
        (&["timeouts"], &[][..], 640, "Picked @timeouts, ~640 tokens: u undoes it"),
        (&["timeouts"], &[], 1, "Picked @timeouts, ~1 token: u undoes it"),
        (&["timeouts"], &[], -30, "Picked @timeouts, ~30 tokens fewer: u undoes it"),
        (&["timeouts"], &["timeouts"], 0, "Picked @timeouts, already selected, no extra tokens: u undoes it"),
        (&["team-conventions"], &[], 0, "Picked @team-conventions, already in the instructions: u undoes it"),
    ] {
        let mut state = fixture::state(120, 36);
        answer(&mut state, picked(ids, kept, &[], tokens));
        assert_eq!(message(&state), said);
    }
}

#[test]
fn an_undo_that_would_be_refused_is_no_longer_offered() {
    for (undo, is_offered) in [(None, false), (Some("Pick of @timeouts"), true)] {
        let mut state = fixture::state(120, 36);
        answer(&mut state, picked(&["timeouts"], &[], &[], 640));
        let undo = undo.map(Into::into);
        let selection = fixture::selection(vec![fixture::member("payments-api", 0, &[])], &[], &[]).into();
        update(&mut state, Input::Snapshot(Box::new(Snapshot { undo, selection, ..fixture::snapshot() })));
        assert_eq!(screen(&state).contains("u undoes it"), is_offered, "{}", screen(&state));
    }
}

#[test]
fn a_smaller_pick_names_what_it_excludes() {
    let mut state = fixture::state(120, 36);
    let Response::Picked(Ok(mut answered)) = picked(&["circuit-breaker"], &[], &["retry-pattern"], 3_660) else {
        panic!()
    };
    answered.0.excluded = ["timeouts", "legacy-errors"].map(Into::into).to_vec();
    answer(&mut state, Response::Picked(Ok(answered)));
    let said = "1 more source pulled in, ~3,660 tokens in all; excluded @timeouts, @legacy-errors: u undoes it";
    assert_eq!(message(&state), format!("Picked @circuit-breaker; {said}"));
    let Response::Picked(Ok(mut answered)) = picked(&["circuit-breaker"], &[], &["retry-pattern"], 3_660) else {
        panic!()
    };
    answered.0.excluded = ["timeouts", "legacy-errors", "a", "b"].map(Into::into).to_vec();
    answer(&mut state, Response::Picked(Ok(answered)));
    assert!(message(&state).contains("in all; excluded 4 sources: u"), "{}", message(&state));
}

#[test]
fn a_pick_says_which_of_what_it_brought_has_no_price_yet() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
    answer(&mut state, picked(&["circuit-breaker"], &[], &["retry-pattern", "outside"], 3_660));
    let said = "2 more sources pulled in, ~3,660 tokens in all, 1 untrusted source: u undoes it";
    assert_eq!(message(&state), format!("Picked @circuit-breaker; {said}"));
}

/// The details pane before and after, the message of the pick, and that of undo.
#[test]
fn all_say_what_waits_for_trust() {
    use refdesk_core::catalog::{Catalog, Mode, PathState};
    let outside = fixture::local("/elsewhere/a.md", PathState::Untrusted);
    let mut sources = fixture::sources();
    sources.insert(0, fixture::source("outside", "Outside", Mode::Selectable, &[], outside));
    let catalog = std::sync::Arc::new(Catalog::new(sources));
    let (with, own) = (", 1 untrusted source", "; its text waits for trust");
    for (id, others, said) in [("circuit-breaker", &["retry-pattern", "outside"][..], with), ("outside", &[], own)] {
        let snapshot = |members: Vec<SelectedSource>, generation| {
            let selection = std::sync::Arc::new(fixture::selection(members, &[], &[]));
            let undo = Some(StepName::of_source("pick", id));
            Snapshot { catalog: catalog.clone(), selection, generation, undo, ..fixture::snapshot() }
        };
        let picked_members = || {
            let others = others.iter().map(|other| fixture::member(other, 1, &[id]));
            std::iter::once(fixture::member(id, 0, &[])).chain(others).collect::<Vec<_>>()
        };
        let mut state = fixture::state(120, 36);
        update(&mut state, Input::Snapshot(Box::new(snapshot(Vec::new(), 2))));
        press(&mut state, "g");
        let rows = catalog.sources().len();
        (0..rows).for_each(|_| {
            if state.subject(Pane::Catalog) != Some(id) {
                press(&mut state, "j");
            }
        });
        assert_eq!(state.subject(Pane::Catalog), Some(id));
        let all: Vec<&str> = std::iter::once(id).chain(others.iter().copied()).collect();
        let sentence = |state: &State| preview::sentence(state, id, NameDetail::Some).unwrap();
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection(id, &all, &[])));
        assert!(sentence(&state).contains(said), "before: {}", sentence(&state));
        answer(&mut state, picked(&[id], &[], others, 3_660));
        assert!(message(&state).contains(said), "picked: {}", message(&state));
        update(&mut state, Input::Snapshot(Box::new(snapshot(picked_members(), 3))));
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection(id, &[], &all)));
        assert!(sentence(&state).contains(said), "after: {}", sentence(&state));
        press(&mut state, "u");
        update(&mut state, Input::Snapshot(Box::new(snapshot(Vec::new(), 4))));
        assert!(message(&state).contains(said), "undone: {}", message(&state));
    }
}

#[test]
fn an_auto_source_says_once_what_a_pick_of_it_does() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "2 G k k");
    assert_eq!(state.selected(), Some("team-conventions"));
    assert!(screen(&state).contains("which also pulls in what it mentions"), "{}", screen(&state));
    let preview = fixture::preview_selection("team-conventions", &["team-conventions"], &[]);
    answer(&mut state, Response::SelectionPreview(preview));
    let shown = screen(&state);
    assert!(!shown.contains("which also pulls in"), "{shown}");
    assert!(shown.contains("Picking it would add nothing."), "{shown}");
}

/// A pick of the user's, and the conventions of mode auto that it pulls in.
fn with_auto_pulled_in() -> State {
    let mut state = fixture::state(120, 36);
    let members =
        vec![fixture::member("circuit-breaker", 0, &[]), fixture::member("team-conventions", 1, &["circuit-breaker"])];
    let selection = fixture::selection(members, &[], &[]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { selection, ..fixture::snapshot() })));
    press(&mut state, "2 j");
    assert_eq!(state.selected(), Some("team-conventions"));
    state
}

#[test]
fn an_auto_source_that_is_pulled_in_stays_auto_and_in_the_instructions() {
    let mut state = with_auto_pulled_in();
    let row = |state: &State| screen(state).lines().find(|line| line.contains("team-conventions")).unwrap().to_owned();
    assert!(row(&state).contains("◆ team-conventions"), "{}", screen(&state));
    assert_eq!((state.counts.picked, state.counts.pulled_in, state.counts.auto), (1, 0, 1));
    assert!(
        screen(&state).contains("Mode auto: always in the instructions. Mentioned by 1 source"),
        "{}",
        screen(&state)
    );
    press(&mut state, "1");
    assert!(screen(&state).contains("always in the instructions, mentioned by"), "{}", screen(&state));
    press(&mut state, "2");
    for (leaves, said) in [
        (&["team-conventions"][..], "x would keep others from pulling it in; it stays in the"),
        (&["team-conventions", "timeouts"], "x would release @timeouts: ~2,000 tokens; it stays in the"),
    ] {
        answer(&mut state, Response::SelectionPreview(fixture::preview_selection("team-conventions", &[], leaves)));
        let shown = screen(&state);
        assert!(shown.contains(said) && !shown.contains("unknown"), "{shown}");
    }
    press(&mut state, "x");
    let selection = fixture::selection(vec![fixture::member("circuit-breaker", 0, &[])], &[], &["team-conventions"]);
    let after = Snapshot { selection: selection.into(), undo: Some("x".into()), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(after)));
    assert_eq!(message(&state), "Excluded @team-conventions, which stays in the instructions: u undoes it");
}

#[test]
fn what_waits_for_trust_is_named_before_a_pick_and_has_no_price() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let members = vec![fixture::member("circuit-breaker", 0, &[]), fixture::member("outside", 1, &["circuit-breaker"])];
    let selection = fixture::selection(members, &[], &[]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, selection, ..fixture::snapshot() })));
    press(&mut state, "2 Z");
    let row = screen(&state).lines().find(|line| line.contains("outside")).unwrap().to_owned();
    assert!(row.contains("untrusted"), "{}", screen(&state));
    press(&mut state, "R Tab");
    let analysis = fixture::analysis(&state);
    answer(&mut state, analysis);
    let row = screen(&state).lines().find(|line| line.contains("outside")).unwrap().to_owned();
    assert!(row.contains("untrusted"), "{}", screen(&state));
    press(&mut state, "Esc Esc");
    let mut large = large();
    large.whole.enters.push("outside".into());
    answer(&mut state, Response::LargePick(Box::new(large.clone())));
    assert!(screen(&state).contains("in all, 1 untrusted source"), "{}", screen(&state));
    // At any width, words go before the number of sources that wait for trust.
    large.whole.cost = refdesk_desk::CostChange { sources: 76_475, total: 80_102 };
    answer(&mut state, Response::LargePick(Box::new(large)));
    for (columns, said) in [
        (120, "all: +127, ~76,475 tokens in all (~80,102 with instructions), 1 untrusted source"),
        (80, "all: +127, ~76,475 tokens in all, 1 untrusted source"),
        (50, "all: +127, ~76,475, 1 untrusted"),
        (40, "all: +127, ~76,475, 1 untrusted"),
    ] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(columns, 24)));
        assert!(screen(&state).contains(said), "{columns}: {}", screen(&state));
    }
}

#[test]
fn what_a_pick_brought_stays_in_the_bottom_line() {
    let mut state = fixture::state(120, 36);
    answer(&mut state, picked(&["circuit-breaker"], &[], &["retry-pattern", "timeouts"], 4_300));
    let said = "Picked @circuit-breaker; 2 more sources pulled in, ~4,300 tokens in all: u undoes it";
    assert_eq!(message(&state), said);
    event(&mut state, Event::Notice(fixture::notice("References transitively included: @retry-pattern")));
    assert_eq!(message(&state), said);
    press(&mut state, "j");
    assert_eq!(message(&state), "");
}

#[test]
fn unpicking_says_which_exclusions_go_with_the_pick() {
    let mut state = fixture::state(80, 24);
    press(&mut state, "j");
    let preview = fixture::preview_selection("circuit-breaker", &[], &["circuit-breaker"]);
    let preview = refdesk_desk::SelectionPreview { lifted: 2, ..preview };
    answer(&mut state, Response::SelectionPreview(preview));
    let shown = screen(&state);
    assert!(shown.contains("Space would unpick it: ~1,000 tokens. It also lifts 2 exclusions,"), "{shown}");
}

#[test]
fn clearing_releases_what_it_said() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "C");
    for said in ["Clear 2 picks? This releases 4 sources they pulled in,", "saves ~4,318 tokens."] {
        assert!(screen(&state).contains(said), "{said}: {}", screen(&state));
    }
    press(&mut state, "y");
    let selection = std::sync::Arc::new(fixture::selection(Vec::new(), &[], &["release-notes"]));
    let snapshot = Snapshot { selection, generation: 2, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert!(
        message(&state).starts_with("Cleared 2 picks; 4 more sources released, ~4,318 tokens saved"),
        "{}",
        message(&state)
    );
}

#[test]
fn the_bottom_line_offers_only_a_pick_that_is_possible() {
    for (keys, offered) in [("j", true), ("j j", false), ("2 j", false)] {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        let bottom = screen(&state).lines().last().unwrap().to_owned();
        assert_eq!(bottom.contains("Space"), offered, "{keys}: {bottom}");
    }
}

#[test]
fn reading_has_the_list_beside_the_document_where_there_is_room() {
    for (width, height, has_list) in [(80, 24, false), (120, 36, true), (200, 60, true)] {
        let mut state = fixture::state(width, height);
        press(&mut state, "F3");
        assert!(state.reads());
        assert_eq!(screen(&state).contains(" 1 Catalog ─"), has_list, "{}", screen(&state));
    }
}

#[test]
fn the_way_back_is_never_cut_off() {
    for (width, height) in [(40, 10), (80, 24)] {
        let mut state = fixture::state(width, height);
        for source in ["module", &"module-of-a-long-name".repeat(9)] {
            let text = format!("Excluded @{source}; 3 more sources released, ~11,540 tokens saved: u undoes it");
            state.message = Some(Message { text, tone: MessageKind::Done });
            let shown = screen(&state);
            let end: Vec<&str> = shown.lines().rev().take(2).collect();
            assert!(format!("{} {}", end[1].trim(), end[0].trim()).ends_with(": u undoes it"), "{shown}");
        }
    }
}

#[test]
fn what_is_undone_counts_as_it_did_when_it_was_done() {
    for (done, said) in [
        (
            "pick of @circuit-breaker",
            "Undone: pick of @circuit-breaker; 4 more sources released, 1 exclusion lifted, ~4,318 tokens saved: C-r redoes \
             it",
        ),
        (
            "exclusion of @release-notes",
            "Undone: exclusion of @release-notes; 1 unpicked, 4 sources released, ~4,318 tokens saved: C-r redoes it",
        ),
        (
            "switch to review",
            "Undone: switch to review; 1 unpicked, 4 sources released, 1 exclusion lifted, ~4,318 tokens saved: C-r \
             redoes it",
        ),
    ] {
        let mut state = fixture::state(120, 36);
        let step = done.split_once(" of @").map_or_else(|| done.into(), |(what, id)| StepName::of_source(what, id));
        let before = Snapshot { undo: Some(step), generation: 2, ..fixture::snapshot() };
        update(&mut state, Input::Snapshot(Box::new(before.clone())));
        press(&mut state, "u");
        let selection = std::sync::Arc::new(fixture::selection(Vec::new(), &[], &[]));
        let after = Snapshot { selection, undo: None, redo: before.undo.clone(), generation: 3, ..before };
        update(&mut state, Input::Snapshot(Box::new(after)));
        assert_eq!(message(&state), said);
    }
}

#[test]
fn a_change_says_what_followed_and_how_to_undo_it() {
    let members = |ids: &[&str]| {
        let all = fixture::snapshot().selection.members().to_vec();
        let kept = all.into_iter().filter(|member| ids.contains(&member.id.as_str())).collect();
        std::sync::Arc::new(fixture::selection(kept, &[], &["release-notes"]))
    };
    let all = ["circuit-breaker", "retry-pattern", "timeouts", "error-handling", "legacy-errors"];
    for (keys, kept, said) in [
        ("j Space", vec![], "Unpicked @circuit-breaker; 4 more sources released, ~4,318 tokens saved: u undoes it"),
        (
            "j j x",
            vec!["circuit-breaker"],
            "Excluded @retry-pattern; 3 more sources released, ~2,868 tokens saved: u undoes it",
        ),
        (
            "j j j x",
            all.into_iter().filter(|id| *id != "timeouts").collect(),
            "Excluded @timeouts; ~640 tokens saved: u undoes it",
        ),
        ("C y", vec![], "Cleared 2 picks; 4 more sources released, ~4,318 tokens saved: u undoes it"),
    ] {
        let mut state = fixture::state(120, 36);
        press(&mut state, keys);
        assert_eq!(message(&state), "", "{keys}");
        let snapshot =
            Snapshot { selection: members(&kept), undo: Some("it".into()), generation: 2, ..fixture::snapshot() };
        update(&mut state, Input::Snapshot(Box::new(snapshot.clone())));
        assert_eq!(message(&state), said, "{keys}");
        event(&mut state, Event::Notice(fixture::notice("Unpicked it")));
        assert_eq!(message(&state), said, "{keys}: a notice of the same does not replace it");
        press(&mut state, "u");
        let back = Snapshot { generation: 3, undo: None, redo: Some("it".into()), ..fixture::snapshot() };
        update(&mut state, Input::Snapshot(Box::new(back)));
        assert!(
            message(&state).starts_with("Undone: it; ") && message(&state).ends_with(": C-r redoes it"),
            "{}",
            message(&state)
        );
    }
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Space");
    answer(&mut state, Response::Done(vec![Error::new(Code::NotWritten, "the disk is full", "")]));
    update(
        &mut state,
        Input::Snapshot(Box::new(Snapshot { selection: members(&[]), generation: 2, ..fixture::snapshot() })),
    );
    assert_eq!(message(&state), "the disk is full", "what another process did meanwhile is not this change");
}

#[test]
fn an_error_stays_until_it_is_read() {
    let fail = |state: &mut State, why: &str| {
        answer(state, Response::Done(vec![Error::new(Code::NotWritten, why, "")]));
    };
    let mut state = fixture::state(120, 36);
    fail(&mut state, "the disk is full");
    for keys in ["", "j", "2", "/ \"x\" Esc", "Tab", "?", "Esc"] {
        press(&mut state, keys);
        assert!(screen(&state).contains("The disk is full. Esc dismisses it."), "{keys}");
    }
    let shown = screen(&state);
    assert!(shown.lines().last().unwrap().contains("? help"), "keys stay visible: {shown}");
    fail(&mut state, "the key is gone");
    assert!(screen(&state).contains("The key is gone. Esc dismisses it, F8 shows all 2."));
    press(&mut state, "Esc");
    assert!(!screen(&state).contains("dismisses"));
    fail(&mut state, "the key is gone");
    assert!(screen(&state).contains("The key is gone. Esc dismisses it."), "the same error is new again");
    press(&mut state, "F8");
    let shown = screen(&state);
    assert!(shown.contains("Messages") && shown.matches("he key is gone").count() == 3, "{shown}");
    press(&mut state, "Esc");
    assert!(!screen(&state).contains("dismisses"), "the window has shown it");
}

#[test]
fn the_last_messages_are_kept_once_each() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "Z C-r C-r C-r j j C-r Z");
    let texts: Vec<&str> = state.messages.last.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "a key that does nothing is not a message: {texts:?}");
    press(&mut state, "j");
    for n in 0..200 {
        event(&mut state, Event::Notice(fixture::notice(&format!("notice {n}"))));
    }
    assert_eq!(state.messages.last.len(), crate::tui::messages::KEPT);
    assert_eq!(state.messages.last[0].text, "notice 199");
    for (width, height) in [(40, 10), (80, 24), (120, 36)] {
        let mut state = fixture::state(width, height);
        fail_and_pick(&mut state);
        insta::assert_snapshot!(format!("unread_error_{width}x{height}"), screen(&state));
        press(&mut state, "F8 j");
        insta::assert_snapshot!(format!("messages_{width}x{height}"), screen(&state));
    }
}

fn fail_and_pick(state: &mut State) {
    press(state, "j Space");
    let left = Snapshot {
        selection: fixture::selection(Vec::new(), &[], &["release-notes"]).into(),
        undo: Some("unpick".into()),
        generation: 2,
        ..fixture::snapshot()
    };
    update(state, Input::Snapshot(Box::new(left)));
    press(state, "C-r");
    let why = "references.json cannot be written: no space left on device";
    answer(state, Response::Done(vec![Error::new(Code::NotWritten, why, "free some space")]));
    press(state, "j");
}

#[test]
fn an_auto_source_that_is_pulled_in_counts_as_auto_and_costs_nothing_more() {
    let mut state = fixture::state(120, 36);
    let before = (state.counts.pulled_in, state.counts.auto, state.counts.tokens);
    assert!(state.snapshot.selection.member("team-conventions").is_none());
    let mut members = state.snapshot.selection.members().to_vec();
    members.push(fixture::member("team-conventions", 1, &["circuit-breaker"]));
    let selection = fixture::selection(members, &["old-runbook"], &["release-notes"]).into();
    update(&mut state, Input::Snapshot(Box::new(Snapshot { selection, ..fixture::snapshot() })));
    assert_eq!(
        (state.counts.pulled_in, state.counts.auto, state.counts.tokens),
        before,
        "an agent gets it before and after"
    );
    let picked = refdesk_desk::Picked {
        status: refdesk_desk::PickStatus::Success,
        picked: vec!["circuit-breaker".into()],
        kept: Vec::new(),
        pulled_in: vec!["timeouts".into(), "team-conventions".into()],
        excluded: Vec::new(),
        unknown: Vec::new(),
        missing: Vec::new(),
        message: String::new(),
        cost: of_sources(2_000),
    };
    let answered = (picked, serde_json::Value::Null);
    answer(&mut state, Response::Picked(Ok(Box::new(answered))));
    let said = message(&state);
    assert!(said.contains("1 more source pulled in, ~2,000 tokens in all"), "{said}");
}

#[test]
fn a_change_costs_what_the_lists_say_of_its_sources() {
    let mut state = fixture::state(120, 36);
    give_instructions(&mut state);
    press(&mut state, "j Space");
    let after = Snapshot {
        selection: fixture::selection(Vec::new(), &[], &["release-notes"]).into(),
        instructions: 512,
        undo: Some("it".into()),
        generation: 2,
        ..fixture::snapshot()
    };
    let of = |id: &refdesk_core::catalog::SourceId| state.snapshot.tokens.get(id.as_str()).copied();
    let listed: u64 = state.snapshot.selection.members().iter().filter_map(|member| of(&member.id)).sum();
    update(&mut state, Input::Snapshot(Box::new(after)));
    let said =
        format!("4 more sources released, {} saved (~4,600 with instructions): u undoes it", cells::in_tokens(listed));
    assert_eq!(message(&state), format!("Unpicked @circuit-breaker; {said}"));
}

#[test]
fn unpicking_says_how_many_exclusions_it_lifts() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Space");
    let after = Snapshot { selection: std::sync::Arc::default(), undo: Some("it".into()), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(Snapshot { generation: 2, ..after })));
    let said =
        "Unpicked @circuit-breaker; 4 more sources released, 1 exclusion lifted, ~4,318 tokens saved: u undoes it";
    assert_eq!(message(&state), said);
}

#[test]
fn a_file_that_breaks_is_an_error_until_it_is_read() {
    let mut state = fixture::state(120, 36);
    let broken = refdesk_desk::engine::Notice {
        topic: refdesk_desk::engine::Topic::Problem,
        reason: "what was read before stays in use".to_owned(),
        place: Some(refdesk_desk::FileLine { path: "/home/ada/payments/references.json".into(), line: 1 }),
        ..fixture::notice("error: references.json:1:13: not valid JSON")
    };
    event(&mut state, Event::Notice(broken));
    let said =
        "Error: references.json:1:13: not valid JSON; what was read before stays in use. d shows it. Esc dismisses it.";
    press(&mut state, "j 2 j");
    assert!(screen(&state).contains(said), "{}", screen(&state));
    press(&mut state, "Esc");
    assert!(!screen(&state).contains("dismisses"), "{}", screen(&state));
}

#[test]
fn a_request_says_what_waits_for_trust() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("java-service", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    sources.retain(|source| source.id.as_str() != "java-service" || source.is_untrusted());
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    let mut tokens = (*fixture::snapshot().tokens).clone();
    tokens.remove("java-service");
    let asked = Snapshot {
        catalog,
        tokens: tokens.into(),
        ..fixture::with_requests(&[fixture::asking("r", "claude over mcp", "which rules apply", &["java-service"])])
    };
    update(&mut state, Input::Snapshot(Box::new(asked)));
    press(&mut state, "A");
    assert!(
        screen(&state).lines().any(|line| line.contains("java-service") && line.contains("untrusted")),
        "{}",
        screen(&state)
    );
}

#[test]
fn a_sentence_of_the_details_is_not_torn_by_the_next_one() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "2");
    let preview = fixture::preview_selection("circuit-breaker", &[], &["circuit-breaker", "timeouts"]);
    answer(&mut state, Response::SelectionPreview(preview));
    let lines = crate::tui::selection::detail(&state, ratatui::layout::Size::new(24, 50), 50);
    let text = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let said = "Picked. It pulls in 4 more sources. Space would unpick it and release @timeouts: ~2,000 tokens in all.";
    assert!(text.ends_with(said), "{text}");
}

#[test]
fn the_top_line_keeps_the_cost_longest() {
    for (width, height, kept, dropped) in [
        (40, 10, &["~4,628 of 128k"][..], &["warning"][..]),
        (60, 20, &["~4,628 of 128k", "1 picked", "1 error"], &["missing"]),
        (80, 24, &["~4,628 of 128k", "1 picked", "4 pulled in", "1 error", "1 warning"], &["missing"]),
        (120, 36, &["~4,628 tokens", "1 picked", "4 pulled in", "of 128k"], &["sources"]),
    ] {
        let top = screen(&fixture::state(width, height)).lines().next().unwrap().to_owned();
        assert!(kept.iter().all(|it| top.contains(it)) && dropped.iter().all(|it| !top.contains(it)), "{top}");
    }
}

#[test]
fn a_window_leaves_what_the_feed_says_below_it() {
    let mut state = fixture::state(120, 36);
    super::busy_morning(&mut state);
    press(&mut state, "Esc f");
    let before = crate::tui::feed::view::whole(&state);
    press(&mut state, "d");
    assert_eq!(state.open_window(), Some(WindowKind::Problems));
    assert_eq!(crate::tui::feed::view::whole(&state), before);
}

#[test]
fn a_tour_without_room_says_so() {
    let mut state = fixture::state(40, 10);
    state.tour = Some(crate::tui::tour::Tour::new(&state));
    press(&mut state, "F9");
    assert!(message(&state).starts_with("The tour needs more rows"), "{}", message(&state));
    press(&mut state, "j");
    assert_eq!(message(&state), "", "once");
}
