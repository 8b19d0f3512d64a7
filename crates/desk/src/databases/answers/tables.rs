//! Searches the index for tables.

use refdesk_index::HitRank;
use refdesk_index::pages::{COLUMN, RELATIONSHIP, TABLE};
use refdesk_text::Error;
use serde::Serialize;

use super::view::{DatabaseView, TableBrief};
use super::{AnswerSources, Answered};
use crate::{CompleteDesk, SearchMode, SearchRequest, Session};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FoundTable {
    /// The table.
    #[serde(flatten)]
    pub brief: TableBrief,
    /// The path of its human-readable page.
    pub path: String,
    /// Its matching columns, if the reader may read the page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Higher is better; comparable only within one answer.
    pub score: f64,
    /// Its rank in each list that found it.
    pub because: Vec<HitRank>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FoundTables {
    /// The query.
    pub query: String,
    /// The lists that were searched.
    pub mode: SearchMode,
    /// The tables, best first.
    pub tables: Vec<FoundTable>,
    /// Notes about this answer for the reader, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl CompleteDesk<'_> {
    pub(super) fn find_tables(
        &self,
        session: &Session,
        view: &DatabaseView,
        request: SearchRequest,
    ) -> Result<Answered<FoundTables>, Error> {
        let kinds = [TABLE, COLUMN, RELATIONSHIP].map(str::to_owned).to_vec();
        let found = self.search(session, &SearchRequest { kinds, ..request })?;
        let mut sources = AnswerSources::default();
        let mut tables = Vec::new();
        for hit in found.hits {
            let subject = hit.subject.unwrap_or_default();
            let at = view.pages.position(&subject.database, subject.schema.as_deref(), subject.table.as_deref());
            let Some((at, page)) = at.and_then(|at| Some((at, view.page(at)?))) else { continue };
            let doc = match view.pages.read_doc(page) {
                Ok(doc) => Some(doc),
                Err(damaged) => {
                    sources.damaged.push(damaged);
                    None
                }
            };
            let Some(brief) = view.brief(at, doc.as_ref()) else { continue };
            let is_readable = view.quote(at, &mut sources);
            tables.push(FoundTable {
                brief,
                path: page.path.clone(),
                columns: if is_readable { hit.columns } else { Vec::new() },
                score: hit.score,
                because: hit.because,
            });
        }
        let answer = FoundTables { query: found.query, mode: found.mode, tables, notes: found.notes };
        Ok(Answered { answer, sources })
    }
}
