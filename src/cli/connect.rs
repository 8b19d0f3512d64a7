//! `refdesk connect` and `refdesk disconnect`: show the changes to agents' settings files, write them once approved, and
//! try out whether the agents would now be answered.

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

use self::connection::{Connection, Wanted};
use self::file_change::Verb;
use self::found::FoundAgent;
use super::answer::CommandOutput;
use super::args::{ConnectArgs, DisconnectArgs, SettingsArgs};
use super::output::{ask, can_ask, print_to_stderr};
use super::workspace::nothing_found;
use refdesk_agents::canary::{CanaryJob, CanaryPrompt, CanaryResult};
use refdesk_agents::setup::Client;
use refdesk_desk::{Desk, Session};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::{Code, Error};

/// Connects agents: those that are named, or those that are found.
pub fn connect(desk: &mut Desk, session: &Session, args: &ConnectArgs) -> CommandOutput {
    let mut agents = match named(&args.agents) {
        Ok(agents) if agents.is_empty() => found::found(desk, args.settings.user),
        Ok(agents) => agents,
        Err(usage) => return usage,
    };
    if agents.is_empty() && !args.settings.yes {
        match choose::choose(args.settings.user) {
            Some(chosen) if chosen.is_empty() => {
                return CommandOutput::new(json!({"agents": []}), "nothing was connected\n");
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
        let words: Vec<&str> = Client::words().collect();
        let fix = format!("name one: {}", words.join(", "));
        return CommandOutput {
            json: json!({"agents": []}),
            ..CommandOutput::refused(Error::new(Code::NotDiscovered, message, fix))
        };
    }
    if !args.settings.user && !desk.around().is_workspace() {
        return CommandOutput::refused(nothing_found(desk.around())).with_status("error");
    }
    // A person reads it before the first question, else it is in the notes.
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
        (true, _) => Wanted::Hooks,
        (_, true) => Wanted::Server,
        _ => Wanted::Both,
    };
    let mut answers = Vec::new();
    for (agent, evidence) in agents.iter().zip(evidence) {
        let connection = Connection::new(desk, agent.client, args.settings, wanted, Verb::Connect);
        answers.push(match connection {
            Ok(connection) => {
                let mut answer = connection.carry_out(desk, session, args.settings);
                answer.notes.splice(0..0, evidence);
                (answer, Some(connection))
            }
            Err(refusal) => (refused(&agent.client, refusal), None),
        });
    }
    try_out(desk, &mut answers);
    let mut answers: Vec<CommandOutput> = answers.into_iter().map(|(answer, _)| answer).collect();
    if let Some(first) = answers.first_mut() {
        first.notes.splice(0..0, empty);
    }
    joined(answers, args.agents.len() == 1)
}

/// Disconnects agents: those that are named, or all that are connected.
pub fn disconnect(desk: &mut Desk, session: &Session, args: &DisconnectArgs) -> CommandOutput {
    let of = |desk: &Desk, client| Connection::new(desk, client, args.settings, Wanted::Both, Verb::Disconnect);
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
    let mut answers = Vec::new();
    for (client, connection) in connections {
        answers.push(match connection {
            Ok(connection) => connection.carry_out(desk, session, args.settings),
            Err(refusal) => refused(&client, refusal),
        });
    }
    joined(answers, args.agents.len() == 1)
}

/// The agents of these names, each once.
fn named(words: &[String]) -> Result<Vec<FoundAgent>, CommandOutput> {
    let mut agents: Vec<FoundAgent> = Vec::new();
    for word in words {
        let Some(client) = Client::from_word(word) else {
            let known: Vec<&str> = Client::words().collect();
            let message = format!("'{word}' is not an agent that refdesk supports");
            let nearest = Client::named_like(word).map(|client| format!("did you mean '{}'? ", client.word));
            let fix = format!("{}refdesk supports {}", nearest.unwrap_or_default(), known.join(", "));
            return Err(CommandOutput::usage(message, fix));
        };
        if !agents.iter().any(|agent| agent.client == client) {
            agents.push(FoundAgent { client, evidence: Vec::new() });
        }
    }
    Ok(agents)
}

fn refused(client: &Client, refusal: Error) -> CommandOutput {
    let exit = if refusal.code == Code::Usage { 2 } else { 1 };
    let json = json!({"status": "error", "agent": client.word});
    CommandOutput { json, exit, ..CommandOutput::refused(refusal) }
}

/// Says that the catalog is empty, and asks whether to connect an agent to it nevertheless; a note if so.
fn confirm_empty_catalog(desk: &Desk, settings: SettingsArgs) -> Result<Option<String>, Error> {
    if !desk.catalog().is_empty() {
        return Ok(None);
    }
    let note = "the catalog is empty, so there is nothing to tell an agent yet; `refdesk init` proposes one";
    let is_settled = settings.yes || settings.dry_run;
    match (!is_settled).then(|| ask(&format!("{note}\n"), "Connect nevertheless?")).flatten() {
        Some(false) => Err(Error::new(Code::NotApproved, "nothing was connected", "`refdesk init` proposes a catalog")),
        Some(true) => Ok(None),
        None => Ok(Some(note.to_owned())),
    }
}

/// Runs what the connected agents would run, and adds the results to their answers.
fn try_out(desk: &mut Desk, answers: &mut [(CommandOutput, Option<Connection>)]) {
    let is_connected = |answer: &CommandOutput| {
        let status = answer.json.get("status").and_then(Value::as_str);
        matches!(status, Some("connected" | "already_connected"))
    };
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
            let note = format!("whether it works could not be tried out: {error}");
            connected.into_iter().for_each(|(answer, _)| answer.notes.push(note.clone()));
            return;
        }
    };
    for ((answer, connection), results) in connected.into_iter().zip(&results) {
        report(answer, (connection.client(), &connection.restart(desk)), results, prompt.as_ref());
        let problems = connection.switch_problems(desk).into_iter().filter(|problem| problem.is_off);
        answer.notes.extend(problems.map(|problem| format!("{}; {}", problem.message, problem.fix)));
    }
}

