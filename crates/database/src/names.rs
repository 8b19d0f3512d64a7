//! Names in a database: their words, patterns over them, and how they are written in statements and file names.

pub mod file_names;
pub mod globs;
pub(crate) mod quoted;
pub mod words;
