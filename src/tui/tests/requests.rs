//! Requests in place of the selection: arriving, marked, answered, declined, postponed, and ended.

mod layout;
mod outcomes;

use std::sync::Arc;

use ratatui::layout::{Position, Size};

use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::pane::Pane;
use crate::tui::requests::choice_view;
use crate::tui::state::{PanePart, RequestPlacement, State, Typing};
use crate::tui::update::update;
use crate::tui::widgets::motion::Motion;
use crate::tui::windows::WindowKind;
use refdesk_desk::SelectionChange;
use refdesk_desk::engine::{
    Age, ClosedRequest, Event, Notice, OtherAnswer, Receipts, Reply, Request, RequestEnd, Response, Snapshot, Topic,
    WaitingRequest,
};
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_files::scale::scaled;

use crate::tui::input::Effect;
use crate::tui::tests::{answer, commands, event, message, press, screen, stale};

const OFFERED: [&str; 4] = ["retry-pattern", "timeouts", "java-service", "payments-api"];

fn choice(id: &str) -> WaitingRequest {
    fixture::asking(id, "claude over mcp", "to write a client of the payments service", &OFFERED)
}

const DIFF: &str = "--- a/src/Order.java\n+++ b/src/Order.java\n@@ -1,3 +1,5 @@\n package shop;\n-class Order {\n+/** Made. */\n\
    +public class Order {\n+    private String id;\n }\n";

fn write(id: &str) -> WaitingRequest {
    fixture::asking_to_write(id, "codex over mcp", "src/Order.java", DIFF, &["`field` is used nowhere"])
}

fn tell(state: &mut State, waiting: &[WaitingRequest]) {
    update(state, Input::Snapshot(Box::new(fixture::with_requests(waiting))));
}

/// A screen after these keys, when these requests arrive.
fn desk(keys: &str, waiting: &[WaitingRequest]) -> State {
    let mut state = fixture::state(80, 24);
    press(&mut state, keys);
    tell(&mut state, waiting);
    state
}

fn replied(effects: &[Effect]) -> Vec<(String, Reply)> {
    let sent = commands(effects).into_iter().filter_map(|command| match command {
        Request::Reply { request, reply } => Some((request.request_id.clone(), reply)),
        _ => None,
    });
    sent.collect()
}

fn chosen(ids: &[&str]) -> Reply {
    Reply::Chosen(ids.iter().map(|id| (*id).to_owned()).collect())
}

#[test]
fn keys_that_answer_a_choice() {
    for (keys, expected) in [
        ("A Space Enter", Some(chosen(&["retry-pattern"]))),
        ("A j Space k Space Enter", Some(chosen(&["retry-pattern", "timeouts"]))),
        ("A a Enter", Some(chosen(&OFFERED))),
        ("A a j Space Enter", Some(chosen(&["retry-pattern", "java-service", "payments-api"]))),
        ("A a a Enter", None),
        ("A Space Space Enter", None),
        ("A Enter", None),
        ("A n", Some(Reply::No)),
        ("A Space n", Some(Reply::No)),
        ("A / \"java\" Enter a Enter", Some(chosen(&["retry-pattern", "java-service"]))),
        ("A / \"api\" Enter Space Esc Enter", Some(chosen(&["payments-api"]))),
        ("A y", None),
        ("2 Space Enter", Some(chosen(&["retry-pattern"]))),
        // In other panes, the keys do not answer.
        ("Space Enter", None),
        ("n", None),
        ("3 Enter \"n y a\"", None),
    ] {
        let mut state = desk("", &[choice("r1")]);
        let effects = press(&mut state, keys);
        assert_eq!(
            replied(&effects),
            expected.map(|reply| ("r1".to_owned(), reply)).into_iter().collect::<Vec<_>>(),
            "{keys}"
        );
    }
}

