//! The JSON members of a failed command besides `error`: those of a success, as far as they are known (BEHAVIOUR §10).
//! A failure before the command starts, such as an unknown profile, has them too. So do arguments that cannot be
//! parsed, if they name a command.

use std::ffi::OsString;

use serde_json::{Map, Value, json};

use super::answer::CommandOutput;
use super::args::{Command, ConfigCommand, ReferencesCommand, TemplatesCommand};
use super::help;
use super::templates::{extract, validate};
use super::{ask, assert, connect, db, doctor, edit, index, init, remove, replay, simulate, tag, trust, why_not};

/// Adds the members of a success that a failed answer lacks.
pub fn completed(mut answer: CommandOutput, command: Option<&Command>) -> CommandOutput {
    let (Some(command), Some(error), Value::Object(members)) = (command, answer.refused.first(), &mut answer.json)
    else {
        return answer;
    };
    for (key, value) in nothing(command, &error.message) {
        members.entry(key).or_insert(value);
    }
    answer
}

/// The members for a command line that the parser rejects.
pub fn of_line(words: &[OsString], message: &str) -> Map<String, Value> {
    help::command_in(words).map_or_else(Map::new, |command| nothing(&command, message))
}

/// The members of an answer that found or changed nothing; empty for commands whose answers vary too much.
fn nothing(command: &Command, message: &str) -> Map<String, Value> {
    let listed = || json!({"sources": [], "total": 0, "selected_count": 0});
    let selected = || {
        json!({
            "status": "error", "selected_count": 0, "transitive_count": 0, "sources": [], "unknown": [], "missing": [],
            "message": message,
        })
    };
    let changed = || json!({"status": "error", "message": message, "changed": [], "released": []});
    let members = match command {
        Command::List(_) => listed(),
        Command::Select(_) => selected(),
        Command::Unselect(_) | Command::Exclude(_) | Command::Include(_) | Command::Clear { .. } => changed(),
        Command::References { command } => match command {
            None | Some(ReferencesCommand::List(_)) => listed(),
            Some(ReferencesCommand::Select(_)) => selected(),
            Some(ReferencesCommand::Unselect(_)) => changed(),
            Some(ReferencesCommand::Reload | ReferencesCommand::Help) => json!({"status": "error", "message": message}),
        },
        Command::Resolve(_) => json!({"resolved": [], "depth": {}, "parents": {}, "mentions": [], "unknown": []}),
        Command::Why(args) => json!({"id": args.id, "chain": []}),
        Command::Show(args) => json!({"id": args.id}),
        Command::Graph(_) => json!({"nodes": [], "mentions": []}),
        Command::Instructions => json!({"text": ""}),
        Command::Enrich(_) => json!({
            "text": "", "blocks": [], "partial": null, "lossy": false,
            "metadata": {
                "mentioned_references": [], "tag_matched_references": {}, "transitive_references": {},
                "pinned_reference": null,
            },
        }),
        Command::Check(_) => json!({"valid": false, "errors": [], "warnings": [], "fixed": []}),
        Command::Templates { command } => match command {
            None | Some(TemplatesCommand::List { .. }) => json!({"templates": [], "count": 0}),
            Some(TemplatesCommand::Show { name }) => json!({"name": name}),
            Some(TemplatesCommand::Variables { name }) => {
                json!({"template_name": name, "syntax": null, "variables": [], "count": 0, "tree": [], "schema": {}, "skeleton": {}})
            }
            Some(TemplatesCommand::Validate { file }) => validate::nothing(file.as_deref()),
            Some(TemplatesCommand::Extract { .. }) => extract::document(&[], &[], &[], &[]),
        },
        Command::Render(_) => json!({"success": false}),
        Command::Search(args) => {
            json!({"query": args.query.join(" "), "mode": null, "hits": [], "tokens_used": 0, "partial": null})
        }
        Command::Db { command } => db::nothing(command),
        Command::Profiles => json!({"profiles": [], "count": 0}),
        Command::Init(_) => init::nothing_found(),
        Command::Edit(args) => edit::to_json("error", &args.id, None),
        Command::Tag { .. } => tag::document("error", &[]),
        Command::Remove(_) => remove::document("error", &[], &[], "", &[]),
        Command::Index(_) => index::nothing(),
        Command::Doctor => doctor::nothing(),
        Command::Simulate(_) => simulate::nothing(),
        Command::WhyNot(args) => why_not::nothing(&args.id),
        Command::Assert { .. } => assert::nothing(),
        Command::Replay { n } => replay::to_json(*n, None, None, false),
        Command::Trust { .. } => trust::document("error", &[], &[]),
        Command::Ask(_) => ask::nothing(message),
        Command::Connect(args) => connect::nothing(&args.agents),
        Command::Disconnect(args) => connect::nothing(&args.agents),
        Command::Config { command: Some(ConfigCommand::Check) } => {
            json!({"path": null, "valid": false, "errors": [], "warnings": []})
        }
        // The other members depend on whether one place or several are added.
        Command::Add(_) => json!({"status": "error"}),
        // These print lines, print what the workspace contains, or need no workspace.
        Command::Journal(_)
        | Command::Watch
        | Command::Hook(_)
        | Command::Mcp(_)
        | Command::Where
        | Command::Config { .. }
        | Command::Completions { .. }
        | Command::Man { .. } => json!({}),
    };
    match members {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
