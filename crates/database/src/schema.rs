//! What a database is, as values and pure functions of them: no file, no database and no clock.

pub mod domains;
pub mod globs;
pub mod notes;
pub mod plan;
pub mod sensitive;
pub mod snapshot;
pub mod words;
