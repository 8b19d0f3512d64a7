//! One connection of a client that can misbehave: sends bytes and reads answers. Reads are bounded, so a server that
//! does not answer fails the test.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::program::LIMIT;

#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    address: SocketAddr,
    /// Bytes read beyond the last answer.
    rest: Vec<u8>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The protocol message in the body, plain or in a stream.
    #[track_caller]
    pub fn message(&self) -> Value {
        let text = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).find(|data| !data.is_empty());
        let text = text.unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("no message ({error}): {self:?}"))
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}

/// The headers that every message needs.
pub const USUAL: &str = "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        Self { stream, address, rest: Vec::new() }
    }

    /// Sends these bytes. A server may close the connection before it has received all of them.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref());
    }

    /// Closes the sending side.
    pub fn finish(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// The head of a POST with these additional headers.
    pub fn head(&self, headers: &str, length: usize) -> String {
        format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n{USUAL}{headers}Content-Length: {length}\r\n\r\n", self.address)
    }

    /// Sends a body and waits for the answer.
    pub fn post(&mut self, headers: &str, body: &str) -> Answer {
        let head = self.head(headers, body.len());
        self.send(head + body);
        self.answer()
    }

    /// Sends a request without a body and waits for the answer.
    pub fn ask(&mut self, method: &str, path: &str, headers: &str) -> Answer {
        let address = self.address;
        self.send(format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n{headers}\r\n"));
        self.answer()
    }

    /// Starts a session and returns its id.
    pub fn begin(&mut self) -> String {
        self.begin_with(json!({}))
    }

    /// Starts a session of a client with these capabilities and returns its id.
    pub fn begin_with(&mut self, capabilities: Value) -> String {
        let mut first = initialize();
        first["params"]["capabilities"] = capabilities;
        let answer = self.post("", &first.to_string()).is(200);
        assert_eq!(answer.message()["result"]["serverInfo"]["name"], "refdesk");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        self.post(&headers, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).is(202);
        session
    }

    /// Sends a request in a session.
    #[track_caller]
    pub fn call(&mut self, session: &str, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
        let message = self.post(&format!("Mcp-Session-Id: {session}\r\n"), &body).is(200).message();
        assert_eq!(message["id"], 7);
        message
    }

    /// Opens a stream of the session's notices.
    #[track_caller]
    pub fn open_stream(&mut self, headers: &str) {
        let address = self.address;
        self.send(format!("GET /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n{headers}\r\n"));
        assert_eq!(self.head_of_answer().0, 200);
    }

    /// Reads the next complete answer.
    #[track_caller]
    pub fn answer(&mut self) -> Answer {
        let (status, head) = self.head_of_answer();
        let body = if head.contains("\ntransfer-encoding: chunked") {
            self.chunks()
        } else {
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")).map_or(0, |n| n.parse().unwrap());
            self.take(length)
        };
        Answer { status, head, body: String::from_utf8(body).unwrap() }
    }

    /// Reads status and head of the next answer, without its body.
    #[track_caller]
    pub fn head_of_answer(&mut self) -> (u16, String) {
        let head = String::from_utf8(self.until(b"\r\n\r\n")).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase().replace("\r\n", "\n"))
    }

    /// The next message of a stream whose head was already read. Every event must have one, as old clients expect.
    #[track_caller]
    pub fn event(&mut self) -> Value {
        self.event_with_id().1
    }

    /// The same with the id of the event.
    #[track_caller]
    pub fn event_with_id(&mut self) -> (String, Value) {
        let mut seen = Vec::new();
        loop {
            let chunk = self.chunk();
            assert!(!chunk.is_empty(), "the stream ended after {:?}", String::from_utf8_lossy(&seen));
            seen.extend(chunk);
            let text = String::from_utf8_lossy(&seen);
            let message = text.split_inclusive("\n\n").filter(|event| event.ends_with("\n\n")).find_map(|event| {
                let line = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let message = serde_json::from_str(line("data:")?).unwrap_or_else(|error| panic!("{event:?}: {error}"));
                Some((line("id:").unwrap_or_default().trim().to_owned(), message))
            });
            if let Some(message) = message {
                return message;
            }
        }
    }

    fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let chunk = self.chunk();
            if chunk.is_empty() {
                return body;
            }
            body.extend_from_slice(&chunk);
        }
    }

    #[track_caller]
    fn chunk(&mut self) -> Vec<u8> {
        let size = String::from_utf8(self.until(b"\r\n")).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = self.take(size + 2);
        chunk.truncate(size);
        chunk
    }

    #[track_caller]
    fn until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.rest.windows(end.len()).position(|window| window == end) {
                return self.rest.drain(..at + end.len()).collect();
            }
            self.more();
        }
    }

    #[track_caller]
    fn take(&mut self, length: usize) -> Vec<u8> {
        while self.rest.len() < length {
            self.more();
        }
        self.rest.drain(..length).collect()
    }

    #[track_caller]
    fn more(&mut self) {
        let mut buffer = [0; 65_536];
        let read = self.stream.read(&mut buffer).unwrap();
        assert!(read > 0, "closed after {:?}", String::from_utf8_lossy(&self.rest));
        self.rest.extend_from_slice(&buffer[..read]);
    }

    /// The status of the next answer; `None` if the connection ends first.
    pub fn outcome(&mut self) -> Option<u16> {
        let mut buffer = [0; 1_024];
        while !self.rest.windows(4).any(|window| window == b"\r\n\r\n") {
            match self.stream.read(&mut buffer) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("neither an answer nor an end"),
                Ok(0) | Err(_) => return None,
                Ok(read) => self.rest.extend_from_slice(&buffer[..read]),
            }
        }
        Some(self.head_of_answer().0)
    }

    /// Waits for the end of the body of an answer whose head was already read.
    #[track_caller]
    pub fn answer_ends(&mut self) {
        self.chunks();
    }

    /// Sends this text repeatedly, without reading, until the connection breaks.
    pub fn send_until_broken(&mut self, text: &str) -> bool {
        self.stream.set_write_timeout(Some(LIMIT)).unwrap();
        (0..10_000).any(|_| match self.stream.write_all(text.as_bytes()) {
            Ok(()) => false,
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        })
    }

    /// Waits for the end of the connection; returns whether it came without another byte.
    pub fn ends(&mut self) -> bool {
        let mut byte = [0];
        // A connection closed with unread bytes is reset.
        self.stream
            .read(&mut byte)
            .map_or_else(|error| error.kind() == std::io::ErrorKind::ConnectionReset, |read| read == 0)
    }

    /// Sends one byte at a time until the connection ends; returns how many were sent.
    pub fn trickle(&mut self) -> usize {
        self.stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut sent = 0;
        loop {
            let mut byte = [0];
            match self.stream.read(&mut byte) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                _ => return sent,
            }
            if self.stream.write_all(b"x").is_err() {
                return sent;
            }
            sent += 1;
            assert!(sent < 5_000, "the connection never ends");
        }
    }
}

/// The first message of a session.
pub fn initialize() -> Value {
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

/// A request of a client without sessions: headers and body.
pub fn stateless(method: &str, mut params: Value) -> (String, String) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
    if let Some(name) = params["name"].as_str() {
        headers.push_str(&format!("Mcp-Name: {name}\r\n"));
    }
    (headers, json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string())
}
