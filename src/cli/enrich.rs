//! `refdesk enrich`: a text from standard input, and what the desk appends to it.

use std::io::Read;

use serde_json::{Value, json};

use super::answer::Answer;
use super::args::{EnrichArgs, Forgetting, KindName};
use crate::desk::{Desk, Reader, Refusal};
use crate::enrich::{Asked, Budget, Enriched, TextKind, Tool};
use crate::report::Diagnostic;

/// Enriches standard input. As text its bytes pass through untouched; in JSON they are replaced where they are no UTF-8.
pub fn run(desk: &mut Desk, args: &EnrichArgs) -> Answer {
    let arguments = match args.args.as_deref().map(serde_json::from_str::<Value>) {
        None => None,
        Some(Ok(arguments @ Value::Object(_))) => Some(arguments),
        Some(_) => {
            return Answer::usage("--args must be a JSON object", "for example --args '{\"path\": \"docs/a.md\"}'");
        }
    };
    let mut bytes = Vec::new();
    if let Err(error) = std::io::stdin().lock().read_to_end(&mut bytes) {
        let message = format!("standard input cannot be read: {error}");
        return Answer::refused(Refusal::new("no-input", message, "give the text on standard input"));
    }
    let kind = match args.kind {
        KindName::Prompt => TextKind::Prompt,
        KindName::ToolResult => TextKind::ToolResult,
        KindName::SystemInstructions => TextKind::SystemInstructions,
    };
    desk.settle();
    let text = String::from_utf8_lossy(&bytes);
    let lossy = matches!(text, std::borrow::Cow::Owned(_));
    let tool = arguments.as_ref().map(|arguments| Tool { name: args.tool.as_deref(), arguments });
    let budget = Budget { chars: args.max_chars, tokens: args.max_tokens };
    let asked = Asked { tool, repeat: args.repeat, budget, ..Asked::new(kind, &text) };
    let reader = if args.dry_run { Reader::Nobody } else { Reader::Session };
    let mut diagnostics = match args.event {
        Some(event) if reader == Reader::Session && !args.repeat => desk.forget_told(reason(event)),
        _ => Vec::new(),
    };
    // Somebody who only looks is shown what the session would be told after it forgot.
    let anew = args.event.is_some() && args.dry_run;
    let (enriched, problems) = desk.enrich(&Asked { repeat: args.repeat || anew, ..asked }, reader);
    diagnostics.extend(problems);
    let found =
        !(enriched.metadata.mentioned_references.is_empty() && enriched.metadata.tag_matched_references.is_empty());
    let again = || desk.enrich(&Asked { repeat: true, ..asked }, Reader::Nobody).0;
    if found && enriched.items.is_empty() && !args.repeat && !again().blocks.is_empty() {
        let message = format!("all there is to say was told to the session '{}' before", desk.session());
        diagnostics.push(Diagnostic::warning("told-before", message).hint("--repeat says it again"));
    }
    let mut notes = Vec::new();
    match enriched.left_out() {
        0 => {}
        _ if enriched.blocks.is_empty() => diagnostics.push(silent(&enriched)),
        count => notes.push(format!("{count} of {} were left out for want of room", enriched.items.len())),
    }
    let printed = [bytes.as_slice(), enriched.added().as_bytes()].concat();
    let json = json!({"text": enriched.text, "metadata": enriched.metadata, "blocks": enriched.blocks, "lossy": lossy});
    Answer { text: printed, diagnostics, notes, ..Answer::new(json, "") }
}

fn reason(event: Forgetting) -> &'static str {
    match event {
        Forgetting::Compact => "compact",
        Forgetting::Clear => "clear",
    }
}

/// Nothing was said, since there is no room even for the line that says so.
fn silent(enriched: &Enriched) -> Diagnostic {
    let message = format!("there is no room for any of {}, nor for a line that says so", enriched.items.len());
    Diagnostic::warning("no-room", message).hint("allow more with --max-chars or --max-tokens")
}
