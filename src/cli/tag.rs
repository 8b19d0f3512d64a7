//! `refdesk tag`: adds and removes tags of sources, in their entries.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::help;
use super::output::ask_to_leave;
use super::rows::result;
use refdesk_desk::{Desk, Retagged, Session};
use refdesk_text::fold::same_tag;

/// Changes the tags; the words are ids, `+tag` and `-tag`.
pub fn run(desk: &mut Desk, session: &Session, words: &[String]) -> CommandOutput {
    let (mut ids, mut add, mut remove) = (Vec::new(), Vec::new(), Vec::new());
    let mut are_options_over = false;
    for word in words {
        if word == "--" && !are_options_over {
            are_options_over = true;
            continue;
        }
        if word.starts_with("--") && !are_options_over {
            // Options after the first id are words to the parser.
            let (name, _) = word.split_once('=').unwrap_or((word, ""));
            let message = if is_option(name.trim_start_matches('-')) {
                format!("'{word}' must come before the first id")
            } else {
                format!("'{word}' is not an option of tag")
            };
            return CommandOutput::usage(message, "options come before the first id; `refdesk tag --help` shows them");
        }
        match (word.strip_prefix('+'), word.strip_prefix('-')) {
            (Some(tag), _) => add.push(tag.trim().to_owned()),
            (None, Some(tag)) => remove.push(tag.to_owned()),
            (None, None) => ids.push(word.clone()),
        }
    }
    if ids.is_empty() || (add.is_empty() && remove.is_empty()) {
        let missing = if ids.is_empty() { "an id" } else { "a tag to add (+TAG) or to remove (-TAG)" };
        let hint = "name ids, tags to add and tags to remove: `refdesk tag retry-pattern +resilience -draft`";
        return CommandOutput::usage(format!("{missing} is missing"), hint);
    }
    if let Some(tag) = add.iter().find(|tag| remove.iter().any(|other| same_tag(tag, other))) {
        let hint = format!("write only +{tag} or only -{tag}");
        return CommandOutput::usage(format!("the tag '{tag}' is both added and removed"), hint);
    }
    // If no source has a tag to remove, it is probably mistyped.
    let notes = desk.unknown_tags(&remove);
    match desk.retag(session, &ids, &add, &remove, &ask_to_leave) {
        Ok(changed) => {
            let status = if changed.is_empty() { "unchanged" } else { "success" };
            let text = if changed.is_empty() { "Nothing to change.\n".to_owned() } else { to_text(&changed) };
            CommandOutput { notes, ..CommandOutput::new(document(status, &changed), text) }
        }
        Err(refusal) => CommandOutput::refused(refusal),
    }
}

/// Whether every command has this option.
fn is_option(name: &str) -> bool {
    help::program().get_arguments().any(|option| option.is_global_set() && option.get_long() == Some(name))
}

pub fn document(status: &str, changed: &[Retagged]) -> Value {
    json!({"status": status, "changed": changed.iter().map(to_json).collect::<Vec<_>>()})
}

fn to_json(changed: &Retagged) -> Value {
    json!({"id": changed.id, "tags": changed.after, "before": changed.before, "file": changed.file})
}

fn to_text(changed: &[Retagged]) -> String {
    let line = |it: &Retagged| {
        let tags = if it.after.is_empty() { "no tags".to_owned() } else { it.after.join(", ") };
        result(&format!("tags of @{}: {tags} ({})", it.id, it.file))
    };
    changed.iter().map(line).collect()
}
