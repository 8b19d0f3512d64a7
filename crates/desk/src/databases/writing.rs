//! Writes what a run prepared: pages in batches, each all or none, then what lists them, the catalog, and the manifest last. What is
//! about to be written is noted before, so that a run that was killed goes on where it was.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_database::documenter::{
    Manifest, ManifestEntry, ManifestFile, ManifestStatus, PageAction, Progress, ProgressStatus, RunStats, UnitProgress,
};
use refdesk_database::schema::page::Page;
use refdesk_database::schema::plan::{FILE, RunError, RunSeverity, SCHEMA_VERSION};
use refdesk_files::name::sha256_hex;
use refdesk_files::output::{Before, Proposal, Scope, propose_removal};
use refdesk_text::{Code, Error};
use serde_json::json;

use super::documenting::{Documentation, PROGRESS};
use crate::{Desk, Session};

/// Pages that are written at once.
const BATCH: usize = 64;

/// Pages in a row that cannot be written before the run ends.
const FAILURES: usize = 5;

const REASON: &str = "a database was documented";

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentProgress {
    /// Pages written.
    pub done: usize,
    /// Pages that could not be written.
    pub failed: usize,
    /// Pages to write.
    pub of: usize,
}

/// What a run came to.
#[derive(Debug, Clone, Default)]
pub struct DocumentReport {
    /// Pages that were written.
    pub written: Vec<String>,
    /// Pages that were as they should be.
    pub unchanged: usize,
    /// Pages of what is gone.
    pub removed: Vec<String>,
    /// Files that a person edited and that stay.
    pub edited: Vec<String>,
    /// Ids of sources whose entries were written.
    pub sources: Vec<String>,
    /// Ids of sources whose entries were removed.
    pub sources_removed: Vec<String>,
    /// What could not be written.
    pub failed: Vec<Error>,
    /// Whether the run was ended before it was done.
    pub is_ended: bool,
}

struct Run<'d, 's> {
    desk: &'d mut Desk,
    session: &'s Session,
    progress: Progress,
    report: DocumentReport,
    failures: usize,
}

impl Desk {
    /// Writes what was prepared. `progress` ends the run by returning false; what is written by then stays.
    ///
    /// # Errors
    /// The run cannot be noted.
    pub fn write_documentation(
        &mut self,
        session: &Session,
        prepared: &Documentation,
        progress: &mut dyn FnMut(DocumentProgress) -> bool,
    ) -> Result<DocumentReport, Error> {
        let is_unchanged = prepared.is_up_to_date();
        let now = self.timestamp();
        let mut run = Run {
            progress: progress_of(prepared, &now),
            report: DocumentReport { edited: prepared.edited.clone(), ..DocumentReport::default() },
            failures: 0,
            desk: self,
            session,
        };
        if let Err(error) = run.desk.store_plan(session, &prepared.planned) {
            run.report.failed.push(error);
        }
        if !is_unchanged {
            run.desk.store_database_state(PROGRESS, &run.progress)?;
        }
        run.write_pages(prepared, progress)?;
        if !run.report.is_ended {
            run.remove_pages(prepared);
            let catalog = run.write_catalog_entries(prepared);
            run.write_manifest(prepared, catalog, &now);
        }
        run.report.unchanged = prepared.pages.iter().filter(|it| it.action == PageAction::Keep).count();
        let Run { desk, mut progress, report, .. } = run;
        if !is_unchanged {
            progress.completed_at = (!report.is_ended).then(|| desk.timestamp());
            progress.status = match (report.is_ended, report.failed.is_empty()) {
                (true, _) => ProgressStatus::InProgress,
                (_, true) => ProgressStatus::Completed,
                (_, false) => ProgressStatus::Failed,
            };
            desk.store_database_state(PROGRESS, &progress)?;
        }
        if !report.sources.is_empty() || !report.sources_removed.is_empty() {
            desk.reload();
        }
        Ok(report)
    }
}

impl Run<'_, '_> {
    fn write_pages(
        &mut self,
        prepared: &Documentation,
        progress: &mut dyn FnMut(DocumentProgress) -> bool,
    ) -> Result<(), Error> {
        let wanted: Vec<&Page> =
            prepared.pages.iter().filter(|it| it.action == PageAction::Write).map(|it| &it.page).collect();
        for (at, batch) in wanted.chunks(BATCH).enumerate() {
            if !progress(DocumentProgress { done: at * BATCH, failed: self.report.failed.len(), of: wanted.len() }) {
                self.report.is_ended = true;
                return Ok(());
            }
            let hashes = batch.iter().map(|page| (page.path.clone(), sha256_hex(page.text.as_bytes())));
            self.progress.written.extend(hashes);
            self.progress.last_checkpoint = self.desk.timestamp();
            self.desk.store_database_state(PROGRESS, &self.progress)?;
            self.write_batch(batch);
            if self.failures >= FAILURES {
                let message = format!("{FAILURES} pages in a row could not be written, so the run ended");
                self.report.failed.push(Error::new(
                    Code::NotWritten,
                    message,
                    "make room, or make the folder writable",
                ));
                self.report.is_ended = true;
                return Ok(());
            }
            self.note_units(prepared);
        }
        Ok(())
    }

