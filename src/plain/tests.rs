//! Conversations with the plain interface on the sample desk, without an engine.

mod asking;
mod choosing;
mod laws;
mod looking;
mod making;

use refdesk_desk::engine::{Request, Response};

use super::state::{InputOutcome, PlainEffect, PlainInput, PlainState};
use super::update::update;
use crate::fixture;

fn state() -> PlainState {
    PlainState { snapshot: fixture::snapshot(), ..PlainState::default() }
}

fn typed(state: &mut PlainState, line: &str) -> InputOutcome {
    update(state, PlainInput::Line(line.to_owned()))
}

/// The lines printed for a line that sends no request to the engine.
#[track_caller]
fn output(state: &mut PlainState, line: &str) -> Vec<String> {
    let turn = typed(state, line);
    assert_eq!(turn.effects, [], "{line}");
    turn.lines
}

/// The only request that a line sends.
#[track_caller]
fn asked(state: &mut PlainState, line: &str) -> Request {
    let turn = typed(state, line);
    match turn.effects.as_slice() {
        [PlainEffect::Ask(request)] => request.clone(),
        other => panic!("{line}: {other:?}, {:?}", turn.lines),
    }
}

fn answered(state: &mut PlainState, response: Response) -> InputOutcome {
    update(state, PlainInput::Answer(response))
}
