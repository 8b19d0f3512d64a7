//! The enriched prompt: every block that would be appended to the prompt, each below a rule with its cost.
//! Only the rules are not part of what the agent gets.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::common::hint_rows::block_level;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{draw_empty, draw_scrolled, scrolled};
use crate::tui::state::{HintsView, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::engine::Audience;
use refdesk_enrich::{BlockCost, BlockKind, Enriched};

/// The page for this width; empty until the answer arrives.
pub fn page(state: &State, columns: usize) -> WrappedText {
    let view = &state.hints.enriched;
    let Some(enriched) = &view.answer else { return WrappedText::default() };
    let mut lines = Vec::new();
    for problem in &view.problems {
        lines.push(PageLine::new(
            cells::clean(&format!("{} {}", state.skin.glyphs.problem, problem.message)),
            ThemeRole::Warning,
        ));
    }
    for block in &enriched.blocks {
        let (word, role) = words(block.kind);
        let price = price(block.bytes, block.tokens);
        let price = format!("{price}, {}", block_level(enriched, block));
        lines.push(rule(state, word, role, &price, columns));
        // The rule replaces the blank line before the block.
        lines.extend(texts(slice(enriched, block).trim_start_matches('\n'), ThemeRole::Text));
    }
    if enriched.blocks.is_empty() {
        lines.push(PageLine::new(nothing(state), ThemeRole::Infra));
    }
    WrappedText::new(lines, columns)
}

fn nothing(state: &State) -> &'static str {
    match state.hints.view {
        HintsView::Enriched(Audience::ThisSession) => "Nothing is added: this session has seen everything already.",
        _ => "Nothing is added to this prompt.",
    }
}

fn slice<'e>(enriched: &'e Enriched, block: &BlockCost) -> &'e str {
    enriched.text.get(block.start..block.start.saturating_add(block.bytes)).unwrap_or_default()
}

/// Every line, made safe to show.
pub fn texts(text: &str, role: ThemeRole) -> impl Iterator<Item = PageLine> {
    text.split('\n').map(move |line| PageLine::new(cells::clean(line.strip_suffix('\r').unwrap_or(line)), role))
}

/// `── hint · 131 bytes, ~33 tokens, full ─────`
pub fn rule(state: &State, word: &str, role: ThemeRole, price: &str, columns: usize) -> PageLine {
    let glyphs = &state.skin.glyphs;
    let begin = format!("{} ", glyphs.rule.repeat(2));
    let end = format!(" {} {price} ", glyphs.dot);
    let taken = [&begin, word, &end].iter().map(|part| cells::width(part)).sum::<usize>();
    let rest = glyphs.rule.repeat(columns.saturating_sub(taken));
    PageLine::new(begin, ThemeRole::Infra).then(word, role).then(&end, ThemeRole::Infra).then(&rest, ThemeRole::Infra)
}

/// `1,131 bytes, ~283 tokens`
pub fn price(bytes: usize, tokens: usize) -> String {
    format!("{}, ~{}", cells::counted(bytes, "byte"), cells::counted(tokens, "token"))
}

/// The block's name, as in JSON, and its colour.
pub fn words(kind: BlockKind) -> (&'static str, ThemeRole) {
    let role = match kind {
        BlockKind::Expansion => ThemeRole::Catalog,
        BlockKind::Hint | BlockKind::Available => ThemeRole::Hints,
        BlockKind::Notice => ThemeRole::Transitive,
        BlockKind::Context | BlockKind::Instruction => ThemeRole::Selection,
        BlockKind::Templates => ThemeRole::Templates,
        BlockKind::LeftOut => ThemeRole::Warning,
    };
    (kind.word(), role)
}

/// The note in the pane's border: `2 blocks · 412 bytes, ~103 tokens`.
pub fn note(state: &State) -> String {
    let Some(enriched) = &state.hints.enriched.answer else { return String::new() };
    if enriched.blocks.is_empty() {
        return "nothing is added".to_owned();
    }
    let price = price(enriched.added().len(), enriched.tokens());
    format!("{} {} {price}", cells::counted(enriched.blocks.len(), "block"), state.skin.glyphs.dot)
}

/// The caption of the rule: the audience, and the visible range.
pub fn caption(state: &State) -> String {
    let to = match state.hints.view {
        HintsView::Enriched(Audience::ThisSession) => "for this session: only what is new",
        _ => "for an agent that has seen nothing yet",
    };
    let view = &state.hints.enriched;
    let rows = state.parts(Pane::Hints).map_or(0, |parts| usize::from(parts.list.height));
    scrolled(to, &view.scroll.window(view.text.len(), rows), view.text.len())
}

pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let view = &state.hints.enriched;
    if view.answer.is_none() {
        return draw_empty(state, "Computing the enriched prompt.", place, buffer);
    }
    draw_scrolled(state, &view.text, view.scroll.top, ThemeRole::Hints, place, buffer);
}
