//! The files of embedded templates in `.jaato/templates/`, and their index. They are written for other tools and
//! removed once no desk provides them, all under the lock (BEHAVIOUR §6). Files that the user created or changed are
//! left alone, nothing is written through a link, and a failed write is reported once: templates work without the
//! files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::store::{Store, advice};
use refdesk_core::selection::Choice;
use refdesk_files::name::sha256_hex;
use refdesk_files::path::{display, is_absent};
use refdesk_files::{code_of, read_state_file, remove_state_file, sweep, write_derived};
use refdesk_templates::limits::{MAX_EXTRACTED_KEPT, TEMPLATE_BYTES};
use refdesk_templates::{ExtractedTemplate, FOLDER};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Fix};

mod index_file;
mod record;
#[cfg(test)]
mod tests;

use record::{PathOccupant, Record, is_file_name};

/// The index file, for other tools.
pub(crate) const INDEX: &str = "index.json";

const IGNORE_FILE: &str = ".gitignore";

/// Keeps out of the repository what refdesk writes: a committed copy would count as the user's in every clone.
const IGNORE: &[u8] = b"/.gitignore\n/index.json\n/*.tmpl\n";

/// How long a template from a tool result is kept: as long as an unused session.
const TOOL_RESULT_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A file to write into the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateFile {
    /// Its name in the folder.
    pub name: String,
    /// Its content.
    pub text: Arc<str>,
    /// SHA-256 of its content.
    pub hash: String,
}

/// On whose behalf files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnBehalfOf<'a> {
    /// The desk: these are all its files, and its other files are removed.
    Desk {
        /// The selection to which the files belong. If another was stored in the meantime, the process that stored it
        /// writes its files.
        choice: &'a Choice,
        /// The index by template name, for the default desk.
        index: Option<&'a Map<String, Value>>,
    },
    /// The user, who named the documents.
    Person,
    /// A tool result, which is untrusted: nothing is overwritten, at most [`MAX_EXTRACTED_KEPT`] are kept, and those taken 30
    /// days ago are removed.
    ToolResult,
}

/// Outcome of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Names of files that were written.
    pub written: Vec<String>,
    /// Names of files that were already up to date.
    pub kept: Vec<String>,
    /// Names of files that were removed.
    pub removed: Vec<String>,
    /// Whether nothing was done because another process has stored another selection.
    pub superseded: bool,
    /// What was left alone or failed.
    pub diagnostics: Vec<Diagnostic>,
}

impl Store {
    /// Updates the templates folder.
    pub fn write_templates(&self, files: &[TemplateFile], by: OnBehalfOf<'_>) -> Written {
        let mut done = Written::default();
        let nothing_to_say = match by {
            OnBehalfOf::Desk { index, .. } => index.is_none_or(Map::is_empty),
            OnBehalfOf::Person | OnBehalfOf::ToolResult => true,
        };
        if files.is_empty() && nothing_to_say && !self.record_file().exists() && !self.index_file().exists() {
            return done;
        }
        if let Err(problem) = self.update_files(files, by, &mut done) {
            done.diagnostics.push(problem);
        }
        done
    }

    fn update_files(&self, files: &[TemplateFile], by: OnBehalfOf<'_>, done: &mut Written) -> Result<(), Diagnostic> {
        let folder = self.contained()?;
        let _lock = self.lock().map_err(|error| self.unwritable(&error))?;
        if let OnBehalfOf::Desk { choice, .. } = by
            && self.look().is_ok_and(|stored| stored.is_some_and(|stored| stored.choice != *choice))
        {
            done.superseded = true;
            return Ok(());
        }
        let read = self.own_locked::<Record>(&self.record_file());
        let (record, damaged) = read.map_err(|error| self.unwritable(&error))?;
        done.diagnostics.extend(damaged);
        let before = record.unwrap_or_default().checked();
        let mut after = before.clone();
        // Remove old files first, to make room.
        let mut gone = if by == OnBehalfOf::ToolResult { self.old(&folder, files, &mut after) } else { Vec::new() };
        let kept = after.files.values().filter(|entry| entry.by_tool).count().saturating_sub(gone.len());
        let room = MAX_EXTRACTED_KEPT.saturating_sub(kept);
        let due = self.due(&folder, files, by, (&before, room), &mut after, done);
        if matches!(by, OnBehalfOf::Desk { .. }) {
            gone = self.gone(&folder, files, &mut after, done);
        }
        if !due.is_empty() || !gone.is_empty() {
            sweep(&folder).map_err(|error| self.unwritable(&error))?;
            self.apply(&folder, &due, &gone, &before, &mut after, done)?;
        }
        self.note(&before, &after)?;
        match by {
            OnBehalfOf::Desk { index: Some(index), .. } => self.write_index(&folder, index, done),
            _ => Ok(()),
        }
    }

