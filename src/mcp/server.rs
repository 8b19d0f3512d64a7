//! What the protocol asks, answered by the desk: each method is one line into the file that knows how.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::agent::Connection;
use super::front::Front;
use super::{sift, tools};
use crate::desk::Agent;

/// One agent's end of the desk.
#[derive(Debug, Clone)]
pub struct Server {
    front: Front,
    connection: Arc<Connection>,
}

impl Server {
    /// For one connection.
    pub fn new(front: Front) -> Self {
        let connection = Arc::new(Connection::new(front.session()));
        Self { front, connection }
    }

    /// The desk.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// Who asks.
    pub fn agent(&self, context: &RequestContext<RoleServer>) -> Agent {
        self.connection.agent(context)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("refdesk", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        tools::list(&self.front).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let agent = self.agent(&context);
        tools::call(&self.front, agent, request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(sift::unknown(&request))
    }
}