    /// Writes a batch, all or none; if that fails, each page by itself, so that one bad page costs itself alone.
    fn write_batch(&mut self, batch: &[&Page]) {
        let proposals: Result<Vec<Proposal>, Error> =
            batch.iter().map(|page| self.desk.propose_below(&page.path, &page.text)).collect();
        let written = proposals.and_then(|proposals| {
            self.desk.write(self.session, &proposals, REASON).map_err(|unwritten| unwritten.refused)
        });
        if written.is_ok() {
            self.failures = 0;
            self.report.written.extend(batch.iter().map(|page| page.path.clone()));
            return;
        }
        for page in batch {
            let written = self.desk.propose_below(&page.path, &page.text).and_then(|proposal| {
                self.desk.write(self.session, &[proposal], REASON).map_err(|unwritten| unwritten.refused)
            });
            match written {
                Ok(_) => {
                    self.failures = 0;
                    self.report.written.push(page.path.clone());
                }
                Err(error) => {
                    self.failures += 1;
                    self.progress.errors.push(RunError {
                        code: "DOC_WRITE_FAILED".to_owned(),
                        message: error.message.clone(),
                        severity: RunSeverity::Error,
                        timestamp: self.desk.timestamp(),
                        context: json!({"path": page.path}),
                        recoverable: true,
                    });
                    self.report.failed.push(error);
                    if self.failures >= FAILURES {
                        return;
                    }
                }
            }
        }
    }

    /// Notes which units are done, by their pages.
    fn note_units(&mut self, prepared: &Documentation) {
        let written: BTreeSet<&str> = self.report.written.iter().map(String::as_str).collect();
        for (id, unit) in &mut self.progress.work_units {
            let folder =
                |page: &Page| page.domain.as_ref().is_some_and(|domain| *id == format!("{}-{domain}", page.database));
            let own: Vec<_> = prepared.pages.iter().filter(|it| it.page.table.is_some() && folder(&it.page)).collect();
            let is_done =
                |page: &Page, action: PageAction| action != PageAction::Write || written.contains(page.path.as_str());
            let done = own.iter().filter(|it| is_done(&it.page, it.action)).count();
            // A table has two pages.
            unit.tables_completed = done / 2;
            unit.output_files = own
                .iter()
                .filter(|it| written.contains(it.page.path.as_str()))
                .map(|it| it.page.path.clone())
                .collect();
            if unit.tables_completed == unit.tables_total {
                unit.status = ProgressStatus::Completed;
            }
        }
        let units = self.progress.work_units.values();
        self.progress.stats.completed_tables = units.map(|unit| unit.tables_completed).sum();
        self.progress.last_checkpoint = self.desk.timestamp();
    }

    fn remove_pages(&mut self, prepared: &Documentation) {
        for path in &prepared.removed {
            let workspace = self.desk.workspace().to_path_buf();
            let removed = propose_removal(&workspace, &workspace, path, Scope::Workspace).and_then(|proposal| {
                // The folder of tables, of the domain and of the database.
                let done = self.desk.remove(self.session, &proposal, 3, "what the page described is gone");
                done.map_err(|unwritten| unwritten.refused)
            });
            match removed {
                Ok(()) => self.report.removed.push(path.clone()),
                Err(error) => self.report.failed.push(error),
            }
        }
    }

    /// Writes the entries of the catalog and removes those of domains that are gone; what a person edited stays.
    fn write_catalog_entries(&mut self, prepared: &Documentation) -> Vec<ManifestEntry> {
        let before: BTreeMap<&str, &ManifestEntry> =
            prepared.manifest.iter().flat_map(|it| &it.catalog).map(|entry| (entry.id.as_str(), entry)).collect();
        let mut entries = Vec::new();
        for (entry, path, text) in &prepared.catalog {
            let hash = sha256_hex(text.as_bytes());
            let known = before.get(entry.id.as_str()).filter(|known| known.path == *path);
            let noted = |content_hash: String| ManifestEntry { id: entry.id.clone(), path: path.clone(), content_hash };
            let found = self.desk.page_bytes(path).ok().flatten();
            let is_ours = match &found {
                None => true,
                Some(bytes) if *bytes == text.as_bytes() => {
                    entries.push(noted(hash));
                    continue;
                }
                Some(bytes) => known.is_some_and(|known| known.content_hash == sha256_hex(bytes)),
            };
            if !is_ours {
                self.report.edited.push(path.clone());
                entries.extend(known.map(|known| noted(known.content_hash.clone())));
                continue;
            }
            let written = self.desk.propose_below(path, text).and_then(|proposal| {
                self.desk.write(self.session, &[proposal], REASON).map_err(|unwritten| unwritten.refused)
            });
            match written {
                Ok(_) => {
                    self.report.sources.push(entry.id.clone());
                    entries.push(noted(hash));
                }
                Err(error) => self.report.failed.push(error),
            }
        }
        let kept: BTreeSet<String> = prepared.catalog.iter().map(|(entry, ..)| entry.id.clone()).collect();
        for (id, old) in before {
            if kept.contains(id) {
                continue;
            }
            let is_removed = prepared.entries_removed.contains(old);
            if !self.desk.is_of_run(prepared, old) || !self.forget_entry(old, is_removed) {
                entries.push(old.clone());
            }
        }
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        entries
    }

