//! The view of documented databases, which replaces the panes. On the left are databases, domains and tables
//! with their state; on the right, the page of the row under the cursor, what may be disclosed about its
//! columns, and its joins. The engine has already read everything; browsing does not query a database.

mod detail;
pub mod disabled;
pub mod join_tree;
mod join_view;
mod list_view;
mod rows;
pub mod run;
pub mod update;
pub mod view;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use refdesk_database::snapshot::TableName;
use refdesk_desk::{DatabaseOverview, DatabasePage, DatabaseSummary, DomainSummary, TableSummary};

use crate::tui::state::State;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::WrappedText;
pub use join_tree::{JoinEnd, JoinTree};
pub use rows::DatabaseRow;
pub use run::RunState;

/// The side that receives keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DatabaseSide {
    #[default]
    List,
    Detail,
}

refdesk_text::worded_enum! {
    /// The tabs of a table. Databases and domains have only the page.
    #[derive(Default)]
    pub enum DatabaseTab {
        #[default]
        Page = "page",
        /// What may be disclosed of each column's values, and the rule that decides it.
        Columns = "columns",
        /// Its references to other tables, and theirs to it.
        Joins = "joins",
    }
}

/// Identifies the subject of a row by name, so that it survives changes of the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DatabasePath {
    pub database: String,
    /// `None` for the database itself.
    pub domain: Option<String>,
    /// `None` for the domain itself.
    pub table: Option<TableName>,
}

impl DatabasePath {
    /// Database, domain, schema and table, up to the level of this path.
    pub fn parts(self) -> Vec<String> {
        let table = self.table.map(|table| [table.schema, table.name]);
        [self.database].into_iter().chain(self.domain).chain(table.into_iter().flatten()).collect()
    }

    /// The inverse of [`Self::parts`].
    pub fn from_parts(parts: Vec<String>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let (database, domain) = (parts.next()?, parts.next());
        let table = parts.next().zip(parts.next()).map(|(schema, name)| TableName { schema, name });
        Some(Self { database, domain, table })
    }
}

/// A place in the view to return to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabasePlace {
    pub subject: DatabasePath,
    pub side: DatabaseSide,
    pub tab: DatabaseTab,
    /// The path to the join under the cursor.
    pub way: Option<String>,
}

impl DatabasePlace {
    /// The start of this tab.
    pub fn of_tab(subject: DatabasePath, tab: DatabaseTab) -> Self {
        Self { subject, side: DatabaseSide::List, tab, way: None }
    }
}

/// The page that the right side shows, laid out for its width.
#[derive(Debug, Clone, Default)]
pub struct ShownPage {
    /// The engine's latest answer.
    pub page: Option<DatabasePage>,
    /// The text of the tab, and the inputs of its layout.
    pub text: WrappedText,
    laid_out_for: Option<(DatabasePath, DatabaseTab, usize, u64)>,
    /// The requested page: database, path, and the number of the overview.
    asked: Option<(String, String, u64)>,
}

#[derive(Debug, Clone, Default)]
pub struct DatabasesView {
    /// The engine's latest answer; dropped when the user leaves the view.
    pub overview: Option<Arc<DatabaseOverview>>,
    /// The number of answers so far.
    answers: u64,
    is_due: bool,
    is_asked: bool,
    pub rows: Vec<DatabaseRow>,
    /// The number of matching tables, and of all tables.
    pub kept: (usize, usize),
    /// Databases and domains that are folded.
    folded: HashSet<(String, Option<String>)>,
    pub cursor: Cursor,
    pub filter: TextField,
    /// Tables that the index found for the filter's words, in addition to name matches; the best have the lowest rank.
    found: HashMap<(String, TableName), usize>,
    pub side: DatabaseSide,
    pub tab: DatabaseTab,
    pub shown: ShownPage,
    pub scroll: Scroll,
    /// The horizontal scroll offset of code in the page.
    pub across: usize,
    pub join: Cursor,
    pub tree: JoinTree,
    /// The table rows of each database, by `schema.table`.
    tables: Vec<HashMap<String, DatabaseRow>>,
    /// Where to put the cursor once the overview is loaded.
    stay: Option<DatabasePlace>,
    /// The current run, which continues when the user leaves the view.
    pub run: RunState,
}

