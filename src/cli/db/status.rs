//! `refdesk db status` and `refdesk db diff`: compare databases with their pages.

use serde_json::{Value, json};

use super::{failed_json, not_done};
use crate::cli::answer::CommandOutput;
use crate::cli::args::DbNames;
use crate::cli::table;
use refdesk_database::schema::diff::DifferenceKind;
use refdesk_desk::{Desk, DocumentOptions, database_failures};
use refdesk_text::escape::one_line;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

/// A line for each database.
pub fn status(desk: &Desk, args: &DbNames) -> Result<CommandOutput, Error> {
    let options = DocumentOptions { names: args.names.clone(), ..DocumentOptions::default() };
    let run = desk.documentation(&options)?;
    let manifest = if desk.manifest(&run.docs_path).is_err() { "manifest damaged" } else { "manifest missing" };
    let mut lines = Vec::new();
    let mut databases = Vec::new();
    for name in run.read_databases() {
        let (pages, outdated, missing) = run.page_counts(name);
        let (stale, failed) = (desk.stale_tables(&run.planned, name), run.failed_tables(name));
        let edited = run.edited_of(name).count();
        let (removed, left_over) = (run.below(name, &run.removed), run.below(name, &run.left_over));
        let mut words = Vec::new();
        words.extend(run.missing_manifest().filter(|_| pages > missing).map(|_| manifest.to_owned()));
        words.extend((missing > 0).then(|| format!("{} missing", grouped(missing))));
        words.extend((!stale.is_empty()).then(|| format!("{} stale", counted(stale.len(), "table"))));
        words.extend((outdated > 0).then(|| format!("{} to update", grouped(outdated))));
        words.extend((edited > 0).then(|| format!("{} edited", grouped(edited))));
        words.extend((failed > 0).then(|| format!("{} failed", counted(failed, "table"))));
        let (no_source, old_source) = run.source_counts(name);
        words.extend((no_source > 0).then(|| format!("{} missing", counted(no_source, "source"))));
        words.extend((old_source > 0).then(|| format!("{} to update", counted(old_source, "source"))));
        words.extend((removed > 0).then(|| format!("{} obsolete", grouped(removed))));
        words.extend((left_over > 0).then(|| format!("{} obsolete but edited", grouped(left_over))));
        let state = if words.is_empty() { "up to date".to_owned() } else { words.join(", ") };
        lines.push(vec![name.to_owned(), "reachable".to_owned(), counted(pages, "page"), state]);
        databases.push(json!({
            "name": name, "status": "reachable", "pages": pages, "missing": missing, "stale": stale, "outdated": outdated,
            "edited": edited, "failed": failed, "removed": removed, "left_over": left_over,
            "sources_missing": no_source, "sources_outdated": old_source, "cost": 0,
        }));
    }
    for name in &run.databases_gone {
        let (removed, left_over) = (run.below(name, &run.removed), run.below(name, &run.left_over));
        let edited = if left_over > 0 { format!(", {left_over} edited") } else { String::new() };
        let state = format!("{removed} to remove{edited}");
        lines.push(vec![name.clone(), "not configured".to_owned(), counted(removed + left_over, "page"), state]);
        databases.push(json!({
            "name": name, "status": "not_configured", "pages": removed + left_over, "removed": removed,
            "left_over": left_over, "cost": 0,
        }));
    }
    for (name, error) in &run.failed {
        let status = match error.code {
            Code::Untrusted => "untrusted",
            Code::LinkedOut => "linked",
            Code::DatabaseMisconfigured => "misconfigured",
            _ => "unreachable",
        };
        lines.push(vec![name.clone(), status.to_owned(), String::new(), error.message.clone()]);
        databases.push(json!({"name": name, "status": status, "error": error.message, "cost": 0}));
    }
    let json = json!({
        "databases": databases, "manifest_missing": run.missing_manifest().is_some(), "failed": failed_json(&run.failed),
    });
    let answer = CommandOutput::new(json, table::table(&lines, &[3]));
    Ok(CommandOutput { diagnostics: run.problems.clone(), ..answer }.with_failures(database_failures(&run.failed)))
}

