//! A client of `refdesk mcp` on standard input and output, for the benchmarks.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Workspace, refdesk};

/// A request, without a line break.
pub fn message(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// The parameters of the client's first message.
pub fn initialize() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
}

/// The parameters of a tool call.
pub fn tool(name: &str, arguments: &Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// The client's second message.
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

pub struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
    /// The time from the start of the process to its first answer.
    pub first: Duration,
}

impl Session {
    /// Starts the server and initializes the session.
    pub fn start(workspace: &Workspace) -> Self {
        let began = Instant::now();
        let mut command = refdesk(workspace, &["mcp"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("a program that starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut session = Self { child, input, output, number: 0, first: Duration::ZERO };
        session.ask("initialize", &initialize());
        session.first = began.elapsed();
        session.input.write_all(format!("{INITIALIZED}\n").as_bytes()).expect("a server that reads");
        session
    }

    /// Sends a request; returns the line of the answer and how long it took.
    pub fn ask(&mut self, method: &str, params: &Value) -> (String, Duration) {
        self.number += 1;
        let line = message(self.number, method, params) + "\n";
        let began = Instant::now();
        self.input.write_all(line.as_bytes()).expect("a server that reads");
        loop {
            let mut answer = String::new();
            assert!(self.output.read_line(&mut answer).expect("a server that answers") > 0, "it ended");
            // Notifications may come first.
            if answer.contains("\"id\":") {
                let took = began.elapsed();
                assert!(!answer.contains("\"error\":{\"code\"") && !answer.contains("\"isError\":true"), "{answer}");
                return (answer, took);
            }
        }
    }

    /// Calls a tool; returns how long it took.
    pub fn call(&mut self, name: &str, arguments: &Value) -> Duration {
        self.ask("tools/call", &tool(name, arguments)).1
    }

    /// Closes the server's input and waits for it to end.
    pub fn end(mut self) {
        drop(self.input);
        self.child.wait().expect("a program that ends");
    }
}
