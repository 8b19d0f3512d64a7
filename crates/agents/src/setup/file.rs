//! A settings file with all our parts: some agents keep hooks and servers in one file. The part added last is removed
//! first, so that each record describes the text it is applied to.

use super::client::{Client, ServerCommand};
use super::plan::{self, Connected, Disconnected, IsOwn};
use super::record::Record;
use super::server::{connect_server, disconnect_server};
use refdesk_files::name::sha256_hex;
use refdesk_text::Error;

/// One of our parts in an agent's settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsPart {
    /// The agent.
    pub client: Client,
    /// The command it runs.
    pub command: PartCommand,
}

/// The command of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartCommand {
    /// The command line of its hooks.
    Hooks(String),
    /// The command that starts the server.
    Server(ServerCommand),
}

/// The result of connecting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectedFile {
    /// The file already has every part.
    Already,
    /// The file must be written.
    Write {
        /// The new content of the whole file.
        text: String,
        /// The record of each part, in the given order; `None` for an unchanged part.
        records: Vec<Option<Record>>,
    },
}

impl SettingsPart {
    fn connect(&self, text: Option<&str>, record: Option<&Record>, is_own: IsOwn<'_>) -> Result<Connected, Error> {
        match &self.command {
            PartCommand::Hooks(command) => plan::connect(text, &self.client, command, record, is_own),
            PartCommand::Server(command) => connect_server(text, &self.client.server, command, record, is_own),
        }
    }

    fn disconnect(
        &self,
        text: Option<&str>,
        record: Option<&Record>,
        is_own: IsOwn<'_>,
    ) -> Result<Disconnected, Error> {
        match &self.command {
            PartCommand::Hooks(_) => plan::disconnect(text, &self.client, record, is_own),
            PartCommand::Server(_) => disconnect_server(text, &self.client.server, record, is_own),
        }
    }
}

/// Adds these parts, each with its earlier record. `text` is `None` if the file does not exist; `is_own` reports
/// whether an entry's program is this one.
///
/// # Errors
/// The file cannot be changed without guessing what it means. The message begins with line and column.
pub fn connect_file(
    text: Option<&str>,
    parts: &[(SettingsPart, Option<&Record>)],
    is_own: IsOwn<'_>,
) -> Result<ConnectedFile, Error> {
    let parts = &without_records_ahead(text, parts);
    let is_first = parts.iter().all(|(_, record)| record.is_none());
    let before = text.filter(|_| is_first).map(|text| sha256_hex(text.as_bytes())).unwrap_or_default();
    if let [(part, record)] = parts.as_slice() {
        return Ok(match part.connect(text, *record, is_own)? {
            Connected::Already => ConnectedFile::Already,
            Connected::Write { text, record } => {
                ConnectedFile::Write { text, records: vec![Some(Record { before, ..*record })] }
            }
        });
    }
    let mut is_new = false;
    for (part, record) in parts {
        is_new |= part.connect(text, *record, is_own)? != Connected::Already;
    }
    if !is_new {
        return Ok(ConnectedFile::Already);
    }
    let recorded: Vec<_> = parts.iter().filter(|(_, record)| record.is_some()).cloned().collect();
    let Stripped { mut text, folders, .. } = strip(text, &recorded, is_own)?;
    let mut records = Vec::new();
    for (part, _) in parts {
        let connected = part.connect(text.as_deref(), None, is_own)?;
        records.push(match connected {
            Connected::Already => None,
            Connected::Write { text: new, record } => {
                text = Some(new);
                let folders = if record.created { folders } else { 0 };
                Some(Record { before: before.clone(), folders, ..*record })
            }
        });
    }
    Ok(ConnectedFile::Write { text: text.unwrap_or_default(), records })
}

/// Removes these parts; `is_own` reports whether an entry's program is this one.
///
/// # Errors
/// The file does not parse, or a part cannot be removed safely.
pub fn disconnect_file(
    text: Option<&str>,
    parts: &[(SettingsPart, Option<&Record>)],
    is_own: IsOwn<'_>,
) -> Result<Disconnected, Error> {
    let Stripped { text, folders, is_changed } = strip(text, &without_records_ahead(text, parts), is_own)?;
    Ok(match text {
        _ if !is_changed => Disconnected::Nothing,
        Some(text) => Disconnected::Write(text),
        None => Disconnected::Remove { folders },
    })
}

/// Drops records of writes that never happened: with such a record, other people's entries would count as ours.
fn without_records_ahead<'r>(
    text: Option<&str>,
    parts: &[(SettingsPart, Option<&'r Record>)],
) -> Vec<(SettingsPart, Option<&'r Record>)> {
    let is_ahead = |record: &&Record| text.is_some_and(|text| record.is_ahead_of(text));
    parts.iter().map(|(part, record)| (part.clone(), record.filter(|record| !is_ahead(record)))).collect()
}

struct Stripped {
    /// `None` if the file was created for our parts and has nothing else.
    text: Option<String>,
    /// How many folders were created for it.
    folders: usize,
    is_changed: bool,
}

fn strip(text: Option<&str>, parts: &[(SettingsPart, Option<&Record>)], is_own: IsOwn<'_>) -> Result<Stripped, Error> {
    let mut left = Stripped { text: text.map(str::to_owned), folders: 0, is_changed: false };
    let mut parts: Vec<_> = parts.iter().collect();
    while let Some(text) = left.text.clone()
        && !parts.is_empty()
    {
        let is_last = |(_, record): &&(SettingsPart, Option<&Record>)| record.is_some_and(|it| it.describes(&text));
        let at = parts.iter().position(is_last).unwrap_or(parts.len() - 1);
        let (part, record) = parts.remove(at);
        match part.disconnect(Some(&text), *record, is_own)? {
            Disconnected::Nothing => {}
            Disconnected::Write(text) => left = Stripped { text: Some(text), is_changed: true, ..left },
            Disconnected::Remove { folders } => left = Stripped { text: None, folders, is_changed: true },
        }
    }
    Ok(left)
}
