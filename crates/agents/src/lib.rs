//! Support for agents: parsing and answering their hooks, and connecting them to refdesk.

pub mod hook;
pub mod setup;
