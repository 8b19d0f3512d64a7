//! The hints pane: a prompt on top with its matches marked in place, and below it what the agent would be given or hinted
//! at for it: expansions of `@id` first, then the sources whose tags stand in the text.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::enrich::{Expansion, Hint};
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::standing;
use crate::tui::state::{State, Typing};
use crate::tui::theme::Role;
use crate::tui::widgets::frame::{self, Border};
use crate::tui::widgets::prompt::Marked;
use crate::tui::widgets::row::{Active, Row, Under};
use crate::tui::widgets::{cells, prompt};

/// Draws the pane with its border at `outer`.
pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Hints, layout::inner(outer));
    let pane = &state.hints;
    let len = state.len(Pane::Hints);
    let buffer = frame.buffer_mut();
    Border {
        title: "3 Hints",
        note: note(state),
        place: frame::position(pane.cursor.at, len),
        role: Role::Hints,
        active: super::active(state, Pane::Hints),
    }
    .draw(&state.skin, outer, buffer);
    let caption = if len == 0 { "found" } else { "found: Space picks" };
    frame::rule(&state.skin, parts.rule, caption, state.skin.theme.style(Role::Infra), buffer);
    let active = if state.typing.is_some() { Active::No } else { super::list_active(state, Pane::Hints) };
    let window = pane.cursor.window(len, usize::from(parts.list.height));
    let top = window.start;
    for (nth, at) in window.enumerate() {
        let under = Under::of(at, pane.cursor.at, active);
        row(state, at, parts.list.width).draw(under, Role::Hints, super::nth_row(parts.list, nth), buffer);
    }
    if len == 0 {
        let sentence = if pane.prompt.text().trim().is_empty() {
            "Sources whose tags stand in the prompt are listed here, and those it names as @id."
        } else {
            "Nothing in the catalog answers to this prompt."
        };
        super::draw_empty(state, sentence, parts.list, buffer);
    }
    frame::scrollbar(&state.skin, parts.list, len, top, state.skin.theme.style(Role::Hints), buffer);
    draw_prompt(state, parts.head, frame);
}

fn note(state: &State) -> String {
    let findings = &state.hints.findings;
    match (findings.hints.len(), findings.expansions.len()) {
        (0, 0) => String::new(),
        (hints, 0) => cells::counted(hints, "hint"),
        (0, named) => format!("{named} named"),
        (hints, named) => {
            format!("{} {} {named} named", cells::counted(hints, "hint"), state.skin.glyphs.dot)
        }
    }
}

fn draw_prompt(state: &State, place: Rect, frame: &mut Frame<'_>) {
    let place = super::indented(place);
    if place.is_empty() {
        return;
    }
    let theme = &state.skin.theme;
    let prompt = &state.hints.prompt;
    let typing = state.typing == Some(Typing::Prompt);
    if prompt.is_empty() && !typing {
        let invitation = "Press Enter and type a prompt: what would the agent be hinted at?";
        for (nth, line) in cells::wrap(invitation, usize::from(place.width)).iter().enumerate() {
            let row = super::nth_row(place, nth);
            if !row.is_empty() {
                let style = theme.style(Role::Infra).add_modifier(Modifier::ITALIC);
                frame.buffer_mut().set_stringn(row.x, row.y, line, usize::from(row.width), style);
            }
        }
        return;
    }
    let at =
        prompt::draw(prompt.text(), prompt.cursor(), &marks(state), theme.style(Role::Text), place, frame.buffer_mut());
    if typing {
        frame.set_cursor_position(at);
    }
}

/// Names before tags: where both stand, the name counts.
fn marks(state: &State) -> Vec<Marked> {
    let theme = &state.skin.theme;
    let findings = &state.hints.findings;
    let named = findings.expansions.iter().map(|found| (found.range.clone(), theme.style(Role::Expansion)));
    let tagged = findings.hints.iter().flat_map(|hint| &hint.ranges);
    named.chain(tagged.map(|range| (range.clone(), theme.style(Role::Match)))).collect()
}

fn row(state: &State, at: usize, width: u16) -> Row<'_> {
    let findings = &state.hints.findings;
    match findings.expansions.get(at) {
        Some(expansion) => named(state, expansion, width),
        None => match findings.hints.get(at.saturating_sub(findings.expansions.len())) {
            Some(hint) => hinted(state, hint, width),
            None => Row::new(&state.skin, width),
        },
    }
}

fn named<'a>(state: &'a State, expansion: &Expansion, width: u16) -> Row<'a> {
    let mut row = begun(state, expansion.id.as_str(), width);
    row.text("(named: its content goes along)", state.skin.theme.style(Role::Catalog));
    row
}

fn hinted<'a>(state: &'a State, hint: &Hint, width: u16) -> Row<'a> {
    let mut row = begun(state, hint.id.as_str(), width);
    let tags = cells::clean(&format!("(matched: {})", hint.tags.join(", "))).into_owned();
    row.text(&tags, state.skin.theme.style(Role::Hints));
    row
}

/// Mark, id and name.
fn begun<'a>(state: &'a State, id: &str, width: u16) -> Row<'a> {
    let theme = &state.skin.theme;
    let (mark, role) = standing::mark(&state.snapshot, id);
    let name = state.snapshot.catalog.get(id).map(|source| cells::clean(&source.name)).unwrap_or_default();
    let mut row = Row::new(&state.skin, width);
    let columns = row.room();
    let shown = cells::clean(id);
    let id_room = (cells::width(&shown) + 1).min(columns * 2 / 5);
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    row.cell(&format!("@{shown}"), id_room, theme.style(Role::Text));
    if columns >= 50 {
        let name_room = cells::width(&name).min(columns * 3 / 10);
        row.cell(&name, name_room, theme.style(Role::Infra));
    }
    row
}
