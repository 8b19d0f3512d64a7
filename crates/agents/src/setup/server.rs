//! Computes the file that lists an agent's servers, with ours and without it. As with hooks, both are functions of the
//! text and the record, and everything that is not ours stays the same, byte for byte. Text is only added or cut, never
//! reprinted; comparing the parsed values before and after ensures that nothing else changed.

mod json;
mod lines;
mod toml;
mod yaml;

#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::client::{McpServer, SERVER, ServerCommand, SettingsFormat};
use super::insert::{Insert, apply};
use super::plan::{Connected, Disconnected, IsOwn, Remaining, split_mark};
use super::problem::EntryProblem;
use super::record::{Record, Replaced, Undone};
use super::text::error_at;
use refdesk_files::name::sha256_hex;
use refdesk_text::{Code, Error};

/// Adds our server, started by this command, to an agent's settings. `text` is `None` if the file does not exist. An
/// entry that starts refdesk but that `connect` did not write is replaced and kept in the record.
///
/// # Errors
/// The file cannot be changed without guessing what it means, or lists another server under our name. The message
/// begins with line and column.
pub(super) fn connect_server(
    text: Option<&str>,
    server: &McpServer,
    command: &ServerCommand,
    record: Option<&Record>,
    is_own: IsOwn<'_>,
) -> Result<Connected, Error> {
    let (mark, body) = split_mark(text);
    let list = List::of(body, server)?;
    if let Some(entry) = list.entry() {
        let listed = list.ours(entry, server);
        match &listed {
            Some(ListedServer { problem: Some(problem), .. }) => {
                return Err(at(body, &list, Code::EntryTaken, &problem.message, problem.fix));
            }
            Some(listed) if listed.command == *command => return Ok(Connected::Already),
            Some(_) => {}
            None => {
                let message = format!("'{}' exists and does not start refdesk", list.name());
                return Err(at(body, &list, Code::EntryTaken, &message, "remove it, or give it another name"));
            }
        }
    }
    // Without a record, an entry that starts a program other than this command's was written by hand, whatever the
    // program is called.
    let is_same = |program: &str| program == command.program;
    let is_own: IsOwn<'_> = if record.is_some() { is_own } else { &is_same };
    let base = remove(body, server, record, is_own)?.base(text.map(|_| body), record);
    let blank = if server.format == SettingsFormat::Json { "{}\n" } else { "" };
    let mut base_text = base.text.as_deref().unwrap_or(blank).to_owned();
    let (mut replaced, mut entries) = (Vec::new(), Vec::new());
    if let Some((text, entry)) = without_other(&base_text, server)? {
        replaced.push(Replaced::of(&base_text, &text));
        entries.push((String::new(), entry));
        base_text = text;
    }
    let base_text = base_text.as_str();
    let list = List::of(base_text, server)?;
    let entry = server.entry(command);
    let Additions { inserts, made } = list.add(base_text, &entry)?;
    let (added, places) = apply(base_text, inserts);
    if !is_only_ours(&list, base_text, server, &added, Some(&entry)) {
        return Err(not_safe(base_text, &list, "added"));
    }
    let command = command.words().into_iter().map(str::to_owned).collect();
    let record = Record { added: places, made, replaced, entries, command, ..Record::default() };
    Ok(base.connected(mark, &added, record))
}

/// Removes our server from an agent's settings and restores the entry it replaced. If the text has changed since the
/// record, the entry is ours if it runs the recorded command, or a program that `is_own` accepts; the name alone is not
/// enough. Without a record, it is ours only if `connect` would write it.
///
/// # Errors
/// The file does not parse, or the entry cannot be cut out of it safely.
pub(super) fn disconnect_server(
    text: Option<&str>,
    server: &McpServer,
    record: Option<&Record>,
    is_own: IsOwn<'_>,
) -> Result<Disconnected, Error> {
    let (mark, body) = split_mark(text);
    Ok(remove(body, server, record, is_own)?.disconnected(mark, record))
}

/// Our server in an agent's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedServer {
    /// The command that starts it.
    pub command: ServerCommand,
    /// What keeps the agent from running exactly this command.
    pub problem: Option<EntryProblem>,
}

/// Our server in these settings.
///
/// # Errors
/// The file does not parse.
pub fn listed_server(text: &str, server: &McpServer) -> Result<Option<ListedServer>, Error> {
    let list = List::of(split_mark(Some(text)).1, server)?;
    Ok(list.entry().and_then(|entry| list.ours(entry, server)))
}

/// The name of an entry that uses our name but does not start refdesk.
///
/// # Errors
/// The file does not parse.
pub fn foreign_server(text: &str, server: &McpServer) -> Result<Option<String>, Error> {
    let list = List::of(split_mark(Some(text)).1, server)?;
    let is_foreign = list.entry().is_some_and(|entry| list.ours(entry, server).is_none());
    Ok(is_foreign.then(|| list.name()))
}

