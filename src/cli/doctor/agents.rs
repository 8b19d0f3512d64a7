//! The agents that are connected: what is in their settings, and whether it works. What came with a repository is only run
//! if it is exactly what `connect` writes.

use serde_json::{Value, json};

use super::super::connect::{canary, example, settings_file};
use super::report::{CheckLevel, CheckLine};
use refdesk_agents::canary::{self as trial, CanaryJob, CanaryPrompt, CanaryResult};
use refdesk_agents::hook::HookAgent;
use refdesk_agents::setup::{
    Client, ListedServer, NAME, foreign_hook_keys, hook_commands, listed_server, write_command,
};
use refdesk_desk::Desk;
use refdesk_text::Error;

/// An agent's settings in one scope.
struct AgentSettings {
    client: Client,
    for_user: bool,
    /// The command of the hooks.
    hook: Option<String>,
    /// Whether the hooks are written in another way than `connect` writes them.
    has_foreign_hook: bool,
    server: Option<ListedServer>,
    /// Why the settings cannot be relied on.
    problems: Vec<(String, String)>,
}

/// A line for each connected agent, and the same for programs.
pub fn agents(desk: &mut Desk) -> (Vec<CheckLine>, Value) {
    let mut found: Vec<AgentSettings> = Vec::new();
    for client in Client::all() {
        for for_user in [false, true] {
            found.extend(AgentSettings::read(desk, client, for_user));
        }
    }
    if found.is_empty() {
        let line = CheckLine::note("agents", "none is connected", "`refdesk connect` finds and connects them");
        return (vec![line], json!([]));
    }
    let prompt = example::prompt(desk);
    let jobs: Vec<CanaryJob> = found.iter_mut().map(|agent| agent.job(desk, prompt.as_ref())).collect();
    let (results, failed) = match trial::run(&jobs) {
        Ok(results) => (results, None),
        Err(error) => (vec![Vec::new(); jobs.len()], Some(error.to_string())),
    };
    let mut lines = Vec::new();
    let mut members = Vec::new();
    for (agent, results) in found.iter_mut().zip(&results) {
        agent
            .problems
            .extend(failed.iter().map(|reason| (format!("it could not be tried out: {reason}"), String::new())));
        let line = agent.line(results);
        members.push(json!({
            "agent": agent.client.word, "scope": agent.scope(), "ok": line.level != CheckLevel::Wrong,
            "hooks": agent.hook.is_some(), "mcp": agent.server.is_some(), "canary": canary::json(results),
        }));
        lines.push(line);
    }
    (lines, Value::Array(members))
}

impl AgentSettings {
    /// What the settings contain; `None` if nothing of ours.
    fn read(desk: &Desk, client: Client, for_user: bool) -> Option<Self> {
        let mut new =
            Self { client, for_user, hook: None, has_foreign_hook: false, server: None, problems: Vec::new() };
        let read_hooks = |text: &str| Ok((hook_commands(text, &client)?, foreign_hook_keys(text, &client)?));
        if let Some(hooks) = client.hooks
            && let Some((file, (commands, foreign))) = new.look(desk, &hooks.places, read_hooks)
        {
            new.hook = commands.into_iter().next();
            new.has_foreign_hook = foreign.is_some();
            new.problems.extend(foreign.map(|keys| {
                let problem = format!(
                    "{file}: a hook of refdesk has {keys}, which connect does not write: it would not run as it is tried here"
                );
                let scope = if for_user { " --user" } else { "" };
                (problem, format!("`refdesk connect {}{scope}` replaces it", client.word))
            }));
        }
        let read_server = |text: &str| listed_server(text, &client.server);
        if let Some((file, server)) = new.look(desk, &client.server.places, read_server) {
            let problem = server.as_ref().and_then(|server| server.problem.as_ref());
            new.problems.extend(problem.map(|it| (format!("{file}: {}", it.message), it.fix.to_owned())));
            new.server = server;
        }
        let is_there = new.hook.is_some() || new.server.is_some() || !new.problems.is_empty();
        is_there.then_some(new)
    }

