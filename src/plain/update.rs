//! Applies an input to the state. Pure: a line becomes a command or the answer to a question; an answer of the engine
//! is printed, or leads to the next request.

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{PickReach, Request, Response, Snapshot};

use super::choice;
use super::command::{COMMANDS, Parsed, named, parse};
use super::lists::{self, Target, target};
use super::source::{self, SourceArgument};
use super::state::{Continuation, InputOutcome, Pending, PlainInput, PlainStart, PlainState, Question};
use super::templates::PreviewFor;
use super::words::counted;
use super::{
    agents, databases, feed, graph, jump, problems, profiles, prompts, requests, saved, search, templates, trust,
    values,
};

pub fn update(state: &mut PlainState, input: PlainInput) -> InputOutcome {
    let mut turn = InputOutcome::default();
    match input {
        PlainInput::Line(line) => self::line(state, &line, &mut turn),
        PlainInput::TooLong => turn.print("This line is too long and was ignored."),
        PlainInput::Answer(response) => {
            let is_change = is_change(state.pending.as_ref());
            answer(state, response, &mut turn);
            if is_change && !turn.lines.is_empty() {
                state.messages.push_front(turn.lines.join(" "));
                state.messages.truncate(MESSAGES);
            }
        }
    }
    turn
}

/// The maximum number of messages; older ones are dropped.
const MESSAGES: usize = 50;

/// Whether the answer reports a change, or why it was not made.
fn is_change(pending: Option<&Pending>) -> bool {
    matches!(
        pending,
        Some(
            Pending::Change(_)
                | Pending::Reply(_)
                | Pending::Write
                | Pending::Simple(_)
                | Pending::Documented(_)
                | Pending::Reload
        )
    )
}

pub fn messages(state: &PlainState, turn: &mut InputOutcome) {
    match state.messages.len() {
        0 => turn.print("Nothing has been done yet."),
        some => turn.print(format!("{}, the newest first.", counted(some, "message"))),
    }
    state.messages.iter().for_each(|message| turn.print(message));
}

/// From this many documents on, report that they are being read.
const MANY_DOCUMENTS: usize = 1_000;

/// Printed while the documents are read, which may take a while.
pub fn reading(snapshot: &Snapshot) -> InputOutcome {
    let mut turn = InputOutcome::default();
    if let Some(loading) = snapshot.loading.filter(|loading| loading.total >= MANY_DOCUMENTS) {
        turn.print(format!("Reading {}.", counted(loading.total, "document")));
    }
    turn
}

/// Printed when the workspace is loaded.
pub fn begin(state: &mut PlainState, start: PlainStart) -> InputOutcome {
    let mut turn = InputOutcome::default();
    state.input_owner = start.input_owner;
    turn.print(format!("refdesk, workspace {}.", state.snapshot.workspace));
    status(state, &mut turn);
    turn.print("Type help for the commands, and quit to leave.");
    if let Some(file) = start.profile {
        profiles::compare(state, file, &mut turn);
    }
    turn
}

/// Printed before a line is read: news, and what can be typed.
pub fn before_line(state: &mut PlainState) -> InputOutcome {
    let mut turn = InputOutcome::default();
    feed::print_news(state, &mut turn);
    turn.print(prompt(state));
    turn
}

fn prompt(state: &PlainState) -> String {
    let rows = state.list.rows.len();
    match (&state.question, state.more, rows) {
        (Some(Question::Prompt(_)), ..) => "Prompt, or a dot:".to_owned(),
        (Some(Question::Value(_)), ..) => "Value:".to_owned(),
        (Some(Question::Path(_)), ..) => "Path:".to_owned(),
        (Some(Question::Request(open)), ..) => match (&open.waiting.request.approval, open.chosen.is_empty()) {
            (Some(_), _) => "Yes, no or later:".to_owned(),
            (None, true) => "Numbers, all, none or later:".to_owned(),
            (None, false) => "Yes, numbers, all, none or later:".to_owned(),
        },
        (Some(Question::LargePick(pick)), ..) if choice::is_alone(pick) => "Yes or no:".to_owned(),
        (Some(Question::LargePick(_)), ..) => "Yes, near, alone or no:".to_owned(),
        (Some(_), ..) => "Yes or no:".to_owned(),
        (None, Continuation::List | Continuation::Text, 1) => "Number 1, more, or command:".to_owned(),
        (None, Continuation::List | Continuation::Text, 2..) => format!("Number from 1 to {rows}, more, or command:"),
        (None, Continuation::Text, 0) => "More, or command:".to_owned(),
        (None, _, 1) => "Number 1, or command:".to_owned(),
        (None, _, 2..) => format!("Number from 1 to {rows}, or command:"),
        (None, ..) => "Command:".to_owned(),
    }
}

