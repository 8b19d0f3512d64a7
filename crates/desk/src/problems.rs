//! All problems of a workspace: what `check` prints, and what a screen counts.

use std::cell::LazyCell;

use super::Desk;
use crate::requested_names::unknown_id_fix;
use refdesk_core::config::{ITEMS, JsonDocument};
use refdesk_text::report::listed::ListedProblems;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::report::{Diagnostic, add_new};
use refdesk_text::{Code, Fix};
use serde_json::Value;

/// The most unknown ids for which a similar id is suggested: each is compared with every source.
pub(crate) const SUGGESTED: usize = 20;

/// Problems found separately from reading the catalog and its documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProblemParts<'a> {
    /// Those of the selection's templates.
    pub templates: &'a [Diagnostic],
    /// Those of the workspace's profiles: [`Desk::profile_problems`].
    pub profiles: &'a [Diagnostic],
    /// Those of what is not trusted yet: [`Desk::waiting`].
    pub trust: &'a [Diagnostic],
    /// Sources that only a pick brings up: [`Desk::unfindable_sources`].
    pub unfindable_sources: &'a [Diagnostic],
    /// Those of the pages of databases: [`Desk::page_problems`].
    pub pages: &'a [Diagnostic],
}

impl Desk {
    /// All problems of this workspace, including `parts`, errors first. All documents must have been read.
    pub fn problems(&self, parts: ProblemParts<'_>) -> Vec<Diagnostic> {
        let mut found = self.diagnostics();
        // Everything else that is missing is a consequence.
        if let Some(gone) = found.iter().find(|problem| problem.code == Code::NoWorkspace) {
            return vec![gone.clone()];
        }
        if self.is_narrowed() {
            // The target may be a source that the profile leaves out.
            found.retain(|problem| problem.code != Code::UnlistedLink);
        }
        add_new(&mut found, self.databases().1);
        found.extend(self.unknown_preselected());
        found.extend(self.config.document.iter().flat_map(|document| self.unknown_tools(document, &[])));
        found.extend(self.refused_folder());
        add_new(&mut found, parts.templates);
        add_new(&mut found, parts.profiles);
        found.extend([parts.trust, parts.unfindable_sources, parts.pages].concat());
        found.sort_by_key(|problem| !problem.is_error());
        found
    }

    /// The ids in the configuration's `preselected` that no source has, each at its line. A profile has its own list,
    /// and files that cannot be read may define them.
    fn unknown_preselected(&self) -> Vec<Diagnostic> {
        const KEY: &str = "preselected";
        let Some(document) = self.config.document.as_ref() else { return Vec::new() };
        if self.profile.is_some() || self.hiding_problem().is_some() {
            return Vec::new();
        }
        let mut unknown = 0;
        unknown_items(document, &[KEY], |id| {
            if self.catalog.get(id).is_some() {
                return None;
            }
            unknown += 1;
            let fix = if unknown <= SUGGESTED { unknown_id_fix(&self.catalog, id) } else { Fix::ListSources };
            let message = format!("'{KEY}' names '{id}', but no source has that id");
            Some(Diagnostic::warning(Code::UnknownId, message).about(id).fix(fix))
        })
    }

    /// The names in `exclude_tools` that no tool has, each at its line; `path` leads to the settings of references.
    pub(crate) fn unknown_tools(&self, document: &JsonDocument, path: &[&str]) -> Vec<Diagnostic> {
        const KEY: &str = "exclude_tools";
        unknown_items(document, &[path, &[KEY]].concat(), |name| {
            let message = || format!("'{KEY}' names '{name}', but no tool has that name");
            (self.options.tool_fix)(name).map(|fix| Diagnostic::warning(Code::UnknownValue, message()).fix(fix))
        })
    }
}

/// The problems of the texts in the list at this path, each at its line. Items beyond the limit are not used.
fn unknown_items(
    document: &JsonDocument,
    path: &[&str],
    mut problem: impl FnMut(&str) -> Option<Diagnostic>,
) -> Vec<Diagnostic> {
    let listed = path.iter().try_fold(&document.value, |value, key| value.get(key)).and_then(Value::as_array);
    let listed = listed.into_iter().flatten().take(ITEMS).enumerate();
    let problems = listed.filter_map(|(at, item)| Some((at, problem(item.as_str()?)?)));
    // In one pass, since a repository may list a hundred thousand.
    let positions =
        LazyCell::new(|| document.item_positions(&path.iter().copied().map(PointerStep::Key).collect::<Vec<_>>()));
    let mut found = ListedProblems::default();
    found.extend(problems.map(|(at, problem)| {
        let problem = problem.in_file(&document.shown);
        match positions.get(at) {
            Some(position) => problem.at(*position),
            None => problem,
        }
    }));
    found.into_vec()
}
