//! Requests in place of the selection: arriving, marked, answered, declined, put aside, and ended.

use std::sync::Arc;

use ratatui::layout::{Position, Size};

use crate::tui::filtering::FilteredList;
use crate::tui::fixture;
use crate::tui::input::{Input, WheelTurn};
use crate::tui::pane::Pane;
use crate::tui::requests::view;
use crate::tui::state::{PanePart, RequestPlacement, State, Typing};
use crate::tui::update::update;
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
        Request::Reply { request_id, reply } => Some((request_id, reply)),
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
        // Keys in other panes answer nothing.
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
        (write("w1"), "A y", "Enter shows all that would be written first: y and n answer there"),
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
fn a_request_does_not_take_the_focus() {
    // If another pane has the focus, it opens beside it.
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
    // If the selection has the focus, it waits until the user turns to it.
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
    tell(&mut state, &[choice("r2")]);
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
fn an_offered_source_is_read_beside_and_left_for_the_request_again() {
    for key in ["K", "l", "Right"] {
        let mut state = desk("", &[choice("r1")]);
        press(&mut state, &format!("A j {key}"));
        assert!(state.reads() && state.focus == Pane::Catalog, "{key}: {}", screen(&state));
        press(&mut state, "Esc");
        assert_eq!((state.focus, state.at_request()), (Pane::Selection, true), "{key}");
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
        (choice("r1"), RequestEnd::AskerGone, "The asker is gone"),
        (
            write("r1"),
            RequestEnd::Elsewhere(OtherAnswer { by: Some("a screen".to_owned()), reply: None }),
            "This request was answered by a screen.",
        ),
        (write("r1"), RequestEnd::Withdrawn, "This request was answered elsewhere or withdrawn"),
    ] {
        for is_told_first in [true, false] {
            for (nth, keys) in ["A", "A Space", "A Enter", "A /", "A / \"ja\"", "A j k"].into_iter().enumerate() {
                // Each key is pressed after two of these beginnings and after every ending.
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
    for (waiting, keys) in [(choice("r1"), "A ?"), (write("w1"), "A Enter ?")] {
        let mut state = desk("", &[waiting]);
        press(&mut state, keys);
        let reported = screen(&state);
        assert!(reported.contains("Mark or unmark the source under the cursor"), "{reported}");
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

#[test]
fn an_answer_says_what_followed_and_how_to_undo_it() {
    let mut state = desk("", &[choice("r1")]);
    press(&mut state, "A a Enter");
    let none = Arc::new(fixture::selection(Vec::new(), &[], &[]));
    let empty = Snapshot { selection: none, generation: 2, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(empty)));
    assert!(!message(&state).starts_with("Answered"), "a change by another process is not the answer");
    let mut members: Vec<_> = OFFERED.iter().map(|id| fixture::member(id, 0, &[])).collect();
    members.push(fixture::member("error-handling", 1, &["payments-api"]));
    let selection = Arc::new(fixture::selection(members, &[], &[]));
    let undo = Some("answer to claude".into());
    let after = Snapshot { selection, undo, generation: 3, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(after)));
    let said = message(&state).to_owned();
    assert!(said.starts_with("Answered claude over mcp: picked 4; 1 more source pulled in, "), "{said}");
    assert!(said.ends_with(": u undoes it"), "{said}");
    for notice in ["Picked them", "References transitively included: @error-handling"] {
        event(&mut state, Event::Notice(fixture::notice(notice)));
    }
    let ended = RequestEnd::Here(chosen(&OFFERED));
    event(&mut state, Event::Closed(Box::new(ClosedRequest { request: choice("r1").request, ended })));
    assert_eq!(message(&state), said);
}

#[test]
fn the_end_of_each_request_is_reported() {
    let by = |by: &str| RequestEnd::Elsewhere(OtherAnswer { by: Some(by.to_owned()), reply: None });
    for (waiting, ended, said) in [
        (choice("r"), RequestEnd::Here(chosen(&["a", "b"])), "answered claude over mcp: 2 sources"),
        (choice("r"), RequestEnd::Here(Reply::No), "answered claude over mcp: picked none of them"),
        (write("r"), RequestEnd::Here(Reply::Yes), "approved: codex over mcp may write src/Order.java as shown"),
        (write("r"), RequestEnd::Here(Reply::No), "declined: codex over mcp does not write src/Order.java"),
        (choice("r"), by("a screen"), "a screen answered the choice for claude over mcp"),
        (
            choice("r"),
            RequestEnd::Elsewhere(OtherAnswer::default()),
            "the choice for claude over mcp was answered elsewhere",
        ),
        (choice("r"), RequestEnd::TimedOut, "the choice for claude over mcp timed out without an answer"),
        (write("r"), RequestEnd::AskerGone, "codex over mcp is gone: the write of src/Order.java is no longer needed"),
        (
            choice("r"),
            RequestEnd::Withdrawn,
            "claude over mcp no longer asks for the choice: it was answered elsewhere or withdrawn",
        ),
    ] {
        let mut state = desk("", &[]);
        event(&mut state, Event::Closed(Box::new(ClosedRequest { request: waiting.request, ended })));
        assert_eq!(message(&state), said);
    }
}

#[test]
fn the_result_of_an_answer_stays_visible_when_another_request_arrives() {
    let both = "answered claude over mcp: picked none of them \u{b7} A opens the request: claude over mcp wants you to choose from 4 sources";
    for is_told_first in [true, false] {
        let mut state = desk("", &[choice("r1")]);
        press(&mut state, "A n 1");
        let over = Event::Closed(Box::new(ClosedRequest {
            request: choice("r1").request,
            ended: RequestEnd::Here(Reply::No),
        }));
        if is_told_first {
            event(&mut state, over.clone());
        }
        tell(&mut state, &[choice("r2")]);
        if !is_told_first {
            event(&mut state, over);
        }
        assert_eq!(message(&state), both);
    }
}

#[test]
fn an_asker_that_is_gone_is_not_counted() {
    let over = |it: WaitingRequest| {
        Event::Closed(Box::new(ClosedRequest { request: it.request, ended: RequestEnd::TimedOut }))
    };
    let timed_out = "the choice for claude over mcp timed out without an answer";
    for is_told_first in [true, false] {
        let mut state = desk("", &[choice("r1")]);
        tell(&mut state, &[choice("r1"), choice("r2")]);
        if is_told_first {
            event(&mut state, over(choice("r2")));
        }
        tell(&mut state, &[choice("r1")]);
        if !is_told_first {
            event(&mut state, over(choice("r2")));
        }
        assert_eq!(message(&state), timed_out);
        // Keys for the next request are read after it.
        event(
            &mut state,
            Event::Closed(Box::new(ClosedRequest { request: choice("r1").request, ended: RequestEnd::Withdrawn })),
        );
        tell(&mut state, &[]);
        assert!(message(&state).starts_with("claude over mcp no longer asks"), "{}", message(&state));
    }
    // A request of which only the end is known.
    let mut state = desk("", &[choice("r1")]);
    tell(&mut state, &[]);
    assert!(state.message.is_none(), "{}", message(&state));
}

#[test]
fn nothing_is_reported_twice() {
    for (waiting, context) in [
        (choice("r1"), "claude over mcp asks which references it should work with"),
        (write("w1"), "codex over mcp wants to write src/Order.java"),
    ] {
        let mut waiting = waiting;
        Arc::make_mut(&mut waiting.request).context = context.to_owned();
        let mut state = desk("", std::slice::from_ref(&waiting));
        press(&mut state, "A");
        let verb = if waiting.request.approval.is_some() { "wants to write src" } else { "asks which" };
        assert!(!screen(&state).contains(verb), "{}", screen(&state));
        Arc::make_mut(&mut waiting.request).context = format!("{context}, since the tests fail");
        tell(&mut state, &[waiting]);
        assert!(screen(&state).contains("since the tests"));
    }
}

#[test]
fn the_details_keep_the_lines_of_a_question_and_of_a_description() {
    let mut waiting = choice("r1");
    let request = Arc::make_mut(&mut waiting.request);
    let question =
        "\nWhich of these?\r\n\n\nOption A: retry only\n  Option B: retry and \x1b[2Jtimeout\n- needs audit\n";
    request.context = question.to_owned();
    request.sources[0].description = "Calls again:\n- twice\n- after a pause".to_owned();
    let mut state = fixture::state(120, 36);
    tell(&mut state, &[waiting]);
    press(&mut state, "A");
    let lines: Vec<String> = view::detail(&state, 34).iter().map(ToString::to_string).collect();
    let has = |part: &[&str]| lines.windows(part.len()).any(|lines| lines == part);
    assert!(has(&["Calls again:", "- twice", "- after a pause"]), "{lines:#?}");
    let asked = [
        "Asked: Which of these?",
        "",
        "Option A: retry only",
        "  Option B: retry and",
        "  \\x1b[2Jtimeout",
        "- needs audit",
    ];
    assert!(lines.ends_with(&asked.map(str::to_owned)), "{lines:#?}");
    let shown = screen(&state);
    assert!(shown.contains("Which of these? Option A: retry only"), "the head has few rows\n{shown}");
    for part in ["Option A: retry only ", "- needs audit "] {
        assert!(shown.lines().any(|line| line.contains(&format!("┃ {part}"))), "{part}\n{shown}");
    }
}

#[test]
fn moving_keys_and_the_wheel_scroll_the_beginning_of_a_write() {
    let lines: String = (1..=200).map(|nth| format!("+line {nth}\n")).collect();
    let diff = format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1,200 @@\n{lines}");
    let tall = fixture::asking_to_write("t", "codex over mcp", "a", &diff, &[]);
    for (keys, caption, first, last) in [
        ("", "first lines: Enter", "--- /dev/null", "+line 12"),
        ("j", "lines 2-16 of 203: Enter", "+++ b/a", "+line 13"),
        ("j j k k k", "first lines: Enter", "--- /dev/null", "+line 12"),
        ("PageDown", "lines 16-30 of 203: Enter", "+line 13", "+line 27"),
        ("G", "lines 189-203 of 203: Enter", "+line 186", "+line 200"),
        ("G j g", "first lines: Enter", "--- /dev/null", "+line 12"),
        ("j l j", "lines 3-17 of 203: Enter", "@@ -0,0 +1,200 @@", "+line 14"),
    ] {
        let mut state = desk("", std::slice::from_ref(&tall));
        press(&mut state, &format!("A {keys}"));
        let shown = screen(&state);
        let has = |text: &str| shown.lines().any(|line| line.trim_matches(['┃', ' ']) == text);
        assert!(shown.contains(caption) && has(first) && has(last), "{keys}\n{shown}");
        assert_eq!(replied(&press(&mut state, "y")), [], "{keys}: it was not shown in full");
    }
    let mut state = desk("", &[tall, write("w")]);
    press(&mut state, "A");
    let text = Position { x: 20, y: 15 };
    update(&mut state, Input::Wheel(WheelTurn::Down, text));
    assert!(!screen(&state).contains("first lines"), "{}", screen(&state));
    press(&mut state, "]");
    assert!(screen(&state).contains("first lines"), "another request is shown from its beginning");
}

#[test]
fn the_cost_of_marked_sources_is_shown() {
    let mut state = desk("", &[choice("r1")]);
    let asked = |effects: &[Effect]| {
        let of = commands(effects).into_iter().filter_map(|command| match command {
            Request::PreviewPicks { one, all } => Some((one.map(|id| id.to_string()), all.len())),
            _ => None,
        });
        of.last()
    };
    let effects = press(&mut state, "A j Space j Space");
    let (one, all) = asked(&effects).unwrap();
    assert_eq!((one.as_deref(), all), (Some("java-service"), 2));
    let follows = |ids: &[&str], tokens| SelectionChange {
        enters: ids.iter().map(|id| (*id).into()).collect(),
        cost: crate::common::change_cost::of_sources(tokens),
        ..SelectionChange::default()
    };
    let (one, all) =
        (follows(&["java-service", "release-notes"], 28_990), follows(&["java-service", "a", "b"], 31_000));
    stale(&mut state, Response::PicksPreview { one: follows(&[], 1), all: follows(&["x"], 1) });
    assert!(!screen(&state).contains("they bring"), "an old answer is dropped");
    answer(&mut state, Response::PicksPreview { one, all });
    let reported = screen(&state);
    assert!(reported.contains("2 of 4 marked · they add 3 sources, ~31,000 tokens"), "{reported}");
    assert!(reported.contains("Adds itself and @release-notes: ~28,990 tokens."), "{reported}");
}

#[test]
fn hostile_requests_stay_within_their_area() {
    let evil = "\u{202e}\x1b[2J日本\u{200f}👩🏽‍💻\r\n\t".repeat(scaled(100, 400));
    let diff = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{}", format!("+{}\n", evil.replace('\n', "")).repeat(3));
    let mut hostile = fixture::asking(&"r".repeat(64), &evil, &evil, &OFFERED);
    let request = Arc::make_mut(&mut hostile.request);
    for offered in &mut request.sources {
        (offered.id, offered.name, offered.description) = (evil.clone(), evil.clone(), evil.clone());
        offered.tags = vec![evil.clone(); 9];
    }
    request.asker.session.clone_from(&evil);
    request.asker.desk.clone_from(&evil);
    let mut many = choice("many");
    let offered = many.request.sources[0].clone();
    Arc::make_mut(&mut many.request).sources = (0..5000)
        .map(|nth| refdesk_desk::channel::OfferedReference { id: format!("source-{nth}"), ..offered.clone() })
        .collect();
    let long = fixture::asking_to_write("w", &evil, &evil, &diff, &[evil.as_str(); 40]);
    let last = scaled(2_000, 10_000);
    let lines = (0..=last).map(|nth| format!("+line {nth}\n")).collect::<String>();
    let tall = fixture::asking_to_write("t", "x", "a", &format!("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n{lines}"), &[]);
    for size in [Size::new(40, 10), Size::new(80, 24), Size::new(200, 60)] {
        for waiting in [&hostile, &many, &long, &tall] {
            let mut state = fixture::state(size.width, size.height);
            tell(&mut state, std::slice::from_ref(waiting));
            for keys in ["", "A", "Space", "G", "a", "l", "G", "Esc", "Enter", "G", "j"] {
                press(&mut state, keys);
                let reported = screen(&state);
                assert!(!reported.contains(['\u{202e}', '\x1b', '\u{200f}']), "{size:?} {keys}\n{reported}");
            }
        }
    }
    let mut state = desk("", &[tall]);
    press(&mut state, "A Enter G");
    assert!(screen(&state).contains(&format!("+line {last}")), "the end of a long difference can be read");
    let mut state = desk("", &[many]);
    press(&mut state, "A a");
    assert_eq!(state.marks().map(std::collections::BTreeSet::len), Some(5000));
}

const DEEDS: [(&str, usize); 2] = [
    ("ask questions by a webhook at https://example.org/ask, with the token in $ASK_TOKEN", 12),
    ("let agents read /etc of source payments-api", 41),
];

#[test]
fn nothing_is_trusted_before_its_end_was_shown() {
    let settings: Vec<(String, usize)> = (0..40).map(|at| (format!("let agents read /data/{at}"), at + 1)).collect();
    let settings: Vec<(&str, usize)> = settings.iter().map(|(what, line)| (what.as_str(), *line)).collect();
    for (keys, is_trusted) in [("! y", false), ("! j y", false), ("! G y", true), ("! G g y", false)] {
        let mut state = desk("", &[]);
        update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&settings))));
        let sent = commands(&press(&mut state, keys));
        assert_eq!(sent.contains(&Request::Trust(state.snapshot.untrusted.clone())), is_trusted, "{keys}");
        assert_eq!(message(&state).contains("shows the rest first"), !is_trusted, "{keys}: {}", message(&state));
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
    assert_eq!(
        (state.window, message(&state)),
        (None, "The settings that need your trust have changed. ! shows them again.")
    );
}

#[test]
fn question_and_deadline_are_shown_on_the_smallest_terminal() {
    for (waiting, about) in [(choice("r"), "to write a client"), (write("w"), "src/Order.java")] {
        let mut state = fixture::state(40, 10);
        let mut snapshot = fixture::with_requests(std::slice::from_ref(&waiting));
        let with_deadline = WaitingRequest { until: Some("12:03:41".into()), ..waiting.clone() };
        snapshot.requests = Arc::from([with_deadline]);
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "A");
        let shown = screen(&state);
        assert!(shown.contains("until 12:03:41") && shown.contains(about), "{shown}");
    }
}

