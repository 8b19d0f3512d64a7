//! The pages of a database: an overview, one per domain, and two per table, one for people and one in JSON for
//! programs. The same input gives the same bytes, so a page contains no time.

mod diagram;
mod overview;
mod table;

use std::collections::BTreeMap;

use rayon::prelude::*;
use refdesk_text::generated::{self, GENERATOR};
use serde::{Deserialize, Serialize};

use super::source_ids::SourceIds;
use super::table_doc::TableDoc;
use crate::config::{DatabaseConfig, is_pages_folder};
use crate::names::file_names::{file_names, is_file_name};
use crate::names::words::is_slug;
use crate::snapshot::{Table, TableName};

/// Most bytes of a page.
pub const PAGE_BYTES: usize = 512 * 1024;

/// The maximum size in bytes of a page's front matter, which contains the names of table, schema and database.
const FRONT_MATTER: usize = 64 * 1024;

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageKind {
    /// A table.
    Table,
    /// A domain.
    Domain,
    /// A database.
    Overview,
    /// Joins.
    Relationship,
}

/// A page before it is a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
    /// What it is about.
    pub kind: PageKind,
    /// Its database.
    pub database: String,
    /// Its table, `schema.table`.
    pub table: Option<TableName>,
    /// Its domain.
    pub domain: Option<String>,
    /// Whether descriptions or lists were cut to keep it within its limit.
    pub is_shortened: bool,
}

/// The input of a database's pages.
#[derive(Debug, Clone, Copy)]
pub struct PagesInput<'a> {
    /// Its configuration.
    pub config: &'a DatabaseConfig,
    /// The folder of all pages, relative to the workspace.
    pub docs_path: &'a str,
    /// Its tables, and what is written about each.
    pub tables: &'a [(&'a Table, TableDoc)],
    /// The domain of each table that gets a page.
    pub domains: &'a BTreeMap<TableName, String>,
    /// The ids of domains and tables.
    pub ids: &'a SourceIds,
}

/// A table with what its page needs.
struct PageTable<'a> {
    pub table: &'a Table,
    pub doc: &'a TableDoc,
    pub domain: &'a str,
    /// The name of its files, without an extension.
    pub file: &'a str,
}

/// All pages of a database with their link targets.
struct PageSet<'a> {
    pub config: &'a DatabaseConfig,
    pub docs_path: &'a str,
    pub ids: &'a SourceIds,
    /// In the order of the snapshot.
    pub subjects: Vec<PageTable<'a>>,
    /// By `schema.table`: the position in `subjects`.
    positions: BTreeMap<String, usize>,
}

/// The folder of a domain's pages.
pub(crate) fn domain_folder(docs_path: &str, database: &str, domain: &str) -> String {
    format!("{docs_path}/{database}/{domain}")
}

/// The pages of a database: its overview, then each domain with its tables.
pub fn pages(input: &PagesInput<'_>) -> Vec<Page> {
    let names = file_names(input.domains.keys());
    let subjects: Vec<PageTable<'_>> = input
        .tables
        .iter()
        .filter_map(|(table, doc)| {
            let name = table.table_name();
            let (domain, file) = (input.domains.get(&name)?, names.get(&name)?);
            Some(PageTable { table, doc, domain, file })
        })
        .collect();
    let positions = subjects.iter().enumerate().map(|(at, it)| (it.doc.fully_qualified_name.clone(), at)).collect();
    let page_set = PageSet { config: input.config, docs_path: input.docs_path, ids: input.ids, subjects, positions };
    let mut pages = vec![overview::overview(&page_set)];
    let mut domains: Vec<&str> = page_set.subjects.iter().map(|it| it.domain).collect();
    domains.sort_unstable();
    domains.dedup();
    pages.extend(domains.iter().map(|domain| overview::domain(&page_set, domain)));
    pages.par_extend(page_set.subjects.par_iter().flat_map_iter(|subject| table::pages(&page_set, subject)));
    pages
}

impl PageSet<'_> {
    /// The tables of a domain.
    fn of_domain<'b>(&'b self, domain: &'b str) -> impl Iterator<Item = &'b PageTable<'b>> {
        self.subjects.iter().filter(move |it| it.domain == domain)
    }

    /// The table of this full name, if it has a page.
    fn subject(&self, full_name: &str) -> Option<&PageTable<'_>> {
        self.subjects.get(*self.positions.get(full_name)?)
    }

    fn folder(&self, domain: &str) -> String {
        domain_folder(self.docs_path, &self.config.name, domain)
    }
}

/// Whether refdesk writes a page of this database at this path.
pub fn is_page_path(path: &str, docs_path: &str, database: &str) -> bool {
    let Some(below) = path.strip_prefix(docs_path).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let is_file = |name: &str| {
        let stem = name.strip_suffix(".md").or_else(|| name.strip_suffix(".json"));
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        stem.is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.') && stem.bytes().all(is_plain))
    };
    match below.split('/').collect::<Vec<_>>().as_slice() {
        [own, "README.md"] => *own == database,
        [own, domain, "README.md"] => *own == database && is_slug(domain),
        [own, domain, "tables", file] => *own == database && is_slug(domain) && is_file(file),
        _ => false,
    }
}

/// The folder of all pages, if this path could be a page of this database in it.
pub fn folder_of_page<'p>(path: &'p str, database: &str) -> Option<&'p str> {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    folders.filter(|folder| is_pages_folder(folder)).find(|folder| is_page_path(path, folder, database))
}

/// Whether these bytes identify themselves as written by refdesk: a page for people in its front matter, a JSON page by
/// describing the table that its file is named after.
pub fn is_generated(path: &str, bytes: &[u8]) -> bool {
    if let Some(path) = path.strip_suffix(".json") {
        let name = path.rsplit('/').next().unwrap_or_default();
        return serde_json::from_slice::<TableDoc>(bytes)
            .is_ok_and(|doc| is_file_name(name, &doc.fully_qualified_name));
    }
    generated::is_generated(&String::from_utf8_lossy(bytes))
}

/// The hash of the definition recorded in a table's page for people.
pub fn metadata_hash(page: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(page.get(..page.len().min(FRONT_MATTER))?).into_owned();
    let line = head.lines().skip(1).take_while(|line| *line != "---").find_map(|it| it.strip_prefix("metadata_hash: "));
    line.map(|hash| hash.trim_matches('"').to_owned())
}

/// The lines between `---` at the beginning of a page.
fn front_matter(members: &[(&str, &str)]) -> String {
    let lines: Vec<String> =
        members.iter().map(|(key, value)| format!("{key}: {}\n", super::markup::yaml(value))).collect();
    format!("---\n{}---\n\n", lines.concat())
}

#[cfg(test)]
mod tests;
