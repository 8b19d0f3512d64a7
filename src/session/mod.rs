//! What lasts between two runs: a desk's choice and what a session was told, each a file of its own below
//! `.jaato/refdesk/` (BEHAVIOUR §9). All changes are read, made and written under one advisory lock, so that two processes
//! that change at once both succeed.

mod store;

pub use store::{Change, DEFAULT, Store};
