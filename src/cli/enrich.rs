//! `refdesk enrich`: a text from standard input, and what the desk appends to it.

use std::io::Read;

use serde_json::{Value, json};

use super::answer::Answer;
use super::args::{EnrichArgs, KindName};
use crate::desk::{Desk, Reader, Refusal};
use crate::enrich::{Asked, Budget, TextKind, Tool};
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
    let (enriched, mut diagnostics) = desk.enrich(&asked, reader);
    let found =
        !(enriched.metadata.mentioned_references.is_empty() && enriched.metadata.tag_matched_references.is_empty());
    let again = || desk.enrich(&Asked { repeat: true, ..asked }, Reader::Nobody).0;
    if found && enriched.items.is_empty() && !args.repeat && !again().blocks.is_empty() {
        let message = format!("all there is to say was told to the session '{}' before", desk.session());
        diagnostics.push(Diagnostic::warning("told-before", message).hint("--repeat says it again"));
    }
    let printed = [bytes.as_slice(), enriched.added().as_bytes()].concat();
    let json = json!({"text": enriched.text, "metadata": enriched.metadata, "blocks": enriched.blocks, "lossy": lossy});
    Answer { text: printed, diagnostics, ..Answer::new(json, "") }
}
