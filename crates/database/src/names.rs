//! Names of a database: their words, patterns over them, and how they stand in statements and in names of files.

pub mod file_names;
pub mod globs;
pub mod quoted;
pub mod words;