/// Adds the results of trying out a connection to its answer, and how to restart the agent.
fn report(
    answer: &mut CommandOutput,
    (client, restart): (&Client, &str),
    results: &[CanaryResult],
    prompt: Option<&CanaryPrompt>,
) {
    if let Value::Object(members) = &mut answer.json {
        members.insert("canary".to_owned(), canary::json(results));
        members.insert("ask".to_owned(), json!(prompt.map(|prompt| &prompt.text)));
    }
    let mut text = format!("\nTried out as {} would run it:\n", client.name);
    for line in canary::lines(results, prompt) {
        text.push_str(&format!("  {}\n", visible(&line)));
    }
    if let Some(hint) = canary::delivered(results) {
        text.push_str("It would read:\n");
        hint.lines().for_each(|line| text.push_str(&format!("  | {}\n", visible(line))));
    }
    let failure = canary::failure(results, client.name);
    if failure.is_none() {
        text.push_str(&match prompt {
            Some(prompt) => format!("Now {restart}. Then ask: {}\n", visible(&prompt.text)),
            None => format!("Now {restart}.\n"),
        });
    }
    answer.text.extend_from_slice(text.as_bytes());
    let exit = answer.exit;
    let earlier = std::mem::replace(answer, CommandOutput::new(Value::Null, ""));
    *answer = earlier.and_refused(failure.into_iter().collect());
    answer.exit = answer.exit.max(exit);
}

/// One answer for all agents: the only one if a single agent was named, else a list.
fn joined(mut answers: Vec<CommandOutput>, is_single: bool) -> CommandOutput {
    if is_single && answers.len() == 1 {
        return answers.remove(0);
    }
    let mut whole = CommandOutput::new(Value::Null, "");
    let mut agents = Vec::new();
    for answer in answers {
        if !whole.text.is_empty() && !answer.text.is_empty() {
            whole.text.push(b'\n');
        }
        whole.text.extend_from_slice(&answer.text);
        whole.notes.extend(answer.notes.iter().cloned());
        whole.exit = whole.exit.max(answer.exit);
        // Without a terminal, no agent is connected for the same reason.
        let fresh = answer.refused.iter().filter(|refusal| !whole.refused.contains(refusal)).cloned();
        let fresh: Vec<Error> = fresh.collect();
        whole.refused.extend(fresh);
        agents.push(answer.document());
    }
    CommandOutput { json: json!({"agents": agents}), ..whole }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::cli::Cli;
    use refdesk_agents::hook::HookAgent;
    use refdesk_agents::setup::Client;

    /// Each has a table of its own.
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
        for (name, told) in [
            ("hook", format!("The agent: {}", listed(&answered))),
            ("connect", format!("The agents: {} [default: those found here]", listed(&all))),
            ("disconnect", format!("The agents: {} [default: those connected here]", listed(&all))),
        ] {
            let command = program.find_subcommand(name).unwrap();
            let agent = command.get_positionals().next().unwrap();
            assert_eq!(agent.get_help().unwrap().to_string(), told, "{name}");
        }
    }
}
