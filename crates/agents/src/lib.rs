//! Other people's agents: what their hooks send and expect, and connecting them to refdesk.

pub mod hook;
pub mod setup;
