//! What a reader may know about the documented databases. A person may know about all of them. An agent may know about
//! every table that a person has not excluded and that needs no trust, but may read only the pages its session may
//! read.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use refdesk_core::catalog::Source;
use refdesk_core::selection::Access;
use refdesk_database::config::DatabaseConfig;
use refdesk_database::schema::describe::named;
use refdesk_database::schema::table_doc::{DescriptionSource, TableDoc};
use refdesk_text::escape::one_line;
use refdesk_text::names::{either, first_of};
use refdesk_text::nearest::did_you_mean;
use refdesk_text::shorten::shortened_at_word;
use refdesk_text::{Code, Error, Fix};
use serde::Serialize;

use super::AnswerSources;
use crate::databases::documented_pages::{DocumentedPages, TablePage};
use crate::search::may_read;
use crate::{CompleteDesk, Desk, SearchReader, Session};

/// The most characters of a table's one-line description.
const LINE: usize = 200;

/// The most names listed in a message.
pub(super) const NAMED: usize = 8;

/// The documented databases as one reader sees them.
#[derive(Debug)]
pub struct DatabaseView {
    pub(super) pages: Arc<DocumentedPages>,
    /// One per table of the pages; `None` if the reader may not know about it.
    tables: Vec<Option<TableAccess>>,
    /// The positions of the tables that the reader may not know about because a person excluded their source.
    excluded: Vec<usize>,
    pub(super) now: SystemTime,
}

/// What the reader may know about a table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TableAccess {
    /// The source that contains its page.
    source: Option<String>,
    is_readable: bool,
}

/// A one-line summary of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableBrief {
    /// Its database.
    pub database: String,
    /// Its domain.
    pub domain: String,
    /// `schema.table`.
    pub table: String,
    /// What it is, in one line.
    pub description: String,
    /// The source that contains its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// Whether the reader may read the page.
    pub readable: bool,
}

impl CompleteDesk<'_> {
    /// The documented databases as this reader sees them.
    ///
    /// # Errors
    /// The reader may not know about any.
    pub(super) fn database_view(&self, session: &Session, reader: SearchReader) -> Result<DatabaseView, Error> {
        match reader {
            SearchReader::Person => self.whole_database_view(),
            SearchReader::Agent => self.database_view_with(Some(&self.access(session))),
        }
    }
}

impl Desk {
    /// The documented databases as a person sees them.
    ///
    /// # Errors
    /// No database is documented.
    pub fn whole_database_view(&self) -> Result<DatabaseView, Error> {
        self.database_view_with(None)
    }

    pub(in crate::databases) fn database_view_with(&self, access: Option<&Access>) -> Result<DatabaseView, Error> {
        let docs_path = &self.databases().0.docs_path;
        let none = || {
            let config = self.databases().0;
            let is_configured = !config.databases.is_empty() || !config.wrong.is_empty();
            let fix = if is_configured { Fix::DocumentDatabases } else { Fix::ConfigureDatabases };
            let pages = self.workspace().join(docs_path);
            // A run writes the manifest last.
            let is_begun = |database: &DatabaseConfig| pages.join(&database.name).is_dir();
            let has_manifest = matches!(self.manifest(docs_path), Ok(Some(_)));
            if self.is_narrowed() && !self.documented_pages().is_empty() {
                let message = "the profile leaves out the sources of the database pages";
                Error::new(Code::NotDocumented, message, Fix::ListProfiles)
            } else if has_manifest && self.documented_pages().is_empty() {
                Error::new(Code::NotDocumented, "the documented databases have no tables", fix)
            } else if !has_manifest && config.databases.iter().any(is_begun) {
                let message = format!("the database pages in {docs_path} are not complete yet");
                Error::new(Code::NotDocumented, message, "document the databases; pages already written are kept")
            } else {
                let message = format!("there are no database pages in {docs_path}");
                Error::new(Code::NotDocumented, message, fix)
            }
        };
        let view = self.documented_for(access);
        if view.pages.is_empty() {
            self.unlinked_pages()?;
            // If the manifest is unreadable, report why.
            if let Some(problem) = self.manifest_problem() {
                let file = problem.file.map_or_else(String::new, |file| format!("{file}: "));
                return Err(Error::new(problem.code, format!("{file}{}", problem.message), problem.fix));
            }
        }
        if view.has_tables() {
            return Ok(view);
        }
        Err(match self.pages_without_source() {
            Some(problem) => Error::new(problem.code, problem.message, problem.fix),
            None if !view.excluded.is_empty() => exclusion_error(Code::NotDocumented, "sources of the database pages"),
            None => none(),
        })
    }

