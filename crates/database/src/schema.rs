//! What a database is, as values and pure functions of them: no file, no database and no clock.

pub mod check;
pub mod describe;
pub mod diff;
pub mod domains;
pub mod file_names;
pub mod globs;
pub mod join_path;
pub mod joins;
mod literals;
pub mod markup;
pub mod notes;
pub mod page;
pub mod plan;
pub mod sensitive;
pub mod snapshot;
pub mod table_doc;
pub mod words;