#[test]
fn disabled_actions_say_why() {
    for (waiting, keys, why) in [
        (choice("r1"), "A Enter", "nothing is marked: Space marks a source, n chooses none"),
        (choice("r1"), "A ]", "there is no other request"),
        (choice("r1"), "A A", "you are already at the request"),
        (choice("r1"), "A / \"zzz\" Enter Space", "there is no source under the cursor"),
        (choice("r1"), "A / \"zzz\" Enter a", "there are no sources to mark"),
        (choice("r1"), "A Space Enter Enter", "your answer is being sent"),
        (choice("r1"), "A n n", "your answer is being sent"),
        (write("w1"), "A Space", "this request offers no sources: Enter shows what would be written"),
        (write("w1"), "A y", "y does nothing here: Enter shows the whole write, and y approves it there"),
        (write("w1"), "A /", "this request offers no sources: Enter shows what would be written"),
    ] {
        let mut state = desk("", &[waiting]);
        press(&mut state, keys);
        assert_eq!(message(&state), why, "{keys}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "A");
    assert_eq!(message(&state), "there are no requests");
}

#[test]
fn a_very_long_id_is_cut_once_and_in_its_middle() {
    let id = format!("long-{}the-end", "abcdefghij-".repeat(40));
    for (width, height) in [(80, 24), (200, 60)] {
        let mut state = fixture::state(width, height);
        tell(&mut state, &[fixture::asking("r1", "codex", "which?", &[&id])]);
        press(&mut state, "A");
        let shown = screen(&state);
        let lines: Vec<&str> = shown.lines().filter(|line| line.contains("long-abc")).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("-the-end")), "{shown}");
        let is_cut_once = |line: &&str| line.split("long-abc").nth(1).is_some_and(|id| id.matches('…').count() == 1);
        assert!(lines.iter().all(is_cut_once), "{shown}");
    }
}

#[test]
fn a_write_can_be_approved_only_where_it_is_shown_in_full() {
    for (keys, expected) in [
        ("A Enter y", Some(Reply::Yes)),
        ("A Enter n", Some(Reply::No)),
        ("A Enter Esc", None),
        ("A Enter Enter", None),
        ("A y", None),
        ("y", None),
        ("A n", Some(Reply::No)),
        ("A Enter j j k y", Some(Reply::Yes)),
    ] {
        let mut state = desk("", &[write("w1")]);
        let effects = press(&mut state, keys);
        assert_eq!(
            replied(&effects),
            expected.map(|reply| ("w1".to_owned(), reply)).into_iter().collect::<Vec<_>>(),
            "{keys}"
        );
        assert_eq!(state.window.is_some(), keys == "A Enter Enter", "{keys}");
    }
    let mut state = desk("A", &[write("w1")]);
    press(&mut state, "A Enter");
    let reported = screen(&state);
    assert!(reported.contains("y yes, OVERWRITE it") && reported.contains("+public class Order {"), "{reported}");
}

