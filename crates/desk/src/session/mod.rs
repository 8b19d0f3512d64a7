//! What lasts between two runs: a desk's choice and what a session was told, each a file of its own below
//! `.jaato/refdesk/`, and the files of embedded templates (BEHAVIOUR §6, §9). All changes are read, made and written under one advisory lock, so that two processes
//! that change at once both succeed.

mod foreign;
mod journal;
mod sessions;
mod store;
mod templates;
mod trusted;

pub use journal::{Count, Line, OVER_MCP, Receipt, SCREEN, Tail, Tally, What, says_what};
pub use store::{Change, DEFAULT, FOLDER, Store, advice, keep_git_out};
pub use templates::{For, TemplateFile, Written};
pub use trusted::Trusted;
