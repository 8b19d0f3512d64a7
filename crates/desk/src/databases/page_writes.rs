//! Writes what a run prepared: the pages of each table in turn, then the pages that list them, the catalog, and the
//! manifest last. The hash of each page is recorded before the first is written, so a page on disk is its own
//! checkpoint: after a kill, the next run resumes there.

mod catalog;
mod manifest;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use refdesk_database::documenter::{PageAction, Progress, ProgressStatus, RunStats, UnitProgress};
use refdesk_database::schema::page::Page;
use refdesk_database::schema::plan::{FILE, PlannedTable, RunError, RunSeverity, SCHEMA_VERSION};
use refdesk_database::snapshot::TableName;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::{PriorContent, Proposal, Scope, SeparateWrites, propose_removal};
use refdesk_files::{Folder, way_to_more};
use refdesk_text::{Code, Error};
use serde_json::json;

use super::documentation::{Documentation, PROGRESS};
use super::page_comparison::DocumentedPage;
use crate::{Desk, Session};

/// How often, at most, a long run records its progress and journals what it wrote.
const NOTED: usize = 16;

/// The fewest pages between two of these records.
const PAGES_BETWEEN: usize = 64;

/// How many consecutive failed pages end the run.
const FAILURES: usize = 5;

const REASON: &str = "a database was documented";

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentProgress {
    /// Pages written.
    pub done: usize,
    /// Pages that could not be written.
    pub failed: usize,
    /// Pages to write.
    pub of: usize,
}

/// The outcome of a run.
#[derive(Debug, Clone, Default)]
pub struct DocumentReport {
    /// Pages that were written.
    pub written: Vec<String>,
    /// The number of pages that were up to date.
    pub unchanged: usize,
    /// Removed pages of tables and domains that no longer exist.
    pub removed: Vec<String>,
    /// Edited files, which were left alone.
    pub edited: Vec<String>,
    /// Ids of sources whose entries were written.
    pub sources: Vec<String>,
    /// Ids of sources whose entries were removed.
    pub sources_removed: Vec<String>,
    /// What could not be written.
    pub failed: Vec<Error>,
    /// Whether the run ended early.
    pub is_ended: bool,
}

struct DocumentationRun<'d, 'p> {
    desk: &'d mut Desk,
    session: &'d Session,
    prepared: &'p Documentation,
    writes: SeparateWrites,
    progress: Progress,
    report: DocumentReport,
    /// Files written but not yet journalled: displayed path and size in bytes.
    unnoted: Vec<(String, usize)>,
}

impl Desk {
    /// Writes what was prepared. Calls `progress` before each table, and ends the run if it returns false; what was
    /// written stays, and the next run resumes there.
    ///
    /// # Errors
    /// The progress cannot be recorded.
    pub fn write_documentation(
        &mut self,
        session: &Session,
        prepared: &Documentation,
        progress: &mut dyn FnMut(DocumentProgress) -> bool,
    ) -> Result<DocumentReport, Error> {
        // Without any database, the plan and the manifest would only lose what they say.
        if prepared.databases.is_empty() && prepared.is_up_to_date() {
            return Ok(DocumentReport { edited: prepared.edited.clone(), ..DocumentReport::default() });
        }
        // A run that completes an interrupted one reports that, too.
        let is_unchanged = prepared.is_up_to_date() && prepared.interrupted.is_none();
        let now = self.timestamp();
        let mut run = DocumentationRun {
            progress: progress_of(prepared, &now),
            writes: SeparateWrites::new(self.workspace()),
            report: DocumentReport { edited: prepared.edited.clone(), ..DocumentReport::default() },
            unnoted: Vec::new(),
            prepared,
            desk: self,
            session,
        };
        if let Err(error) = run.desk.store_plan(session, &prepared.planned) {
            run.report.failed.push(error);
        }
        if !is_unchanged {
            run.desk.store_database_state(PROGRESS, &run.progress)?;
        }
        run.sweep_leftovers();
        run.write_pages(progress);
        let mut catalog = Vec::new();
        if !run.report.is_ended {
            run.remove_pages();
            catalog = run.write_catalog_entries();
        }
        let is_stored = run.finish_writes();
        if !run.report.is_ended && is_stored && run.write_manifest(catalog, &now) {
            run.remove_earlier_manifests();
        }
        run.report.unchanged = prepared.pages.iter().filter(|it| it.action == PageAction::Keep).count();
        if !is_unchanged {
            run.progress.completed_at = (!run.report.is_ended).then(|| run.desk.timestamp());
            run.progress.status = match (run.report.is_ended, run.report.failed.is_empty()) {
                (true, _) => ProgressStatus::InProgress,
                (_, true) => ProgressStatus::Completed,
                (_, false) => ProgressStatus::Failed,
            };
            run.store_progress();
        }
        let DocumentationRun { desk, report, .. } = run;
        // Sources whose pages were missing now have them.
        if !is_unchanged {
            desk.reload();
        }
        Ok(report)
    }
}

