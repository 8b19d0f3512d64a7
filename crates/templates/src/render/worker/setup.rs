//! The worker process: how the desk starts it, and which limits it sets on itself.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::ARGUMENT;

/// The command that starts a worker: no environment, no workspace folder, no terminal.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(ARGUMENT).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C must reach only the desk, or the editor that it has opened.
    command.arg0("refdesk").process_group(0).current_dir("/");
    command
}

/// Sets limits on this process, if the system supports it (see [`crate::render::limits`]).
pub(super) fn limit_this_process() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let no_more_than = |resource, most: u64| {
        let maximum = getrlimit(resource).maximum.map_or(most, |already| already.min(most));
        // Systems without this limit return an error.
        let _ = setrlimit(resource, Rlimit { current: Some(maximum), maximum: Some(maximum) });
    };
    // The desk reports why a worker died; a core dump would only fill the disk.
    no_more_than(Resource::Core, 0);
    #[cfg(not(target_os = "openbsd"))]
    no_more_than(Resource::As, crate::render::limits::MEMORY);
}
