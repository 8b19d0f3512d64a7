//! Lists domains, and the contents of one.

use std::collections::HashMap;
use std::sync::Arc;

use refdesk_database::names::short_names::ShortNames;
use refdesk_database::schema::table_doc::TableDoc;
use refdesk_text::escape::one_line;
use refdesk_text::{Code, Error};
use serde::Serialize;

use super::joins::{DescribedJoin, KnownJoins, SharedJoin, joins_of};
use super::usage::is_zero;
use super::view::{DatabaseView, TableBrief, same_name};
use super::{AnswerSources, Answered};
use crate::databases::documented_pages::{DomainPage, TablePage};

/// The most domains listed for an agent.
pub(super) const DOMAINS: usize = 100;

/// The most tables of a domain that are listed.
const TABLES: usize = 200;

/// The most joins of a domain that are listed.
const JOINS: usize = 100;

/// The most table names shown for a domain in a list.
const NAMES: usize = 8;

/// A domain in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedDomain {
    /// Its database.
    pub database: String,
    /// Its name.
    pub domain: String,
    /// The number of its tables.
    pub table_count: usize,
    /// The names of some of its tables.
    pub tables: Vec<String>,
    /// The source that contains its pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
    /// Whether the reader may read all of its pages.
    pub readable: bool,
}

/// A list of domains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedDomains {
    /// Sorted by database and name.
    pub domains: Vec<DescribedDomain>,
    /// The number of domains left out of a long list.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// A table of a domain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DomainTable {
    /// A one-line summary.
    #[serde(flatten)]
    pub brief: TableBrief,
    /// Table or view. This and the fields below are set only if the reader may read the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Estimated rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_count_approx: Option<u64>,
    /// The number of its columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_count: Option<usize>,
    /// The columns of its primary key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub primary_key: Vec<String>,
}

/// The contents of a domain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DomainOverview {
    /// Its database.
    pub database: String,
    /// Its name.
    pub domain: String,
    /// The number of its tables.
    pub table_count: usize,
    /// Its tables.
    pub tables: Vec<DomainTable>,
    /// The joins among its tables and with others, as far as the reader may read them.
    pub relationships: Vec<DescribedJoin>,
    /// Of these, those that many tables of the database have, once for all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedJoin>,
    /// The number of tables left out of a long list.
    #[serde(skip_serializing_if = "is_zero")]
    pub tables_left_out: usize,
    /// The number of joins left out of a long list, or because the reader may read neither table's page.
    #[serde(skip_serializing_if = "is_zero")]
    pub relationships_left_out: usize,
}

impl DatabaseView {
    /// Lists the domains, at most `most`.
    ///
    /// # Errors
    /// The database is unknown.
    pub fn domains(&self, database: Option<&str>, most: usize) -> Result<Answered<DescribedDomains>, Error> {
        let (database, _) = self.resolve(database, None)?;
        let all = self.pages.domains.iter().filter(|domain| database.is_none_or(|name| name == domain.database));
        let mut short: HashMap<&str, ShortNames<'_>> = HashMap::new();
        let domains = all.filter_map(|domain| {
            let known: Vec<usize> = self.known_of(domain).collect();
            let first = known.first()?;
            let short = short.entry(domain.database.as_str()).or_insert_with(|| {
                let all = self.tables(Some(&domain.database), None).into_iter().filter_map(|at| self.page(at));
                ShortNames::of(all.map(|page| page.table.as_str()))
            });
            let names = known.iter().filter_map(|at| self.page(*at)).map(|page| short.name(&page.schema, &page.table));
            Some(DescribedDomain {
                database: domain.database.clone(),
                domain: domain.domain.clone(),
                table_count: known.len(),
                tables: names.take(NAMES).collect(),
                source_id: self.source(*first).cloned(),
                readable: known.iter().all(|at| self.is_readable(*at)),
            })
        });
        let mut domains: Vec<DescribedDomain> = domains.collect();
        let left_out = domains.len().saturating_sub(most);
        domains.truncate(most);
        Ok(Answered { answer: DescribedDomains { domains, left_out }, sources: AnswerSources::default() })
    }