impl<'p> DocumentationRun<'_, 'p> {
    /// Removes temporary files that a killed run left beside its pages, even in folders to which this run writes
    /// nothing.
    fn sweep_leftovers(&self) {
        let Some(interrupted) = &self.prepared.interrupted else { return };
        let written = interrupted.written.keys().chain(interrupted.replaced.keys());
        let folders: BTreeSet<&Path> = written.filter_map(|path| Path::new(path).parent()).collect();
        for folder in folders {
            let workspace = self.desk.workspace();
            let opened = Folder::root(workspace).and_then(|root| root.below(folder));
            // Leftovers are harmless, and the next run tries again.
            let _ = opened.and_then(|folder| folder.sweep_dead());
        }
    }

    fn write_pages(&mut self, progress: &mut dyn FnMut(DocumentProgress) -> bool) {
        let wanted: Vec<&'p DocumentedPage> =
            self.prepared.pages.iter().filter(|it| it.action == PageAction::Write).collect();
        let every = (wanted.len() / NOTED).max(PAGES_BETWEEN);
        let (mut failed, mut in_a_row) = (0, 0);
        let mut table: Option<&TableName> = None;
        for (at, it) in wanted.iter().enumerate() {
            if it.page.table.is_none() || it.page.table.as_ref() != table {
                table = it.page.table.as_ref();
                if !progress(DocumentProgress { done: at - failed, failed, of: wanted.len() }) {
                    self.report.is_ended = true;
                    break;
                }
            }
            match self.writes.write(&it.page.path, &it.page.text, &it.before) {
                Ok(written) => {
                    in_a_row = 0;
                    self.note_written(&it.page, written.shown);
                }
                Err(error) => {
                    failed += 1;
                    in_a_row += 1;
                    self.note_failed(&it.page, error);
                }
            }
            if in_a_row >= FAILURES {
                let message = format!("{FAILURES} pages in a row could not be written, so the run ended");
                let fix = "free some disk space, or make the folder writable";
                self.report.failed.push(Error::new(Code::NotWritten, message, fix));
                self.report.is_ended = true;
                break;
            }
            if (at + 1).is_multiple_of(every) {
                self.store_progress();
            }
        }
        self.complete_units();
    }

    fn note_written(&mut self, page: &'p Page, shown: String) {
        self.report.written.push(page.path.clone());
        self.unnoted.push((shown, page.text.len()));
        if let Some(unit) = self.unit(page) {
            unit.output_files.push(page.path.clone());
            unit.current_table = page.table.as_ref().map(TableName::full);
        }
    }

    fn note_failed(&mut self, page: &Page, error: Error) {
        let problem = RunError {
            code: "DOC_WRITE_FAILED".to_owned(),
            message: error.message.clone(),
            severity: RunSeverity::Error,
            timestamp: self.desk.timestamp(),
            context: json!({"path": page.path, "database": page.database, "table": page.table.as_ref().map(TableName::full)}),
            recoverable: true,
        };
        self.report.failed.push(error);
        if let Some(unit) = self.unit(page) {
            unit.errors.push(problem.clone());
        }
        self.progress.errors.push(problem);
    }

    /// The work unit of a table's page.
    fn unit(&mut self, page: &Page) -> Option<&mut UnitProgress> {
        page.table.as_ref()?;
        let id = self.prepared.planned.plan.unit_id(&page.database, page.domain.as_ref()?)?;
        self.progress.work_units.get_mut(id)
    }

    /// Counts the finished tables of each unit. A table is finished when both of its pages are.
    fn complete_units(&mut self) {
        let written: BTreeSet<&str> = self.report.written.iter().map(String::as_str).collect();
        let plan = &self.prepared.planned.plan;
        let ids: BTreeMap<(&str, &str), &str> = plan
            .work_units
            .iter()
            .map(|unit| ((unit.database.as_str(), unit.domain.as_str()), unit.id.as_str()))
            .collect();
        let mut tables: BTreeMap<(&str, &TableName), (&str, bool)> = BTreeMap::new();
        for it in &self.prepared.pages {
            let (Some(table), Some(domain)) = (&it.page.table, &it.page.domain) else { continue };
            let is_done = match it.action {
                PageAction::LeftOut => continue,
                PageAction::Write => written.contains(it.page.path.as_str()),
                PageAction::Keep | PageAction::Edited => true,
            };
            let Some(id) = ids.get(&(it.page.database.as_str(), domain.as_str())) else { continue };
            tables.entry((&it.page.database, table)).or_insert((id, true)).1 &= is_done;
        }
        for (id, is_done) in tables.into_values() {
            let Some(unit) = self.progress.work_units.get_mut(id) else { continue };
            unit.tables_completed += usize::from(is_done);
        }
        for unit in self.progress.work_units.values_mut() {
            unit.current_table = None;
            if !self.report.is_ended {
                unit.tables_failed = unit.tables_total.saturating_sub(unit.tables_completed);
                let is_done = unit.tables_failed == 0;
                unit.status = if is_done { ProgressStatus::Completed } else { ProgressStatus::Failed };
            } else if unit.tables_completed == unit.tables_total {
                unit.status = ProgressStatus::Completed;
            }
        }
        let stats = &mut self.progress.stats;
        stats.completed_tables = self.progress.work_units.values().map(|unit| unit.tables_completed).sum();
        stats.failed_tables = self.progress.work_units.values().map(|unit| unit.tables_failed).sum();
    }

    /// Journals what was written, and records the progress.
    fn store_progress(&mut self) {
        self.desk.note_files(self.session, std::mem::take(&mut self.unnoted), REASON);
        self.progress.last_checkpoint = self.desk.timestamp();
        if let Err(error) = self.desk.store_database_state(PROGRESS, &self.progress) {
            // The record made at the start is enough to resume.
            self.report.failed.retain(|known| *known != error);
            self.report.failed.push(error);
        }
    }

    /// Flushes all writes to disk; returns whether that succeeded.
    fn finish_writes(&mut self) -> bool {
        let writes = std::mem::replace(&mut self.writes, SeparateWrites::new(self.desk.workspace()));
        match writes.finish() {
            Ok(()) => true,
            Err(error) => {
                let message = format!("the pages cannot be synced to the disk: {error}");
                let fix = way_to_more(&error).unwrap_or("check the disk, and try again");
                self.report.failed.push(Error::new(Code::NotWritten, message, fix));
                false
            }
        }
    }

    fn remove_pages(&mut self) {
        for path in &self.prepared.removed {
            match self.proposed_removal(path).and_then(|proposal| {
                // Removal only checks that the file does not change from now on, so check here that it is still
                // refdesk's own.
                if self.desk.is_edited(self.prepared, path) {
                    let message = format!("{path} changed after it was compared, so it was left as it is");
                    return Err(Error::new(Code::Changed, message, "compare again"));
                }
                // Three levels of parents: the folders of tables, domain and database.
                let done = self.desk.remove(self.session, &proposal, 3, "its table or domain is gone");
                done.map_err(|unwritten| unwritten.refused)
            }) {
                Ok(()) => self.report.removed.push(path.clone()),
                Err(error) => self.report.failed.push(error),
            }
        }
    }

    /// Removes a file, and up to this many parents that this empties.
    fn remove(&mut self, path: &str, parents: usize, why: &str) -> Result<(), Error> {
        let proposal = self.proposed_removal(path)?;
        self.desk.remove(self.session, &proposal, parents, why).map_err(|unwritten| unwritten.refused)
    }

    fn proposed_removal(&self, path: &str) -> Result<Proposal, Error> {
        let workspace = self.desk.workspace();
        propose_removal(workspace, workspace, path, Scope::Workspace)
    }
}

