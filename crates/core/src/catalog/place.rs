//! Resolves a local source's path (BEHAVIOUR §2 "Paths" and "Moved catalogs").

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, RwLock};

use super::source::{LocalPath, PathState, Source};
use crate::config::{WorkspaceContext, expand};
use refdesk_files::path::{Resolver, display, is_absolute_anywhere, is_windows_absolute};
use refdesk_files::{FolderListings, is_of_process, is_special, reserved};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Fix};

/// Finds what exists at the paths of a workspace's sources.
#[derive(Debug)]
pub(super) struct PathChecker<'a> {
    /// Workspace and related folders.
    pub context: &'a WorkspaceContext,
    /// Resolves links; caches folders.
    pub resolver: Resolver,
    /// Where git or refdesk keeps its state.
    pub reserved: ReservedFolders,
    /// Listings of folders, used instead of checking each file.
    listings: Option<FolderListings>,
    /// Whether the workspace has a file or folder of this name.
    tops: RwLock<HashMap<OsString, bool>>,
    /// Whether to skip checking what exists at a path.
    is_unchecked: bool,
}

impl<'a> PathChecker<'a> {
    pub(super) fn new(context: &'a WorkspaceContext) -> Self {
        let resolver = Resolver::default();
        Self {
            context,
            reserved: ReservedFolders::new(&context.workspace, &resolver),
            resolver,
            listings: None,
            tops: RwLock::default(),
            is_unchecked: false,
        }
    }

    /// Skips the sizes of files in folders with many files.
    pub(super) fn without_sizes(context: &'a WorkspaceContext) -> Self {
        Self { listings: Some(FolderListings::default()), ..Self::new(context) }
    }

    /// For callers that need only names: every path counts as a file, and none is checked.
    pub(super) fn unchecked(context: &'a WorkspaceContext) -> Self {
        Self { is_unchecked: true, ..Self::new(context) }
    }

    /// Resolves a path as written, for an entry defined in a file of `folder`; also returns a diagnostic about it.
    pub(super) fn place(&self, folder: &Path, written: &str) -> (LocalPath, Option<Diagnostic>) {
        let workspace = &self.context.workspace;
        let inspect = |path| self.inspect(written, path);
        let exists = |place: &LocalPath| place.state != PathState::Missing;
        let unreadable = |place: &LocalPath| {
            let (code, why) = match place.state {
                PathState::Reserved => (Code::ReservedPath, "belongs to git or to refdesk itself"),
                PathState::Special => (Code::NoRegularFile, "is a pipe, a device or another special file"),
                _ => return None,
            };
            let problem = Diagnostic::warning(code, format!("'{written}' {why}"));
            Some(problem.fix("use another path; this one is not read"))
        };
        let expanded = expand(self.context, written);

        let mut first = inspect(first_candidate(workspace, folder, &expanded, &self.resolver));
        if is_windows_absolute(&expanded) {
            first = LocalPath { state: PathState::Missing, size: None, ..first };
        }
        if exists(&first) {
            let problem = unreadable(&first);
            return (first, problem);
        }
        let others = later_candidates(workspace, &expanded, &self.resolver).filter(|path| self.may_exist(path));
        if let Some(other) = others.map(inspect).find(exists) {
            if let Some(problem) = unreadable(&other) {
                return (other, Some(problem));
            }
            let problem = if is_absolute_anywhere(&expanded) {
                let now = display(workspace, &other.path);
                Diagnostic::warning(Code::MovedPath, format!("'{written}' does not exist; '{now}' is used"))
                    .fix(Fix::RewritePaths)
            } else {
                let from = display(workspace, folder);
                let message =
                    format!("'{written}' does not exist in {from}; the path relative to the workspace is used");
                Diagnostic::warning(Code::WorkspacePath, message)
                    .fix("write the path relative to the file that contains it")
            };
            return (other, Some(problem));
        }
        if first.is_denied() {
            let message = format!("'{written}' cannot be read: permission denied");
            return (first, Some(Diagnostic::warning(Code::Unreadable, message).fix("allow this user to read it")));
        }
        let problem = Diagnostic::warning(Code::MissingPath, format!("'{written}' does not exist"));
        let fix = match () {
            () if written.starts_with("https://") || written.starts_with("http://") => {
                "for a web address write \"type\": \"url\" and \"url\" in place of \"path\"".into()
            }
            () if written.contains('\\') && !is_windows_absolute(&expanded) => "write / in place of \\".into(),
            () => Fix::FindMoved,
        };
        (first, Some(problem.fix(fix)))
    }

