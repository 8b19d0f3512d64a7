//! Gets a password from the output of a command.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::runtime::Builder;
use tokio::time::timeout;

/// How long the command may take: it may ask a service.
const LIMIT: Duration = Duration::from_secs(30);

/// The first line that a shell command prints when run in this folder, with these environment variables. Its standard
/// error is dropped, because it may contain part of a secret.
///
/// # Errors
/// A sentence about why there is no password.
pub fn from_command(command: &str, folder: &Path, variables: &[(&str, PathBuf)]) -> Result<String, String> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.kind().to_string())?;
    let run = async {
        let mut program = Command::new("sh");
        program.arg("-c").arg(command).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        // It is often the folder that a shell was in before the workspace.
        program.current_dir(folder).env_remove("OLDPWD").envs(variables.iter().cloned());
        timeout(LIMIT, program.output()).await
    };
    let output = runtime
        .block_on(run)
        .map_err(|_| format!("it did not end within {} s", LIMIT.as_secs()))?
        .map_err(|error| error.kind().to_string())?;
    if !output.status.success() {
        return Err(output.status.code().map_or("it was stopped".to_owned(), |code| format!("it ended with {code}")));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| "its output is not text".to_owned())?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(line.to_owned()),
        _ => Err("it prints nothing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_password() {
        let run = |command: &str| from_command(command, Path::new("/"), &[("folder", "/a b".into())]);
        assert_eq!(run("printf 'a b\\nc'").as_deref(), Ok("a b"));
        assert_eq!(run("pwd").as_deref(), Ok("/"));
        assert_eq!(run("echo \"$folder\"/c").as_deref(), Ok("/a b/c"));
        assert_eq!(run("echo s3cret >&2; exit 3").unwrap_err(), "it ended with 3");
        assert_eq!(run("true").unwrap_err(), "it prints nothing");
    }
}