    /// The documented databases as seen with this access, or by a person if `None`; empty if the reader may not know
    /// about any.
    pub(crate) fn documented_for(&self, access: Option<&Access>) -> DatabaseView {
        let pages = self.documented_pages();
        let waits_for_trust = self.waiting_for_trust();
        let is_excluded = |source: &Source| access.is_some() && self.selection.is_excluded(source.id.as_str());
        let mut places: HashMap<PathBuf, Vec<&Source>> = HashMap::new();
        let mut excluded_places: HashSet<PathBuf> = HashSet::new();
        for source in self.catalog.sources() {
            let Some(place) = source.place() else { continue };
            if is_excluded(source) {
                excluded_places.insert(place.resolved.to_path_buf());
            } else if access.is_none() || !waits_for_trust(source) {
                places.entry(place.resolved.to_path_buf()).or_default().push(source);
            }
        }
        let access_to = |table: &TablePage| access_of(&pages.real(&table.path), &places, access);
        let tables: Vec<Option<TableAccess>> = pages.tables.iter().map(access_to).collect();
        let is_in_excluded = |table: &TablePage| {
            let page = pages.real(&table.path);
            page.ancestors().any(|folder| excluded_places.contains(folder))
        };
        let unknown = (0..).zip(pages.tables.iter().zip(&tables)).filter(|(_, (_, access))| access.is_none());
        let excluded = unknown.filter(|(_, (table, _))| is_in_excluded(table)).map(|(at, _)| at).collect();
        DatabaseView { tables, excluded, pages, now: (self.options.clock)() }
    }
}

/// Whether a reader may read a page: yes if any source that contains it is readable; otherwise the innermost source is
/// the one to select.
fn access_of(page: &Path, places: &HashMap<PathBuf, Vec<&Source>>, access: Option<&Access>) -> Option<TableAccess> {
    let sources: Vec<&Source> = page.ancestors().filter_map(|path| places.get(path)).flatten().copied().collect();
    let Some(access) = access else {
        return Some(TableAccess { source: sources.first().map(|source| source.id.to_string()), is_readable: true });
    };
    let path = page.to_string_lossy();
    let readable = sources.iter().find(|source| may_read(access, source, &path));
    let source = readable.or(sources.first())?;
    Some(TableAccess { source: Some(source.id.to_string()), is_readable: readable.is_some() })
}

impl DatabaseView {
    /// Whether a table's page is in a source of the catalog.
    pub(in crate::databases) fn has_source(&self) -> bool {
        self.tables.iter().flatten().any(|table| table.source.is_some())
    }

    /// Whether the reader may know about any table.
    fn has_tables(&self) -> bool {
        self.tables.iter().any(Option::is_some)
    }

    /// The positions of the tables in this database and domain that the reader may know about.
    pub(super) fn tables(&self, database: Option<&str>, domain: Option<&str>) -> Vec<usize> {
        self.tables_of(database, domain).filter(|at| self.is_known(*at)).collect()
    }

    /// Whether this database and domain have tables that the reader may not know about.
    pub(super) fn has_hidden(&self, database: Option<&str>, domain: Option<&str>) -> bool {
        self.tables_of(database, domain).any(|at| !self.is_known(at))
    }

    fn tables_of(&self, database: Option<&str>, domain: Option<&str>) -> impl Iterator<Item = usize> {
        let is_wanted = move |table: &TablePage| {
            database.is_none_or(|name| name == table.database) && domain.is_none_or(|name| name == table.domain)
        };
        (0..).zip(&self.pages.tables).filter(move |(_, table)| is_wanted(table)).map(|(at, _)| at)
    }

