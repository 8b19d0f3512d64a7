//! Computes an agent's settings file after connecting and after disconnecting, as functions of the text and the record
//! of the connection. Everything that is not ours stays the same, byte for byte.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::additions::additions;
use super::client::Client;
use super::command::{is_canonical, program_of};
use super::cut::cut;
use super::entries::{Entry, HOOKS, has_no_comment, members, ours};
use super::insert::apply;
use super::record::{Record, Replaced, Undone};
use super::text::{Container, error_at, parse, part};
use refdesk_files::name::sha256_hex;
use refdesk_text::{Code, Error};

const MARK: &str = "\u{feff}";

/// The most entries removed one by one; connecting adds three.
const MAX_ENTRIES: usize = 256;

/// Whether a program, as written in an entry, is this one.
pub(crate) type IsOwn<'a> = &'a dyn Fn(&str) -> bool;

/// The result of connecting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Connected {
    /// The file already has every entry.
    Already,
    /// The new content of the whole file, and the record to store; the caller adds the number of folders it creates.
    Write { text: String, record: Box<Record> },
}

/// The result of disconnecting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disconnected {
    /// The file has none of our entries.
    Nothing,
    /// The new content of the file.
    Write(String),
    /// The file was created for our entries and has nothing else: remove it, and this many folders above it.
    Remove {
        /// How many folders were created for it.
        folders: usize,
    },
}

/// Adds our entries, which run this command, to an agent's settings. `text` is `None` if the file does not exist.
/// Entries that run refdesk but that `connect` did not write are replaced and kept in the record.
///
/// # Errors
/// The file cannot be changed without guessing what it means. The message begins with line and column.
pub(super) fn connect(
    text: Option<&str>,
    client: &Client,
    command: &str,
    record: Option<&Record>,
    is_own: IsOwn<'_>,
) -> Result<Connected, Error> {
    let (mark, body) = split_mark(text);
    let wanted = client.entries(command);
    if let Some(Value::Object(root)) = parse(body)? {
        let found = ours(&root, client.word);
        let there = |(event, entry): &(&str, serde_json::Value)| {
            found.iter().any(|ours| ours.event == *event && ours.alone() == *entry)
        };
        if found.len() == wanted.len() && wanted.iter().all(there) {
            return Ok(Connected::Already);
        }
    }
    // Without a record, an entry that starts a program other than this command's was written by hand, whatever the
    // program is called.
    let is_same = |program: &str| program_of(command).as_deref() == Some(program);
    let is_own: IsOwn<'_> = if record.is_some() { is_own } else { &is_same };
    // Remove older entries first, so that the record describes the file before any of them.
    let base = remove_ours(body, client, record, is_own)?.base(text.map(|_| body), record);
    let ForeignEntries { text: base_text, replaced, entries } =
        without_others(base.text.as_deref().unwrap_or("{}\n"), client)?;
    let (inserts, made) = additions(&base_text, client, &wanted)?;
    let (text, places) = apply(&base_text, inserts);
    let command = vec![command.to_owned()];
    let record = Record { added: places, made, replaced, entries, command, ..Record::default() };
    Ok(base.connected(mark, &text, record))
}

/// Removes our entries from an agent's settings and restores those they replaced. If the text has changed since the
/// record, an entry is ours if it runs the recorded command, or a program that `is_own` accepts; the name alone is not
/// enough. Without a record, an entry is ours only if `connect` would write it.
///
/// # Errors
/// The file does not parse.
pub(super) fn disconnect(
    text: Option<&str>,
    client: &Client,
    record: Option<&Record>,
    is_own: IsOwn<'_>,
) -> Result<Disconnected, Error> {
    let (mark, body) = split_mark(text);
    Ok(remove_ours(body, client, record, is_own)?.disconnected(mark, record))
}

/// Splits off the byte order mark.
pub(super) fn split_mark(text: Option<&str>) -> (&'static str, &str) {
    let text = text.unwrap_or_default();
    text.strip_prefix(MARK).map_or(("", text), |body| (MARK, body))
}

pub(super) enum Remaining {
    /// The file had none of our entries.
    Untouched,
    Text {
        text: String,
        /// Whether it is, byte for byte, the text from before our entries were added.
        is_exact: bool,
    },
    /// Nothing: the file was created for our entries and has nothing else.
    File,
}