#[test]
fn a_write_can_be_approved_only_at_the_end_of_its_difference() {
    let lines: String = (1..=117).map(|nth| format!("+line {nth}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,117 @@\n{lines}");
    let tall = fixture::asking_to_write("w1", "codex over mcp", "a", &diff, &[]);
    let mut state = desk("", std::slice::from_ref(&tall));
    assert_eq!(replied(&press(&mut state, "A Enter y")), []);
    assert_eq!(message(&state), "PageDown shows the rest first: you would approve that, too");
    let left = |state: &State| -> Option<usize> {
        let shown = screen(state);
        let (_, left) = shown.split_once("y is offered at the end: ")?;
        left.split_once(" lines left")?.0.parse().ok()
    };
    let before = left(&state).unwrap();
    press(&mut state, "j");
    assert_eq!(left(&state), Some(before - 1));
    assert!(!screen(&state).contains("y yes"), "{}", screen(&state));
    press(&mut state, "G");
    assert_eq!(left(&state), None);
    assert!(screen(&state).contains("y yes, write a new file"), "{}", screen(&state));
    assert_eq!(replied(&press(&mut state, "y")), [("w1".to_owned(), Reply::Yes)]);
    // Another program changes the request after its end was shown.
    let mut state = desk("", std::slice::from_ref(&tall));
    press(&mut state, "A Enter G");
    let other = diff.replace("+line 117", "+line 118");
    tell(&mut state, &[fixture::asking_to_write("w1", "codex over mcp", "a", &other, &[])]);
    assert_eq!(left(&state), Some(before), "it is read from its beginning");
    assert_eq!(replied(&press(&mut state, "y G y")), []);
    assert_eq!(message(&state), "This write has changed since it was shown: read it again");
    assert_eq!(replied(&press(&mut state, "y")), [("w1".to_owned(), Reply::Yes)]);
    let mut state = desk("", &[tall]);
    assert_eq!(replied(&press(&mut state, "A Enter n")), [("w1".to_owned(), Reply::No)], "declining needs no reading");
}

#[test]
fn a_request_does_not_take_the_focus() {
    // If another pane has the focus, the request opens beside it.
    for keys in ["", "3", "3 i \"write\"", "/ \"java\"", "4", "d", ":"] {
        let mut state = desk(keys, &[]);
        let before = (state.focus, state.typing, state.window);
        tell(&mut state, &[choice("r1")]);
        assert_eq!((state.focus, state.typing, state.window), before, "{keys}");
        assert!(state.shown_request().is_some() && !state.in_request(), "{keys}");
        assert!(
            message(&state).starts_with("A opens the request: claude over mcp wants you to choose from 4 sources"),
            "{keys}"
        );
        assert!(screen(&state).contains("1 request: A"), "{keys}");
    }
    // If the selection has the focus, the request waits until the user opens it.
    let mut state = desk("2 j", &[]);
    let on = state.subject(Pane::Selection).map(str::to_owned);
    tell(&mut state, &[choice("r1")]);
    assert_eq!(
        (state.subject(Pane::Selection).map(str::to_owned), state.requests.place),
        (on, RequestPlacement::Aside)
    );
    assert_eq!(replied(&press(&mut state, "n y Enter")), []);
    press(&mut state, "A");
    assert!(state.in_request());
    press(&mut state, "Esc");
    assert!(!state.in_request());
    assert!(screen(&state).contains("1 request: A"));
}

#[test]
fn after_the_last_answer_keys_go_where_they_went_before() {
    for (keys, focus, part) in [
        ("j j", Pane::Catalog, PanePart::List),
        ("j Enter", Pane::Catalog, PanePart::Detail),
        ("3", Pane::Hints, PanePart::List),
        ("4 j", Pane::Templates, PanePart::List),
        ("2 j", Pane::Selection, PanePart::List),
    ] {
        let mut state = desk(keys, &[choice("r1"), choice("r2")]);
        let on = state.subject(focus).map(str::to_owned);
        press(&mut state, "A Space Enter");
        tell(&mut state, &[choice("r2")]);
        assert_eq!(state.focus, Pane::Selection, "{keys}: another one waits");
        press(&mut state, "A n");
        tell(&mut state, &[]);
        assert_eq!((state.focus, state.part, state.subject(focus).map(str::to_owned)), (focus, part, on), "{keys}");
    }
    let mut state = desk("3", &[choice("r1")]);
    press(&mut state, "A Esc");
    assert_eq!(state.focus, Pane::Hints, "put aside");
    press(&mut state, "A Space Enter 4");
    tell(&mut state, &[]);
    assert_eq!(state.focus, Pane::Templates, "keys went elsewhere meanwhile");
}

#[test]
fn waiting_requests_are_shown_in_turn() {
    let mut state = desk("", &[choice("r1"), write("w1"), choice("r2")]);
    press(&mut state, "A");
    let current = |state: &State| state.requests.current.clone().unwrap_or_default();
    assert!(screen(&state).contains("1 of 3"));
    press(&mut state, "Space");
    for (key, expected) in [("]", "w1"), ("]", "r2"), ("]", "r1"), ("[", "r2"), ("[", "w1"), ("[", "r1")] {
        press(&mut state, key);
        assert_eq!(current(&state), expected, "{key}");
    }
    assert_eq!(replied(&press(&mut state, "Enter")), [("r1".to_owned(), chosen(&["retry-pattern"]))], "marks are kept");
    // The answered request disappears, and the next one is shown.
    tell(&mut state, &[write("w1"), choice("r2")]);
    assert_eq!((current(&state).as_str(), state.shown_request().is_some(), state.in_request()), ("w1", true, false));
    press(&mut state, "A Enter");
    assert!(state.open_window() == Some(WindowKind::Approval));
    press(&mut state, "?");
    assert!(state.open_window() == Some(WindowKind::Help));
    press(&mut state, "Esc");
    assert!(state.open_window() == Some(WindowKind::Approval), "the help returns to it");
    press(&mut state, "?");
    tell(&mut state, &[choice("r2")]);
    press(&mut state, "Esc");
    assert_eq!((state.window, current(&state).as_str()), (None, "w1"), "its window goes with it");
    press(&mut state, "y");
    assert_eq!(current(&state), "r2");
    press(&mut state, "] /");
    assert_eq!(state.typing, Some(Typing::Filter(FilteredList::Request)));
    tell(&mut state, &[]);
    assert_eq!((state.typing, state.shown_request().is_some()), (None, true));
    press(&mut state, "q");
    assert_eq!(state.shown_request(), None);
    assert!(screen(&state).contains("2 Selection"), "the selection has its place again");
}

#[test]
fn requests_that_are_not_shown_are_counted() {
    let mut state = desk("", &[]);
    let snapshot = Snapshot { unread_requests: 16, ..fixture::with_requests(&[choice("r1"), write("w1")]) };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert!(screen(&state).contains(" 2 of 18 requests: A "), "{}", screen(&state));
    press(&mut state, "A");
    assert!(screen(&state).contains(" 1 of 18 "), "{}", screen(&state));
    press(&mut state, "] Enter");
    assert!(screen(&state).contains(" 2 of 18 requests "), "{}", screen(&state));
}

#[test]
fn one_long_id_takes_no_names_from_other_rows() {
    let long = "architecture-decision-on-cross-region-failover-of-billing-and-ledgers";
    for (width, height) in [(80, 24), (120, 36)] {
        let mut state = fixture::state(width, height);
        let offered = [&OFFERED[..], &[long]].concat();
        tell(&mut state, &[fixture::asking("r1", "codex", "to choose", &offered)]);
        press(&mut state, "A");
        let before = screen(&state);
        assert!(before.contains("Retry pattern") || before.contains("Retry"), "{width} {before}");
        let column = |shown: &str| shown.lines().find_map(|line| line.split_once("] timeouts")?.1.find("Timeouts"));
        assert!(column(&before).is_some(), "{width} {before}");
        press(&mut state, "G");
        assert!(screen(&state).contains("[ ] architecture-decision-o"), "{width} {}", screen(&state));
    }
}

#[test]
fn an_offered_source_is_read_beside_and_left_for_the_request_again() {
    for key in ["K", "l", "Right"] {
        let mut state = desk("", &[choice("r1")]);
        press(&mut state, &format!("A j {key}"));
        assert!(state.reads() && state.focus == Pane::Catalog, "{key}: {}", screen(&state));
        press(&mut state, "Esc");
        assert_eq!((state.focus, state.is_request_focused()), (Pane::Selection, true), "{key}");
    }
}

#[test]
fn keys_meant_for_an_ended_request_do_nothing_else() {
    let ends = |state: &mut State,
                waiting: &WaitingRequest,
                ended: RequestEnd,
                left: &[WaitingRequest],
                is_told_first: bool| {
        let over = Event::Closed(Box::new(ClosedRequest { request: waiting.request.clone(), ended }));
        if is_told_first {
            event(state, over.clone());
        }
        tell(state, left);
        if !is_told_first {
            event(state, over);
        }
    };
    for (waiting, ended, said) in [
        (choice("r1"), RequestEnd::TimedOut, "This request timed out without an answer."),
        (choice("r1"), RequestEnd::RequesterExited, "The asker has exited"),
        (
            write("r1"),
            RequestEnd::Elsewhere(OtherAnswer { by: Some("a screen".to_owned()), reply: None }),
            "This request was answered by a screen.",
        ),
        (write("r1"), RequestEnd::Withdrawn, "This request was answered elsewhere or withdrawn"),
    ] {
        for is_told_first in [true, false] {
            for (nth, keys) in ["A", "A Space", "A Enter", "A /", "A / \"ja\"", "A j k"].into_iter().enumerate() {
                // Each key is pressed after two of these beginnings and after every kind of end.
                let all = ["Space", "Enter", "y", "n", "q", "u", "x", "C", "]", "Esc", ":", "?", "1", "Tab", "A"];
                for key in all.into_iter().skip(nth % 3).step_by(3) {
                    let mut state = desk("", std::slice::from_ref(&waiting));
                    press(&mut state, keys);
                    ends(&mut state, &waiting, ended.clone(), &[choice("r2")], is_told_first);
                    let reported = screen(&state);
                    assert!(reported.contains(said) && reported.contains("press any key"), "{keys}\n{reported}");
                    assert_eq!(press(&mut state, key), [], "{keys} {key}");
                    let seen = (state.focus, state.window, state.typing, state.requests.current.as_deref());
                    assert_eq!(seen, (Pane::Selection, None, None, Some("r2")), "{keys} {key}");
                    assert!(state.is_before_request() && screen(&state).contains("A go to this request"));
                }
            }
        }
    }
    // A user in another pane is not interrupted.
    let mut state = desk("A Space 1", &[choice("r1")]);
    ends(&mut state, &choice("r1"), RequestEnd::TimedOut, &[], true);
    assert!(state.shown_request().is_none() && state.requests.ended.is_none());
}

#[test]
fn the_next_request_takes_no_keys_meant_for_the_one_before() {
    let all = [choice("r1"), write("w1"), choice("r2")];
    for (keys, declined) in [("A n", 1), ("A n", 1), ("A a Enter", 1)] {
        let mut state = desk("", &all);
        assert_eq!(replied(&press(&mut state, keys)).len(), declined);
        tell(&mut state, &all[1..]);
        for key in ["n", "Space", "Enter", "y", "a", "x", "o", "p"] {
            assert_eq!(press(&mut state, key), [], "{key}");
            assert_eq!((state.window, state.marks()), (None, None), "{key}");
        }
        assert_eq!(message(&state), "p does nothing until you go to this request: A");
        for turn in ["A", "]", "1 2", "["] {
            let mut state = state.clone();
            press(&mut state, turn);
            assert!(state.in_request(), "{turn}");
            assert_eq!(state.requests.current.as_deref(), Some(if turn == "[" { "r2" } else { "w1" }));
        }
        press(&mut state, "Esc");
        assert_eq!(state.requests.place, RequestPlacement::Aside);
    }
}

#[test]
fn the_help_of_a_request_lists_its_keys() {
    for (waiting, keys, listed) in [
        (choice("r1"), "A ?", "Mark or unmark the source under the cursor"),
        (write("w1"), "A Enter ?", "Write the file exactly as shown"),
    ] {
        let mut state = desk("", &[waiting]);
        press(&mut state, keys);
        let reported = screen(&state);
        assert!(reported.contains(listed), "{reported}");
        assert!(reported.matches("Close this window").count() <= 1, "only with what it means here: {reported}");
        press(&mut state, "Esc");
        assert!(state.in_request());
    }
}

#[test]
fn other_requests_that_come_or_go_keep_the_visible_one() {
    let mut state = desk("", &[choice("r1"), write("w1")]);
    press(&mut state, "A ] Enter j");
    tell(&mut state, &[write("w1"), choice("r2")]);
    assert!(state.open_window() == Some(WindowKind::Approval));
    assert_eq!(replied(&press(&mut state, "y")), [("w1".to_owned(), Reply::Yes)]);
}

const DEEDS: [(&str, usize); 2] = [
    ("ask questions by a webhook at https://example.org/ask, with the token in $ASK_TOKEN", 12),
    ("let agents read /etc of source payments-api", 41),
];

#[test]
fn nothing_is_trusted_before_it_was_shown_to_the_end() {
    let settings: Vec<(String, usize)> = (0..40).map(|at| (format!("let agents read /data/{at}"), at + 1)).collect();
    let settings: Vec<(&str, usize)> = settings.iter().map(|(what, line)| (what.as_str(), *line)).collect();
    for (keys, is_trusted) in [("! y", false), ("! j y", false), ("! G y", true), ("! G g y", false)] {
        let mut state = desk("", &[]);
        update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&settings))));
        let sent = commands(&press(&mut state, keys));
        assert_eq!(sent.contains(&Request::Trust(state.snapshot.untrusted.clone())), is_trusted, "{keys}");
        assert_eq!(message(&state).contains("shows the rest first"), !is_trusted, "{keys}: {}", message(&state));
        assert_eq!(screen(&state).contains("y is offered at the end: "), !is_trusted, "{keys}: {}", screen(&state));
    }
}

