//! Support for agents: parsing and answering their hooks, connecting them to refdesk, and trying out whether that works.

pub mod canary;
pub mod hook;
pub mod setup;
