//! `refdesk db document`: shows how many pages it would write and where, then writes them.

use std::io::{IsTerminal, Write};

use serde_json::{Value, json};

use super::{INTERRUPTED, failed_json, not_done, refused};
use crate::cli::answer::CommandOutput;
use crate::cli::args::DbDocumentArgs;
use crate::cli::output::{ask, can_ask, declined, unasked};
use crate::cli::signals::Interrupt;
use refdesk_database::documenter::PageAction;
use refdesk_database::names::globs::NamePattern;
use refdesk_desk::{
    Desk, DocumentOptions, DocumentProgress, DocumentReport, Documentation, Session, database_failures,
};
use refdesk_text::escape::one_line;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::words::uncapitalized;
use refdesk_text::{Code, Error};

/// The most ids in a line.
const SHOWN: usize = 12;

/// How many of the files to remove are listed.
const REMOVALS: usize = 20;

/// How many edited pages are shown with their diff.
const DIFFS: usize = 5;

/// Prepares, asks and writes.
pub fn run(desk: &mut Desk, session: &Session, args: &DbDocumentArgs, interrupt: &Interrupt) -> CommandOutput {
    let only = match args.only.as_deref().map(NamePattern::new).transpose() {
        Ok(only) => only,
        Err(error) => {
            let message = format!("'{}' is not a pattern: {error}", args.only.as_deref().unwrap_or_default());
            return refused(Error::new(Code::BadGlob, message, "use * and ? over schema.table"));
        }
    };
    let options =
        DocumentOptions { names: args.names.clone(), only, fresh: args.fresh, overwrite_edited: args.overwrite_edited };
    let prepared = match desk.prepare_documentation(&options) {
        Ok(prepared) => prepared,
        Err(error) => return refused(error),
    };
    let failed = database_failures(&prepared.failed);
    if !prepared.is_up_to_date() && !args.yes {
        let question = question(&prepared);
        if can_ask() {
            let shown = shown(desk, &prepared);
            if interrupt.while_asking(|| ask(&shown, &format!("{question}?"))) != Some(true) {
                return with_problems(CommandOutput::new(json!({"status": "error"}), ""), &prepared)
                    .with_failures(vec![declined("written")]);
            }
        } else {
            let answer = CommandOutput::new(json!({"status": "error"}), shown(desk, &prepared));
            let mut answer = with_problems(answer, &prepared).with_failures(vec![unasked("written")]);
            answer.notes.push(format!("this would {}", uncapitalized(&question)));
            return CommandOutput { exit: 2, ..answer };
        }
    }
    let is_terminal = std::io::stderr().is_terminal();
    let written = desk.write_documentation(session, &prepared, &mut |progress| {
        show(is_terminal, progress);
        !interrupt.is_raised()
    });
    if is_terminal {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    match written {
        Ok(report) => {
            let refused = failed.into_iter().chain(report.failed.iter().cloned()).collect();
            let answer = CommandOutput::new(document(desk, &prepared, &report), words(desk, &prepared, &report));
            let answer = with_problems(answer, &prepared).with_failures(refused);
            if report.is_ended && interrupt.is_raised() {
                let answer = answer.with_failures(vec![stopped(&prepared, &report)]);
                return CommandOutput { exit: INTERRUPTED, ..answer };
            }
            answer
        }
        Err(error) => with_problems(CommandOutput::refused(error), &prepared).with_failures(failed),
    }
}

/// The answer of a run that wrote nothing.
pub fn nothing() -> Value {
    json!({
        "status": "error", "written": [], "unchanged": 0, "left_out": 0, "removed": [], "edited": [], "left_over": [],
        "sources": [], "sources_removed": [], "failed": [], "unread": [], "manifest": null,
    })
}

fn with_problems(answer: CommandOutput, prepared: &Documentation) -> CommandOutput {
    CommandOutput { diagnostics: prepared.problems.clone(), notes: prepared.planned.changes.clone(), ..answer }
}

/// The error of a stopped run, with how much was written and how to continue.
fn stopped(prepared: &Documentation, report: &DocumentReport) -> Error {
    let (written, all) = (grouped(report.written.len()), counted(prepared.to_write(), "page"));
    let message = format!("stopped after {written} of {all}; written pages stay");
    Error::new(Code::Stopped, message, "`refdesk db document` continues from there")
}

/// `Write 27 pages below docs/databases, add them to the catalog, and remove 2 obsolete files`.
fn question(prepared: &Documentation) -> String {
    let folder = one_line(&prepared.docs_path);
    let removed = counted(prepared.files_removed().count(), "obsolete file");
    let more = match (prepared.to_write(), prepared.files_removed().count(), prepared.catalog.is_empty()) {
        (0, 0, _) => return format!("Write {} to the catalog", counted(prepared.sources_to_write(), "source")),
        (0, ..) => return format!("Remove {removed} from {folder} and the catalog"),
        (_, 0, true) => String::new(),
        (_, 0, false) => ", and add them to the catalog".to_owned(),
        (_, _, true) => format!(" and remove {removed}"),
        (_, _, false) => format!(", add them to the catalog, and remove {removed}"),
    };
    format!("Write {} below {folder}{more}", counted(prepared.to_write(), "page"))
}

fn shown(desk: &Desk, prepared: &Documentation) -> String {
    let new = prepared.pages.iter().filter(|it| it.action == PageAction::Write && !it.is_there).count();
    let changed = prepared.to_write() - new;
    let removed = counted(prepared.files_removed().count(), "file");
    let changed = grouped(changed);
    let mut text = format!("{}, {changed} changed, {removed} to remove.\n", counted(new, "new page"));
    text.push_str(&left_out(prepared));
    let entries: Vec<String> =
        prepared.changed_entries().map(|entry| format!("  {}: {}\n", entry.id, one_line(&entry.description))).collect();
    if !entries.is_empty() {
        text.push_str(&format!("{} to write to the catalog:\n{}", counted(entries.len(), "source"), entries.concat()));
    }
    if prepared.catalog.is_empty() {
        text.push_str("No source would be made.\n");
    }
    text.push_str(&removals(prepared));
    let replaced: Vec<&str> = prepared.entries_replaced.keys().map(String::as_str).collect();
    text.push_str(&listed("file", "that you edited in the catalog would be replaced", &replaced));
    text.push_str(&edited(desk, prepared, &prepared.edited));
    text.push_str(&left_over(prepared));
    text.push_str("This uses no language model and costs nothing.\n");
    text
}

/// A line about the pages that `--only` leaves for a later run.
fn left_out(prepared: &Documentation) -> String {
    let are = match prepared.left_out() {
        0 => return String::new(),
        1 => "1 other page is".to_owned(),
        count => format!("{} other pages are", grouped(count)),
    };
    let is_missing = prepared.pages.iter().any(|it| it.action == PageAction::LeftOut && !it.is_there);
    let sources = if is_missing { "; a domain becomes a source when it has all of its pages" } else { "" };
    format!("{are} missing or out of date{sources}.\n")
}

pub(super) fn removals(prepared: &Documentation) -> String {
    let paths: Vec<&str> = prepared.files_removed().collect();
    let mut text = String::new();
    for name in &prepared.databases_gone {
        text.push_str(&format!("'{name}' is no longer configured.\n"));
    }
    text.push_str(&listed("obsolete file", "would be removed", &paths));
    let edited = prepared.removed_edited.len();
    if edited > 0 {
        text.push_str(&format!("You edited {} of them.\n", grouped(edited)));
    }
    text
}

/// `2 obsolete files would be removed:` and their paths, or nothing.
fn listed(noun: &str, what: &str, paths: &[impl AsRef<str>]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let mut text = format!("{} {what}:\n", counted(paths.len(), noun));
    for path in paths.iter().take(REMOVALS) {
        text.push_str(&format!("  {}\n", one_line(path.as_ref())));
    }
    if paths.len() > REMOVALS {
        text.push_str(&format!("  and {} more\n", grouped(paths.len() - REMOVALS)));
    }
    text
}

/// A line about edited files of tables, domains and databases that do not exist any more.
fn left_over(prepared: &Documentation) -> String {
    let what = match prepared.left_over.len() {
        1 => "that you edited stays; --overwrite-edited removes it",
        _ => "that you edited stay; --overwrite-edited removes them",
    };
    listed("obsolete file", what, &prepared.left_over)
}

/// The edited pages, and what replacing them would change.
fn edited(desk: &Desk, prepared: &Documentation, paths: &[String]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let stay = match paths.len() {
        1 => "that you edited stays; --overwrite-edited replaces it",
        _ => "that you edited stay; --overwrite-edited replaces them",
    };
    let mut text = format!("{} {stay}:\n", counted(paths.len(), "file"));
    for (at, path) in paths.iter().enumerate() {
        let page = prepared.pages.iter().find(|it| it.page.path == *path).map(|it| &it.page);
        match page.and_then(|page| desk.propose_page(page).ok()) {
            Some(proposal) if at < DIFFS => text.push_str(&proposal.diff.shown()),
            Some(proposal) => text.push_str(&format!("  {} ({})\n", one_line(path), proposal.diff.summary())),
            None => text.push_str(&format!("  {}\n", one_line(path))),
        }
    }
    text
}

fn show(is_terminal: bool, DocumentProgress { done, failed, of }: DocumentProgress) {
    if is_terminal {
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        // Ignore a closed terminal: the pages are written all the same.
        let _ = write!(std::io::stderr(), "\r\x1b[Kwriting page {done} of {of}{failed}");
    }
}

fn words(desk: &Desk, prepared: &Documentation, report: &DocumentReport) -> String {
    let failed = not_done(prepared.failed.len(), "documented");
    let mut text = match (report.written.len(), report.removed.len()) {
        (0, 0) if prepared.read_databases().next().is_none() && !prepared.failed.is_empty() => {
            "No database could be documented.\n".to_owned()
        }
        (0, 0) if !report.failed.is_empty() => {
            format!("No page was written; {}{failed}.\n", counted(report.failed.len(), "error"))
        }
        (0, 0) if !report.sources.is_empty() => {
            format!("{} unchanged{failed}.\n", counted(report.unchanged, "page"))
        }
        (0, 0) if prepared.missing_manifest().is_some() => {
            format!("Wrote the manifest: {} unchanged{failed}.\n", counted(report.unchanged, "page"))
        }
        (0, 0) => format!("Up to date: {}{failed}.\n", counted(report.unchanged, "page")),
        (written, removed) => {
            let unchanged =
                if report.unchanged > 0 { format!(", {} unchanged", grouped(report.unchanged)) } else { String::new() };
            let folder = one_line(&prepared.docs_path);
            let done = match (written, removed) {
                (0, _) => format!("Removed {} below {folder}", counted(removed, "page")),
                (_, 0) => format!("Wrote {} below {folder}", counted(written, "page")),
                _ => format!("Wrote {} below {folder}, removed {}", counted(written, "page"), grouped(removed)),
            };
            format!("{done}{unchanged}{failed}.\n")
        }
    };
    text.push_str(&left_out(prepared));
    if !report.sources.is_empty() {
        text.push_str(&format!(
            "{} in the catalog: {}\n",
            counted(report.sources.len(), "source"),
            ids(&report.sources, ", which `refdesk list` shows")
        ));
    }
    if !report.sources_removed.is_empty() {
        text.push_str(&format!("No longer in the catalog: {}\n", ids(&report.sources_removed, "")));
    }
    let entries = prepared.entries_removed.iter().filter(|entry| report.sources_removed.contains(&entry.id));
    let removed: Vec<&str> =
        report.removed.iter().chain(entries.map(|entry| &entry.path)).map(String::as_str).collect();
    text.push_str(&listed("obsolete file", "removed", &removed));
    text.push_str(&edited(desk, prepared, &report.edited));
    text.push_str(&left_over(prepared));
    let all = prepared.sources;
    let total = all.note + all.comment + all.model + all.fallback;
    // It counts what was prepared.
    if total > 0 && !report.is_ended {
        text.push_str(&format!(
            "Descriptions: {} from notes, {} from comments, {} by rule.\n",
            grouped(all.note),
            grouped(all.comment),
            grouped(all.fallback)
        ));
    }
    text
}

/// `db-shop-sales, db-shop-stock`; of many, the first ones and how to see the others.
fn ids(sources: &[String], others: &str) -> String {
    let shown = sources.get(..SHOWN).unwrap_or(sources).join(", ");
    let more = match sources.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {} more{others}", grouped(more)),
    };
    format!("{}{more}", one_line(&shown))
}

