//! A preview of a documentation run for a person to review: counts, names, and diffs of existing pages.

use std::collections::HashMap;

use refdesk_database::documenter::PageAction;
use refdesk_files::output::Diff;
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

use super::documentation::Documentation;
use super::page_comparison::DocumentedPage;
use super::page_queries::database_failures;
use crate::Desk;

/// The most pages whose diff is shown.
const DIFFERENCES: usize = 100;
const LINES: usize = 4_000;

/// What a run would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentationPreview {
    /// The pages folder, relative to the workspace.
    pub docs_path: String,
    /// Each domain of the plan with its tables.
    pub domains: Vec<PreviewedDomain>,
    /// The ids of the sources, with their descriptions.
    pub sources: Vec<(String, String)>,
    /// The number of sources whose catalog entries would be written.
    pub sources_to_write: usize,
    /// Pages that do not exist yet.
    pub new: Vec<String>,
    /// Pages that would change.
    pub changed: Vec<PageDifference>,
    /// The number of pages that would change.
    pub changed_count: usize,
    /// The number of pages that are up to date.
    pub unchanged: usize,
    /// Files that would be removed because what they describe no longer exists.
    pub removed: Vec<String>,
    /// Edited files, which stay, with the diff for replacing them.
    pub edited: Vec<PageDifference>,
    /// Edited files that stay although what they describe no longer exists.
    pub left_over: Vec<String>,
    /// What changed since the stored plan, as text.
    pub plan_changes: Vec<String>,
    /// Databases that could not be read.
    pub failed: Vec<Error>,
    /// Problems that do not prevent a page from being written.
    pub problems: Vec<Diagnostic>,
    /// Whether there is nothing to write or remove.
    pub is_up_to_date: bool,
}

/// A domain of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedDomain {
    /// Its database.
    pub database: String,
    /// Its name.
    pub domain: String,
    /// Its tables.
    pub tables: Vec<String>,
    /// The most rows read from any of them.
    pub rows: u64,
}

/// The diff of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageDifference {
    /// The file, relative to the workspace.
    pub path: String,
    /// The diff; `None` if the preview already shows too many.
    pub diff: Option<Diff>,
}

impl Desk {
    /// What this run would do.
    pub(crate) fn preview_documentation(&self, run: &Documentation) -> DocumentationPreview {
        let pages: HashMap<&str, &DocumentedPage> = run.pages.iter().map(|it| (it.page.path.as_str(), it)).collect();
        let (mut lines, mut shown) = (0, 0);
        let mut difference = |path: &str| {
            let is_shown = shown < DIFFERENCES && lines < LINES;
            let page = is_shown.then(|| pages.get(path)).flatten();
            let diff = page.and_then(|it| self.propose_page(&it.page).ok()).map(|proposal| proposal.diff);
            lines += diff.as_ref().map_or(0, |diff| diff.lines.len());
            shown += usize::from(diff.is_some());
            PageDifference { path: path.to_owned(), diff }
        };
        let written = || run.pages.iter().filter(|it| it.action == PageAction::Write);
        let edited = run.edited.iter().map(|path| difference(path)).collect();
        // Of a table's two pages, the human-readable one is easier to review.
        let changed = written().filter(|it| it.is_there && it.page.path.ends_with(".md"));
        let changed = changed.map(|it| difference(&it.page.path)).collect();
        let databases: Vec<&str> = run.read_databases().collect();
        let units = run.planned.plan.work_units.iter().filter(|unit| databases.contains(&unit.database.as_str()));
        DocumentationPreview {
            docs_path: run.docs_path.clone(),
            domains: units
                .map(|unit| PreviewedDomain {
                    database: unit.database.clone(),
                    domain: unit.domain.clone(),
                    tables: unit.tables.iter().filter(|it| !it.skip).map(|it| it.table_name.clone()).collect(),
                    rows: unit.tables.iter().map(|it| it.reads.rows).max().unwrap_or(0),
                })
                .collect(),
            sources: run.catalog.iter().map(|(entry, ..)| (entry.id.clone(), entry.description.clone())).collect(),
            sources_to_write: run.sources_to_write(),
            new: written().filter(|it| !it.is_there).map(|it| it.page.path.clone()).collect(),
            changed,
            changed_count: written().filter(|it| it.is_there).count(),
            unchanged: run.pages.iter().filter(|it| it.action == PageAction::Keep).count(),
            removed: run.files_removed().map(str::to_owned).collect(),
            edited,
            left_over: run.left_over.clone(),
            plan_changes: run.planned.changes.clone(),
            failed: database_failures(&run.failed),
            problems: run.problems.clone(),
            is_up_to_date: run.is_up_to_date(),
        }
    }
}
