//! The pages listed in the documenter's manifest. The manifest comes with the repository, so a file counts as a page
//! only in folders where refdesk writes pages, and data about a table is read from its JSON page.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;
use refdesk_database::config::is_name;
use refdesk_database::documenter::ManifestFile;
use refdesk_database::names::file_names::is_file_name;
use refdesk_database::schema::diff::is_stale;
use refdesk_database::schema::page::{PAGE_BYTES, PageKind, is_page_path, metadata_hash};
use refdesk_database::schema::table_doc::TableDoc;
use refdesk_database::snapshot::full_name;
use refdesk_files::name::sha256_hex;
use refdesk_files::{Stamp, stamp};
use refdesk_text::escape::one_line;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error, Fix};
use serde::Serialize;
use serde_json::error::Category;

use super::files::bytes_below;

/// The most tables of a database.
const TABLES: usize = 20_000;

/// The most databases.
const DATABASES: usize = 64;

/// The most columns of a table.
const COLUMNS: usize = 2_000;

/// A table with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablePage {
    /// Its database.
    pub database: String,
    /// Its domain.
    pub domain: String,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub table: String,
    /// The human-readable page, relative to the workspace.
    pub path: String,
    /// The JSON page, relative to the workspace.
    pub data: String,
    /// The hash of the human-readable page as written; `None` if the manifest does not list it.
    pub hash: Option<String>,
}

/// A domain with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainPage {
    /// Its database.
    pub database: String,
    /// Its name.
    pub domain: String,
    /// Its page, relative to the workspace.
    pub path: String,
    /// The hash of the page as written.
    pub hash: Option<String>,
    /// The positions of its tables.
    pub tables: Vec<usize>,
}

/// The kind of a file in the pages folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFile {
    /// The JSON page of a table.
    Data,
    /// The human-readable page of the table at this position.
    Table(usize),
    /// The page of the domain at this position.
    Domain(usize),
}

/// All documented pages.
#[derive(Debug, Default)]
pub struct DocumentedPages {
    workspace: PathBuf,
    /// The resolved path of the pages folder.
    pub(super) folder: PathBuf,
    /// Changes whenever the set of pages changes.
    pub(super) version: String,
    /// In the order of the manifest.
    pub tables: Vec<TablePage>,
    /// Sorted by database, then by name.
    pub domains: Vec<DomainPage>,
    /// Why the manifest, and so every page, cannot be used.
    pub(super) problem: Option<Box<Diagnostic>>,
    /// The page of each database.
    pub(super) overviews: HashMap<String, String>,
    /// Files by path within the folder.
    files: HashMap<String, PageFile>,
    /// JSON pages read before, with the stamps of their files.
    docs: Mutex<HashMap<usize, (Stamp, Arc<TableDoc>)>>,
    /// The stamps with which pages could be used. Their contents are kept only where an answer needed them.
    sound: Mutex<HashMap<usize, Stamp>>,
}

/// A JSON page that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamagedPage {
    /// Its database.
    pub database: String,
    /// `schema.table`.
    pub table: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The contents of JSON pages.
#[derive(Debug, Default)]
pub struct ReadPages<'p> {
    /// Each with its table and that table's position.
    pub docs: Vec<(usize, &'p TablePage, Arc<TableDoc>)>,
    /// The pages that cannot be used.
    pub damaged: Vec<DamagedPage>,
}

impl DamagedPage {
    /// One error for all these pages, for when they prevent an answer; `None` if there are none.
    pub(super) fn error(pages: &[Self], what: &str) -> Option<Error> {
        let first = pages.first()?;
        let more = match pages.len() - 1 {
            0 => String::new(),
            1 => ", and so is 1 other page".to_owned(),
            more => format!(", and so are {}", counted(more, "other page")),
        };
        let message = format!("{what}: {} is damaged: {}{more}", first.path, first.problem);
        Some(Error::new(Code::Damaged, message, first.fix()))
    }

