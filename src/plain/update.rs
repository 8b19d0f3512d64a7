//! Applies an input to the state. Pure: a line becomes a command or the answer to a question; an answer of the engine is
//! said, or leads to the next request.

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Request, Response, Snapshot};

use super::choice::{self, Choosing};
use super::command::{COMMANDS, Parsed, PlainCommand, Verb, named, parse};
use super::lists::{self, Target, row};
use super::source::{self, SourceArgument};
use super::state::{Continuation, Pending, PlainInput, PlainState, Question, Turn};
use super::words::counted;
use super::{catalog, feed, fix, selection};

pub fn update(state: &mut PlainState, input: PlainInput) -> Turn {
    let mut turn = Turn::default();
    match input {
        PlainInput::Line(line) => self::line(state, &line, &mut turn),
        PlainInput::Snapshot(snapshot) => state.snapshot = *snapshot,
        PlainInput::TooLong => turn.say("This line is too long, and was not taken."),
        PlainInput::Event(event) => feed::event(state, event),
        PlainInput::Answer(response) => answer(state, response, &mut turn),
    }
    turn
}

/// From this many documents on, it is said that they are read.
const MANY_DOCUMENTS: usize = 1_000;

/// What is said while the documents are read, which may take a while.
pub fn reading(snapshot: &Snapshot) -> Turn {
    let mut turn = Turn::default();
    if let Some(loading) = snapshot.loading.filter(|loading| loading.total >= MANY_DOCUMENTS) {
        turn.say(format!("Reading {}.", counted(loading.total, "document")));
    }
    turn
}

/// What is said when the workspace is open.
pub fn begin(state: &mut PlainState) -> Turn {
    let mut turn = Turn::default();
    turn.say(format!("refdesk, workspace {}.", state.snapshot.workspace));
    status(state, &mut turn);
    turn.say("Type help for the commands, and quit to leave.");
    turn
}

/// What is said before a line is read: news, and what can be typed.
pub fn before_line(state: &mut PlainState) -> Turn {
    let mut turn = Turn::default();
    feed::say_news(state, &mut turn);
    turn.say(prompt(state));
    turn
}

fn prompt(state: &PlainState) -> String {
    let rows = state.list.rows.len();
    match (&state.question, state.more, rows) {
        (Some(Question::Choice(_) | Question::Clear), ..) => "Yes or no:".to_owned(),
        (None, Continuation::List | Continuation::Text, 1..) => format!("Number from 1 to {rows}, more, or command:"),
        (None, Continuation::Text, 0) => "More, or command:".to_owned(),
        (None, _, 1) => "Number 1, or command:".to_owned(),
        (None, _, 2..) => format!("Number from 1 to {rows}, or command:"),
        (None, ..) => "Command:".to_owned(),
    }
}

fn status(state: &PlainState, turn: &mut Turn) {
    let snapshot = &state.snapshot;
    turn.say(format!("The catalog has {}. {}", counted(snapshot.catalog.len(), "source"), choice::total(snapshot)));
}

fn line(state: &mut PlainState, line: &str, turn: &mut Turn) {
    if let Some(question) = state.question.take() {
        return reply(state, question, line.trim(), turn);
    }
    match parse(line) {
        Parsed::Nothing if state.more == Continuation::Nothing => turn.say("Type help for the commands."),
        Parsed::Nothing => lists::more(state, turn),
        Parsed::Number(number) => go_to(state, number, turn),
        Parsed::Command(command, rest) => act(state, command, rest, turn),
        Parsed::Unknown(word, Some(near)) => turn.say(format!("There is no command {word}. Did you mean {near}?")),
        Parsed::Unknown(word, None) => turn.say(format!("There is no command {word}. Type help for the commands.")),
    }
}

fn reply(state: &mut PlainState, question: Question, line: &str, turn: &mut Turn) {
    match line.to_lowercase().as_str() {
        "yes" | "y" => match question {
            Question::Choice(choosing) => choice::carry_out(state, &choosing, turn),
            Question::Clear => choice::clear_now(state, turn),
        },
        "no" | "n" | "cancel" => turn.say("Nothing was changed."),
        _ => {
            turn.say("Please type yes or no.");
            state.question = Some(question);
        }
    }
}

