//! The rows of the list: databases, domains and tables that are unfolded and match the filter.

use std::collections::HashMap;

use refdesk_desk::{DatabaseOverview, DatabaseSummary, TableSummary};

use super::{DatabasePath, DatabaseSide, DatabasesView, JoinEnd};
use crate::common::databases::{keeps, words_of};

/// The number of tables from which domains start folded.
const MANY: usize = 200;

/// A row, as indices into the overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseRow {
    pub database: usize,
    /// `None` for the database itself.
    pub domain: Option<usize>,
    /// `None` for the domain itself.
    pub table: Option<usize>,
}

impl DatabasesView {
    /// Indexes the tables of the overview by name.
    pub fn index_tables(&mut self) {
        let databases = self.overview.iter().flat_map(|overview| &overview.databases).enumerate();
        let of_database = |(database, summary): (usize, &DatabaseSummary)| {
            let mut tables = HashMap::new();
            for (domain, summary) in summary.domains.iter().enumerate() {
                for (table, summary) in summary.tables.iter().enumerate() {
                    let row = DatabaseRow { database, domain: Some(domain), table: Some(table) };
                    tables.insert(summary.name.full(), row);
                }
            }
            tables
        };
        self.tables = databases.map(of_database).collect();
    }

    /// Rebuilds the rows. The cursor stays on its subject, or moves to what contains it.
    pub fn rebuild(&mut self) {
        let stay = self.subject();
        let Some(overview) = self.overview.clone() else {
            (self.rows, self.kept) = (Vec::new(), (0, 0));
            return;
        };
        let words = words_of(self.filter.text());
        let is_folded = |database: &str, domain: Option<&str>| {
            words.is_empty() && self.folded.contains(&(database.to_owned(), domain.map(str::to_owned)))
        };
        let (mut rows, mut kept, mut all) = (Vec::new(), 0, 0);
        for (nth, database) in overview.databases.iter().enumerate() {
            let first = rows.len();
            let row = DatabaseRow { database: nth, domain: None, table: None };
            rows.push(row);
            let hides = is_folded(&database.name, None);
            for (nth, domain) in database.domains.iter().enumerate() {
                all += domain.tables.len();
                // Name matches in the order of the pages, then what the index found, the best first.
                let rank = |table: &TableSummary| match keeps(&words, database, domain, table) {
                    true => Some(0),
                    false => self.found_rank(&database.name, table).map(|rank| rank + 1),
                };
                let ranked = (0..).zip(&domain.tables).filter_map(|(at, table)| Some((rank(table)?, at)));
                let mut ranked: Vec<(usize, usize)> = ranked.collect();
                ranked.sort_unstable();
                let tables: Vec<usize> = ranked.into_iter().map(|(_, at)| at).collect();
                kept += tables.len();
                if hides || (tables.is_empty() && !words.is_empty()) {
                    continue;
                }
                let row = DatabaseRow { domain: Some(nth), ..row };
                rows.push(row);
                if !is_folded(&database.name, Some(&domain.name)) {
                    rows.extend(tables.into_iter().map(|table| DatabaseRow { table: Some(table), ..row }));
                }
            }
            // Databases without a match are hidden.
            if !words.is_empty() && rows.len() == first + 1 {
                rows.truncate(first);
            }
        }
        self.rows = rows;
        self.kept = (kept, all);
        if let Some(stay) = stay {
            self.put_cursor(&stay);
        }
    }

    fn found_rank(&self, database: &str, table: &TableSummary) -> Option<usize> {
        if self.found.is_empty() { None } else { self.found.get(&(database.to_owned(), table.name.clone())).copied() }
    }

    /// Whether the index found this row although its name does not match.
    pub fn is_related(&self, row: DatabaseRow) -> bool {
        self.related_rank(row).is_some()
    }

    /// The rank of a row that the index found although its name does not match; 0 is the best.
    pub(super) fn related_rank(&self, row: DatabaseRow) -> Option<usize> {
        let (database, domain, table) = (self.database(row)?, self.domain(row)?, self.table_of(row)?);
        let rank = self.found_rank(&database.name, table)?;
        (!keeps(&words_of(self.filter.text()), database, domain, table)).then_some(rank)
    }

    /// Moves the cursor to this path, or to the nearest row that contains it.
    pub fn put_cursor(&mut self, on: &DatabasePath) {
        let around = [
            on.clone(),
            DatabasePath { table: None, ..on.clone() },
            DatabasePath { table: None, domain: None, ..on.clone() },
        ];
        let find =
            |subject: &DatabasePath| self.rows.iter().position(|row| self.subject_of(*row).as_ref() == Some(subject));
        if let Some(at) = around.iter().find_map(find) {
            self.cursor.at = at;
        }
    }

    /// Folds the domains of a database when it becomes large, so that the first screen shows all databases and domains.
    pub fn fold_many(&mut self, overview: &DatabaseOverview) {
        let count = |database: &DatabaseSummary| database.domains.iter().map(|it| it.tables.len()).sum::<usize>();
        let before = self.overview.clone();
        for database in &overview.databases {
            let before = before.iter().flat_map(|it| &it.databases).find(|it| it.name == database.name);
            if count(database) > MANY && before.is_none_or(|before| count(before) <= MANY) {
                let domains = database.domains.iter().map(|domain| (database.name.clone(), Some(domain.name.clone())));
                self.folded.extend(domains);
            }
        }
    }

    /// Whether the rows below this one are folded.
    pub fn is_folded(&self, row: DatabaseRow) -> bool {
        let subject = self.subject_of(row).filter(|subject| subject.table.is_none() && !self.is_filtered());
        subject.is_some_and(|subject| self.folded.contains(&(subject.database, subject.domain)))
    }

    /// Whether the row or join under the cursor can be unfolded.
    pub fn can_unfold(&self) -> bool {
        match self.side {
            DatabaseSide::List => self.row().is_some_and(|row| self.is_folded(row)),
            DatabaseSide::Detail => self.current_row().is_some_and(|row| row.end == JoinEnd::Closed),
        }
    }

    /// Folds or unfolds the row. Returns whether anything changed.
    pub fn fold(&mut self, row: DatabaseRow, is_folded: bool) -> bool {
        let Some(subject) = self.subject_of(row).filter(|subject| subject.table.is_none()) else { return false };
        if self.database(row).is_none_or(|database| database.domains.is_empty()) {
            return false;
        }
        let key = (subject.database, subject.domain);
        let changed = if is_folded { self.folded.insert(key) } else { self.folded.remove(&key) };
        if changed {
            self.rebuild();
        }
        changed
    }

    /// Unfolds everything that contains this path.
    pub fn unfold_to(&mut self, subject: &DatabasePath) {
        self.folded.remove(&(subject.database.clone(), None));
        if subject.table.is_some() {
            self.folded.remove(&(subject.database.clone(), subject.domain.clone()));
        }
        self.rebuild();
    }
}
