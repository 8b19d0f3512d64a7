//! Finds standalone templates: files that end in `.tpl` or `.tmpl` in the directories of selected local sources and in the
//! workspace's `.templates/` (BEHAVIOUR §6). Does not read them.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::limits::TEMPLATE_BYTES;
use refdesk_core::catalog::{Catalog, PathState, Source, SourceId};
use refdesk_core::selection::Selection;
use refdesk_files::path::{display, lossy};
use refdesk_files::walk::{Problem, WalkBudget, WalkLimits, files_below, unreadable};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The most templates taken from one directory.
const LIMITS: WalkLimits = WalkLimits { files: 20_000, bytes: u64::MAX };

/// The most bytes of templates analysed from all directories together.
const ALL_ANALYSED: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiscoveredFile {
    /// The absolute path; symbolic links are not resolved.
    pub path: Arc<Path>,
    /// The innermost selected directory source that contains it; `None` for `.templates/`.
    pub source: Option<SourceId>,
    /// The path within that directory, with forward slashes.
    pub within: String,
    /// That directory with links resolved.
    pub resolved: Arc<Path>,
    /// The directory's name.
    pub root: String,
    /// Whether it was extracted from a tool result.
    pub is_taken: bool,
}

struct TemplateRoot {
    source: Option<SourceId>,
    path: Arc<Path>,
    resolved: Arc<Path>,
}

/// Finds every standalone template, each once, sorted by path.
pub(crate) fn discover(
    workspace: &Path,
    catalog: &Catalog,
    selection: &Selection,
    budget: &WalkBudget,
) -> (Vec<DiscoveredFile>, Vec<Diagnostic>) {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let (roots, mut diagnostics) = roots(workspace, catalog, selection);
    let mut analysed = 0;
    for root in roots {
        let (files, mut problems) = files_below(&root.path, &root.resolved, LIMITS, budget, is_template);
        let name = root.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for file in files {
            let Ok(within) = file.path.strip_prefix(&root.path) else { continue };
            if !seen.insert(root.resolved.join(within)) {
                continue;
            }
            // A file over the limit for a single template is not read.
            analysed += if file.size > TEMPLATE_BYTES as u64 { 0 } else { file.size };
            if analysed > ALL_ANALYSED {
                problems.push(Problem::TooManyBytes);
                break;
            }
            let within = lossy(within);
            let (source, root, resolved) = (root.source.clone(), name.clone(), root.resolved.clone());
            found.push(DiscoveredFile { within, source, root, resolved, path: file.path.into(), is_taken: false });
        }
        diagnostics.extend(
            problems
                .into_iter()
                .map(|problem| of_source(diagnostic_of(workspace, &root.path, problem), root.source.as_ref())),
        );
    }
    found.sort_by(|left: &DiscoveredFile, right| left.path.cmp(&right.path));
    (found, diagnostics)
}

/// The directories to search, innermost first. A file belongs to the innermost source that contains it.
fn roots(workspace: &Path, catalog: &Catalog, selection: &Selection) -> (Vec<TemplateRoot>, Vec<Diagnostic>) {
    let (mut roots, mut diagnostics) = (Vec::new(), Vec::new());
    for source in catalog.sources().iter().filter(|source| selection.contains(source.id.as_str())) {
        if let Some(place) = source.place().filter(|place| place.state == PathState::Directory) {
            let (path, resolved) = (place.path.clone(), place.resolved.clone());
            roots.push(TemplateRoot { source: Some(source.id.clone()), path, resolved });
        }
    }
    let own = workspace.join(".templates");
    match fs::canonicalize(&own) {
        Ok(resolved) if !resolved.is_dir() => {}
        // This folder is not trusted, so it must be in the workspace.
        Ok(resolved) if !lies_in(workspace, &resolved) => {
            let message = "'.templates' is a link out of the workspace, so it is not searched for templates";
            let problem = Diagnostic::warning(Code::LinkedOut, message).in_file(display(workspace, &own));
            diagnostics.push(problem.fix("move the templates into the workspace, or add their folder as a source"));
        }
        Ok(resolved) => roots.push(TemplateRoot { source: None, path: own.into(), resolved: resolved.into() }),
        Err(_) => {}
    }
    roots.sort_by_key(|root| Reverse(root.resolved.components().count()));
    (roots, diagnostics)
}

fn lies_in(workspace: &Path, resolved: &Path) -> bool {
    fs::canonicalize(workspace).is_ok_and(|workspace| resolved.starts_with(workspace))
}

/// Whether a file is in the workspace with links resolved.
pub(crate) fn stays_in(workspace: &Path, file: &Path) -> bool {
    fs::canonicalize(file).is_ok_and(|resolved| lies_in(workspace, &resolved))
}

/// Whether a source contains any template, as far as its directory can be read.
pub(crate) fn holds_some(source: &Source, budget: &WalkBudget) -> bool {
    let directory = source.place().filter(|place| place.state == PathState::Directory);
    directory.is_some_and(|place| !files_below(&place.path, &place.resolved, LIMITS, budget, is_template).0.is_empty())
}

fn is_template(name: &OsStr) -> bool {
    let Some((_, ending)) = name.to_str().and_then(|name| name.rsplit_once('.')) else { return false };
    ending.eq_ignore_ascii_case("tpl") || ending.eq_ignore_ascii_case("tmpl")
}

/// The diagnostic with the source that it is about, if any.
pub(crate) fn of_source(diagnostic: Diagnostic, source: Option<&SourceId>) -> Diagnostic {
    match source {
        Some(source) => diagnostic.about(source.as_str()),
        None => diagnostic,
    }
}

fn diagnostic_of(workspace: &Path, root: &Path, problem: Problem) -> Diagnostic {
    let (code, path, what) = match problem {
        Problem::Unreadable(path, error) => (Code::TemplateUnreadable, path, unreadable(&error)),
        Problem::Stopped(stop) => {
            let problem = Diagnostic::warning(Code::TemplateLimit, stop.message());
            return problem.in_file(display(workspace, root)).fix(stop.fix());
        }
        Problem::TooManyFiles => {
            let what = format!("the folder holds more than {} templates, so the rest are left out", LIMITS.files);
            (Code::TemplateLimit, root.to_path_buf(), what)
        }
        Problem::TooManyBytes => {
            let mebibytes = ALL_ANALYSED / (1024 * 1024);
            let what = format!(
                "the folder exceeds the limit of {mebibytes} MiB for all templates together, so the rest are left out"
            );
            (Code::TemplateLimit, root.to_path_buf(), what)
        }
    };
    Diagnostic::error(code, what).in_file(display(workspace, &path))
}
