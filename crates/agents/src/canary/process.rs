//! Processes of a trial. They and everything that they started end with it at the latest.

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::{CanaryFailure, TRIAL};

/// The most that is read from a process.
const LIMIT: u64 = 4 * 1024 * 1024;

/// The exit code of a shell that does not find the program.
const NO_PROGRAM: i32 = 127;

/// A command line in the shell that agents use.
pub(super) fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

/// A process and those that it starts; dropping it ends them all.
pub(crate) struct ProcessGroup(Child);

impl Deref for ProcessGroup {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for ProcessGroup {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // There is an id only while the process has not been waited for, so no other process can have it.
        let id = self.0.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(id) = id {
            // The group may have just ended.
            let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
        }
    }
}

/// Starts a process in the workspace.
pub(crate) fn spawn(command: &mut Command, program: &str, workspace: &Path) -> Result<ProcessGroup, CanaryFailure> {
    command.current_dir(workspace).env(TRIAL, "1").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0);
    command.spawn().map(ProcessGroup).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => CanaryFailure::NotFound(program.to_owned()),
        _ => CanaryFailure::NotStarted(error.to_string()),
    })
}

/// Reads to the end, up to the limit.
pub(crate) async fn read(from: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        // What was read before an error is the answer.
        let _ = from.take(LIMIT).read_to_end(&mut bytes).await;
    }
    bytes
}

/// Why a process ended; `program` is what was to be started.
pub(crate) fn ended(code: Option<i32>, program: &str, stderr: &[u8]) -> CanaryFailure {
    if code == Some(NO_PROGRAM) {
        return CanaryFailure::NotFound(program.to_owned());
    }
    let stderr = String::from_utf8_lossy(stderr);
    let first = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    CanaryFailure::Ended(code, first.trim().chars().take(200).collect())
}
