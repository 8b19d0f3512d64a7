//! `refdesk simulate`: what would be appended to a text, why, and what it costs. Nothing counts as sent.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::SimulateArgs;
use super::text_input::TextInput;
use super::{fix, table};
use crate::common::source_words::why_unread;
use refdesk_core::catalog::Catalog;
use refdesk_desk::{Desk, Session, Simulation, changed_since};
use refdesk_enrich::{BlockCost, BlockKind, Budget, Considered, ItemReceipt, Level, Meaning, Rejection, WhyNot};
use refdesk_text::escape::one_line;
use refdesk_text::tokens::{self, counted, grouped};

/// Simulates the text of the arguments or of standard input; changes nothing.
pub fn run(desk: &mut Desk, session: &Session, args: &SimulateArgs) -> CommandOutput {
    let given = match TextInput::read(&args.text) {
        Ok(given) => given,
        Err(refused) => return refused,
    };
    let desk = &desk.settled();
    let text = String::from_utf8_lossy(&given.bytes);
    let budget: Budget = args.budget.into();
    let (simulated, diagnostics) = desk.simulate(session, &given.enrich_request(&text, args.repeat, budget));
    let lossy = matches!(text, Cow::Owned(_));
    CommandOutput {
        diagnostics,
        closing: closing(desk, &simulated),
        ..CommandOutput::new(to_json(desk.catalog(), &simulated, lossy), to_text(desk, &session.id, &simulated))
    }
}

/// The answer for a text to which nothing would be added.
pub fn nothing() -> Value {
    to_json(&Catalog::default(), &Simulation::default(), false)
}

