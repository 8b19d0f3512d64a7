//! `refdesk ask`: asks a person which sources to select, through the configured channel, and picks the answer.

use std::io::{IsTerminal, stderr, stdin};

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{AskArgs, SelectArgs};
use super::{fix, rows, select, signals};
use refdesk_desk::channel::{self, ChannelAnswer, ChannelSetup, NoAnswer, Place, Request, Wait};
use refdesk_desk::{Desk, Picker, Session, TagFilter, nearest_tag, quoted_tags, unused_tags};
use refdesk_text::{Code, Error};

/// Exit code of a request that was not answered in time (BEHAVIOUR §10).
const TIMED_OUT: u8 = 3;

/// Asks, waits for the answer, and picks its sources.
pub fn run(desk: &mut Desk, session: &Session, args: &AskArgs) -> CommandOutput {
    let request = channel::request(&desk.settled(), session, &args.context, &args.tags);
    if request.sources.is_empty() {
        return nothing_to_ask(desk, &args.tags);
    }
    let setup = ChannelSetup::of(desk);
    let at_terminal = stdin().is_terminal() && stderr().is_terminal();
    let place = if at_terminal { Place::Terminal } else { Place::Protocol };
    let channel = match channel::open(&setup, place) {
        Ok(channel) => channel,
        Err(why) => return unanswered(&request, &why, setup.settings.timeout),
    };
    desk.journal(session, channel::request_receipt(&request));
    let wait = Wait::seconds(setup.settings.timeout);
    // So that the request is withdrawn, and the output says what happened.
    signals::set_on_signal(&wait.cancel_flag());
    let came = channel.ask(&request, &wait);
    desk.journal(session, channel::answer_receipt(&request, &came));
    match came {
        Ok(answered) => pick(desk, session, &request, answered),
        Err(why) => unanswered(&request, &why, setup.settings.timeout),
    }
}

fn pick(desk: &mut Desk, session: &Session, request: &Request, answered: ChannelAnswer) -> CommandOutput {
    let ChannelAnswer { selected, mut unknown, by, is_from_program, .. } = answered;
    // A program may be anyone's.
    let picker = if is_from_program { Picker::Agent } else { Picker::Person };
    let mut answer = if selected.is_empty() && !unknown.is_empty() {
        let refusal = Error::new(Code::NoneMatched, "the answer names nothing that was offered", "ask once more");
        refused(refusal, &[("status", json!("none_matched"))])
    } else if selected.is_empty() {
        let message = "nothing was chosen";
        CommandOutput::new(
            json(&[("status", json!("none_selected")), ("message", json!(message))]),
            rows::result(message),
        )
    } else {
        // Pick only what was offered; other ids in the answer are only reported.
        select::run(desk, session, &SelectArgs { ids: selected, tags: Vec::new() }, picker).into()
    };
    if !unknown.is_empty() {
        answer.notes.push(format!("not offered, and left out: {}", rows::first_of(&unknown)));
    }
    // Sources that left the catalog in the meantime count as unknown too.
    let gone = answer.json.get("unknown").and_then(Value::as_array).into_iter().flatten();
    unknown.extend(gone.filter_map(Value::as_str).map(str::to_owned));
    with(answer, &[("unknown", json!(unknown)), ("request_id", json!(request.request_id)), ("answered_by", json!(by))])
}

fn nothing_to_ask(desk: &mut Desk, tags: &[String]) -> CommandOutput {
    let refusal = if desk.catalog().is_empty() {
        Error::new(Code::NoSources, "the catalog has no sources", fix::no_sources(desk))
    } else if tags.is_empty() || is_all_selected(desk, tags) {
        let which = match tags {
            [] => "every selectable source is already selected".to_owned(),
            tags => format!("all sources with the tag {} are selected already", quoted_tags(tags)),
        };
        let message = format!("nothing to choose: {which}");
        let answer = CommandOutput::new(nothing(&message), rows::result(&message));
        return with(answer, &[("status", json!("all_selected"))]);
    } else {
        let message = format!(
            "nothing to choose: no selectable source has the tag {}{}",
            quoted_tags(tags),
            nearest_tag(desk.catalog(), &unused_tags(desk.catalog(), tags))
        );
        Error::new(Code::NoneMatched, message, "`refdesk list --unselected` shows ids and tags")
    };
    let status = if refusal.code == Code::NoSources { "no_sources" } else { "none_matched" };
    refused(refusal, &[("status", json!(status))])
}

/// Whether all sources with these tags are already selected.
fn is_all_selected(desk: &Desk, tags: &[String]) -> bool {
    let wanted = TagFilter::new(tags);
    let mut tagged = desk.catalog().sources().iter().filter(|source| wanted.matches(source)).peekable();
    tagged.peek().is_some() && tagged.all(|source| desk.selection().contains(source.id.as_str()))
}

fn unanswered(request: &Request, why: &NoAnswer, timeout: f64) -> CommandOutput {
    let refusal = match why {
        NoAnswer::TimedOut => Error::new(
            Code::TimedOut,
            format!("no answer within {timeout} s; nothing was selected"),
            "ask again, or allow more time with channel.timeout",
        ),
        NoAnswer::Cancelled => Error::new(Code::GivenUp, "the request was cancelled; nothing was selected", ""),
        NoAnswer::Failed(error) => {
            Error { message: format!("{}; nothing was selected", error.message), ..error.clone() }
        }
    };
    let (status, exit) = match why {
        why if why.is_late() => ("timed_out", TIMED_OUT),
        NoAnswer::Cancelled => ("error", signals::INTERRUPTED),
        _ => ("error", 1),
    };
    let answer = refused(refusal, &[("status", json!(status)), ("request_id", json!(request.request_id))]);
    CommandOutput { exit, ..answer }
}

/// A failure, with the same members as a success.
fn refused(refusal: Error, members: &[(&str, Value)]) -> CommandOutput {
    let json = json(&[("message", json!(refusal.message))]);
    with(CommandOutput { json, ..CommandOutput::refused(refusal) }, members)
}

/// The answer if no one was asked.
pub fn nothing(message: &str) -> Value {
    json(&[
        ("status", json!("error")),
        ("message", json!(message)),
        ("request_id", Value::Null),
        ("answered_by", Value::Null),
    ])
}

/// The JSON of `select` for an empty selection, plus these members.
fn json(members: &[(&str, Value)]) -> Value {
    let mut nothing = json!({
        "status": null,
        "selected_count": 0,
        "transitive_count": 0,
        "sources": [],
        "unknown": [],
        "missing": [],
        "message": "",
    });
    set(&mut nothing, members);
    nothing
}

fn with(mut answer: CommandOutput, members: &[(&str, Value)]) -> CommandOutput {
    set(&mut answer.json, members);
    answer
}

fn set(json: &mut Value, members: &[(&str, Value)]) {
    if let Value::Object(object) = json {
        object.extend(members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    }
}
