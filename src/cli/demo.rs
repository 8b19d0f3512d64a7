//! The built-in sample knowledge base, unpacked into a temporary folder that is removed when the program ends.

use std::io;
use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use super::answer::CommandOutput;
use super::args::Command;
use super::{fix, output};
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

/// The answer with `--demo` in the commands that it offers, which would otherwise run in the current folder, and with a
/// note if what they change would not last. The text of a command that repeats its input stays as it is.
pub fn with_option(answer: CommandOutput, command: Option<&Command>) -> CommandOutput {
    let repeats = matches!(command, Some(Command::Enrich(_) | Command::Render(_) | Command::Replay { .. }));
    let mut changes = answer.notes.iter().any(|note| offers_change(note));
    let text = match String::from_utf8(answer.text) {
        Ok(text) if !repeats && answer.emphasised.is_empty() => {
            changes |= offers_change(&text);
            offered(&text).into_bytes()
        }
        Ok(text) => text.into_bytes(),
        Err(bytes) => bytes.into_bytes(),
    };
    let refused = answer.refused.into_iter().map(|error| {
        let fix = error.fix.worded(&words);
        changes |= offers_change(&error.message) || offers_change(&fix);
        Error { message: offered(&error.message), fix: offered(&fix).into(), ..error }
    });
    let refused = refused.collect();
    let diagnostics = answer.diagnostics.into_iter().map(|problem| {
        let (message, fix) = (offered(&problem.message), offered(&problem.fix.worded(&words)).into());
        Diagnostic { message, fix, ..problem }
    });
    let diagnostics = diagnostics.collect();
    let lost = changes.then(|| {
        "each command has its own copy of the demo, and what it changes is lost; on the screen, `refdesk --demo`, it \
         lasts until you quit"
            .to_owned()
    });
    let notes = answer.notes.iter().map(|note| offered(note)).chain(lost).collect();
    let mut json = answer.json;
    offer_in(&mut json);
    CommandOutput { json, text, refused, diagnostics, notes, ..answer }
}

/// Puts the option into the advice of an answer in JSON.
fn offer_in(json: &mut Value) {
    match json {
        Value::Array(items) => items.iter_mut().for_each(offer_in),
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| match value {
            Value::String(text) if matches!(name.as_str(), "fix" | "hint") => *text = offered(text),
            other => offer_in(other),
        }),
        _ => {}
    }
}

/// Words a fix that another command cannot make in the demo; others as usual.
fn words(fix: &Fix) -> Option<String> {
    match fix {
        Fix::FindMoved => Some("none needed; the demo shows how a missing file is reported".into()),
        Fix::OpenScreen => Some("ask at a terminal".into()),
        Fix::All(fixes) if fixes.contains(&Fix::OpenScreen) => words(&Fix::OpenScreen),
        Fix::AddSources
        | Fix::AddTarget
        | Fix::BuildIndex
        | Fix::DocumentDatabases
        | Fix::Exclude(_)
        | Fix::Include(_)
        | Fix::Pick(_)
        | Fix::RewritePages(_)
        | Fix::RewritePaths
        | Fix::Trust => Some("open `refdesk --demo` and do it there: each command has its own copy of the demo".into()),
        _ => fix::words(fix),
    }
}

const START: &str = "`refdesk ";

/// Whether a text offers a command whose changes would be lost.
fn offers_change(text: &str) -> bool {
    let is_named =
        |rest: &str, command: &str| rest.strip_prefix(command).is_some_and(|rest| rest.starts_with([' ', '`']));
    text.split(START).skip(1).any(|rest| CHANGING.iter().any(|command| is_named(rest, command)))
}

/// The text with `--demo` after each `refdesk` that begins a command, except in those that are about this machine.
fn offered(text: &str) -> String {
    let mut parts = text.split(START);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, rest| {
        let about_machine = ["connect", "disconnect", "config", "man", "--demo", "--help"];
        let option = if about_machine.iter().any(|command| rest.starts_with(command)) { "" } else { "--demo " };
        format!("{before}{START}{option}{rest}")
    })
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