fn go_to(state: &mut PlainState, number: usize, turn: &mut Turn) {
    match row(state, number).map(|row| row.target.clone()) {
        Some(Target::Source(id)) => source::show(state, &id, turn),
        None => match source::one(state, &number.to_string(), SourceArgument::Known) {
            Ok(id) => source::show(state, &id, turn),
            Err(why) => turn.say(why),
        },
    }
}

fn act(state: &mut PlainState, command: &PlainCommand, rest: &str, turn: &mut Turn) {
    match command.verb {
        Verb::List => catalog::show(state, rest, turn),
        Verb::More => lists::more(state, turn),
        Verb::Sort => catalog::sort(state, rest, turn),
        Verb::Show => with_source(state, rest, turn, source::show),
        Verb::Document => with_source(state, rest, turn, source::document),
        Verb::Find => source::find(state, rest, turn),
        Verb::Why => with_source(state, rest, turn, source::why),
        Verb::Open => with_source(state, rest, turn, source::open),
        Verb::Pick => choice::pick(state, rest, turn),
        Verb::Unpick => choice::one_source(state, rest, Choosing::Unpick, turn),
        Verb::Keep => choice::one_source(state, rest, Choosing::Keep, turn),
        Verb::Exclude => choice::one_source(state, rest, Choosing::Exclude, turn),
        Verb::Include => choice::one_source(state, rest, Choosing::Include, turn),
        Verb::Clear => choice::clear(state, turn),
        Verb::Undo => choice::retrace(state, Request::Undo, turn),
        Verb::Redo => choice::retrace(state, Request::Redo, turn),
        Verb::Selection => selection::show(state, turn),
        Verb::Status => status(state, turn),
        Verb::Reload => {
            state.pending = Some(Pending::Reload);
            turn.ask(Request::Reload);
        }
        Verb::Help => help(rest, turn),
        Verb::Quit => turn.effects.push(super::state::PlainEffect::Quit),
    }
}

fn with_source(
    state: &mut PlainState,
    rest: &str,
    turn: &mut Turn,
    act: impl FnOnce(&mut PlainState, &SourceId, &mut Turn),
) {
    match source::one(state, rest, SourceArgument::Chosen) {
        Ok(id) => act(state, &id, turn),
        Err(why) => turn.say(why),
    }
}

fn help(rest: &str, turn: &mut Turn) {
    if rest.is_empty() {
        for command in COMMANDS {
            turn.say(format!("{}. {}", command.usage(), command.description));
        }
        turn.say("N is a number of the last list. A number alone opens that row.");
        return;
    }
    match named(rest) {
        Some(command) => {
            turn.say(format!("{}. {}", command.usage(), command.description));
            if let [_, others @ ..] = command.names
                && !others.is_empty()
            {
                turn.say(format!("Other names: {}.", others.join(", ")));
            }
        }
        None => turn.say(format!("There is no command {rest}. Type help for the commands.")),
    }
}

/// Takes the engine's answer to the last request.
fn answer(state: &mut PlainState, response: Response, turn: &mut Turn) {
    match (state.pending.take(), response) {
        (Some(Pending::Preview(choosing)), response) => choice::previewed(state, choosing, &response, turn),
        (Some(Pending::Change(change)), Response::Done(refusals)) => choice::changed(state, &change, &refusals, turn),
        (Some(Pending::Change(change)), Response::Picked(Ok(_))) => choice::changed(state, &change, &[], turn),
        (Some(Pending::Change(change)), Response::Picked(Err(refusal))) => {
            choice::changed(state, &change, &[refusal], turn);
        }
        (Some(Pending::Document), Response::Document(document)) => source::say_document(state, &document, turn),
        (Some(Pending::Place(of)), Response::Located(spot)) => source::located(state, of, &spot, turn),
        (Some(Pending::Reload), _) => {
            turn.say("Everything was read again.");
            status(state, turn);
        }
        (_, Response::Done(refusals)) => {
            refusals.iter().flat_map(fix::sentences).for_each(|line| turn.say(line));
        }
        _ => {}
    }
}