#[test]
fn an_approval_says_what_is_overwritten_and_how_to_decline_at_every_size() {
    let waiting = WaitingRequest { until: Some("12:03:41".into()), ..write("w") };
    for (width, height) in [(120, 36), (80, 24), (60, 14), (50, 12), (40, 10)] {
        let mut state = fixture::state(width, height);
        let mut snapshot = fixture::with_requests(std::slice::from_ref(&waiting));
        snapshot.requests = Arc::from([waiting.clone()]);
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "A Enter");
        assert_eq!(state.open_window(), Some(WindowKind::Approval));
        let shown = screen(&state);
        for said in ["OVERWRITES src/Order.java", "codex over mcp", "n no", "y yes, OVERWRITE it"] {
            assert!(shown.contains(said), "{width}x{height} {said}\n{shown}");
        }
        assert!(shown.matches("n no").count() == 1, "once is enough: {shown}");
        assert!(shown.find("OVERWRITES") < shown.find("difference"), "{shown}");
    }
}

/// The question is why the sources are offered, so rows that the list does not need show more of it.
#[test]
fn a_long_question_has_the_rows_that_the_list_does_not_need() {
    let question = "word ".repeat(70) + "end";
    for (offered, columns, rows) in [(&OFFERED[..1], 80, 5), (&OFFERED[..], 80, 5), (&OFFERED[..], 120, 6)] {
        let mut state = fixture::state(columns, 24);
        tell(&mut state, &[fixture::asking("r", "claude", &question, offered)]);
        press(&mut state, "A");
        let shown = screen(&state);
        let above = shown.split("claude wants").next().unwrap();
        assert_eq!(above.lines().filter(|line| line.contains("word")).count(), rows, "{shown}");
        assert!(above.contains("end"), "{shown}");
    }
    let mut state = fixture::state(80, 16);
    tell(&mut state, &[fixture::asking("r", "claude", &question, &OFFERED)]);
    press(&mut state, "A");
    let shown = screen(&state);
    let above = shown.split("claude wants").next().unwrap();
    assert_eq!(above.lines().filter(|line| line.contains("word")).count(), 2, "{shown}");
    assert!(above.contains("word…"), "{shown}");
}

