//! Tests a connection: runs the commands in an agent's settings as the agent would, and checks their answers. An
//! environment variable marks these runs, so that the commands leave no trace.

mod document;
mod hook;
mod process;
mod server;
#[cfg(test)]
mod tests;

use std::io;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::hook::HookAgent;
use super::setup::ServerCommand;

/// The environment variable that marks a test run.
pub const TRIAL: &str = "REFDESK_TRIAL";

/// Deadline for each step of a hook or a server.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What to test.
#[derive(Debug, Clone)]
pub struct CanaryJob {
    /// The agent's working directory.
    pub workspace: PathBuf,
    /// The agent and its hook command.
    pub hook: Option<(HookAgent, String)>,
    /// A prompt that should bring up a source.
    pub prompt: Option<CanaryPrompt>,
    /// The command that starts the server.
    pub server: Option<ServerCommand>,
}

/// A prompt that should bring up a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanaryPrompt {
    /// The text of the prompt.
    pub text: String,
    /// The id of the source it should bring up.
    pub about: String,
}

refdesk_text::worded_enum! {
    /// A step of the test.
    pub enum CanaryStep {
        /// The session-start hook.
        Start = "session_start",
        /// The prompt hook, or the tool-result hook for agents that cannot add context to a prompt.
        Hint = "hint",
        /// Starting the server and its `initialize`.
        Initialize = "initialize",
        /// The server's `tools/list`.
        Tools = "tools",
    }
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanaryResult {
    /// The step.
    pub step: CanaryStep,
    /// How long it took.
    pub took: Duration,
    /// The answer, or why the step failed.
    pub outcome: Result<CanaryAnswer, CanaryFailure>,
}

/// What a step returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryAnswer {
    /// The text the agent would read; may be empty.
    Text(String),
    /// The server's name and version.
    Server(String),
    /// The number of tools the server lists.
    Tools(usize),
}

/// Why a step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryFailure {
    /// The program does not exist.
    NotFound(String),
    /// The program could not be started; the message of the operating system.
    NotStarted(String),
    /// The program exited early: its exit code (`None` after a signal), and its first line of standard error.
    Ended(Option<i32>, String),
    /// This command did not answer before this deadline.
    TimedOut(String, Duration),
    /// The answer violates the protocol.
    WrongAnswer(String),
    /// The answer does not mention the source that the prompt should bring up.
    NoHint(String),
    /// The path of the workspace is not UTF-8, and agents name it to their hooks in JSON.
    UnnamedFolder,
}

/// How a test ended.
#[derive(Debug)]
pub enum CanaryEnd<T> {
    /// The results of each job, in the order of the jobs.
    Done(Vec<Vec<CanaryResult>>),
    /// `stop` completed first; all processes have been killed.
    Stopped(T),
}

/// Runs all jobs concurrently until they finish or `stop` completes.
///
/// # Errors
/// The system is out of processes, descriptors or timers.
pub fn run<T>(jobs: &[CanaryJob], stop: impl Future<Output = T>) -> io::Result<CanaryEnd<T>> {
    refdesk_files::check_descriptors()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(async {
        let mut running = tokio::task::JoinSet::new();
        for (at, job) in jobs.iter().cloned().enumerate() {
            running.spawn(async move { (at, run_one(&job).await) });
        }
        let mut results = vec![Vec::new(); jobs.len()];
        let all_done = async {
            while let Some(done) = running.join_next().await {
                match done {
                    Ok((at, found)) => {
                        if let Some(place) = results.get_mut(at) {
                            *place = found;
                        }
                    }
                    // A job without results would look like one that found nothing wrong.
                    Err(error) => {
                        if let Ok(panic) = error.try_into_panic() {
                            resume_unwind(panic);
                        }
                    }
                }
            }
        };
        let stopped = tokio::select! {
            () = all_done => None,
            stopped = stop => Some(stopped),
        };
        // Dropping the tasks drops their process groups, which kills the processes.
        running.shutdown().await;
        stopped.map_or(CanaryEnd::Done(results), CanaryEnd::Stopped)
    });
    runtime.shutdown_background();
    Ok(end)
}

/// Runs the hook and the server concurrently: they do not depend on each other.
async fn run_one(job: &CanaryJob) -> Vec<CanaryResult> {
    let hook = async {
        match &job.hook {
            Some((agent, command)) => hook::run(*agent, command, &job.workspace, job.prompt.as_ref()).await,
            None => Vec::new(),
        }
    };
    let server = async {
        match &job.server {
            Some(command) => server::run(command, &job.workspace).await,
            None => Vec::new(),
        }
    };
    let (mut results, more) = tokio::join!(hook, server);
    results.extend(more);
    results
}

/// Runs a step with the deadline and measures how long it takes.
async fn timed<T>(
    step: CanaryStep,
    command: &str,
    work: impl Future<Output = Result<T, CanaryFailure>>,
    answer: impl FnOnce(T) -> Result<CanaryAnswer, CanaryFailure>,
) -> CanaryResult {
    let began = Instant::now();
    let outcome = match tokio::time::timeout(TIMEOUT, work).await {
        Ok(outcome) => outcome.and_then(answer),
        Err(_) => Err(CanaryFailure::TimedOut(command.to_owned(), TIMEOUT)),
    };
    CanaryResult { step, took: began.elapsed(), outcome }
}
