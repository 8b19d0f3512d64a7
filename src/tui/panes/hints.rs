//! The hints pane: a prompt on top with its matches marked in place, and below it what the agent would be given or hinted
//! at for it: expansions of `@id` first, then the sources whose tags stand in the text.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::catalog::SourceId;
use crate::enrich::{Findings, Hint};
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
    let caption = match (len, state.typing) {
        (0, _) => "found",
        (_, Some(Typing::Prompt)) => "found: Esc leads here",
        _ => "found: Space picks",
    };
    frame::rule(&state.skin, parts.rule, caption, state.skin.theme.style(Role::Infra), buffer);
    let active = if state.typing.is_some() { Active::No } else { super::list_active(state, Pane::Hints) };
    let window = pane.cursor.window(len, usize::from(parts.list.height));
    let top = window.start;
    let columns = Columns::of(state, window.clone(), parts.list.width);
    for ((nth, at), (id, hint)) in window.enumerate().zip(found(&pane.findings, top)) {
        let under = Under::of(at, pane.cursor.at, active);
        let place = super::nth_row(parts.list, nth);
        row(state, id, hint, columns, parts.list.width).draw(under, Role::Hints, place, buffer);
    }
    if len == 0 {
        let sentence = if pane.prompt.text().trim().is_empty() {
            "Sources whose tags stand in the prompt are listed here, as far as they are not selected yet, and those it names as @id."
        } else {
            "No source that is not selected yet has a tag in this prompt, and none is named as @id."
        };
        super::draw_empty(state, sentence, parts.list, buffer);
    }
    frame::scrollbar(&state.skin, parts.list, len, top, state.skin.theme.style(Role::Hints), buffer);
    draw_prompt(state, parts.head, frame);
}

fn note(state: &State) -> String {
    let findings = &state.hints.findings;
    let standing = &state.snapshot.selection;
    let is_hinted = |id: &str| !standing.contains(id) && !standing.is_excluded(id);
    // Picked and excluded ones keep their rows, but the agent is not hinted at them.
    let hints = findings.hints.iter().filter(|hint| is_hinted(hint.id.as_str())).count();
    match (hints, findings.expansions.len()) {
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

/// The sources found, expansions first, from row `at` on.
fn found(findings: &Findings, at: usize) -> impl Iterator<Item = (&SourceId, Option<&Hint>)> {
    let named = findings.expansions.iter().map(|expansion| (&expansion.id, None));
    named.chain(findings.hints.iter().map(|hint| (&hint.id, Some(hint)))).skip(at)
}

/// How wide the columns of ids and of names are, so that those on the screen stand below each other.
#[derive(Debug, Clone, Copy)]
struct Columns {
    id: usize,
    name: usize,
}

impl Columns {
    fn of(state: &State, window: Range<usize>, width: u16) -> Self {
        // The cursor, the mark, and what is behind each column.
        let room = usize::from(width).saturating_sub(1 + 2 + 2);
        let shown = || found(&state.hints.findings, window.start).take(window.len());
        let id = shown().map(|(id, _)| cells::width(&cells::clean(id.as_str())) + 1).max().unwrap_or(0);
        let name = shown().map(|(id, _)| cells::width(&name(state, id))).max().unwrap_or(0);
        let why = shown().map(|(_, hint)| cells::width(&why(hint))).max().unwrap_or(0);
        // Id and reason say more than the name, which has what they leave, if that is enough to be read.
        let id = id.min(room.saturating_sub(why.min(room / 3)));
        let left = room.saturating_sub(id + why.min(room / 2));
        Self { id, name: if left >= name.min(12) { name.min(left) } else { 0 } }
    }
}

fn name<'a>(state: &'a State, id: &SourceId) -> Cow<'a, str> {
    state.snapshot.catalog.get(id.as_str()).map(|source| cells::clean(&source.name)).unwrap_or_default()
}

/// Why it was found.
fn why(hint: Option<&Hint>) -> String {
    match hint {
        Some(hint) => cells::clean(&format!("(matched: {})", hint.tags.join(", "))).into_owned(),
        None => "(named in the prompt)".to_owned(),
    }
}

fn row<'a>(state: &'a State, id: &SourceId, hint: Option<&Hint>, columns: Columns, width: u16) -> Row<'a> {
    let theme = &state.skin.theme;
    let (mark, role) = standing::mark(&state.snapshot, id.as_str());
    let mut row = Row::new(&state.skin, width);
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    row.id(&format!("@{}", cells::clean(id.as_str())), columns.id, theme.style(Role::Text));
    if columns.name > 0 {
        row.cell(&name(state, id), columns.name, theme.style(Role::Infra));
    }
    let role = if hint.is_some() { Role::Hints } else { Role::Catalog };
    row.text(&why(hint), theme.style(role));
    row
}