fn document(desk: &Desk, prepared: &Documentation, report: &DocumentReport) -> Value {
    let status = if report.failed.is_empty() && prepared.failed.is_empty() { "success" } else { "error" };
    let edited: Vec<Value> = report
        .edited
        .iter()
        .map(|path| {
            let page = prepared.pages.iter().find(|it| it.page.path == *path).map(|it| &it.page);
            let diff = page.and_then(|page| desk.propose_page(page).ok()).map(|proposal| proposal.diff.unified());
            json!({"path": path, "diff": diff})
        })
        .collect();
    let manifest = desk.manifest(&prepared.docs_path).ok().flatten();
    json!({
        "status": status, "written": report.written, "unchanged": report.unchanged, "left_out": prepared.left_out(),
        "removed": report.removed,
        "edited": edited, "left_over": prepared.left_over, "sources": report.sources, "sources_removed": report.sources_removed,
        "failed": report.failed, "unread": failed_json(&prepared.failed),
        "manifest": manifest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_many_sources_are_named() {
        let sources = |count: usize| (0..count).map(|at| format!("s{at}")).collect::<Vec<_>>();
        assert_eq!(ids(&sources(2), ", which a list shows"), "s0, s1");
        let all = sources(SHOWN + 3);
        assert!(ids(&all, ", which a list shows").ends_with(", s11, and 3 more, which a list shows"));
        assert!(ids(&all, "").ends_with(", s11, and 3 more"), "a list does not show what is gone");
    }
}
