//! Requests from agents: which sources to work with, and whether they may write a file. A write can be approved only
//! after its whole diff was printed.

use std::collections::BTreeSet;

use crate::common::answers::outcome;
use refdesk_core::catalog::SourceId;
use refdesk_desk::SelectionChange;
use refdesk_desk::channel::{Approval, ApprovalEffect, OfferedReference, Request as Asked};
use refdesk_desk::engine::{ClosedRequest, Reply, Request, RequestEnd, WaitingRequest};

use crate::common::change_cost::{self, TokenFormat};
use crate::common::source_words;

use super::choice::{self, PendingChange};
use super::lists::{NumberedRow, Target, list};
use super::state::{InputOutcome, InputOwner, Pending, PlainState, Question};
use super::words::{counted, joined, names, price, sentence, state_words, stopped};

/// Printed after a choice.
const CHOSEN: &str = "Answered with your choice.";

/// The request being answered, as it was printed.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    pub waiting: WaitingRequest,
    /// The chosen sources; empty until they are chosen.
    pub chosen: Vec<String>,
}

/// Lists the requests, or opens the only one.
pub fn show(state: &mut PlainState, turn: &mut InputOutcome) {
    let waiting = state.snapshot.requests.clone();
    if state.input_owner == InputOwner::Script {
        return turn.print("Only a person at a terminal can answer requests.");
    }
    match &*waiting {
        [] => turn.print("No agent is asking for anything."),
        [one] => open(state, one.clone(), turn),
        all => {
            let (shown, count) = (all.len(), state.snapshot.request_count());
            let shown = if shown < count { format!(", and {shown} of them are listed") } else { String::new() };
            turn.print(format!("{} wait for you{shown}. Type a number to answer one.", counted(count, "request")));
            let row = |one: &WaitingRequest| {
                NumberedRow::new(Target::Request(one.request.request_id.clone()), head(state, one))
            };
            list(state, all.iter().map(row).collect(), turn);
        }
    }
}

pub fn open_one(state: &mut PlainState, id: &str, turn: &mut InputOutcome) {
    match state.snapshot.requests.iter().find(|waiting| waiting.request.request_id == id).cloned() {
        Some(waiting) => open(state, waiting, turn),
        None => turn.print("This request is no longer open."),
    }
}

fn asker(request: &Asked) -> &str {
    if request.asker.who.is_empty() { "An agent" } else { &request.asker.who }
}

/// `claude over mcp wants you to choose from 12 sources, session s1, at desk review, until 12:03:41.`
fn head(state: &PlainState, waiting: &WaitingRequest) -> String {
    let request = &waiting.request;
    let what = match &request.approval {
        Some(approval) => format!("wants to write {}", approval.shown_path()),
        None => format!("wants you to choose from {}", counted(request.sources.len(), "source")),
    };
    let session = match request.asker.session.as_str() {
        "" => String::new(),
        session => format!(", session {session}"),
    };
    let desk = request.other_desk(&state.snapshot.desk).map(|desk| format!(", at desk {desk}")).unwrap_or_default();
    let until = waiting.until.as_ref().map(|until| format!(", until {until}")).unwrap_or_default();
    format!("{} {what}{session}{desk}{until}.", asker(request))
}

fn open(state: &mut PlainState, waiting: WaitingRequest, turn: &mut InputOutcome) {
    turn.print(head(state, &waiting));
    if waiting.request.has_reason() {
        turn.print(format!("Reason: {}", stopped(&waiting.request.context)));
    }
    match &waiting.request.approval {
        Some(approval) => print_write(approval, turn),
        None => {
            let is_ours = waiting.request.other_desk(&state.snapshot.desk).is_none();
            let rows = waiting.request.sources.iter().map(|offered| row(state, offered, is_ours)).collect();
            list(state, rows, turn);
            turn.print("Type the numbers of the sources, all, none, or later.");
        }
    }
    state.question = Some(Question::Request(Box::new(OpenRequest { waiting, chosen: Vec::new() })));
}

