//! Statements over HTTP, one request each. A slow statement is polled by its handle, and its result comes in parts.

use std::collections::BTreeMap;
use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof};
use std::io::Read;
use std::time::{Duration, SystemTime};

use refdesk_text::{Code, Error};
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body, RequestBuilder};

use crate::{Account, Token, unreachable, unreadable};

/// How many seconds Snowflake lets a statement run.
const STATEMENT_SECONDS: u64 = 30;

/// How long one request may take. After 45 seconds, Snowflake answers with the handle of the running statement.
const REQUEST: Duration = Duration::from_secs(60);

/// How long looking up a name and connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Attempts per request.
const TRIES: u32 = 5;

/// Attempts for a request that cannot connect.
const CONNECTING_TRIES: u32 = 4;

/// The longest wait that a server may request.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// How often to poll a running statement, one second apart. It ends at [`STATEMENT_SECONDS`] by itself, but a warehouse
/// may have to start first.
const POLLS: u32 = 120;

/// The most bytes of one answer.
const ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// The most rows of one result, which is also the most columns read from a database.
const ROWS: usize = 1_000_000;

/// The most parts of one result.
const PARTS: usize = 10_000;

/// The most bytes of all texts of one result.
const RESULT_BYTES: usize = 512 * 1024 * 1024;

/// Sends statements.
pub struct Session<'a> {
    account: &'a Account,
    token: Token,
    agent: Agent,
    wait: &'a dyn Fn(Duration) -> bool,
}

/// The rows of a result, with all values as text.
#[derive(Default)]
pub struct Rows {
    /// In lower case, as `SHOW` returns them, unlike other statements.
    names: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

/// A row, with its values by column name.
pub struct Row<'r> {
    names: &'r [String],
    values: &'r [Option<String>],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    code: String,
    statement_handle: Option<String>,
    result_set_meta_data: Option<ResultShape>,
    #[serde(default)]
    data: Vec<Vec<Option<String>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultShape {
    row_type: Vec<ColumnShape>,
    #[serde(default)]
    partition_info: Vec<Value>,
}

#[derive(Deserialize)]
struct ColumnShape {
    name: String,
}

impl Rows {
    /// The number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The rows in the order of the result.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|values| Row { names: &self.names, values })
    }

    /// Appends the rows of another result with the same columns.
    pub fn extend(&mut self, other: Self) {
        if self.names.is_empty() {
            self.names = other.names;
        }
        self.rows.extend(other.rows);
    }
}

impl Row<'_> {
    /// The value of a column; `None` if it is null, empty or missing.
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|known| known == name)?;
        self.values.get(at)?.as_deref().filter(|value| !value.is_empty())
    }

    /// The value of a column that always has one.
    ///
    /// # Errors
    /// The column is null, empty or missing.
    pub fn text(&self, name: &str) -> Result<String, Error> {
        self.get(name).map(str::to_owned).ok_or_else(|| not_snowflake(&format!("a row has no '{name}'")))
    }
}