fn progress_of(prepared: &Documentation, now: &str) -> Progress {
    let plan = &prepared.planned.plan;
    let left_out = prepared.pages.iter().filter(|it| it.action == PageAction::LeftOut);
    let left_out: BTreeSet<(&String, String)> =
        left_out.filter_map(|it| Some((&it.page.database, it.page.table.as_ref()?.full()))).collect();
    let units = plan.work_units.iter().filter(|unit| prepared.databases.contains(&unit.database));
    let work_units: BTreeMap<String, UnitProgress> = units
        .map(|unit| {
            let is_left_out = |name: &String| left_out.contains(&(&unit.database, name.clone()));
            let is_skipped = |table: &&PlannedTable| table.skip || is_left_out(&table.fully_qualified_name);
            let skipped = unit.tables.iter().filter(is_skipped).count();
            let tables_total = unit.tables.len() - skipped;
            (unit.id.clone(), UnitProgress { tables_total, tables_skipped: skipped, ..UnitProgress::default() })
        })
        .collect();
    let stats = RunStats {
        total_tables: work_units.values().map(|unit| unit.tables_total).sum(),
        skipped_tables: work_units.values().map(|unit| unit.tables_skipped).sum(),
        db_query_time_ms: prepared.milliseconds,
        ..RunStats::default()
    };
    let pages = prepared.pages.iter().filter(|it| it.action == PageAction::Write);
    let pages = pages.map(|it| (it.page.path.clone(), sha256_hex(it.page.text.as_bytes())));
    let entries = prepared.catalog.iter().map(|(_, path, text)| (path.clone(), sha256_hex(text.as_bytes())));
    Progress {
        schema_version: SCHEMA_VERSION.to_owned(),
        started_at: now.to_owned(),
        plan_file: FILE.to_owned(),
        plan_hash: plan.hash(),
        work_units,
        stats,
        last_checkpoint: now.to_owned(),
        written: pages.chain(entries).collect(),
        replaced: replaced(prepared),
        ..Progress::default()
    }
}

/// Hashes of files that interrupted runs wrote but that the manifest lacks; such a file counts as refdesk's own until
/// it is replaced.
fn replaced(prepared: &Documentation) -> BTreeMap<String, String> {
    let Some(interrupted) = &prepared.interrupted else { return BTreeMap::new() };
    let found: BTreeMap<&str, &DocumentedPage> = prepared.pages.iter().map(|it| (it.page.path.as_str(), it)).collect();
    let noted = interrupted.replaced.iter().chain(&interrupted.written);
    noted
        .filter_map(|(path, hash)| match found.get(path.as_str()) {
            None => Some((path.clone(), hash.clone())),
            Some(it) => match &it.before {
                PriorContent::File { hash, .. } if it.is_own => Some((path.clone(), hash.clone())),
                _ => None,
            },
        })
        .collect()
}
