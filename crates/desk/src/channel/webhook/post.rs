//! Posts a request and reads the response, with retries, timeouts and error messages.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use ureq::http::header::{CONTENT_TYPE, LOCATION};
use ureq::http::{Response, StatusCode, Uri};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Error, Timeout};

use super::super::answer::{MAX, read, shown};
use super::super::{ChannelAnswer, NoAnswer, Request, Wait};
use super::Webhook;
use super::address::{DisallowedAddress, ScopedResolver};
use super::secret::SIGNATURE;
use super::target::{HostScope, Target};
use refdesk_text::Code;
use refdesk_text::escape::code_span;

/// Delays before the second and the third (last) attempt, if there is time.
const BACKOFF: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// Timeout for resolving a name and connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// Outcome of one attempt.
enum Attempt {
    /// The final outcome.
    Ended(Result<ChannelAnswer, NoAnswer>),
    /// The server could not be reached or reported an internal error; a retry may succeed.
    Failed(String),
}

/// The HTTP client, which connects only to allowed addresses.
pub(super) fn agent(target: &Target) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .max_idle_connections(0)
        .timeout_resolve(Some(CONNECT))
        .timeout_connect(Some(CONNECT))
        .user_agent(concat!("refdesk/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .build();
    Agent::with_parts(config, DefaultConnector::default(), ScopedResolver(target.reach))
}

impl Webhook {
    /// Posts until there is an answer, at most three times.
    pub(super) fn post(&self, agent: &Agent, request: &Request, wait: &Wait) -> Result<ChannelAnswer, NoAnswer> {
        let body = serde_json::to_vec(request).map_err(|error| {
            NoAnswer::failed(Code::NotAsked, format!("the question cannot be written as JSON: {error}"), "")
        })?;
        let signature = self.secret.as_ref().and_then(|secret| secret.sign(&body));
        let mut backoff = BACKOFF.iter();
        loop {
            let why = match self.attempt(agent, request, &body, signature.as_deref(), self.timeout.min(wait.left())) {
                Attempt::Ended(end) => return end,
                Attempt::Failed(why) => why,
            };
            let tried = 1 + BACKOFF.len() - backoff.len();
            let is_last = match backoff.next() {
                // A short wait gets as many attempts, with shorter delays.
                Some(span) => wait.left().is_zero() || !pause((*span).min(wait.left() / 4), wait),
                None => true,
            };
            if wait.is_cancelled() {
                return Err(NoAnswer::Cancelled);
            }
            if is_last {
                let times = if tried == 1 { String::new() } else { format!(" ({tried} times)") };
                let message = format!("the webhook {} {why}{times}", self.target.shown);
                return Err(NoAnswer::failed(Code::Webhook, message, "make sure it is running, and ask again"));
            }
        }
    }

    fn attempt(
        &self,
        agent: &Agent,
        request: &Request,
        body: &[u8],
        signature: Option<&str>,
        span: Duration,
    ) -> Attempt {
        let mut post = agent.post(self.target.uri()).config().timeout_global(Some(span)).build();
        for (name, value) in &self.headers {
            post = post.header(name, value);
        }
        if let Some(signature) = signature {
            post = post.header(SIGNATURE, signature);
        }
        match post.header(CONTENT_TYPE, "application/json").send(body) {
            Ok(response) => self.parse_response(request, response),
            Err(error) => self.failed_attempt(error),
        }
    }

    fn parse_response(&self, request: &Request, mut response: Response<Body>) -> Attempt {
        let status = response.status();
        let answered = format!("answered {} {}", status.as_u16(), status.canonical_reason().unwrap_or_default());
        let answered = answered.trim_end();
        if status.is_server_error() {
            return Attempt::Failed(answered.to_owned());
        }
        if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
            let to =
                response.headers().get(LOCATION).map(|to| self.shown_redirect(&String::from_utf8_lossy(to.as_bytes())));
            let to = to.unwrap_or_else(|| "nowhere".to_owned());
            let what = format!("{answered} and redirected to {to}, which is not followed");
            return self.ended(Code::Webhook, &what, "set channel.endpoint to the final address");
        }
        if !status.is_success() {
            return self.ended(Code::Webhook, answered, "see its own log for the reason");
        }
        let kind = response.headers().get(CONTENT_TYPE).map(|kind| String::from_utf8_lossy(kind.as_bytes()));
        if let Some(kind) = kind.filter(|kind| !is_json(kind)) {
            let what = format!("answered with '{}', not with JSON", shown(&kind));
            return self.ended(Code::WrongAnswer, &what, "answer as application/json");
        }
        let mut bytes = Vec::new();
        match response.body_mut().as_reader().take(MAX + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > MAX => {
                let what = format!("answered with more than {MAX} bytes");
                self.ended(Code::WrongAnswer, &what, "answer with ids only")
            }
            Ok(_) => Attempt::Ended(
                read(request, &bytes)
                    .map(|answered| ChannelAnswer {
                        // It may give any name, also that of a place where a person answers.
                        by: Some(
                            answered
                                .by
                                .map_or_else(|| "a webhook".to_owned(), |by| format!("a webhook ({})", code_span(&by))),
                        ),
                        ..answered
                    })
                    .map_err(|wrong| {
                        wrong.into_no_answer(&format!("the response of the webhook {}", self.target.shown))
                    }),
            ),
            Err(error) => {
                let error = Error::from(error);
                if matches!(error, Error::Timeout(_)) {
                    return Attempt::Ended(Err(NoAnswer::TimedOut));
                }
                let what = format!("closed the connection in the middle of its answer: {error}");
                self.ended(Code::WrongAnswer, &what, "make sure that it sends complete answers, and ask again")
            }
        }
    }

    /// The server may act on a request once it is connected, so retry only if no connection was made.
    fn failed_attempt(&self, error: Error) -> Attempt {
        match error {
            Error::Other(inner) if inner.downcast_ref::<DisallowedAddress>().is_some() => {
                let address = inner.downcast_ref::<DisallowedAddress>().map(|inner| inner.address.to_string());
                let (what, hint) = match self.target.reach {
                    HostScope::Private => {
                        ("a public address, and plain http is allowed only for private ones", "use https")
                    }
                    _ => ("a private address", "add the host to channel.allow_hosts if the address is intended"),
                };
                let at = format!("'{}' is at {}, {what}", self.target.host, address.unwrap_or_default());
                let message = format!("the webhook is not called: {at}");
                Attempt::Ended(Err(NoAnswer::failed(Code::PrivateAddress, message, hint)))
            }
            Error::HostNotFound => Attempt::Failed("was not found: its host has no address".to_owned()),
            Error::ConnectionFailed => Attempt::Failed("could not be reached".to_owned()),
            Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
                Attempt::Failed(format!("could not be reached within {} s", CONNECT.as_secs()))
            }
            Error::Timeout(_) => Attempt::Ended(Err(NoAnswer::TimedOut)),
            Error::Io(error) if is_unconnected(&error) => Attempt::Failed(format!("could not be reached: {error}")),
            error => {
                let what = format!("gave no answer: {error}");
                self.ended(Code::Webhook, &what, "make sure that it answers, and ask again")
            }
        }
    }

    /// Where a redirect leads, without its path and query, which may repeat the secret ones of the endpoint.
    fn shown_redirect(&self, to: &str) -> String {
        let scheme = self.target.uri().scheme_str().unwrap_or_default();
        let written = if to.starts_with("//") { format!("{scheme}:{to}") } else { to.to_owned() };
        let Ok(uri) = written.parse::<Uri>() else { return "an address that cannot be read".to_owned() };
        match (uri.scheme_str(), uri.host()) {
            (Some(scheme), Some(host)) => {
                let port = uri.port().map_or_else(String::new, |port| format!(":{port}"));
                format!("'{}'", shown(&format!("{scheme}://{host}{port}")))
            }
            _ => "another path of the same host".to_owned(),
        }
    }

    fn ended(&self, code: Code, what: &str, hint: &str) -> Attempt {
        Attempt::Ended(Err(NoAnswer::failed(code, format!("the webhook {} {what}", self.target.shown), hint)))
    }
}

/// Waits this long, or until the wait is cancelled; returns whether to go on.
fn pause(span: Duration, wait: &Wait) -> bool {
    let began = Instant::now();
    while let Some(left) = span.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) {
        if wait.is_cancelled() {
            return false;
        }
        std::thread::park_timeout(left.min(wait.check_interval()));
    }
    true
}

/// Whether resolving the name or connecting failed.
fn is_unconnected(error: &io::Error) -> bool {
    use io::ErrorKind::{AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable};
    [AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable].contains(&error.kind())
}

/// Whether the type is `application/json` or a variant such as `application/problem+json`; parameters are ignored.
fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}
