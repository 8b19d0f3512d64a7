//! What the protocol asks, answered by the desk.

use rmcp::ServerHandler;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

use super::front::Front;

/// One agent's end of the desk.
#[derive(Debug, Clone)]
pub struct Server {
    front: Front,
}

impl Server {
    /// For one agent.
    pub fn new(front: Front) -> Self {
        Self { front }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let _ = &self.front;
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("refdesk", env!("CARGO_PKG_VERSION")))
    }
}
