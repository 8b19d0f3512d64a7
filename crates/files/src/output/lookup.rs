//! Looks up many paths in sequence. A write of many files involves few folders: each is opened once, without following
//! links, and stays open for the next files in it, up to a limit. It is reopened after some files, to detect that it
//! was moved or replaced in the meantime.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::refusal::{moved, resolve_links, unreadable};
use crate::path::is_absent;
use crate::{EntryKind, Folder, FolderEntry, is_link_refused};
use refdesk_text::Error;

/// How many files are looked up in a folder before it is reopened.
const USES: usize = 64;

/// The most folders kept open: each takes a file descriptor, of which a process has few.
const OPEN: usize = 64;

/// Cached lookups, for one step of a write or for several proposals.
#[derive(Debug, Default)]
pub struct PathLookup {
    /// By path without links.
    folders: HashMap<PathBuf, CachedLookup<Option<Folder>>>,
    /// The path without links, by the path as written.
    resolved: HashMap<PathBuf, CachedLookup<PathBuf>>,
    workspace: Option<(PathBuf, PathBuf)>,
}

#[derive(Debug)]
struct CachedLookup<T> {
    value: T,
    uses: usize,
}

impl<T: Clone> CachedLookup<T> {
    fn get(known: &mut HashMap<PathBuf, Self>, path: &Path) -> Option<T> {
        let known = known.get_mut(path).filter(|known| known.uses < USES)?;
        known.uses += 1;
        Some(known.value.clone())
    }
}

impl PathLookup {
    /// The path of the workspace with links resolved.
    pub(super) fn workspace(&mut self, workspace: &Path) -> PathBuf {
        match &self.workspace {
            Some((named, real)) if named == workspace => real.clone(),
            _ => {
                let real = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
                self.workspace = Some((workspace.to_path_buf(), real.clone()));
                real
            }
        }
    }

    /// Resolves the links of an absolute path; parts that do not exist stay as written.
    ///
    /// # Errors
    /// It cannot be resolved.
    pub(super) fn resolve(&mut self, path: &Path, shown: &str) -> Result<PathBuf, Error> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return self.resolve_links(path, shown);
        };
        let real = match CachedLookup::get(&mut self.resolved, above) {
            Some(real) => real,
            None => {
                let real = self.resolve_links(above, shown)?;
                self.resolved.insert(above.to_path_buf(), CachedLookup { value: real.clone(), uses: 1 });
                real
            }
        };
        let real = real.join(name);
        let is_link = match self.folder(&real, shown)? {
            Some(folder) => folder.entry(name).map_or(true, |entry| entry.is_some_and(|it| it.kind == EntryKind::Link)),
            None => false,
        };
        if is_link { self.resolve_links(path, shown) } else { Ok(real) }
    }

    fn resolve_links(&self, path: &Path, shown: &str) -> Result<PathBuf, Error> {
        let workspace = self.workspace.as_ref().map_or(Path::new(""), |(_, real)| real);
        resolve_links(workspace, path, shown)
    }

    /// The folder of a file at a path without links, and the file's entry in it; `None` if either does not exist.
    ///
    /// # Errors
    /// Part of the path has become a link, or cannot be read.
    pub(super) fn entry(&mut self, path: &Path, shown: &str) -> Result<Option<(Folder, FolderEntry)>, Error> {
        let Some(folder) = self.folder(path, shown)? else { return Ok(None) };
        match folder.entry(path.file_name().unwrap_or_default()) {
            Ok(entry) => Ok(entry.map(|entry| (folder, entry))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(unreadable(shown, &error)),
        }
    }

    /// The folder of a file at a path without links; `None` if it does not exist.
    ///
    /// # Errors
    /// See [`PathLookup::entry`].
    pub(super) fn folder(&mut self, path: &Path, shown: &str) -> Result<Option<Folder>, Error> {
        let above = path.parent().unwrap_or(path);
        if let Some(known) = CachedLookup::get(&mut self.folders, above) {
            return Ok(known);
        }
        let folder = match Folder::real(above) {
            Ok(folder) => Some(folder),
            Err(error) if is_link_refused(&error) => return Err(moved(shown)),
            // Part of the path may be a file or a dangling link.
            Err(_) if self.resolve_links(path, shown)? != path => return Err(moved(shown)),
            Err(error) if is_absent(&error) => None,
            Err(error) => return Err(unreadable(shown, &error)),
        };
        if self.folders.len() >= OPEN {
            self.folders.clear();
        }
        self.folders.insert(above.to_path_buf(), CachedLookup { value: folder.clone(), uses: 1 });
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_folders_are_open_at_once() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let mut lookup = PathLookup::default();
        for nth in 0..300 {
            let folder = root.join(nth.to_string());
            fs::create_dir(&folder).unwrap();
            assert!(lookup.folder(&folder.join("x"), "x").unwrap().is_some());
            assert!(lookup.folders.len() <= OPEN, "{}", lookup.folders.len());
        }
    }
}
