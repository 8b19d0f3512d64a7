//! The desk as a Model Context Protocol server, for one agent on standard input and output or for many over HTTP. The desk
//! itself is an engine behind a queue; what agents ask for is read from its newest snapshot or done by it as an errand.

mod front;
pub mod http;
mod server;

pub use front::Front;

use std::io;

use rmcp::ServiceExt;

use crate::desk::Options;
use crate::engine;

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client went away.
    Closed,
}

/// Serves one agent on standard input and output, until it goes away.
///
/// # Errors
/// Where the system gives no thread, or nobody speaks the protocol.
pub async fn serve_stdio(options: Options) -> io::Result<Ended> {
    let front = Front::new(options.session.clone(), engine::start(options)?);
    let server = server::Server::new(front.clone());
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    let served = server.serve((reader, writer)).await.map_err(io::Error::other)?;
    served.waiting().await.map_err(io::Error::other)?;
    front.close().await;
    Ok(Ended::Closed)
}