impl Remaining {
    /// The text to add our entries to; `body` is `None` if the file does not exist.
    pub(super) fn base<'r>(self, body: Option<&str>, record: Option<&'r Record>) -> Base<'r> {
        match self {
            Self::Text { text, is_exact } => Base { text: Some(text), earlier: record, is_exact },
            Self::File => Base { text: None, earlier: record, is_exact: true },
            Self::Untouched => Base { text: body.map(str::to_owned), earlier: None, is_exact: false },
        }
    }

    /// The result of disconnecting, with the file's byte order mark restored.
    pub(super) fn disconnected(self, mark: &str, record: Option<&Record>) -> Disconnected {
        match self {
            Self::Untouched => Disconnected::Nothing,
            Self::Text { text, .. } => Disconnected::Write(format!("{mark}{text}")),
            Self::File => Disconnected::Remove { folders: record.map_or(0, |record| record.folders) },
        }
    }
}

/// A text without our entries, and the record of those it had.
pub(super) struct Base<'r> {
    /// `None` if there is no file, or nothing is left of it without our entries.
    pub text: Option<String>,
    earlier: Option<&'r Record>,
    is_exact: bool,
}

impl Base<'_> {
    /// The new content of the file and its record; completes `record`, which lists what was added to this text, with
    /// the properties of the file as a whole.
    pub(super) fn connected(&self, mark: &str, text: &str, mut record: Record) -> Connected {
        if let Some(earlier) = self.earlier.filter(|_| !self.is_exact) {
            // Parts we created earlier that still exist remain ours, even if others have added text beside them.
            let still_ours = earlier.made.iter().filter(|part| !record.made.contains(part)).cloned();
            record.made.extend(still_ours.collect::<Vec<_>>());
        }
        // A file that now has other content is no longer ours, even if we created it.
        record.created = self.text.is_none();
        record.folders = self.earlier.filter(|_| record.created).map_or(0, |earlier| earlier.folders);
        record.hash = sha256_hex(text.as_bytes());
        Connected::Write { text: format!("{mark}{text}"), record: Box::new(record) }
    }
}

fn remove_ours(body: &str, client: &Client, record: Option<&Record>, is_own: IsOwn<'_>) -> Result<Remaining, Error> {
    let Some(Value::Object(root)) = parse(body)? else { return Ok(Remaining::Untouched) };
    let found = ours(&root, client.word);
    if found.is_empty() {
        return Ok(Remaining::Untouched);
    }
    if let Some(entry) = found.get(MAX_ENTRIES) {
        let message = format!("'refdesk hook {}' occurs more than {MAX_ENTRIES} times", client.word);
        return Err(error_at(body, entry.list.range.start, Code::TooMany, &message));
    }
    if let Some(record) = record
        && let Some(text) = restored(body, client, record, &found)
    {
        let is_file = record.created && is_blank(&text)?;
        return Ok(if is_file { Remaining::File } else { Remaining::Text { text, is_exact: true } });
    }
    let is_it = |entry: &Entry<'_, '_>| match record {
        Some(record) => entry.runs(is_own) || record.command.contains(&entry.command().unwrap_or_default()),
        None => entry.runs(is_own) && is_written(entry, client),
    };
    if !found.iter().any(is_it) {
        return Ok(Remaining::Untouched);
    }
    // The text has changed since, or the record is missing or wrong: remove the entries one by one. Without a record it
    // is unknown whether an empty event was there before, but that is unlikely.
    let may_remove = |made: &str| record.is_none_or(|record| record.has_made(made));
    let mut left = body.to_owned();
    while let Some((next, _)) = without_first(&left, client, &is_it, may_remove)? {
        left = next;
    }
    Ok(match record {
        Some(record) => without_our_containers(with_replaced(left, client, record)?, client, record)?,
        None => Remaining::Text { text: left, is_exact: false },
    })
}

/// The original text according to the record, if that is plausible. A repository may ship a record that contains
/// anything, so its result is used only if it restores nothing but entries that run refdesk, and if adding our entries
/// to it gives this text again, which proves that nothing else was removed.
fn restored(body: &str, client: &Client, record: &Record, found: &[Entry<'_, '_>]) -> Option<String> {
    let Undone { bare, original } = record.undo(&sha256_hex(body.as_bytes()), body)?;
    if let Some(Value::Object(root)) = parse(&bare).ok()?
        && !ours(&root, client.word).is_empty()
    {
        return None;
    }
    let entries: Vec<_> = found.iter().map(|ours| (ours.event, ours.alone())).collect();
    let (inserts, _) = additions(&bare, client, &entries).ok()?;
    (apply(&bare, inserts).0 == body && without_others(&original, client).ok()?.text == bare).then_some(original)
}

type EventEntry = (String, serde_json::Value);

/// A text without the entries that run refdesk but are not ours.
struct ForeignEntries {
    text: String,
    /// The changes that removed them.
    replaced: Vec<Replaced>,
    entries: Vec<EventEntry>,
}

