//! Compares the pages of a run with the files at their paths: each page is written, up to date, or left alone because a
//! person edited it.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;
use refdesk_database::documenter::{self, GeneratedPages, PageAction};
use refdesk_database::schema::page::Page;
use refdesk_database::snapshot::TableName;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::{self, PriorContent, Proposal, Scope};
use refdesk_files::{EntryKind, link_on_path};
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

use super::documentation::{DocumentOptions, Documentation};
use super::documented_pages::{DamagedPage, parse};
use super::files::bytes_below;
use crate::Desk;

/// The most bytes of an existing file that are compared.
pub(super) const FOUND_BYTES: u64 = 16 * 1024 * 1024;

/// A page and what to do with it.
#[derive(Debug)]
pub struct DocumentedPage {
    /// The page.
    pub page: Page,
    /// Its action.
    pub action: PageAction,
    /// Whether something exists at its path.
    pub is_there: bool,
    pub(super) before: PriorContent,
    /// Whether refdesk wrote the existing file.
    pub(super) is_own: bool,
}

impl Desk {
    /// Compares pages with the files at their paths, and decides what to do with each. Pages of locked tables stay,
    /// since their definitions could not be read completely.
    pub(super) fn compare_pages(
        &self,
        run: &mut Documentation,
        pages: Vec<Page>,
        locked: &BTreeSet<TableName>,
        options: &DocumentOptions,
    ) {
        let (workspace, own) = (self.workspace(), &run.own);
        let compare = |page: Page| compared(workspace, page, own, options.overwrite_edited);
        let compared: Vec<(DocumentedPage, Option<Diagnostic>)> = pages.into_par_iter().map(compare).collect();
        for (mut it, problem) in compared {
            run.problems.extend(problem);
            let DocumentedPage { page, action, is_own, .. } = &mut it;
            let is_locked = page.table.as_ref().is_some_and(|table| locked.contains(table));
            let is_wanted = !is_locked
                && page.table.as_ref().is_none_or(|table| {
                    options.only.as_ref().is_none_or(|only| only.matches_table(&table.schema, &table.name))
                });
            let is_redone =
                || options.fresh && run.interrupted.as_ref().is_some_and(|it| it.written.contains_key(&page.path));
            *action = match *action {
                PageAction::Keep if is_wanted && is_redone() => PageAction::Write,
                PageAction::Write if is_locked && *is_own => PageAction::Keep,
                PageAction::Write if !is_wanted => PageAction::LeftOut,
                action => action,
            };
            if *action == PageAction::Edited {
                run.edited.push(page.path.clone());
            }
            run.pages.push(it);
        }
    }

    /// The bytes of a page; `None` if it does not exist or cannot be read.
    pub(super) fn page_bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.bytes_below(path, FOUND_BYTES).ok().flatten().map(|(bytes, _)| bytes)
    }

    /// A proposal for writing a file at a path relative to the workspace, without following links.
    pub(super) fn propose_below(&self, path: &str, text: &str) -> Result<Proposal, Error> {
        if let Some(link) = link_on_path(self.workspace(), Path::new(path), EntryKind::File) {
            return Err(link);
        }
        output::propose(self.workspace(), self.workspace(), path, text, Scope::Workspace)
    }

    /// A proposal for overwriting an edited page.
    ///
    /// # Errors
    /// The page may not be written.
    pub fn propose_page(&self, page: &Page) -> Result<Proposal, Error> {
        self.propose_below(&page.path, &page.text)
    }
}

/// Compares a page with the file at its path; also returns the problem with that file if a person edited it.
fn compared(
    workspace: &Path,
    page: Page,
    own: &GeneratedPages,
    overwrite_edited: bool,
) -> (DocumentedPage, Option<Diagnostic>) {
    let read = bytes_below(workspace, &page.path, FOUND_BYTES);
    // Writing over an unreadable file fails, but only for this page.
    let is_unreadable = read.is_err();
    let found = read.ok().flatten().map(|(bytes, _)| bytes);
    let action = documenter::action(&page, found.as_deref(), own, overwrite_edited);
    let is_own = found.as_ref().is_some_and(|bytes| match action {
        // The file states that refdesk wrote it, as the new page does.
        PageAction::Keep => own.has_hash(&page.path, bytes),
        _ => own.has(&page.path, bytes),
    });
    let before = match &found {
        None => PriorContent::Nothing,
        Some(bytes) => PriorContent::File { size: bytes.len() as u64, hash: sha256_hex(bytes) },
    };
    let problem = (action == PageAction::Edited).then(|| damaged(&page, found.as_deref())).flatten();
    (DocumentedPage { page, action, is_there: found.is_some() || is_unreadable, before, is_own }, problem)
}

/// The problem with an edited JSON page, if it cannot be used.
fn damaged(page: &Page, found: Option<&[u8]>) -> Option<Diagnostic> {
    let table = page.table.as_ref().filter(|_| page.path.ends_with(".json"))?.full();
    let problem = parse(found?, &table, &page.path).err()?;
    Some(DamagedPage { database: page.database.clone(), table, path: page.path.clone(), problem }.diagnostic())
}
