//! Child processes of a test run. Each runs in its own process group, which is killed when the run ends.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::{CanaryFailure, TRIAL};

/// The most bytes read from a process.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Exit code of a shell that cannot find the program.
const NO_PROGRAM: i32 = 127;

/// A command line in the shell that agents use.
pub(super) fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

/// A process and its descendants; dropping it kills them all.
pub(crate) struct ProcessGroup {
    pub leader: Child,
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // The id is `None` once the process has been waited for, so this never signals a process that reuses the id.
        let id = self.leader.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(id) = id {
            // Fails if the group has just ended.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

pub(crate) fn spawn(command: &mut Command, program: &str, workspace: &Path) -> Result<ProcessGroup, CanaryFailure> {
    command.current_dir(workspace).env(TRIAL, "1").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    command.spawn().map(|leader| ProcessGroup { leader }).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CanaryFailure::NotFound(program.to_owned()),
        _ => CanaryFailure::NotStarted(error.to_string()),
    })
}

/// Reads to the end, up to the limit.
pub(crate) async fn read(from: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // After an error, what was read so far is the output.
        let _ = from.take(LIMIT).read_to_end(&mut bytes).await;
    }
    bytes
}

/// Explains why a process ended; `program` is the program that was to be started.
pub(crate) fn ended(code: Option<i32>, program: &str, stderr: &[u8]) -> CanaryFailure {
    if code == Some(NO_PROGRAM) {
        return CanaryFailure::NotFound(program.to_owned());
    }
    let stderr = String::from_utf8_lossy(stderr);
    let first = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    CanaryFailure::Ended(code, first.trim().chars().take(200).collect())
}
