//! The connected agents: what is in their settings, and whether it works. A command from a repository runs only if it
//! is exactly what `connect` writes.

use serde_json::{Value, json};

use super::super::connect::command_line::{is_own, shown_command, shown_words};
use super::super::connect::connection_record::ConnectionRecord;
use super::super::connect::{canary, example, settings_file, switches};
use super::report::{CheckLevel, CheckLine};
use refdesk_agents::canary::{CanaryFailure, CanaryJob, CanaryPrompt, CanaryResult};
use refdesk_agents::hook::HookAgent;
use refdesk_agents::setup::{
    Client, HookGap, HookGapKind, HookSettings, ListedServer, NAME, SettingsPlaces, foreign_server, listed_server,
    write_command,
};
use refdesk_desk::Desk;
use refdesk_text::{Code, Error};

const NO_LINK: &str = "replace the link with a regular file or folder, if the agent should be connected here";

/// An agent's settings in one scope.
struct AgentSettings {
    client: Client,
    for_user: bool,
    /// The command of the hooks.
    hook: Option<String>,
    /// Whether the hooks differ from those that `connect` writes.
    has_foreign_hook: bool,
    server: Option<ListedServer>,
    /// Whether the server that `connect` wrote is missing.
    is_server_removed: bool,
    /// Why the settings are unreliable, and what to do about it.
    problems: Vec<(String, String)>,
    notes: Vec<(String, String)>,
}

struct SettingsText {
    /// The name to show.
    file: String,
    /// Empty if there is no file.
    text: String,
    /// Whether `connect` has written entries to it, and `disconnect` has not removed them.
    is_recorded: bool,
}

/// A line for each connected agent, and the same as JSON.
pub fn agents(desk: &mut Desk) -> (Vec<CheckLine>, Value) {
    let mut found: Vec<AgentSettings> = Vec::new();
    for client in Client::all() {
        for for_user in [false, true] {
            found.extend(AgentSettings::read(desk, client, for_user));
        }
    }
    let mut lines = Vec::new();
    if !found.iter().any(AgentSettings::is_connected) {
        lines.push(CheckLine::note("agents", "none is connected", "`refdesk connect` finds and connects them"));
    }
    let prompt = example::prompt(desk);
    let jobs: Vec<CanaryJob> = found.iter_mut().map(|agent| agent.job(desk, prompt.as_ref())).collect();
    let (results, failed) = match canary::run(&jobs) {
        Ok(results) => (found.iter().zip(results).map(|(agent, results)| agent.reported(results)).collect(), None),
        Err(error) => (vec![Vec::new(); jobs.len()], Some(error.to_string())),
    };
    let mut members = Vec::new();
    for (agent, results) in found.iter_mut().zip(&results) {
        agent.problems.extend(failed.iter().map(|reason| (format!("it could not be tested: {reason}"), String::new())));
        let found = agent.lines(results);
        let is_ok = found.iter().all(|line| line.level != CheckLevel::Wrong);
        lines.extend(found);
        if agent.is_connected() {
            members.push(json!({
                "agent": agent.client.word, "scope": agent.scope(), "ok": is_ok,
                "hooks": agent.hook.is_some(), "mcp": agent.server.is_some(), "canary": canary::json(results),
            }));
        }
    }
    (lines, Value::Array(members))
}

impl AgentSettings {
    /// Reads the settings; `None` if they contain nothing of ours and nothing similar.
    fn read(desk: &Desk, client: Client, for_user: bool) -> Option<Self> {
        let mut new = Self {
            client,
            for_user,
            hook: None,
            has_foreign_hook: false,
            server: None,
            is_server_removed: false,
            problems: Vec::new(),
            notes: Vec::new(),
        };
        if let Some(hooks) = client.hooks
            && let record = ConnectionRecord::of_hooks(desk, &client, for_user)
            && let Some(settings) = new.look(desk, &hooks.places, &record)
        {
            new.read_hooks(&settings);
        }
        let record = ConnectionRecord::of_server(desk, &client, for_user);
        if let Some(settings) = new.look(desk, &client.server.places, &record) {
            new.read_server(&settings);
        }
        let has_problem = new.server.as_ref().is_some_and(|server| server.problem.is_some());
        let parts = (new.hook.is_some(), new.server.is_some() && !has_problem);
        for found in switches::find(desk, &client, for_user, parts) {
            let list = if found.is_off { &mut new.problems } else { &mut new.notes };
            list.push((found.message, found.fix));
        }
        (new.is_connected() || !new.notes.is_empty()).then_some(new)
    }

    fn is_connected(&self) -> bool {
        self.hook.is_some() || self.server.is_some() || !self.problems.is_empty()
    }

