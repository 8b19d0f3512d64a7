//! What a pick costs, before it is made: the question before a large one, and the budget.

use crate::tui::fixture;
use crate::tui::state::State;
use crate::tui::windows::WindowKind;
use refdesk_desk::engine::{Event, PickReach, Request, Response};
use refdesk_desk::{LargePick, PickStatus, Picked, Price, SelectionChange};

use crate::tui::tests::{answer, commands, event, message, press, screen, typed};

fn large() -> LargePick {
    let change = |others: usize, tokens_in| SelectionChange {
        enters: std::iter::once("java-service".to_owned())
            .chain((0..others).map(|nth| format!("adr-{nth:03}")))
            .map(Into::into)
            .collect(),
        tokens_in,
        ..SelectionChange::default()
    };
    LargePick { id: "java-service".into(), whole: change(126, 76_475), near: change(4, 9_310), alone: change(0, 2_769) }
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
fn a_limit_is_typed_and_kept() {
    let mut state = fixture::state(120, 36);
    assert!(screen(&state).contains("of 128k"), "{}", screen(&state));
    press(&mut state, "b");
    answer(&mut state, Response::Price(Price { instructions: 812, prompt: 96 }));
    typed(&mut state, "C-u \"4k\" Enter");
    assert_eq!((message(&state), state.window), ("the limit is 4k tokens", None));
    assert_eq!(state.remember().token_limit, Some(4_000));
    assert!(screen(&state).contains("██████████▏ of 4k"), "{}", screen(&state));
    typed(&mut state, "b C-u \"much\" Enter");
    assert_eq!(message(&state), "type a number of tokens, such as 128k, 200000 or 1m");
    assert_eq!(state.open_window(), Some(WindowKind::Budget));
    press(&mut state, "Esc");
    assert_eq!(state.remember().token_limit, Some(4_000));
}

#[test]
fn windows_before_a_pick() {
    for (width, height) in [(40, 10), (80, 24), (120, 36)] {
        insta::assert_snapshot!(format!("large_pick_{width}x{height}"), screen(&asked(width, height)));
        let mut state = fixture::state(width, height);
        typed(&mut state, "3 Enter \"add circuit breakers\" Esc b");
        answer(&mut state, Response::Price(Price { instructions: 812, prompt: 96 }));
        insta::assert_snapshot!(format!("budget_{width}x{height}"), screen(&state));
    }
}

#[test]
fn what_a_pick_brought_stays_in_the_bottom_line() {
    let mut state = fixture::state(120, 36);
    let picked = Picked {
        status: PickStatus::Success,
        picked: vec!["circuit-breaker".into()],
        pulled_in: vec!["retry-pattern".into(), "timeouts".into()],
        unknown: Vec::new(),
        missing: Vec::new(),
        message: String::new(),
    };
    answer(&mut state, Response::Picked(Ok(Box::new((picked, serde_json::Value::Null)))));
    let said = "Picked @circuit-breaker; 2 sources followed, ~4,300 tokens in all: u undoes it";
    assert_eq!(message(&state), said);
    event(&mut state, Event::Notice(fixture::notice("References transitively included: @retry-pattern")));
    assert_eq!(message(&state), said);
    press(&mut state, "j");
    assert_eq!(message(&state), "");
}
