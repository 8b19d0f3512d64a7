//! `refdesk connect` and `refdesk disconnect`: show the changes to agents' settings files, write them once they are
//! approved, and test whether the agents now get answers.

pub(in crate::cli) mod canary;
mod choose;
pub(in crate::cli) mod command_line;
mod connection;
pub(in crate::cli) mod connection_record;
pub(in crate::cli) mod example;
mod file_change;
mod found;
pub(in crate::cli) mod settings_file;
pub(in crate::cli) mod switches;

use serde_json::{Value, json};

use self::connection::{Connection, RequestedParts};
use self::file_change::Verb;
use self::found::FoundAgent;
use super::answer::CommandOutput;
use super::args::{Cli, Command, ConnectArgs, DisconnectArgs, OutputFormat, SettingsArgs};
use super::fix;
use super::output::{ask, can_ask, print_error, print_to_stderr};
use super::workspace::{no_workspace_fix, nothing_found};
use refdesk_agents::canary::{CanaryJob, CanaryPrompt, CanaryResult, CanaryStep};
use refdesk_agents::hook::HookAgent;
use refdesk_agents::setup::{Client, SwitchProblem};
use refdesk_desk::{Desk, Session};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::names::either;
use refdesk_text::{Code, Error};

/// Refuses options that an agent's entries would not have, and a connection to the demo's folder.
pub fn refusal(arguments: &Cli) -> Option<CommandOutput> {
    let Some(Command::Connect(args)) = &arguments.command else { return None };
    if arguments.demo && !args.settings.user && !args.settings.dry_run {
        let message = "the demo's folder is removed when the command ends, so no agent can be connected to it";
        return Some(CommandOutput::usage(message, "leave --demo out, and run this in your repository"));
    }
    let desk = Some(&arguments.desk).filter(|desk| *desk != "default");
    let config = arguments.config.as_ref().map(|file| file.display().to_string());
    let given = [("--desk", desk), ("--config", config.as_ref()), ("--profile", arguments.profile.as_ref())];
    let session = [("--session", arguments.session.as_ref())];
    let (option, value) = given.into_iter().chain(session).find_map(|(option, value)| Some((option, value?)))?;
    let message = format!(
        "`refdesk connect` writes no {option} into an agent's settings, so '{value}' would have no effect there"
    );
    let fix = format!("leave {option} out; to have it, add it to the commands in the agent's settings");
    Some(CommandOutput::usage(message, fix))
}