    fn read_hooks(&mut self, settings: &SettingsText) {
        let SettingsText { file, text, is_recorded } = settings;
        let Some(hooks) = self.parsed(settings, HookSettings::read(text, &self.client)) else { return };
        let replaces = format!("`{}` replaces it", self.connect_command());
        let mut commands = hooks.commands.into_iter();
        self.hook = commands.next();
        self.has_foreign_hook = hooks.foreign_keys.is_some();
        if self.hook.is_some() {
            self.note_gaps(file, &hooks.gaps);
        } else if *is_recorded {
            self.note_removed(file, "hooks");
        }
        self.problems.extend(hooks.foreign_keys.map(|keys| {
            let problem = format!(
                "{file}: a hook of refdesk has {keys}, which connect does not write, so it would not run as it is \
                 tried out here"
            );
            (problem, replaces.clone())
        }));
        for command in commands.map(|command| shown_command(&command)) {
            self.problems
                .push((format!("{file}: another hook runs '{command}', which was not tested"), replaces.clone()));
        }
        for command in hooks.foreign_commands.iter().map(|command| shown_command(command)) {
            let note =
                format!("{file}: a hook runs '{command}', which does more than call refdesk; it was not tried out");
            self.notes.push((note, "connect and disconnect do not change it".to_owned()));
        }
    }

    /// Reports events that do not reach refdesk, or only in part.
    fn note_gaps(&mut self, file: &str, gaps: &[HookGap]) {
        let events = |kind| {
            let events = gaps.iter().filter(move |gap| gap.kind == kind).map(|gap| gap.event);
            Some(events.collect::<Vec<_>>().join(", ")).filter(|events| !events.is_empty())
        };
        let restores = format!("`{}` restores what is missing", self.connect_command());
        let missing = events(HookGapKind::Missing).map(|events| format!("refdesk is not called for {events}"));
        let no_tool = events(HookGapKind::NoTool)
            .map(|events| format!("the hook for {events} is called for none of the tools whose results refdesk reads"));
        for text in missing.into_iter().chain(no_tool) {
            self.problems.push((format!("{file}: {text}"), restores.clone()));
        }
        let other = events(HookGapKind::OtherPattern).map(|events| {
            format!("{file}: the hook for {events} is called less often than the entry that connect writes would be")
        });
        let replaces = format!("`{}` replaces it, if that was not intended", self.connect_command());
        self.notes.extend(other.map(|text| (text, replaces)));
    }

    /// Reports that the file does not contain what `connect` wrote.
    fn note_removed(&mut self, file: &str, what: &str) {
        let (connect, word) = (self.connect_command(), self.client.word);
        let disconnect = connect.replacen("connect", "disconnect", 1);
        let fix = format!("`{connect}` restores it; if {word} should stay without it, run `{disconnect}`");
        self.problems.push((
            format!(
                "{file}: the {what} that connect wrote {} no longer there",
                if what.ends_with('s') { "are" } else { "is" }
            ),
            fix,
        ));
    }

    fn read_server(&mut self, settings: &SettingsText) {
        let server = self.client.server;
        let SettingsText { file, text, is_recorded } = settings;
        let read = || Ok((listed_server(text, &server)?, foreign_server(text, &server)?));
        let Some((listed, other)) = self.parsed(settings, read()) else { return };
        let problem = listed.as_ref().and_then(|listed| listed.problem.as_ref());
        self.problems.extend(problem.map(|it| (format!("{file}: {}", it.message), it.fix.to_owned())));
        self.server = listed;
        if self.server.is_none() && *is_recorded {
            self.is_server_removed = true;
            self.note_removed(file, "server");
        }
        self.notes.extend(other.map(|name| {
            let note = format!("{file}: '{name}' exists and does not start refdesk");
            (note, "rename it; until then connect is refused".to_owned())
        }));
    }

    /// Reads a settings file; `None` if there is none and `connect` wrote none, or if it cannot be read.
    fn look(&mut self, desk: &Desk, places: &SettingsPlaces, record: &ConnectionRecord) -> Option<SettingsText> {
        let file = settings_file::of(desk, places, self.for_user).ok().flatten()?;
        let is_recorded = record.record.is_some();
        match file.read() {
            Ok(None) if !is_recorded => None,
            Ok(text) => Some(SettingsText { file: file.shown, text: text.unwrap_or_default(), is_recorded }),
            Err(error) if error.code == Code::Outside && !is_recorded => {
                // Hooks and server may be in the same file.
                let note = (format!("{}; it was not read", error.message), NO_LINK.to_owned());
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                None
            }
            Err(error) => {
                let error = super::super::fix::worded(error);
                self.problems.extend(is_recorded.then(|| (error.message, error.fix.to_string())));
                None
            }
        }
    }

    /// Unwraps a parsed file. A failure is a problem only if the file mentions refdesk or `connect` wrote to it.
    fn parsed<T>(&mut self, settings: &SettingsText, read: Result<T, Error>) -> Option<T> {
        if let Err(error) = &read
            && (settings.is_recorded || settings.text.contains(NAME))
        {
            let problem = (format!("{}:{}", settings.file, error.message), "fix the file".to_owned());
            // Hooks and server may be in the same file.
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        read.ok()
    }

    fn connect_command(&self) -> String {
        format!("refdesk connect {}{}", self.client.word, if self.for_user { " --user" } else { "" })
    }

    fn scope(&self) -> &'static str {
        if self.for_user { "user" } else { "project" }
    }