/// A source offered to this desk with its state and price; to another, whose state is not known here, only its names.
fn row(state: &PlainState, offered: &OfferedReference, is_ours: bool) -> NumberedRow {
    let (id, name) = (&offered.id, &offered.name);
    let snapshot = &state.snapshot;
    let now = match snapshot.catalog.get(id) {
        _ if !is_ours => String::new(),
        Some(_) => format!(", {}, {}", state_words(snapshot, id), price(snapshot, id)),
        None => ", not in this catalog".to_owned(),
    };
    NumberedRow::new(Target::Source(SourceId::from(id.as_str())), format!("{id}, {name}{now}."))
}

/// Prints the whole write.
fn print_write(approval: &Approval, turn: &mut InputOutcome) {
    let what = match approval.effect() {
        ApprovalEffect::New => "This is a new file.",
        ApprovalEffect::Other => "This OVERWRITES a file.",
        ApprovalEffect::Same => "The file already has exactly this text.",
        ApprovalEffect::Unknown => "The current content is unknown.",
    };
    let template =
        approval.template.as_ref().map(|name| format!(" It comes from the template {name}.")).unwrap_or_default();
    let is_same = approval.effect() == ApprovalEffect::Same;
    let changes = if is_same { String::new() } else { format!(" Changes: {}.", approval.summary) };
    turn.print(format!("{what}{changes}{template}"));
    approval.warnings.iter().for_each(|warning| turn.print(format!("Warning: {}", sentence(warning))));
    if !is_same {
        turn.print(format!("The difference has {}:", counted(approval.diff.lines().count(), "line")));
        approval.diff.lines().for_each(|line| turn.print(line));
    }
    turn.print("Type yes to let it write exactly this, no to decline, or later.");
}

pub fn reply(state: &mut PlainState, open: OpenRequest, line: &str, turn: &mut InputOutcome) {
    let id = &open.waiting.request.request_id;
    let now = state.snapshot.requests.iter().find(|waiting| waiting.request.request_id == *id);
    match now {
        None => return turn.print("This request is no longer open. Nothing was answered."),
        Some(now) if now.request != open.waiting.request => {
            turn.print("The request has changed in the meantime. Nothing was answered.");
            let now = now.clone();
            return self::open(state, now, turn);
        }
        Some(_) => {}
    }
    let is_write = open.waiting.request.approval.is_some();
    let word = line.to_lowercase();
    match word.as_str() {
        "later" | "cancel" => turn.print("The request is still open. Type requests to answer it."),
        "yes" | "y" if is_write => send(state, &open, Reply::Yes, "Approved.", turn),
        "no" | "n" if is_write => send(state, &open, Reply::No, "Declined.", turn),
        "none" => send(state, &open, Reply::No, "Answered: none.", turn),
        "yes" | "y" if !open.chosen.is_empty() => {
            let reply = Reply::Chosen(open.chosen.clone());
            if open.waiting.request.other_desk(&state.snapshot.desk).is_some() {
                return send(state, &open, reply, CHOSEN, turn);
            }
            let named = open.chosen.iter().map(|id| SourceId::from(id.as_str())).collect();
            state.pending = Some(Pending::Reply(PendingChange::new(state, CHOSEN.to_owned(), named)));
            turn.ask(Request::Reply { request: open.waiting.request, reply });
        }
        "no" | "n" if !open.chosen.is_empty() => {
            turn.print("Nothing was answered. Type other numbers, all, none, or later.");
            state.question = Some(Question::Request(Box::new(OpenRequest { chosen: Vec::new(), ..open })));
        }
        _ if is_write => {
            turn.print("Please type yes, no, or later.");
            state.question = Some(Question::Request(Box::new(open)));
        }
        "more" | "" => {
            super::lists::more(state, turn);
            state.question = Some(Question::Request(Box::new(open)));
        }
        _ => choose(state, open, &word, turn),
    }
}

