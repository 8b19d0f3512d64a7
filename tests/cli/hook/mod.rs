//! `refdesk hook` with valid documents of every agent in a real workspace, and with invalid ones. It must always exit
//! with code 0, print one line of JSON, and leave standard error empty.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::{Workspace, inline};

mod agents;
mod hostile;
mod journalled;
mod log;
mod workspace;

/// An auto source, one with the tag `web`, and a picked folder with a declared context.
fn world() -> Workspace {
    let mut rules = inline("rules", "Be kind.");
    rules["mode"] = json!("auto");
    Workspace::of(
        json!([
            rules,
            {"id": "away", "name": "Away", "type": "url", "url": "https://example.org/x", "tags": ["web"]},
            {"id": "near", "name": "Near", "path": "docs/near.md", "tags": ["local"]},
        ]),
        &[("docs/near.md", "# Near\n")],
    )
}

/// The addition for the tag `web` if the agent has no tool to select with.
const HINT: &str = "---\n**Reference sources available** — read the file of any that helps:\n\n\
    - @away: Away (matched: web) — https://example.org/x\n---";

/// The hook in this folder. It finds the workspace from the document.
fn hook(world: &Workspace, words: &[&str]) -> Command {
    world.bare(&[&["hook"], words].concat())
}

/// Answers a document, and checks exit code 0, one line of JSON, and an empty standard error.
#[track_caller]
fn answered(command: &mut Command, document: &[u8]) -> Value {
    let ran = run(command, Some(document)).exits(0);
    assert_eq!(ran.stderr, "", "{ran}");
    assert_eq!(ran.text().matches('\n').count(), 1, "{ran}");
    let value = ran.json();
    assert!(value.is_object(), "{ran}");
    value
}

/// Answers a document of Claude Code and returns the addition.
#[track_caller]
fn added(world: &Workspace, document: &Value) -> String {
    let answer = answered(&mut hook(world, &["claude-code"]), document.to_string().as_bytes());
    let added = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned();
    assert_eq!(added.is_empty(), answer == json!({}), "{answer}");
    added
}

/// A prompt to Claude Code in this session and folder.
fn prompt(session: &str, cwd: &Path, prompt: &str) -> Value {
    let mut document = of(session, cwd, "UserPromptSubmit");
    document["prompt"] = json!(prompt);
    document
}

/// A document of Claude Code.
fn of(session: &str, cwd: &Path, event: &str) -> Value {
    json!({"session_id": session, "cwd": cwd, "hook_event_name": event, "transcript_path": "/none", "permission_mode": "default"})
}
