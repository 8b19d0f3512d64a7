//! What is known, what is chosen, and why: configuration, catalog, mentions and selection. No async, no terminal, no network,
//! and no clock that was not passed in.

pub mod catalog;
pub mod config;
pub mod mention;
pub mod selection;
