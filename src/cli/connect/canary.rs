//! Describes the results of testing a connection.

use std::io;

use serde_json::{Value, json};

use refdesk_agents::canary::{
    self as trial, CanaryAnswer, CanaryEnd, CanaryFailure, CanaryJob, CanaryPrompt, CanaryResult, CanaryStep,
};
use refdesk_agents::setup::{Client, NAME};
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

use super::super::environment;
use super::super::signals::Signals;
use super::command_line::shown_command;

/// Runs the tests. A signal that ends this program also ends the processes it started.
///
/// # Errors
/// The system cannot start another process.
pub(in crate::cli) fn run(jobs: &[CanaryJob]) -> io::Result<Vec<Vec<CanaryResult>>> {
    let stop = async {
        match Signals::new() {
            Ok(mut signals) => signals.any().await,
            Err(_) => std::future::pending().await,
        }
    };
    match trial::run(jobs, stop)? {
        CanaryEnd::Done(results) => Ok(results),
        CanaryEnd::Stopped(signal) => signal.end(),
    }
}

pub(in crate::cli) fn json(results: &[CanaryResult]) -> Value {
    let step = |result: &CanaryResult| {
        let (ok, detail) = match &result.outcome {
            Ok(answer) => (true, answer_in_words(answer)),
            Err(failure) => (false, failure_in_words(failure)),
        };
        let text = match &result.outcome {
            Ok(CanaryAnswer::Text(text)) if result.step == CanaryStep::Hint => json!(text),
            _ => Value::Null,
        };
        let milliseconds = u64::try_from(result.took.as_millis()).unwrap_or(u64::MAX);
        json!({"step": result.step.word(), "ok": ok, "detail": detail, "text": text, "milliseconds": milliseconds})
    };
    results.iter().map(step).collect()
}

/// A line for each step. `adds_to_prompts` is whether the agent's hooks do; otherwise a tool returned the prompt.
pub(super) fn lines(results: &[CanaryResult], prompt: Option<&CanaryPrompt>, adds_to_prompts: bool) -> Vec<String> {
    let said_by = if adds_to_prompts { "" } else { "a tool result that says " };
    let mut lines = Vec::new();
    for result in results {
        let step = step_in_words(result.step);
        let milliseconds = result.took.as_millis();
        lines.push(match &result.outcome {
            Ok(answer) => {
                let about = prompt.filter(|_| result.step == CanaryStep::Hint);
                let detail = about.map_or_else(
                    || answer_in_words(answer),
                    |about| format!("{said_by}\"{}\" brings up @{}", about.text, about.about),
                );
                format!("ok     {step}: {detail} ({milliseconds} ms)")
            }
            Err(failure) => format!("wrong  {step}: {}", failure_in_words(failure)),
        });
    }
    lines
}

/// The first failed step of a connection test, with its fix.
pub(in crate::cli) fn failure(results: &[CanaryResult], client: &Client, for_user: bool) -> Option<Error> {
    let (result, failure) = results.iter().find_map(|result| Some((result, result.outcome.as_ref().err()?)))?;
    let message = format!("{}, {}: {}", client.name, step_in_words(result.step), failure_in_words(failure));
    Some(Error::new(Code::NotDelivered, message, fix(failure, client, for_user)))
}

/// How to fix the failure; `for_user` if the command is in the user's own settings.
pub(in crate::cli) fn fix(failure: &CanaryFailure, client: &Client, for_user: bool) -> String {
    let fix = match failure {
        CanaryFailure::NotFound(_) if for_user => {
            return match environment::own_file().filter(|own| own.file_stem().is_none_or(|name| name != NAME)) {
                Some(own) => format!("rename {} to {NAME}, or install refdesk in a folder on PATH", own.display()),
                None => format!("`refdesk connect {} --user` writes the path of this program", client.word),
            };
        }
        CanaryFailure::NotFound(_) => {
            "install refdesk in a folder on PATH, or connect with --user, which writes its path"
        }
        CanaryFailure::NotStarted(_) | CanaryFailure::Ended(..) | CanaryFailure::WrongAnswer(_) => {
            "check with `refdesk --version` that the refdesk on PATH is this one, and connect again"
        }
        CanaryFailure::TimedOut(command, _) => {
            let command = shown_command(command);
            return format!("see why '{command}' hangs; if the machine is busy, try again later");
        }
        CanaryFailure::NoHint(_) => "`refdesk simulate` shows what would be sent",
        CanaryFailure::UnnamedFolder => "rename the folder",
    };
    fix.to_owned()
}

/// The text that the hook delivered for the prompt.
pub(super) fn delivered(results: &[CanaryResult]) -> Option<&str> {
    results.iter().find_map(|result| match &result.outcome {
        Ok(CanaryAnswer::Text(text)) if result.step == CanaryStep::Hint => Some(text.as_str()),
        _ => None,
    })
}

pub(in crate::cli) fn step_in_words(step: CanaryStep) -> &'static str {
    match step {
        CanaryStep::Start => "hook, start of a session",
        CanaryStep::Hint => "hook, hint",
        CanaryStep::Initialize => "server, initialize",
        CanaryStep::Tools => "server, tools/list",
    }
}

fn answer_in_words(answer: &CanaryAnswer) -> String {
    match answer {
        CanaryAnswer::Text(text) if text.is_empty() => "nothing to say".to_owned(),
        CanaryAnswer::Text(text) => counted(text.chars().count(), "character"),
        CanaryAnswer::Server(name) => name.clone(),
        CanaryAnswer::Tools(count) => counted(*count, "tool"),
    }
}

pub(in crate::cli) fn failure_in_words(failure: &CanaryFailure) -> String {
    match failure {
        CanaryFailure::NotFound(program) => format!("'{program}' is not found"),
        CanaryFailure::NotStarted(reason) => format!("it cannot be started: {reason}"),
        CanaryFailure::Ended(code, output) => {
            let code = code.map_or("ended by a signal".to_owned(), |code| format!("exited with {code}"));
            if output.is_empty() { format!("it {code}") } else { format!("it {code}: {output}") }
        }
        CanaryFailure::TimedOut(_, limit) => format!("no answer within {} s", limit.as_secs()),
        CanaryFailure::WrongAnswer(output) if output.is_empty() => "it answered nothing".to_owned(),
        CanaryFailure::WrongAnswer(output) => format!("its answer was unexpected: {output}"),
        CanaryFailure::NoHint(about) => format!("the answer does not bring up {about}"),
        CanaryFailure::UnnamedFolder => {
            "the path of the workspace is not UTF-8, so an agent cannot tell its hooks where it works".to_owned()
        }
    }
}
