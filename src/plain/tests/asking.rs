//! Requests from agents, and repository settings that need the user's approval.

use std::sync::Arc;

use crate::common::change_cost::of_sources;
use refdesk_desk::SelectionChange;
use refdesk_desk::engine::{Reply, Snapshot};

use super::super::state::InputOwner;
use super::*;

fn state_with(snapshot: Snapshot) -> PlainState {
    PlainState { snapshot, input_owner: InputOwner::Person, ..PlainState::default() }
}

fn replied(request: Request) -> (String, Reply) {
    let Request::Reply { request, reply } = request else { panic!("{request:?}") };
    (request.request_id.clone(), reply)
}

fn choice() -> Snapshot {
    let waiting = fixture::asking("r1", "claude", "which pattern?", &["circuit-breaker", "timeouts", "java-service"]);
    fixture::with_requests(&[waiting])
}

#[test]
fn sources_are_chosen_by_numbers_and_confirmed() {
    let mut state = state_with(choice());
    assert_eq!(
        output(&mut state, "requests"),
        [
            "claude wants you to choose from 3 sources, session s-1, until 10:35:00.",
            "Reason: which pattern?",
            "1: circuit-breaker, Circuit Breaker, picked, about 1,450 tokens.",
            "2: timeouts, Timeouts, pulled in by circuit-breaker and retry-pattern, about 640 tokens.",
            "3: java-service, Java service module, available, about 23,870 tokens.",
            "Type the numbers of the sources, all, none, or later.",
        ]
    );
    assert_eq!(output(&mut state, "4"), ["4 is not in this list. Type numbers from 1 to 3, all, none, or later."]);
    assert!(matches!(asked(&mut state, "3, 1"), Request::PreviewPicks { .. }));
    let all =
        SelectionChange { enters: vec!["java-service".into()], cost: of_sources(23_870), ..SelectionChange::default() };
    let all = SelectionChange { trusts: vec!["payments-api".into()], ..all };
    let turn = answered(&mut state, Response::PicksPreview { one: SelectionChange::default(), all });
    assert_eq!(
        turn.lines,
        [
            "Chosen: circuit-breaker and java-service.",
            "They add 1 source, about 23,870 tokens together.",
            "Agents may then fetch payments-api.",
            "Type yes to answer with them, or other numbers, all, none, or later.",
        ]
    );
    let reply = Reply::Chosen(["circuit-breaker", "java-service"].map(str::to_owned).to_vec());
    let mut late = state_with(choice());
    output(&mut late, "requests");
    asked(&mut late, "3, 1");
    let nothing = SelectionChange::default;
    drop(answered(&mut late, Response::PicksPreview { one: nothing(), all: nothing() }));
    for (state, is_picked) in [(&mut state, true), (&mut late, false)] {
        assert_eq!(replied(asked(state, "yes")), ("r1".to_owned(), reply.clone()));
        if is_picked {
            let mut members = state.snapshot.selection.members().to_vec();
            members.push(fixture::member("java-service", 0, &[]));
            state.snapshot.selection = Arc::new(fixture::selection(members, &[], &[]));
        }
        let lines = answered(state, Response::Done(Vec::new())).lines;
        assert_eq!(lines[0], "Answered with your choice.");
        if is_picked {
            assert!(lines[1].starts_with("That is about 23,870 tokens more"), "{lines:?}");
        } else {
            let not_yet = "The agent has not picked it yet. Type selection to see whether it has.";
            assert_eq!(lines[1..], [not_yet]);
        }
    }
}

#[test]
fn a_request_to_another_desk_names_it_and_no_states_or_costs_of_this_one() {
    let mut waiting = fixture::asking("r1", "claude", "which pattern?", &["circuit-breaker", "java-service"]);
    Arc::make_mut(&mut waiting.request).asker.desk = "review".to_owned();
    let mut state = state_with(fixture::with_requests(&[waiting]));
    assert_eq!(
        output(&mut state, "requests"),
        [
            "claude wants you to choose from 2 sources, session s-1, at desk review, until 10:35:00.",
            "Reason: which pattern?",
            "1: circuit-breaker, Circuit Breaker.",
            "2: java-service, Java service module.",
            "Type the numbers of the sources, all, none, or later.",
        ]
    );
    assert_eq!(
        output(&mut state, "2"),
        ["Chosen: java-service.", "Type yes to answer with them, or other numbers, all, none, or later.",]
    );
    let reply = Reply::Chosen(vec!["java-service".to_owned()]);
    assert_eq!(replied(asked(&mut state, "yes")), ("r1".to_owned(), reply));
}

#[test]
fn a_write_is_approved_after_its_difference_and_only_as_shown() {
    let diff = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+a\u{1b}[2J\n";
    let ask = |diff: &str| fixture::with_requests(&[fixture::asking_to_write("r2", "codex", "a.txt", diff, &["odd"])]);
    let mut state = state_with(ask(diff));
    let lines = output(&mut state, "requests");
    assert_eq!(lines[0], "codex wants to write a.txt, session s-1, until 10:35:00.");
    assert_eq!(
        lines[lines.len() - 2..],
        ["+a\\x1b[2J", "Type yes to let it write exactly this, no to decline, or later."]
    );
    assert_eq!(output(&mut state, "approve"), ["Please type yes, no, or later."]);
    // If a different write has the same id, it is printed first.
    state.snapshot = ask("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n");
    let lines = output(&mut state, "yes");
    assert_eq!(lines[0], "The request has changed in the meantime. Nothing was answered.");
    assert!(lines.iter().any(|line| line.starts_with("This OVERWRITES a file.")), "{lines:?}");
    assert_eq!(replied(asked(&mut state, "yes")), ("r2".to_owned(), Reply::Yes));
    state.snapshot = ask("");
    let same = "The file already has exactly this text. It comes from the template Entity.java.tpl.";
    let lines = output(&mut state, "requests");
    assert!(lines.iter().any(|line| line == same) && !lines.concat().contains("difference"), "{lines:?}");
    state.snapshot = fixture::snapshot();
    assert_eq!(output(&mut state, "yes"), ["This request is no longer open. Nothing was answered."]);
}

#[test]
fn trust_covers_only_what_was_shown() {
    let mut state = state_with(fixture::untrusted_snapshot(&[("post requests to https://example.org", 4)]));
    let lines = output(&mut state, "trust");
    assert_eq!(
        lines[..2],
        [
            "1 setting of this repository wants to do the following.",
            "1: Post requests to https://example.org. Set in references.json:4.",
        ]
    );
    assert_eq!(lines[3..], ["Type yes to trust this setting, which sends data away, or no to leave it."]);
    state.snapshot = fixture::untrusted_snapshot(&[("post requests elsewhere", 4)]);
    assert_eq!(
        output(&mut state, "yes"),
        ["These settings have changed in the meantime. Nothing was trusted. Type trust to list them again."]
    );
    output(&mut state, "trust");
    assert_eq!(asked(&mut state, "yes"), Request::Trust(state.snapshot.untrusted.clone()));
}

#[test]
fn a_script_is_not_a_person() {
    let mut state = PlainState { snapshot: choice(), ..PlainState::default() };
    assert_eq!(output(&mut state, "requests"), ["Only a person at a terminal can answer requests."]);
    assert_eq!(output(&mut state, "trust"), ["Only a person at a terminal can trust settings."]);
}