    /// The database and the domain with these names, as they are written in the pages. Case is ignored if it leaves only
    /// one.
    ///
    /// # Errors
    /// The reader knows none with this name; the fix lists the known names.
    pub(crate) fn resolve(
        &self,
        database: Option<&str>,
        domain: Option<&str>,
    ) -> Result<(Option<&str>, Option<&str>), Error> {
        let database = database.map(|name| {
            let names: BTreeSet<&str> = self.known().map(|table| table.database.as_str()).collect();
            let message = || format!("no documented database is named '{}'", one_line(name));
            let unknown = || Error::new(Code::UnknownDatabase, message(), suggest_name(name, &names, "database"));
            same_name(name, &names).ok_or_else(|| {
                let hidden = self.excluded_tables().map(|table| table.database.as_str()).collect();
                let hidden =
                    same_name(name, &hidden).map(|name| format!("sources of the database '{}'", one_line(name)));
                hidden.map_or_else(unknown, |what| exclusion_error(Code::UnknownDatabase, &what))
            })
        });
        let database = database.transpose()?;
        let domain = domain.map(|name| {
            let is_of = |table: &&TablePage| database.is_none_or(|database| database == table.database);
            let names: BTreeSet<&str> = self.known().filter(is_of).map(|table| table.domain.as_str()).collect();
            let of = database.map(|database| format!(" of '{}'", one_line(database))).unwrap_or_default();
            let message = || format!("no domain{of} is named '{}'", one_line(name));
            let unknown = || Error::new(Code::UnknownDomain, message(), suggest_name(name, &names, "domain"));
            same_name(name, &names).ok_or_else(|| {
                let hidden = self.excluded_tables().filter(is_of).map(|table| table.domain.as_str()).collect();
                let hidden = same_name(name, &hidden).map(|name| format!("source of the domain '{}'", one_line(name)));
                hidden.map_or_else(unknown, |what| exclusion_error(Code::UnknownDomain, &what))
            })
        });
        Ok((database, domain.transpose()?))
    }

    /// The tables the reader may know about.
    fn known(&self) -> impl Iterator<Item = &TablePage> {
        let all = self.pages.tables.iter().zip(&self.tables);
        all.filter(|(_, access)| access.is_some()).map(|(table, _)| table)
    }

    /// The tables of which a person excluded the source.
    fn excluded_tables(&self) -> impl Iterator<Item = &TablePage> {
        self.excluded.iter().filter_map(|at| self.page(*at))
    }

    /// Whether the reader may know about tables of several databases, so that an answer must name each table's
    /// database.
    pub fn has_several_databases(&self) -> bool {
        let mut databases = self.known().map(|table| &table.database);
        let first = databases.next();
        databases.any(|other| Some(other) != first)
    }

    pub(super) fn page(&self, at: usize) -> Option<&TablePage> {
        self.pages.tables.get(at)
    }

    pub(super) fn is_readable(&self, at: usize) -> bool {
        self.access(at).is_some_and(|access| access.is_readable)
    }

    pub(super) fn source(&self, at: usize) -> Option<&String> {
        self.access(at)?.source.as_ref()
    }

    pub(super) fn is_known(&self, at: usize) -> bool {
        self.access(at).is_some()
    }

    fn access(&self, at: usize) -> Option<&TableAccess> {
        self.tables.get(at)?.as_ref()
    }

    /// Records that a table's page is quoted, or must be selected first; returns whether it may be read.
    pub(super) fn quote(&self, at: usize, sources: &mut AnswerSources) -> bool {
        let Some(TableAccess { source: Some(source), is_readable }) = self.access(at) else {
            return self.is_readable(at);
        };
        let of = if *is_readable { &mut sources.quoted } else { &mut sources.select };
        if !of.contains(source) {
            of.insert(source.clone());
        }
        *is_readable
    }

    /// A one-line summary of a table.
    pub(super) fn brief(&self, at: usize, doc: Option<&TableDoc>) -> Option<TableBrief> {
        let page = self.page(at)?;
        let is_readable = self.is_readable(at);
        let said = doc.map(|doc| match doc.source {
            // A description by rule, and possibly one by a model, reveals columns and other tables.
            DescriptionSource::Fallback | DescriptionSource::Model if !is_readable => named(doc.kind, &page.table),
            _ => doc.first_sentence().to_owned(),
        });
        let said = one_line(&said.unwrap_or_default()).into_owned();
        Some(TableBrief {
            database: page.database.clone(),
            domain: page.domain.clone(),
            table: page.full_name(),
            description: shortened_at_word(&said, LINE),
            source_id: self.source(at).cloned(),
            readable: is_readable,
        })
    }

