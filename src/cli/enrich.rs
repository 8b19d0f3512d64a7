//! `refdesk enrich`: prints a text and what the desk appends to it.

use serde_json::{Value, json};

use super::answer::{CommandOutput, object};
use super::args::{EnrichArgs, Forgetting, OutputFormat};
use super::text_input::TextInput;
use refdesk_desk::{Desk, EnrichMode, Session};
use refdesk_enrich::EnrichRequest;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Enriches the text. Text output passes its bytes through unchanged; JSON replaces bytes that are not UTF-8.
pub fn run(desk: &mut Desk, session: &Session, args: &EnrichArgs, format: OutputFormat) -> CommandOutput {
    let given = match TextInput::read(&args.text) {
        Ok(given) => given,
        Err(refused) => return refused,
    };
    let desk = &desk.settled();
    let text = String::from_utf8_lossy(&given.bytes);
    let lossy = matches!(text, std::borrow::Cow::Owned(_));
    let asked = given.enrich_request(&text, args.repeat, args.budget.into());
    let mode = if args.dry_run { EnrichMode::DryRun } else { EnrichMode::Send };
    let mut diagnostics = match args.event {
        Some(event) if mode == EnrichMode::Send && !args.repeat => desk.forget_session(session, reason(event), false),
        _ => Vec::new(),
    };
    // A dry run shows what the session would get after forgetting everything.
    let after_forgetting = args.event.is_some() && args.dry_run;
    let (mut enriched, problems) =
        desk.enrich(session, &EnrichRequest { repeat: args.repeat || after_forgetting, ..asked }, mode);
    diagnostics.extend(problems);
    let found =
        !(enriched.metadata.mentioned_references.is_empty() && enriched.metadata.tag_matched_references.is_empty());
    let again = || desk.enrich(session, &EnrichRequest { repeat: true, ..asked }, EnrichMode::DryRun).0;
    let wanted = enriched.items.iter().filter(|item| item.rejected.is_none()).count();
    if found && wanted == 0 && !args.repeat && !again().blocks.is_empty() {
        let message = format!("nothing new: the session '{}' was already sent everything", session.id);
        diagnostics.push(Diagnostic::warning(Code::ToldBefore, message).fix("--repeat prints it again"));
    }
    let mut notes = Vec::new();
    match enriched.left_out() {
        0 => {}
        _ if enriched.blocks.is_empty() => diagnostics.push(nothing_fits(wanted)),
        1 if wanted == 1 => notes.push("the only block did not fit and was left out".to_owned()),
        count => {
            let was = if count == 1 { "was" } else { "were" };
            notes.push(format!("{count} of {wanted} did not fit and {was} left out"));
        }
    }
    let printed = match format {
        OutputFormat::Text if lossy => [given.bytes.as_slice(), enriched.added().as_bytes()].concat(),
        OutputFormat::Text => std::mem::take(&mut enriched.text).into_bytes(),
        OutputFormat::Json => Vec::new(),
    };
    let to_json = || {
        object([
            ("text", Value::String(enriched.text)),
            ("metadata", json!(enriched.metadata)),
            ("blocks", json!(enriched.blocks)),
            ("partial", json!(enriched.partial)),
            ("lossy", Value::Bool(lossy)),
        ])
    };
    CommandOutput { text: printed, diagnostics, notes, ..CommandOutput::either(format, to_json, String::new) }
}

fn reason(event: Forgetting) -> &'static str {
    match event {
        Forgetting::Compact => "compact",
        Forgetting::Clear => "clear",
    }
}

/// Warns that nothing was added because the budget is too small even for the line that says so.
fn nothing_fits(wanted: usize) -> Diagnostic {
    let what = if wanted == 1 { "the only entry" } else { &format!("any of {wanted} entries") };
    let message = format!("nothing was added: the budget has no room for {what}, or for a line that says so");
    Diagnostic::warning(Code::NoRoom, message).fix("allow more with --max-chars or --max-tokens")
}
