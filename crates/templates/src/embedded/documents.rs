//! Selects the texts to search for templates: the markdown of selected local and inline sources, unless the source
//! declares where its templates are (BEHAVIOUR §6). Each file is searched once, for the innermost source that contains
//! it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use refdesk_core::catalog::{Catalog, LocalPath, PathState, Source, SourceId, SourceKind};
use refdesk_core::mention::LIMITS;
use refdesk_core::selection::Selection;
use refdesk_files::path::display;
use refdesk_files::walk::{Problem, WalkBudget, WalkLimits, files_below, unreadable};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScannedDocument {
    /// The absolute path; for inline content, of the file that defines it.
    pub path: Arc<Path>,
    /// The source's file or folder with links resolved, and the path below it. `None` for a file named on the command line
    /// and for inline content.
    pub root: Option<(Arc<Path>, PathBuf)>,
    /// Its source; `None` for a file named on the command line.
    pub source: Option<SourceId>,
    /// The text, if it is in the catalog.
    pub content: Option<Arc<str>>,
}

/// Every document of the selection, in catalog order; within a source in path order.
pub(crate) fn documents(
    workspace: &Path,
    catalog: &Catalog,
    selection: &Selection,
    budget: &WalkBudget,
) -> (Vec<ScannedDocument>, Vec<Diagnostic>) {
    let selected = catalog.sources().iter().filter(|source| selection.contains(source.id.as_str()));
    let selected: Vec<&Source> = selected.collect();
    let mut holders = SourceOwners::new(&selected);
    let (mut documents, mut diagnostics) = (Vec::new(), Vec::new());
    for (at, source) in selected.iter().enumerate().filter(|(_, source)| !declares_templates(source)) {
        let mut add = |path: Arc<Path>, root, content| {
            documents.push(ScannedDocument { path, root, source: Some(source.id.clone()), content });
        };
        match &source.kind {
            SourceKind::Inline { content } => add(source.origin.file.clone(), None, Some(content.clone())),
            SourceKind::Local(place) => {
                let (files, problems) = files(place, budget);
                let problems =
                    problems.iter().map(|problem| diagnostic_of(workspace, place, problem).about(source.id.as_str()));
                diagnostics.extend(problems);
                for (path, real) in files {
                    if holders.holder(&real) == Some(at) {
                        add(path, Some((place.resolved.clone(), real)), None);
                    }
                }
            }
            SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Withheld(_) => {}
        }
    }
    (documents, diagnostics)
}

/// Whether this file name is markdown.
pub fn is_markdown(name: &OsStr) -> bool {
    let ending = Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default();
    ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown")
}

pub(crate) fn declares_templates(source: &Source) -> bool {
    source.contents.as_ref().is_some_and(|contents| contents.templates.is_some())
}

/// The markdown files of a source, each with its path as found and its resolved path.
pub(crate) fn files(place: &LocalPath, budget: &WalkBudget) -> (Vec<(Arc<Path>, PathBuf)>, Vec<Problem>) {
    match place.state {
        PathState::File if is_markdown(place.path.as_os_str()) => {
            (vec![(place.path.clone(), place.resolved.to_path_buf())], Vec::new())
        }
        PathState::Directory => {
            let (found, problems) = files_below(&place.path, &place.resolved, LIMITS, budget, is_markdown);
            let both = |path: PathBuf| (Arc::from(path.as_path()), place.real(&path));
            (found.into_iter().map(|file| both(file.path)).collect(), problems)
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// Finds the selected source of a file: the innermost one; of several equal ones, the first that does not declare
/// templates.
struct SourceOwners<'a> {
    by_root: HashMap<&'a Path, usize>,
    /// Cached by folder, because folders may be nested thousands deep.
    by_folder: HashMap<PathBuf, Option<usize>>,
}

impl<'a> SourceOwners<'a> {
    fn new(selected: &[&'a Source]) -> Self {
        let mut by_root: HashMap<&Path, usize> = HashMap::new();
        for (at, source) in selected.iter().enumerate() {
            let Some(place) = source.place() else { continue };
            let first = by_root.entry(&place.resolved).or_insert(at);
            if selected.get(*first).is_some_and(|first| declares_templates(first)) {
                *first = at;
            }
        }
        Self { by_root, by_folder: HashMap::new() }
    }

    fn holder(&mut self, file: &Path) -> Option<usize> {
        let own = self.by_root.get(file).copied();
        own.or_else(|| self.of_folder(file.parent()?))
    }

    fn of_folder(&mut self, folder: &Path) -> Option<usize> {
        let unknown: Vec<&Path> = folder.ancestors().take_while(|path| !self.by_folder.contains_key(*path)).collect();
        let known = unknown.last().map_or(Some(folder), |outermost| outermost.parent());
        let mut holder = known.and_then(|known| self.by_folder.get(known).copied().flatten());
        for path in unknown.into_iter().rev() {
            holder = self.by_root.get(path).copied().or(holder);
            self.by_folder.insert(path.to_path_buf(), holder);
        }
        holder
    }
}

fn diagnostic_of(workspace: &Path, place: &LocalPath, problem: &Problem) -> Diagnostic {
    let WalkLimits { files, bytes } = LIMITS;
    let limit = |what: String| {
        let message = format!("{what} of the source are searched for templates");
        Diagnostic::warning(Code::TemplateLimit, message)
            .in_file(display(workspace, &place.path))
            .fix("split the source into smaller ones")
    };
    match problem {
        Problem::Unreadable(path, error) => Diagnostic::warning(Code::Unreadable, unreadable(error))
            .in_file(display(workspace, path))
            .fix("make it readable, or remove it from the source"),
        Problem::Stopped(stop) => Diagnostic::warning(Code::TemplateLimit, stop.message())
            .in_file(display(workspace, &place.path))
            .fix(stop.fix()),
        Problem::TooManyFiles => limit(format!("only the first {files} markdown files")),
        Problem::TooManyBytes => limit(format!("only the first {} MiB", bytes / (1024 * 1024))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_innermost_source() {
        let roots = ["/w/docs", "/w/docs/a/b", "/w/docs/a/c.md"];
        let mut owners = SourceOwners { by_root: HashMap::new(), by_folder: HashMap::new() };
        owners.by_root.extend(roots.iter().enumerate().map(|(at, root)| (Path::new(*root), at)));
        // The second round uses the cached folders.
        for _ in 0..2 {
            for (file, expected) in [
                ("/w/docs/a/b/d/e.md", Some(1)),
                ("/w/docs/a/b/x.md", Some(1)),
                ("/w/docs/a/c.md", Some(2)),
                ("/w/docs/a/other.md", Some(0)),
                ("/w/docs/x.md", Some(0)),
                ("/w/x.md", None),
                ("/", None),
            ] {
                assert_eq!(owners.holder(Path::new(file)), expected, "{file}");
            }
        }
    }
}
