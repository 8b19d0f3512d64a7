//! The files of embedded templates in `.jaato/templates/`, and the index beside them: written for whoever looks for them
//! there, removed when no desk brings them, all under the lock (BEHAVIOUR §6). What a person made or changed is left alone,
//! nothing is written through a link, and what cannot be written is told once: the templates are there without it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::store::Store;
use refdesk_core::selection::Choice;
use refdesk_files::name::sha256_hex;
use refdesk_files::path::{display, is_absent};
use refdesk_files::{read_own, remove_own, sweep, write_derived};
use refdesk_templates::limits::{TAKEN_KEPT, TEMPLATE_BYTES};
use refdesk_templates::{FOLDER, Taken};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

mod index_file;
mod record;
#[cfg(test)]
mod tests;

use record::{Found, Record, is_file_name};

/// The file beside the templates that tells other tools what there is.
const INDEX: &str = "index.json";

/// How long a template that only a text of a tool has brought is kept: as long as a session that nobody uses.
const TAKEN_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A file that is to lie in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFile {
    /// Its name in the folder.
    pub name: String,
    /// What it holds.
    pub text: Arc<str>,
    /// SHA-256 of that.
    pub hash: String,
}

/// For whom files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For<'a> {
    /// For the desk, whose files these are all: others of its are removed.
    Desk {
        /// What they follow from. Where something else is chosen by now, whoever chose it writes what follows from that.
        choice: &'a Choice,
        /// The index by template name, of the default desk.
        index: Option<&'a Map<String, Value>>,
    },
    /// For a person who named their documents.
    Person,
    /// For the reader of a text that a tool has brought, which may come from anywhere: nothing is written over, and no more
    /// than [`TAKEN_KEPT`] are kept. What was taken 30 days ago is removed.
    Reader,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Names of files that were written.
    pub written: Vec<String>,
    /// Names of files that were what they should be.
    pub kept: Vec<String>,
    /// Names of files that were removed.
    pub removed: Vec<String>,
    /// Nothing was done, since another process has chosen something else meanwhile.
    pub superseded: bool,
    /// What was left alone, and what could not be done.
    pub diagnostics: Vec<Diagnostic>,
}

impl Store {
    /// Brings the folder of templates to what it should be.
    pub fn write_templates(&self, files: &[TemplateFile], by: For<'_>) -> Written {
        let mut done = Written::default();
        let nothing_to_say = match by {
            For::Desk { index, .. } => index.is_none_or(Map::is_empty),
            For::Person | For::Reader => true,
        };
        if files.is_empty() && nothing_to_say && !self.record_file().exists() && !self.index_file().exists() {
            return done;
        }
        if let Err(problem) = self.bring(files, by, &mut done) {
            done.diagnostics.push(problem);
        }
        done
    }

    fn bring(&self, files: &[TemplateFile], by: For<'_>, done: &mut Written) -> Result<(), Diagnostic> {
        let folder = self.contained()?;
        let _lock = self.lock().map_err(|error| self.unwritable(&error))?;
        if let For::Desk { choice, .. } = by
            && self.look().is_ok_and(|stored| stored.is_some_and(|stored| stored.choice != *choice))
        {
            done.superseded = true;
            return Ok(());
        }
        let (record, damaged) = self.own_locked::<Record>(&self.record_file());
        done.diagnostics.extend(damaged);
        let before = record.unwrap_or_default().checked();
        let mut after = before.clone();
        // What is old makes room for what is new.
        let mut gone = if by == For::Reader { self.old(&folder, files, &mut after) } else { Vec::new() };
        let kept = after.files.values().filter(|entry| entry.by_tool).count().saturating_sub(gone.len());
        let room = TAKEN_KEPT.saturating_sub(kept);
        let due = self.due(&folder, files, by, (&before, room), &mut after, done);
        if matches!(by, For::Desk { .. }) {
            gone = self.gone(&folder, files, &mut after, done);
        }
        if !due.is_empty() || !gone.is_empty() {
            sweep(&folder).map_err(|error| self.unwritable(&error))?;
            self.carry_out(&folder, &due, &gone, &before, &mut after, done)?;
        }
        self.note(&before, &after)?;
        match by {
            For::Desk { index: Some(index), .. } => self.write_index(&folder, index, done),
            _ => Ok(()),
        }
    }

