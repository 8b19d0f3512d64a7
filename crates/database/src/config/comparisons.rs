//! Bounds the time for matching a database's patterns against its names. Each pattern is matched against each name, and
//! both may come from a repository. The limits on patterns and on schemas do not bound their product.

use refdesk_text::{Code, Error};

use super::DatabaseConfig;
use crate::connector::SchemaReading;
use crate::names::globs::NamePattern;

/// Pattern characters times name bytes; this many take about a second.
const COMPARISONS: usize = 4_000_000_000;

/// Up to this many pattern characters are always allowed: reading that many names takes longer anyway.
const ALWAYS: usize = 512;

impl DatabaseConfig {
    /// Refuses to match table names of `bytes` in total against the patterns for tables.
    ///
    /// # Errors
    /// It would take too long.
    pub(crate) fn check_table_comparisons(&self, bytes: usize) -> Result<(), Error> {
        let of_domains = self.domains.iter().flat_map(|(_, patterns)| patterns);
        self.check(self.include_tables.iter().chain(&self.exclude_tables).chain(of_domains), bytes, "tables")
    }

    /// The same for everything that was read.
    ///
    /// # Errors
    /// It would take too long.
    pub(crate) fn check_comparisons(&self, reading: &SchemaReading) -> Result<(), Error> {
        let tables = &reading.snapshot.tables;
        let read: usize = tables.iter().map(|table| table.schema.len() + table.name.len()).sum();
        let left_out: usize = reading.left_out.iter().map(|name| name.schema.len() + name.name.len()).sum();
        self.check_table_comparisons(read + left_out)?;
        let columns = tables.iter().flat_map(|table| table.columns.iter().map(move |column| (table, column)));
        let bytes = columns.map(|(table, column)| table.schema.len() + table.name.len() + column.name.len()).sum();
        self.check(self.sensitive.iter().chain(&self.not_sensitive), bytes, "columns")
    }

    fn check<'p>(&self, of: impl Iterator<Item = &'p NamePattern>, bytes: usize, what: &str) -> Result<(), Error> {
        let characters: usize = of.map(|pattern| pattern.text.chars().count()).sum();
        if characters <= ALWAYS || characters.saturating_mul(bytes) <= COMPARISONS {
            return Ok(());
        }
        let message = format!(
            "its patterns have {characters} characters, and the names of its {what} {bytes} bytes: comparing them would take too long"
        );
        Err(Error::new(Code::TooMany, message, "use fewer patterns that match more, with '*'"))
    }
}