    /// Reports the damage as a problem of the workspace.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("the JSON page of {} is damaged: {}", one_line(&self.table), self.problem);
        Diagnostic::warning(Code::Damaged, message).in_file(self.path.clone()).fix(self.fix())
    }

    fn fix(&self) -> Fix {
        Fix::RewritePages(self.database.clone())
    }
}

/// What is wrong with a JSON file that should `list pages` or the like, without the parser's message, which would quote
/// the file.
pub(super) fn json_problem(text: &[u8], error: &serde_json::Error, what: &str) -> String {
    let mut lines = text.split(|byte| *byte == b'\n');
    if let Some(at) = lines.position(|line| line.starts_with(b"<<<<<<< ")) {
        return format!("it has a merge conflict at line {}", at + 1);
    }
    let place = format!("line {}, column {}", error.line(), error.column());
    match error.classify() {
        Category::Data => format!("it does not {what} at {place}"),
        Category::Eof => format!("it ends too early, at {place}"),
        Category::Syntax | Category::Io => format!("it is not JSON at {place}"),
    }
}

/// Parses the JSON page at this path, of the table `schema.table`.
///
/// # Errors
/// What is wrong with it, without the parser's message, which would quote the page.
pub(super) fn parse(page: &[u8], table: &str, path: &str) -> Result<TableDoc, String> {
    if page.len() > PAGE_BYTES {
        return Err(format!("it is larger than {} KiB", PAGE_BYTES / 1024));
    }
    let doc: TableDoc = serde_json::from_slice(page).map_err(|error| json_problem(page, &error, "describe a table"))?;
    let name = Path::new(path).file_stem().and_then(OsStr::to_str).unwrap_or_default();
    if doc.fully_qualified_name != table || !is_file_name(name, table) {
        return Err("it describes another table".to_owned());
    }
    if doc.columns.len() > COLUMNS {
        return Err(format!("it has more than {COLUMNS} columns"));
    }
    Ok(doc)
}

impl TablePage {
    /// `schema.table`.
    pub(super) fn full_name(&self) -> String {
        full_name(&self.schema, &self.table)
    }
}

impl DocumentedPages {
    /// The pages among the files listed in a manifest.
    pub(super) fn of(workspace: &Path, docs_path: &str, files: &[ManifestFile]) -> Self {
        let workspace = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        let folder = workspace.join(docs_path);
        let mut pages = Self { workspace, folder, ..Self::default() };
        let is_page = |path: &str, database: &str| is_name(database) && is_page_path(path, docs_path, database);
        let listed: Vec<&ManifestFile> = files.iter().filter(|file| is_page(&file.path, &file.database)).collect();
        let listed = || listed.iter().copied();
        let hashes: HashMap<&str, &str> =
            listed().map(|file| (file.path.as_str(), file.content_hash.as_str())).collect();
        let hash = |path: &str| hashes.get(path).map(|hash| (*hash).to_owned());
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let (mut seen, mut paths) = (HashSet::new(), HashSet::new());
        for file in listed() {
            let (Some(schema), Some(table), Some(domain)) = (&file.schema, &file.table, &file.domain) else { continue };
            let Some(stem) = file.path.strip_suffix(".json") else { continue };
            let is_in_domain = is_in_folder(&file.path, [docs_path, &file.database, domain, "tables"]);
            let is_new = seen.insert((file.database.as_str(), schema.as_str(), table.as_str()))
                && paths.insert(file.path.as_str());
            let is_known = counts.contains_key(file.database.as_str());
            if !is_in_domain || !is_new || (!is_known && counts.len() >= DATABASES) {
                continue;
            }
            let count = counts.entry(&file.database).or_default();
            *count += 1;
            if *count > TABLES {
                continue;
            }
            let path = format!("{stem}.md");
            pages.tables.push(TablePage {
                database: file.database.clone(),
                domain: domain.clone(),
                schema: schema.clone(),
                table: table.clone(),
                hash: hash(&path),
                path,
                data: file.path.clone(),
            });
        }
        let mut domains: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (at, table) in pages.tables.iter().enumerate() {
            domains.entry((&table.database, &table.domain)).or_default().push(at);
        }
        let listed_domains: HashSet<&str> =
            listed().filter(|file| file.kind == PageKind::Domain).map(|file| file.path.as_str()).collect();
        let domains = domains.into_iter().map(|((database, domain), tables)| {
            let path = format!("{docs_path}/{database}/{domain}/README.md");
            let hash = hash(&path).filter(|_| listed_domains.contains(path.as_str()));
            DomainPage { database: database.to_owned(), domain: domain.to_owned(), path, hash, tables }
        });
        pages.domains = domains.collect();
        let overviews = listed().filter(|file| file.kind == PageKind::Overview && file.path.ends_with(".md"));
        pages.overviews = overviews.map(|file| (file.database.clone(), file.path.clone())).collect();
        let below = |path: &str| path.strip_prefix(docs_path).unwrap_or(path).trim_start_matches('/').to_owned();
        let mut files = HashMap::with_capacity(2 * pages.tables.len() + pages.domains.len());
        for (at, table) in pages.tables.iter().enumerate() {
            files.insert(below(&table.data), PageFile::Data);
            files.insert(below(&table.path), PageFile::Table(at));
        }
        for (at, domain) in pages.domains.iter().enumerate() {
            files.insert(below(&domain.path), PageFile::Domain(at));
        }
        pages.files = files;
        pages.version = pages.hash();
        pages
    }