    /// The files that are to be written, for a reader only as many as there is room for; of the rest it is noted who brings
    /// them.
    fn due<'a>(
        &self,
        folder: &Path,
        files: &'a [TemplateFile],
        by: For<'_>,
        (before, mut room): (&Record, usize),
        after: &mut Record,
        done: &mut Written,
    ) -> Vec<&'a TemplateFile> {
        let found: Vec<Found> = files.par_iter().map(|file| look(&folder.join(&file.name))).collect();
        let mut due = Vec::new();
        for (file, found) in files.iter().zip(found).filter(|(file, _)| is_file_name(&file.name)) {
            if by == For::Reader && !before.files.get(&file.name).is_some_and(|entry| entry.by_tool) {
                if found != Found::Nothing {
                    done.diagnostics.push(self.left(&file.name, "is there already; it is left as it is"));
                    continue;
                }
                if room == 0 {
                    let message =
                        format!("{FOLDER} holds {TAKEN_KEPT} templates taken from what tools brought; no more is");
                    let hint = "remove those that nobody needs, and they are forgotten";
                    done.diagnostics.push(Diagnostic::warning(Code::TemplateLimit, message).in_file(FOLDER).hint(hint));
                    break;
                }
                room -= 1;
            }
            let is_ours = before.is_ours(&file.name, &found);
            let is_same = matches!(&found, Found::File { hash, .. } if *hash == file.hash);
            let others =
                before.files.get(&file.name).is_some_and(|entry| entry.desks.iter().any(|desk| *desk != self.desk));
            match found {
                Found::Other(what) => {
                    done.diagnostics.push(self.left(&file.name, &format!("is {what}; nothing is written there")));
                    continue;
                }
                _ if is_same => done.kept.push(file.name.clone()),
                Found::File { .. } if !is_ours => {
                    done.diagnostics.push(self.left(&file.name, "was made or changed by hand; it is left as it is"));
                    continue;
                }
                // Two desks can bring the same name: the default desk's file counts, else that of whoever came first.
                Found::File { .. } if others && (!matches!(by, For::Desk { .. }) || self.desk != super::DEFAULT) => {
                    done.diagnostics.push(self.left(&file.name, "holds what another desk brings under this name"));
                    continue;
                }
                _ => due.push(file),
            }
            if !is_same || is_ours {
                let entry = after.files.entry(file.name.clone()).or_default();
                match by {
                    For::Desk { .. } => drop(entry.desks.insert(self.desk.clone())),
                    For::Person => entry.by_hand = true,
                    For::Reader => entry.by_tool = true,
                }
            }
        }
        due
    }

    /// The files that this desk brought and no desk brings any more; what a person made of one is theirs from now on.
    fn gone(&self, folder: &Path, files: &[TemplateFile], after: &mut Record, done: &mut Written) -> Vec<String> {
        let wanted: std::collections::HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let mut gone = Vec::new();
        for (name, entry) in &mut after.files {
            if !wanted.contains(name.as_str())
                && entry.desks.remove(&self.desk)
                && entry.desks.is_empty()
                && !entry.by_hand
                && !entry.by_tool
            {
                gone.push(name.clone());
            }
        }
        gone.retain(|name| {
            let found = look(&folder.join(name));
            let is_ours = after.is_ours(name, &found);
            if !is_ours {
                after.files.remove(name);
                if found != Found::Nothing {
                    done.diagnostics
                        .push(self.left(name, "was changed by hand; it stays, though nothing brings it any more"));
                }
            }
            is_ours
        });
        gone
    }

    /// The files that nothing but a text of a tool has brought, long ago; those that are gone or were changed are forgotten.
    fn old(&self, folder: &Path, files: &[TemplateFile], after: &mut Record) -> Vec<String> {
        let now = (self.clock)();
        let is_old = |name: &str| {
            let written = fs::symlink_metadata(folder.join(name)).and_then(|metadata| metadata.modified());
            written.is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age > TAKEN_FOR))
        };
        let mut gone = Vec::new();
        after.files.retain(|name, entry| {
            let only_taken = entry.by_tool && !entry.by_hand && entry.desks.is_empty();
            if !only_taken || files.iter().any(|file| file.name == *name) {
                return true;
            }
            let is_ours = entry.is_ours(&look(&folder.join(name)));
            if is_ours && is_old(name) {
                gone.push(name.clone());
            }
            is_ours
        });
        gone
    }

    /// The templates that were taken from texts of tools and are there as they were written.
    pub fn taken_templates(&self) -> Vec<Taken> {
        // What is damaged is set aside and told by whoever writes.
        let file = self.record_file();
        let Some(record) = self.read::<Record>(&file).ok().flatten().and_then(|found| self.own(&file, found)) else {
            return Vec::new();
        };
        let folder = self.workspace.join(FOLDER);
        let there = |(name, entry): (String, record::Entry)| match look(&folder.join(&name)) {
            Found::File { hash, empty: false } if entry.by_tool && entry.sha256.contains(&hash) => {
                Some(Taken { name, hash })
            }
            _ => None,
        };
        record.checked().files.into_iter().filter(|(_, entry)| entry.by_tool).filter_map(there).collect()
    }

    /// Writes and removes. What is about to be written is noted first, so that it is known for ours whatever happens.
    fn carry_out(
        &self,
        folder: &Path,
        due: &[&TemplateFile],
        gone: &[String],
        before: &Record,
        after: &mut Record,
        done: &mut Written,
    ) -> Result<(), Diagnostic> {
        for file in due {
            let entry = after.files.entry(file.name.clone()).or_default();
            entry.sha256.retain(|hash| *hash != file.hash);
            entry.sha256.push(file.hash.clone());
        }
        self.note(before, after)?;
        let noted = after.clone();
        let outcome: Vec<io::Result<()>> =
            due.par_iter().map(|file| write_derived(&folder.join(&file.name), file.text.as_bytes())).collect();
        let mut failed = None;
        for (file, outcome) in due.iter().zip(outcome) {
            match outcome {
                Ok(()) => {
                    done.written.push(file.name.clone());
                    if let Some(entry) = after.files.get_mut(&file.name) {
                        entry.sha256 = vec![file.hash.clone()];
                    }
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let outcome: Vec<io::Result<()>> = gone.par_iter().map(|name| remove_own(&folder.join(name))).collect();
        for (name, outcome) in gone.iter().zip(outcome) {
            match outcome {
                Ok(()) => {
                    done.removed.push(name.clone());
                    after.files.remove(name);
                }
                Err(error) if is_absent(&error) => drop(after.files.remove(name)),
                Err(error) => {
                    // It is tried again: the desk is noted as bringing it still.
                    if let Some(entry) = after.files.get_mut(name) {
                        entry.desks.insert(self.desk.clone());
                    }
                    failed = failed.or(Some(error));
                }
            }
        }
        self.note(&noted, after)?;
        failed.map_or(Ok(()), |error| Err(self.unwritable(&error)))
    }

    fn note(&self, before: &Record, after: &Record) -> Result<(), Diagnostic> {
        if before == after {
            return Ok(());
        }
        self.write(&self.record_file(), after).map_err(|error| self.unwritable(&error))
    }

    /// The folder, which no link may lead out of the workspace.
    fn contained(&self) -> Result<PathBuf, Diagnostic> {
        let folder = self.workspace.join(FOLDER);
        let there = folder.ancestors().find(|path| fs::symlink_metadata(path).is_ok()).unwrap_or(&self.workspace);
        let real = fs::canonicalize(there).map_err(|error| self.unwritable(&error))?;
        let workspace = fs::canonicalize(&self.workspace).map_err(|error| self.unwritable(&error))?;
        let what = match () {
            () if !real.starts_with(&workspace) => "leads out of the workspace",
            () if !real.is_dir() => "is no folder",
            () => return Ok(folder),
        };
        let place = display(&self.workspace, there);
        let message = format!("{place} {what}; the templates of documents are not written as files");
        Err(Diagnostic::warning(Code::TemplatesFolder, message)
            .in_file(place)
            .hint("make it a folder of the workspace"))
    }

    fn record_file(&self) -> PathBuf {
        self.folder.join("templates.json")
    }

    fn index_file(&self) -> PathBuf {
        self.workspace.join(FOLDER).join(INDEX)
    }

    fn left(&self, name: &str, what: &str) -> Diagnostic {
        let place = format!("{FOLDER}/{name}");
        Diagnostic::warning(Code::TemplateFile, format!("{place} {what}"))
            .in_file(place)
            .hint("`refdesk templates show` prints the template; move the file away to have it written")
    }

    fn unwritable(&self, error: &io::Error) -> Diagnostic {
        let message = format!("the templates of documents are not written as files: {error}");
        Diagnostic::warning(Code::TemplatesNotWritten, message).in_file(FOLDER).hint(format!("make {FOLDER} writable"))
    }
}

/// What stands at this path; a link is not followed.
fn look(path: &Path) -> Found {
    match fs::symlink_metadata(path) {
        Err(error) if is_absent(&error) => return Found::Nothing,
        Err(_) => return Found::Other("something that cannot be looked at"),
        Ok(metadata) if metadata.is_symlink() => return Found::Other("a symbolic link"),
        Ok(metadata) if metadata.is_dir() => return Found::Other("a folder"),
        Ok(_) => {}
    }
    match read_own(path, TEMPLATE_BYTES as u64) {
        Ok((_, true)) => Found::Other("too large to be a template"),
        Ok((bytes, false)) => Found::File { hash: sha256_hex(&bytes), empty: bytes.is_empty() },
        Err(_) => Found::Other("something that cannot be read"),
    }
}
