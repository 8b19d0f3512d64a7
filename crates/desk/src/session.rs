//! State that persists between runs: a desk's selection and a session's memory, each in its own file below
//! `.jaato/refdesk/`, and the files of embedded templates (BEHAVIOUR §6, §9). Every change reads, modifies and writes
//! under one advisory lock, so that concurrent changes of two processes are both kept.

mod declined;
mod foreign;
mod identity;
mod journal;
mod memory;
mod selection;
mod store;
mod templates;
mod trusted;

pub(crate) use declined::DeclinedSources;
pub use identity::Session;
pub(crate) use journal::{Appended, Offers, SkippedLines, records_event};
pub use journal::{Count, JournalEvent, JournalTail, Line, OVER_MCP, Receipt, SCREEN, Tally};
pub use selection::Change;
pub(crate) use selection::{NewPicks, StoredSelection, UnconfirmedPicks};
pub(crate) use store::ignore_in_git;
pub use store::{DEFAULT, Store, advice};
pub(crate) use templates::INDEX;
pub use templates::{OnBehalfOf, TemplateFile, Written};
pub(crate) use trusted::Trusted;
