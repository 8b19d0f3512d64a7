//! `refdesk ask`: asks a person which sources to select, through the configured channel, and picks the answer.

use std::io::{IsTerminal, stderr, stdin};

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{AskArgs, SelectArgs};
use super::{fix, rows, select, signals};
use refdesk_core::catalog::{Mode, Source};
use refdesk_desk::channel::{self, ChannelAnswer, ChannelSetup, NoAnswer, Place, Request, Wait};
use refdesk_desk::{Desk, Picker, Session, TagFilter, nearest_tag, quoted_tags, unused_tags};
use refdesk_text::tokens::grouped;
use refdesk_text::{Code, Error, Fix};

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
        Error::new(Code::NoSources, desk.no_sources(), fix::no_sources(desk))
    } else {
        let (wanted, left) = unavailable(desk, tags);
        let with_tag = match tags {
            [] => String::new(),
            tags => format!(" with the tag {}", quoted_tags(tags)),
        };
        if left.is_empty() && (tags.is_empty() || wanted > 0) {
            let which = match tags {
                [] => "every selectable source is already selected".to_owned(),
                _ => format!("all sources{with_tag} are selected already"),
            };
            let message = format!("nothing to choose: {which}");
            let answer = CommandOutput::new(nothing(&message), rows::result(&message));
            return with(answer, &[("status", json!("all_selected"))]);
        }
        if left.is_empty() {
            let nearest = nearest_tag(desk.catalog(), &unused_tags(desk.catalog(), tags));
            let message = format!("nothing to choose: no selectable source has the tag {}{nearest}", quoted_tags(tags));
            Error::new(Code::NoneMatched, message, "`refdesk list --unselected` shows ids and tags")
        } else {
            none_available(desk, wanted, &left, &with_tag)
        }
    };
    let status = if refusal.code == Code::NoSources { "no_sources" } else { "none_matched" };
    refused(refusal, &[("status", json!(status))])
}

/// How many selectable sources have these tags, and those of them that are not selected.
fn unavailable<'d>(desk: &'d Desk, tags: &[String]) -> (usize, Vec<&'d Source>) {
    let filter = TagFilter::new(tags);
    let is_selected = |source: &&Source| desk.selection().contains(source.id.as_str());
    let sources = desk.catalog().sources().iter().filter(|source| tags.is_empty() || filter.matches(source));
    let wanted: Vec<&Source> = sources.filter(|it| it.mode == Mode::Selectable || is_selected(it)).collect();
    (wanted.len(), wanted.into_iter().filter(|source| !is_selected(source)).collect())
}

/// The error if those of `wanted` sources that are not selected are all excluded or missing.
fn none_available(desk: &Desk, wanted: usize, left: &[&Source], with_tag: &str) -> Error {
    let (excluded, missing): (Vec<&Source>, Vec<&Source>) =
        left.iter().copied().partition(|source| desk.selection().is_excluded(source.id.as_str()));
    let fix = excluded.first().map_or_else(|| fix::CORRECT_PATH.into(), |source| Fix::Include(source.id.to_string()));
    let counts = [(wanted - left.len(), "selected"), (excluded.len(), "excluded"), (missing.len(), "missing")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let states: Vec<String> = counts
        .map(|(count, state)| match (wanted, count) {
            (1, _) => format!("is {state}"),
            (_, 1) => format!("1 is {state}"),
            (_, count) => format!("{} are {state}", grouped(*count)),
        })
        .collect();
    let states = refdesk_text::names::joined(&states, usize::MAX);
    let message = match wanted {
        1 => format!("nothing to choose: the only selectable source{with_tag} {states}"),
        _ if left.len() == wanted && (excluded.is_empty() || missing.is_empty()) => {
            let state = if missing.is_empty() { "excluded" } else { "missing" };
            format!("nothing to choose: all {} selectable sources{with_tag} are {state}", grouped(wanted))
        }
        _ => format!("nothing to choose: of {} selectable sources{with_tag}, {states}", grouped(wanted)),
    };
    Error::new(Code::NoneMatched, message, fix)
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
