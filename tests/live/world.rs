//! The workspace that all of them work at, and what lies in it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::workspace::{STATE, Workspace, inline};

/// A workspace with these inline sources, in which files below `gen/` may be written without a question, and which this person
/// trusts.
pub fn trusted(ids: impl Iterator<Item = String>) -> Workspace {
    let sources: Vec<Value> = ids.map(|id| inline(&id, "Nothing else.")).collect();
    let workspace = Workspace::new();
    workspace.configure(json!({"version": "1.0", "sources": sources, "approval": {"gen/**": "auto"}}));
    workspace.trust(STATE);
    workspace
}

/// A document of Claude Code: a prompt.
pub fn prompt(workspace: &Workspace, session: &str, prompt: &str) -> String {
    let document = json!({
        "session_id": session, "cwd": workspace.path, "hook_event_name": "UserPromptSubmit",
        "transcript_path": "/none", "permission_mode": "default", "prompt": prompt,
    });
    document.to_string()
}

/// What a hook of Claude Code adds, where its answer is whole.
pub fn added(stdout: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(stdout).ok()?;
    Some(answer["hookSpecificOutput"]["additionalContext"].as_str()?.to_owned())
}

/// The whole lines of the journal, and how many are none.
pub fn journal(workspace: &Workspace) -> (Vec<Value>, usize) {
    let bytes = fs::read(workspace.path.join(".jaato/refdesk/journal.jsonl")).unwrap_or_default();
    let (mut lines, mut torn) = (Vec::new(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match serde_json::from_slice(line).ok().filter(|_| line.ends_with(b"\n")) {
            Some(value) => lines.push(value),
            None => torn += usize::from(!line.trim_ascii().is_empty()),
        }
    }
    (lines, torn)
}

/// Files below a folder that are being written, or were when their writer died.
pub fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        // A folder may go while it is looked at.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else if refdesk_files::is_unfinished(&entry.file_name()) {
                found.push(entry.path());
            }
        }
    }
    found
}
