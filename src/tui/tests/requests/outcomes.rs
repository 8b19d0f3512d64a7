//! The message at the end of a request.

use super::*;
use crate::tui::state::{Message, MessageKind};

#[test]
fn an_answer_says_what_followed_and_how_to_undo_it() {
    let mut state = desk("", &[choice("r1")]);
    press(&mut state, "A a Enter");
    use refdesk_core::catalog::{Catalog, Mode, PathState};
    let catalog = |trust| {
        let address = fixture::source("address", "Address", Mode::Selectable, &[], fixture::local("/a.md", trust));
        Arc::new(Catalog::new(fixture::sources().into_iter().chain([address]).collect()))
    };
    let waiting = || fixture::member("address", 0, &[]);
    let before = Arc::new(fixture::selection(vec![waiting()], &[], &[]));
    let untrusted = catalog(PathState::Untrusted);
    let empty = Snapshot { selection: before, catalog: untrusted, generation: 2, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(empty)));
    assert!(!message(&state).starts_with("Answered"), "a change by another process is not the answer");
    let mut members: Vec<_> = OFFERED.iter().map(|id| fixture::member(id, 0, &[])).collect();
    members.extend([fixture::member("error-handling", 1, &["payments-api"]), waiting()]);
    let selection = Arc::new(fixture::selection(members, &[], &[]));
    let undo = Some("answer to claude".into());
    let after = Snapshot { selection, catalog: catalog(PathState::File), undo, generation: 3, ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(after)));
    let said = message(&state).to_owned();
    assert!(said.starts_with("Answered claude over mcp: picked 4; 1 more source pulled in, "), "{said}");
    assert!(said.ends_with("; agents may now fetch @address: u undoes it"), "{said}");
    for notice in ["Picked them", "References transitively included: @error-handling"] {
        event(&mut state, Event::Notice(fixture::notice(notice)));
    }
    let ended = RequestEnd::Here(chosen(&OFFERED));
    event(&mut state, Event::Closed(Box::new(ClosedRequest { request: choice("r1").request, ended })));
    assert_eq!(message(&state), said);
}

#[test]
fn a_request_that_arrives_is_announced_whatever_is_in_the_bottom_line() {
    let news = "A opens the request: codex over mcp wants to write a file";
    let is_kept = |state: &State| state.messages.last.iter().any(|kept| kept.message.text == news);
    let done =
        Message { text: "Answered claude: picked 1, ~864 tokens: u undoes it".to_owned(), tone: MessageKind::Done };
    let mut state = desk("", &[]);
    state.message = Some(done);
    tell(&mut state, &[write("w1")]);
    assert_eq!((message(&state), is_kept(&state)), (news, true));
    let mut state = desk("", &[]);
    state.refuse("no");
    tell(&mut state, &[write("w1")]);
    assert_eq!((message(&state), is_kept(&state)), ("no", true), "a refusal is read first");
    let mut state = desk("", &[choice("r1")]);
    press(&mut state, "A");
    tell(&mut state, &[choice("r1"), write("w1")]);
    assert_eq!((message(&state), is_kept(&state)), ("", true), "the request that is shown counts them");
}

#[test]
fn the_end_of_each_request_is_reported() {
    let by = |by: &str| RequestEnd::Elsewhere(OtherAnswer { by: Some(by.to_owned()), reply: None });
    for (waiting, ended, said) in [
        (choice("r"), RequestEnd::Here(chosen(&["a", "b"])), "answered claude over mcp: 2 sources"),
        (choice("r"), RequestEnd::Here(Reply::No), "answered claude over mcp: picked none of them"),
        (write("r"), RequestEnd::Here(Reply::Yes), "approved: codex over mcp may write src/Order.java as shown"),
        (write("r"), RequestEnd::Here(Reply::No), "declined: codex over mcp will not write src/Order.java"),
        (choice("r"), by("a screen"), "the choice for claude over mcp was answered by a screen"),
        (
            choice("r"),
            RequestEnd::Elsewhere(OtherAnswer::default()),
            "the choice for claude over mcp was answered elsewhere",
        ),
        (choice("r"), RequestEnd::TimedOut, "the choice for claude over mcp timed out without an answer"),
        (
            write("r"),
            RequestEnd::RequesterExited,
            "the write of src/Order.java is no longer needed: codex over mcp is gone",
        ),
        (choice("r"), RequestEnd::Withdrawn, "the choice for claude over mcp was answered elsewhere or withdrawn"),
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
        // The other request is withdrawn, which replaces the message.
        event(
            &mut state,
            Event::Closed(Box::new(ClosedRequest { request: choice("r1").request, ended: RequestEnd::Withdrawn })),
        );
        tell(&mut state, &[]);
        assert_eq!(message(&state), "the choice for claude over mcp was answered elsewhere or withdrawn");
    }
    // A request of which only the end arrives.
    let mut state = desk("", &[choice("r1")]);
    tell(&mut state, &[]);
    assert!(state.message.is_none(), "{}", message(&state));
}

#[test]
fn nothing_is_reported_twice() {
    for (waiting, context) in [
        (choice("r1"), "claude over mcp asks which references to use"),
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
fn a_failed_approved_write_is_reported() {
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