fn without_others(text: &str, client: &Client) -> Result<ForeignEntries, Error> {
    let mut left = ForeignEntries { text: text.to_owned(), replaced: Vec::new(), entries: Vec::new() };
    while let Some((next, entry)) = without_first(&left.text, client, &|_| true, |_| true)? {
        left.replaced.push(Replaced::of(&left.text, &next));
        left.entries.push(entry);
        left.text = next;
    }
    Ok(left)
}

/// Adds the entries that ours replaced. The text was edited since, so they are appended like new ones.
fn with_replaced(mut text: String, client: &Client, record: &Record) -> Result<String, Error> {
    let there = entries_of(&text, client)?;
    for entry in record.entries.iter().filter(|entry| !there.contains(entry)) {
        let Ok((inserts, _)) = additions(&text, client, &[(entry.0.as_str(), entry.1.clone())]) else { continue };
        let added = apply(&text, inserts).0;
        // Accept an entry from the record only if it runs refdesk.
        if entries_of(&added, client)?.len() == entries_of(&text, client)?.len() + 1 {
            text = added;
        }
    }
    Ok(text)
}

/// The entries that run refdesk, each with its event.
fn entries_of(text: &str, client: &Client) -> Result<Vec<EventEntry>, Error> {
    let Some(Value::Object(root)) = parse(text)? else { return Ok(Vec::new()) };
    Ok(ours(&root, client.word).iter().map(|entry| (entry.event.to_owned(), entry.alone())).collect())
}

/// Whether `connect` writes this entry, in this version or, without its option, in an older one.
fn is_written(entry: &Entry<'_, '_>, client: &Client) -> bool {
    let Some(command) = entry.command() else { return false };
    let wanted = || client.entries(&command).into_iter().any(|(event, it)| event == entry.event && it == entry.alone());
    is_canonical(&command, client.word) && wanted()
}

/// Whether a text is blank or only an empty object; a comment counts as content.
pub(super) fn is_blank(text: &str) -> Result<bool, Error> {
    Ok(match parse(text)? {
        Some(Value::Object(root)) => around_empty(text, &root).is_some_and(|around| around.trim().is_empty()),
        Some(_) => false,
        None => text.trim().is_empty(),
    })
}

/// The text around an empty object.
pub(super) fn around_empty(text: &str, root: &Object<'_>) -> Option<String> {
    let is_empty = Container::of_object(root).inside(text).trim().is_empty();
    is_empty.then(|| format!("{}{}", part(text, 0, root.range.start), part(text, root.range.end, text.len())))
}

/// The text without the first matching entry, and that entry with its event; `None` if none matches.
fn without_first(
    text: &str,
    client: &Client,
    is_it: &dyn Fn(&Entry<'_, '_>) -> bool,
    may_remove: impl Fn(&str) -> bool,
) -> Result<Option<(String, EventEntry)>, Error> {
    let Some(Value::Object(root)) = parse(text)? else { return Ok(None) };
    let found = ours(&root, client.word);
    let Some(entry) = found.iter().find(|entry| is_it(entry)) else { return Ok(None) };
    let (from, at) = match entry.outermost(text, may_remove) {
        Some(place) => place,
        None => {
            let hooks = |member: &jsonc_parser::ast::ObjectProp<'_>| member.value.range() == entry.hooks.range();
            (Container::of_object(&root), root.properties.iter().position(hooks).unwrap_or(usize::MAX))
        }
    };
    let left = cut(text, &from, at);
    Ok((left.len() < text.len()).then(|| (left, (entry.event.to_owned(), entry.alone()))))
}

/// Removes the containers we created, unless something else was added to them.
fn without_our_containers(mut text: String, client: &Client, record: &Record) -> Result<Remaining, Error> {
    if let Some((version, value)) = client.version()
        && record.has_made(version)
    {
        let without = match parse(&text)? {
            // Other hooks need the version.
            Some(Value::Object(root)) if members(&root, HOOKS).all(|(_, it)| is_empty(&it.value)) => {
                let is_same = |it: &ObjectProp<'_>| serde_json::Value::from(it.value.clone()) == value;
                let same = members(&root, version).find(|(_, it)| is_same(it) && has_no_comment(&text, it));
                same.map(|(at, _)| cut(&text, &Container::of_object(&root), at))
            }
            _ => None,
        };
        text = without.unwrap_or(text);
    }
    if record.created && is_blank(&text)? {
        return Ok(Remaining::File);
    }
    let around = match parse(&text)? {
        Some(Value::Object(root)) if record.has_made("") => around_empty(&text, &root),
        _ => None,
    };
    Ok(Remaining::Text { text: around.unwrap_or(text), is_exact: false })
}

fn is_empty(value: &Value<'_>) -> bool {
    value.as_object().is_some_and(|object| object.properties.is_empty())
}
