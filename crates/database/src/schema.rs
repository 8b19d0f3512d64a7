//! What a database is, as values and pure functions of them: no file, no database and no clock.

pub mod globs;
pub mod snapshot;
pub mod words;