    /// A hash of which files are pages and of their contents as written.
    fn hash(&self) -> String {
        let mut text = String::new();
        let tables = self.tables.iter().map(|table| (&table.path, &table.hash));
        for (path, hash) in tables.chain(self.domains.iter().map(|domain| (&domain.path, &domain.hash))) {
            text.push_str(&format!("{path}\n{hash:?}\n"));
        }
        sha256_hex(text.as_bytes())
    }

    /// What a file is, by its resolved path; `None` if it is not a page.
    pub(super) fn file(&self, path: &Path) -> Option<PageFile> {
        self.files.get(path.strip_prefix(&self.folder).ok()?.to_str()?).copied()
    }

    /// Whether no table has a page.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The position of a table.
    pub fn position(&self, database: &str, schema: Option<&str>, table: Option<&str>) -> Option<usize> {
        let is_meant = |page: &TablePage| {
            page.database == database && schema == Some(page.schema.as_str()) && table == Some(page.table.as_str())
        };
        self.tables.iter().position(is_meant)
    }

    /// The table that this human-readable page of a database describes.
    pub(super) fn table_of(&self, database: &str, path: &str) -> Option<&TablePage> {
        self.tables.iter().find(|table| table.path == path && table.database == database)
    }

    /// The absolute path of a path relative to the workspace.
    pub(super) fn real(&self, path: &str) -> PathBuf {
        self.workspace.join(path)
    }

    /// The contents of a table's page; `None` if it is damaged.
    pub fn doc(&self, table: &TablePage) -> Option<TableDoc> {
        self.read_doc(table).ok()
    }

    /// The contents of the JSON page at this path, which need not be in the manifest; `None` if it is unreadable or
    /// damaged.
    pub(super) fn doc_at(&self, path: &str) -> Option<TableDoc> {
        let (bytes, _) = bytes_below(&self.workspace, path, PAGE_BYTES as u64 + 1).ok()??;
        let doc: TableDoc = serde_json::from_slice(&bytes).ok()?;
        parse(&bytes, &doc.fully_qualified_name, path).ok()
    }

    /// The contents of a table's page.
    ///
    /// # Errors
    /// What is wrong with the page, without quoting it: the reader may not be allowed to read it.
    pub(super) fn read_doc(&self, table: &TablePage) -> Result<TableDoc, DamagedPage> {
        let damaged = |problem: String| DamagedPage {
            database: table.database.clone(),
            table: table.full_name(),
            path: table.data.clone(),
            problem,
        };
        match bytes_below(&self.workspace, &table.data, PAGE_BYTES as u64 + 1) {
            Ok(Some((bytes, _))) => parse(&bytes, &table.full_name(), &table.data).map_err(damaged),
            Ok(None) => Err(damaged("it is missing".to_owned())),
            Err(error) => Err(damaged(error.to_string())),
        }
    }

