//! A client of `refdesk mcp`, line by line and without a protocol library, so that tests see exactly what is sent and
//! received. Every wait is bounded, and none sleeps.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::program::{LIMIT, kill};
use super::workspace::Workspace;

/// The newest revision with `initialize`.
pub const LEGACY: &str = "2025-11-25";

/// The revision without sessions.
pub const MODERN: &str = "2026-07-28";

#[derive(Debug)]
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    number: i64,
    /// Sent with every request in the revision without sessions.
    pub meta: Option<Value>,
    /// Notices that arrived before an awaited answer and were not consumed yet.
    pub notices: Vec<Value>,
}

impl Client {
    /// Starts a server without sending anything.
    pub fn start(workspace: &Workspace, words: &[&str]) -> Self {
        let mut command = workspace.command(&[words, &["mcp"]].concat());
        let stderr = Stdio::piped();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let Ok(line) = line else { return };
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, lines, number: 0, meta: None, notices: Vec::new() }
    }

    /// Starts a server and a session of the newest revision with sessions.
    pub fn connect(workspace: &Workspace) -> Self {
        let mut client = Self::start(workspace, &[]);
        client.initialize(LEGACY, json!({}));
        client
    }

    /// Starts a server for stateless requests.
    pub fn modern(workspace: &Workspace, capabilities: Value) -> Self {
        let mut client = Self::start(workspace, &[]);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "test-client", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        client
    }

    /// Starts a session; returns the server's description of itself.
    #[track_caller]
    pub fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        self.introduce("test-client", version, capabilities)
    }

    /// The same with another client name.
    #[track_caller]
    pub fn introduce(&mut self, name: &str, version: &str, capabilities: Value) -> Value {
        let client = json!({"name": name, "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    pub fn send(&mut self, message: &Value) {
        self.bytes(format!("{message}\n").as_bytes());
    }

    /// Sends these bytes. A failure shows when an answer is awaited.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let _ = self.stdin.as_mut().expect("the input is open").write_all(bytes);
    }

    /// The next message. Every line must be a message.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => serde_json::from_str(&line).unwrap_or_else(|error| panic!("no message ({error}): {line}")),
            Err(RecvTimeoutError::Timeout) => panic!("no answer"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server is gone: {:?}", self.child.wait()),
        }
    }

    /// The next notice of this kind.
    #[track_caller]
    pub fn notice(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.notices.iter().position(|notice| notice["method"] == method) {
                return self.notices.remove(at);
            }
            let line = self.lines.recv_timeout(LIMIT);
            let line = line.unwrap_or_else(|_| panic!("no {method}: {:?}", self.notices));
            self.notices.push(serde_json::from_str(&line).unwrap());
        }
    }

    /// The methods of all received messages that were not consumed.
    pub fn left(&mut self) -> Vec<String> {
        while let Ok(line) = self.lines.try_recv() {
            self.notices.push(serde_json::from_str(&line).unwrap());
        }
        self.notices.drain(..).map(|notice| notice["method"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The next message with this id; notices before it are kept.
    #[track_caller]
    pub fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next();
            if message["id"] == *id {
                return message;
            }
            assert!(message.get("method").is_some() && message.get("id").is_none(), "asked {id}: {message}");
            self.notices.push(message);
        }
    }

    /// The next answer of a server that may be killed; `None` if it ends before it has sent one.
    #[track_caller]
    pub fn next_answer(&mut self) -> Option<Value> {
        loop {
            let line = match self.lines.recv_timeout(LIMIT) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("no answer"),
            };
            let message: Value = serde_json::from_str(&line).ok()?;
            if message.get("method").is_none() {
                return Some(message);
            }
        }
    }

    /// Sends a request without waiting; returns its id.
    pub fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.number += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}));
        json!(self.number)
    }

    /// Sends a request; returns the whole answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    /// Calls a tool that must succeed; returns the structured answer.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool; returns the result, even if it failed.
    #[track_caller]
    pub fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool in a way that the protocol refuses; returns code and message.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> (i64, String) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let error = &answer["error"];
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("{tool}: {answer}"));
        (code, error["message"].as_str().unwrap().to_owned())
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Closes standard input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Closes standard input and waits for the server's exit.
    #[track_caller]
    pub fn end(mut self) -> (Vec<String>, ExitStatus, String) {
        self.close();
        self.wait()
    }

    /// Waits for the server's exit; returns its remaining lines, its exit status and its standard error.
    #[track_caller]
    pub fn wait(mut self) -> (Vec<String>, ExitStatus, String) {
        let (tell, reported) = channel();
        let id = self.child.id();
        let child = std::mem::replace(&mut self.child, placeholder());
        std::thread::spawn(move || tell.send(child.wait_with_output()));
        let Ok(output) = reported.recv_timeout(LIMIT) else {
            kill(id);
            panic!("the server does not end");
        };
        let output = output.unwrap();
        let mut rest = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(10)) {
            rest.push(line);
        }
        (rest, output.status, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// A process that exits immediately.
fn placeholder() -> Child {
    std::process::Command::new("true").stdout(Stdio::null()).spawn().unwrap()
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