/// What to add to a text, and the containers this creates, each as the names on its path joined by `/`.
struct Additions {
    inserts: Vec<Insert>,
    made: Vec<String>,
}

/// The list of servers in a text.
struct List {
    format: SettingsFormat,
    /// The path of keys to the list.
    keys: &'static [&'static str],
    /// The parsed text; `None` if it is blank.
    value: Option<Value>,
}

impl SettingsFormat {
    /// The value of a text without a byte order mark; `None` if it is blank.
    fn parse(self, body: &str) -> Result<Option<Value>, Error> {
        match self {
            Self::Json => json::value(body),
            Self::Toml => toml::value(body),
            Self::Yaml => yaml::value(body),
        }
    }

    /// The value of a settings file; `None` if it is blank.
    pub(in crate::setup) fn value(self, text: &str) -> Result<Option<Value>, Error> {
        self.parse(split_mark(Some(text)).1)
    }
}

impl List {
    fn of(body: &str, server: &McpServer) -> Result<Self, Error> {
        let value = server.format.parse(body)?;
        // At the other path, an object of objects is a list of servers; in an entry of the first list, `type` would be
        // a string.
        let has_others = |keys: &&[&str]| {
            let found = value.as_ref().and_then(|value| keys.iter().try_fold(value, |value, key| value.get(key)));
            found.and_then(Value::as_object).is_some_and(|list| list.values().all(Value::is_object))
        };
        let keys = server.other_keys.filter(has_others).unwrap_or(server.keys);
        Ok(Self { format: server.format, keys, value })
    }

    fn entry(&self) -> Option<&Value> {
        self.keys.iter().chain(&[SERVER]).try_fold(self.value.as_ref()?, |value, key| value.get(key))
    }

    /// The full name of our entry.
    fn name(&self) -> String {
        format!("{}.{SERVER}", self.keys.join("."))
    }

    /// An entry that starts refdesk, or would if it were enabled.
    fn ours(&self, entry: &Value, server: &McpServer) -> Option<ListedServer> {
        let command = server.listed_command(entry).filter(ServerCommand::is_ours)?;
        let problem = EntryProblem::of_server(&self.name(), entry, &server.foreign_keys(entry));
        Some(ListedServer { command, problem })
    }

    /// The first byte of our entry's key, or of the innermost existing key on its path.
    fn place(&self, text: &str) -> usize {
        let keys: Vec<&str> = self.keys.iter().copied().chain([SERVER]).collect();
        match self.format {
            SettingsFormat::Json => json::place(text, &keys),
            SettingsFormat::Toml => toml::place(text, &keys),
            SettingsFormat::Yaml => yaml::place(text, &keys),
        }
    }

    fn add(&self, text: &str, entry: &Value) -> Result<Additions, Error> {
        match self.format {
            SettingsFormat::Json => json::add(text, self.keys, entry),
            SettingsFormat::Toml => Ok(toml::add(text, self.keys, entry)),
            SettingsFormat::Yaml => yaml::add(text, self.keys, entry),
        }
    }

    /// The text without our entry, and without containers that this empties and that may be removed.
    fn cut(&self, text: &str, may_remove: &dyn Fn(&str) -> bool) -> Result<String, Error> {
        match self.format {
            SettingsFormat::Json => json::cut_entry(text, self.keys, may_remove),
            SettingsFormat::Toml => Ok(toml::cut_entry(text, self.keys)),
            SettingsFormat::Yaml => Ok(yaml::cut_entry(text, self.keys, may_remove)),
        }
    }
}

fn remove(body: &str, server: &McpServer, record: Option<&Record>, is_own: IsOwn<'_>) -> Result<Remaining, Error> {
    let list = List::of(body, server)?;
    let command = list.entry().and_then(|entry| Some((entry, server.command_of(entry)?)));
    let Some((entry, command)) = command.filter(|(_, command)| command.is_ours()) else {
        return Ok(Remaining::Untouched);
    };
    if let Some(record) = record
        && let Some(text) = restored(body, server, record, entry)
    {
        let is_file = record.created && is_blank(&text, server)?;
        return Ok(if is_file { Remaining::File } else { Remaining::Text { text, is_exact: true } });
    }
    let is_it = match record {
        Some(record) => is_own(&command.program) || command.words() == record.command,
        None => is_own(&command.program) && server.is_written(entry, &command),
    };
    if !is_it {
        return Ok(Remaining::Untouched);
    }
    // The text has changed since, or the record is missing or wrong: cut the entry out.
    let may_remove = |made: &str| record.is_none_or(|record| record.has_made(made));
    let text = list.cut(body, &may_remove)?;
    if !is_only_ours(&list, &text, server, body, None) {
        return Err(not_safe(body, &list, "removed"));
    }
    let text = record.map_or_else(|| text.clone(), |record| with_replaced(&text, server, record));
    let is_file = record.is_some_and(|record| record.created) && is_blank(&text, server)?;
    if is_file {
        return Ok(Remaining::File);
    }
    let is_ours = record.is_some_and(|record| record.has_made("")) && server.format == SettingsFormat::Json;
    let text = if is_ours { json::around_empty(&text)?.unwrap_or(text) } else { text };
    Ok(Remaining::Text { text, is_exact: false })
}