/// Connects the named agents, or those found on this machine if none is named.
pub fn connect(desk: &mut Desk, session: &Session, args: &ConnectArgs, format: OutputFormat) -> CommandOutput {
    let (mut agents, elsewhere): (Vec<FoundAgent>, Vec<FoundAgent>) = match named(&args.agents) {
        Ok(agents) if agents.is_empty() => {
            found::found(desk).into_iter().partition(|agent| agent.has_settings(args.settings.user))
        }
        Ok(agents) => (agents, Vec::new()),
        Err(usage) => return usage,
    };
    let elsewhere: Vec<(String, String)> = elsewhere.iter().map(FoundAgent::only_for_user).collect();
    if let Some((message, fix)) = elsewhere.first().filter(|_| agents.is_empty()) {
        return nothing_to_connect(message, fix.clone());
    }
    if !args.settings.user && !desk.workspace_context().is_workspace() {
        let refusal = nothing_found(desk.workspace_context());
        let fix = format!(
            "{}; `refdesk connect --user` connects your own settings",
            no_workspace_fix(desk.workspace_context())
        );
        return CommandOutput::refused(Error { fix: fix.into(), ..refusal }).with_status("error");
    }
    if agents.is_empty() && !args.settings.yes {
        match choose::choose(args.settings.user) {
            Some(chosen) if chosen.is_empty() => {
                return CommandOutput::new(json!({"agents": []}), "Nothing was connected.\n");
            }
            chosen => agents.extend(chosen.into_iter().flatten()),
        }
    }
    if agents.is_empty() {
        let names: Vec<&str> = Client::all().map(|client| client.name).collect();
        let message = format!(
            "no agent was found on PATH, in this workspace or in the home folder: looked for {}",
            names.join(", ")
        );
        let (here, only_for_user): (Vec<Client>, Vec<Client>) =
            Client::all().partition(|client| args.settings.user || client.server.places.project.is_some());
        let words: Vec<&str> = here.iter().map(|client| client.word).collect();
        let (first, others) = words.split_first().unwrap_or((&"AGENT", &[]));
        let only_for_user = only_for_user.iter().map(|client| format!("; {} only with --user", client.word));
        let fix = format!(
            "name one: `refdesk connect {first}`, or {}{}",
            others.join(", "),
            only_for_user.collect::<String>()
        );
        return nothing_to_connect(&message, fix);
    }
    // At a terminal, print the evidence before the first question; otherwise add it to the notes.
    let is_asked = !args.settings.yes && !args.settings.dry_run && can_ask();
    let mut evidence: Vec<Vec<String>> = agents.iter().map(FoundAgent::note).map(Vec::from_iter).collect();
    if is_asked {
        evidence.iter_mut().flat_map(std::mem::take).for_each(|note| print_to_stderr(&one_line(&note)));
    }
    let empty = match confirm_empty_catalog(desk, args.settings) {
        Ok(note) => note,
        Err(refusal) => return CommandOutput::refused(refusal).with_status("error"),
    };
    let wanted = match (args.hooks_only, args.mcp_only) {
        (true, _) => RequestedParts::Hooks,
        (_, true) => RequestedParts::Server,
        _ => RequestedParts::Both,
    };
    let is_single = agents.len() == 1;
    let mut answers = Vec::new();
    for (agent, evidence) in agents.iter().zip(evidence) {
        let connection = Connection::new(desk, agent.client, args.settings, wanted, Verb::Connect);
        let (mut answer, connection) = match connection {
            Ok(connection) => (connection.run(desk, session, args.settings), Some(connection)),
            Err(refusal) => (refused(&agent.client, refusal), None),
        };
        answer.notes.splice(0..0, evidence);
        if is_asked && !is_single && format == OutputFormat::Text {
            print_refusals(&agent.client, &mut answer);
        }
        answers.push((answer, connection));
    }
    run_trials(desk, &mut answers);
    let answers = answers.into_iter().map(|(answer, _)| answer);
    let mut answers: Vec<_> = agents.iter().map(|agent| agent.client).zip(answers).collect();
    if let Some((_, first)) = answers.first_mut() {
        first.notes.splice(0..0, empty);
        first.notes.extend(elsewhere.iter().map(|(message, fix)| format!("{message}: {fix}")));
    }
    joined(answers, args.agents.len() == 1, Verb::Connect)
}

fn nothing_to_connect(message: &str, fix: String) -> CommandOutput {
    let refused = CommandOutput::refused(Error::new(Code::NotDiscovered, message, fix));
    CommandOutput { json: json!({"agents": []}), ..refused }
}

/// Disconnects the named agents, or all connected ones if none is named.
pub fn disconnect(desk: &mut Desk, session: &Session, args: &DisconnectArgs, format: OutputFormat) -> CommandOutput {
    let of = |desk: &Desk, client| Connection::new(desk, client, args.settings, RequestedParts::Both, Verb::Disconnect);
    let connections: Vec<_> = match named(&args.agents) {
        Ok(agents) if agents.is_empty() => {
            let all = Client::all().filter(|client| args.settings.user || client.server.places.project.is_some());
            let all = all.map(|client| (client, of(desk, client)));
            all.filter(|(_, it)| it.as_ref().map_or(true, Connection::is_connected)).collect()
        }
        Ok(agents) => agents.into_iter().map(|agent| (agent.client, of(desk, agent.client))).collect(),
        Err(usage) => return usage,
    };
    if connections.is_empty() {
        let (whose, other) = match args.settings.user {
            true => ("your own settings", "the workspace's: `refdesk disconnect`"),
            false => ("the settings of this workspace", "your own: `refdesk disconnect --user`"),
        };
        let text = format!("No agent is connected in {whose}. For {other}\n");
        return CommandOutput::new(json!({"agents": []}), text);
    }
    let is_asked = !args.settings.yes && !args.settings.dry_run && can_ask();
    let is_single = connections.len() == 1;
    let mut answers = Vec::new();
    for (client, connection) in connections {
        let mut answer = match connection {
            Ok(connection) => connection.run(desk, session, args.settings),
            Err(refusal) => refused(&client, refusal),
        };
        if is_asked && !is_single && format == OutputFormat::Text {
            print_refusals(&client, &mut answer);
        }
        answers.push((client, answer));
    }
    joined(answers, args.agents.len() == 1, Verb::Disconnect)
}

