//! The documents the search index gets from database pages: tables, columns, joins and domains, from the JSON pages.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use refdesk_database::names::words::{readable_name, singular, split};
use refdesk_database::schema::table_doc::{ColumnDoc, DescriptionSource, JoinDoc, JoinSource, TableDoc};
use refdesk_index::pages::{COLUMN, DOMAIN, RELATIONSHIP, TABLE};
use refdesk_index::{DatabasePages, DatabaseSubject, IndexedJoin, PageContent, PageDocument, PageRole};
use refdesk_text::shorten::shortened;

use super::documented_pages::{DocumentedPages, DomainPage, PageFile, TablePage};

/// The most characters of a document.
const LONGEST: usize = 3_000;

/// The most tables or columns listed in a document.
const LISTED: usize = 100;

impl DatabasePages for DocumentedPages {
    fn version(&self) -> &str {
        &self.version
    }

    fn covers(&self, path: &Path) -> bool {
        path.starts_with(&self.folder)
    }

    fn role(&self, path: &Path) -> PageRole {
        match self.file(path) {
            None => PageRole::Other,
            Some(PageFile::Data) => PageRole::Data,
            Some(PageFile::Table(at)) => {
                let data = self.tables.get(at).map(|table| self.real(&table.data));
                PageRole::Page(std::iter::once(path.to_path_buf()).chain(data).collect())
            }
            Some(PageFile::Domain(at)) => {
                let tables = self.domains.get(at).into_iter().flat_map(|domain| &domain.tables);
                let data = tables.filter_map(|at| self.tables.get(*at)).map(|table| self.real(&table.data));
                PageRole::Page(std::iter::once(path.to_path_buf()).chain(data).collect::<Vec<PathBuf>>())
            }
        }
    }

    fn content(&self, path: &Path) -> io::Result<PageContent> {
        let none = || io::Error::from(io::ErrorKind::NotFound);
        match self.file(path) {
            Some(PageFile::Table(at)) => {
                let table = self.tables.get(at).ok_or_else(none)?;
                let doc = self.doc(table);
                let of_doc = doc.as_ref().map(|doc| documents(table, doc));
                let documents = of_doc.unwrap_or_else(|| vec![damaged_document(table)]);
                Ok(self.with_prose(documents, doc.is_none(), &table.path, table.hash.as_ref(), subject(table)))
            }
            Some(PageFile::Domain(at)) => {
                let domain = self.domains.get(at).ok_or_else(none)?;
                let about = DatabaseSubject {
                    database: domain.database.clone(),
                    domain: Some(domain.domain.clone()),
                    ..DatabaseSubject::default()
                };
                let documents = vec![self.domain_document(domain, &about)];
                Ok(self.with_prose(documents, false, &domain.path, domain.hash.as_ref(), about))
            }
            _ => Err(none()),
        }
    }
}

impl DocumentedPages {
    /// Adds a page's prose if a person edited it, or if the data cannot be read.
    fn with_prose(
        &self,
        documents: Vec<PageDocument>,
        is_damaged: bool,
        path: &str,
        hash: Option<&String>,
        subject: DatabaseSubject,
    ) -> PageContent {
        let prose = self.prose(path, hash).filter(|(_, is_edited)| *is_edited || is_damaged);
        PageContent { documents, prose: prose.map(|(text, _)| text), subject: Some(subject) }
    }

    fn domain_document(&self, domain: &DomainPage, subject: &DatabaseSubject) -> PageDocument {
        let tables: Vec<&TablePage> = domain.tables.iter().filter_map(|at| self.tables.get(*at)).collect();
        let names: Vec<&str> = tables.iter().take(LISTED).map(|table| table.table.as_str()).collect();
        let DomainPage { database, domain: name, .. } = domain;
        let mut lines = vec![format!("Domain {name} of the database {database}: {}", names.join(", "))];
        let mut words = Words::default();
        words.add(&domain.domain);
        for table in &tables {
            words.add(&table.table);
        }
        for table in tables.into_iter().take(LISTED) {
            // A description by rule only repeats the names.
            let doc = self.doc(table).filter(|doc| doc.source != DescriptionSource::Fallback);
            lines.extend(doc.map(|doc| format!("{}: {}", table.table, doc.first_sentence())));
        }
        PageDocument {
            kind: DOMAIN,
            heading: domain.domain.clone(),
            content: shortened(lines.join("\n"), LONGEST),
            keywords: words.text(),
            subject: subject.clone(),
            join: None,
        }
    }
}

fn subject(table: &TablePage) -> DatabaseSubject {
    DatabaseSubject {
        database: table.database.clone(),
        schema: Some(table.schema.clone()),
        table: Some(table.table.clone()),
        column: None,
        domain: Some(table.domain.clone()),
    }
}

/// The documents of a table's page.
fn documents(table: &TablePage, doc: &TableDoc) -> Vec<PageDocument> {
    let columns = doc.columns.iter().map(|column| column_document(table, doc, column));
    let mut headings = HashSet::new();
    let all = std::iter::once(table_document(table, doc)).chain(columns).chain(joins(table, doc));
    // Two keys may have the same columns.
    all.filter(|document| headings.insert(document.heading.clone())).collect()
}

