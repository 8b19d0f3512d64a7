//! How much may be asked over HTTP at once, and how long anything may take. README's limits say the same.

use std::time::Duration;

/// Every limit of a server. [`Limits::default`] is what `refdesk mcp --http` keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one request's body.
    pub body: usize,
    /// Bytes of one request's head.
    pub head: usize,
    /// Requests under way at once, until their answer is taken; streams that only wait for notices do not count.
    pub requests: usize,
    /// Connections open at once.
    pub connections: usize,
    /// Sessions open at once; for another the one goes in which nothing went on for longest.
    pub sessions: usize,
    /// So long a client may take to send the head of its next request, counted from when it could.
    pub head_time: Duration,
    /// So long a client may take to send a body.
    pub body_time: Duration,
    /// So long a client may take none of what is sent to it.
    pub stall: Duration,
    /// A session in which nothing happens for so long ends.
    pub idle: Duration,
    /// What is under way when the server is to end may take so long.
    pub ending: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 2 * 1024 * 1024,
            head: 16 * 1024,
            requests: 128,
            connections: 512,
            sessions: 256,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            stall: Duration::from_secs(60),
            idle: Duration::from_secs(60 * 60),
            ending: Duration::from_secs(10),
        }
    }
}

/// Connections beyond the limit that are told so, before further ones are left to wait.
pub const TOLD: usize = 32;

/// When whoever found no place may try again, in seconds.
pub const AGAIN: &str = "1";
