//! A prompt: the sources it matches, why others do not, and the prompt as an agent would get it.

use std::sync::Arc;

use refdesk_core::catalog::SourceId;
use refdesk_desk::Price;
use refdesk_desk::engine::{Audience, Request};
use refdesk_enrich::{BlockCost, Enriched, Findings, Hint, WhyNot};
use refdesk_text::lines;
use refdesk_text::report::Diagnostic;

use super::catalog;
use super::choice::chosen;
use super::lists::{NumberedRow, Pages, Target, list, read};
use super::state::{InputOutcome, Pending, PlainState, Question};
use super::words::{counted, joined, sentence, tokens};
use crate::common::budget::{limit_in_words, limit_of, parse_limit, percent};
use crate::common::hint_rows::{self, HintRow, block_level, brief};

/// The line that ends a multi-line text.
pub const END: &str = ".";

/// Takes a prompt from one line, or asks for several lines.
pub fn type_prompt(state: &mut PlainState, text: &str, turn: &mut InputOutcome) {
    if text.is_empty() {
        turn.print("Type the prompt. A line with only a dot ends it.");
        state.question = Some(Question::Prompt(Vec::new()));
    } else {
        take(state, text.into(), turn);
    }
}

pub fn typed(state: &mut PlainState, mut typed: Vec<String>, line: String, turn: &mut InputOutcome) {
    if line.trim() == END {
        return take(state, typed.join("\n").into(), turn);
    }
    typed.push(line);
    state.question = Some(Question::Prompt(typed));
}

fn take(state: &mut PlainState, prompt: Arc<str>, turn: &mut InputOutcome) {
    if prompt.trim().is_empty() {
        return turn.print("The prompt is empty.");
    }
    if catalog::is_empty(state, turn) {
        return;
    }
    state.prompt = Some(prompt.clone());
    state.pending = Some(Pending::Findings);
    turn.ask(Request::Match(prompt));
}

/// Lists the matching sources again, because the selection may have changed.
pub fn hints(state: &mut PlainState, turn: &mut InputOutcome) {
    match state.prompt.clone() {
        Some(prompt) => take(state, prompt, turn),
        None => turn.print("There is no prompt. Type prompt and a text."),
    }
}

pub fn found(state: &mut PlainState, findings: &Findings, turn: &mut InputOutcome) {
    let prompt = state.prompt.clone().unwrap_or_default();
    let row = |row: HintRow<'_>| {
        let words = format!("{}, {}.", row.id(), words(state, &prompt, findings, row));
        NumberedRow::new(Target::Source(row.id().clone()), words)
    };
    let rows: Vec<NumberedRow> = hint_rows::rows(findings).map(row).collect();
    let hinted = findings.hints.len() + hint_rows::by_meaning(findings).count();
    let named = findings.expansions.len();
    let (closest, unread) = (hint_rows::closest(findings), hint_rows::unread(findings));
    let passed = hint_rows::passed(findings) - closest + findings.more;
    let (matching, scored) = (named + hinted + passed, closest - unread);
    if matching == 0 {
        turn.print(match scored {
            0 => "No source matches the prompt.".to_owned(),
            1 => "The prompt brings up no source. This one comes closest.".to_owned(),
            _ => format!("The prompt brings up no source. These {scored} come closest."),
        });
        if state.snapshot.is_indexing {
            let indexing = hint_rows::indexing(findings);
            turn.print(format!("The search index is being {indexing}: more sources may match soon."));
        }
    } else {
        let parts = [(named, "named"), (hinted, "hinted at"), (passed, "passed over")];
        let parts: Vec<String> = parts.iter().map(|(count, what)| format!("{count} {what}")).collect();
        turn.print(format!("The prompt matches {}: {}.", counted(matching, "source"), parts.join(", ")));
        if scored > 0 {
            turn.print(format!("Next by score: {}.", counted(scored, "other source")));
        }
    }
    if unread > 0 {
        turn.print(format!("Without a score, since unread: {}.", counted(unread, "source")));
    }
    list(state, rows, turn);
    turn.print("Type enriched to see what an agent would get.");
}

fn words(state: &PlainState, prompt: &str, findings: &Findings, row: HintRow<'_>) -> String {
    let why = |id: &SourceId, why: &WhyNot| brief(&state.snapshot, id, why, joined);
    match row {
        HintRow::Named(_) => "named in the prompt: the agent gets it with the prompt".to_owned(),
        HintRow::Hinted(hint) => {
            let score = hint_rows::considered(findings, &hint.id);
            let score =
                score.filter(|it| !it.is_unreadable).map(|it| format!(", score {}", it.score())).unwrap_or_default();
            format!("hint, matched {}{score}", places(prompt, hint))
        }
        HintRow::ByMeaning(it) => format!("hint, {}, score {}", it.meaning.topic(), it.score()),
        HintRow::Passed(passed) => {
            let tags = if passed.tags.is_empty() {
                String::new()
            } else {
                format!("{} matched, but ", passed.tags.join(", "))
            };
            format!("no hint: {tags}{}", why(&passed.id, &passed.why))
        }
        HintRow::Scored(it) => {
            let because = it.why_not.as_ref().map(|reason| why(&it.id, reason)).unwrap_or_default();
            match it.is_unreadable {
                true => format!("no hint: {because}"),
                false => format!("no hint: score {}, {because}", it.score()),
            }
        }
    }
}