fn table_document(table: &TablePage, doc: &TableDoc) -> PageDocument {
    let mut words = Words::default();
    words.add(&table.table);
    words.add(&table.domain);
    doc.columns.iter().for_each(|column| words.add(&column.name));
    let names = |names: Vec<&str>| names.into_iter().take(LISTED).collect::<Vec<_>>().join(", ");
    // A description by rule already names the table and those it is joined with.
    let is_by_rule = doc.source == DescriptionSource::Fallback;
    let description = &doc.description;
    let mut lines =
        vec![if is_by_rule { description.clone() } else { format!("{}: {description}", readable_name(&table.table)) }];
    lines.push(format!("Columns: {}", names(doc.columns.iter().map(|column| column.name.as_str()).collect())));
    let to: Vec<&str> = doc.joins().map(|join| join.referenced_table).collect();
    let from: Vec<&str> = doc.referenced_by.iter().map(|reference| reference.table.as_str()).collect();
    for (what, tables) in [("Refers to", to), ("Referred to by", from)] {
        if !tables.is_empty() && !is_by_rule {
            lines.push(format!("{what}: {}", names(tables)));
        }
    }
    let content = shortened(lines.join("\n"), LONGEST);
    words.add_compounds(&content);
    PageDocument {
        kind: TABLE,
        heading: doc.fully_qualified_name.clone(),
        content,
        keywords: words.text(),
        subject: subject(table),
        join: None,
    }
}

/// The document of a table whose JSON page cannot be used, so that a search finds its name and reports the damage.
fn damaged_document(table: &TablePage) -> PageDocument {
    let mut words = Words::default();
    words.add(&table.table);
    words.add(&table.domain);
    PageDocument {
        kind: TABLE,
        heading: table.full_name(),
        content: format!("{}: its JSON page is damaged or missing.", readable_name(&table.table)),
        keywords: words.text(),
        subject: subject(table),
        join: None,
    }
}

fn column_document(table: &TablePage, doc: &TableDoc, column: &ColumnDoc) -> PageDocument {
    let mut words = Words::default();
    words.add(&column.name);
    words.add(&table.table);
    let mut content = format!("{}: {}", column.data_type, column.description);
    if !column.labels.is_empty() {
        content.push_str(&format!(" One of: {}", column.labels.join(", ")));
    }
    let content = shortened(content, LONGEST);
    words.add_compounds(&content);
    PageDocument {
        kind: COLUMN,
        heading: format!("{}.{}", doc.fully_qualified_name, column.name),
        content,
        keywords: words.text(),
        subject: DatabaseSubject { column: Some(column.name.clone()), ..subject(table) },
        join: None,
    }
}

fn joins<'a>(table: &'a TablePage, doc: &'a TableDoc) -> impl Iterator<Item = PageDocument> + 'a {
    doc.joins().map(move |join| {
        let JoinDoc { source, columns, referenced_table: target, referenced_columns: target_columns, .. } = join;
        let how = if join.cardinality == "one_to_one" { "at most one row" } else { "any number of rows" };
        let said = match source {
            JoinSource::Key => format!("A key: {how} here for each row there."),
            source => format!("Not from a key, but {}", source.reason(join.because)),
        };
        let mut words = Words::default();
        words.add(&table.table);
        words.add(target.rsplit('.').next().unwrap_or_default());
        columns.iter().for_each(|column| words.add(column));
        let (own, other) = (columns.join(", "), target_columns.join(", "));
        PageDocument {
            kind: RELATIONSHIP,
            heading: format!("{} ({own}) -> {target} ({other})", doc.fully_qualified_name),
            content: shortened(said, LONGEST),
            keywords: words.text(),
            subject: subject(table),
            join: Some(IndexedJoin {
                from_table: doc.fully_qualified_name.clone(),
                from_columns: columns.to_vec(),
                to_table: target.to_owned(),
                to_columns: target_columns.to_vec(),
                inferred: source == JoinSource::Inferred,
            }),
        }
    })
}

/// The distinct words of names, with singular forms and abbreviations written out.
#[derive(Default)]
struct Words {
    words: Vec<String>,
    seen: HashSet<String>,
}

impl Words {
    fn add(&mut self, name: &str) {
        let readable_name = readable_name(name);
        let parts = split(name).into_iter().flat_map(|word| [singular(&word), word]);
        for word in parts.chain(readable_name.split(' ').map(str::to_owned)) {
            if !word.is_empty() && self.seen.insert(word.clone()) {
                self.words.push(word);
            }
        }
    }

    /// Adds the words of names such as `InvoiceLine` in a text, which are one word for a full-text search.
    fn add_compounds(&mut self, text: &str) {
        let names = text.split(|char: char| !char.is_alphanumeric());
        names.filter(|name| split(name).len() > 1).for_each(|name| self.add(name));
    }

    fn text(self) -> String {
        self.words.join(" ")
    }
}