/// The text without an entry that starts refdesk and is not ours, and that entry; `None` if there is none.
fn without_other(text: &str, server: &McpServer) -> Result<Option<(String, Value)>, Error> {
    let list = List::of(text, server)?;
    let Some(entry) = list.entry().filter(|entry| list.ours(entry, server).is_some()) else { return Ok(None) };
    let left = list.cut(text, &|_| true)?;
    if !is_only_ours(&list, &left, server, text, None) {
        return Err(not_safe(text, &list, "replaced"));
    }
    Ok(Some((left, entry.clone())))
}

/// Adds the entry that ours replaced. The text was edited since, so it is added like a new one.
fn with_replaced(text: &str, server: &McpServer, record: &Record) -> String {
    let added = || {
        let (_, entry) = record.entries.first()?;
        let list = List::of(text, server).ok()?;
        // Accept an entry from the record only if it starts refdesk.
        list.ours(entry, server)?;
        let added = apply(text, list.add(text, entry).ok()?.inserts).0;
        is_only_ours(&list, text, server, &added, Some(entry)).then_some(added)
    };
    added().unwrap_or_else(|| text.to_owned())
}

/// The original text according to the record, if that is plausible: a record may contain anything, so its result is
/// used only if it restores nothing but an entry that starts refdesk, and if adding our entry to it gives this text
/// again.
fn restored(body: &str, server: &McpServer, record: &Record, entry: &Value) -> Option<String> {
    let Undone { bare, original } = record.undo(&sha256_hex(body.as_bytes()), body)?;
    let list = List::of(&bare, server).ok()?;
    // Parsing may reorder the members.
    let written = server.command_of(entry).map(|command| server.entry(&command)).filter(|written| written == entry);
    let Additions { inserts, .. } = list.add(&bare, written.as_ref().unwrap_or(entry)).ok()?;
    let is_again = list.entry().is_none() && apply(&bare, inserts).0 == body;
    let before = without_other(&original, server).ok()?.map_or_else(|| original.clone(), |(left, _)| left);
    (is_again && before == bare).then_some(original)
}

/// Whether `with` differs from `without` only by our entry (this one, if given) and by empty containers on its path.
fn is_only_ours(list: &List, without: &str, server: &McpServer, with: &str, entry: Option<&Value>) -> bool {
    let (Ok(without), Ok(with)) = (List::of(without, server), List::of(with, server)) else { return false };
    let is_there = with.keys == list.keys && entry.is_none_or(|entry| with.entry() == Some(entry));
    is_there && without.entry().is_none() && bare(without.value, list.keys) == bare(with.value, list.keys)
}

/// A value without our entry and without empty containers on its path.
fn bare(value: Option<Value>, keys: &[&str]) -> Value {
    fn prune(value: &mut Value, keys: &[&str]) {
        let Value::Object(members) = value else { return };
        let Some((key, rest)) = keys.split_first() else {
            members.shift_remove(SERVER);
            return;
        };
        if let Some(inner) = members.get_mut(*key) {
            prune(inner, rest);
            if inner.is_null() || inner.as_object().is_some_and(serde_json::Map::is_empty) {
                members.shift_remove(*key);
            }
        }
    }
    let mut value = value.filter(|value| !value.is_null()).unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    prune(&mut value, keys);
    value
}

fn is_blank(text: &str, server: &McpServer) -> Result<bool, Error> {
    match server.format {
        SettingsFormat::Json => super::plan::is_blank(text),
        SettingsFormat::Toml | SettingsFormat::Yaml => Ok(text.trim().is_empty()),
    }
}

fn not_safe(text: &str, list: &List, done: &str) -> Error {
    let message = format!("'{}' cannot be {done} without changing other settings", list.name());
    at(text, list, Code::WrongType, &message, "edit that part yourself; the file was not changed")
}

/// An error at our entry's key, or at the innermost existing key on its path.
fn at(text: &str, list: &List, code: Code, message: &str, fix: &'static str) -> Error {
    Error { fix: fix.into(), ..error_at(text, list.place(text), code, message) }
}