impl DatabasesView {
    /// Leaves the view; a run continues.
    pub fn close(&mut self) {
        *self = Self { run: std::mem::take(&mut self.run), answers: self.answers, ..Self::default() };
    }

    pub fn row(&self) -> Option<DatabaseRow> {
        self.rows.get(self.cursor.at).copied()
    }

    pub fn database(&self, row: DatabaseRow) -> Option<&DatabaseSummary> {
        self.overview.as_ref()?.databases.get(row.database)
    }

    pub fn domain(&self, row: DatabaseRow) -> Option<&DomainSummary> {
        self.database(row)?.domains.get(row.domain?)
    }

    pub fn table_of(&self, row: DatabaseRow) -> Option<&TableSummary> {
        self.domain(row)?.tables.get(row.table?)
    }

    pub fn table(&self) -> Option<&TableSummary> {
        self.table_of(self.row()?)
    }

    pub fn subject_of(&self, row: DatabaseRow) -> Option<DatabasePath> {
        Some(DatabasePath {
            database: self.database(row)?.name.clone(),
            domain: self.domain(row).map(|domain| domain.name.clone()),
            table: self.table_of(row).map(|table| table.name.clone()),
        })
    }

    pub fn subject(&self) -> Option<DatabasePath> {
        self.subject_of(self.row()?)
    }

    /// The path of the page for the row under the cursor, if any.
    pub fn page_path(&self) -> Option<&str> {
        let row = self.row()?;
        match (row.domain, row.table) {
            (_, Some(_)) => self.table_of(row)?.page.as_deref(),
            (Some(_), None) => self.domain(row)?.page.as_deref(),
            (None, None) => self.database(row)?.page.as_deref(),
        }
    }

    /// The tab shown: always the page, unless the row is a table.
    pub fn shown_tab(&self) -> DatabaseTab {
        if self.table().is_some() { self.tab } else { DatabaseTab::Page }
    }

    /// Whether keys move between joins.
    pub fn in_joins(&self) -> bool {
        self.side == DatabaseSide::Detail && self.shown_tab() == DatabaseTab::Joins
    }

    /// The row of the table with this name, `schema.table`, in the database under the cursor.
    fn row_of_table(&self, name: &str) -> Option<DatabaseRow> {
        self.tables.get(self.row()?.database)?.get(name).copied()
    }

    /// The path of its page, if any.
    fn page_of_table(&self, name: &str) -> Option<&str> {
        self.table_of(self.row_of_table(name)?)?.page.as_deref()
    }

    /// The path that identifies the table with this name.
    pub fn subject_of_table(&self, name: &str) -> Option<DatabasePath> {
        self.subject_of(self.row_of_table(name)?)
    }

    /// Whether the filter hides any tables.
    pub fn is_filtered(&self) -> bool {
        !self.filter.text().trim().is_empty()
    }

    pub fn place(&self) -> Option<DatabasePlace> {
        if self.stay.is_some() {
            return self.stay.clone();
        }
        let subject = self.subject()?;
        Some(DatabasePlace { subject, side: self.side, tab: self.tab, way: self.way() })
    }

    /// The catalog source for the row under the cursor.
    fn source(&self) -> Option<&str> {
        let row = self.row()?;
        let table = self.table_of(row).or_else(|| self.domain(row)?.tables.first());
        table.map(|table| table.source.as_str())
    }
}

impl State {
    /// The source of the domain or table under the cursor of the view of databases, if the catalog contains it.
    pub fn in_databases(&self) -> Option<&str> {
        self.databases.source().filter(|id| self.snapshot.catalog.get(id).is_some())
    }
}