    /// Removes the entry of a source whose domain is gone, if nobody changed it since that was decided; whether it is forgotten then.
    fn forget_entry(&mut self, old: &ManifestEntry, is_removed: bool) -> bool {
        let Some(bytes) = self.desk.page_bytes(&old.path).ok().flatten() else { return true };
        if !is_removed || sha256_hex(&bytes) != old.content_hash {
            self.report.edited.push(old.path.clone());
            return true;
        }
        let workspace = self.desk.workspace().to_path_buf();
        let removed = propose_removal(&workspace, &workspace, &old.path, Scope::Workspace).and_then(|proposal| {
            let done = self.desk.remove(self.session, &proposal, 0, "the domain of the database is gone");
            done.map_err(|unwritten| unwritten.refused)
        });
        match removed {
            Ok(()) => {
                self.report.sources_removed.push(old.id.clone());
                true
            }
            Err(error) => {
                self.report.failed.push(error);
                false
            }
        }
    }

    fn write_manifest(&mut self, prepared: &Documentation, catalog: Vec<ManifestEntry>, now: &str) {
        let old: BTreeMap<&str, &ManifestFile> = prepared
            .manifest
            .iter()
            .flat_map(|it| &it.indexable_files)
            .map(|file| (file.path.as_str(), file))
            .collect();
        let written: BTreeSet<&str> = self.report.written.iter().map(String::as_str).collect();
        let mut files = Vec::new();
        for it in &prepared.pages {
            let path = it.page.path.as_str();
            let known = old.get(path).copied();
            let is_written = written.contains(path);
            if !is_written && !it.is_there {
                continue;
            }
            // Of a page that a person edited the hash of what refdesk wrote stays, so that it counts as edited again.
            let keeps_old = !is_written && known.is_some();
            files.push(match known.filter(|_| keeps_old) {
                Some(known)
                    if it.action != PageAction::Keep || known.content_hash == sha256_hex(it.page.text.as_bytes()) =>
                {
                    known.clone()
                }
                _ => file_of(&it.page, now),
            });
        }
        let of_others = old.values().filter(|file| !prepared.databases.contains(&file.database));
        files.extend(of_others.map(|file| (*file).clone()));
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let plan = &prepared.planned.plan;
        let mut edited = self.report.edited.clone();
        edited.sort();
        edited.dedup();
        let databases: BTreeSet<String> = files.iter().map(|file| file.database.clone()).collect();
        let is_partial = !prepared.failed.is_empty() || !self.report.failed.is_empty();
        let manifest = Manifest {
            schema_version: SCHEMA_VERSION.to_owned(),
            completed_at: now.to_owned(),
            plan_hash: plan.hash(),
            status: if is_partial { ManifestStatus::Partial } else { ManifestStatus::Complete },
            work_units: plan
                .work_units
                .iter()
                .filter(|it| databases.contains(&it.database))
                .map(|it| it.id.clone())
                .collect(),
            databases: databases.into_iter().collect(),
            total_files: files.len(),
            indexable_files: files,
            sources: prepared.sources,
            edited,
            catalog,
        };
        if prepared.manifest.as_ref().is_some_and(|old| old.is_same(&manifest)) {
            return;
        }
        let path = Manifest::path(&prepared.docs_path);
        let stored = self.desk.propose_below(&path, &manifest.text()).and_then(|proposal| {
            let is_new = proposal.before == Before::Nothing || !proposal.is_unchanged();
            if !is_new {
                return Ok(());
            }
            self.desk.write(self.session, &[proposal], REASON).map(drop).map_err(|unwritten| unwritten.refused)
        });
        if let Err(error) = stored {
            self.report.failed.push(error);
        }
    }
}

fn file_of(page: &Page, now: &str) -> ManifestFile {
    ManifestFile {
        path: page.path.clone(),
        kind: page.kind,
        database: page.database.clone(),
        schema: page.table.as_ref().map(|table| table.schema.clone()),
        table: page.table.as_ref().map(|table| table.name.clone()),
        domain: page.domain.clone(),
        content_hash: sha256_hex(page.text.as_bytes()),
        size_bytes: page.text.len(),
        modified_at: now.to_owned(),
    }
}

fn progress_of(prepared: &Documentation, now: &str) -> Progress {
    let plan = &prepared.planned.plan;
    let units = plan.work_units.iter().filter(|unit| prepared.databases.contains(&unit.database));
    let work_units: BTreeMap<String, UnitProgress> = units
        .map(|unit| {
            let skipped = unit.tables.iter().filter(|table| table.skip).count();
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
    Progress {
        schema_version: SCHEMA_VERSION.to_owned(),
        started_at: now.to_owned(),
        plan_file: FILE.to_owned(),
        plan_hash: plan.hash(),
        work_units,
        stats,
        last_checkpoint: now.to_owned(),
        ..Progress::default()
    }
}
