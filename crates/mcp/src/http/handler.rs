//! Handles an HTTP request: authorizes it, checks the limits, and passes it to the protocol's service. A request
//! rejected here gets a message and does not reach the desk.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::{BodyExt, Collected, Full};
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::http::response::Builder;
use hyper::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use hyper::{Request, Response};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use super::auth::{Guard, is_preflight};
use super::body::{self, BodyError, RequestSlot, ResponseBody};
use super::limits::RETRY_AFTER;
use super::sessions::{Sessions, is_of_a_call};
use super::{Http, Limits, PATH};
use crate::server::Server;
use crate::validate::{id_within, invalid_envelope, is_too_deep, repaired};
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::json_type;

/// Request and response headers that a web page may use in addition to those browsers always allow.
const REQUEST_HEADERS: &str =
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";
const RESPONSE_HEADERS: &str = "mcp-session-id, retry-after, www-authenticate";
const METHODS: &str = "POST, GET, DELETE";

/// Handles the requests of a server.
pub(super) struct Handler {
    guard: Guard,
    limits: Limits,
    slots: Arc<Semaphore>,
    sessions: Arc<Sessions>,
    service: StreamableHttpService<Server, Sessions>,
    /// Whether the server is shutting down.
    closing: watch::Receiver<bool>,
}

impl Handler {
    /// The handler of a server that listens on `address`; streams end when `closing` becomes true.
    pub(super) fn new(
        handle: DeskHandle,
        http: &Http,
        address: SocketAddr,
        limits: Limits,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let sessions = Arc::new(Sessions::new(&limits));
        // The guard has already checked host and origin, and a single answer needs no stream. No stream begins with an
        // event without a message: clients of revisions before 2025-11-25 cannot read it.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_sse_retry(None)
            .with_max_request_body_bytes(limits.body);
        let service =
            StreamableHttpService::new(move || Ok(Server::new(handle.clone())), Arc::clone(&sessions), config);
        let slots = Arc::new(Semaphore::new(limits.requests));
        Self { guard: Guard::new(http, address), limits, slots, sessions, service, closing }
    }

    /// Aborts requests in progress.
    pub(super) fn abort(&self) {
        self.service.config.cancellation_token.cancel();
    }

    pub(super) async fn handle(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        let (head, body) = request.into_parts();
        match self.guard.check(&head) {
            Err(denied) => refused(denied.status, denied.message),
            Ok(None) => self.route(head, body).await,
            Ok(Some(origin)) => {
                let mut response = if is_preflight(&head) { preflight() } else { self.route(head, body).await };
                let headers = response.headers_mut();
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(RESPONSE_HEADERS));
                headers.insert(header::VARY, HeaderValue::from_static("origin"));
                response
            }
        }
    }

    async fn route(&self, head: Parts, body: Incoming) -> Response<ResponseBody> {
        if head.uri.path() != PATH {
            return refused(StatusCode::NOT_FOUND, format!("not found: the endpoint is {PATH}"));
        }
        if head.method == Method::POST {
            return self.post(head, body).await;
        }
        if head.method != Method::GET && head.method != Method::DELETE {
            return refused(StatusCode::METHOD_NOT_ALLOWED, format!("the allowed methods are {METHODS}"));
        }
        let waits = head.method == Method::GET && !resumes_an_answer(&head.headers);
        let response = self.respond(Request::from_parts(head, Full::<Bytes>::default())).await;
        if waits { response.map(|body| body::until_closing(body, self.closing.clone())) } else { response }
    }

    /// The library's response, with what to do about a session that is missing.
    async fn respond(&self, request: Request<Full<Bytes>>) -> Response<ResponseBody> {
        let response = self.service.handle(request).await;
        let may_lack_session = matches!(response.status(), StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND)
            && !response.headers().contains_key(header::CONTENT_TYPE);
        if !may_lack_session {
            return response;
        }
        let (head, body) = response.into_parts();
        // The library's texts are short and complete.
        let Ok(text) = body.collect().await.map(Collected::to_bytes);
        let advice = match &*text {
            b"Bad Request: Session ID is required" => "; send `initialize` first, which answers with Mcp-Session-Id\n",
            b"Not Found: Session not found" => "; send `initialize` without Mcp-Session-Id for a new one\n",
            _ => "",
        };
        let text = [&*text, advice.as_bytes()].concat();
        Response::from_parts(head, body::text(text))
    }

    async fn post(&self, mut head: Parts, body: Incoming) -> Response<ResponseBody> {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            return busy("too many requests are in progress");
        };
        let slot = RequestSlot::new(slot);
        let may_begin = may_begin_a_session(&head.headers);
        if may_begin && self.sessions.is_full() {
            return busy("too many sessions are open");
        }
        let body = match body::read(body, &self.limits).await {
            Ok(body) => body,
            Err(BodyError::TooLarge) => {
                let message = format!("the body exceeds the limit of {} bytes", self.limits.body);
                return refused(StatusCode::PAYLOAD_TOO_LARGE, message);
            }
            Err(BodyError::TooSlow) => return refused(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
            Err(BodyError::Broken) => return refused(StatusCode::BAD_REQUEST, "the body is incomplete"),
        };
        let repaired = repaired(&body);
        let is_repaired = repaired.is_some();
        let body = repaired.map_or(body, Bytes::from);
        let is_json =
            head.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        if let Some((id, error)) = is_json.then(|| invalid_envelope(&body, is_repaired)).flatten() {
            return invalid_message(error.code.0, &error.message, &json!(id));
        }
        // Only in this revision must the header agree with the body.
        let waits = is_sessionless(&head.headers) && is(&head.headers, "mcp-method", "subscriptions/listen");
        if !waits {
            // The handler of the message gets the head.
            head.extensions.insert(RequestSlot::clone(&slot));
        }
        let response = self.respond(Request::from_parts(head, Full::new(body.clone()))).await;
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
            return no_message(&body);
        }
        // Another client took the last session while the body was read; rmcp reports that as an internal error.
        if may_begin && response.status() == StatusCode::INTERNAL_SERVER_ERROR {
            return busy("no session could be started: try again");
        }
        response.map(
            |body| if waits { body::until_closing(body, self.closing.clone()) } else { body::with_slot(body, slot) },
        )
    }
}

