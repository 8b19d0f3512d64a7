//! Names in statements.

use std::fmt;

/// A name with a NUL character, which no statement can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NulInName;

impl fmt::Display for NulInName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name has a NUL character")
    }
}

impl std::error::Error for NulInName {}

/// A name as a quoted identifier of SQL. The only way for a name from a database to get into a statement.
///
/// # Errors
/// The name has a NUL character.
pub(crate) fn quoted(name: &str) -> Result<String, NulInName> {
    if name.contains('\0') {
        return Err(NulInName);
    }
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}