#[test]
fn only_what_was_shown_is_trusted() {
    for (keys, trusted) in
        [("! y", true), ("! Esc", false), ("! n", false), ("! Enter", false), ("y", false), ("!", false)]
    {
        let mut state = desk("", &[]);
        update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&DEEDS))));
        assert!(screen(&state).contains(" 2 need trust: ! "));
        assert_eq!(state.message, None, "the top line says it, and the keys are not hidden");
        let sent = commands(&press(&mut state, keys));
        let actions = state.snapshot.untrusted.clone();
        assert_eq!(sent.contains(&Request::Trust(actions)), trusted, "{keys}");
    }
    let mut state = desk("", &[]);
    update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&DEEDS))));
    press(&mut state, "! y");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    let problem = Notice { topic: Topic::Problem, ..fixture::notice("something else is wrong") };
    event(&mut state, Event::Notice(problem));
    assert_eq!(message(&state), "Trusted 2 settings: refdesk trust revoke takes it back");
    let mut state = desk("", &[]);
    press(&mut state, "!");
    assert_eq!(message(&state), "no setting of this repository needs your trust");
    update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&DEEDS))));
    press(&mut state, "!");
    update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&DEEDS[..1]))));
    assert!(screen(&state).contains("These settings have just changed."), "{}", screen(&state));
    assert_eq!(commands(&press(&mut state, "y")), [], "a key that was on its way before that was shown");
    assert_eq!(message(&state), "These settings have just changed. y trusts what is shown now.");
    assert_eq!(commands(&press(&mut state, "y")), [Request::Trust(state.snapshot.untrusted.clone())]);
    press(&mut state, "!");
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert!(screen(&state).contains("No setting of this repository needs your trust any more."), "{}", screen(&state));
    assert_eq!(commands(&press(&mut state, "y")), [], "nor does the key act below the window");
}
