//! Lists domains, and the contents of one.

use std::collections::HashMap;

use refdesk_text::escape::one_line;
use refdesk_text::{Code, Error};
use serde::Serialize;

use super::joins::{DescribedJoin, joins_of};
use super::usage::is_zero;
use super::view::{DatabaseView, TableBrief};
use super::{AnswerSources, Answered};
use crate::databases::documented_pages::DomainPage;

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
    /// The number of tables left out of a long list.
    #[serde(skip_serializing_if = "is_zero")]
    pub tables_left_out: usize,
    /// The number of joins left out of a long list.
    #[serde(skip_serializing_if = "is_zero")]
    pub relationships_left_out: usize,
}

impl DatabaseView {
    /// Lists the domains, at most `most`.
    ///
    /// # Errors
    /// The database is unknown.
    pub fn domains(&self, database: Option<&str>, most: usize) -> Result<Answered<DescribedDomains>, Error> {
        self.check(database, None)?;
        let all = self.pages.domains.iter().filter(|domain| database.is_none_or(|name| name == domain.database));
        let domains = all.filter_map(|domain| {
            let known: Vec<usize> = self.known_of(domain).collect();
            let first = known.first()?;
            let names = known.iter().filter_map(|at| self.page(*at)).map(|page| page.table.clone());
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
        // `database.domain`, as lists show it.
        let is_full = |domain: &&DomainPage| {
            let rest = name.strip_prefix(domain.database.as_str()).and_then(|rest| rest.strip_prefix('.'));
            database.is_none() && rest == Some(domain.domain.as_str())
        };
        let full = self.pages.domains.iter().find(is_full);
        let (database, name) = full.map_or((database, name), |it| (Some(it.database.as_str()), it.domain.as_str()));
        self.check(database, Some(name))?;
        let is_meant = |domain: &&DomainPage| {
            domain.domain == name
                && database.is_none_or(|database| database == domain.database)
                && self.known_of(domain).next().is_some()
        };
        let meant: Vec<&DomainPage> = self.pages.domains.iter().filter(is_meant).collect();
        let domain = match meant.as_slice() {
            [one] => *one,
            [] => return Err(Error::new(Code::UnknownDomain, format!("no domain is named '{}'", one_line(name)), "")),
            several => {
                let names: Vec<&str> = several.iter().map(|domain| domain.database.as_str()).collect();
                let message = format!("the databases {} have a domain '{}'", names.join(" and "), one_line(name));
                let first = names.first().copied().unwrap_or_default();
                let fix = format!("name one with its database, such as '{}'", one_line(&format!("{first}.{name}")));
                return Err(Error::new(Code::UnknownDomain, message, fix));
            }
        };
        let database = Some(domain.database.as_str());
        let positions = self.tables(database, None);
        let by_name: HashMap<String, usize> =
            positions.iter().filter_map(|at| Some((self.page(*at)?.full_name(), *at))).collect();
        let (mut tables, mut joins, mut sources) = (Vec::new(), Vec::new(), AnswerSources::default());
        let (table_count, mut joins_left_out) = (self.known_of(domain).count(), 0);
        let mut counts: HashMap<String, usize> = HashMap::new();
        let read = self.pages.docs(&positions, self.now);
        sources.damaged = read.damaged;
        for (at, page, doc) in read.docs {
            let is_own = page.domain == name;
            if is_own && tables.len() < TABLES {
                let Some(brief) = self.brief(at, Some(&doc)) else { continue };
                let is_readable = self.quote(at, &mut sources);
                let doc = Some(&doc).filter(|_| is_readable);
                tables.push(DomainTable {
                    brief,
                    kind: doc.map(|doc| doc.kind.word()),
                    row_count_approx: doc.and_then(|doc| doc.row_count_approx),
                    column_count: doc.map(|doc| doc.columns.len()),
                    primary_key: doc.map(|doc| doc.primary_key.clone()).unwrap_or_default(),
                });
            }
            for join in joins_of(&doc) {
                let target = by_name.get(&join.to_table).copied();
                if self.is_readable(at) || target.is_some_and(|at| self.is_readable(at)) {
                    *counts.entry(join.to_table.clone()).or_default() += 1;
                }
                let leads_here = target.is_some_and(|at| self.page(at).is_some_and(|page| page.domain == name));
                let may_be_told = self.is_readable(at) || target.is_some_and(|at| self.is_readable(at));
                if target.is_some() && (is_own || leads_here) && may_be_told {
                    if joins.len() >= JOINS {
                        joins_left_out += 1;
                        continue;
                    }
                    self.quote_join(&[Some(at), target], &mut sources);
                    joins.push(DescribedJoin { database: page.database.clone(), ..join });
                }
            }
        }
        for join in &mut joins {
            join.joins_to_table = counts.get(&join.to_table).copied().unwrap_or_default();
        }
        let answer = DomainOverview {
            database: domain.database.clone(),
            domain: name.to_owned(),
            table_count,
            tables_left_out: table_count.saturating_sub(tables.len()),
            tables,
            relationships: joins,
            relationships_left_out: joins_left_out,
        };
        Ok(Answered { answer, sources })
    }

    /// The tables of a domain that the reader may know about.
    fn known_of<'d>(&'d self, domain: &'d DomainPage) -> impl Iterator<Item = usize> + 'd {
        domain.tables.iter().copied().filter(|at| self.is_known(*at))
    }
}