/// The agents with these names, without duplicates.
fn named(words: &[String]) -> Result<Vec<FoundAgent>, CommandOutput> {
    let mut agents: Vec<FoundAgent> = Vec::new();
    for word in words {
        let Some(client) = Client::from_word(word) else {
            let known: Vec<&str> = Client::words().collect();
            let message = format!("'{word}' is not an agent that refdesk supports");
            let nearest = Client::named_like(word).map(|client| format!("did you mean '{}'? ", client.word));
            let fix = format!("{}use {}", nearest.unwrap_or_default(), either(&known));
            return Err(CommandOutput::usage(message, fix));
        };
        if !agents.iter().any(|agent| agent.client == client) {
            agents.push(FoundAgent { client, evidence: Vec::new() });
        }
    }
    Ok(agents)
}

/// The answer if no agent's settings were read.
pub fn nothing(named: &[String]) -> Value {
    match named {
        [agent] => json!({"status": "error", "agent": agent}),
        _ => json!({"agents": []}),
    }
}

fn refused(client: &Client, refusal: Error) -> CommandOutput {
    let exit = if refusal.code == Code::Usage { 2 } else { 1 };
    let json = json!({"status": "error", "agent": client.word});
    CommandOutput { json, exit, ..CommandOutput::refused(refusal) }
}

/// If the catalog is empty, asks whether to connect anyway, and returns a note if the user agrees.
fn confirm_empty_catalog(desk: &Desk, settings: SettingsArgs) -> Result<Option<String>, Error> {
    if !desk.catalog().is_empty() {
        return Ok(None);
    }
    let fix = fix::no_sources(desk);
    let note = format!("{}, so there is nothing to tell an agent yet; {fix}", desk.no_sources());
    let is_settled = settings.yes || settings.dry_run;
    match (!is_settled).then(|| ask(&format!("{note}\n"), "Connect anyway?")).flatten() {
        Some(false) => Err(Error::new(Code::NotApproved, "nothing was connected", fix)),
        Some(true) => Ok(None),
        None => Ok(Some(note)),
    }
}

/// Runs what the connected agents would run, and adds the results to their answers.
fn run_trials(desk: &mut Desk, answers: &mut [(CommandOutput, Option<Connection>)]) {
    let connected: Vec<_> = answers
        .iter_mut()
        .filter_map(|(answer, connection)| Some((answer, connection.as_ref()?)))
        .filter(|(answer, _)| is_connected(answer))
        .collect();
    if connected.is_empty() {
        return;
    }
    let prompt = example::prompt(desk);
    let workspace = desk.workspace().to_path_buf();
    let jobs: Vec<CanaryJob> = connected
        .iter()
        .map(|(_, connection)| CanaryJob { prompt: prompt.clone(), ..connection.job(workspace.clone()) })
        .collect();
    let results = match canary::run(&jobs) {
        Ok(results) => results,
        Err(error) => {
            let note = format!("the connection could not be tested: {error}");
            connected.into_iter().for_each(|(answer, _)| answer.notes.push(note.clone()));
            return;
        }
    };
    for ((answer, connection), results) in connected.into_iter().zip(&results) {
        report(desk, connection, answer, results, prompt.as_ref());
    }
}