/// Every difference; exit code 1 if there are any.
pub fn diff(desk: &Desk, args: &DbNames) -> Result<CommandOutput, Error> {
    let (found, run) = desk.database_differences(&args.names)?;
    let mut text = String::new();
    let mut rows_of = Vec::new();
    for database in &found {
        for it in &database.differences {
            let about = it.about.as_ref().map_or_else(String::new, |about| format!(".{about}"));
            let place = format!("{}: {}{about}", database.database, it.table);
            rows_of.push(vec![place, it.kind.words().to_owned(), it.detail.clone()]);
        }
    }
    text.push_str(&table::table(&rows_of, &[2]));
    let manifest = run.missing_manifest();
    let missing = run.missing_pages(&found);
    let edited = run.edited.iter().map(|path| match run.is_entry(path) {
        true => (path.as_str(), "the catalog entry was edited"),
        false => (path.as_str(), "the page was edited"),
    });
    let of_files: Vec<(&str, &str)> = edited
        .chain(
            manifest
                .iter()
                .map(|path| (path.as_str(), "the manifest is missing or damaged, so its pages are not found")),
        )
        .chain(missing.iter().map(|path| (*path, "the page is missing")))
        .chain(run.missing_entries().into_iter().map(|path| (path, "the catalog entry is missing")))
        .chain(run.removed.iter().map(|path| (path.as_str(), "the page is obsolete")))
        .chain(run.left_over.iter().map(|path| (path.as_str(), "the file is obsolete, and was edited")))
        .collect();
    for (path, what) in &of_files {
        text.push_str(&format!("{}: {what}\n", one_line(path)));
    }
    let count = rows_of.len() + of_files.len();
    let failed = run.failed.len();
    let outdated: Vec<&str> = run.outdated_pages().collect();
    let sources = &run.entries_outdated;
    let has_updates = !(outdated.is_empty() && sources.is_empty());
    match (count, found.len()) {
        (0, 0) if failed > 0 => text.push_str("No database could be compared with its pages.\n"),
        (0, _) if failed == 0 && has_updates => text.push_str("No definition changed.\n"),
        (0, _) if failed == 0 => text.push_str("The pages match the databases.\n"),
        (0, 1) => text.push_str(&format!("1 database matches its pages, {failed} could not be compared.\n")),
        (0, same) => {
            text.push_str(&format!("{same} databases match their pages, {failed} could not be compared.\n"));
        }
        _ if failed > 0 => {
            text.push_str(&format!("{} compared{}.\n", counted(found.len(), "database"), not_done(failed, "compared")));
        }
        _ => {}
    }
    if has_updates {
        let why = if count == 0 { ", because notes, settings, permissions or values changed" } else { "" };
        let counts = [(outdated.len(), "page"), (sources.len(), "source")].into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what)| counted(count, what)).collect();
        text.push_str(&format!("{} to update{why}.\n", counts.join(" and ")));
    }
    let databases: Vec<Value> =
        found.iter().map(|it| json!({"name": it.database, "differences": it.differences})).collect();
    let json = json!({
        "databases": databases, "manifest_missing": manifest.is_some(), "edited": run.edited, "without_table": run.removed, "left_over": run.left_over,
        "missing": missing, "to_update": outdated, "sources_missing": run.missing_entries(), "sources_outdated": sources, "failed": failed_json(&run.failed),
    });
    let mut refusals = database_failures(&run.failed);
    if count > 0 {
        let message = format!("{} between the databases and their pages", counted(count, "difference"));
        // Documenting again leaves edited pages unchanged.
        let stale = found.iter().flat_map(|it| &it.differences).filter(|it| it.kind == DifferenceKind::EditedPageStale);
        let fix = if count == run.edited.len() + run.left_over.len() + stale.count() {
            "move your changes to notes; `refdesk db document --overwrite-edited` replaces the edited files"
        } else {
            "`refdesk db document` brings the pages up to date"
        };
        refusals.push(Error::new(Code::DatabaseDiffers, message, fix));
    }
    Ok(CommandOutput { diagnostics: run.problems.clone(), ..CommandOutput::new(json, text) }.with_failures(refusals))
}