    /// Reads a settings file, and names it; one that cannot be read is a problem only if it mentions us.
    fn look<T>(
        &mut self,
        desk: &Desk,
        places: &refdesk_agents::setup::SettingsPlaces,
        read: impl Fn(&str) -> Result<T, Error>,
    ) -> Option<(String, T)> {
        let file = settings_file::of(desk, places, self.for_user).ok().flatten()?;
        let text = file.read().ok().flatten()?;
        match read(&text) {
            Ok(found) => Some((file.shown, found)),
            Err(error) => {
                if text.contains(NAME) {
                    self.problems.push((format!("{}:{}", file.shown, error.message), "fix the file".to_owned()));
                }
                None
            }
        }
    }

    fn scope(&self) -> &'static str {
        if self.for_user { "user" } else { "project" }
    }

    /// What to run: a command of the workspace's settings only if it is one that we write.
    fn job(&mut self, desk: &Desk, prompt: Option<&CanaryPrompt>) -> CanaryJob {
        let word = self.client.word;
        let is_own_hook =
            |command: &String| [true, false].iter().any(|has| *command == write_command(NAME, word, *has));
        let own_server = self.client.server.command(NAME, false);
        let is_own_server = |server: &&ListedServer| self.for_user || server.command == own_server;
        let hook = self.hook.clone().filter(|command| self.for_user || is_own_hook(command));
        let server = self.server.as_ref().filter(is_own_server).cloned();
        let fix = || format!("look at it, and `refdesk connect {word}` replaces it");
        if let Some(command) = self.hook.as_ref().filter(|_| hook.is_none()) {
            self.problems
                .push((format!("the settings of the workspace run '{command}', which was not tried out"), fix()));
        }
        if let Some(listed) = self.server.as_ref().filter(|_| server.is_none()) {
            let words = listed.command.words().join(" ");
            self.problems
                .push((format!("the settings of the workspace start '{words}', which was not tried out"), fix()));
        }
        if self.server.is_none() && self.hook.as_deref().is_some_and(|command| command.ends_with(" --mcp")) {
            let is_elsewhere = [true, false].into_iter().any(|for_user| {
                let file = settings_file::of(desk, &self.client.server.places, for_user).ok().flatten();
                let text = file.and_then(|file| file.read().ok().flatten()).unwrap_or_default();
                listed_server(&text, &self.client.server).is_ok_and(|found| found.is_some())
            });
            if !is_elsewhere {
                let text = "hints name the tools of the server, which is not connected".to_owned();
                self.problems.push((text, format!("`refdesk connect {word}` connects both")));
            }
        }
        let hook = HookAgent::from_word(word).zip(hook.filter(|_| !self.has_foreign_hook));
        let server = server.filter(|server| server.problem.is_none()).map(|server| server.command);
        CanaryJob { workspace: desk.workspace().to_path_buf(), hook, prompt: prompt.cloned(), server }
    }

    fn line(&self, results: &[CanaryResult]) -> CheckLine {
        let name = self.client.name;
        let scope = if self.for_user { "your settings" } else { "this workspace" };
        if let Some((result, failure)) = results.iter().find_map(|it| Some((it, it.outcome.as_ref().err()?))) {
            let what = canary::step_in_words(result.step);
            let text = format!("{name}, {scope}: {what}: {}", canary::failure_in_words(failure));
            return CheckLine::wrong("agent", text, canary::fix(failure));
        }
        if let Some((problem, fix)) = self.problems.first() {
            return CheckLine::wrong("agent", format!("{name}, {scope}: {problem}"), fix.clone());
        }
        let parts = match (&self.hook, &self.server) {
            (Some(_), Some(_)) => "hooks and server answer",
            (Some(_), None) => "the hooks answer; it has no server",
            _ if self.client.hooks.is_none() => "the server answers",
            _ => "the server answers; it has no hooks",
        };
        let slowest = results.iter().map(|result| result.took.as_millis()).max().unwrap_or_default();
        CheckLine::ok("agent", format!("{name}, {scope}: {parts} (the slowest in {slowest} ms)"))
    }
}
