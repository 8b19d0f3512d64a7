//! Runs the hook command: at the start of a session, and with a prompt.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt;

use super::super::hook::HookAgent;
use super::process::{ended, read, shell, spawn};
use super::{CanaryAnswer, CanaryFailure, CanaryPrompt, CanaryResult, CanaryStep, document, timed};

/// Runs the command for both events; for the prompt only if there is one and the first answer was valid.
pub(crate) async fn run(
    agent: HookAgent,
    command: &str,
    workspace: &Path,
    prompt: Option<&CanaryPrompt>,
) -> Vec<CanaryResult> {
    let Some(named) = workspace.to_str() else {
        let outcome = Err(CanaryFailure::UnnamedFolder);
        return vec![CanaryResult { step: CanaryStep::Start, took: Duration::ZERO, outcome }];
    };
    let start = document::start(agent, named);
    let mut results = vec![
        timed(CanaryStep::Start, command, call(command, workspace, &start), |text| Ok(CanaryAnswer::Text(text))).await,
    ];
    let Some(prompt) = prompt.filter(|_| results.iter().all(|result| result.outcome.is_ok())) else { return results };
    let document = document::prompt(agent, named, &prompt.text);
    let answer = |text: String| {
        let is_there = text.contains(&prompt.about);
        if is_there { Ok(CanaryAnswer::Text(text)) } else { Err(CanaryFailure::NoHint(prompt.about.clone())) }
    };
    results.push(timed(CanaryStep::Hint, command, call(command, workspace, &document), answer).await);
    results
}

/// Returns the text in the hook's answer.
async fn call(command: &str, workspace: &Path, document: &Value) -> Result<String, CanaryFailure> {
    let program = program_of(command);
    let mut group = spawn(&mut shell(command), &program, workspace)?;
    let child = &mut group.leader;
    let mut stdin = child.stdin.take();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let write = async {
        if let Some(stdin) = &mut stdin {
            // Writing fails if the hook does not read its input; the answer then decides the outcome.
            let _ = stdin.write_all(document.to_string().as_bytes()).await;
        }
        drop(stdin.take());
    };
    let ((), out, err) = tokio::join!(write, read(out), read(err));
    let status = child.wait().await.map_err(|error| CanaryFailure::NotStarted(error.to_string()))?;
    if !status.success() {
        return Err(ended(status.code(), &program, &err));
    }
    let wrong = || CanaryFailure::WrongAnswer(String::from_utf8_lossy(&out).trim().chars().take(200).collect());
    let answer: Value = serde_json::from_slice(&out).map_err(|_| wrong())?;
    document::added(&answer).ok_or_else(wrong)
}

fn program_of(command: &str) -> String {
    let words = shell_words::split(command).unwrap_or_default();
    words.into_iter().find(|word| !word.contains('=')).unwrap_or_default()
}
