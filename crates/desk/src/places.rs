//! The file system as enrichment and instructions see it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::Desk;
use refdesk_core::catalog::{Catalog, PathState, ReservedFolders, Source, SourceId, SourceKind};
use refdesk_core::mention::{LIMITS, files};
use refdesk_core::selection::Selection;
use refdesk_enrich::{EnrichContext, SourceFiles};
use refdesk_files::name::sha256_hex;
use refdesk_files::path::{Resolver, clean, display};
use refdesk_files::reserved::is_skipped_by_walks;
use refdesk_files::walk::{WalkBudget, WalkLimits, files_below};
use refdesk_files::{Stamp, read_regular, stamp};
use refdesk_templates::{IndexInput, Template, TemplateIndex};

/// The limits for counting the files of a folder source.
const DECLARED: WalkLimits = WalkLimits { files: 20_000, bytes: u64::MAX };

/// Caches hashes of unchanged files, because a screen needs them at every keystroke.
#[derive(Debug, Default)]
pub(super) struct Contents {
    known: Mutex<HashMap<Arc<Path>, (Stamp, String)>>,
}

impl Contents {
    /// The cached hash of a file with this stamp at `now`. A file written so recently that another write could leave
    /// the same stamp is read again next time.
    fn hash(
        &self,
        path: &Arc<Path>,
        then: Stamp,
        now: SystemTime,
        read: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, hash)) = known().get(path).filter(|(stamp, _)| *stamp == then) {
            return Some(hash.clone());
        }
        let hash = read()?;
        // Size and time alone do not identify content, so a file without an identity is not cached.
        if then.has_settled(now) && then.changed != 0 && then.number != 0 {
            known().insert(path.clone(), (then, hash.clone()));
        } else {
            known().remove(path);
        }
        Some(hash)
    }

    pub(crate) fn forget(&mut self) {
        self.known = Mutex::default();
    }
}

/// The file system during one enrichment, in which each folder is walked only once.
pub(super) struct FolderCache<'a> {
    desk: &'a Desk,
    walked: Mutex<HashMap<SourceId, Vec<PathBuf>>>,
    budget: WalkBudget,
}

impl<'a> FolderCache<'a> {
    pub(crate) fn new(desk: &'a Desk) -> Self {
        Self { desk, walked: Mutex::default(), budget: desk.walks.sharing_time() }
    }

    pub(crate) fn context(&self) -> EnrichContext<'_> {
        let desk = self.desk;
        EnrichContext {
            workspace: desk.workspace(),
            catalog: &desk.catalog,
            selection: &desk.selection,
            matcher: &desk.matcher,
            places: self,
            exclude_hints: desk.hides_select_tool(),
            exclude_tools: &desk.settings().exclude_tools,
            about: None,
            hint_settings: desk.settings().hints,
            taken: None,
        }
    }
}

