//! What exists at the paths of links. A text may have a hundred thousand links, and asking the system about each would
//! take most of the time of a command, so a folder to which many different links lead is listed once instead. Where that is
//! not possible, the names after the first ones count as missing.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, RwLock};

/// The most names looked up in a folder one by one; then it is listed.
const LOOKED_UP: usize = 64;

/// The folders that links lead through, from the root.
#[derive(Debug)]
pub(super) struct Existing {
    root: Arc<KnownFolder>,
    /// Folders that are listed, and those in them: the workspace and the sources. What else links lead to is not refdesk's to
    /// list.
    listed: Vec<PathBuf>,
}

/// What exists at a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The path with every symbolic link resolved as far as it exists, the rest as written.
    pub real: PathBuf,
    pub exists: bool,
    /// The last link or folder on the path that exists, as written: below it there are no links.
    pub reached: PathBuf,
}

#[derive(Debug, Default)]
struct KnownFolder {
    real: PathBuf,
    names: RwLock<Names>,
}

#[derive(Debug, Default)]
struct Names {
    known: HashMap<OsString, Entry>,
    /// Whether other names count as missing.
    is_complete: bool,
}

#[derive(Debug, Clone)]
enum Entry {
    Missing,
    File,
    Folder(Arc<KnownFolder>),
    /// A symbolic link; `None` if it leads nowhere.
    Link(Option<Target>),
}

#[derive(Debug, Clone)]
struct Target {
    real: PathBuf,
    folder: Option<Arc<KnownFolder>>,
}

impl Default for Existing {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Existing {
    /// `listed` are resolved paths.
    pub(super) fn new(listed: Vec<PathBuf>) -> Self {
        Self { root: KnownFolder::at(PathBuf::from("/")), listed }
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        *self = Self::new(std::mem::take(&mut self.listed));
    }

    /// Whether this folder is a listed one or in one.
    pub(super) fn may_list(&self, folder: &Path) -> bool {
        self.listed.iter().any(|listed| folder.starts_with(listed))
    }

    /// Whether this name leads to one of the listed folders.
    fn leads_to_listed(&self, folder: &Path, name: &OsStr) -> bool {
        let path = folder.join(name);
        self.listed.iter().any(|listed| listed.starts_with(&path))
    }

    /// Finds an absolute and clean path.
    pub(super) fn find(&self, path: &Path) -> Found {
        let mut folder = self.root.clone();
        let mut names = path.components();
        while let Some(component) = names.next() {
            let Component::Normal(name) = component else { continue };
            let rest = names.as_path();
            let is_last = rest.as_os_str().is_empty();
            // The path up to this name, or up to the folder before it.
            let reached =
                |after: usize| path.ancestors().nth(rest.components().count() + after).unwrap_or(path).to_path_buf();
            let missing = || if is_last { folder.real.join(name) } else { folder.real.join(name).join(rest) };
            match folder.entry(name, self) {
                Entry::Folder(next) if !is_last => folder = next,
                Entry::Link(Some(Target { folder: Some(next), .. })) if !is_last => folder = next,
                Entry::Folder(next) => return Found { real: next.real.clone(), exists: true, reached: reached(0) },
                Entry::Link(Some(target)) if is_last => {
                    return Found { real: target.real, exists: true, reached: reached(0) };
                }
                // A link that leads nowhere is not resolved.
                Entry::Link(_) => return Found { real: missing(), exists: false, reached: reached(0) },
                Entry::File => return Found { real: missing(), exists: is_last, reached: reached(1) },
                Entry::Missing => return Found { real: missing(), exists: false, reached: reached(1) },
            }
        }
        Found { real: path.to_path_buf(), exists: true, reached: path.to_path_buf() }
    }
}

/// Drops nested folders one after the other: there may be too many for the stack.
impl Drop for Existing {
    fn drop(&mut self) {
        let mut open = vec![self.root.clone()];
        while let Some(folder) = open.pop() {
            if let Ok(mut names) = folder.names.write() {
                open.extend(names.known.drain().filter_map(|(_, entry)| entry.into_folder()));
            }
        }
    }
}

impl KnownFolder {
    fn at(real: PathBuf) -> Arc<Self> {
        Arc::new(Self { real, ..Self::default() })
    }