    /// Whether this path of the workspace may exist. A cheap check: most candidates for a missing file do not exist,
    /// and a hostile catalog produces millions of them.
    fn may_exist(&self, path: &Path) -> bool {
        let within = path.strip_prefix(&self.context.workspace).ok();
        let Some(Component::Normal(top)) = within.and_then(|within| within.components().next()) else { return true };
        let known = self.tops.read().ok().and_then(|tops| tops.get(top).copied());
        let has_top = known.unwrap_or_else(|| {
            let has_top = fs::symlink_metadata(self.context.workspace.join(top)).is_ok();
            if let Ok(mut tops) = self.tops.write() {
                tops.insert(top.to_owned(), has_top);
            }
            has_top
        });
        has_top && (self.is_listed(path) || fs::symlink_metadata(path).is_ok())
    }

    fn inspect(&self, written: &str, path: PathBuf) -> LocalPath {
        if self.is_unchecked || self.is_listed(&path) {
            let path: Arc<Path> = Arc::from(path);
            let state = PathState::File;
            return LocalPath { written: written.into(), resolved: path.clone(), path, state, size: None };
        }
        let (resolved, metadata) = self.resolver.resolve(&path);
        let path: Arc<Path> = Arc::from(path);
        let resolved = if resolved.as_os_str() == path.as_os_str() { path.clone() } else { Arc::from(resolved) };
        let (state, size) = match metadata {
            _ if self.reserved.holds(&path, &resolved) => (PathState::Reserved, None),
            None => (PathState::Missing, None),
            Some(metadata) if is_of_process(&path) || is_special(&resolved, &metadata) => (PathState::Special, None),
            Some(metadata) if metadata.is_dir() => (PathState::Directory, None),
            Some(metadata) => (PathState::File, Some(metadata.len())),
        };
        LocalPath { written: written.into(), path, resolved, state, size }
    }

    /// Whether a listing shows a file at this path, and the path has no links and is not reserved. Folders outside the
    /// workspace are not listed.
    fn is_listed(&self, path: &Path) -> bool {
        let may_list = |folder: &Path| {
            let is_open = |within: &Path| !reserved::may_be_reserved(&Path::new("/").join(within));
            folder.strip_prefix(&self.context.workspace).is_ok_and(is_open)
                && self.resolver.elsewhere(folder).is_none()
                && !self.reserved.are_below(folder)
        };
        self.listings.as_ref().is_some_and(|listings| listings.shows_file(path, may_list))
    }
}

/// The folders of a workspace where git and refdesk keep their state.
#[derive(Debug)]
pub struct ReservedFolders {
    workspace: PathBuf,
    /// The workspace with links resolved.
    real: PathBuf,
    /// The targets of links in the workspace that have moved these folders.
    moved: Vec<PathBuf>,
}

impl ReservedFolders {
    /// Finds the reserved folders of this workspace.
    pub fn new(workspace: &Path, resolver: &Resolver) -> Self {
        let real = resolver.folder(workspace);
        let moved = [".git", reserved::STATE_FOLDER]
            .into_iter()
            .filter_map(|name| resolver.elsewhere(&workspace.join(name)).filter(|folder| *folder != real.join(name)));
        Self { moved: moved.collect(), workspace: workspace.to_path_buf(), real }
    }

    /// Whether a link has moved one of them below this folder, where files need not be hidden to be reserved.
    fn are_below(&self, folder: &Path) -> bool {
        self.moved.iter().any(|moved| moved.starts_with(folder))
    }

    /// Whether a path is one of these folders or below one: as written, with links resolved, or where a link has moved
    /// it. Folders above the workspace do not count.
    pub fn holds(&self, path: &Path, resolved: &Path) -> bool {
        let within = |root: &Path, path: &Path| {
            reserved::may_be_reserved(path) && reserved::is_reserved(path.strip_prefix(root).unwrap_or(path))
        };
        within(&self.workspace, path)
            || within(&self.real, resolved)
            || self.moved.iter().any(|folder| resolved.starts_with(folder))
    }
}

/// The other locations where a file, once created, would become this source's: every candidate for its written path, or
/// none if the first one exists already. `resolver` caches folders.
pub fn other_candidates(context: &WorkspaceContext, source: &Source, resolver: &Resolver) -> Vec<PathBuf> {
    let Some(place) = source.place() else { return Vec::new() };
    let folder = source.origin.file.parent().unwrap_or(&context.workspace);
    let expanded = expand(context, &place.written);
    let first = first_candidate(&context.workspace, folder, &expanded, resolver);
    if *first == *place.path && !matches!(place.state, PathState::Missing | PathState::Untrusted) {
        return Vec::new();
    }
    std::iter::once(first).chain(later_candidates(&context.workspace, &expanded, resolver)).collect()
}

