//! Writes many files that can be regenerated, each separately: a reader sees either the old or the new bytes of a file,
//! and a killed writer leaves only complete files. Only `finish` waits for the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::lookup::PathLookup;
use super::record::write_failed;
use super::refusal::{self, WriteTarget};
use super::write::make_folders;
use super::{PriorContent, Scope, WrittenFile};
use crate::atomic::{device_of, sync_file_system};
use crate::{Durability, EntryKind, FileMode, Folder, link_on_path};
use refdesk_text::{Code, Error};

/// From this many files on, their file system is synced as a whole, with one flush instead of one per file.
const MANY: usize = 16;

/// Writes files of a workspace one by one.
#[derive(Debug)]
pub struct SeparateWrites {
    workspace: PathBuf,
    lookup: PathLookup,
    /// The written files, by folder.
    written: BTreeMap<PathBuf, Vec<PathBuf>>,
}

impl SeparateWrites {
    /// Writes below this workspace.
    pub fn new(workspace: &Path) -> Self {
        Self { workspace: workspace.to_path_buf(), lookup: PathLookup::default(), written: BTreeMap::new() }
    }

    /// Writes a file at a path relative to the workspace if its content is still `before`. No link is followed, because
    /// reading the files follows none either.
    ///
    /// # Errors
    /// The path may not be written or has a link in it, its content changed, or the file system's error.
    pub fn write(&mut self, path: &str, text: &str, before: &PriorContent) -> Result<WrittenFile, Error> {
        let target = refusal::write_target(&mut self.lookup, &self.workspace, &self.workspace, path, Scope::Workspace);
        let straight = self.lookup.workspace(&self.workspace).join(path);
        if target.as_ref().map_or(true, |target| target.path != straight)
            && let Some(link) = link_on_path(&self.workspace, Path::new(path), EntryKind::File)
        {
            return Err(link);
        }
        let WriteTarget { path, shown, folder } = target?;
        let failed = |error: &io::Error| write_failed(&shown, error);
        let known = match folder {
            Some(folder) => Some(folder),
            None => self.lookup.folder(&path, &shown)?,
        };
        let folder = known.map_or_else(|| self.make_folder_of(&path), Ok).map_err(|error| failed(&error))?;
        let name = path.file_name().unwrap_or_default();
        let staged = folder
            .stage(name, text.as_bytes(), FileMode::Default, Durability::Recreatable)
            .map_err(|error| failed(&error))?;
        let (now, _) =
            PriorContent::read_in(Some(&folder), &path).map_err(|error| refusal::unreadable(&shown, &error))?;
        if now != *before {
            let message = format!("{shown} changed after it was compared");
            return Err(Error::new(Code::Changed, message, "check what changed, and try again"));
        }
        match before {
            PriorContent::Nothing => staged.publish(name).map(drop),
            PriorContent::File { .. } => staged.replace(name),
        }
        .map_err(|error| failed(&error))?;
        let above = folder.path().to_path_buf();
        self.written.entry(above).or_default().push(path);
        Ok(WrittenFile { shown, bytes: text.len(), lines: text.lines().count() })
    }

    /// Waits until everything written is on disk, and removes temporary files left by killed writers.
    ///
    /// # Errors
    /// The file system's error.
    pub fn finish(self) -> io::Result<()> {
        let count: usize = self.written.values().map(Vec::len).sum();
        let mut synced = BTreeSet::new();
        for (folder, files) in &self.written {
            let folder = Folder::real(folder)?;
            // Stale files are harmless; the next writer here tries again.
            let _ = folder.sweep_dead();
            let open = |file: &PathBuf| -> io::Result<File> { folder.open(file.file_name().unwrap_or_default()) };
            let Some(first) = files.first() else { continue };
            if count >= MANY {
                let first = open(first)?;
                // All files of a workspace are usually on one file system.
                let device = device_of(&first).ok();
                if device.is_some_and(|device| synced.contains(&device)) {
                    continue;
                }
                if sync_file_system(&first).is_ok() {
                    synced.extend(device);
                    continue;
                }
            }
            files.iter().try_for_each(|file| open(file)?.sync_data())?;
        }
        Ok(())
    }

    /// Opens the folder of a file, creating missing folders.
    fn make_folder_of(&mut self, path: &Path) -> io::Result<Folder> {
        let mut made = Vec::new();
        let folder = make_folders(path, &mut made)?;
        if !made.is_empty() {
            // The cache says that the folder does not exist.
            self.lookup = PathLookup::default();
        }
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::name::sha256_hex;
    use crate::write_atomic;

    fn file(text: &str) -> PriorContent {
        PriorContent::File { size: text.len() as u64, hash: sha256_hex(text.as_bytes()) }
    }

    #[test]
    fn each_file_is_written_unless_it_changed() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        fs::create_dir_all(root.join("a")).unwrap();
        write_atomic(&root.join("a/old"), b"old").unwrap();
        write_atomic(&root.join("a/.refdesk-dead.tmp"), b"x").unwrap();
        let mut writes = SeparateWrites::new(&root);
        let written = writes.write("a/old", "new\n", &file("old")).unwrap();
        assert_eq!((written.shown.as_str(), written.bytes, written.lines), ("a/old", 4, 1));
        for at in 0..MANY {
            writes.write(&format!("b/c/{at}"), "x", &PriorContent::Nothing).unwrap();
        }
        // All of these changed since the comparison.
        for (path, before) in [("a/old", file("old")), ("b/c/0", PriorContent::Nothing), ("a/gone", file("gone"))] {
            assert_eq!(writes.write(path, "y", &before).unwrap_err().code, Code::Changed, "{path}");
        }
        assert_eq!(writes.write("../x", "y", &PriorContent::Nothing).unwrap_err().code, Code::Outside);
        writes.finish().unwrap();
        let names = |folder: &str| fs::read_dir(root.join(folder)).unwrap().count();
        assert_eq!((names("a"), names("b/c"), names(".")), (1, MANY, 2));
        assert_eq!(fs::read_to_string(root.join("a/old")).unwrap(), "new\n");
    }

    #[test]
    fn no_link_is_followed() {
        let (_root, root) = crate::testing::tree(&["w/a/file", "out/file"]);
        let workspace = root.join("w");
        let links =
            [("../out", "out"), ("a", "in"), ("a/file", "file"), ("in", "chain"), ("gone", "dangling"), ("x", "x")];
        crate::testing::link(&workspace, &links);
        let mut writes = SeparateWrites::new(&workspace);
        for path in
            ["out/file", "out/new", "in/file", "in/new", "file", "chain/new", "dangling", "dangling/new", "x", "x/y"]
        {
            for before in [PriorContent::Nothing, file("12345")] {
                let refused = writes.write(path, "new", &before).unwrap_err();
                assert_eq!(refused.code, Code::LinkedOut, "{path}: {refused}");
                let link = path.split('/').next().unwrap();
                assert!(refused.message.starts_with(&format!("{link} is a link to ")), "{refused}");
            }
        }
        writes.finish().unwrap();
        for path in ["w/a", "out"] {
            assert_eq!(fs::read_dir(root.join(path)).unwrap().count(), 1, "{path}");
            assert_eq!(fs::read_to_string(root.join(path).join("file")).unwrap(), "12345", "{path}");
        }
        assert!(!workspace.join("gone").exists());
    }
}
