//! What a pick costs, shown before it is made: the question before a large one, and the budget.

mod auto_sources;
mod large_picks;
mod trust;

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
use refdesk_core::selection::{SelectedSource, StepName};
use refdesk_desk::engine::{Event, PickReach, Request, Response, Snapshot};
use refdesk_desk::{LargePick, PickStatus, Picked, Price, SelectionChange};

use refdesk_text::{Code, Error};

use crate::tui::tests::mouse::click_on;
use crate::tui::tests::{answer, commands, event, message, press, screen, typed};

/// The engine's answer with the cost of the instructions, which contain the inline text of 18 tokens in full.
fn give_instructions(state: &mut State) {
    let snapshot = Snapshot { instructions: 812, ..state.snapshot.clone() };
    update(state, Input::Snapshot(Box::new(snapshot)));
}

/// The engine's answer to a pick with this cost.
pub fn picked(ids: &[&str], kept: &[&str], pulled_in: &[&str], tokens: i64) -> Response {
    let [picked, kept, pulled_in] = [ids, kept, pulled_in].map(|ids| ids.iter().map(|id| (*id).into()).collect());
    let (unknown, missing) = (Vec::new(), Vec::new());
    let picked = Picked {
        status: PickStatus::Success,
        picked,
        kept,
        pulled_in,
        excluded: Vec::new(),
        trusted: Vec::new(),
        cost: of_sources(tokens),
        unknown,
        missing,
        done: String::new(),
        left_out: Vec::new(),
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
    let said = "1 more source pulled in, ~3,660 tokens more; excluded @timeouts, @legacy-errors: u undoes it";
    assert_eq!(message(&state), format!("Picked @circuit-breaker; {said}"));
    let Response::Picked(Ok(mut answered)) = picked(&["circuit-breaker"], &[], &["retry-pattern"], 3_660) else {
        panic!()
    };
    answered.0.excluded = ["timeouts", "legacy-errors", "a", "b"].map(Into::into).to_vec();
    answer(&mut state, Response::Picked(Ok(answered)));
    assert!(message(&state).contains("more; excluded 4 sources: u"), "{}", message(&state));
    let Response::Picked(Ok(mut answered)) = picked(&["timeouts"], &[], &[], 640) else { panic!() };
    answered.0.trusted = vec!["payments-api".into()];
    answer(&mut state, Response::Picked(Ok(answered)));
    assert_eq!(message(&state), "Picked @timeouts, ~640 tokens; agents may now fetch @payments-api: u undoes it");
}

#[test]
fn a_pick_names_pulled_in_sources_without_a_price() {
    let mut state = fixture::state(120, 36);
    let mut sources = fixture::sources();
    let outside = fixture::local("/elsewhere/a.md", refdesk_core::catalog::PathState::Untrusted);
    sources.push(fixture::source("outside", "Outside", refdesk_core::catalog::Mode::Selectable, &[], outside));
    let catalog = std::sync::Arc::new(refdesk_core::catalog::Catalog::new(sources));
    update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
    answer(&mut state, picked(&["circuit-breaker"], &[], &["retry-pattern", "outside"], 3_660));
    let said = "2 more sources pulled in, ~3,660 tokens more, 1 untrusted source: u undoes it";
    assert_eq!(message(&state), format!("Picked @circuit-breaker; {said}"));
}

#[test]
fn the_result_of_a_pick_stays_in_the_bottom_line() {
    let mut state = fixture::state(120, 36);
    answer(&mut state, picked(&["circuit-breaker"], &[], &["retry-pattern", "timeouts"], 4_300));
    let said = "Picked @circuit-breaker; 2 more sources pulled in, ~4,300 tokens more: u undoes it";
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
    assert!(shown.contains("Space would unpick it: ~1,000 tokens fewer. It also lifts 2"), "{shown}");
}

#[test]
fn unpicking_says_what_stays_because_others_mention_it() {
    let member = |id: &str, depth, parents: &[&str]| fixture::member(id, depth, parents);
    let before = [member("circuit-breaker", 0, &[]), member("retry-pattern", 0, &[]), member("timeouts", 0, &[])];
    let after = vec![
        member("circuit-breaker", 0, &[]),
        member("retry-pattern", 1, &["circuit-breaker"]),
        member("timeouts", 1, &["circuit-breaker", "retry-pattern"]),
    ];
    for (ids, extra, said) in [
        (
            &["retry-pattern"][..],
            None,
            "Unpicked @retry-pattern; it is still pulled in by @circuit-breaker: u undoes it",
        ),
        (&["retry-pattern", "timeouts"], None, "Unpicked 2 sources; 2 of them still selected: u undoes it"),
        (
            &["retry-pattern"],
            Some(member("error-handling", 1, &["retry-pattern"])),
            "Unpicked @retry-pattern; 1 more source released, ~18 tokens saved; it is still pulled in by \
             @circuit-breaker: u undoes it",
        ),
    ] {
        let mut state = fixture::state(120, 36);
        let snapshot = |members: &[SelectedSource], generation| {
            let selection = fixture::selection(members.to_vec(), &[], &[]).into();
            Snapshot { selection, undo: Some("it".into()), generation, ..fixture::snapshot() }
        };
        let before: Vec<SelectedSource> = before.iter().cloned().chain(extra).collect();
        update(&mut state, Input::Snapshot(Box::new(snapshot(&before, 2))));
        let ids = ids.iter().map(|id| (*id).into()).collect();
        crate::tui::consequence::expect(&mut state, &Request::Unpick(ids));
        update(&mut state, Input::Snapshot(Box::new(snapshot(&after, 3))));
        assert_eq!(message(&state), said);
    }
}

#[test]
fn clearing_releases_what_it_announced() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "C");
    for said in ["Clear 2 picks? This releases 4 sources they pulled in,", "saves ~4,318 tokens, besides"] {
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
fn undo_reports_the_same_counts_as_the_action() {
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
fn undo_counts_a_pick_that_stayed_pulled_in() {
    let member = |id: &str, depth, parents: &[&str]| fixture::member(id, depth, parents);
    let picked = vec![member("circuit-breaker", 0, &[]), member("retry-pattern", 0, &[])];
    let pulled_in = vec![member("circuit-breaker", 0, &[]), member("retry-pattern", 1, &["circuit-breaker"])];
    for (from, to, said) in [
        (&pulled_in, &picked, "Undone: switch to review; 1 picked: C-r redoes it"),
        (&picked, &pulled_in, "Undone: switch to review; 1 unpicked: C-r redoes it"),
    ] {
        let mut state = fixture::state(120, 36);
        let snapshot = |members: &[SelectedSource], generation| Snapshot {
            selection: fixture::selection(members.to_vec(), &[], &[]).into(),
            undo: Some("switch to review".into()),
            redo: Some("switch to review".into()),
            generation,
            ..fixture::snapshot()
        };
        update(&mut state, Input::Snapshot(Box::new(snapshot(from, 2))));
        press(&mut state, "u");
        update(&mut state, Input::Snapshot(Box::new(snapshot(to, 3))));
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
        let shown = screen(&state);
        // Esc closes the window first.
        assert!(shown.contains("The disk is full."), "{keys}: {shown}");
        assert_eq!(shown.contains("The disk is full. Esc dismisses it."), state.window.is_none(), "{keys}: {shown}");
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
fn a_more_complete_message_replaces_the_previous_one_and_has_a_time() {
    let mut state = fixture::state(120, 36);
    state.messages.clock = Some(|| "12:03:41".to_owned());
    for (text, tone) in [
        ("answered refdesk ask: 2 sources", MessageKind::Note),
        ("Answered refdesk ask: picked 2; ~864 tokens more: u undoes it", MessageKind::Done),
    ] {
        state.message = Some(Message { text: text.to_owned(), tone });
        crate::tui::messages::follow(&mut state);
    }
    press(&mut state, "F8");
    let shown = screen(&state);
    assert!(shown.contains("12:03:41 done     Answered refdesk ask: picked 2"), "{shown}");
    assert!(!shown.contains("2 sources"), "{shown}");
}

#[test]
fn the_last_messages_are_kept_once_each() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "Z C-r C-r C-r j j C-r Z");
    let texts: Vec<&str> = state.messages.last.iter().map(|kept| kept.message.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "a key that does nothing is not a message: {texts:?}");
    press(&mut state, "j");
    for n in 0..200 {
        event(&mut state, Event::Notice(fixture::notice(&format!("notice {n}"))));
    }
    assert_eq!(state.messages.last.len(), crate::tui::messages::MAX_MESSAGES);
    assert_eq!(state.messages.last[0].message.text, "notice 199");
    for (width, height) in [(40, 10), (80, 24), (120, 36)] {
        let mut state = fixture::state(width, height);
        fail_and_pick(&mut state);
        insta::assert_snapshot!(format!("unread_error_{width}x{height}"), screen(&state));
        press(&mut state, "F8 j");
        insta::assert_snapshot!(format!("messages_{width}x{height}"), screen(&state));
    }
}

#[test]
fn without_messages_their_window_says_what_fills_it() {
    for (width, height) in [(40, 10), (45, 11), (80, 24)] {
        let mut state = fixture::state(width, height);
        press(&mut state, "F8");
        let shown = screen(&state);
        let words: Vec<&str> = shown.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).collect();
        let words = words.join(" ");
        assert!(words.contains("No messages yet: what you do and what follows is listed here."), "{shown}");
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
fn the_cost_of_a_change_matches_the_lists() {
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
fn a_workspace_that_is_gone_is_an_error_until_it_is_read_or_back() {
    let mut state = fixture::state(120, 36);
    let gone = refdesk_desk::engine::Notice {
        topic: refdesk_desk::engine::Topic::Problem,
        ..fixture::notice("error: the folder of the workspace is gone: /home/ada/payments")
    };
    event(&mut state, Event::Notice(gone.clone()));
    press(&mut state, "j 2 j");
    let said = "Error: the folder of the workspace is gone: /home/ada/payments. d shows it. Esc dismisses it.";
    assert!(screen(&state).contains(said), "{}", screen(&state));
    let back = Snapshot { generation: 2, diagnostics: Arc::default(), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(back)));
    assert!(!screen(&state).contains("dismisses"), "{}", screen(&state));
}

#[test]
fn a_sentence_of_the_details_is_not_torn_by_the_next_one() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "2");
    let preview = fixture::preview_selection("circuit-breaker", &[], &["circuit-breaker", "timeouts"]);
    answer(&mut state, Response::SelectionPreview(preview));
    let lines = crate::tui::selection::detail(&state, ratatui::layout::Size::new(24, 50), 50);
    let text = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let said = "Picked. It pulls in 4 more sources. Space would unpick it and release @timeouts: ~2,000 tokens fewer.";
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