    /// Describes a domain.
    ///
    /// # Errors
    /// The domain is unknown, or several databases have one with this name.
    pub fn domain(&self, name: &str, database: Option<&str>) -> Result<Answered<DomainOverview>, Error> {
        let domain = self.domain_named(name, database)?;
        let positions = self.tables(Some(&domain.database), None);
        let read = self.pages.docs(&positions, self.now);
        let mut contents = DomainContents {
            view: self,
            domain: &domain.domain,
            by_name: positions.iter().filter_map(|at| Some((self.page(*at)?.full_name(), *at))).collect(),
            tables: Vec::new(),
            joins: Vec::new(),
            joins_left_out: 0,
            known: KnownJoins::default(),
            sources: AnswerSources { damaged: read.damaged, ..AnswerSources::default() },
        };
        for (at, page, doc) in &read.docs {
            contents.add(*at, page, doc);
        }
        let DomainContents { tables, mut joins, mut joins_left_out, known, mut sources, .. } = contents;
        let shared = known.take_shared(&mut joins, |_| positions.len());
        joins_left_out += joins.len().saturating_sub(JOINS);
        joins.truncate(JOINS);
        for ends in joins.iter().map(|(_, ends)| ends).chain(shared.iter().map(|(_, ends)| ends)) {
            self.quote_join(ends, &mut sources);
        }
        let table_count = self.known_of(domain).count();
        let answer = DomainOverview {
            database: domain.database.clone(),
            domain: domain.domain.clone(),
            table_count,
            tables_left_out: table_count.saturating_sub(tables.len()),
            tables,
            relationships: joins.into_iter().map(|(join, _)| join).collect(),
            shared: shared.into_iter().map(|(join, _)| join).collect(),
            relationships_left_out: joins_left_out,
        };
        Ok(Answered { answer, sources })
    }

    /// The domain with this name, or with the name `database.domain`, as lists show it.
    fn domain_named(&self, name: &str, database: Option<&str>) -> Result<&DomainPage, Error> {
        let all = self.pages.domains.iter().filter(|_| database.is_none());
        let all: Vec<(String, &DomainPage)> = all.map(|it| (format!("{}.{}", it.database, it.domain), it)).collect();
        let full = same_name(name, &all.iter().map(|(full, _)| full.as_str()).collect());
        let full = full.and_then(|full| all.iter().find(|(it, _)| it == full)).map(|(_, domain)| domain);
        let (database, name) = full.map_or((database, name), |it| (Some(it.database.as_str()), it.domain.as_str()));
        let (database, name) = self.resolve(database, Some(name))?;
        let name = name.unwrap_or_default();
        let is_meant = |domain: &&DomainPage| {
            domain.domain == name
                && database.is_none_or(|database| database == domain.database)
                && self.known_of(domain).next().is_some()
        };
        let meant: Vec<&DomainPage> = self.pages.domains.iter().filter(is_meant).collect();
        match meant.as_slice() {
            [one] => Ok(*one),
            [] => Err(Error::new(Code::UnknownDomain, format!("no domain is named '{}'", one_line(name)), "")),
            several => {
                let names: Vec<&str> = several.iter().map(|domain| domain.database.as_str()).collect();
                let message = format!("the databases {} have a domain '{}'", names.join(" and "), one_line(name));
                let first = names.first().copied().unwrap_or_default();
                let fix = format!("name one with its database, such as '{}'", one_line(&format!("{first}.{name}")));
                Err(Error::new(Code::UnknownDomain, message, fix))
            }
        }
    }

    /// The tables of a domain that the reader may know about.
    fn known_of<'d>(&'d self, domain: &'d DomainPage) -> impl Iterator<Item = usize> + 'd {
        domain.tables.iter().copied().filter(|at| self.is_known(*at))
    }
}

/// The contents of a domain while the pages of its database are read.
struct DomainContents<'a> {
    view: &'a DatabaseView,
    domain: &'a str,
    /// Every table of the database.
    by_name: HashMap<String, usize>,
    tables: Vec<DomainTable>,
    joins: Vec<(DescribedJoin, [Option<usize>; 2])>,
    /// The number of joins of which the reader may read neither table's page.
    joins_left_out: usize,
    known: KnownJoins,
    sources: AnswerSources,
}

impl DomainContents<'_> {
    /// Adds the table of a page if it is in the domain, and those of its joins that concern the domain.
    fn add(&mut self, at: usize, page: &TablePage, doc: &Arc<TableDoc>) {
        let is_own = page.domain == self.domain;
        if is_own && self.tables.len() < TABLES {
            let Some(brief) = self.view.brief(at, Some(doc)) else { return };
            let is_readable = self.view.quote(at, &mut self.sources);
            let doc = Some(doc).filter(|_| is_readable);
            self.tables.push(DomainTable {
                brief,
                kind: doc.map(|doc| doc.kind.word()),
                row_count_approx: doc.and_then(|doc| doc.row_count_approx),
                column_count: doc.map(|doc| doc.columns.len()),
                primary_key: doc.map(|doc| doc.primary_key.clone()).unwrap_or_default(),
            });
        }
        for join in joins_of(doc) {
            let join = DescribedJoin { database: page.database.clone(), ..join };
            let target = self.by_name.get(&join.to_table).copied();
            let is_told = [Some(at), target].into_iter().flatten().any(|at| self.view.is_readable(at));
            if is_told {
                self.known.add(&join);
            }
            let target_page = target.and_then(|at| self.view.page(at));
            let concerns_domain = is_own || target_page.is_some_and(|page| page.domain == self.domain);
            if target.is_none() || !concerns_domain {
                continue;
            }
            if is_told {
                self.joins.push((join, [Some(at), target]));
            } else {
                self.joins_left_out += 1;
            }
        }
    }
}