impl<'a> Session<'a> {
    /// Authenticates with this token. `wait` waits between requests, and returns whether the rows are still wanted.
    pub fn new(account: &'a Account, token: Token, wait: &'a dyn Fn(Duration) -> bool) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(REQUEST))
            .user_agent(concat!("refdesk/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        Self { account, token, agent: config.new_agent(), wait }
    }

    /// The rows of a statement. The parameters are bound to its question marks as text.
    ///
    /// # Errors
    /// Snowflake cannot be reached, or refuses the statement.
    pub fn rows(&self, statement: &str, parameters: &[&str]) -> Result<Rows, Error> {
        let bindings: BTreeMap<String, Value> = (1..)
            .zip(parameters)
            .map(|(at, value): (u32, _)| (at.to_string(), json!({"type": "TEXT", "value": value})))
            .collect();
        let mut body = json!({
            "statement": statement,
            "timeout": STATEMENT_SECONDS,
            "database": self.account.database,
            "bindings": bindings,
            "parameters": {"QUERY_TAG": "refdesk", "MULTI_STATEMENT_COUNT": "1"},
        });
        for (key, value) in [("warehouse", &self.account.warehouse), ("role", &self.account.role)] {
            if let (Some(value), Some(body)) = (value, body.as_object_mut()) {
                body.insert(key.to_owned(), json!(value));
            }
        }
        let body = body.to_string();
        let id = request_id();
        self.pause(Duration::ZERO)?;
        let mut answer = self.answer(|is_repeated| {
            let again = if is_repeated { "&retry=true" } else { "" };
            let address = format!("{}/api/v2/statements?requestId={id}{again}", self.account.base);
            let post = self.with_token(self.agent.post(address));
            post.header(CONTENT_TYPE, "application/json").send(body.as_bytes())
        })?;
        let mut polls = 0;
        while answer.result_set_meta_data.is_none() {
            let handle = handle(&answer)?;
            if polls == POLLS {
                self.cancel(&handle);
                return Err(unreadable("a statement takes too long", "name a warehouse that is larger or less busy"));
            }
            polls += 1;
            if let Err(stopped) = self.pause(Duration::from_secs(1)) {
                self.cancel(&handle);
                return Err(stopped);
            }
            answer = self.part(&handle, None)?;
        }
        self.all_parts(answer)
    }

    /// The rows of all parts of a result, whose first part is `first`.
    fn all_parts(&self, first: Answer) -> Result<Rows, Error> {
        // Snowflake reports that the result is too large to return.
        if first.code == "391908" {
            return Err(too_large());
        }
        let handle = handle(&first);
        let Some(shape) = first.result_set_meta_data else { return Err(not_snowflake("a result has no columns")) };
        let names = shape.row_type.into_iter().map(|column| column.name.to_lowercase()).collect();
        let mut rows = Rows { names, rows: first.data };
        if shape.partition_info.len() > PARTS {
            return Err(too_large());
        }
        let mut bytes = 0;
        for number in 1..shape.partition_info.len() {
            let part = self.part(handle.as_ref().map_err(Clone::clone)?, Some(number))?;
            bytes += part.data.iter().flatten().flatten().map(String::len).sum::<usize>();
            rows.rows.extend(part.data);
            if rows.rows.len() > ROWS || bytes > RESULT_BYTES {
                return Err(too_large());
            }
        }
        Ok(rows)
    }

    /// Polls a statement, or gets a further part of its result.
    fn part(&self, handle: &str, number: Option<usize>) -> Result<Answer, Error> {
        let query = number.map_or_else(String::new, |number| format!("?partition={number}"));
        let address = format!("{}/api/v2/statements/{handle}{query}", self.account.base);
        self.answer(|_| self.with_token(self.agent.get(&address)).call())
    }

    /// Waits; fails if the rows are no longer wanted.
    fn pause(&self, time: Duration) -> Result<(), Error> {
        let stopped = || Error::new(Code::Stopped, "reading Snowflake was stopped", "start it again");
        if (self.wait)(time) { Ok(()) } else { Err(stopped()) }
    }

    /// Cancels a statement. Errors are ignored, because it also ends by itself.
    fn cancel(&self, handle: &str) {
        let address = format!("{}/api/v2/statements/{handle}/cancel", self.account.base);
        drop(self.with_token(self.agent.post(address)).send_empty());
    }

    fn with_token<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        let request = request.header(AUTHORIZATION, format!("Bearer {}", self.token.text));
        if self.token.is_signed_here {
            return request.header("X-Snowflake-Authorization-Token-Type", "KEYPAIR_JWT");
        }
        request
    }

    /// Sends a request, and retries it if that may help.
    fn answer(&self, send: impl Fn(bool) -> Result<Response<Body>, ureq::Error>) -> Result<Answer, Error> {
        let mut tries = 1;
        loop {
            let may_wait = match send(tries > 1) {
                Ok(mut response) => match response.status() {
                    StatusCode::OK | StatusCode::ACCEPTED => return parsed(&mut response),
                    status @ (StatusCode::REQUEST_TIMEOUT
                    | StatusCode::TOO_MANY_REQUESTS
                    | StatusCode::SERVICE_UNAVAILABLE)
                        if tries < TRIES =>
                    {
                        Some(wait_of(tries, requested_wait(&response, SystemTime::now())).ok_or_else(|| {
                            let why = format!("it answered {status}, and asks to wait for more than two minutes");
                            unreachable(&why, "try again later")
                        })?)
                    }
                    _ => return Err(refusal(&mut response)),
                },
                Err(error) if tries < CONNECTING_TRIES && is_transient(&error) => wait_of(tries, None),
                Err(error) => return Err(not_sent(&error)),
            };
            tries += 1;
            may_wait.map_or(Ok(()), |time| self.pause(time))?;
        }
    }
}

/// The handle of a statement, checked because it becomes part of a URL.
fn handle(answer: &Answer) -> Result<String, Error> {
    let handle = answer.statement_handle.as_deref().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if handle.is_empty() || handle.len() > 100 || !handle.chars().all(is_plain) {
        return Err(not_snowflake("a statement has no handle"));
    }
    Ok(handle.to_owned())
}

/// The wait before the next attempt: longer each time, with some randomness, or what the server requests if that is
/// longer. `None` if it is too long.
fn wait_of(tries: u32, asked: Option<Duration>) -> Option<Duration> {
    let share = f64::from(random_u32()) / f64::from(u32::MAX);
    let usual = Duration::from_secs(1 << (tries - 1).min(5)).min(Duration::from_secs(30)).mul_f64(0.5 + share);
    let wait = asked.map_or(usual, |asked| asked.max(usual));
    (wait <= LONGEST_WAIT).then_some(wait)
}

/// The wait that `Retry-After` requests, in seconds or as a date.
fn requested_wait(response: &Response<Body>, now: SystemTime) -> Option<Duration> {
    let text = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?;
    let until = SystemTime::from(date.timestamp());
    Some(until.duration_since(now).unwrap_or_default())
}