fn to_json(catalog: &Catalog, simulated: &Simulation, lossy: bool) -> Value {
    let said = &simulated.enriched;
    json!({
        "added": said.added(),
        "blocks": said.blocks,
        "items": said.items.iter().filter(|item| item.level != Level::Count).map(item).collect::<Vec<_>>(),
        "total": {"bytes": said.added().len(), "tokens": said.tokens()},
        "told_before": simulated.sent_before.iter().map(item).collect::<Vec<_>>(),
        "left_out": simulated.left_out().map(item).collect::<Vec<_>>(),
        "considered": simulated.considered.iter().flatten().map(|it| considered(catalog, it)).collect::<Vec<_>>(),
        "partial": said.partial,
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

/// A scored source as JSON, and whether it gets a hint.
fn considered(catalog: &Catalog, it: &Considered) -> Value {
    let Meaning { score, threshold, cosine, coverage, words, heading, path, line, conversation: _ } = &it.meaning;
    json!({
        "id": it.id,
        "score": (!it.is_unreadable).then_some(score),
        "threshold": threshold,
        "cosine": (!it.is_unreadable).then_some(cosine),
        "coverage": (!it.is_unreadable).then_some(coverage),
        "words": words,
        "heading": Some(heading).filter(|heading| !heading.is_empty()),
        "path": path.as_ref().filter(|path| !path.is_empty()),
        "line": Some(line).filter(|line| **line > 0),
        "hinted": it.why_not.is_none(),
        "because": because(catalog, it),
    })
}

/// Why the source gets a hint, or not.
fn because(catalog: &Catalog, it: &Considered) -> String {
    match &it.why_not {
        None if it.has_tag => "the text contains one of its tags".to_owned(),
        None if it.meaning.conversation.is_some() => "earlier prompts are about it, too".to_owned(),
        None => "its score reaches the threshold".to_owned(),
        Some(WhyNot::Named) => "the text names it, so it is expanded".to_owned(),
        Some(WhyNot::Excluded) => "it is excluded".to_owned(),
        Some(WhyNot::Picked) => "it is picked".to_owned(),
        Some(WhyNot::PulledIn(_)) => "it is pulled in".to_owned(),
        Some(WhyNot::Auto) => "its mode is auto".to_owned(),
        Some(WhyNot::AlreadySent) => "the session already got this hint or the source itself".to_owned(),
        Some(WhyNot::NoRoom) => "it does not fit the budget".to_owned(),
        Some(WhyNot::AlreadyInText) => "a block in the text already names it".to_owned(),
        Some(WhyNot::Unreadable | WhyNot::Rejected(Rejection::Unreadable)) => {
            why_unread(catalog.get(it.id.as_str())).into_owned()
        }
        Some(WhyNot::Rejected(rejected)) => rejected.to_string(),
        Some(_) => "hints are off".to_owned(),
    }
}

fn price(bytes: usize) -> u64 {
    tokens::of_prose(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// The blocks as an agent would get them, then a table of their costs, then what was left out.
fn to_text(desk: &Desk, session: &str, simulated: &Simulation) -> String {
    let said = &simulated.enriched;
    let mut text = String::new();
    if said.blocks.is_empty() {
        text.push_str("Nothing would be added.\n");
    } else {
        text.push_str(said.added().trim_start_matches('\n'));
        text.push_str("\n\n");
        text.push_str(&costs(simulated));
    }
    let (without_room, less_likely): (Vec<&ItemReceipt>, Vec<&ItemReceipt>) =
        simulated.left_out().partition(|item| item.has_no_room());
    let sent_before: Vec<&ItemReceipt> = simulated.sent_before.iter().collect();
    let before = format!("Already sent to the session '{}' (--repeat prints it again)", one_line(session));
    for (what, items) in [
        ("Left out, over the budget", without_room),
        ("Left out as less likely", less_likely),
        (before.as_str(), sent_before),
    ] {
        if !items.is_empty() {
            text.push_str(&format!("\n{what}:\n"));
            let row = |it: &&ItemReceipt| vec![format!("  {}", it.block.word()), it.about.clone(), it.because()];
            text.push_str(&table::table(&items.iter().map(row).collect::<Vec<_>>(), &[2]));
        }
    }
    if let Some(considered) = simulated.considered.as_ref().filter(|considered| !considered.is_empty()) {
        text.push_str("\nSources with the best scores:\n");
        text.push_str(&scores(desk.catalog(), considered));
    }
    text
}

/// What is wrong with the index, and why nothing matches.
fn closing(desk: &Desk, simulated: &Simulation) -> String {
    let said = &simulated.enriched;
    let mut text = String::new();
    if let Some(partial) = said.partial.filter(|partial| partial.indexed < partial.of) {
        let (indexed, of) = (grouped(partial.indexed), counted(partial.of, "section"));
        text.push_str(&format!(
            "\nThe index is not complete: {indexed} of {of} can be compared by meaning, the others only by words. `refdesk index` \
             completes it.\n"
        ));
    }
    if let Some(changed) = said.partial.and_then(|partial| changed_since(partial.changed)) {
        text.push_str(&format!("\n{changed} `refdesk index` updates it.\n"));
    }
    if said.items.is_empty() && simulated.sent_before.is_empty() {
        text.push_str(&why_nothing(desk, simulated));
    }
    text
}

/// Why nothing matches and what to do about it, unless a table of scores shows it.
fn why_nothing(desk: &Desk, simulated: &Simulation) -> String {
    if desk.catalog().is_empty() {
        return fix::empty_catalog(desk);
    }
    if desk.hides_select_tool() {
        return "`selectReferences` is in `exclude_tools`, which turns all hints off.\n".to_owned();
    }
    if simulated.considered.is_some() || !matches!(desk.index(), Ok(None)) {
        return String::new();
    }
    "No @id or tag in the text brings up a source, and there is no search index to find one by meaning: `refdesk index` builds \
     it. `refdesk why-not ID --prompt TEXT` explains one source.\n"
        .to_owned()
}

/// One row per source with its score, followed by notes that apply to several rows.
fn scores(catalog: &Catalog, considered: &[Considered]) -> String {
    let mut needed = None;
    let mut rows = vec![["  source", "score", "hinted", "because", "words", "section"].map(str::to_owned).to_vec()];
    rows.extend(considered.iter().map(|it| {
        let hinted = if it.why_not.is_none() { "yes" } else { "no" };
        let because = match it.why_not {
            Some(WhyNot::Rejected(Rejection::BelowTagged { needed: score })) => {
                needed = Some(score);
                "others match by tag".to_owned()
            }
            _ => because(catalog, it),
        };
        vec![format!("  {}", it.id), it.score(), hinted.to_owned(), because, it.meaning.words(), it.meaning.section()]
    }));
    let threshold = considered.first().and_then(|it| it.meaning.threshold);
    let threshold = threshold.map_or_else(|| "none yet".to_owned(), |threshold| threshold.to_string());
    let needed = needed.map(|score| format!("; without a matching tag {score}, because others match by tag"));
    format!("{}  threshold: {threshold}{}\n", table::headed(&rows, &[3, 4, 5]), needed.unwrap_or_default())
}

/// One row per block with its cost, including heading and rules, and below it one row per entry.
fn costs(simulated: &Simulation) -> String {
    let said = &simulated.enriched;
    let row = |cells: [&str; 6]| cells.map(str::to_owned).to_vec();
    let mut rows = vec![row(["block", "entry", "level", "bytes", "tokens", "why"])];
    for BlockCost { kind, bytes, tokens, level, .. } in &said.blocks {
        let level = if *kind == BlockKind::LeftOut { "" } else { level.word() };
        rows.push(row([kind.word(), "", level, &bytes.to_string(), &tokens.to_string(), ""]));
        for item in said.items.iter().filter(|item| item.block == *kind && item.level != Level::Count) {
            let (bytes, tokens) = (item.bytes.to_string(), price(item.bytes).to_string());
            rows.push(row(["", &item.about, item.level.word(), &bytes, &tokens, &item.because()]));
        }
    }
    rows.push(row(["total", "", "", &said.added().len().to_string(), &said.tokens().to_string(), ""]));
    table::headed(&rows, &[5])
}
