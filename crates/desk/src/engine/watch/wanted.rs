//! The folders a desk depends on, and which names in them matter. Both the system's watcher and polling follow these
//! (BEHAVIOUR §9 "Watching").

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::Desk;
use crate::channel::presence::PresenceKind;
use refdesk_core::catalog::{LocalPath, PathState, Source};
use refdesk_core::config::screen_files::{keymap_file, themes_folder};
use refdesk_core::config::user;
use refdesk_database::documenter::Manifest;
use refdesk_files::is_unfinished;
use refdesk_files::path::Resolver;
use refdesk_files::reserved::is_own;

/// Folders that tools fill; documents in them are read only when something else changes.
const SKIPPED: [&str; 3] = [".git", "target", "node_modules"];

/// The names in a folder that matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameFilter {
    /// Every name directly in the folder.
    All,
    /// These names.
    Named(BTreeSet<OsString>),
}

impl NameFilter {
    pub(crate) const NONE: Self = Self::Named(BTreeSet::new());

    pub(crate) fn named(name: &OsStr) -> Self {
        Self::Named(BTreeSet::from([name.to_owned()]))
    }

    /// Whether it already includes this name.
    pub(crate) fn names(&self, name: &OsStr) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.contains(name),
        }
    }

    /// Whether a change of this name matters.
    pub(crate) fn covers(&self, name: &OsStr) -> bool {
        match self {
            Self::All => !is_skipped(name) && !is_unfinished(name),
            Self::Named(_) => self.names(name),
        }
    }

    pub(super) fn widen(&mut self, other: &Self) {
        match (self, other) {
            (Self::All, _) => {}
            (mine, Self::All) => *mine = Self::All,
            (Self::Named(mine), Self::Named(more)) => mine.extend(more.iter().cloned()),
        }
    }
}

/// The client that watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watcher {
    /// A screen, which also needs its user's own files.
    Screen,
    Program,
}

/// Everything to follow, whether or not it exists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WatchSet {
    /// The workspace. Paths inside it are followed only from there down.
    pub workspace: PathBuf,
    /// Single folders.
    pub folders: BTreeMap<PathBuf, NameFilter>,
    /// Folders with everything below them.
    pub trees: BTreeSet<PathBuf>,
    /// The file of picks and exclusions.
    pub choice: PathBuf,
    /// The journal.
    pub journal: PathBuf,
    /// Folders of requests and answers.
    pub requests: Vec<PathBuf>,
    /// The folder of connected agents; `None` if no screen shows them.
    pub agents: Option<PathBuf>,
}

impl WatchSet {
    /// The paths at which this desk's configuration, catalog, documents, templates and choices are or would be.
    pub(crate) fn of(desk: &Desk, requests: Vec<PathBuf>, watcher: Watcher) -> Self {
        let workspace = desk.workspace();
        let mut wanted = Self {
            workspace: workspace.to_path_buf(),
            choice: desk.choice_file().to_path_buf(),
            journal: desk.journal_file(),
            ..Self::default()
        };
        requests.iter().for_each(|folder| wanted.folder(folder));
        wanted.requests = requests;
        if watcher == Watcher::Screen {
            wanted.add_files_of_screen(desk);
        }
        wanted.add_files_of_desk(desk);
        let real = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        // Trusted paths in the workspace that lead out of it.
        let (mut trees, mut folders) = (HashSet::new(), HashSet::new());
        let resolver = Resolver::default();
        for source in desk.catalog().sources() {
            // A reserved place is not read, so not followed.
            let Some(place) = source.place().filter(|place| place.state != PathState::Reserved) else { continue };
            let is_inside = place.resolved.starts_with(&real);
            wanted.add_source(desk, source, place, is_inside, &resolver);
            if !is_inside && place.state.is_open() {
                trees.insert(&*place.path);
                folders.extend(place.path.parent());
            }
        }
        // No other link in the workspace may lead out of it.
        let stays = |path: &Path| {
            let is_trusted = || folders.contains(path) || path.ancestors().any(|above| trees.contains(above));
            !path.starts_with(workspace) || is_trusted() || desk.stays_inside(path)
        };
        wanted.folders.retain(|folder, _| stays(folder));
        wanted.trees.retain(|root| stays(root));
        wanted
    }

    /// Follows the agents, and the user's own files.
    fn add_files_of_screen(&mut self, desk: &Desk) {
        let agents = desk.workspace().join(PresenceKind::Agent.folder());
        self.folder(&agents);
        self.agents = Some(agents);
        if let Some(home) = desk.workspace_context().config_home.as_deref() {
            self.file(&keymap_file(home));
            if let Some(preferences) = user::file(Some(home)) {
                self.file(&preferences);
            }
            self.folder(&themes_folder(home));
        }
    }

    /// Follows the desk's configuration, its catalog, its databases and its templates.
    fn add_files_of_desk(&mut self, desk: &Desk) {
        let workspace = desk.workspace();
        self.file(&desk.journal_file());
        for file in desk.config_places() {
            self.file(&file);
        }
        self.file(desk.choice_file());
        if let Some(profile) = desk.profile_file() {
            self.file(profile);
        }
        self.file(&workspace.join(refdesk_templates::OVERRIDES));
        if let Some(folder) = desk.open_references_folder() {
            self.folder(&folder);
        }
        for file in refdesk_database::config::FILES.iter().chain(&refdesk_database::config::agent::AGENT_FILES) {
            self.file(&workspace.join(file));
        }
        // Plans and notes.
        self.folder(&workspace.join(".jaato/databases"));
        self.file(&workspace.join(Manifest::path(&desk.databases().0.docs_path)));
        self.tree(&workspace.join(".templates"));
    }