pub fn status(state: &PlainState, turn: &mut InputOutcome) {
    let snapshot = &state.snapshot;
    turn.print(format!("The catalog has {}. {}", counted(snapshot.catalog.len(), "source"), choice::total(snapshot)));
    for (count, one, several, command) in [
        (snapshot.request_count(), "agent request is waiting", "agent requests are waiting", "requests"),
        (snapshot.untrusted.len(), "setting needs your trust", "settings need your trust", "trust"),
        (snapshot.diagnostics.len(), "problem was found", "problems were found", "problems"),
    ] {
        match count {
            0 => {}
            1 => turn.print(format!("1 {one}. Type {command} to see it.")),
            some => turn.print(format!("{some} {several}. Type {command} to list them.")),
        }
    }
    if snapshot.catalog.is_empty() {
        turn.print("Type welcome to learn how to get started.");
    }
}

fn line(state: &mut PlainState, line: &str, turn: &mut InputOutcome) {
    match state.question.take() {
        None => {}
        Some(Question::Prompt(typed)) => return prompts::typed(state, typed, line.to_owned(), turn),
        Some(Question::Value(asked)) => return values::typed(state, asked, line, turn),
        Some(Question::Path(name)) => return templates::path(state, &name, line.trim(), turn),
        Some(Question::Request(open)) => return requests::reply(state, *open, line.trim(), turn),
        Some(question) => return reply(state, question, line.trim(), turn),
    }
    match parse(line) {
        Parsed::Nothing if state.more == Continuation::Nothing => turn.print("Type help for the commands."),
        Parsed::Nothing => lists::more(state, turn),
        Parsed::Number(number) => go_to(state, number, turn),
        Parsed::Command(command, rest) if command.argument.is_empty() && !rest.is_empty() => {
            let name = command.usage();
            turn.print(format!("{name} takes no words, so nothing was done. Type only {name}."));
        }
        Parsed::Command(command, rest) => (command.run)(state, rest, turn),
        // A number that is larger than any list.
        Parsed::Unknown(word, _) if word == line.trim() && word.bytes().all(|byte| byte.is_ascii_digit()) => {
            with_source(state, word, turn, source::show);
        }
        Parsed::Unknown(word, Some(near)) => turn.print(format!("There is no command {word}. Did you mean {near}?")),
        Parsed::Unknown(word, None) => turn.print(format!("There is no command {word}. Type help for the commands.")),
    }
}

fn reply(state: &mut PlainState, question: Question, line: &str, turn: &mut InputOutcome) {
    match (line.to_lowercase().as_str(), &question) {
        ("alone", Question::LargePick(pick)) => choice::pick_within(state, pick.ids.clone(), PickReach::Alone, turn),
        ("near", Question::LargePick(pick)) => choice::pick_within(state, pick.ids.clone(), PickReach::Near, turn),
        ("yes" | "y", _) => match question {
            Question::Choice(choosing) => choice::perform(state, &choosing, turn),
            Question::LargePick(pick) => choice::pick_within(state, pick.ids, PickReach::All, turn),
            Question::Clear => choice::clear_now(state, turn),
            Question::Write(proposal) => templates::write_now(state, proposal, turn),
            Question::Trust(printed) => trust::trust(state, printed, turn),
            Question::Profile(profile) => profiles::switch(state, profile, turn),
            Question::Documentation { run, pages } => databases::write(state, run, pages, turn),
            // These accept other answers too.
            Question::Prompt(_) | Question::Value(_) | Question::Path(_) | Question::Request(_) => {}
        },
        ("no" | "n" | "cancel", Question::Documentation { .. }) => databases::forget(state, turn),
        ("no" | "n" | "cancel", _) => turn.print("Nothing was changed."),
        _ => {
            turn.print(match &question {
                Question::LargePick(_) => "Please type yes, near, alone or no.",
                _ => "Please type yes or no.",
            });
            state.question = Some(question);
        }
    }
}

