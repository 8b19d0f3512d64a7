//! Everything that is written about a database: pure functions of its snapshot, the notes and the configuration,
//! without access to files, databases or the clock.

pub mod check;
pub mod describe;
pub mod diff;
pub(crate) mod domains;
pub mod join_path;
pub mod joins;
pub(crate) mod markup;
pub(crate) mod missing_target;
pub mod notes;
pub mod page;
pub mod plan;
pub(crate) mod sensitive_columns;
pub mod shared_joins;
pub mod source_ids;
pub mod table_doc;
