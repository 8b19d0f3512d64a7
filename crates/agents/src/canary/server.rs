//! Starts the server and talks to it as a client would: `initialize`, then `tools/list`.

use std::path::Path;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::super::setup::ServerCommand;
use super::process::{ProcessGroup, ended, read, spawn};
use super::{CanaryAnswer, CanaryFailure, CanaryResult, CanaryStep, timed};

/// The protocol revision the client requests.
const REVISION: &str = "2025-06-18";

/// Starts the server with this command, runs both steps, and kills it.
pub(crate) async fn run(command: &ServerCommand, workspace: &Path) -> Vec<CanaryResult> {
    let line = command.words().join(" ");
    let mut session = None;
    let initialize = async {
        let mut opened = Session::open(command, workspace)?;
        let answer = opened.initialize().await;
        session = Some(opened);
        answer
    };
    let mut results =
        vec![timed(CanaryStep::Initialize, &line, initialize, |name| Ok(CanaryAnswer::Server(name))).await];
    if results.iter().all(|result| result.outcome.is_ok())
        && let Some(session) = &mut session
    {
        results
            .push(timed(CanaryStep::Tools, &line, session.count_tools(), |count| Ok(CanaryAnswer::Tools(count))).await);
    }
    results
}

/// A running server, which is killed on drop.
struct Session {
    program: String,
    group: ProcessGroup,
    stdin: Option<ChildStdin>,
    lines: Option<Lines<BufReader<ChildStdout>>>,
}

impl Session {
    fn open(command: &ServerCommand, workspace: &Path) -> Result<Self, CanaryFailure> {
        let command = command.in_workspace(&workspace.to_string_lossy());
        let mut process = Command::new(&command.program);
        let mut group = spawn(process.args(&command.args), &command.program, workspace)?;
        let (stdin, stdout) = (group.leader.stdin.take(), group.leader.stdout.take());
        let lines = stdout.map(|stdout| BufReader::new(stdout).lines());
        Ok(Self { program: command.program, group, stdin, lines })
    }

    /// Returns the server's name and version.
    async fn initialize(&mut self) -> Result<String, CanaryFailure> {
        let params = json!({
            "protocolVersion": REVISION, "capabilities": {},
            "clientInfo": {"name": "refdesk-canary", "version": env!("CARGO_PKG_VERSION")},
        });
        let result = self.ask(1, "initialize", params).await?;
        let info = |key: &str| result.pointer(&format!("/serverInfo/{key}")).and_then(Value::as_str);
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let name = info("name").ok_or_else(|| CanaryFailure::WrongAnswer("it does not report its name".to_owned()))?;
        Ok(format!("{name} {}", info("version").unwrap_or_default()).trim_end().to_owned())
    }

    async fn count_tools(&mut self) -> Result<usize, CanaryFailure> {
        let result = self.ask(2, "tools/list", json!({})).await?;
        let tools = result.get("tools").and_then(Value::as_array).map(Vec::len);
        tools.ok_or_else(|| CanaryFailure::WrongAnswer("it does not list its tools".to_owned()))
    }

    /// Sends a request and returns its result, ignoring other messages before the response.
    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Result<Value, CanaryFailure> {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let line = match &mut self.lines {
                Some(lines) => lines.next_line().await.ok().flatten(),
                None => None,
            };
            let Some(line) = line else { return Err(self.ended().await) };
            let message: Value = serde_json::from_str(&line)
                .map_err(|_| CanaryFailure::WrongAnswer(line.trim().chars().take(200).collect()))?;
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            let error = message.pointer("/error/message").and_then(Value::as_str).unwrap_or("no result");
            return message.get("result").cloned().ok_or_else(|| CanaryFailure::WrongAnswer(error.to_owned()));
        }
    }

    async fn send(&mut self, message: Value) {
        if let Some(stdin) = &mut self.stdin {
            // If the server has exited, reading its answer fails and explains why.
            let _ = stdin.write_all(format!("{message}\n").as_bytes()).await;
            let _ = stdin.flush().await;
        }
    }

    /// Explains why the output ended.
    async fn ended(&mut self) -> CanaryFailure {
        drop(self.stdin.take());
        let stderr = read(self.group.leader.stderr.take()).await;
        let code = self.group.leader.wait().await.ok().and_then(|status| status.code());
        ended(code, &self.program, &stderr)
    }
}