/// `java at line 1 column 9, spring boot at line 2 column 1`
fn places(prompt: &str, hint: &Hint) -> String {
    let firsts: Vec<usize> = hint.firsts.iter().copied().filter(|first| prompt.is_char_boundary(*first)).collect();
    let places = lines::places(prompt, &firsts);
    let at = |(nth, tag): (usize, &String)| match places.get(nth) {
        Some((line, column)) => format!("{tag} at line {line} column {column}"),
        None => tag.clone(),
    };
    hint.tags.iter().enumerate().map(at).collect::<Vec<_>>().join(", ")
}

/// Sets a token limit if one is given, and asks what the instructions and the prompt cost.
pub fn budget(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    if !given.is_empty() {
        let Some(limit) = parse_limit(given) else {
            return turn.print(format!(
                "{given} is not a number of tokens. Type budget and one, such as budget 128k, budget 200000 or budget 1m."
            ));
        };
        state.saved.token_limit = Some(limit);
    }
    state.pending = Some(Pending::Price);
    turn.ask(Request::Price(state.prompt.clone().unwrap_or_default()));
}

pub fn print_budget(state: &PlainState, price: Price, turn: &mut InputOutcome) {
    let beside = state.snapshot.tokens_outside_instructions(price.instructions);
    let [without, in_full] = match beside < state.snapshot.source_tokens() {
        true => ["Without inline texts, the", ", with inline texts in full"],
        false => ["The", ""],
    };
    let cost = tokens(beside);
    turn.print(format!("{} {without} selection and auto sources cost {cost}.", chosen(&state.snapshot)));
    turn.print(format!("The instructions cost {}{in_full}.", tokens(price.instructions)));
    let sum = beside.saturating_add(price.instructions);
    let limit = limit_of(state.saved.token_limit);
    let together = |sum: u64| {
        let over = if sum > limit { ", over the limit" } else { "" };
        format!(
            "{}{over}: {} of the limit of {}",
            tokens(sum),
            percent(sum, limit).replace('%', " percent"),
            limit_in_words(limit)
        )
    };
    turn.print(format!("Together that is {}.", together(sum)));
    match &state.prompt {
        Some(_) => {
            turn.print(format!("The prompt with what is added to it costs {}.", tokens(price.prompt)));
            turn.print(format!("With the prompt that is {}.", together(sum.saturating_add(price.prompt))));
        }
        None => turn.print("There is no prompt. Type prompt and a text to have it counted."),
    }
}

/// Asks what an agent would get, in a new session or in this one with its memory.
pub fn enriched(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    let audience = match given.to_lowercase().as_str() {
        "" | "new" => Audience::NewSession,
        "session" => Audience::ThisSession,
        _ => return turn.print("Type enriched, or enriched session for this session with what it got before."),
    };
    // An empty prompt may be enriched too.
    let prompt = state.prompt.clone().unwrap_or_default();
    state.pending = Some(Pending::Enriched(audience));
    turn.ask(Request::Simulate { prompt, audience });
}

/// Prints every block that would be appended, with its price.
pub fn print_enriched(
    state: &mut PlainState,
    audience: Audience,
    enriched: &Enriched,
    problems: &[Diagnostic],
    turn: &mut InputOutcome,
) {
    problems.iter().for_each(|problem| turn.print(sentence(&problem.message)));
    if enriched.blocks.is_empty() {
        return turn.print(match audience {
            Audience::ThisSession => "Nothing is added: this session has seen everything already.",
            Audience::NewSession => "Nothing is added to this prompt.",
        });
    }
    let blocks = counted(enriched.blocks.len(), "block");
    turn.print(format!("{blocks} would be added, {}.", tokens(enriched.tokens() as u64)));
    let mut lines = Vec::new();
    for (nth, block) in enriched.blocks.iter().enumerate() {
        lines.push(head(nth + 1, enriched, block));
        let text = enriched.text.get(block.start..block.start.saturating_add(block.bytes)).unwrap_or_default();
        lines.extend(text.trim_start_matches('\n').lines().map(str::to_owned));
    }
    read(state, Pages { title: "the enriched prompt".to_owned(), lines, ..Pages::default() }, turn);
}

/// `Block 1: hint, 131 bytes, about 33 tokens, full.`
fn head(number: usize, enriched: &Enriched, block: &BlockCost) -> String {
    let price = format!("{}, {}", counted(block.bytes, "byte"), tokens(block.tokens as u64));
    format!("Block {number}: {}, {price}, {}.", block.kind.word(), block_level(enriched, block))
}
