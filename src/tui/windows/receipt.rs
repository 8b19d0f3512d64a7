//! A receipt: what an agent was sent, why each part was added, and the exact bytes recorded in the journal.

use std::borrow::Cow;

use super::{TextPage, Window, WindowKind, text_columns, wide};
use crate::common::notices::recipient;
use crate::tui::hints::enriched::{price, rule, texts, words};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::engine::{DatedLine, Request};
use refdesk_enrich::{ItemReceipt, Level, MatchReason, TextKind};

pub struct ReceiptView;

#[derive(Debug, Clone, Default)]
pub struct ReceiptWindow {
    /// Its journal line, or why it is missing; `None` until the answer arrives.
    pub line: Option<Result<Box<DatedLine>, String>>,
    text: WrappedText,
    /// The width that `text` is wrapped for; `None` if it is outdated.
    wrapped_for: Option<usize>,
}

impl ReceiptWindow {
    /// Requests the receipt in this journal line.
    pub fn open(state: &mut State, number: u64, effects: &mut Vec<Effect>) {
        state.receipt = Self::default();
        state.open(WindowKind::Receipt);
        effects.push(Effect::Ask(Request::JournalLine(number)));
    }

    pub fn take(&mut self, line: Result<Box<DatedLine>, String>) {
        self.line = Some(line);
        self.wrapped_for = None;
    }
}

impl Window for ReceiptView {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let note = match &state.receipt.line {
            Some(Ok(it)) => format!("line {} of the journal", it.line.n),
            _ => String::new(),
        };
        let (columns, text) = (wide(state.layout().body, 120), Cow::Borrowed(&state.receipt.text));
        let page = TextPage::new("Receipt", ThemeRole::Hints, columns, text);
        Some(TextPage { note, least_rows: 12, has_keys: false, ..page })
    }

    fn after_input(&self, state: &mut State, _: &mut Vec<Effect>) {
        let columns = text_columns(self.outer(state).width);
        if state.receipt.wrapped_for != Some(columns) {
            state.receipt.text = WrappedText::new(lines(state, columns), columns);
            state.receipt.wrapped_for = Some(columns);
        }
    }
}

/// Width of the labels.
const LABEL: usize = 8;

fn lines(state: &State, columns: usize) -> Vec<PageLine> {
    let DatedLine { line, local_time } = match &state.receipt.line {
        None => return vec![PageLine::new("Reading the journal.", ThemeRole::Infra)],
        Some(Err(why)) => return vec![PageLine::new(cells::clean(&format!("{why}.")), ThemeRole::Warning)],
        Some(Ok(line)) => line.as_ref(),
    };
    let receipt = &line.receipt;
    let field = |name: &str, value: &str| {
        let name = PageLine::new(cells::pad(name, LABEL, ""), ThemeRole::Infra);
        name.then(&cells::clean(value), ThemeRole::Text).hanging(LABEL)
    };
    // Content and reasons come first, evidence last.
    let widest = receipt.why.iter().map(|item| cells::width(words(item.block).0)).max().unwrap_or(0);
    let mut lines: Vec<PageLine> = receipt.why.iter().map(|it| item(it, (widest + 2).max(LABEL))).collect();
    if !receipt.reason.is_empty() {
        lines.push(field("Reason", &receipt.reason));
    }
    if !lines.is_empty() {
        lines.push(PageLine::default());
    }
    lines.extend([
        field("By", &format!("{}, {local_time}", line.who)),
        field("Sent to", &recipient(line, &state.snapshot.desk)),
    ]);
    if receipt.kind == Some(TextKind::Prompt) {
        lines.push(field("Prompt", "not kept: the journal has what was added to it"));
    }
    lines.push(PageLine::default());
    let price = price(receipt.bytes, receipt.tokens);
    lines.push(rule(state, "what was sent", ThemeRole::Strong, &price, columns));
    // The rule replaces the blank line before the addition.
    let text = receipt.text.as_deref().unwrap_or_default();
    lines.extend(texts(text.trim_start_matches('\n'), ThemeRole::Text));
    lines.extend(receipt.hash.iter().map(|hash| rule(state, "SHA-256", ThemeRole::Infra, hash, columns)));
    lines
}

/// `hint  java-service  "java" in line 1, column 9  (in full, 43 bytes)`, with the first word padded to `columns`.
fn item(item: &ItemReceipt, columns: usize) -> PageLine {
    let (word, role) = words(item.block);
    let reasons: Vec<String> = item.why.iter().map(reason).collect();
    let reasons = cells::clean(&reasons.join("; ")).into_owned();
    let size = match (item.bytes, item.rejected) {
        (_, Some(rejected)) => format!("left out: {rejected}"),
        (0, None) => "left out".to_owned(),
        (bytes, None) => format!("{}, {}", detail(item.level), cells::counted(bytes, "byte")),
    };
    PageLine::new(cells::pad(word, columns, ""), role)
        .then(&cells::clean(&item.about), ThemeRole::Strong)
        .then(&if reasons.is_empty() { String::new() } else { format!("  {reasons}") }, ThemeRole::Text)
        .then(&format!("  ({size})"), ThemeRole::Infra)
        .hanging(columns)
}

fn detail(level: Level) -> &'static str {
    match level {
        Level::Full => "in full",
        Level::Brief => "only names and places",
        Level::Count => "only their number",
    }
}

fn reason(why: &MatchReason) -> String {
    match why {
        MatchReason::Mention { line, column } => format!("named in line {line}, column {column}"),
        MatchReason::Tag { tag, line, column } => format!("\"{tag}\" in line {line}, column {column}"),
        MatchReason::Parents { chain } => {
            let chain: Vec<String> = chain.iter().map(|id| format!("@{id}")).collect();
            format!("pulled in by {}", chain.join(", itself pulled in by "))
        }
        MatchReason::Meaning(meaning) => meaning.in_words(),
        MatchReason::Rule { rule } => rule.clone(),
    }
}