    /// Resolves a name to a table.
    ///
    /// # Errors
    /// The name is unknown or ambiguous.
    pub fn named(&self, name: &str) -> Result<usize, Error> {
        match self.candidates(name).as_slice() {
            [at] => Ok(*at),
            [] => Err(self.unknown(name)),
            several => Err(self.ambiguous(name, several)),
        }
    }

    /// Resolves two names to tables; if several databases have tables with these names, to two of the same database.
    pub(super) fn resolve_pair(&self, one: &str, other: &str) -> Result<(usize, usize), Error> {
        let (ones, others) = (self.candidates(one), self.candidates(other));
        for (name, found) in [(one, &ones), (other, &others)] {
            if found.is_empty() {
                return Err(self.unknown(name));
            }
        }
        if let ([one], [other]) = (ones.as_slice(), others.as_slice()) {
            return Ok((*one, *other));
        }
        let database = |at: &usize| self.page(*at).map(|page| page.database.as_str());
        let mut by_database: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
        for other in &others {
            by_database.entry(database(other)).or_default().push(*other);
        }
        let others_of = |one: &usize| by_database.get(&database(one)).into_iter().flatten();
        let mut together = ones.iter().flat_map(|one| others_of(one).map(move |other| (*one, *other)));
        match (together.next(), together.next()) {
            (Some(pair), None) => Ok(pair),
            _ if ones.len() > 1 => Err(self.ambiguous(one, &ones)),
            _ => Err(self.ambiguous(other, &others)),
        }
    }

    /// The tables a name may refer to. Uses the first interpretation that matches a table: with database and schema,
    /// with schema, only the table, with database, with domain; each case-sensitively, then ignoring case. Case never
    /// decides between databases: a name that matches exactly in one of them and in another case in another refers to
    /// both tables.
    fn candidates(&self, name: &str) -> Vec<usize> {
        self.candidates_among(self.tables(None, None), name)
    }

    fn candidates_among(&self, positions: Vec<usize>, name: &str) -> Vec<usize> {
        let parts = parts(name);
        let of = |page: &TablePage| -> [Vec<String>; 5] {
            let TablePage { database, domain, schema, table, .. } = page;
            let texts = |parts: &[&String]| parts.iter().map(|part| (*part).clone()).collect();
            [
                texts(&[database, schema, table]),
                texts(&[schema, table]),
                texts(&[table]),
                texts(&[database, table]),
                texts(&[domain, table]),
            ]
        };
        let known: Vec<(usize, [Vec<String>; 5])> =
            positions.into_iter().filter_map(|at| Some((at, of(self.page(at)?)))).collect();
        // A name with dots may have several parts, or be one part that contains dots.
        let is_meant = |form: &[String], folds: bool| {
            let fold = |text: &str| if folds { text.to_lowercase() } else { text.to_owned() };
            match &parts {
                Some(parts) => parts.len() == form.len() && parts.iter().zip(form).all(|(a, b)| fold(a) == fold(b)),
                None => fold(&form.join(".")) == fold(name),
            }
        };
        let read_so = |way: usize, folds: bool| -> Vec<usize> {
            let forms = known.iter().filter(|(_, forms)| forms.get(way).is_some_and(|form| is_meant(form, folds)));
            forms.map(|(at, _)| *at).collect()
        };
        let database = |at: &usize| self.page(*at).map(|page| &page.database);
        if let Some((way, exact)) = (0..5).map(|way| (way, read_so(way, false))).find(|(_, found)| !found.is_empty()) {
            let folded = read_so(way, true);
            let is_in_others = folded.iter().any(|at| !exact.iter().any(|exact| database(exact) == database(at)));
            return if is_in_others { folded } else { exact };
        }
        (0..5).map(|way| read_so(way, true)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn unknown(&self, name: &str) -> Error {
        // The pages of the tables that it is joined with name it.
        if !self.candidates_among(self.excluded.clone(), name).is_empty() {
            return exclusion_error(Code::UnknownTable, &format!("source of the table '{}'", one_line(name)));
        }
        let tables = || self.tables(None, None).into_iter().filter_map(|at| self.page(at));
        let full: Vec<String> = tables().map(TablePage::full_name).collect();
        let bare: BTreeSet<&str> = tables().map(|page| page.table.as_str()).collect();
        // The same name in another schema is nearer than a similar one in the same.
        let last = parts(name).and_then(|mut parts| parts.pop());
        let last = last.or_else(|| name.rsplit_once('.').map(|(_, last)| last.to_owned()));
        let elsewhere = last.map(|last| self.candidates(&last)).unwrap_or_default();
        if !elsewhere.is_empty() {
            let mut names: Vec<String> = elsewhere
                .iter()
                .filter_map(|at| self.page(*at))
                .map(|page| format!("'{}'", page.full_name()))
                .collect();
            names.truncate(NAMED);
            let fix = format!("did you mean {}?", one_line(&either(&names)));
            return Error::new(Code::UnknownTable, format!("no table is named '{}'", one_line(name)), fix);
        }
        let near = did_you_mean(name, bare.iter().copied().chain(full.iter().map(String::as_str)));
        let fix = near.unwrap_or_else(|| known_names(&bare, "table"));
        Error::new(Code::UnknownTable, format!("no table is named '{}'", one_line(name)), fix)
    }

    fn ambiguous(&self, name: &str, found: &[usize]) -> Error {
        let names: Vec<String> = found.iter().filter_map(|at| self.page(*at)).map(exact_name).collect();
        let message = format!("'{}' means {} tables: {}", one_line(name), names.len(), first_of(&names, NAMED));
        let first = names.first().map(String::as_str).unwrap_or_default();
        Error::new(Code::UnknownTable, message, format!("name one with its database and schema, such as '{first}'"))
    }
}

/// The error for what the reader may not know about because a person excluded it.
fn exclusion_error(code: Code, what: &str) -> Error {
    let message = format!("a person excluded the {what}");
    Error::new(code, message, "ask for the exclusion to be lifted if you need it")
}

/// The known name that is equal to this one, or else the only one that is equal except for case.
pub(super) fn same_name<'n>(name: &str, known: &BTreeSet<&'n str>) -> Option<&'n str> {
    let lower = name.to_lowercase();
    let mut folded = known.iter().copied().filter(|known| known.to_lowercase() == lower);
    known.get(name).copied().or_else(|| folded.next().filter(|_| folded.next().is_none()))
}

