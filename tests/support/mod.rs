//! What the test binaries share: the real program run in a world of its own, with an empty home folder and a workspace made
//! for the test. Each binary uses its part of it, so nothing here is dead although some binary leaves it out.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod alone;
pub mod client;
pub mod conversation;
pub mod hostile;
pub mod program;
#[cfg(unix)]
pub mod pty;
pub mod scale;
pub mod workspace;