/// Whether a client wants to resume an answer whose connection broke.
fn resumes_an_answer(headers: &HeaderMap) -> bool {
    headers.get("last-event-id").is_some_and(|id| id.to_str().is_ok_and(is_of_a_call))
}

/// Whether a request has no session although its protocol revision has sessions.
fn may_begin_a_session(headers: &HeaderMap) -> bool {
    !headers.contains_key("mcp-session-id") && !is_sessionless(headers)
}

/// Whether the protocol revision of a request has no sessions.
fn is_sessionless(headers: &HeaderMap) -> bool {
    is(headers, "mcp-protocol-version", "2026-07-28")
}

fn is(headers: &HeaderMap, name: &'static str, value: &str) -> bool {
    headers.get(HeaderName::from_static(name)).is_some_and(|given| given.as_bytes() == value.as_bytes())
}

/// The protocol's error for a body that is declared as JSON but that the library does not accept as a message.
fn no_message(body: &[u8]) -> Response<ResponseBody> {
    let (code, message, id) = match serde_json::from_slice::<Value>(body) {
        Err(error) if is_too_deep(&error) => {
            (-32700, "the body is nested deeper than 127 levels".to_owned(), json!(id_within(body)))
        }
        Err(error) => (-32700, format!("the body is not JSON: {error}"), json!(id_within(body))),
        Ok(Value::Array(_)) => {
            (-32600, "batches are not supported; send one message at a time".to_owned(), Value::Null)
        }
        Ok(Value::Object(members)) => {
            let message = "this is not a message of the protocol: check the members of 'params', 'result' or 'error'";
            (-32600, message.to_owned(), members.get("id").cloned().unwrap_or_default())
        }
        Ok(other) => (-32600, format!("a message must be an object, not {}", json_type(&other)), Value::Null),
    };
    invalid_message(code, &message, &id)
}

fn invalid_message(code: i32, message: &str, id: &Value) -> Response<ResponseBody> {
    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    let kind = HeaderValue::from_static("application/json");
    respond(Response::builder().status(StatusCode::BAD_REQUEST).header(header::CONTENT_TYPE, kind), error.to_string())
}

/// Rejects a request beyond a limit; the client may retry later.
pub(crate) fn busy(message: &'static str) -> Response<ResponseBody> {
    refused(StatusCode::SERVICE_UNAVAILABLE, message)
}

fn preflight() -> Response<ResponseBody> {
    let builder = Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS)
        .header(header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    respond(builder, "")
}

fn refused(status: StatusCode, message: impl Into<String>) -> Response<ResponseBody> {
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, "text/plain; charset=utf-8");
    let builder = match status {
        StatusCode::UNAUTHORIZED => builder.header(header::WWW_AUTHENTICATE, "Bearer"),
        StatusCode::METHOD_NOT_ALLOWED => builder.header(header::ALLOW, METHODS),
        StatusCode::SERVICE_UNAVAILABLE => builder.header(header::RETRY_AFTER, RETRY_AFTER),
        _ => builder,
    };
    respond(builder, message.into() + "\n")
}

fn respond(builder: Builder, text: impl Into<Bytes>) -> Response<ResponseBody> {
    // Fails only for an invalid header, and all headers are constants.
    builder.body(body::text(text)).unwrap_or_else(|_| Response::new(body::text("")))
}
