//! Answers questions of people and agents about documented databases. Both get the same answer, from the pages, so no
//! database is contacted. For pages its session may not read, an agent gets only names, a line of text, and how to
//! select them.

mod domains;
mod joins;
mod paths;
mod schema;
mod tables;
mod usage;
mod view;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};

use refdesk_text::{Error, tokens};

pub use self::domains::{DescribedDomain, DomainTable};
pub use self::joins::{DescribedJoin, SharedJoin};
pub use self::paths::{DescribedHop, DescribedPath, FoundPaths};
pub use self::schema::TableSchema;
pub use self::usage::ColumnUse;
pub(super) use self::view::known_names;
pub use self::view::{DatabaseView, TableBrief};
use super::documented_pages::DamagedPage;
use crate::{CompleteDesk, SearchReader, SearchRequest, Session};

/// The most damaged pages named in an answer.
const DAMAGED: usize = 8;

/// A question about documented databases. Table names may be qualified with a schema and a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseQuestion {
    /// Which tables are about something?
    Tables {
        /// Any text.
        query: String,
        /// Only in this database.
        database: Option<String>,
        /// Only in this domain.
        domain: Option<String>,
        /// The most tables to return.
        limit: usize,
    },
    /// What does a table contain?
    Schema {
        /// Its name.
        table: String,
        /// Whether to include value sets and what is known about values.
        samples: bool,
    },
    /// How can two tables be joined?
    Path {
        /// The first table.
        source: String,
        /// The second table.
        target: String,
        /// The most joins in a path.
        hops: Option<usize>,
    },
    /// What is in a domain?
    Domain {
        /// Its name.
        domain: String,
        /// Its database, needed if several have a domain with this name.
        database: Option<String>,
    },
    /// Which domains exist?
    Domains {
        /// Only in this database.
        database: Option<String>,
    },
    /// Which joins matter most?
    Relationships {
        /// Only in this database.
        database: Option<String>,
        /// Only with a table of this domain.
        domain: Option<String>,
        /// The most joins to return.
        limit: usize,
    },
    /// Which tables have a column?
    Usage {
        /// Its name.
        column: String,
        /// Only in this database.
        database: Option<String>,
        /// Only in this domain.
        domain: Option<String>,
    },
}

/// An answer of any shape.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseAnswer {
    /// The answer as JSON.
    pub json: Value,
    /// The sources whose pages it quotes.
    pub quoted: Vec<String>,
    /// The sources to select to see what was left out.
    pub select: Vec<String>,
    /// Why there is no answer; may quote pages, too.
    pub problem: Option<Error>,
}

/// An answer with the sources it quotes and names.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered<T> {
    /// The answer.
    pub answer: T,
    /// Its sources.
    pub sources: AnswerSources,
}

/// The sources of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerSources {
    quoted: BTreeSet<String>,
    select: BTreeSet<String>,
    damaged: Vec<DamagedPage>,
}

impl AnswerSources {
    /// Damaged pages that were skipped, so that the answer may be incomplete.
    pub fn damaged(&self) -> &[DamagedPage] {
        &self.damaged
    }
}

impl<T: Serialize> From<Answered<T>> for DatabaseAnswer {
    fn from(answered: Answered<T>) -> Self {
        let Answered { answer, sources } = answered;
        let mut json = json!(answer);
        let select: Vec<String> = sources.select.into_iter().collect();
        let used = tokens::of_prose(json.to_string().len() as u64);
        if let Some(members) = json.as_object_mut() {
            if !sources.damaged.is_empty() {
                let shown: Vec<&DamagedPage> = sources.damaged.iter().take(DAMAGED).collect();
                members.insert("damaged".to_owned(), json!(shown));
            }
            if !select.is_empty() {
                members.insert("select".to_owned(), json!(select));
            }
            members.insert("tokens_used".to_owned(), json!(used));
        }
        Self { json, quoted: sources.quoted.into_iter().collect(), select, problem: None }
    }
}

impl CompleteDesk<'_> {
    /// Answers a question about documented databases.
    ///
    /// # Errors
    /// No database is documented, a name is unknown or ambiguous, or there is no answer.
    pub(crate) fn ask_databases(
        &self,
        session: &Session,
        reader: SearchReader,
        question: &DatabaseQuestion,
    ) -> Result<DatabaseAnswer, Error> {
        let view = self.database_view(session, reader)?;
        let most = |people: usize, agents: usize| if reader == SearchReader::Person { people } else { agents };
        Ok(match question {
            DatabaseQuestion::Tables { query, database, domain, limit } => {
                let (database, domain) = (database.clone(), domain.clone());
                let request = SearchRequest { database, domain, limit: *limit, ..SearchRequest::new(query, reader) };
                self.find_tables(session, &view, request)?.into()
            }
            DatabaseQuestion::Schema { table, samples } => {
                let mut found = view.schema(table, *samples)?;
                if reader == SearchReader::Agent {
                    found.answer.shorten();
                }
                found.into()
            }
            DatabaseQuestion::Path { source, target, hops } => {
                let mut found = view.paths(source, target, *hops)?;
                let problem = found.answer.problem.take();
                DatabaseAnswer { problem, ..found.into() }
            }
            DatabaseQuestion::Domain { domain, database } => view.domain(domain, database.as_deref())?.into(),
            DatabaseQuestion::Domains { database } => {
                view.domains(database.as_deref(), most(usize::MAX, domains::DOMAINS))?.into()
            }
            DatabaseQuestion::Relationships { database, domain, limit } => {
                view.relationships(database.as_deref(), domain.as_deref(), *limit)?.into()
            }
            DatabaseQuestion::Usage { column, database, domain } => {
                let most = most(usize::MAX, usage::MAX);
                view.usage(column, database.as_deref(), domain.as_deref(), most)?.into()
            }
        })
    }
}
