//! The connection of one agent: which files change, which commands they get, and the change itself once it is approved.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::super::answer::CommandOutput;
use super::super::args::SettingsArgs;
use super::super::environment;
use super::super::output::{ask, unasked};
use super::connection_record::ConnectionRecord;
use super::file_change::{FileChange, FileParts, Verb};
use super::settings_file::{self, SettingsFile};
use super::switches;
use refdesk_agents::canary::CanaryJob;
use refdesk_agents::hook::HookAgent;
use refdesk_agents::setup::{
    Client, HookSettings, ListedServer, NAME, PartCommand, ServerCommand, SettingsPart, SwitchProblem, is_ours,
    write_command,
};
use refdesk_desk::{Desk, Session};
use refdesk_files::output::{Proposal, conflicts};
use refdesk_text::{Code, Error, names};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedParts {
    Both,
    Hooks,
    Server,
}

/// What to write for an agent, and where.
pub(super) struct Connection {
    verb: Verb,
    wanted: RequestedParts,
    client: Client,
    for_user: bool,
    files: Vec<FileParts>,
    /// The command of the hooks, if the agent gets them.
    hook: Option<String>,
    /// The command of the server, if the agent gets one.
    server: Option<ServerCommand>,
    warnings: Vec<String>,
}

impl Connection {
    /// Finds the settings files and chooses the commands.
    ///
    /// # Errors
    /// The agent has no such part or settings file.
    pub fn new(
        desk: &Desk,
        client: Client,
        settings: SettingsArgs,
        wanted: RequestedParts,
        verb: Verb,
    ) -> Result<Self, Error> {
        let has_project = client.server.places.project.is_some();
        if !settings.user && !has_project {
            let message = format!("{} has no workspace settings, only your own", client.name);
            let command = match verb {
                Verb::Connect => "connect",
                Verb::Disconnect => "disconnect",
            };
            return Err(Error::new(Code::Usage, message, format!("`refdesk {command} {} --user`", client.word)));
        }
        if wanted == RequestedParts::Hooks && client.hooks.is_none() {
            let message = format!("{} has no hooks that refdesk supports", client.name);
            return Err(Error::new(Code::Usage, message, "connect it without --hooks-only"));
        }
        let for_user = settings.user;
        let hooks_file =
            client.hooks.map(|hooks| settings_file::of(desk, &hooks.places, for_user)).transpose()?.flatten();
        let server_file = settings_file::of(desk, &client.server.places, for_user)?;
        let mut new =
            Self { verb, wanted, client, for_user, files: Vec::new(), hook: None, server: None, warnings: Vec::new() };
        let program = new.choose_program();
        let has_hooks = hooks_file.as_ref().is_some_and(|file| new.has_hooks(file));
        if wanted != RequestedParts::Hooks {
            new.server = Some(client.server.command(&program, for_user));
        }
        if wanted != RequestedParts::Server || has_hooks {
            let has_server = new.server.is_some() || new.has_server(desk);
            new.hook = client.hooks.map(|_| write_command(&program, client.word, has_server));
        }
        if let (Some(command), Some(file)) = (&new.hook, hooks_file) {
            let record = ConnectionRecord::of_hooks(desk, &client, for_user);
            let part = SettingsPart { client, command: PartCommand::Hooks(command.clone()) };
            new.files.push(FileParts { file, parts: vec![(part, record)] });
        }
        if let (Some(command), Some(file)) = (&new.server, server_file) {
            let record = ConnectionRecord::of_server(desk, &client, for_user);
            let part = (SettingsPart { client, command: PartCommand::Server(command.clone()) }, record);
            match new.files.iter_mut().find(|other| other.file.path() == file.path()) {
                Some(other) => other.parts.push(part),
                None => new.files.push(FileParts { file, parts: vec![part] }),
            }
        }
        let damage: Vec<String> =
            new.files.iter().flat_map(|file| &file.parts).filter_map(|(_, record)| record.damage.clone()).collect();
        new.warnings.splice(0..0, damage);
        Ok(new)
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    pub fn is_for_user(&self) -> bool {
        self.for_user
    }

    /// What to test after connecting.
    pub fn job(&self, workspace: PathBuf) -> CanaryJob {
        let agent = HookAgent::from_word(self.client.word);
        let hook = agent.zip(self.hook.clone());
        CanaryJob { workspace, hook, prompt: None, server: self.server.clone() }
    }

    /// What the user has to do before the agent uses its entries.
    pub fn restart(&self, desk: &Desk) -> String {
        self.client.restart((self.hook.is_some(), self.server.is_some() || self.has_server(desk)))
    }

    /// The settings that keep the agent from using its entries.
    pub fn switch_problems(&self, desk: &Desk) -> Vec<SwitchProblem> {
        switches::find(desk, &self.client, self.for_user, (self.hook.is_some(), self.server.is_some()))
    }

    /// The bare name if it runs this program, or if the settings are the workspace's, which other machines use too.
    /// Otherwise the path of this program, if it is usable.
    fn choose_program(&mut self) -> String {
        let (own, found) = (environment::own_file(), environment::on_path(NAME));
        let word = self.client.word;
        // Use a path only if the entries can be recognized, and so removed, without a record.
        let is_fine = |own: &&str| is_ours(&write_command(own, word, true), word);
        let by_path = own.as_ref().filter(|_| self.for_user).and_then(|own| own.to_str()).filter(is_fine);
        match (&own, &found, by_path) {
            (Some(own), Some(found), _) if own == found => {}
            (_, _, Some(own)) => return own.to_owned(),
            _ => {
                if self.verb == Verb::Connect {
                    self.warnings.push(match found {
                        Some(found) => format!(
                            "the agent will call the {NAME} found on PATH, {}, which is a different one",
                            found.display()
                        ),
                        None => format!("{NAME} is not on PATH; until it is, the agent cannot call it"),
                    });
                }
            }
        }
        NAME.to_owned()
    }

    fn has_hooks(&self, file: &SettingsFile) -> bool {
        HookSettings::read(&file.text(), &self.client).is_ok_and(|hooks| !hooks.commands.is_empty())
    }

    /// Whether the user's or the workspace's settings already contain our server.
    fn has_server(&self, desk: &Desk) -> bool {
        let is_usable = |server: ListedServer| server.problem.is_none();
        [true, false]
            .into_iter()
            .any(|for_user| settings_file::server(desk, &self.client, for_user).is_some_and(is_usable))
    }

    /// Shows, asks and writes.
    pub fn run(&self, desk: &mut Desk, session: &Session, settings: SettingsArgs) -> CommandOutput {
        if !settings.dry_run {
            self.files.iter().for_each(FileParts::sweep);
        }
        let answer = match self.changes() {
            Ok(changes) if changes.iter().all(Option::is_none) => {
                if !settings.dry_run {
                    self.remove_obsolete_records();
                }
                self.unchanged(&changes)
            }
            Ok(changes) => self.approve_and_write(desk, session, settings, &changes),
            Err(refusal) => self.answer("error", &[], false, "").with_failures(vec![refusal]),
        };
        let left = if settings.dry_run || answer.exit > 0 { Vec::new() } else { self.untouched_entries(desk) };
        CommandOutput { notes: self.warnings.iter().cloned().chain(answer.notes).chain(left).collect(), ..answer }
    }

    /// Notes on the entries that stay in the files: when connecting, those of the part that was not requested; when
    /// disconnecting, those that connecting did not write.
    fn untouched_entries(&self, desk: &Desk) -> Vec<String> {
        if self.verb == Verb::Connect {
            return self.other_part(desk).into_iter().collect();
        }
        let note = |file: &FileParts, command: String| {
            format!(
                "{} still runs '{command}': that is another program, or an entry that connect did not write",
                file.file.shown
            )
        };
        self.files.iter().flat_map(|file| file.commands().into_iter().map(|command| note(file, command))).collect()
    }

    /// A note on the part that was not requested, if the agent already has it.
    fn other_part(&self, desk: &Desk) -> Option<String> {
        let (places, what, option) = match self.wanted {
            RequestedParts::Both => return None,
            RequestedParts::Hooks => (self.client.server.places, "the refdesk server stays", "--hooks-only"),
            RequestedParts::Server => (self.client.hooks?.places, "the refdesk hooks stay", "--mcp-only"),
        };
        let file = settings_file::of(desk, &places, self.for_user).ok().flatten()?;
        let is_there = match self.wanted {
            RequestedParts::Hooks => settings_file::server(desk, &self.client, self.for_user).is_some(),
            _ => self.has_hooks(&file),
        };
        let scope = if self.for_user { " --user" } else { "" };
        let (shown, word) = (&file.shown, self.client.word);
        is_there.then(|| {
            format!(
                "{what} in {shown}, since {option} removes nothing; `refdesk disconnect {word}{scope}` removes both"
            )
        })
    }

    fn unchanged(&self, changes: &[Option<FileChange>]) -> CommandOutput {
        let (status, is) = match self.verb {
            Verb::Connect => ("already_connected", "is already connected"),
            Verb::Disconnect => ("not_connected", "is not connected"),
        };
        let files: Vec<&str> = self.files.iter().map(|file| file.file.shown.as_str()).collect();
        self.answer(status, changes, false, format!("{} {is} in {}.\n", self.client.name, files.join(" and ")))
    }

    fn changes(&self) -> Result<Vec<Option<FileChange>>, Error> {
        let changes: Result<Vec<_>, Error> = self.files.iter().map(|file| file.change(self.verb)).collect();
        let mut changes = changes?;
        let proposals: Vec<&Proposal> = changes.iter().flatten().map(|change| &change.proposal).collect();
        if let Some((_, _, refused)) = conflicts(&proposals).into_iter().next() {
            return Err(Error { fix: "replace the link with a regular file".into(), ..refused });
        }
        FileChange::share_folders(&mut changes);
        Ok(changes)
    }

    fn approve_and_write(
        &self,
        desk: &mut Desk,
        session: &Session,
        settings: SettingsArgs,
        changes: &[Option<FileChange>],
    ) -> CommandOutput {
        let shown = diffs(changes);
        let preview = |change: &FileChange| format!("this would {} {}", change.words()[0], change.place());
        let preview: Vec<String> = changes.iter().flatten().map(preview).collect();
        if settings.dry_run {
            return CommandOutput { notes: preview, ..self.answer("dry_run", changes, false, shown) };
        }
        let mut text = shown;
        let mut kept: Vec<&str> = Vec::new();
        if !settings.yes {
            let mut heading = format!("\n{}\n\n", self.client.name);
            for change in changes.iter().flatten() {
                let question = format!("{} {}?", change.words()[1], change.place());
                let shown = std::mem::take(&mut heading) + &change.proposal.diff.shown();
                match ask(&shown, &question) {
                    Some(true) => text.clear(),
                    Some(false) => {
                        text.clear();
                        kept.push(&change.proposal.shown);
                        // The hooks name tools of the server, so do not write one file without the other.
                        if self.verb == Verb::Connect {
                            break;
                        }
                    }
                    None => {
                        let answer = self.answer("error", changes, false, text).with_failures(vec![unasked("written")]);
                        return CommandOutput { notes: preview, ..answer };
                    }
                }
            }
        }
        if self.verb == Verb::Connect && !kept.is_empty() || kept.len() == changes.iter().flatten().count() {
            return self.answer("error", changes, false, "").with_failures(vec![self.declined(&kept)]);
        }
        // Another process may have changed the files or records in the meantime.
        let lock = match ConnectionRecord::lock(desk, self.for_user) {
            // When disconnecting, go on without the lock: old records can be read even if new ones cannot be stored.
            Err(refusal) if self.verb == Verb::Connect => return self.failed(refusal, changes, &[]),
            lock => lock.ok(),
        };
        let current = Self::new(desk, self.client, settings, self.wanted, self.verb);
        let answer = match current.and_then(|current| Ok((current.changes()?, current))) {
            Ok((now, current)) if now.iter().all(Option::is_none) => current.unchanged(&now),
            Ok((now, current)) if settings.yes => current.write(desk, session, &now, (diffs(&now), true)),
            Ok((now, current)) if diffs(&now) == diffs(changes) => {
                let is_kept = |change: &FileChange| kept.contains(&change.proposal.shown.as_str());
                let now: Vec<_> = now.into_iter().map(|change| change.filter(|change| !is_kept(change))).collect();
                let answer = current.write(desk, session, &now, (text, kept.is_empty()));
                if kept.is_empty() { answer } else { answer.with_failures(vec![self.declined(&kept)]) }
            }
            Ok(_) => {
                let files: Vec<&str> = self.files.iter().map(|file| file.file.shown.as_str()).collect();
                let message = format!("{} changed after the difference was shown", files.join(" or "));
                self.failed(Error::new(Code::Changed, message, "try again"), changes, &[])
            }
            Err(refusal) => self.failed(refusal, changes, &[]),
        };
        drop(lock);
        answer
    }

    /// The error that the user declined changes to these files.
    fn declined(&self, files: &[&str]) -> Error {
        let (name, files) = (self.client.name, files.join(" and "));
        let (message, fix) = match self.verb {
            Verb::Connect => {
                let fix = "connect with --hooks-only or --mcp-only to write only one of them";
                let message = format!("{name}: nothing was written, because you declined to change {files}");
                (message, if self.files.len() > 1 { fix.to_owned() } else { String::new() })
            }
            Verb::Disconnect => {
                let scope = if self.for_user { " --user" } else { "" };
                let fix = format!("`refdesk disconnect {}{scope}` asks again", self.client.word);
                (format!("{name}: nothing was removed from {files}, because you declined"), fix)
            }
        };
        Error::new(Code::NotApproved, message, fix)
    }

    /// Whether there is something to remove, to forget or to leave alone, or this cannot be determined.
    pub fn is_connected(&self) -> bool {
        self.changes().map_or(true, |changes| changes.iter().any(Option::is_some))
            || self.files.iter().any(|file| file.is_only_recorded() || !file.commands().is_empty())
    }

    /// When disconnecting, removes the records of entries that are already gone from the files.
    fn remove_obsolete_records(&self) {
        if self.verb == Verb::Disconnect {
            self.files.iter().filter(|file| file.is_only_recorded()).for_each(FileParts::remove_stale_records);
        }
    }

    /// Makes the approved changes, or all, while holding the lock.
    fn write(
        &self,
        desk: &mut Desk,
        session: &Session,
        changes: &[Option<FileChange>],
        (mut text, is_all): (String, bool),
    ) -> CommandOutput {
        let mut done = Vec::new();
        for (file, change) in self.files.iter().zip(changes) {
            let Some(change) = change else { continue };
            if let Err(refusal) = file.write(desk, session, change, self.client.word) {
                return self.failed(refusal, changes, &done);
            }
            done.push((change.words()[2], change.place()));
        }
        self.remove_obsolete_records();
        let (status, is) = match self.verb {
            Verb::Connect => ("connected", "is connected"),
            Verb::Disconnect if is_all => ("disconnected", "is no longer connected"),
            Verb::Disconnect => ("error", "is still connected in part"),
        };
        text.push_str(&format!("{} {is}: {}.\n", self.client.name, sentence(&done)));
        self.answer(status, changes, true, text)
    }

    fn failed(&self, refusal: Error, changes: &[Option<FileChange>], done: &[DoneChange]) -> CommandOutput {
        let notes = done.iter().map(|(did, place)| format!("before that, {NAME} {did} {place}")).collect();
        let answer = if refusal.code == Code::Changed {
            // The diff that was shown was made against the old content.
            let updated = self.changes().unwrap_or_default();
            self.answer("error", &updated, !done.is_empty(), diffs(&updated))
        } else {
            self.answer("error", changes, !done.is_empty(), "")
        };
        CommandOutput { notes, ..answer.with_failures(vec![refusal]) }
    }

    fn answer(
        &self,
        status: &str,
        changes: &[Option<FileChange>],
        changed: bool,
        text: impl Into<String>,
    ) -> CommandOutput {
        let of = |is_it: fn(&PartCommand) -> bool| {
            let at = self.files.iter().position(|file| file.parts.iter().any(|(part, _)| is_it(&part.command)));
            let change = at.and_then(|at| changes.get(at)).and_then(Option::as_ref);
            let path = at.and_then(|at| self.files.get(at)).map(|file| file.file.shown.clone());
            (path, change.map(|change| change.proposal.diff.unified()).unwrap_or_default())
        };
        let (hooks_path, hooks_diff) = of(|part| matches!(part, PartCommand::Hooks(_)));
        let (server_path, server_diff) = of(|part| matches!(part, PartCommand::Server(_)));
        let mut server = Map::from_iter([
            ("path".to_owned(), json!(server_path)),
            ("diff".to_owned(), json!(server_diff)),
            ("changed".to_owned(), json!(changed && !server_diff.is_empty())),
        ]);
        let mut json = Map::from_iter([
            ("status".to_owned(), json!(status)),
            ("agent".to_owned(), json!(self.client.word)),
            ("scope".to_owned(), json!(if self.for_user { "user" } else { "project" })),
            ("path".to_owned(), json!(hooks_path)),
            ("diff".to_owned(), json!(hooks_diff)),
            ("changed".to_owned(), json!(changed)),
            ("warnings".to_owned(), json!(self.warnings)),
        ]);
        if self.verb == Verb::Connect {
            json.insert("command".to_owned(), json!(self.hook));
            server.insert("command".to_owned(), json!(self.server.as_ref().map(ServerCommand::words)));
        }
        json.insert("mcp".to_owned(), if server_path.is_some() { Value::Object(server) } else { Value::Null });
        CommandOutput::new(Value::Object(json), text)
    }
}

/// What was done, and to which file.
type DoneChange = (&'static str, String);

/// `wrote a and b`, or `changed a and wrote b`.
fn sentence(done: &[DoneChange]) -> String {
    let mut last = "";
    let parts = done.iter().map(|(did, place)| {
        let is_same = std::mem::replace(&mut last, *did) == *did;
        if is_same { place.clone() } else { format!("{did} {place}") }
    });
    names::joined(&parts.collect::<Vec<_>>(), usize::MAX)
}

fn diffs(changes: &[Option<FileChange>]) -> String {
    changes.iter().flatten().map(|change| change.proposal.diff.unified()).collect()
}