#[test]
fn names_of_offered_sources_begin_in_one_column_or_are_not_shown() {
    for width in 40..130 {
        let mut state = fixture::state(width, 30);
        tell(&mut state, &[fixture::asking("r", "claude", "why", &["timeouts", "java-service", "circuit-breaker"])]);
        press(&mut state, "A");
        let shown = screen(&state);
        let places = [("timeouts", "Time"), ("java-service", "Java"), ("circuit-breaker", "Circ")].map(|(id, name)| {
            let row = shown.lines().find(|line| line.contains(&format!("[ ] {id}"))).unwrap();
            row.find(name).map(|at| row[..at].chars().count())
        });
        assert!(places.iter().all(|place| *place == places[0]), "{width}: {places:?}\n{shown}");
    }
}

#[test]
fn names_of_offered_sources_have_the_columns_that_no_row_needs() {
    for (width, height) in [(120, 36), (60, 20)] {
        let mut state = fixture::state(width, height);
        let waiting = fixture::asking("r", "claude", "why", &["java-service", "payments-api"]);
        tell(&mut state, &[waiting]);
        press(&mut state, "A");
        let shown = screen(&state);
        let row = shown.lines().find(|line| line.contains("[ ] java-service")).unwrap();
        let (id, tokens) = (row.find("java-service").unwrap() + 12, row.find("~23,870").unwrap());
        let name = row.get(id..tokens).unwrap().trim();
        assert!(name == "Java service module" || name.chars().count() + 3 > tokens - id - 2, "{row}");
    }
}

