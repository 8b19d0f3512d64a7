//! Tries out a connection: runs the commands in an agent's settings as the agent would, and checks the answers. An
//! environment variable tells the commands that it is a trial, so that it leaves no trace.

mod document;
mod hook;
mod process;
mod server;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::hook::HookAgent;
use super::setup::ServerCommand;

/// The environment variable that marks a trial.
pub const TRIAL: &str = "REFDESK_TRIAL";

/// How long a hook or a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What to run.
#[derive(Debug, Clone)]
pub struct CanaryJob {
    /// The folder in which the agent works.
    pub workspace: PathBuf,
    /// The agent and the command of its hooks.
    pub hook: Option<(HookAgent, String)>,
    /// A prompt, and the id of a source that it brings up.
    pub prompt: Option<CanaryPrompt>,
    /// The command of the server.
    pub server: Option<ServerCommand>,
}

/// A prompt that brings up a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanaryPrompt {
    /// What a person would type.
    pub text: String,
    /// The id of the source.
    pub about: String,
}

refdesk_text::worded_enum! {
    /// What was tried.
    pub enum CanaryStep {
        /// The hook at the start of a session.
        Start = "session_start",
        /// The hook for a prompt, or for the result of a tool if the agent's prompts cannot be answered.
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
    /// The text that would reach the agent, or the number of tools; or why it failed.
    pub outcome: Result<CanaryAnswer, CanaryFailure>,
}

/// The answer of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryAnswer {
    /// The text that the agent would read; may be empty.
    Text(String),
    /// The name and version of a server.
    Server(String),
    /// The number of tools of a server.
    Tools(usize),
}

/// Why a step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryFailure {
    /// The program does not exist.
    NotFound(String),
    /// It could not be started.
    NotStarted(String),
    /// It ended with this code, or by a signal, and its first line of standard error.
    Ended(Option<i32>, String),
    /// This command did not answer in time.
    TimedOut(String, Duration),
    /// It answered with something that is not in the protocol.
    WrongAnswer(String),
    /// It answered without the source that the prompt brings up.
    NoHint(String),
}

/// How a trial ended.
#[derive(Debug)]
pub enum CanaryEnd<T> {
    /// With the results of each job.
    Done(Vec<Vec<CanaryResult>>),
    /// The future that stops it was ready; everything that was running has ended.
    Stopped(T),
}

/// Runs all jobs at the same time, until `stop` is ready.
///
/// # Errors
/// The system has no processes or timers left.
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
                if let Ok((at, found)) = done
                    && let Some(place) = results.get_mut(at)
                {
                    *place = found;
                }
            }
        };
        let stopped = tokio::select! {
            () = all_done => None,
            stopped = stop => Some(stopped),
        };
        // Their processes end when they are dropped.
        running.shutdown().await;
        stopped.map_or(CanaryEnd::Done(results), CanaryEnd::Stopped)
    });
    runtime.shutdown_background();
    Ok(end)
}

/// The hook and the server do not depend on each other.
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

/// Measures a step of this command.
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
