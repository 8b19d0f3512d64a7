//! Where standalone templates lie: files that end in `.tpl` or `.tmpl` below the directories of selected local sources
//! and in the workspace's `.templates/` (BEHAVIOUR §6). They are only found here, not read.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, SourceId, Standing};
use crate::report::Diagnostic;
use crate::selection::Selection;

/// Entries visited below one directory; what lies beyond is left out and said so.
const MAX_ENTRIES: usize = 200_000;

/// A template's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The file, absolute, symbolic links as met.
    pub path: PathBuf,
    /// The innermost selected directory source that holds it; `None` for `.templates/`.
    pub source: Option<SourceId>,
    /// The path within that directory, forward slashes.
    pub within: String,
    /// The name of that directory.
    pub root: String,
}

/// A directory to look below.
struct Root {
    source: Option<SourceId>,
    path: PathBuf,
    resolved: PathBuf,
}

/// Finds every standalone template, each once, sorted by path.
pub fn discover(workspace: &Path, catalog: &Catalog, selection: &Selection) -> (Vec<Found>, Vec<Diagnostic>) {
    let mut roots = Vec::new();
    for source in catalog.sources().iter().filter(|source| selection.contains(source.id.as_str())) {
        if let Some(place) = source.place().filter(|place| place.standing == Standing::Directory) {
            let source = Some(source.id.clone());
            roots.push(Root { source, path: place.path.clone(), resolved: place.resolved.clone() });
        }
    }
    let own = workspace.join(".templates");
    if let Ok(resolved) = fs::canonicalize(&own)
        && resolved.is_dir()
    {
        roots.push(Root { source: None, path: own, resolved });
    }
    // Innermost first: what an inner source holds is not the outer one's.
    roots.sort_by_key(|root| std::cmp::Reverse(root.resolved.components().count()));
    let mut walk = Walk { workspace, ..Walk::default() };
    for root in &roots {
        walk.below(root);
    }
    walk.found.sort_by(|left, right| left.path.cmp(&right.path));
    (walk.found, walk.diagnostics)
}

/// A path as diagnostics print it: relative to the workspace inside it, absolute outside.
pub fn printed(workspace: &Path, path: &Path) -> String {
    slashed(path.strip_prefix(workspace).unwrap_or(path))
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}

fn is_template(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let by_ending = ending.is_some_and(|ending| ["tpl", "tmpl"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    by_ending
        || path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| [".tpl", ".tmpl"].iter().any(|known| name.eq_ignore_ascii_case(known)))
}

struct Walk<'a> {
    workspace: &'a Path,
    found: Vec<Found>,
    diagnostics: Vec<Diagnostic>,
    /// Directories and files already visited, resolved.
    seen: HashSet<PathBuf>,
}

impl Default for Walk<'_> {
    fn default() -> Self {
        Self { workspace: Path::new(""), found: Vec::new(), diagnostics: Vec::new(), seen: HashSet::new() }
    }
}

impl Walk<'_> {
    /// Real files and folders first, then what symbolic links lead to, so that a file goes by its own path.
    fn below(&mut self, root: &Root) {
        let mut folders = vec![(root.path.clone(), root.resolved.clone())];
        let mut links: Vec<PathBuf> = Vec::new();
        let mut entries = 0;
        loop {
            let Some((folder, resolved)) = folders.pop() else {
                let Some(link) = links.pop() else { return };
                self.follow(root, link, &mut folders);
                continue;
            };
            if !self.seen.insert(resolved.clone()) {
                continue;
            }
            let listed = match fs::read_dir(&folder) {
                Ok(listed) => listed,
                Err(error) => {
                    self.report("template-folder-unreadable", root, &folder, &format!("cannot be read: {error}"));
                    continue;
                }
            };
            for entry in listed.flatten() {
                entries += 1;
                if entries > MAX_ENTRIES {
                    let message = format!("holds more than {MAX_ENTRIES} entries; templates beyond are left out");
                    self.report("template-folder-too-large", root, &root.path, &message);
                    return;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let path = folder.join(entry.file_name());
                if kind.is_symlink() {
                    links.push(path);
                } else if kind.is_dir() {
                    if entry.file_name() != ".git" {
                        folders.push((path, resolved.join(entry.file_name())));
                    }
                } else if kind.is_file() && is_template(&path) {
                    self.keep(root, path, resolved.join(entry.file_name()));
                }
            }
        }
    }

    /// A symbolic link counts only where it stays in the tree.
    fn follow(&mut self, root: &Root, link: PathBuf, folders: &mut Vec<(PathBuf, PathBuf)>) {
        let Ok(resolved) = fs::canonicalize(&link) else { return };
        if !resolved.starts_with(&root.resolved) || resolved.components().any(|part| part.as_os_str() == ".git") {
            return;
        }
        if resolved.is_dir() {
            folders.push((link, resolved));
        } else if resolved.is_file() && is_template(&link) {
            self.keep(root, link, resolved);
        }
    }

    fn keep(&mut self, root: &Root, path: PathBuf, resolved: PathBuf) {
        if !self.seen.insert(resolved) {
            return;
        }
        let within = slashed(path.strip_prefix(&root.path).unwrap_or(&path));
        let name = root.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.found.push(Found { within, source: root.source.clone(), root: name, path });
    }

    fn report(&mut self, code: &'static str, root: &Root, path: &Path, message: &str) {
        let mut diagnostic = Diagnostic::error(code, format!("{} {message}", printed(self.workspace, path)))
            .in_file(printed(self.workspace, path));
        if let Some(source) = &root.source {
            diagnostic = diagnostic.about(source.as_str());
        }
        self.diagnostics.push(diagnostic);
    }
}
