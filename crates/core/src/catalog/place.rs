//! Resolves a local source's path (BEHAVIOUR §2 "Paths" and "Moved catalogs").

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::{LocalPath, PathState, Source};
use crate::config::{Surroundings, expand};
use refdesk_files::path::{Resolver, clean, display, is_absolute_anywhere, is_windows_absolute};
use refdesk_files::reserved;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Fix};

/// The location of a written path, for an entry defined in a file of `folder`, and the diagnostics about it.
pub fn place(
    around: &Surroundings,
    resolver: &Resolver,
    folder: &Path,
    written: &str,
) -> (LocalPath, Option<Diagnostic>) {
    let workspace = &around.workspace;
    let look = |path: PathBuf| -> LocalPath {
        let (resolved, metadata) = resolver.resolve(&path);
        let path: Arc<Path> = Arc::from(path);
        let resolved = if resolved.as_os_str() == path.as_os_str() { path.clone() } else { Arc::from(resolved) };
        let (standing, size) = match metadata {
            _ if is_reserved(workspace, resolver, &path, &resolved) => (PathState::Reserved, 0),
            None => (PathState::Missing, 0),
            Some(metadata) if metadata.is_dir() => (PathState::Directory, 0),
            Some(metadata) => (PathState::File, metadata.len()),
        };
        LocalPath { written: written.to_owned(), path, resolved, standing, size }
    };
    let exists = |place: &LocalPath| place.standing != PathState::Missing;
    let reserved = |place: &LocalPath| {
        let problem =
            Diagnostic::warning(Code::ReservedPath, format!("'{written}' belongs to git or to refdesk itself"));
        let problem = problem.fix("use another path; this one is not read");
        (place.standing == PathState::Reserved).then_some(problem)
    };
    let expanded = expand(around, written);

    let mut first = look(first_candidate(workspace, folder, &expanded));
    if is_windows_absolute(&expanded) && cfg!(not(windows)) {
        first = LocalPath { standing: PathState::Missing, size: 0, ..first };
    }
    if exists(&first) {
        let problem = reserved(&first);
        return (first, problem);
    }
    if let Some(other) = later_candidates(workspace, &expanded).map(look).find(exists) {
        if let Some(problem) = reserved(&other) {
            return (other, Some(problem));
        }
        let problem = if is_absolute_anywhere(&expanded) {
            let now = display(workspace, &other.path);
            Diagnostic::warning(Code::MovedPath, format!("'{written}' does not exist; '{now}' is used"))
                .fix(Fix::RewritePaths)
        } else {
            let from = display(workspace, folder);
            let message = format!("'{written}' does not exist in {from}; the path relative to the workspace is used");
            Diagnostic::warning(Code::WorkspacePath, message).fix("write the path relative to the file that holds it")
        };
        return (other, Some(problem));
    }
    let problem = Diagnostic::warning(Code::MissingPath, format!("'{written}' does not exist"));
    (first, Some(problem.fix("fix the path, or remove the source; it cannot be picked")))
}

/// Whether a path is, or is in, a folder where git or refdesk keeps its state: as written, with links resolved, or
/// where a link of the workspace has moved such a folder. Folders above the workspace do not count.
pub fn is_reserved(workspace: &Path, resolver: &Resolver, path: &Path, resolved: &Path) -> bool {
    let real = || resolver.folder(workspace);
    // Both folders are hidden; there may be tens of thousands of paths, few of them below a hidden folder.
    let is_below_hidden = |path: &Path| path.as_os_str().as_encoded_bytes().windows(2).any(|pair| pair == b"/.");
    let within = |root: &Path, path: &Path| {
        (cfg!(not(unix)) || is_below_hidden(path)) && reserved::is_reserved(path.strip_prefix(root).unwrap_or(path))
    };
    let moved = |name: &str| {
        let folder = resolver.elsewhere(&workspace.join(name));
        folder.is_some_and(|folder| folder != real().join(name) && resolved.starts_with(folder))
    };
    within(workspace, path) || within(&real(), resolved) || moved(".git") || moved(".jaato/refdesk")
}

