//! `refdesk simulate`: what would be appended to a text, why, and what it costs; nothing counts as given.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::SimulateArgs;
use super::rows;
use super::text_input::TextInput;
use refdesk_desk::{Desk, Session, Simulated};
use refdesk_enrich::{BlockCost, BlockKind, Budget, ItemReceipt, Level};
use refdesk_text::escape::one_line;
use refdesk_text::tokens;

/// Simulates for standard input; changes nothing.
pub fn run(desk: &mut Desk, session: &Session, args: &SimulateArgs) -> CommandOutput {
    let given = match TextInput::read(&args.text) {
        Ok(given) => given,
        Err(refused) => return refused,
    };
    let desk = &desk.settled();
    let text = String::from_utf8_lossy(&given.bytes);
    let budget: Budget = args.budget.into();
    let (simulated, diagnostics) = desk.simulate(session, &given.asked(&text, args.repeat, budget));
    let lossy = matches!(text, Cow::Owned(_));
    CommandOutput { diagnostics, ..CommandOutput::new(in_json(&simulated, lossy), in_words(&session.id, &simulated)) }
}

fn in_json(simulated: &Simulated, lossy: bool) -> Value {
    let said = &simulated.said;
    json!({
        "added": said.added(),
        "blocks": said.blocks,
        "items": said.items.iter().filter(|item| item.level != Level::Count).map(item).collect::<Vec<_>>(),
        "total": {"bytes": said.added().len(), "tokens": said.tokens()},
        "told_before": simulated.told_before.iter().map(item).collect::<Vec<_>>(),
        "left_out": simulated.left_out().map(item).collect::<Vec<_>>(),
        "metadata": said.metadata,
        "lossy": lossy,
    })
}

fn item(item: &ItemReceipt) -> Value {
    json!({
        "block": item.block,
        "about": item.about,
        "level": item.level,
        "bytes": item.bytes,
        "tokens": price(item.bytes),
        "why": item.why,
        "because": item.because(),
    })
}

fn price(bytes: usize) -> u64 {
    tokens::of_prose(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// The blocks as an agent would get them, then the table of their costs, then what is left out.
fn in_words(session: &str, simulated: &Simulated) -> String {
    let said = &simulated.said;
    let mut text = String::new();
    if said.blocks.is_empty() {
        text.push_str("Nothing would be added.\n");
    } else {
        text.push_str(said.added().trim_start_matches('\n'));
        text.push_str("\n\n");
        text.push_str(&table(simulated));
    }
    let left_out: Vec<&ItemReceipt> = simulated.left_out().collect();
    let told_before: Vec<&ItemReceipt> = simulated.told_before.iter().collect();
    let before = format!("Already given to the session '{}' (--repeat prints it again)", one_line(session));
    for (what, items) in [("Left out for want of room", left_out), (before.as_str(), told_before)] {
        if !items.is_empty() {
            text.push_str(&format!("\n{what}:\n"));
            let row = |it: &&ItemReceipt| vec![format!("  {}", it.block.word()), it.about.clone(), it.because()];
            text.push_str(&rows::table(&items.iter().map(row).collect::<Vec<_>>()));
        }
    }
    text
}

/// One row per block with its cost, including heading and rules, and below it one row per entry.
fn table(simulated: &Simulated) -> String {
    let said = &simulated.said;
    let row = |cells: [&str; 6]| cells.map(str::to_owned).to_vec();
    let mut table = vec![row(["block", "entry", "level", "bytes", "tokens", "why"])];
    for BlockCost { kind, bytes, tokens, level, .. } in &said.blocks {
        let level = if *kind == BlockKind::LeftOut { "" } else { word(*level) };
        table.push(row([kind.word(), "", level, &bytes.to_string(), &tokens.to_string(), ""]));
        for item in said.items.iter().filter(|item| item.block == *kind && item.level != Level::Count) {
            let (bytes, tokens) = (item.bytes.to_string(), price(item.bytes).to_string());
            table.push(row(["", &item.about, word(item.level), &bytes, &tokens, &item.because()]));
        }
    }
    table.push(row(["sum", "", "", &said.added().len().to_string(), &said.tokens().to_string(), ""]));
    rows::table(&table)
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Full => "full",
        Level::Brief => "brief",
        Level::Count => "count",
    }
}
