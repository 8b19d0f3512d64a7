//! Names in a database: their words, patterns over them, and how they are written in statements and file names.

pub mod file_names;
pub mod globs;
pub mod short_names;
pub mod words;

/// A name as a quoted SQL identifier; `None` if it contains a NUL character, which is not allowed in statements. Names
/// from a database get into statements only through this function.
pub(crate) fn quoted(name: &str) -> Option<String> {
    (!name.contains('\0')).then(|| format!("\"{}\"", name.replace('"', "\"\"")))
}
