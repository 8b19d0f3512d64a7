//! Configuration, catalog, mentions and selection. No async, no terminal, no network, and no clock except one passed
//! in.

pub mod catalog;
pub mod config;
pub mod mention;
pub mod selection;