    fn entry(&self, name: &OsStr, existing: &Existing) -> Entry {
        if let Some(known) = self.names.read().ok().and_then(|names| names.known.get(name).cloned()) {
            return known;
        }
        let Ok(mut names) = self.names.write() else { return Entry::Missing };
        if names.known.len() >= LOOKED_UP && !names.is_complete {
            names.is_complete = true;
            if existing.may_list(&self.real) {
                names.list(&self.real);
            }
        }
        if let Some(known) = names.known.get(name) {
            return known.clone();
        }
        // The way to the workspace is known whatever else links lead to beside it.
        if names.is_complete && !existing.leads_to_listed(&self.real, name) {
            return Entry::Missing;
        }
        let entry = Entry::at(self.real.join(name));
        names.known.insert(name.to_owned(), entry.clone());
        entry
    }
}

impl Names {
    /// Adds every name in this folder.
    fn list(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            self.known.entry(entry.file_name()).or_insert_with(|| match entry.file_type() {
                Ok(kind) if kind.is_dir() => Entry::Folder(KnownFolder::at(entry.path())),
                Ok(kind) if !kind.is_symlink() => Entry::File,
                _ => Entry::at(entry.path()),
            });
        }
    }
}

impl Entry {
    fn at(path: PathBuf) -> Self {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => Self::Link(Target::of(&path)),
            Ok(metadata) if metadata.is_dir() => Self::Folder(KnownFolder::at(path)),
            Ok(_) => Self::File,
            Err(_) => Self::Missing,
        }
    }

    fn into_folder(self) -> Option<Arc<KnownFolder>> {
        match self {
            Self::Folder(folder) | Self::Link(Some(Target { folder: Some(folder), .. })) => Some(folder),
            _ => None,
        }
    }
}

impl Target {
    fn of(link: &Path) -> Option<Self> {
        let real = fs::canonicalize(link).ok()?;
        let folder = fs::metadata(&real).ok()?.is_dir().then(|| KnownFolder::at(real.clone()));
        Some(Self { real, folder })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use refdesk_files::write_atomic;

    #[test]
    fn paths_are_found_whether_or_not_their_folders_are_listed() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        write_atomic(&root.join("real/f"), b"x").unwrap();
        symlink(root.join("real"), root.join("link")).unwrap();
        symlink(root.join("real/f"), root.join("file")).unwrap();
        symlink(root.join("loop"), root.join("loop")).unwrap();
        let existing = Existing::new(vec![root.clone()]);
        for _ in 0..2 {
            for (path, real, exists, reached) in [
                ("real", "real", true, "real"),
                ("real/f", "real/f", true, "real"),
                ("link", "real", true, "link"),
                ("link/f", "real/f", true, "link"),
                ("file", "real/f", true, "file"),
                ("none", "none", false, ""),
                ("none/x/y", "none/x/y", false, ""),
                ("link/none/x", "real/none/x", false, "link"),
                ("real/f/x", "real/f/x", false, "real"),
                ("file/x", "file/x", false, "file"),
                ("loop", "loop", false, "loop"),
                ("loop/x", "loop/x", false, "loop"),
            ] {
                let at = |path: &str| if path.is_empty() { root.clone() } else { root.join(path) };
                let expected = Found { real: at(real), exists, reached: at(reached) };
                assert_eq!(existing.find(&at(path)), expected, "{path}");
            }
            // Now all folders are listed.
            for nth in 0..2 * LOOKED_UP {
                assert!(!existing.find(&root.join(format!("x{nth}"))).exists);
                assert!(!existing.find(&root.join(format!("link/x{nth}"))).exists);
            }
        }
    }

    #[test]
    fn only_a_few_names_are_looked_up_one_by_one() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        write_atomic(&root.join("ws/f"), b"x").unwrap();
        write_atomic(&root.join("beside/f"), b"x").unwrap();
        let existing = Existing::new(vec![root.join("ws")]);
        for (folder, has_known) in [("ws", LOOKED_UP + 1), ("beside", LOOKED_UP), ("", LOOKED_UP)] {
            let real = root.join(folder);
            let known = KnownFolder::at(real.clone());
            for nth in 0..1_000 {
                assert!(matches!(known.entry(OsStr::new(&format!("x{nth}")), &existing), Entry::Missing));
            }
            assert_eq!(known.names.read().unwrap().known.len(), has_known, "{folder}: of ws, also what is in it");
            // Nothing is asked again until everything is forgotten.
            write_atomic(&real.join("x999"), b"x").unwrap();
            assert!(matches!(known.entry(OsStr::new("x999"), &existing), Entry::Missing), "{folder}");
            assert!(matches!(KnownFolder::at(real).entry(OsStr::new("x999"), &existing), Entry::File), "{folder}");
        }
    }

    #[test]
    fn links_to_folders_beside_a_listed_one_do_not_hide_it() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        write_atomic(&root.join("ws/docs/f"), b"x").unwrap();
        symlink(root.join("ws"), root.join("written")).unwrap();
        let existing = Existing::new(vec![root.join("ws"), root.join("written")]);
        for nth in 0..2 * LOOKED_UP {
            assert!(!existing.find(&root.join(format!("repo{nth}/README.md"))).exists);
        }
        for path in ["ws/docs/f", "written/docs/f"] {
            let found = existing.find(&root.join(path));
            assert_eq!((found.real, found.exists), (root.join("ws/docs/f"), true), "{path}");
        }
    }
}
