//! Names in statements.

/// A name as a quoted SQL identifier; `None` for one with a NUL character, which no statement can contain. This is the
/// only way for a name from a database to get into a statement.
pub(crate) fn quoted(name: &str) -> Option<String> {
    (!name.contains('\0')).then(|| format!("\"{}\"", name.replace('"', "\"\"")))
}
