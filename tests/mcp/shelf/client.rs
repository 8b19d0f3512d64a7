//! One client of `refdesk mcp`: lines in, lines out. Whatever it waits for comes in time or fails the test.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::program::LIMIT;
use crate::support::workspace::Workspace;

/// A running server and what it said.
#[derive(Debug)]
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Notices that nobody has asked for yet.
    notices: Vec<Value>,
    id: i64,
    /// What every request carries.
    meta: Option<Value>,
}

impl Client {
    /// Starts the server, and says nothing yet.
    pub fn silent(workspace: &Workspace) -> Self {
        let mut command = workspace.command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.unwrap();
                let value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if tell.send(value).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, notices: Vec::new(), id: 0, meta: None }
    }

    /// Begins a session; the answer to `initialize` comes with it.
    pub fn hello(workspace: &Workspace, version: &str) -> (Self, Value) {
        let mut client = Self::silent(workspace);
        let client_info = json!({"name": "shelf-test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client_info});
        let answer = client.ask("initialize", params);
        client.tell("notifications/initialized");
        (client, answer)
    }

    /// A session of the newest revision that has one.
    pub fn new(workspace: &Workspace) -> Self {
        Self::hello(workspace, "2025-11-25").0
    }

    /// One that carries what there is to know in every request, as of 2026-07-28.
    pub fn stateless(workspace: &Workspace) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "shelf-test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut client = Self::silent(workspace);
        client.meta = Some(meta);
        client
    }

    /// Sends a line as it is.
    pub fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{message}").unwrap();
        stdin.flush().unwrap();
    }

    pub fn tell(&mut self, method: &str) {
        self.send(&json!({"jsonrpc": "2.0", "method": method}));
    }

    /// Sends a request without waiting for its answer.
    pub fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.id += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        self.id
    }

    /// The whole answer to a request.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.next(LIMIT).unwrap_or_else(|| panic!("no answer to {method}"));
            if message["id"] == id {
                return message;
            }
            self.notices.push(message);
        }
    }

    /// The result of a request that is met.
    #[track_caller]
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The next notice of this kind, which comes within this time.
    #[track_caller]
    pub fn notice_within(&mut self, method: &str, time: Duration) -> Value {
        loop {
            if let Some(at) = self.notices.iter().position(|notice| notice["method"] == method) {
                return self.notices.remove(at);
            }
            let message = self.next(time).unwrap_or_else(|| panic!("no {method} within {time:?}: {:?}", self.notices));
            self.notices.push(message);
        }
    }

    /// The next notice of this kind.
    #[track_caller]
    pub fn notice(&mut self, method: &str) -> Value {
        self.notice_within(method, LIMIT)
    }

    /// The methods of all notices so far that nobody asked for.
    pub fn left(&mut self) -> Vec<String> {
        while let Ok(message) = self.lines.try_recv() {
            self.notices.push(message);
        }
        self.notices.drain(..).map(|notice| notice["method"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn next(&mut self, time: Duration) -> Option<Value> {
        self.lines.recv_timeout(time).ok()
    }

    /// All pages of a list, one after the other.
    #[track_caller]
    pub fn pages(&mut self, method: &str, member: &str) -> Vec<Vec<Value>> {
        let (mut pages, mut params) = (Vec::new(), json!({}));
        loop {
            let result = self.result(method, params);
            pages.push(result[member].as_array().unwrap().clone());
            match &result["nextCursor"] {
                Value::Null => return pages,
                cursor => params = json!({"cursor": cursor}),
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Its input ends; so does it.
        drop(self.stdin.take());
        if std::thread::panicking() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
