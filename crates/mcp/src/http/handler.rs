//! One request, from its head to its answer: whether it may come in and finds a place, what is said where not, and otherwise what
//! the desk answers. Everything that is refused here is refused in words, before a byte of the desk is touched.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::http::response::Builder;
use hyper::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use hyper::{Request, Response};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use super::body::{self, Answer, Unread};
use super::auth::{Gate, is_preflight};
use super::limits::AGAIN;
use super::sessions::Sessions;
use super::{Http, Limits, PATH};
use crate::server::Server;
use refdesk_tools::handle::DeskHandle;

/// What a web page may send and read beside what browsers always let it.
const MAY_SEND: &str =
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id";
const MAY_READ: &str = "mcp-session-id, retry-after, www-authenticate";
const METHODS: &str = "POST, GET, DELETE";

/// Answers every request of a server.
pub struct Door {
    gate: Gate,
    limits: Limits,
    slots: Arc<Semaphore>,
    sessions: Arc<Sessions>,
    desk: StreamableHttpService<Server, Sessions>,
    /// Whether the server is to end.
    closing: watch::Receiver<bool>,
}

impl Door {
    /// Of a server that listens here; streams end when `closing` says so.
    pub fn new(
        handle: DeskHandle,
        http: &Http,
        address: SocketAddr,
        limits: Limits,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let sessions = Arc::new(Sessions::new(&limits));
        // The gate has looked at host and origin, and one answer needs no stream.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(limits.body);
        let desk = StreamableHttpService::new(move || Ok(Server::new(handle.clone())), Arc::clone(&sessions), config);
        let slots = Arc::new(Semaphore::new(limits.requests));
        Self { gate: Gate::new(http, address), limits, slots, sessions, desk, closing }
    }

    /// Breaks off whatever is still under way.
    pub fn break_off(&self) {
        self.desk.config.cancellation_token.cancel();
    }

    /// Answers.
    pub async fn answer(&self, request: Request<Incoming>) -> Response<Answer> {
        let (head, body) = request.into_parts();
        match self.gate.check(&head) {
            Err(denied) => refused(denied.status, denied.message),
            Ok(None) => self.admitted(head, body).await,
            Ok(Some(origin)) => {
                let mut response = if is_preflight(&head) { preflight() } else { self.admitted(head, body).await };
                let headers = response.headers_mut();
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(MAY_READ));
                headers.insert(header::VARY, HeaderValue::from_static("origin"));
                response
            }
        }
    }

    async fn admitted(&self, head: Parts, body: Incoming) -> Response<Answer> {
        if head.uri.path() != PATH {
            return refused(StatusCode::NOT_FOUND, format!("nothing is here: the desk is at {PATH}"));
        }
        if head.method == Method::POST {
            return self.post(head, body).await;
        }
        if head.method != Method::GET && head.method != Method::DELETE {
            return refused(StatusCode::METHOD_NOT_ALLOWED, format!("the methods are {METHODS}"));
        }
        let waits = head.method == Method::GET && !takes_up_an_answer(&head.headers);
        let response = self.desk.handle(Request::from_parts(head, Full::<Bytes>::default())).await;
        if waits { response.map(|body| body::until(body, self.closing.clone())) } else { response }
    }

    async fn post(&self, head: Parts, body: Incoming) -> Response<Answer> {
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            return busy("too many requests are under way");
        };
        let may_begin = may_begin_a_session(&head.headers);
        if may_begin && self.sessions.is_full() {
            return busy("too many sessions are open");
        }
        let body = match body::read(body, &self.limits).await {
            Ok(body) => body,
            Err(Unread::TooLarge) => {
                let message = format!("the body passes the limit of {} bytes", self.limits.body);
                return refused(StatusCode::PAYLOAD_TOO_LARGE, message);
            }
            Err(Unread::TooSlow) => return refused(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
            Err(Unread::Broken) => return refused(StatusCode::BAD_REQUEST, "the body broke off"),
        };
        let waits = is(&head.headers, "mcp-method", "subscriptions/listen");
        let is_json =
            head.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let response = self.desk.handle(Request::from_parts(head, Full::new(body.clone()))).await;
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
            return no_message(&body);
        }
        // Somebody else took the last place while the body came: rmcp knows no other word for it.
        if may_begin && response.status() == StatusCode::INTERNAL_SERVER_ERROR {
            return busy("no session could begin: try again");
        }
        response.map(|body| if waits { body::until(body, self.closing.clone()) } else { body::holding(body, slot) })
    }
}

/// Whether the answer to a request is asked for whose connection broke; its id names the request after a slash.
fn takes_up_an_answer(headers: &HeaderMap) -> bool {
    headers.get("last-event-id").is_some_and(|id| id.as_bytes().contains(&b'/'))
}

/// Whether it comes without a session, and from a revision that has any.
fn may_begin_a_session(headers: &HeaderMap) -> bool {
    !headers.contains_key("mcp-session-id") && !is(headers, "mcp-protocol-version", "2026-07-28")
}

fn is(headers: &HeaderMap, name: &'static str, value: &str) -> bool {
    headers.get(HeaderName::from_static(name)).is_some_and(|given| given.as_bytes() == value.as_bytes())
}

/// A body that is JSON by its type and yet no message: the protocol's own words for it.
fn no_message(body: &[u8]) -> Response<Answer> {
    let (code, message, id) = match serde_json::from_slice::<Value>(body) {
        Err(error) => (-32700, format!("the body is no JSON: {error}"), Value::Null),
        Ok(Value::Array(_)) => (-32600, "send one message at a time: batches are not taken".to_owned(), Value::Null),
        Ok(value) => {
            let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default();
            (
                -32600,
                "this is no message of JSON-RPC 2.0: it takes jsonrpc, method, params and, for an answer, id"
                    .to_owned(),
                id,
            )
        }
    };
    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    let kind = HeaderValue::from_static("application/json");
    respond(Response::builder().status(StatusCode::BAD_REQUEST).header(header::CONTENT_TYPE, kind), error.to_string())
}

/// Beyond a limit, until a place is free.
pub fn busy(message: &'static str) -> Response<Answer> {
    refused(StatusCode::SERVICE_UNAVAILABLE, message)
}

fn preflight() -> Response<Answer> {
    let builder = Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS)
        .header(header::ACCESS_CONTROL_ALLOW_HEADERS, MAY_SEND);
    respond(builder, "")
}

fn refused(status: StatusCode, message: impl Into<String>) -> Response<Answer> {
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, "text/plain; charset=utf-8");
    let builder = match status {
        StatusCode::UNAUTHORIZED => builder.header(header::WWW_AUTHENTICATE, "Bearer"),
        StatusCode::METHOD_NOT_ALLOWED => builder.header(header::ALLOW, METHODS),
        StatusCode::SERVICE_UNAVAILABLE => builder.header(header::RETRY_AFTER, AGAIN),
        _ => builder,
    };
    respond(builder, message.into() + "\n")
}

fn respond(builder: Builder, text: impl Into<Bytes>) -> Response<Answer> {
    // Only a header that is none could fail, and all are written here.
    builder.body(body::text(text)).unwrap_or_else(|_| Response::new(body::text("")))
}
