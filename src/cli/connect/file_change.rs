//! The change to one settings file: the added or removed entries, the proposal to show, and the records to update.

use std::path::Path;

use super::super::environment;
use super::command_line::{shown_command, shown_words};
use super::connection_record::ConnectionRecord;
use super::settings_file::SettingsFile;
use refdesk_agents::setup::{
    ConnectedFile, Disconnected, HookSettings, NAME, PartCommand, Record, SettingsPart, connect_file, disconnect_file,
    listed_server,
};
use refdesk_desk::{Desk, Session};
use refdesk_files::Folder;
use refdesk_files::output::{PriorContent, Proposal, propose, propose_removal, remove_empty_folders};
use refdesk_text::{Code, Error};

/// Whether parts are added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Connect,
    Disconnect,
}

/// A settings file and the parts of refdesk that belong in it.
pub(super) struct FileParts {
    pub file: SettingsFile,
    pub parts: Vec<(SettingsPart, ConnectionRecord)>,
}

pub(super) struct FileChange {
    pub proposal: Proposal,
    /// How many of its parent folders were missing before any change.
    missing: usize,
    then: FollowUp,
}

enum FollowUp {
    /// Write the file, and store these records.
    Remember(Vec<Option<Record>>),
    /// Write the file, and remove the records.
    Forget,
    /// Remove the file, and up to this many folders.
    Remove(usize),
}

/// How often to reread a file that changes while it is read.
const MAX_READS: usize = 8;

impl FileParts {
    /// The change; `None` if there is nothing to change.
    ///
    /// # Errors
    /// The file cannot be read or understood, or may not be written.
    pub fn change(&self, verb: Verb) -> Result<Option<FileChange>, Error> {
        // Another process may write the file while it is being read.
        for _ in 1..MAX_READS {
            match self.change_of_one_reading(verb) {
                Err(error) if error.code == Code::Changed => {}
                // Ignore a broken file that was never connected: it contains nothing to remove.
                Err(_) if verb == Verb::Disconnect && !self.is_recorded() && !self.file.mentions(NAME) => {
                    return Ok(None);
                }
                change => return change,
            }
        }
        self.change_of_one_reading(verb)
    }

    fn change_of_one_reading(&self, verb: Verb) -> Result<Option<FileChange>, Error> {
        let text = self.file.read()?;
        let text = text.as_deref();
        let shown = &self.file.shown;
        let in_file = |error: Error| Error { message: format!("{shown}:{}", error.message), ..error };
        let parts: Vec<_> = self.parts.iter().map(|(part, it)| (part.clone(), it.record.as_ref())).collect();
        let (new, then) = match verb {
            Verb::Connect => match connect_file(text, &parts, &environment::is_this_program).map_err(in_file)? {
                ConnectedFile::Already => return Ok(None),
                ConnectedFile::Write { text, records } => (text, FollowUp::Remember(records)),
            },
            Verb::Disconnect => match disconnect_file(text, &parts, &environment::is_this_program).map_err(in_file)? {
                Disconnected::Nothing => return Ok(None),
                Disconnected::Write(text) => (text, FollowUp::Forget),
                Disconnected::Remove { folders } => (String::new(), FollowUp::Remove(folders)),
            },
        };
        let proposal = self.file.propose(|root, folder, file, scope| match then {
            FollowUp::Remove(_) => propose_removal(root, folder, file, scope),
            _ => propose(root, folder, file, &new, scope),
        })?;
        // The file may have changed between the two reads.
        let is_same = text.map_or(proposal.before == PriorContent::Nothing, |text| proposal.replaces(text));
        if !is_same {
            let message = format!("{shown} changed while it was being read");
            return Err(Error::new(Code::Changed, message, "try again"));
        }
        let missing = proposal.path.ancestors().skip(1).take_while(|folder| !folder.is_dir()).count();
        Ok(Some(FileChange { proposal, missing, then }))
    }

    /// The commands of refdesk in the file, made safe to show.
    pub fn commands(&self) -> Vec<String> {
        let text = self.file.text();
        let of = |part: &SettingsPart| match &part.command {
            PartCommand::Hooks(_) => {
                let hooks = HookSettings::read(&text, &part.client);
                hooks.iter().flat_map(|it| &it.commands).map(|command| shown_command(command)).collect()
            }
            PartCommand::Server(_) => {
                let listed = listed_server(&text, &part.client.server).ok().flatten();
                listed.map(|it| shown_words(it.command.words())).into_iter().collect()
            }
        };
        self.parts.iter().flat_map(|(part, _)| -> Vec<String> { of(part) }).collect()
    }

