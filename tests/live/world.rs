//! The workspace that all processes share, and its files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::workspace::{STATE, Workspace, inline};

/// A trusted workspace with these inline sources that allows writes below `gen/` without asking.
pub fn trusted(ids: impl Iterator<Item = String>) -> Workspace {
    let sources: Vec<Value> = ids.map(|id| inline(&id, "Nothing else.")).collect();
    let workspace = Workspace::new();
    workspace.configure(json!({"version": "1.0", "sources": sources, "approval": {"gen/**": "auto"}}));
    workspace.trust(STATE);
    workspace
}

/// A prompt event of Claude Code.
pub fn prompt(workspace: &Workspace, session: &str, prompt: &str) -> String {
    let document = json!({
        "session_id": session, "cwd": workspace.path, "hook_event_name": "UserPromptSubmit",
        "transcript_path": "/none", "permission_mode": "default", "prompt": prompt,
    });
    document.to_string()
}

/// The hook's addition for Claude Code, if its answer is complete.
pub fn added(stdout: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(stdout).ok()?;
    Some(answer["hookSpecificOutput"]["additionalContext"].as_str()?.to_owned())
}

/// The complete lines of the journal, and the number of torn ones.
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

/// Temporary files below a folder: still being written, or left by a dead writer.
pub fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        // A folder may be removed meanwhile.
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