/// The first candidate for a written path.
fn first_candidate(workspace: &Path, folder: &Path, expanded: &str, resolver: &Resolver) -> PathBuf {
    if is_windows_absolute(expanded) {
        return PathBuf::from(expanded);
    }
    let path = if is_absolute_anywhere(expanded) {
        PathBuf::from(expanded)
    } else if expanded.starts_with(".jaato/") || expanded.starts_with("./.jaato/") {
        workspace.join(expanded)
    } else {
        // `./` is common at the beginning and adds nothing.
        let below = expanded.strip_prefix("./").filter(|rest| !rest.starts_with('/')).unwrap_or(expanded);
        joined(folder, below)
    };
    resolver.cleaned(workspace, path)
}

/// [`Path::join`] with a single allocation of the right size.
fn joined(folder: &Path, below: &str) -> PathBuf {
    let mut path = PathBuf::with_capacity(folder.as_os_str().len() + 1 + below.len());
    path.push(folder);
    path.push(below);
    path
}

/// The candidates to try if the first does not exist, in order.
fn later_candidates(workspace: &Path, expanded: &str, resolver: &Resolver) -> impl Iterator<Item = PathBuf> {
    let absolute = is_absolute_anywhere(expanded);
    let suffixes = absolute.then(|| suffixes(expanded)).into_iter().flatten();
    let below = (!absolute).then(|| PathBuf::from(expanded));
    suffixes.chain(below).map(|path| resolver.cleaned(workspace, workspace.join(path)))
}

/// The most components of a suffix that is tried; each suffix costs a system call.
const SUFFIX: usize = 64;