fn go_to(state: &mut PlainState, number: usize, turn: &mut InputOutcome) {
    match target(state, number).cloned() {
        Some(Target::Source(id)) => source::show(state, &id, turn),
        Some(Target::Template(name)) => {
            if let Some(template) = turn.ok_or_print(templates::by_name(state, &name)) {
                templates::show_one(&template, turn);
            }
        }
        Some(Target::Problem(problem)) => problems::show_one(&problem, turn),
        Some(Target::Profile(file)) => profiles::compare(state, file, turn),
        Some(Target::Section(hit)) => search::show(state, &hit, turn),
        Some(Target::Notice(notice)) => feed::open(state, &notice, turn),
        Some(Target::Session(desk, session)) => agents::ask_for(state, desk, session, turn),
        Some(Target::Receipt(line)) => feed::ask_for(state, line, turn),
        Some(Target::DatabasePage(database, path)) => databases::ask_for_page(state, database, path, turn),
        Some(Target::Sentence) => turn.print("There are no more details for this row."),
        Some(Target::Request(id)) => requests::open_one(state, &id, turn),
        Some(Target::Filter(name)) => saved::apply(state, &name, turn),
        None => {
            if let Some(id) = turn.ok_or_print(source::one(state, &number.to_string(), SourceArgument::Known)) {
                source::show(state, &id, turn);
            }
        }
    }
}

/// Prints the section that a number of the list refers to, or else the document of a source.
pub fn document(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    match given.parse().ok().and_then(|number| target(state, number)).cloned() {
        Some(Target::Section(hit)) => search::document(state, &hit, turn),
        _ => with_source(state, given, turn, source::document),
    }
}

pub fn receipt(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    match given.parse().ok().and_then(|number| target(state, number)).cloned() {
        Some(Target::Notice(notice)) => feed::open(state, &notice, turn),
        Some(Target::Receipt(line)) => feed::ask_for(state, line, turn),
        Some(_) => turn.print(format!("Row {given} is not an event. Type feed for a list of them.")),
        None => turn.print("Which receipt? Type feed for a list, and give a number."),
    }
}

pub fn reload(state: &mut PlainState, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Reload);
    turn.ask(Request::Reload);
}

pub fn with_template(state: &mut PlainState, rest: &str, is_for: PreviewFor, turn: &mut InputOutcome) {
    if let Some(template) = turn.ok_or_print(templates::template(state, rest)) {
        templates::preview(state, &template, is_for, turn);
    }
}

pub fn with_source(
    state: &mut PlainState,
    rest: &str,
    turn: &mut InputOutcome,
    act: impl FnOnce(&mut PlainState, &SourceId, &mut InputOutcome),
) {
    if let Some(id) = turn.ok_or_print(source::one(state, rest, SourceArgument::Chosen)) {
        act(state, &id, turn);
    }
}

pub fn help(rest: &str, turn: &mut InputOutcome) {
    if rest.is_empty() {
        for command in COMMANDS {
            turn.print(format!("{}. {}", command.usage(), command.description));
        }
        turn.print("N is a number of the last list. A number alone opens that row.");
        return;
    }
    match named(rest) {
        Some(command) => {
            turn.print(format!("{}. {}", command.usage(), command.description));
            if let [_, others @ ..] = command.names
                && !others.is_empty()
            {
                turn.print(format!("Other names: {}.", others.join(", ")));
            }
        }
        None => {
            let words = rest.to_lowercase();
            let found = COMMANDS.iter().filter(|command| command.description.to_lowercase().contains(&words));
            found.for_each(|command| turn.print(format!("{}. {}", command.usage(), command.description)));
            if turn.lines.is_empty() {
                turn.print(format!("No command matches {rest}. Type help for all."));
            }
        }
    }
}

