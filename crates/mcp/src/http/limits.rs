//! Limits of the HTTP server; `docs/src/reference/limits.md` lists the same values.

use std::time::Duration;

/// All limits of a server. `refdesk mcp --http` uses the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The size of a request's body in bytes.
    pub body: usize,
    /// The size of a request's head in bytes.
    pub head: usize,
    /// Concurrent requests, each until its answer is sent, or known if its client has disconnected; streams that only
    /// wait for notifications do not count.
    pub requests: usize,
    /// Open connections.
    pub connections: usize,
    /// Open sessions; beyond that, the one idle for longest is evicted.
    pub sessions: usize,
    /// Timeout for the head of a client's next request.
    pub head_time: Duration,
    /// Timeout for a request's body.
    pub body_time: Duration,
    /// Timeout for a client that does not read its answer.
    pub stall: Duration,
    /// The time after which an idle session ends.
    pub idle: Duration,
    /// Timeout for requests in progress when the server shuts down.
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

/// The number of connections beyond the limit that get an error; further ones wait.
pub(super) const EXCESS_CONNECTIONS: usize = 32;

/// The value of `Retry-After` for a request beyond a limit, in seconds.
pub(super) const RETRY_AFTER: &str = "1";
