//! Finds the tables that have a column.

use refdesk_database::schema::table_doc::{JoinSource, TableDoc};
use refdesk_text::escape::one_line;
use refdesk_text::names::first_of;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::{Code, Error, Fix};
use serde::Serialize;

use super::view::{DatabaseView, NAMED, TableBrief};
use super::{AnswerSources, Answered};
use crate::databases::documented_pages::DamagedPage;

/// The most tables listed for an agent.
pub(super) const MAX: usize = 100;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnUse {
    /// The table.
    #[serde(flatten)]
    pub table: TableBrief,
    /// The column's own name, or the requested name if the reader may not read the page.
    pub column: String,
    /// Its type. This and the fields below are set only if the reader may read the page.
    #[serde(rename = "type")]
    pub data_type: Option<String>,
    /// Whether it is part of the primary key.
    pub primary_key: Option<bool>,
    /// The tables it refers to by itself; if there are none, those it refers to with other columns.
    pub refers_to: Vec<String>,
    /// Whether they are inferred rather than declared by a key or noted by a person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// The rule that withholds its values.
    pub sensitive: Option<String>,
}

/// The tables that have a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnUses {
    /// The requested name.
    pub column: String,
    /// Sorted by table.
    pub usage: Vec<ColumnUse>,
    /// The number of tables left out of a long list.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The tables that a column refers to, and whether they are inferred.
fn targets(doc: &TableDoc, column: &str) -> (Vec<String>, bool) {
    let keys = doc.foreign_keys.iter().map(|key| (false, &key.columns, &key.referenced_table));
    let joins = doc.inferred_joins.iter();
    let joins = joins.map(|join| (join.source == JoinSource::Inferred, &join.columns, &join.referenced_table));
    let of_column = keys.chain(joins).filter(|(_, columns, _)| columns.iter().any(|it| it == column));
    let ranked: Vec<_> = of_column.map(|(inferred, columns, to)| ((inferred, columns.len() > 1), to)).collect();
    let Some(best) = ranked.iter().map(|(rank, _)| *rank).min() else { return (Vec::new(), false) };
    let mut tables: Vec<String> = Vec::new();
    for (_, table) in ranked.into_iter().filter(|(rank, _)| *rank == best) {
        if !tables.contains(table) {
            tables.push(table.clone());
        }
    }
    (tables, best.0)
}

impl DatabaseView {
    /// The tables that have a column with this name, ignoring case. For a table the reader may read, its description is
    /// the column's; for others the answer says only that the column exists, so that the page can be selected.
    ///
    /// # Errors
    /// No table has the column, or the database or the domain is unknown.
    pub fn usage(
        &self,
        column: &str,
        database: Option<&str>,
        domain: Option<&str>,
        most: usize,
    ) -> Result<Answered<ColumnUses>, Error> {
        let (database, domain) = self.resolve(database, domain)?;
        let positions = self.tables(database, domain);
        let wanted = column.to_lowercase();
        let (mut usage, mut left_out, mut sources) = (Vec::new(), 0, AnswerSources::default());
        let mut names: Vec<String> = Vec::new();
        let read = self.pages.docs(&positions, self.now);
        sources.damaged = read.damaged;
        for (at, _, doc) in read.docs {
            let is_readable = self.is_readable(at);
            let found = doc.columns.iter().filter(|it| it.name.to_lowercase() == wanted);
            // How many columns differ only in case is visible only to those who may read the page.
            for found in found.take(if is_readable { usize::MAX } else { 1 }) {
                if usage.len() >= most {
                    left_out += 1;
                    continue;
                }
                let Some(mut table) = self.brief(at, Some(&doc)) else { continue };
                self.quote(at, &mut sources);
                if is_readable {
                    table.description.clone_from(&found.description);
                }
                let (refers_to, inferred) = if is_readable { targets(&doc, &found.name) } else { Default::default() };
                usage.push(ColumnUse {
                    table,
                    column: if is_readable { found.name.clone() } else { column.to_owned() },
                    data_type: is_readable.then(|| found.data_type.clone()),
                    primary_key: is_readable.then(|| doc.primary_key.contains(&found.name)),
                    refers_to,
                    inferred,
                    sensitive: found.sensitive.clone().filter(|_| is_readable),
                });
            }
            if usage.is_empty() && self.is_readable(at) {
                names.extend(doc.columns.iter().map(|column| column.name.clone()));
            }
        }
        if usage.is_empty() {
            let unknown = format!("cannot tell which tables have a column '{}'", one_line(column));
            if let Some(error) = DamagedPage::error(&sources.damaged, &unknown) {
                return Err(error);
            }
            return Err(self.unused(column, (database, domain), &names));
        }
        Ok(Answered { answer: ColumnUses { column: column.to_owned(), usage, left_out }, sources })
    }

    /// The error for a column that no table of this database and domain has; `names` are the columns there.
    fn unused(&self, column: &str, place: (Option<&str>, Option<&str>), names: &[String]) -> Error {
        let of = match place {
            (None, None) => String::new(),
            (Some(database), None) => format!(" of the database '{}'", one_line(database)),
            (None, Some(domain)) => format!(" of the domain '{}'", one_line(domain)),
            (Some(database), Some(domain)) => format!(" of the domain '{}'", one_line(&format!("{database}.{domain}"))),
        };
        let elsewhere = match place {
            (None, None) => None,
            _ => self.usage(column, None, None, MAX).ok().map(|found| found.answer),
        };
        let elsewhere = elsewhere.map(|found| {
            let name = |it: &ColumnUse| one_line(&format!("{}.{}", it.table.database, it.table.table)).into_owned();
            format!("it is a column of {}", first_of(found.usage.iter().map(name), NAMED))
        });
        let fix = match elsewhere.or_else(|| did_you_mean(column, names.iter().map(String::as_str))) {
            Some(known) => known.into(),
            None if column.trim().is_empty() => "name a column".into(),
            None => Fix::FindColumn(column.to_owned()),
        };
        let (database, domain) = place;
        let shown = if self.has_hidden(database, domain) { " that may be shown" } else { "" };
        Error::new(Code::UnknownColumn, format!("no table{of}{shown} has a column '{}'", one_line(column)), fix)
    }
}