impl SourceFiles for FolderCache<'_> {
    fn display_path(&self, path: &Path) -> String {
        display(self.desk.workspace(), path)
    }

    fn files(&self, source: &Source) -> Vec<PathBuf> {
        if !source.is_directory() {
            return Vec::new();
        }
        // Do not hold the lock while walking: the walk may run another task on this thread that needs the same folder.
        let walked = || self.walked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = walked().get(&source.id) {
            return known.clone();
        }
        let (files, _) = files(source, &self.budget, |path| self.display_path(path));
        let files: Vec<PathBuf> = files.into_iter().map(|file| file.path).collect();
        walked().insert(source.id.clone(), files.clone());
        files
    }

    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        std::fs::canonicalize(path).ok()
    }

    fn declared(&self, source: &Source, path: &str) -> Vec<PathBuf> {
        let Some(place) = source.place().filter(|_| source.is_directory()) else { return Vec::new() };
        let root = clean(&place.path.join(path));
        let is_shared = |real: &PathBuf| {
            root.starts_with(&*place.path)
                && real.starts_with(&*place.resolved)
                && !is_skipped_by_walks(&place.resolved, real)
                && !ReservedFolders::new(self.desk.workspace(), &Resolver::default()).holds(&root, real)
        };
        let Some(real) = std::fs::canonicalize(&root).ok().filter(is_shared) else { return Vec::new() };
        if root.is_file() {
            return vec![root];
        }
        let is_shown = |file: &PathBuf| {
            let inside = file.strip_prefix(&root).unwrap_or(file);
            !inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
        };
        let (files, _) = files_below(&root, &real, DECLARED, &self.budget, |_| true);
        files.into_iter().map(|file| file.path).filter(is_shown).collect()
    }

    fn templates(&self, catalog: &Catalog, selection: &Selection) -> TemplateIndex {
        let taken = self.desk.taken();
        let input = IndexInput { catalog, selection, ..self.desk.index_input(&taken) };
        // Their problems are reported by `check` and `templates`.
        let mut index = refdesk_templates::index(input, &self.desk.templates).0;
        // Those of tool results only have a part in the names.
        index.templates.retain(|template| !template.is_taken);
        index
    }

    fn templates_in(&self, text: &str) -> Vec<Template> {
        self.desk.templates_of(text)
    }

    fn tokens(&self, source: &Source) -> Option<u64> {
        self.desk.tokens(source, &self.budget)
    }

    /// The stamp of a source; for a folder, derived from its files.
    fn stamp(&self, source: &Source) -> String {
        let SourceKind::Local(place) = &source.kind else { return String::new() };
        match place.state {
            PathState::Missing | PathState::Untrusted | PathState::Reserved | PathState::Special => String::new(),
            PathState::File => {
                let now = (self.desk.options.clock)();
                let Ok(then) = stamp(&place.path) else { return String::new() };
                let read = || Some(sha256_hex(&read_regular(&place.path, LIMITS.bytes).ok()?.0));
                self.desk.contents.hash(&place.path, then, now, read).unwrap_or_default()
            }
            PathState::Directory => {
                let line = |path: &PathBuf| match stamp(path) {
                    Ok(stamp) => format!("{}\0{}\0{}\n", path.display(), stamp.size, stamp.modified),
                    Err(_) => format!("{}\n", path.display()),
                };
                let listing: String = self.files(source).iter().map(line).collect();
                sha256_hex(listing.as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    #[test]
    fn a_file_is_read_again_when_it_may_have_changed() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let path: Arc<Path> = Path::new("/w/a").into();
        let written = |ago: u64| {
            let at = (1_800_000_000 - ago) * 1_000_000_000;
            Stamp { size: 1, modified: at, changed: at, number: 7 }
        };
        let old = written(60);
        for (then, again, reads) in [
            (old, old, 1),
            (written(1), written(1), 2),
            (Stamp { changed: 0, ..old }, Stamp { changed: 0, ..old }, 2),
            (old, Stamp { size: 2, ..old }, 2),
            (old, Stamp { changed: old.changed + 1, ..old }, 2),
            (old, Stamp { number: 8, ..old }, 2),
        ] {
            let (contents, count) = (Contents::default(), Cell::new(0));
            let ask = |stamp| contents.hash(&path, stamp, now, || Some(count.replace(count.get() + 1).to_string()));
            assert_eq!(ask(then).unwrap(), "0");
            assert_eq!(ask(again).unwrap(), (reads - 1).to_string(), "{then:?} {again:?}");
            assert_eq!(count.get(), reads);
        }
    }

    /// A workspace with these files and one source `d` at `path`.
    fn desk_with(files: &[&str], path: &str) -> (tempfile::TempDir, PathBuf, Desk) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(folder.path()).unwrap();
        for file in files {
            write_atomic(&workspace.join(file), b"x").unwrap();
        }
        let source =
            format!(r#"{{"sources":[{{"id":"d","name":"D","type":"local","path":"{path}","tags":["java"]}}]}}"#);
        write_atomic(&workspace.join("references.json"), source.as_bytes()).unwrap();
        let desk = Desk::open(Options::new(WorkspaceContext {
            current: workspace.clone(),
            workspace: workspace.clone(),
            ..WorkspaceContext::default()
        }));
        (folder, workspace, desk)
    }

    #[test]
    fn declared_contents_exclude_the_state_of_git_and_refdesk() {
        use std::os::unix::fs::symlink;
        let files = [
            ".git/hooks/x",
            ".git/config",
            "sub/.GIT/x",
            ".jaato/refdesk/selection.json",
            ".jaato/kb/a.md",
            "policies/a.md",
            "policies/.git/x",
        ];
        let (_folder, workspace, desk) = desk_with(&files, ".");
        symlink(".git", workspace.join("link")).unwrap();
        symlink("policies/a.md", workspace.join("alias.md")).unwrap();
        symlink(".git/config", workspace.join("config.md")).unwrap();
        let source = desk.catalog().get("d").unwrap();
        for (path, expected) in [
            (".git", 0),
            (".git/hooks", 0),
            (".git/config", 0),
            ("sub/.GIT", 0),
            ("link/hooks", 0),
            ("config.md", 0),
            (".jaato/refdesk", 0),
            (".jaato/refdesk/selection.json", 0),
            ("policies/../.git/hooks", 0),
            ("policies/.git", 0),
            (".jaato/kb", 1),
            ("policies", 1),
            ("policies/a.md", 1),
            ("alias.md", 1),
        ] {
            assert_eq!(FolderCache::new(&desk).declared(source, path).len(), expected, "{path}");
        }
    }

    /// Git's folder is a link into the source, so the path does not reveal that it belongs to git.
    #[test]
    fn declared_contents_exclude_a_moved_git_folder() {
        let (_folder, workspace, desk) = desk_with(&["repository/config", "repository/hooks/x"], ".");
        std::os::unix::fs::symlink("repository", workspace.join(".git")).unwrap();
        let source = desk.catalog().get("d").unwrap();
        assert!(FolderCache::new(&desk).declared(source, "repository/hooks").is_empty());
        assert!(FolderCache::new(&desk).declared(source, "repository/config").is_empty());
    }

    #[test]
    fn a_text_walks_each_folder_once() {
        let (_folder, workspace, desk) = desk_with(&["docs/a.md"], "docs");
        let source = desk.catalog().get("d").unwrap();
        let look = FolderCache::new(&desk);
        let (files, before) = (look.files(source), look.stamp(source));
        assert_eq!(files.len(), 1);
        write_atomic(&workspace.join("docs/b.md"), b"x").unwrap();
        assert_eq!((look.files(source).len(), look.stamp(source)), (1, before.clone()));
        let next = FolderCache::new(&desk);
        assert_ne!(next.stamp(source), before, "the next text sees the current files");
    }
}