fn answer(state: &mut PlainState, response: Response, turn: &mut InputOutcome) {
    match (state.pending.take(), response) {
        (Some(Pending::Preview(choosing)), response) => choice::previewed(state, choosing, response, turn),
        (Some(Pending::Change(change)), Response::Done(refusals)) => choice::changed(state, &change, &refusals, turn),
        (Some(Pending::Change(change)), Response::Picked(Ok(_))) => choice::changed(state, &change, &[], turn),
        (Some(Pending::Change(change)), Response::Picked(Err(refusal))) => {
            choice::changed(state, &change, &[refusal], turn);
        }
        (Some(Pending::Change(_)), Response::LargePick(pick)) => choice::ask_size(state, pick, turn),
        (Some(Pending::Document { from, begun }), Response::Document(document)) => {
            source::print_document(state, &document, from, begun, turn);
        }
        (Some(Pending::RestToSearch(given)), Response::Document(document)) => {
            source::search_on(state, &document, &given, turn);
        }
        (Some(Pending::RestOfDocument), Response::Document(document)) => source::print_rest(state, &document, turn),
        (Some(Pending::Findings), Response::Findings(findings)) => prompts::found(state, &findings, turn),
        (Some(Pending::Enriched(audience)), Response::Simulation { enriched, problems }) => {
            prompts::print_enriched(state, audience, &enriched, &problems, turn);
        }
        (Some(Pending::Price), Response::Price(price)) => prompts::print_budget(state, price, turn),
        (Some(Pending::Search), Response::Found(found)) => search::found(state, found, turn),
        (Some(Pending::Jump(words)), Response::Found(found)) => jump::found(state, &words, &found, turn),
        (Some(Pending::Graph(question)), Response::GraphAnalysis(analysis)) => {
            graph::analysed(state, &question, &analysis, turn);
        }
        (Some(Pending::Rendering(is_for)), Response::Preview { template, outcome }) => {
            templates::rendered(state, is_for, &template, outcome, turn);
        }
        (Some(Pending::Write), Response::Written(outcome)) => templates::written(state, outcome, turn),
        (Some(Pending::Marks(open)), Response::PicksPreview { all, .. }) => {
            requests::previewed(state, *open, &all, turn);
        }
        (Some(Pending::Reply(change)), Response::Done(refusals)) if refusals.is_empty() => {
            requests::answered(state, &change, turn);
        }
        (Some(Pending::Simple(printed)), Response::Done(refusals)) if refusals.is_empty() => turn.print(printed),
        (Some(Pending::Profiles), Response::Profiles { profiles: all, problems }) => {
            profiles::listed(state, &all, &problems, turn);
        }
        (Some(Pending::Comparison(file)), Response::ProfileCompared(switch)) => {
            profiles::compared(state, file, switch, turn);
        }
        (Some(Pending::Agents), Response::Agents(activity)) => agents::listed(state, &activity, turn),
        (Some(Pending::Session { desk, session }), Response::Agents(activity)) => {
            agents::show_session(state, &activity, &desk, &session, turn);
        }
        (Some(Pending::Databases(words)), Response::Databases(overview)) => {
            databases::listed(state, &overview, &words, turn);
        }
        (Some(Pending::DatabasePage), Response::DatabasePage(page)) => databases::read_page(state, &page, turn),
        (Some(Pending::Documentation), Response::DatabasesPrepared(prepared)) => {
            databases::prepared(state, prepared, turn);
        }
        (Some(Pending::Documented(of)), Response::DatabasesWritten(written)) => databases::written(written, of, turn),
        (Some(Pending::Receipt), Response::JournalLine(line)) => feed::receipt(state, line, turn),
        (Some(Pending::Place(of)), Response::Located(spot)) => source::located(state, of, &spot, turn),
        (Some(Pending::Reload), Response::Done(refusals)) => {
            refusals.iter().for_each(|refusal| turn.print_error(refusal));
            turn.print("Everything was read again.");
            status(state, turn);
        }
        (_, response) => unexpected(&response, turn),
    }
}

/// Reports why the engine refused the request. Any other answer is a bug, which is reported too.
pub fn unexpected(response: &Response, turn: &mut InputOutcome) {
    match response {
        Response::Done(refusals) if !refusals.is_empty() => {
            refusals.iter().for_each(|refusal| turn.print_error(refusal));
        }
        _ => turn.print("refdesk gave an unexpected answer. Please type the command again."),
    }
}
