//! The built-in sample knowledge base, unpacked into a temporary folder that is removed when the program ends.

use std::io;
use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};
use rusqlite::Connection;
use tempfile::TempDir;

use super::answer::CommandOutput;
use super::args::Command;
use super::{fix, output};
use refdesk_desk::{Desk, Indexing};
use refdesk_files::write_derived;
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

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

/// The answer with `--demo` in the commands that it offers, which would otherwise run in the current folder. The text of
/// a command that repeats its input stays as it is.
pub fn with_option(answer: CommandOutput, command: Option<&Command>) -> CommandOutput {
    let repeats = matches!(command, Some(Command::Enrich(_) | Command::Render(_) | Command::Replay { .. }));
    let text = match String::from_utf8(answer.text) {
        Ok(text) if !repeats && answer.emphasised.is_empty() => offered(&text).into_bytes(),
        Ok(text) => text.into_bytes(),
        Err(bytes) => bytes.into_bytes(),
    };
    let refused = answer.refused.into_iter().map(|error| {
        let Error { message, fix, .. } = fix::worded(error.clone());
        Error { message: offered(&message), fix: offered(&fix.to_string()).into(), ..error }
    });
    let diagnostics = fix::all(&answer.diagnostics).into_iter().map(|problem| {
        let (message, fix) = (offered(&problem.message), offered(&problem.fix.to_string()).into());
        Diagnostic { message, fix, ..problem }
    });
    let (refused, diagnostics) = (refused.collect(), diagnostics.collect());
    let notes = answer.notes.iter().map(|note| offered(note)).collect();
    CommandOutput { text, refused, diagnostics, notes, ..answer }
}

/// The text with `--demo` after each `refdesk` that begins a command, except in those that are about this machine.
fn offered(text: &str) -> String {
    const START: &str = "`refdesk ";
    let mut parts = text.split(START);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, rest| {
        let about_machine = ["connect", "disconnect", "config", "man", "--help"];
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
