//! Processes of a trial. They end with it, at the latest.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::{CanaryFailure, TRIAL};

/// The most that is read from a process.
const LIMIT: u64 = 4 * 1024 * 1024;

/// The exit code with which a shell says that there is no such program.
const NO_PROGRAM: i32 = 127;

/// A command line in the shell that agents use.
pub fn shell(line: &str) -> Command {
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
    let mut command = Command::new(shell);
    command.args([option, line]);
    command
}

/// Starts a process in the workspace.
pub fn spawn(command: &mut Command, program: &str, workspace: &Path) -> Result<Child, CanaryFailure> {
    command.current_dir(workspace).env(TRIAL, "1").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CanaryFailure::NotFound(program.to_owned()),
        _ => CanaryFailure::NotStarted(error.to_string()),
    })
}

/// Reads to the end, up to the limit.
pub async fn read(from: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What was read before an error is the answer.
        let _ = from.take(LIMIT).read_to_end(&mut bytes).await;
    }
    bytes
}

/// Why a process ended; `program` is what was to be started.
pub fn ended(code: Option<i32>, program: &str, stderr: &[u8]) -> CanaryFailure {
    if code == Some(NO_PROGRAM) {
        return CanaryFailure::NotFound(program.to_owned());
    }
    let stderr = String::from_utf8_lossy(stderr);
    let first = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    CanaryFailure::Ended(code, first.trim().chars().take(200).collect())
}