/// Adds the test results of a connection to its answer, and how to restart the agent.
fn report(
    desk: &Desk,
    connection: &Connection,
    answer: &mut CommandOutput,
    results: &[CanaryResult],
    prompt: Option<&CanaryPrompt>,
) {
    let (client, restart) = (connection.client(), connection.restart(desk));
    let problems: Vec<SwitchProblem> =
        connection.switch_problems(desk).into_iter().filter(|problem| problem.is_off).collect();
    let off = |problem: &SwitchProblem| json!({"message": problem.message, "hint": problem.fix});
    if let Value::Object(members) = &mut answer.json {
        members.insert("canary".to_owned(), canary::json(results));
        members.insert("switched_off".to_owned(), problems.iter().map(off).collect());
        members.insert("ask".to_owned(), json!(prompt.map(|prompt| &prompt.text)));
    }
    let mut text = format!("\nTested as {} would run it:\n", client.name);
    let adds_to_prompts = HookAgent::from_word(client.word).is_some_and(HookAgent::adds_to_prompts);
    for line in canary::lines(results, prompt, adds_to_prompts) {
        text.push_str(&format!("  {}\n", visible(&line)));
    }
    for problem in &problems {
        text.push_str(&format!("  wrong  {}\n", visible(&problem.message)));
    }
    if let Some(hint) = canary::delivered(results).filter(|_| problems.is_empty()) {
        text.push_str("It would read:\n");
        hint.lines().for_each(|line| text.push_str(&format!("  | {}\n", visible(line))));
    }
    let off = |problem: &SwitchProblem| {
        Error::new(Code::NotDelivered, format!("{}, {}", client.name, problem.message), problem.fix.clone())
    };
    let failures: Vec<Error> = canary::failure(results, client, connection.is_for_user())
        .into_iter()
        .chain(problems.iter().map(off))
        .collect();
    if failures.is_empty() {
        let has_hooks = results.iter().any(|result| matches!(result.step, CanaryStep::Start | CanaryStep::Hint));
        text.push_str(&match prompt {
            _ if !has_hooks => {
                format!(
                    "Now {restart}. Without hooks it gets no hints: tell it to look for sources with refdesk's tools.\n"
                )
            }
            Some(prompt) if adds_to_prompts => format!("Now {restart}. Then ask: {}\n", visible(&prompt.text)),
            Some(prompt) => format!("Now {restart}. Then have it read a file that says: {}\n", visible(&prompt.text)),
            None => format!("Now {restart}.\n"),
        });
    }
    answer.text.extend_from_slice(text.as_bytes());
    let exit = answer.exit;
    let earlier = std::mem::replace(answer, CommandOutput::new(Value::Null, ""));
    *answer = earlier.with_failures(failures);
    answer.exit = answer.exit.max(exit);
}

fn status(answer: &CommandOutput) -> Option<&str> {
    answer.json.get("status").and_then(Value::as_str)
}

fn is_connected(answer: &CommandOutput) -> bool {
    matches!(status(answer), Some("connected" | "already_connected"))
}

/// The errors, with the name of their agent unless they contain it.
fn attributed(client: &Client, refused: Vec<Error>) -> Vec<(Vec<&'static str>, Error)> {
    let own = |error: Error| {
        let is_named = error.message.starts_with(client.name);
        (if is_named { Vec::new() } else { vec![client.name] }, error)
    };
    refused.into_iter().map(own).collect()
}