#[test]
fn an_approved_write_that_failed_is_said() {
    let mut state = desk("", &[]);
    state.note("Approved: ag over mcp may write x.txt as shown".to_owned());
    let reason = "x.txt changed after the difference was shown";
    let (mut notice, mut line) = fixture::receipt(7, "s");
    line.receipt = Receipt { reason: reason.to_owned(), ..Receipt::new(JournalEvent::Unwritten) };
    (notice.topic, notice.text) = (Topic::Failed, format!("Not written: {reason}"));
    let receipts = Receipts { lines: vec![(notice, line)], age: Age::Now, gap: None };
    event(&mut state, Event::Receipts(receipts));
    assert_eq!(message(&state), format!("Not written: {reason}"));
}

#[test]
fn a_request_that_was_answered_elsewhere_says_by_whom_as_soon_as_it_is_known() {
    let mut state = desk("", &[choice("r1")]);
    press(&mut state, "A");
    tell(&mut state, &[]);
    for (ended, said) in [
        (RequestEnd::Withdrawn, "This request was answered elsewhere or withdrawn."),
        (
            RequestEnd::Elsewhere(OtherAnswer { by: Some("another screen".to_owned()), reply: None }),
            "This request was answered by another screen.",
        ),
    ] {
        event(&mut state, Event::Closed(Box::new(ClosedRequest { request: choice("r1").request, ended })));
        assert!(screen(&state).contains(said), "{}", screen(&state));
    }
}