    /// Makes the change. Records are written first, because otherwise the previous content could be lost.
    ///
    /// # Errors
    /// A record or the settings file cannot be written or removed.
    pub fn write(&self, desk: &mut Desk, session: &Session, change: &FileChange, agent: &str) -> Result<(), Error> {
        let proposal = &change.proposal;
        let written = match &change.then {
            FollowUp::Remember(records) => {
                for ((_, stored), record) in self.parts.iter().zip(records) {
                    let Some(record) = record else { continue };
                    // A killed process may have created the folders, but not the file.
                    let earlier = stored.record.as_ref().map_or(0, |earlier| earlier.folders);
                    let made = change.missing.max(earlier);
                    let folders = if record.created { record.folders.max(made) } else { record.folders };
                    stored.store(desk, &Record { folders, ..record.clone() })?;
                }
                let written = desk.write(session, std::slice::from_ref(proposal), "").map(drop);
                if written.is_err() {
                    self.parts.iter().for_each(|(_, record)| record.put_back());
                }
                written
            }
            FollowUp::Forget => desk.write(session, std::slice::from_ref(proposal), "").map(drop),
            FollowUp::Remove(folders) => {
                let reason = format!("it was created to connect {agent}");
                desk.remove(session, proposal, self.file.depth().min(*folders), &reason)
            }
        };
        written.map_err(|unwritten| unwritten.refused)?;
        if !matches!(change.then, FollowUp::Remember(_)) {
            self.forget();
        }
        Ok(())
    }

    /// Whether `connect` has written entries to the file, and `disconnect` has not removed them.
    fn is_recorded(&self) -> bool {
        self.records().next().is_some()
    }

    /// Whether there are records of entries that the file does not contain, because they were removed or never written.
    pub fn is_only_recorded(&self) -> bool {
        let text = self.file.text();
        let is_ahead = || self.records().all(|record| record.is_ahead_of(&text));
        self.is_recorded() && (self.commands().is_empty() || is_ahead())
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.parts.iter().filter_map(|(_, stored)| stored.record.as_ref())
    }

    /// Removes the temporary files that a killed `connect` or `disconnect` left.
    pub fn sweep(&self) {
        let path = self.file.path();
        // Ignore errors: leftovers are harmless. A folder that is a link is not ours.
        let _ = path.parent().map(|folder| Folder::real(folder).and_then(|folder| folder.sweep_dead()));
    }

    /// Removes the records of entries that the file does not contain, and the folders created for a file that does not
    /// exist.
    pub fn remove_stale_records(&self) {
        if matches!(self.file.read(), Ok(None)) {
            let created = self.records().filter(|record| record.created).map(|record| record.folders);
            remove_empty_folders(&self.file.path(), created.max().unwrap_or_default().min(self.file.depth()));
        }
        self.forget();
    }

    fn forget(&self) {
        self.parts.iter().for_each(|(_, record)| record.forget());
    }
}

impl FileChange {
    /// Makes each removal include the folders created for any file in the same folder.
    pub fn share_folders(changes: &mut [Option<Self>]) {
        let removed = |change: &Self| match change.then {
            FollowUp::Remove(folders) => Some((change.proposal.path.parent()?.to_path_buf(), folders)),
            _ => None,
        };
        let all: Vec<_> = changes.iter().flatten().filter_map(removed).collect();
        for change in changes.iter_mut().flatten() {
            let folder = change.proposal.path.parent().map(Path::to_path_buf);
            if let FollowUp::Remove(folders) = &mut change.then {
                let same = all.iter().filter(|(other, _)| Some(other) == folder.as_ref());
                *folders = same.map(|(_, count)| *count).max().unwrap_or(*folders);
            }
        }
    }

    /// The verb for the change: infinitive, capitalized for a question, and past tense.
    pub fn words(&self) -> [&'static str; 3] {
        match (&self.then, &self.proposal.before) {
            (FollowUp::Remove(_), _) => ["remove", "Remove", "removed"],
            (_, PriorContent::Nothing) => ["write", "Write", "wrote"],
            (_, PriorContent::File { .. }) => ["change", "Change", "changed"],
        }
    }

    /// The file and the size of the change.
    pub fn place(&self) -> String {
        format!("{} ({})", self.proposal.shown, self.proposal.diff.summary())
    }
}
