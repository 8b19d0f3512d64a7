//! A receipt: what was given to whom, why each part of it was, and its exact bytes as the journal keeps them.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::enrich::{Item, TextKind, Why};
use crate::session::Line;
use crate::tui::layout;
use crate::tui::motion::Scroll;
use crate::tui::panes::hints::given::{level, price, rule, texts, words};
use crate::tui::panes::indented;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::row::Active;

use super::{centred, clear};

/// The window: as large as there is room for, since its text is as wide as its lines.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let rows = u16::try_from(state.opened.page.len() + 2).unwrap_or(u16::MAX).max(12);
    centred(body, body.width.saturating_sub(4).clamp(body.width.min(60), 120), rows)
}

/// The page of it for so many columns.
pub fn page(state: &State, columns: usize) -> WrappedText {
    let lines = match &state.opened.line {
        None => vec![PageLine::new("Looking it up in the journal.", ThemeRole::Infra)],
        Some(Err(why)) => vec![PageLine::new(cells::clean(&format!("{why}.")), ThemeRole::Warning)],
        Some(Ok(entry)) => told(state, entry, columns),
    };
    WrappedText::new(lines, columns)
}

fn told(state: &State, entry: &Line, columns: usize) -> Vec<PageLine> {
    let receipt = &entry.receipt;
    let field = |name: &str, value: &str| {
        PageLine::new(cells::pad(name, 9, ""), ThemeRole::Infra).then(&cells::clean(value), ThemeRole::Text).hanging(9)
    };
    let text = receipt.text.as_deref().unwrap_or_default();
    let with = receipt.tool.as_ref().map(|tool| format!(" of {tool}")).unwrap_or_default();
    let kind = match receipt.kind {
        Some(TextKind::Prompt) => "a prompt".to_owned(),
        Some(TextKind::ToolResult) => format!("a tool's result{with}"),
        Some(TextKind::SystemInstructions) => "the instructions".to_owned(),
        None => "the session at its start".to_owned(),
    };
    let mut lines = vec![
        field("Given to", &format!("session {} at desk {}, with {kind}", entry.session, entry.desk)),
        field("By", &format!("{}, {}", entry.who, entry.time)),
    ];
    if !receipt.reason.is_empty() {
        lines.push(field("Because", &receipt.reason));
    }
    if let Some(hash) = &receipt.hash {
        // As wide as there is room for in 80 columns.
        lines.push(PageLine::new("SHA-256 ", ThemeRole::Infra).then(&cells::clean(hash), ThemeRole::Text));
    }
    if !receipt.why.is_empty() {
        lines.push(PageLine::default());
        let widest = receipt.why.iter().map(|item| cells::width(words(item.block).0)).max().unwrap_or(0);
        lines.extend(receipt.why.iter().map(|of| item(of, widest + 2)));
    }
    lines.push(PageLine::default());
    lines.push(rule(state, "what was given", ThemeRole::Strong, &price(receipt.bytes, receipt.tokens), columns));
    // The rule stands where the text has the blank line that sets it off from the text before.
    lines.extend(texts(text.trim_start_matches('\n'), ThemeRole::Text));
    lines
}

/// `hint  java-service  java at 1:9  (full, 43 bytes)`, its word in so many columns.
fn item(item: &Item, columns: usize) -> PageLine {
    let (word, role) = words(item.block);
    let why: Vec<String> = item.why.iter().map(because).collect();
    let size = if item.bytes == 0 {
        "left out".to_owned()
    } else {
        format!("{}, {}", level(item.level), cells::counted(item.bytes, "byte"))
    };
    let about = cells::clean(&item.about).into_owned();
    let why = cells::clean(&why.join("; ")).into_owned();
    PageLine::new(cells::pad(word, columns, ""), role)
        .then(&about, ThemeRole::Strong)
        .then(&if why.is_empty() { String::new() } else { format!("  {why}") }, ThemeRole::Text)
        .then(&format!("  ({size})"), ThemeRole::Infra)
        .hanging(columns)
}

fn because(why: &Why) -> String {
    match why {
        Why::Mention { line, column } => format!("named at {line}:{column}"),
        Why::Tag { tag, line, column } => format!("{tag} at {line}:{column}"),
        Why::Parents { chain } => {
            let chain: Vec<String> = chain.iter().map(|id| format!("@{id}")).collect();
            format!("from {}", chain.join(", from "))
        }
        Why::Rule { rule } => rule.clone(),
    }
}

/// Draws the window.
pub fn draw(state: &State, scroll: Scroll, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let inner = layout::inner(outer);
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let page = &state.opened.page;
    let window = scroll.window(page.len(), usize::from(inner.height));
    let place = if window.len() < page.len() && !window.is_empty() {
        format!("{}-{} of {}", window.start + 1, window.end, page.len())
    } else {
        String::new()
    };
    let note = match &state.opened.line {
        Some(Ok(entry)) => format!("line {} of the journal", entry.n),
        _ => String::new(),
    };
    PaneBorder { title: "Receipt", note, place, role: ThemeRole::Hints, active: Active::Yes }.draw(
        &state.skin,
        outer,
        buffer,
    );
    let (inside, top) = (indented(inner), window.start);
    for (nth, at) in window.enumerate() {
        let y = inside.y.saturating_add(u16::try_from(nth).unwrap_or(u16::MAX));
        page.draw(at, &[], &state.skin.theme, Rect { y, height: 1, ..inside }, buffer);
    }
    frame::scrollbar(&state.skin, inner, page.len(), top, state.skin.theme.style(ThemeRole::Hints), buffer);
}
