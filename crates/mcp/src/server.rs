//! The protocol's methods; each calls the module that implements it.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult,
    DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};

use super::agent::{self, Connection};
use super::notices::{self, ClientNotices};
use super::paging::stale;
use super::{completion, handshake, prompts, resource, resources, tools, validate};
use refdesk_desk::Session;

use refdesk_tools::handle::DeskHandle;

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;
type Answer<T> = Result<T, ErrorData>;

/// The server for one connection.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    handle: DeskHandle,
    connection: Arc<Connection>,
    notices: Arc<ClientNotices>,
}

impl Server {
    pub(crate) fn new(handle: DeskHandle) -> Self {
        let connection = Arc::new(Connection::new(handle.session()));
        Self { handle, connection, notices: Arc::default() }
    }

    fn session(&self, context: &Context) -> Session {
        self.connection.session(context)
    }

    /// The connection of a request, if it outlasts the request and so has a session.
    fn lasting(&self, context: &Context) -> Option<&Arc<Connection>> {
        self.connection.session(context);
        agent::lasts(context).then_some(&self.connection)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        handshake::info()
    }

    async fn initialize(&self, request: InitializeRequestParams, context: Context) -> Answer<InitializeResult> {
        context.peer.set_peer_info(request.clone());
        let session = self.connection.begin(&context);
        self.notices.set_agent(&session);
        let mut answer = self.negotiate_initialize(&request)?;
        answer.instructions = handshake::introduce(&self.handle, session, Some(&self.connection)).await;
        Ok(answer)
    }

    async fn discover(&self, context: Context) -> Answer<DiscoverResult> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut answer = DiscoverResult::from_server_info(versions, self.get_info());
        answer.instructions = handshake::introduce(&self.handle, self.session(&context), self.lasting(&context)).await;
        Ok(answer)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        ClientNotices::begin(&self.notices, &self.handle, context.peer);
    }

    async fn list_tools(&self, request: Page, context: Context) -> Answer<ListToolsResult> {
        // All tools fit on one page, so no cursor was ever returned.
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(stale("tools"));
        }
        tools::list(&self.handle, self.lasting(&context)).await
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        let session = self.session(&context);
        tools::call(&self.handle, session, request, context).await
    }

    async fn list_resources(&self, request: Page, context: Context) -> Answer<ListResourcesResult> {
        resources::list(&self.handle, &self.session(&context), request).await
    }

    async fn list_resource_templates(&self, request: Page, context: Context) -> Answer<ListResourceTemplatesResult> {
        resources::templates(&self.handle, &self.session(&context), request).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Answer<ReadResourceResponse> {
        resource::read(&self.handle, &self.session(&context), request).await.map(Into::into)
    }

    // Only for clients that sent `initialize`.
    #[allow(deprecated, reason = "revisions before 2026-07-28 subscribe this way")]
    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Answer<()> {
        self.notices.subscribe(&self.handle, &self.session(&context), request.uri).await
    }

    #[allow(deprecated, reason = "revisions before 2026-07-28 unsubscribe this way")]
    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: Context) -> Answer<()> {
        self.notices.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(notices::accepted(requested))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Answer<()> {
        let session = self.session(subscription.request_context());
        notices::listen(&self.handle, &session, &subscription).await;
        Ok(())
    }

    async fn list_prompts(&self, request: Page, context: Context) -> Answer<ListPromptsResult> {
        prompts::list(&self.handle, &self.session(&context), request).await
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: Context) -> Answer<GetPromptResponse> {
        prompts::get(&self.handle, &self.session(&context), request).await.map(Into::into)
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Answer<CompleteResult> {
        completion::complete(&self.handle, &self.session(&context), request).await
    }

    async fn on_custom_request(&self, request: CustomRequest, _: Context) -> Answer<CustomResult> {
        Err(validate::unknown(&request))
    }
}
