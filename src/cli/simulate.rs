//! `refdesk simulate`: what would be appended to a text, why, and what it costs; nothing counts as given.

use std::borrow::Cow;

use serde_json::{Value, json};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::answer::CommandOutput;
use super::args::SimulateArgs;
use super::output::terminal_width;
use super::rows;
use super::text_input::TextInput;
use refdesk_desk::{Desk, Session, Simulated};
use refdesk_enrich::{BlockCost, BlockKind, Budget, Considered, ItemReceipt, Level, Meaning, Rejection, WhyNot};
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
    CommandOutput {
        diagnostics,
        ..CommandOutput::new(in_json(&simulated, lossy), in_words(&session.id, &simulated, terminal_width()))
    }
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
        "considered": simulated.considered.iter().flatten().map(considered).collect::<Vec<_>>(),
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

/// A source with a score, and whether it is hinted at.
fn considered(it: &Considered) -> Value {
    let Meaning { score, threshold, cosine, coverage, words, heading, path, line, conversation: _ } = &it.meaning;
    json!({
        "id": it.id,
        "score": (!it.is_withheld).then_some(score),
        "threshold": threshold,
        "cosine": (!it.is_withheld).then_some(cosine),
        "coverage": (!it.is_withheld).then_some(coverage),
        "words": words,
        "heading": Some(heading).filter(|heading| !heading.is_empty()),
        "path": path.as_ref().filter(|path| !path.is_empty()),
        "line": Some(line).filter(|line| **line > 0),
        "hinted": it.why_not.is_none(),
        "because": because(it),
    })
}

/// Why it is hinted at, or not.
fn because(it: &Considered) -> String {
    match &it.why_not {
        None if it.has_tag => "the text contains one of its tags".to_owned(),
        None if it.meaning.conversation.is_some() => "earlier prompts are about it, too".to_owned(),
        None => "its score reaches the threshold".to_owned(),
        Some(WhyNot::Named) => "the text names it, so it is expanded".to_owned(),
        Some(WhyNot::Excluded) => "it is excluded".to_owned(),
        Some(WhyNot::Picked) => "it is picked".to_owned(),
        Some(WhyNot::PulledIn(_)) => "it is pulled in".to_owned(),
        Some(WhyNot::Auto) => "its mode is auto".to_owned(),
        Some(WhyNot::Told) => "the session already got this hint".to_owned(),
        Some(WhyNot::NoRoom) => "it does not fit the budget".to_owned(),
        Some(WhyNot::Stands) => "a block in the text already names it".to_owned(),
        Some(WhyNot::Unreadable) => "its text cannot be read".to_owned(),
        Some(WhyNot::Rejected(rejected)) => rejected.to_string(),
        Some(_) => "hints are off".to_owned(),
    }
}

fn price(bytes: usize) -> u64 {
    tokens::of_prose(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// The blocks as an agent would get them, then the table of their costs, then what is left out.
fn in_words(session: &str, simulated: &Simulated, width: Option<usize>) -> String {
    let said = &simulated.said;
    let mut text = String::new();
    if said.blocks.is_empty() {
        text.push_str("Nothing would be added.\n");
    } else {
        text.push_str(said.added().trim_start_matches('\n'));
        text.push_str("\n\n");
        text.push_str(&table(simulated));
    }
    let (without_room, less_likely): (Vec<&ItemReceipt>, Vec<&ItemReceipt>) =
        simulated.left_out().partition(|item| item.has_no_room());
    let told_before: Vec<&ItemReceipt> = simulated.told_before.iter().collect();
    let before = format!("Already given to the session '{}' (--repeat prints it again)", one_line(session));
    for (what, items) in [
        ("Left out, over the budget", without_room),
        ("Left out as less likely", less_likely),
        (before.as_str(), told_before),
    ] {
        if !items.is_empty() {
            text.push_str(&format!("\n{what}:\n"));
            let row = |it: &&ItemReceipt| vec![format!("  {}", it.block.word()), it.about.clone(), it.because()];
            text.push_str(&rows::table(&items.iter().map(row).collect::<Vec<_>>()));
        }
    }
    if let Some(considered) = simulated.considered.as_ref().filter(|considered| !considered.is_empty()) {
        text.push_str("\nSources with the best scores:\n");
        text.push_str(&scores(considered, width));
    }
    text
}

/// The least of a section that is shown beside the other columns.
const SECTION: usize = 16;

/// One row per source with its score, and below the table what several rows need. On a terminal of this width, sections lose their
/// middle: both ends tell most.
fn scores(considered: &[Considered], width: Option<usize>) -> String {
    let mut needed = None;
    let mut table = vec![["  source", "score", "hinted", "because", "words", "section"].map(str::to_owned).to_vec()];
    table.extend(considered.iter().map(|it| {
        let hinted = if it.why_not.is_none() { "yes" } else { "no" };
        let because = match it.why_not {
            Some(WhyNot::Rejected(Rejection::BelowTagged { needed: score })) => {
                needed = Some(score);
                "others match by tag".to_owned()
            }
            _ => because(it),
        };
        vec![format!("  {}", it.id), it.score(), hinted.to_owned(), because, it.meaning.words(), it.meaning.section()]
    }));
    if let Some(width) = width {
        let others = |row: &Vec<String>| row.iter().take(row.len().saturating_sub(1)).cloned().collect::<Vec<_>>();
        // The columns are padded alike in all rows.
        let padded =
            rows::table(&table.iter().map(|row| [others(row), vec![".".to_owned()]].concat()).collect::<Vec<_>>());
        let used = padded.lines().map(|line| line.width() - 1).max().unwrap_or(0);
        let room = width.saturating_sub(used).max(SECTION);
        table.iter_mut().filter_map(|row| row.last_mut()).for_each(|section| *section = without_middle(section, room));
    }
    let threshold = considered.first().and_then(|it| it.meaning.threshold);
    let threshold = threshold.map_or_else(|| "none yet".to_owned(), |threshold| threshold.to_string());
    let needed = needed.map(|score| format!("; without a matching tag {score}, because others match by tag"));
    format!("{}  threshold: {threshold}{}\n", rows::table(&table), needed.unwrap_or_default())
}

/// A text of at most this width, with `…` for its middle.
fn without_middle(text: &str, most: usize) -> String {
    let text = one_line(text);
    if text.width() <= most {
        return text.into_owned();
    }
    let (head, tail) = ((most - 1) / 3, most - 1 - (most - 1) / 3);
    let mut used = 0;
    let mut fits = |c: &char, room: usize| {
        used += c.width().unwrap_or(0);
        used <= room
    };
    let begin: String = text.chars().take_while(|c| fits(c, head)).collect();
    used = 0;
    let mut fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= tail
    };
    let end: Vec<char> = text.chars().rev().take_while(|c| fits(c)).collect();
    format!("{begin}…{}", end.into_iter().rev().collect::<String>())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_section_loses_its_middle() {
        for (text, most, expected) in [
            ("docs/a.md:7", 11, "docs/a.md:7"),
            ("\"Guide > Setup > Proxy\", docs/a.md:7", 16, "\"Guid…ocs/a.md:7"),
            ("日本日本日本日本日本", 10, "日…本日本"),
        ] {
            let shown = without_middle(text, most);
            assert_eq!(shown, expected);
            assert!(shown.width() <= most, "{shown}");
        }
    }
}
