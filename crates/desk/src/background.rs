//! Keeps the search index up to date in the background by running `refdesk index` as a separate process with the lowest
//! priority. A hook starts one that outlives it; a running engine starts one whenever the workspace has changed.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// How long the workspace must be unchanged before its index is updated, so that a burst of changes causes one update.
const DEBOUNCE: Duration = Duration::from_secs(2);

/// The maximum size in bytes of a process's answer.
const ANSWER: u64 = 1024 * 1024;

/// How to start `refdesk index` for a workspace.
#[derive(Debug, Clone)]
pub struct IndexProcess {
    /// This program's executable.
    pub program: PathBuf,
    /// The arguments before the command: the workspace and the configuration.
    pub arguments: Vec<OsString>,
    /// An environment variable to remove because it names another configuration.
    pub without: Option<&'static str>,
    /// Whether it was requested explicitly, which overrides `index.background`.
    pub is_explicit: bool,
    /// Whether to skip computing vectors.
    pub words_only: bool,
}

impl IndexProcess {
    /// Starts a process that outlives this one.
    ///
    /// # Errors
    /// The system cannot start the process.
    pub fn spawn_detached(&self) -> io::Result<()> {
        let mut command = self.command();
        command.stdin(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(drop)
    }

    /// Runs a process that ends no later than this one, since it exits when its standard input closes.
    ///
    /// # Errors
    /// The process cannot be started, or it failed, with the message of its error.
    fn run(&self) -> io::Result<()> {
        let mut command = self.command();
        let mut child = command.args(["--until-eof", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        // `wait` would close standard input and thereby stop the process.
        let _stdin = child.stdin.take();
        let mut answer = Vec::new();
        if let Some(mut stdout) = child.stdout.take() {
            stdout.by_ref().take(ANSWER).read_to_end(&mut answer)?;
            io::copy(&mut stdout, &mut io::sink())?;
        }
        if child.wait()?.success() {
            return Ok(());
        }
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let why = answer.pointer("/error/message").and_then(Value::as_str);
        Err(io::Error::other(why.unwrap_or("the process that updates it failed").to_owned()))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(["index", "--background"]);
        if self.words_only {
            command.arg("--words-only");
        }
        command.stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(variable) = self.without {
            command.env_remove(variable);
        }
        command
    }
}

/// Updates the index once a message is followed by a quiet period. Calls `updated` after each update, with the reason if
/// it failed; it returns whether to go on.
///
/// # Errors
/// The system cannot start a thread.
pub(crate) fn spawn_updater(
    process: IndexProcess,
    updated: impl Fn(Option<String>) -> bool + Send + 'static,
) -> io::Result<mpsc::Sender<()>> {
    let (due, changes) = mpsc::channel::<()>();
    let keep = move || {
        while changes.recv().is_ok() {
            loop {
                match changes.recv_timeout(DEBOUNCE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            let failure = process.run().err().map(|error| error.to_string());
            if let Some(why) = &failure {
                tracing::info!("the search index cannot be updated in the background: {why}");
            }
            if !updated(failure) {
                return;
            }
        }
    };
    thread::Builder::new().name("index".to_owned()).spawn(keep)?;
    Ok(due)
}