/// Suggests the nearest name, or lists the known names.
fn suggest_name(name: &str, known: &BTreeSet<&str>, noun: &str) -> Fix {
    match did_you_mean(name, known.iter().copied()) {
        Some(near) => near.into(),
        None if known.is_empty() => Fix::DocumentDatabases,
        None => known_names(known, noun).into(),
    }
}

/// `the tables are a, b, c`
pub(crate) fn known_names(known: &BTreeSet<&str>, noun: &str) -> String {
    const NAMED: usize = 12;
    let are = if known.len() == 1 { format!("the only {noun} is") } else { format!("the {noun}s are") };
    format!("{are} {}", one_line(&first_of(known, NAMED)))
}

/// A name that refers to this table only.
fn exact_name(page: &TablePage) -> String {
    let TablePage { database, schema, table, .. } = page;
    if schema.contains(['.', '"']) || table.contains(['.', '"']) {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        return one_line(&format!("{database}.{}.{}", quoted(schema), quoted(table))).into_owned();
    }
    one_line(&format!("{database}.{schema}.{table}")).into_owned()
}

/// The parts of a name with SQL-quoted parts; `None` if no part is quoted.
fn parts(name: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut chars = name.chars().peekable();
    let (mut is_inside, mut has_quotes) = (false, false);
    while let Some(char) = chars.next() {
        let part = parts.last_mut()?;
        match char {
            '"' if is_inside && chars.peek() == Some(&'"') => {
                chars.next();
                part.push('"');
            }
            '"' if is_inside => is_inside = false,
            '"' if part.is_empty() => (is_inside, has_quotes) = (true, true),
            '.' if !is_inside => parts.push(String::new()),
            _ => part.push(char),
        }
    }
    (has_quotes && !is_inside).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_sql_reads_them() {
        for (name, expected) in [
            ("a.b", None),
            ("\"a.b\".c", Some(vec!["a.b", "c"])),
            ("d.\"a\"\"b\".\"c\"", Some(vec!["d", "a\"b", "c"])),
            ("\"a", None),
            ("a\"b", None),
            ("", None),
        ] {
            let found = parts(name);
            let found: Option<Vec<&str>> = found.as_ref().map(|parts| parts.iter().map(String::as_str).collect());
            assert_eq!(found, expected, "{name}");
        }
    }
}