/// The suffixes of an absolute path, longest first, down to two components.
fn suffixes(path: &str) -> impl Iterator<Item = PathBuf> {
    let windows = is_windows_absolute(path);
    let is_separator = move |c: char| c == '/' || (windows && c == '\\');
    let is_drive = |part: &str| part.len() == 2 && part.ends_with(':');
    let mut parts: Vec<String> = Vec::new();
    for part in path.split(is_separator).filter(|part| !part.is_empty() && *part != "." && !is_drive(part)) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part.to_owned());
        }
    }
    let last = parts.len().saturating_sub(1);
    (parts.len().saturating_sub(SUFFIX)..last).map(move |from| parts.iter().skip(from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    struct Case {
        _root: tempfile::TempDir,
        context: WorkspaceContext,
    }

    fn workspace(files: &[&str]) -> Case {
        let root = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(root.path()).unwrap();
        for file in files {
            write_atomic(&base.join(file), b"x").unwrap();
        }
        let context = WorkspaceContext {
            workspace: base.join("ws"),
            current: base.clone(),
            home: Some(base.join("home")),
            ..WorkspaceContext::default()
        };
        Case { _root: root, context }
    }

    /// A folder with many files is listed instead, with the same result for each path.
    #[test]
    fn listing_a_folder_and_checking_each_file_agree() {
        use std::os::unix::fs::symlink;

        let many: Vec<String> = (0..40).map(|at| format!("ws/docs/{at}.md")).collect();
        let mut files = vec!["ws/state/index.md", "ws/.jaato/x.md", "ws/.jaato/refdesk", "ws/.hidden/x.md", "out/x.md"];
        files.extend(many.iter().map(String::as_str));
        let case = workspace(&files);
        let workspace = &case.context.workspace;
        symlink(workspace.join("docs/1.md"), workspace.join("docs/link.md")).unwrap();
        symlink("../out", workspace.join("linked")).unwrap();
        symlink("state", workspace.join(".git")).unwrap();
        let (looked, listed) = (PathChecker::new(&case.context), PathChecker::without_sizes(&case.context));
        let others = ["state/index.md", ".jaato/x.md", ".jaato/refdesk", ".hidden/x.md", "linked/x.md", "docs/link.md"];
        let names = many.iter().filter_map(|file| file.strip_prefix("ws/")).chain(others);
        let names: Vec<&str> = names.chain(["docs/none.md", "docs", "state", ".git/index.md", "none/x.md"]).collect();
        for round in 0..20 {
            for name in &names {
                let (place, problem) = looked.place(workspace, name);
                let (other, its_problem) = listed.place(workspace, name);
                assert_eq!(other, LocalPath { size: other.size, ..place }, "{name}, round {round}");
                assert_eq!(its_problem, problem, "{name}, round {round}");
            }
        }
        assert_eq!(listed.place(workspace, "docs/1.md").0.size, None, "it was listed");
        assert_eq!(listed.place(workspace, ".jaato/refdesk").0.state, PathState::Reserved);
        assert_eq!(listed.place(workspace, "state/index.md").0.state, PathState::Reserved);
    }

    #[test]
    fn every_rule_for_paths() {
        let case = workspace(&[
            "ws/docs/a.md",
            "ws/conf/docs/b.md",
            "ws/.jaato/kb/k.md",
            "ws/conf/.jaato/kb/k.md",
            "ws/top.md",
            "home/h.md",
            "out.md",
            "ws/knowledge/ADRs/one/ADR.md",
            "ws/two/last.md",
            "ws/last.md",
        ]);
        let context = &case.context;
        std::os::unix::fs::symlink("knowledge/ADRs", context.workspace.join("current")).unwrap();
        let folder = context.workspace.join("conf");
        let absolute = context.workspace.join("docs/a.md").to_string_lossy().into_owned();
        for (written, expected, code) in [
            ("docs/b.md", "conf/docs/b.md", ""),
            ("./docs/../docs/b.md", "conf/docs/b.md", ""),
            ("../top.md", "top.md", ""),
            ("../current/one/ADR.md", "current/one/ADR.md", ""),
            ("../current/../ADRs/one", "knowledge/ADRs/one", ""),
            ("current/../ADRs/one", "knowledge/ADRs/one", "workspace-path"),
            ("../current/../top.md", "knowledge/top.md", "missing-path"),
            (".jaato/kb/k.md", ".jaato/kb/k.md", ""),
            ("./.jaato/kb/k.md", ".jaato/kb/k.md", ""),
            ("docs/a.md", "docs/a.md", "workspace-path"),
            ("docs/none.md", "conf/docs/none.md", "missing-path"),
            (".jaato/none.md", ".jaato/none.md", "missing-path"),
            ("${workspaceRoot}/top.md", "top.md", ""),
            ("${projectPath}/docs", "docs", ""),
            (&absolute, "docs/a.md", ""),
            ("/home/them/knowledge/ADRs/one", "knowledge/ADRs/one", "moved-path"),
            ("C:\\Users\\them\\knowledge\\ADRs\\one\\ADR.md", "knowledge/ADRs/one/ADR.md", "moved-path"),
            ("/x/knowledge/../two/last.md", "two/last.md", "moved-path"),
            ("/x/two/last.md", "two/last.md", "moved-path"),
        ] {
            let (place, problem) = PathChecker::new(context).place(&folder, written);
            assert_eq!(display(&context.workspace, &place.path), expected, "{written}");
            assert_eq!(problem.map_or("", |problem| problem.code.as_str()), code, "{written}");
        }
        let missing = PathChecker::new(context).place(&folder, "/nowhere/last.md").0;
        assert_eq!(missing.state, PathState::Missing, "one component is not enough");
        let home = PathChecker::new(context).place(&folder, "~/h.md").0;
        assert_eq!((home.state, home.path), (PathState::File, context.home.clone().unwrap().join("h.md").into()));
        let home = PathChecker::new(context).place(&folder, "${HOME}/h.md").0;
        assert_eq!(home.state, PathState::File);
    }

    #[test]
    fn special_files_are_not_read() {
        let case = workspace(&["ws/a.md"]);
        let workspace = &case.context.workspace;
        write_atomic(&workspace.join("empty.md"), b"").unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(workspace.join("socket")).unwrap();
        std::os::unix::fs::symlink("socket", workspace.join("link.md")).unwrap();
        // These depend on the reading process, so they are refused whether or not they exist.
        let here = ["/proc/self/cwd", "/proc/self/cwd/Cargo.toml", "/proc/../proc/thread-self/cwd/Cargo.toml"];
        let procfs = ["/proc/self/status", "/proc/self"].into_iter().chain(here);
        let procfs = procfs.map(|path| (path, cfg!(target_os = "linux")));
        for (written, is_special) in
            [("a.md", false), ("empty.md", false), ("socket", true), ("link.md", true), ("/dev/zero", true)]
                .into_iter()
                .chain(procfs)
        {
            for places in [PathChecker::new(&case.context), PathChecker::without_sizes(&case.context)] {
                let (place, problem) = places.place(workspace, written);
                assert_eq!(place.state == PathState::Special, is_special, "{written}");
                assert_eq!(problem.map(|problem| problem.code), is_special.then_some(Code::NoRegularFile), "{written}");
            }
        }
    }

    #[test]
    fn suffixes_go_from_whole_to_two_components() {
        let all: Vec<PathBuf> = suffixes("/a/b/c/d").collect();
        assert_eq!(all, ["a/b/c/d", "b/c/d", "c/d"].map(PathBuf::from));
        assert_eq!(suffixes("/a").count(), 0);
        assert_eq!(suffixes("\\\\srv\\share\\x").collect::<Vec<_>>(), ["srv/share/x", "share/x"].map(PathBuf::from));
    }
}
