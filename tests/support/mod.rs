//! Shared by the tests: runs the real program with an empty home folder and a workspace of its own.

pub mod alone;
pub mod client;
pub mod conversation;
#[allow(dead_code, reason = "benchmarks use the rest")]
pub mod databases;
pub mod hostile;
pub mod model;
pub mod program;
pub mod pty;
pub mod workspace;
