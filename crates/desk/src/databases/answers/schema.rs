//! What a table is: its page for programs, or its name and a line.

use refdesk_database::schema::table_doc::TableDoc;
use refdesk_text::{Code, Error, tokens};
use serde::Serialize;

use super::view::{DatabaseView, TableBrief};
use super::{AnswerSources, Answered};

/// Most tokens of a page's columns for an agent: the others can be asked for by name.
const TOKENS: u64 = 8_000;

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableSchema {
    /// Its database, domain and source.
    #[serde(flatten)]
    pub brief: TableBrief,
    /// Its page for people.
    pub path: String,
    /// What its page says, if the reader may read it.
    #[serde(flatten)]
    pub doc: Option<TableDoc>,
    /// Columns that are left out because they are too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub columns_left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl DatabaseView {
    /// What a table is.
    ///
    /// # Errors
    /// No table has this name, or several have it, or its page cannot be read.
    pub fn schema(&self, table: &str, samples: bool) -> Result<Answered<TableSchema>, Error> {
        let at = self.named(table)?;
        let mut sources = AnswerSources::default();
        let page = self.page(at).cloned();
        let found = page.and_then(|page| Some((self.pages.doc(&page)?, page)));
        let Some((mut doc, page)) = found else {
            let message = format!("the page of '{table}' cannot be read");
            return Err(Error::new(Code::Unreadable, message, "document the database again"));
        };
        let Some(brief) = self.brief(at, Some(&doc)) else {
            return Err(Error::new(Code::UnknownTable, format!("no table is named '{table}'"), ""));
        };
        let is_readable = self.quote(at, &mut sources);
        if !samples {
            for column in &mut doc.columns {
                column.labels.clear();
                column.statistics = None;
            }
        }
        let doc = is_readable.then_some(doc);
        Ok(Answered { answer: TableSchema { brief, path: page.path, doc, columns_left_out: 0 }, sources })
    }
}

impl TableSchema {
    /// Leaves out the last columns if the page has more than an agent wants at once.
    pub fn shorten(&mut self) {
        let Some(doc) = &mut self.doc else { return };
        let mut used = 0;
        let fits = doc.columns.iter().position(|column| {
            let text = serde_json::to_string(column).unwrap_or_default();
            used += tokens::of_prose(text.len() as u64);
            used > TOKENS
        });
        if let Some(fits) = fits {
            self.columns_left_out = doc.columns.len() - fits;
            doc.columns.truncate(fits);
        }
    }
}