/// Parses the numbers, and asks what choosing these sources would add to this desk.
fn choose(state: &mut PlainState, open: OpenRequest, line: &str, turn: &mut InputOutcome) {
    let sources = &open.waiting.request.sources;
    let mut chosen = BTreeSet::new();
    for word in line.split([',', ' ']).filter(|word| !word.is_empty()) {
        let by_number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let at = by_number.filter(|at| *at < sources.len());
        let at = at.or_else(|| sources.iter().position(|offered| offered.id == word.trim_start_matches('@')));
        match at {
            Some(at) => drop(chosen.insert(at)),
            None if word == "all" => chosen.extend(0..sources.len()),
            None => {
                turn.print(format!(
                    "{word} is not in this list. Type numbers from 1 to {}, all, none, or later.",
                    sources.len()
                ));
                state.question = Some(Question::Request(Box::new(open)));
                return;
            }
        }
    }
    let chosen: Vec<String> =
        chosen.iter().filter_map(|at| sources.get(*at)).map(|offered| offered.id.clone()).collect();
    let all = chosen.iter().map(|id| SourceId::from(id.as_str())).collect();
    let open = OpenRequest { chosen, ..open };
    if open.waiting.request.other_desk(&state.snapshot.desk).is_some() {
        print_chosen(&open, turn);
        return confirm(state, open, turn);
    }
    state.pending = Some(Pending::Marks(Box::new(open)));
    turn.ask(Request::PreviewPicks { one: None, all });
}

fn print_chosen(open: &OpenRequest, turn: &mut InputOutcome) {
    turn.print(format!("Chosen: {}.", names(open.chosen.iter().map(String::as_str))));
}

fn confirm(state: &mut PlainState, open: OpenRequest, turn: &mut InputOutcome) {
    turn.print("Type yes to answer with them, or other numbers, all, none, or later.");
    state.question = Some(Question::Request(Box::new(open)));
}

/// Prints what the chosen sources would add, and asks.
pub fn previewed(state: &mut PlainState, open: OpenRequest, all: &SelectionChange, turn: &mut InputOutcome) {
    print_chosen(&open, turn);
    match all.enters.len() {
        0 => turn.print("They add nothing new to the selection."),
        some => {
            let waiting = source_words::waiting(source_words::count_waiting(&state.snapshot, &all.enters));
            let cost = change_cost::added(all.cost, TokenFormat::Spoken);
            let with = change_cost::with_instructions(all.cost, TokenFormat::Spoken);
            let (they, add, together) =
                if open.chosen.len() == 1 { ("It", "adds", "") } else { ("They", "add", " together") };
            turn.print(format!("{they} {add} {}, {cost}{together}{with}{waiting}.", counted(some, "source")));
        }
    }
    if let Some(words) = source_words::may_then_fetch(all, joined) {
        turn.print(sentence(&words));
    }
    confirm(state, open, turn);
}

/// Prints what followed from a choice that the agent, not this program, picks.
pub fn answered(state: &PlainState, change: &PendingChange, turn: &mut InputOutcome) {
    if change.is_picked_in(&state.snapshot.selection) {
        return choice::changed(state, change, &[], turn);
    }
    turn.print(&change.done);
    turn.print("The agent has not picked it yet. Type selection to see whether it has.");
}

fn send(state: &mut PlainState, open: &OpenRequest, reply: Reply, printed: &'static str, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Simple(printed));
    turn.ask(Request::Reply { request: open.waiting.request.clone(), reply });
}

/// How a request ended, unless the user answered it here.
pub fn ended(over: &ClosedRequest) -> Option<String> {
    let who = asker(&over.request);
    let what = match &over.request.approval {
        Some(approval) => format!("the write of {}", approval.shown_path()),
        None => "the choice".to_owned(),
    };
    Some(match &over.ended {
        RequestEnd::Here(_) => return None,
        RequestEnd::Elsewhere(answer) => {
            let outcome = outcome(&over.request, answer);
            match &answer.by {
                Some(by) => format!("{by} answered {what} for {who}{outcome}."),
                None => format!("{what} for {who} was answered elsewhere{outcome}."),
            }
        }
        RequestEnd::TimedOut => format!("{what} for {who} timed out without an answer."),
        RequestEnd::RequesterExited => format!("{who} is gone: {what} is no longer needed."),
        RequestEnd::Withdrawn => format!("{who} no longer asks for {what}."),
    })
}
