//! The sessions of agents: what each was sent, read and picked, its cost, and what it knows.

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Request;
use refdesk_desk::{AgentActivity, AgentSession, SessionLine};

use super::lists::{NumberedRow, Target, list};
use super::state::{InputOutcome, Pending, PlainState};
use super::words::{counted, price, sentence, tokens};
use crate::common::known_sources::{self, KnownRow, rows, sentences};

pub fn ask(state: &mut PlainState, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Agents);
    turn.ask(Request::Agents);
}

/// Asks the engine again, because the session may have continued.
pub fn ask_for(state: &mut PlainState, desk: String, session: String, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Session { desk, session });
    turn.ask(Request::Agents);
}

pub fn listed(state: &mut PlainState, activity: &AgentActivity, turn: &mut InputOutcome) {
    if let Some(problem) = &activity.problem {
        turn.print(sentence(problem));
    }
    let connected = match activity.connected.len() {
        0 => "no agent is connected".to_owned(),
        1 => "1 agent is connected".to_owned(),
        some => format!("{some} agents are connected"),
    };
    match activity.sessions.len() {
        // The unreadable lines may be those of agents.
        0 if activity.problem.is_some() => {}
        0 => turn.print("No agent has been sent anything yet. Type welcome to learn how to connect one."),
        some => turn.print(format!(
            "{}, newest first, {} in all; {connected}. Type a number for more.",
            counted(some, "agent session"),
            tokens(activity.tokens()),
        )),
    }
    let row = |session: &std::sync::Arc<AgentSession>| {
        let target = Target::Session(session.desk.clone(), session.session.clone());
        NumberedRow::new(target, words(activity, session))
    };
    list(state, activity.sessions.iter().map(row).collect(), turn);
}

/// `claude-code, session s1, last at 11:04:00, about 16,420 tokens. It was sent 14 texts, …`
fn words(activity: &AgentActivity, session: &AgentSession) -> String {
    let (last, price) = (activity.clock(session.last), tokens(session.tokens()));
    let sentences = sentences(session, tokens).join(" ");
    let presence = known_sources::presence(activity, session);
    format!("{}, session {}, last at {last}{presence}, {price}. {sentences}", session.agent, session.session)
}

/// Prints everything about a session: what it knows, then its journal lines.
pub fn show_session(state: &mut PlainState, activity: &AgentActivity, desk: &str, name: &str, turn: &mut InputOutcome) {
    let found = activity.sessions.iter().find(|session| session.desk == desk && session.session == name);
    let Some(session) = found else {
        return turn.print("This session is no longer among the newest. Type agents to list them.");
    };
    let desk = if session.desk == *state.snapshot.desk { String::new() } else { format!(", desk {}", session.desk) };
    turn.print(format!("{}, session {}{desk}.", session.agent, session.session));
    turn.print(format!("Since {}, last at {}.", activity.clock(session.since), activity.clock(session.last)));
    sentences(session, tokens).into_iter().for_each(|line| turn.print(line));
    let known: Vec<NumberedRow> = rows(&state.snapshot, session).iter().map(|row| known(state, row)).collect();
    let lines = session.lines.iter().map(|line| NumberedRow::new(target(line), line_words(activity, line)));
    turn.print(format!(
        "{} selected or known, then {} of the journal, the newest first.",
        counted(known.len(), "source"),
        counted(session.lines.len(), "line")
    ));
    list(state, known.into_iter().chain(lines).collect(), turn);
}

/// `  retry-pattern, hinted, about 2,210 tokens.`
fn known(state: &PlainState, row: &KnownRow) -> NumberedRow {
    let indent = "  ".repeat(row.node.as_ref().map_or(0, |node| node.level.min(10)));
    let words = match row.knowledge {
        Some(knowledge) => knowledge.words(row.is_inline),
        None => "not told".to_owned(),
    };
    let outside = if row.node.is_none() { ", not selected" } else { "" };
    let price = price(&state.snapshot, &row.id);
    let target = Target::Source(SourceId::from(row.id.as_str()));
    NumberedRow::new(target, format!("{indent}{}, {words}{outside}, {price}.", row.id))
}

fn line_words(activity: &AgentActivity, line: &SessionLine) -> String {
    let price = if line.tokens > 0 { format!(", {}", tokens(line.tokens)) } else { String::new() };
    format!("{}, {}{price}.", activity.clock(line.time), line.text.replace('@', ""))
}

fn target(line: &SessionLine) -> Target {
    match &line.subject {
        _ if line.has_text => Target::Receipt(line.number),
        Some(id) => Target::Source(SourceId::from(id.as_str())),
        None => Target::Sentence,
    }
}