fn named_errors(errors: Vec<(Vec<&'static str>, Error)>) -> impl Iterator<Item = Error> {
    errors.into_iter().map(|(names, error)| match names.as_slice() {
        [] => error,
        names => Error { message: format!("{}: {}", names.join(", "), error.message), ..error },
    })
}

/// Prints the errors of an agent before the questions about the next one.
fn print_refusals(client: &Client, answer: &mut CommandOutput) {
    let errors = attributed(client, std::mem::take(&mut answer.refused));
    named_errors(errors).for_each(|error| print_error(&error));
}

/// Combines the answers: the only one if one agent was named, otherwise a list.
fn joined(mut answers: Vec<(Client, CommandOutput)>, is_single: bool, verb: Verb) -> CommandOutput {
    if is_single && answers.len() == 1 {
        return answers.remove(0).1;
    }
    let is_one = answers.len() == 1;
    let mut whole = CommandOutput::new(Value::Null, "");
    let summary = if is_one { String::new() } else { summary(&answers, verb) };
    let mut agents = Vec::new();
    let mut errors: Vec<(Vec<&'static str>, Error)> = Vec::new();
    for (client, answer) in answers {
        if !whole.text.is_empty() && !answer.text.is_empty() {
            whole.text.push(b'\n');
        }
        whole.text.extend_from_slice(&answer.text);
        whole.notes.extend(answer.notes.iter().cloned());
        whole.exit = whole.exit.max(answer.exit);
        for (names, error) in attributed(&client, answer.refused.clone()) {
            // The same error often affects all agents, so it is reported once.
            match errors.iter_mut().find(|(_, known)| *known == error) {
                Some((known, _)) => known.extend(names),
                None => errors.push((names, error)),
            }
        }
        agents.push(answer.document());
    }
    whole.refused =
        if is_one { errors.into_iter().map(|(_, error)| error).collect() } else { named_errors(errors).collect() };
    if !summary.is_empty() {
        let gap = if whole.text.is_empty() { "" } else { "\n" };
        whole.text.extend_from_slice(format!("{gap}{summary}\n").as_bytes());
    }
    CommandOutput { json: json!({"agents": agents}), ..whole }
}

/// A line about which of several agents are connected now; empty if nothing was to be written or all are disconnected.
fn summary(answers: &[(Client, CommandOutput)], verb: Verb) -> String {
    let names = |is_it: &dyn Fn(&CommandOutput) -> bool| {
        let names: Vec<&str> = answers.iter().filter(|(_, it)| is_it(it)).map(|(client, _)| client.name).collect();
        names.join(", ")
    };
    if answers.iter().any(|(_, answer)| status(answer) == Some("dry_run")) {
        return String::new();
    }
    let failed = names(&|answer| status(answer) == Some("error"));
    let groups = match verb {
        Verb::Connect => vec![
            ("Connected", names(&|answer| is_connected(answer) && answer.exit == 0)),
            ("Connected, but not working yet", names(&|answer| is_connected(answer) && answer.exit > 0)),
            ("Not connected", failed),
        ],
        Verb::Disconnect if failed.is_empty() => Vec::new(),
        Verb::Disconnect => {
            vec![("Disconnected", names(&|answer| status(answer) != Some("error"))), ("Not disconnected", failed)]
        }
    };
    let groups = groups.into_iter().filter(|(_, names)| !names.is_empty());
    groups.map(|(group, names)| format!("{group}: {names}.")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::cli::Cli;
    use refdesk_agents::hook::HookAgent;
    use refdesk_agents::setup::Client;

    /// The two sets of agents come from different tables.
    #[test]
    fn agents_with_hooks_are_those_that_are_answered_and_all_are_in_the_help() {
        let answered = HookAgent::ALL.map(HookAgent::word);
        let with_hooks: Vec<&str> =
            Client::all().filter(|client| client.hooks.is_some()).map(|client| client.word).collect();
        assert_eq!(with_hooks, answered);
        let listed = |words: &[&str]| {
            let (last, first) = words.split_last().unwrap();
            format!("{} or {last}", first.join(", "))
        };
        let all: Vec<&str> = Client::words().collect();
        let program = Cli::command();
        for (name, reported) in [
            ("hook", format!("The agent: {}", listed(&answered))),
            ("connect", format!("The agents: {} [default: those found here]", listed(&all))),
            ("disconnect", format!("The agents: {} [default: those connected here]", listed(&all))),
        ] {
            let command = program.find_subcommand(name).unwrap();
            let agent = command.get_positionals().next().unwrap();
            assert_eq!(agent.get_help().unwrap().to_string(), reported, "{name}");
        }
    }
}
