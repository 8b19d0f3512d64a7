//! Describes a table: its page as data, or only its name and a line of text.

use std::collections::BTreeMap;

use refdesk_database::schema::table_doc::TableDoc;
use refdesk_text::escape::one_line;
use refdesk_text::shorten::shortened;
use refdesk_text::{Code, Error, tokens};
use serde::Serialize;

use super::usage::is_zero;
use super::view::{DatabaseView, TableBrief};
use super::{AnswerSources, Answered};
use crate::databases::documented_pages::DamagedPage;

/// The token budget of a page's lists for an agent.
const TOKENS: u64 = 8_000;

/// The most characters of a description for an agent.
const DESCRIPTION: usize = 2_000;

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableSchema {
    /// Its database, domain and source.
    #[serde(flatten)]
    pub brief: TableBrief,
    /// The path of its human-readable page.
    pub path: String,
    /// The content of its page, if the reader may read it.
    #[serde(flatten)]
    pub doc: Option<TableDoc>,
    /// The number of columns left out of a long list.
    #[serde(skip_serializing_if = "is_zero")]
    pub columns_left_out: usize,
    /// The number of items left out of the other lists, by list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<&'static str, usize>,
}

impl DatabaseView {
    /// Describes a table.
    ///
    /// # Errors
    /// The name is unknown or ambiguous, or the page cannot be read.
    pub fn schema(&self, table: &str, samples: bool) -> Result<Answered<TableSchema>, Error> {
        let at = self.named(table)?;
        let mut sources = AnswerSources::default();
        let unknown = || Error::new(Code::UnknownTable, format!("no table is named '{}'", one_line(table)), "");
        let page = self.page(at).cloned().ok_or_else(unknown)?;
        let mut doc = match self.pages.read_doc(&page) {
            Ok(doc) => doc,
            Err(damaged) => {
                let what = format!("{} cannot be described", one_line(&page.full_name()));
                return Err(DamagedPage::error(&[damaged], &what).unwrap_or_else(unknown));
            }
        };
        let brief = self.brief(at, Some(&doc)).ok_or_else(unknown)?;
        let is_readable = self.quote(at, &mut sources);
        if !samples {
            for column in &mut doc.columns {
                column.labels.clear();
                column.statistics = None;
            }
        }
        let doc = is_readable.then_some(doc);
        Ok(Answered {
            answer: TableSchema { brief, path: page.path, doc, columns_left_out: 0, left_out: BTreeMap::new() },
            sources,
        })
    }
}

impl TableSchema {
    /// Shortens the lists for an agent: drops their last items, and joins that would leave no room for columns.
    pub fn shorten(&mut self) {
        let Some(doc) = &mut self.doc else { return };
        doc.description = shortened(std::mem::take(&mut doc.description), DESCRIPTION);
        let mut budget = TokenBudget { left: TOKENS, left_out: BTreeMap::new() };
        budget.cut("primary_key", &mut doc.primary_key, TOKENS / 8);
        budget.cut("foreign_keys", &mut doc.foreign_keys, TOKENS / 8);
        budget.cut("inferred_joins", &mut doc.inferred_joins, TOKENS / 8);
        budget.cut("referenced_by", &mut doc.referenced_by, TOKENS / 8);
        budget.cut("columns", &mut doc.columns, TOKENS);
        budget.cut("unique", &mut doc.unique, TOKENS);
        budget.cut("checks", &mut doc.checks, TOKENS);
        budget.cut("indexes", &mut doc.indexes, TOKENS);
        let mut comments: Vec<(String, String)> = std::mem::take(&mut doc.constraint_comments).into_iter().collect();
        budget.cut("constraint_comments", &mut comments, TOKENS);
        doc.constraint_comments = comments.into_iter().collect();
        self.columns_left_out = budget.left_out.remove("columns").unwrap_or_default();
        self.left_out = budget.left_out;
    }
}

/// The tokens left for an answer.
struct TokenBudget {
    left: u64,
    /// How many items of each list are left out.
    left_out: BTreeMap<&'static str, usize>,
}

impl TokenBudget {
    /// Drops the last items of a list that do not fit or exceed `share`.
    fn cut<T: Serialize>(&mut self, list: &'static str, items: &mut Vec<T>, share: u64) {
        let room = self.left.min(share);
        let mut used = 0;
        let fits = items.iter().position(|item| {
            let text = serde_json::to_string(item).unwrap_or_default();
            let with_item = used + tokens::of_prose(text.len() as u64);
            if with_item <= room {
                used = with_item;
            }
            with_item > room
        });
        self.left -= used;
        if let Some(fits) = fits {
            self.left_out.insert(list, items.len() - fits);
            items.truncate(fits);
        }
    }
}

#[cfg(test)]
mod tests {
    use refdesk_database::schema::table_doc::{ColumnDoc, IndexDoc, ReferenceDoc};

    use super::*;

    #[test]
    fn no_list_of_a_page_exceeds_the_answer() {
        let brief = TableBrief {
            database: "d".into(),
            domain: "o".into(),
            table: "s.t".into(),
            description: String::new(),
            source_id: None,
            readable: true,
        };
        let wide = |at: usize| format!("{at} {}", "x".repeat(40));
        let doc = TableDoc {
            description: "x".repeat(100_000),
            columns: (0..500).map(|at| ColumnDoc { name: wide(at), ..ColumnDoc::default() }).collect(),
            referenced_by: (0..5_000).map(|at| ReferenceDoc { table: wide(at), ..ReferenceDoc::default() }).collect(),
            checks: (0..5_000).map(wide).collect(),
            indexes: (0..5_000).map(|at| IndexDoc { name: wide(at), ..IndexDoc::default() }).collect(),
            constraint_comments: (0..5_000).map(|at| (wide(at), wide(at))).collect(),
            ..TableDoc::default()
        };
        let mut schema =
            TableSchema { brief, path: String::new(), doc: Some(doc), columns_left_out: 0, left_out: BTreeMap::new() };
        schema.shorten();
        let used = tokens::of_prose(serde_json::to_string(&schema).unwrap().len() as u64);
        assert!(used < TOKENS + TOKENS / 4, "{used}");
        let doc = schema.doc.unwrap();
        assert!(doc.columns.len() > 50 && doc.columns.len() + schema.columns_left_out == 500);
        assert!(!doc.referenced_by.is_empty());
        assert_eq!(schema.left_out["referenced_by"] + doc.referenced_by.len(), 5_000);
        assert_eq!(schema.left_out["constraint_comments"] + doc.constraint_comments.len(), 5_000);
    }
}
