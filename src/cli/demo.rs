//! The built-in sample knowledge base, unpacked into a temporary folder that is removed when the program ends.

use std::io;
use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use super::answer::CommandOutput;
use super::args::{Command, DbCommand};
use super::{carried, fix, output};
use crate::common::SHOWN_ON_PURPOSE;
use refdesk_desk::{Desk, Indexing};
use refdesk_files::write_derived;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Error, Fix};

static DEMO: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/demo");

/// The demo's database, relative to the folder. Built from SQL in about two milliseconds, because a binary file cannot
/// be reviewed.
const DATABASE: &str = "data/accounts.db";
const DATABASE_SQL: &str = include_str!("../../assets/demo/data/accounts.sql");

/// Unpacks the demo.
///
/// # Errors
/// A temporary folder cannot be created or written.
pub fn unpack() -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("refdesk-demo-").tempdir()?;
    unpack_into(folder.path(), DEMO.entries())?;
    build_database(&folder.path().join(DATABASE)).map_err(io::Error::other)?;
    Ok(folder)
}

/// Builds the search index of the demo, which cannot be shipped because each command unpacks into a new folder. Returns
/// why it could not be built.
pub fn build_index(desk: &Desk) -> Option<Diagnostic> {
    output::print_to_stderr("building the search index of the demo, which takes a few seconds");
    let error = desk.update_index(Indexing::default(), &mut |_| true).err()?;
    Some(Diagnostic::warning(error.code, error.message).fix(error.fix))
}

/// The commands whose changes are lost, because the next command has another copy of the demo.
const CHANGING: [&str; 14] = [
    "add",
    "check --fix",
    "clear",
    "db document",
    "edit",
    "exclude",
    "include",
    "index",
    "init",
    "remove",
    "select",
    "tag",
    "trust",
    "unselect",
];

/// What to do instead of a change by another command, which would have another copy of the demo.
pub const ON_THE_SCREEN: &str = "open `refdesk --demo` and do it there: each command has its own copy of the demo";

/// Whether a command that succeeded may have changed the demo.
fn changes(command: &Command) -> bool {
    use Command::{Add, Db, Edit, Index, Init, Remove, Tag};
    let is_document = matches!(command, Db { command: DbCommand::Document(_) });
    is_document
        || command.chooses()
        || matches!(command, Add(_) | Edit(_) | Index(_) | Init(_) | Remove(_) | Tag { .. })
}

/// The answer with a note if what the command changed, or what the commands that it offers change, would not last.
pub fn with_note(mut answer: CommandOutput, command: Option<&Command>) -> CommandOutput {
    let is_own_text = carried::is_own_text(command, true) && answer.emphasised.is_empty();
    let offers = |error: &Error| offers_change(&error.message) || offers_change(&error.fix.worded(&words));
    // An empty list of what was written, picked or removed.
    let is_nothing = |name: &str| answer.json.get(name).and_then(Value::as_array).is_some_and(Vec::is_empty);
    let is_done = answer.exit == 0
        && answer.json.get("status").is_none_or(|status| status != "unchanged")
        && !(is_nothing("written") && is_nothing("removed"));
    let has_changed = is_done && command.is_some_and(changes);
    let is_lost = has_changed
        || answer.notes.iter().any(|note| offers_change(note))
        || is_own_text && offers_change(&String::from_utf8_lossy(&answer.text))
        || offers_change(&answer.closing)
        || answer.refused.iter().any(offers);
    let lost = is_lost.then(|| {
        "each command has its own copy of the demo, and what it changes is lost; on the screen, `refdesk --demo`, it \
         lasts until you quit"
            .to_owned()
    });
    answer.notes.extend(lost);
    answer
}

/// Words a fix that another command cannot make in the demo; others as usual.
pub fn words(fix: &Fix) -> Option<String> {
    match fix {
        Fix::FindMoved => Some(SHOWN_ON_PURPOSE.into()),
        Fix::OpenScreen => Some("ask at a terminal".into()),
        Fix::All(fixes) if fixes.contains(&Fix::OpenScreen) => words(&Fix::OpenScreen),
        Fix::AddSources
        | Fix::AddTarget
        | Fix::BuildIndex
        | Fix::ConfigureDatabases
        | Fix::DocumentDatabases
        | Fix::Exclude(_)
        | Fix::Include(_)
        | Fix::Pick(_)
        | Fix::RewritePages(_)
        | Fix::RewritePaths
        | Fix::Trust => Some(ON_THE_SCREEN.into()),
        _ => fix::words(fix),
    }
}

/// Whether a text offers a command whose changes would be lost.
fn offers_change(text: &str) -> bool {
    let is_named =
        |rest: &str, command: &str| rest.strip_prefix(command).is_some_and(|rest| rest.starts_with([' ', '`']));
    text.split(carried::START).skip(1).any(|rest| CHANGING.iter().any(|command| is_named(rest, command)))
}

/// Does not wait for the disk, because nothing here outlives the program.
fn unpack_into(folder: &Path, entries: &[DirEntry<'_>]) -> io::Result<()> {
    for entry in entries {
        match entry {
            DirEntry::Dir(inner) => unpack_into(folder, inner.entries())?,
            DirEntry::File(file) => write_derived(&folder.join(file.path()), file.contents())?,
        }
    }
    Ok(())
}

fn build_database(path: &Path) -> rusqlite::Result<()> {
    let database = Connection::open(path)?;
    database
        .execute_batch(&format!("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN; {DATABASE_SQL} COMMIT;"))
}