    /// The files to write; for a tool result, only as many as there is room for. Records the desks that provide the
    /// others.
    fn due<'a>(
        &self,
        folder: &Path,
        files: &'a [TemplateFile],
        by: OnBehalfOf<'_>,
        (before, mut room): (&Record, usize),
        after: &mut Record,
        done: &mut Written,
    ) -> Vec<&'a TemplateFile> {
        let found: Vec<PathOccupant> = files.par_iter().map(|file| look(&folder.join(&file.name))).collect();
        let mut due = Vec::new();
        for (file, found) in files.iter().zip(found).filter(|(file, _)| is_file_name(&file.name)) {
            let is_same = matches!(&found, PathOccupant::File { hash, .. } if *hash == file.hash);
            let noted = before.files.get(&file.name);
            let is_taken = noted.is_some_and(|entry| entry.is_only_taken() || (entry.by_tool && is_same));
            if by == OnBehalfOf::ToolResult && !is_taken {
                if found != PathOccupant::Nothing {
                    done.diagnostics.push(self.left(&file.name, "the file already exists and was left as it is"));
                    continue;
                }
                if room == 0 {
                    let message =
                        format!("{FOLDER} has {MAX_EXTRACTED_KEPT} templates from tool results, the most it keeps");
                    let hint = "remove the files you do not need";
                    done.diagnostics.push(Diagnostic::warning(Code::TemplateLimit, message).in_file(FOLDER).fix(hint));
                    break;
                }
                room -= 1;
            }
            let is_ours = before.is_ours(&file.name, &found);
            let others = noted.is_some_and(|entry| entry.desks.iter().any(|desk| *desk != self.desk));
            match found {
                PathOccupant::Other(what) => {
                    done.diagnostics
                        .push(self.left(&file.name, &format!("this is {what}, so nothing is written there")));
                    continue;
                }
                _ if is_same => done.kept.push(file.name.clone()),
                PathOccupant::File { .. } if !is_ours => {
                    done.diagnostics.push(self.left(
                        &file.name,
                        "the file was not written by refdesk, or was edited, so it was left unchanged",
                    ));
                    continue;
                }
                // Two desks can provide the same name: the default desk's file is written, or else the first one's.
                PathOccupant::File { .. }
                    if others && (!matches!(by, OnBehalfOf::Desk { .. }) || self.desk != super::DEFAULT) =>
                {
                    done.diagnostics
                        .push(self.left(&file.name, "the file contains another desk's template of the same name"));
                    continue;
                }
                _ => due.push(file),
            }
            if !is_same || is_ours {
                let entry = after.files.entry(file.name.clone()).or_default();
                // A file that gets other content is no longer the tool result's.
                entry.by_tool &= is_same;
                match by {
                    OnBehalfOf::Desk { .. } => drop(entry.desks.insert(self.desk.clone())),
                    OnBehalfOf::Person => entry.by_hand = true,
                    OnBehalfOf::ToolResult => entry.by_tool = true,
                }
            }
        }
        due
    }

    /// The files that no desk provides once this one no longer does. Files that the user changed become the user's.
    fn gone(&self, folder: &Path, files: &[TemplateFile], after: &mut Record, done: &mut Written) -> Vec<String> {
        let wanted: std::collections::HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let mut gone = Vec::new();
        for (name, entry) in &mut after.files {
            if wanted.contains(name.as_str()) {
                continue;
            }
            entry.desks.remove(&self.desk);
            // Also a file that a killed process had recorded as provided by no desk, but not removed yet.
            if entry.desks.is_empty() && !entry.by_hand && !entry.by_tool {
                gone.push(name.clone());
            }
        }
        gone.retain(|name| {
            let found = look(&folder.join(name));
            let is_ours = after.is_ours(name, &found);
            if !is_ours {
                after.files.remove(name);
                if found != PathOccupant::Nothing {
                    done.diagnostics.push(
                        self.left(name, "the file was edited, so it was kept although no source provides it any more"),
                    );
                }
            }
            is_ours
        });
        gone
    }

    /// Old files that come only from tool results. Drops removed and changed ones from the record.
    fn old(&self, folder: &Path, files: &[TemplateFile], after: &mut Record) -> Vec<String> {
        let now = (self.clock)();
        let is_old = |name: &str| {
            let written = fs::symlink_metadata(folder.join(name)).and_then(|metadata| metadata.modified());
            written.is_ok_and(|written| now.duration_since(written).is_ok_and(|age| age > TOOL_RESULT_RETENTION))
        };
        let mut gone = Vec::new();
        after.files.retain(|name, entry| {
            if !entry.is_only_taken() || files.iter().any(|file| file.name == *name) {
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

    /// The unchanged template files taken from tool results.
    pub(crate) fn tool_result_templates(&self) -> Vec<ExtractedTemplate> {
        // A damaged file is moved aside and reported by the next write.
        let file = self.record_file();
        let Some(record) = self.read::<Record>(&file).ok().flatten().and_then(|found| self.own(&file, found)) else {
            return Vec::new();
        };
        let folder = self.workspace.join(FOLDER);
        let there = |(name, entry): (String, record::Entry)| match look(&folder.join(&name)) {
            PathOccupant::File { hash, empty: false } if entry.by_tool && entry.sha256.contains(&hash) => {
                Some(ExtractedTemplate { name, hash })
            }
            _ => None,
        };
        record.checked().files.into_iter().filter(|(_, entry)| entry.by_tool).filter_map(there).collect()
    }

    /// Writes and removes files. Records each write first, so that the file is recognized as ours whatever happens.
    fn apply(
        &self,
        folder: &Path,
        due: &[&TemplateFile],
        gone: &[String],
        before: &Record,
        after: &mut Record,
        done: &mut Written,
    ) -> Result<(), Diagnostic> {
        if !due.is_empty() {
            ignore_in_git(folder).map_err(|error| self.unwritable(&error))?;
        }
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
        let outcome: Vec<io::Result<()>> = gone.par_iter().map(|name| remove_state_file(&folder.join(name))).collect();
        for (name, outcome) in gone.iter().zip(outcome) {
            match outcome {
                Ok(()) => {
                    done.removed.push(name.clone());
                    after.files.remove(name);
                }
                Err(error) if is_absent(&error) => drop(after.files.remove(name)),
                // The record keeps the file, so this is retried.
                Err(error) => failed = failed.or(Some(error)),
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

    /// The folder, after checking that no link leads it out of the workspace.
    fn contained(&self) -> Result<PathBuf, Diagnostic> {
        let folder = self.workspace.join(FOLDER);
        let there = folder.ancestors().find(|path| fs::symlink_metadata(path).is_ok()).unwrap_or(&self.workspace);
        let real = fs::canonicalize(there).map_err(|error| self.unwritable(&error))?;
        let workspace = fs::canonicalize(&self.workspace).map_err(|error| self.unwritable(&error))?;
        let what = match () {
            () if !real.starts_with(&workspace) => "leads out of the workspace",
            () if !real.is_dir() => "is not a folder",
            () => return Ok(folder),
        };
        let place = display(&self.workspace, there);
        let message = format!("{place} {what}; the templates of documents are not written as files");
        Err(Diagnostic::warning(Code::TemplatesFolder, message).in_file(place).fix("make it a folder of the workspace"))
    }

    fn record_file(&self) -> PathBuf {
        self.folder.join("templates.json")
    }

    fn index_file(&self) -> PathBuf {
        self.workspace.join(FOLDER).join(INDEX)
    }

    fn left(&self, name: &str, message: &str) -> Diagnostic {
        let place = format!("{FOLDER}/{name}");
        Diagnostic::warning(Code::TemplateFile, message).in_file(place).fix(Fix::ShowTemplate)
    }

    fn unwritable(&self, error: &io::Error) -> Diagnostic {
        let message = format!("the templates of documents are not written as files: {error}");
        let fix = match error.kind() {
            io::ErrorKind::PermissionDenied if code_of(error) != Some(Code::Unreadable) => {
                format!("make {FOLDER} writable")
            }
            _ => advice(error).to_owned(),
        };
        Diagnostic::warning(Code::TemplatesNotWritten, message).in_file(FOLDER).fix(fix)
    }
}

/// Makes git ignore the files, unless the folder already has a `.gitignore`, which may be the user's.
fn ignore_in_git(folder: &Path) -> io::Result<()> {
    let file = folder.join(IGNORE_FILE);
    match fs::symlink_metadata(&file) {
        Err(error) if is_absent(&error) => write_derived(&file, IGNORE),
        _ => Ok(()),
    }
}

/// What is at this path, without following links.
fn look(path: &Path) -> PathOccupant {
    match fs::symlink_metadata(path) {
        Err(error) if is_absent(&error) => return PathOccupant::Nothing,
        Err(_) => return PathOccupant::Other("something that cannot be examined"),
        Ok(metadata) if metadata.is_symlink() => return PathOccupant::Other("a symbolic link"),
        Ok(metadata) if metadata.is_dir() => return PathOccupant::Other("a folder"),
        Ok(_) => {}
    }
    match read_state_file(path, TEMPLATE_BYTES as u64) {
        Ok((_, true)) => PathOccupant::Other("too large to be a template"),
        Ok((bytes, false)) => PathOccupant::File { hash: sha256_hex(&bytes), empty: bytes.is_empty() },
        Err(_) => PathOccupant::Other("something that cannot be read"),
    }
}