    /// Follows the path of a source, unless it is not read, and the paths at which its documents could be instead.
    fn add_source(&mut self, desk: &Desk, source: &Source, place: &LocalPath, is_inside: bool, resolver: &Resolver) {
        match place.state {
            PathState::Directory => self.tree(&place.path),
            // Sibling files matter too, because a document's links may lead to them.
            PathState::File | PathState::Special if is_inside => {
                place.path.parent().into_iter().for_each(|it| self.folder(it));
            }
            PathState::File => self.file(&place.path),
            PathState::Missing if desk.may_access(source, &place.path) => {
                place.path.parent().into_iter().for_each(|it| self.folder(it));
            }
            PathState::Missing | PathState::Untrusted | PathState::Special | PathState::Reserved => {}
        }
        if place.state == PathState::File && place.resolved != place.path {
            self.file(&place.resolved);
        }
        for other in desk.other_candidates(source, resolver).iter().filter(|other| desk.may_access(source, other)) {
            self.file(other);
        }
    }

    /// Follows one name in its folder.
    fn file(&mut self, file: &Path) {
        if let (Some(folder), Some(name)) = (file.parent(), file.file_name())
            && self.is_followed(folder)
        {
            self.add(folder, &NameFilter::named(name));
        }
    }

    fn folder(&mut self, folder: &Path) {
        if self.is_followed(folder) {
            self.add(folder, &NameFilter::All);
        }
    }

    fn tree(&mut self, root: &Path) {
        if self.is_followed(root) {
            self.trees.insert(root.to_path_buf());
            // It may become a file, or stop being one.
            self.file(root);
        }
    }

    fn add(&mut self, folder: &Path, interest: &NameFilter) {
        match self.folders.get_mut(folder) {
            Some(known) => known.widen(interest),
            None => {
                self.folders.insert(folder.to_path_buf(), interest.clone());
            }
        }
    }

    /// Within the workspace, skipped folders are not followed, even if a source refers to them.
    fn is_followed(&self, folder: &Path) -> bool {
        let inside = folder.strip_prefix(&self.workspace).unwrap_or(Path::new(""));
        !inside.components().any(|part| is_skipped(part.as_os_str())) && !inside.starts_with(".jaato/refdesk/cache")
    }
}

/// Whether a walk enters this folder of a tree.
pub(super) fn is_entered(folder: &Path) -> bool {
    // Only a few of refdesk's own files matter, and those are followed by name.
    !folder.file_name().is_some_and(is_skipped) && !is_own(folder)
}

fn is_skipped(name: &OsStr) -> bool {
    SKIPPED.iter().any(|skipped| name == *skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> WatchSet {
        WatchSet { workspace: PathBuf::from("/x/target/ws"), ..WatchSet::default() }
    }

    #[test]
    fn folders_of_tools_are_skipped_only_within_the_workspace() {
        for (folder, expected) in [
            ("/x/target/ws", true),
            ("/x/target/ws/docs", true),
            ("/x/target/ws/target", false),
            ("/x/target/ws/target/doc", false),
            ("/x/target/ws/web/node_modules/lib", false),
            ("/x/target/ws/.git", false),
            ("/x/target/ws/.github", true),
            ("/x/target/ws/.jaato/refdesk", true),
            ("/x/target/ws/.jaato/refdesk/cache", false),
            ("/x/target/ws/.jaato/refdesk/cache/a", false),
            ("/elsewhere/target/doc", true),
        ] {
            let mut wanted = wanted();
            wanted.folder(Path::new(folder));
            wanted.tree(Path::new(folder));
            assert_eq!(wanted.folders.contains_key(Path::new(folder)), expected, "{folder}");
            assert_eq!(wanted.trees.len(), usize::from(expected), "{folder}");
        }
        for (folder, expected) in [
            ("/s/docs", true),
            ("/s/target", false),
            ("/s/a/.git", false),
            ("/s/.jaato", true),
            ("/s/.jaato/refdesk", false),
            ("/s/.jaato/templates", false),
            ("/s/refdesk", true),
        ] {
            assert_eq!(is_entered(Path::new(folder)), expected, "{folder}");
        }
    }

    #[test]
    fn interests_only_widen() {
        let mut wanted = wanted();
        let folder = Path::new("/x/target/ws/docs");
        let covers = |wanted: &WatchSet, name: &str| wanted.folders[folder].covers(OsStr::new(name));
        wanted.file(&folder.join("a"));
        assert_eq!((covers(&wanted, "a"), covers(&wanted, "b")), (true, false));
        wanted.file(&folder.join("b"));
        assert_eq!((covers(&wanted, "a"), covers(&wanted, "b"), covers(&wanted, "c")), (true, true, false));
        wanted.folder(folder);
        wanted.file(&folder.join("d"));
        assert!(["a", "c", "z.md"].iter().all(|name| covers(&wanted, name)));
        assert!([".git", "target", "node_modules", ".refdesk-abc.tmp"].iter().all(|name| !covers(&wanted, name)));
    }
}