    /// The hash of the definition from which a table's page was written.
    pub(super) fn metadata_hash(&self, table: &TablePage) -> Option<String> {
        let (bytes, _) = bytes_below(&self.workspace, &table.path, PAGE_BYTES as u64 * 4).ok()??;
        metadata_hash(&bytes)
    }

    /// The tables of a database that changed after their pages were written; `now` has the current hashes of their
    /// definitions.
    pub(super) fn stale(&self, database: &str, now: &BTreeMap<String, String>) -> Vec<String> {
        let own = self.tables.iter().filter(|table| table.database == database);
        let names = own.filter(|table| {
            let now = now.get(&table.full_name()).map(String::as_str);
            is_stale(self.metadata_hash(table).as_deref(), now)
        });
        names.map(TablePage::full_name).collect()
    }

    /// The contents of the pages of the tables at these positions, and the damaged ones. Unchanged pages are not read
    /// again.
    pub(super) fn docs(&self, tables: &[usize], now: SystemTime) -> ReadPages<'_> {
        let mut known = self.docs.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |at: &usize| {
            let table = self.tables.get(*at)?;
            let stamp = stamp(&self.workspace.join(&table.data)).ok();
            let doc = match known.get(at) {
                Some((before, doc)) if Some(*before) == stamp => Ok(doc.clone()),
                _ => self.read_doc(table).map(Arc::new),
            };
            Some((*at, table, stamp, doc))
        };
        let found: Vec<_> = tables.par_iter().filter_map(read).collect();
        let mut pages = ReadPages::default();
        for (at, table, stamp, doc) in found {
            match doc {
                Ok(doc) => {
                    // A file written very recently could change again without changing its stamp.
                    if let Some(stamp) = stamp.filter(|stamp| stamp.has_settled(now)) {
                        known.insert(at, (stamp, doc.clone()));
                    }
                    pages.docs.push((at, table, doc));
                }
                Err(page) => pages.damaged.push(page),
            }
        }
        pages
    }

    /// The JSON pages that cannot be used. Unchanged pages are not read again.
    pub(super) fn damaged(&self, now: SystemTime) -> Vec<DamagedPage> {
        let mut sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |(at, table): (usize, &TablePage)| {
            let stamp = stamp(&self.workspace.join(&table.data)).ok();
            let is_known = stamp.is_some() && sound.get(&at) == stamp.as_ref();
            (!is_known).then(|| (at, stamp.filter(|stamp| stamp.has_settled(now)), self.read_doc(table).err()))
        };
        let found: Vec<_> = self.tables.par_iter().enumerate().filter_map(read).collect();
        let mut damaged = Vec::new();
        for (at, stamp, problem) in found {
            match (problem, stamp) {
                (Some(page), _) => damaged.push(page),
                (None, Some(stamp)) => drop(sound.insert(at, stamp)),
                (None, None) => {}
            }
        }
        damaged
    }

    /// The text of a page, and whether it differs from what refdesk wrote; `None` if it cannot be read.
    pub(super) fn prose(&self, path: &str, hash: Option<&String>) -> Option<(String, bool)> {
        let (bytes, _) = bytes_below(&self.workspace, path, PAGE_BYTES as u64 * 4).ok()??;
        let is_edited = hash.is_none_or(|hash| *hash != sha256_hex(&bytes));
        Some((String::from_utf8_lossy(&bytes).into_owned(), is_edited))
    }
}

/// Whether a path is inside these nested folders.
fn is_in_folder(path: &str, folders: [&str; 4]) -> bool {
    folders.iter().try_fold(path, |rest, folder| rest.strip_prefix(folder)?.strip_prefix('/')).is_some()
}