    /// What to test: a command from the workspace's settings only if `connect` would write the same.
    fn job(&mut self, desk: &Desk, prompt: Option<&CanaryPrompt>) -> CanaryJob {
        let word = self.client.word;
        let is_own_hook =
            |command: &String| [true, false].iter().any(|has| *command == write_command(NAME, word, *has));
        let own_server = self.client.server.command(NAME, false);
        let is_own_server = |server: &&ListedServer| self.for_user || server.command == own_server;
        let hook = self.hook.clone().filter(|command| self.for_user || is_own_hook(command));
        let server = self.server.as_ref().filter(is_own_server).cloned();
        let fix = || format!("check it; `refdesk connect {word}` replaces it");
        if let Some(command) = self.hook.as_deref().filter(|_| hook.is_none()).map(shown_command) {
            self.problems.push((format!("the settings of the workspace run '{command}', which was not tested"), fix()));
        }
        if let Some(listed) = self.server.as_ref().filter(|_| server.is_none()) {
            let words = shown_words(listed.command.words());
            self.problems.push((format!("the settings of the workspace start '{words}', which was not tested"), fix()));
        }
        let is_missing = self.server.is_none() && !self.is_server_removed;
        if is_missing && self.hook.as_deref().is_some_and(|command| command.ends_with(" --mcp")) {
            let is_listed = |for_user: &bool| settings_file::server(desk, &self.client, *for_user).is_some();
            if ![true, false].iter().any(is_listed) {
                let text = "hints name the tools of the server, which is not connected".to_owned();
                self.problems.push((text, format!("`refdesk connect {word}` connects both")));
            }
        }
        let hook = HookAgent::from_word(word).zip(hook.filter(|_| !self.has_foreign_hook));
        let server = server.filter(|server| server.problem.is_none()).map(|server| server.command);
        CanaryJob { workspace: desk.workspace().to_path_buf(), hook, prompt: prompt.cloned(), server }
    }

    /// The results, without the output of foreign commands, which may be private.
    fn reported(&self, mut results: Vec<CanaryResult>) -> Vec<CanaryResult> {
        let hook = self.hook.as_deref().map(|command| shell_words::split(command).unwrap_or_default());
        let is_own = hook.is_none_or(|words| is_own(&words.iter().map(String::as_str).collect::<Vec<_>>()))
            && self.server.as_ref().is_none_or(|server| is_own(&server.command.words()));
        for result in results.iter_mut().filter(|_| !is_own) {
            if let Err(CanaryFailure::Ended(_, said) | CanaryFailure::WrongAnswer(said)) = &mut result.outcome
                && !said.is_empty()
            {
                "its output may be private, so it is not shown here".clone_into(said);
            }
        }
        results
    }

    /// All problems, or that everything works; then the notes.
    fn lines(&self, results: &[CanaryResult]) -> Vec<CheckLine> {
        let name = self.client.name;
        let scope = if self.for_user { "your settings" } else { "this workspace" };
        let mut lines = Vec::new();
        for result in results {
            if let Err(failure) = &result.outcome {
                let what = canary::step_in_words(result.step);
                let text = format!("{name}, {scope}: {what}: {}", canary::failure_in_words(failure));
                lines.push(CheckLine::wrong("agent", text, canary::fix(failure, &self.client, self.for_user)));
            }
        }
        let wrong = |(text, fix): &(String, String)| CheckLine::wrong("agent", format!("{name}, {scope}: {text}"), fix);
        lines.extend(self.problems.iter().map(wrong));
        if lines.is_empty() && results.is_empty() && self.is_connected() {
            let fix = format!("`{}` replaces its entries", self.connect_command());
            lines.push(CheckLine::wrong("agent", format!("{name}, {scope}: nothing could be tested"), fix));
        }
        if lines.is_empty() && self.is_connected() {
            let parts = match (&self.hook, &self.server) {
                (Some(_), Some(_)) => "hooks and server answer",
                (Some(_), None) => "the hooks respond; no server is connected",
                _ if self.client.hooks.is_none() => "the server answers",
                _ => "the server responds; no hooks are connected",
            };
            let slowest = results.iter().map(|result| result.took.as_millis()).max().unwrap_or_default();
            lines.push(CheckLine::ok("agent", format!("{name}, {scope}: {parts} (the slowest in {slowest} ms)")));
        }
        let note = |(text, fix): &(String, String)| CheckLine::note("agent", format!("{name}, {scope}: {text}"), fix);
        lines.extend(self.notes.iter().map(note));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_without_results_is_never_ok() {
        let client = Client::all().next().unwrap();
        let settings = AgentSettings {
            client,
            for_user: false,
            hook: Some("refdesk hook".to_owned()),
            has_foreign_hook: false,
            server: None,
            is_server_removed: false,
            problems: Vec::new(),
            notes: Vec::new(),
        };
        let lines = settings.lines(&[]);
        assert!(matches!(lines.as_slice(), [line] if line.level == CheckLevel::Wrong), "{}", lines.len());
    }
}