fn parsed(response: &mut Response<Body>) -> Result<Answer, Error> {
    let mut bytes = Vec::new();
    match response.body_mut().as_reader().take(ANSWER_BYTES + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > ANSWER_BYTES => {
            Err(unreadable("an answer is too large", "name fewer schemas in 'schemas'"))
        }
        // The parser's error would quote the text.
        Ok(_) => serde_json::from_slice(&bytes).map_err(|_| not_snowflake("it is not a result in JSON")),
        Err(error) => Err(unreachable(&format!("the answer ended early ({})", error.kind()), "try again")),
    }
}

/// Words a refusal by Snowflake's error number, because its message may quote a statement or a user.
fn refusal(response: &mut Response<Body>) -> Error {
    let status = response.status();
    if status.is_redirection() {
        return unreachable("it redirects to another address, which is not followed", "check 'account' and 'host'");
    }
    let code = parsed(response).map(|answer| answer.code).unwrap_or_default();
    match (status, code.as_str()) {
        (StatusCode::UNAUTHORIZED, _) | (_, "390144" | "390303" | "390318" | "394304") => unreachable(
            "it does not accept the key or the token",
            "check that the key belongs to 'user' of 'account', or that the token has not expired",
        ),
        (StatusCode::FORBIDDEN, _) => {
            unreachable("it denies access to this account", "check 'account', and the network policy of the account")
        }
        (StatusCode::NOT_FOUND, _) => unreachable("there is no such account", "check 'account' and 'host'"),
        (_, "000606") => unreadable("no warehouse is in use", "add 'warehouse: NAME' to the connection"),
        (_, "390201" | "002043" | "002003") => unreadable(
            "the database, the warehouse or the role does not exist, or the role may not use it",
            "check 'database', 'warehouse' and 'role', in the case that Snowflake shows",
        ),
        (_, "000604" | "000630") => unreadable("a statement takes too long", "name a warehouse that is less busy"),
        (_, "") => unreachable(&format!("it answered {status}"), "try again later"),
        (_, code) => {
            let number: String = code.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
            unreadable(
                &format!("it refused a statement ({status}, {number})"),
                "see the query history for the tag 'refdesk'",
            )
        }
    }
}

fn too_large() -> Error {
    unreadable("the result of a statement is too large", "name fewer schemas in 'schemas'")
}

fn not_snowflake(why: &str) -> Error {
    unreadable(&format!("its answer is not a Snowflake response: {why}"), "check 'account' and 'host'")
}

/// Whether a retry may connect.
fn is_transient(error: &ureq::Error) -> bool {
    let passing = [BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof];
    matches!(error, ureq::Error::Io(error) if passing.contains(&error.kind()))
        || matches!(error, ureq::Error::ConnectionFailed)
}

fn not_sent(error: &ureq::Error) -> Error {
    match error {
        ureq::Error::Timeout(_) => unreachable("it does not answer in time", "check the network, and try again"),
        ureq::Error::HostNotFound => unreachable("there is no such host", "check 'account' and 'host'"),
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => {
            unreachable("TLS failed, or its certificate is not accepted", "check 'account' and 'host'")
        }
        ureq::Error::Io(error) => {
            let why = match error.kind() {
                ConnectionRefused => "the connection was refused".to_owned(),
                BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof => {
                    "the connection was closed without an answer".to_owned()
                }
                other => other.to_string(),
            };
            unreachable(&why, "check the network, and try again")
        }
        // Other errors may quote parts of the request, including the token.
        _ => unreachable("the request failed", "check the connection of this database"),
    }
}

/// An id by which the server recognizes a repeated request.
fn request_id() -> String {
    let [a, b, c, d] = std::array::from_fn(|_| random_u32());
    format!("{a:08x}-{:04x}-4{:03x}-a{:03x}-{:04x}{d:08x}", b >> 16, b & 0xfff, c >> 20, c & 0xffff)
}

/// A random number that need not be secret.
fn random_u32() -> u32 {
    getrandom::u32().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_follow_the_server() {
        for tries in 1..10 {
            let base = Duration::from_secs(1 << (tries - 1).min(5)).min(Duration::from_secs(30));
            let wait = wait_of(tries, None).unwrap();
            assert!((base / 2..=base * 3 / 2).contains(&wait), "{tries}: {wait:?}");
        }
        assert_eq!(wait_of(1, Some(Duration::from_secs(100))), Some(Duration::from_secs(100)));
        assert_eq!(wait_of(1, Some(Duration::from_secs(121))), None);
        let asked = |text: &str| {
            let response = Response::builder().header(RETRY_AFTER, text).body(Body::builder().data("")).unwrap();
            requested_wait(&response, SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770))
        };
        assert_eq!(asked("7"), Some(Duration::from_secs(7)));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(7)));
        assert_eq!(asked("soon"), None);
    }

    #[test]
    fn an_id_has_the_shape_of_a_uuid() {
        let id = request_id();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert_ne!(id, request_id());
    }
}