/// The other locations where this source would be found if a file appeared there: every candidate for its written path,
/// unless the first one exists already.
pub fn other_candidates(around: &Surroundings, source: &Source) -> Vec<PathBuf> {
    let Some(place) = source.place() else { return Vec::new() };
    let folder = source.origin.file.parent().unwrap_or(&around.workspace);
    let expanded = expand(around, &place.written);
    let first = first_candidate(&around.workspace, folder, &expanded);
    if *first == *place.path && !matches!(place.standing, PathState::Missing | PathState::Untrusted) {
        return Vec::new();
    }
    std::iter::once(first).chain(later_candidates(&around.workspace, &expanded)).collect()
}

/// The first candidate for a written path.
fn first_candidate(workspace: &Path, folder: &Path, expanded: &str) -> PathBuf {
    if is_windows_absolute(expanded) && cfg!(not(windows)) {
        PathBuf::from(expanded)
    } else if is_absolute_anywhere(expanded) {
        clean(Path::new(expanded))
    } else if expanded.starts_with(".jaato/") || expanded.starts_with("./.jaato/") {
        clean(&workspace.join(expanded))
    } else {
        clean(&folder.join(expanded))
    }
}

/// The candidates to try if the first does not exist, in order.
fn later_candidates(workspace: &Path, expanded: &str) -> impl Iterator<Item = PathBuf> {
    let absolute = is_absolute_anywhere(expanded);
    let suffixes = absolute.then(|| suffixes(expanded)).into_iter().flatten();
    let below = (!absolute).then(|| PathBuf::from(expanded));
    suffixes.chain(below).map(|path| clean(&workspace.join(path)))
}

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
    (0..last).map(move |from| parts.iter().skip(from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    struct Case {
        _root: tempfile::TempDir,
        around: Surroundings,
    }

    fn workspace(files: &[&str]) -> Case {
        let root = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(root.path()).unwrap();
        for file in files {
            write_atomic(&base.join(file), b"x").unwrap();
        }
        let around = Surroundings {
            workspace: base.join("ws"),
            current: base.clone(),
            home: Some(base.join("home")),
            ..Surroundings::default()
        };
        Case { _root: root, around }
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
        let around = &case.around;
        let folder = around.workspace.join("conf");
        let absolute = around.workspace.join("docs/a.md").to_string_lossy().into_owned();
        for (written, expected, code) in [
            ("docs/b.md", "conf/docs/b.md", ""),
            ("./docs/../docs/b.md", "conf/docs/b.md", ""),
            ("../top.md", "top.md", ""),
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
            let (place, problem) = place(around, &Resolver::default(), &folder, written);
            assert_eq!(display(&around.workspace, &place.path), expected, "{written}");
            assert_eq!(problem.map_or("", |problem| problem.code.as_str()), code, "{written}");
        }
        let missing = place(around, &Resolver::default(), &folder, "/nowhere/last.md").0;
        assert_eq!(missing.standing, PathState::Missing, "one component is not enough");
        let home = place(around, &Resolver::default(), &folder, "~/h.md").0;
        assert_eq!((home.standing, home.path), (PathState::File, around.home.clone().unwrap().join("h.md").into()));
        let home = place(around, &Resolver::default(), &folder, "${HOME}/h.md").0;
        assert_eq!(home.standing, PathState::File);
    }

    #[test]
    fn suffixes_go_from_whole_to_two_components() {
        let all: Vec<PathBuf> = suffixes("/a/b/c/d").collect();
        assert_eq!(all, ["a/b/c/d", "b/c/d", "c/d"].map(PathBuf::from));
        assert_eq!(suffixes("/a").count(), 0);
        assert_eq!(suffixes("\\\\srv\\share\\x").collect::<Vec<_>>(), ["srv/share/x", "share/x"].map(PathBuf::from));
    }
}
