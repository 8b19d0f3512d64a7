//! Agent support: parses and answers their hooks, connects them to refdesk, and tests a connection.

pub mod canary;
pub mod hook;
pub mod setup;
