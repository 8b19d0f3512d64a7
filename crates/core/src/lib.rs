//! Configuration, catalog, mentions and selection. No async, terminal or network, and no clock except one passed in.

pub mod catalog;
pub mod config;
pub mod mention;
pub mod selection;
