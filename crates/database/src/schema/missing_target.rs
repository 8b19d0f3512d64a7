//! What a foreign key refers to that does not exist. SQLite accepts such keys.

use crate::config::DatabaseConfig;
use crate::snapshot::{ForeignKey, Snapshot};

/// What does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingTarget<'k> {
    /// The table.
    Table,
    /// A column of the table.
    Column(&'k str),
}

impl<'k> MissingTarget<'k> {
    /// What a key refers to in vain. A table that the configuration excludes exists, and one whose columns were not read
    /// may have any column.
    pub(crate) fn of(key: &'k ForeignKey, config: &DatabaseConfig, snapshot: &Snapshot) -> Option<Self> {
        let name = &key.target;
        let Some(table) = snapshot.table(name) else {
            let is_missing = config.wants_table(&name.schema, &name.name) && !snapshot.has_table(name);
            return is_missing.then_some(Self::Table);
        };
        let mut columns = key.target_columns.iter().filter(|_| !table.columns.is_empty() && !table.is_unreadable);
        columns.find(|column| table.column(column).is_none()).map(|column| Self::Column(column))
    }

    /// Its name, after that of the table.
    pub(crate) fn with_table(self, table: &str) -> String {
        match self {
            Self::Table => table.to_owned(),
            Self::Column(column) => format!("{table}.{column}"),
        }
    }
}
