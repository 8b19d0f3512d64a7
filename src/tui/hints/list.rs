//! The sources that match a prompt: mentioned, hinted at, and, dimmed, passed over with the reason.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::action::Action;
use crate::tui::hints::reason;
use crate::tui::hints::rows;
use crate::tui::hints::rows::HintRow;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{DrawnList, draw_empty, list_active};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::row::{Active, ListRow};
use refdesk_core::catalog::SourceId;

/// Draws the visible rows, or explains an empty list.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let pane = &state.hints;
    let len = state.len(Pane::Hints);
    let active = if state.typing.is_some() { Active::No } else { list_active(state, Pane::Hints) };
    let list = DrawnList { place, len, cursor: pane.cursor, active, role: ThemeRole::Hints };
    let columns = HintColumns::of(state, list.window(), place.width);
    let mut found = rows::rows(&pane.findings).skip(list.window().start);
    list.draw(&state.skin, buffer, |_| Some(row(state, found.next()?, columns, place.width)));
    if len == 0 {
        let indexing = rows::indexing(&pane.findings);
        let indexing = format!("No source matches yet: the search index is being {indexing}.");
        let no_sources = format!("No sources yet: {} shows how to start.", state.key(Action::Welcome));
        let sentence = if pane.prompt.text().trim().is_empty() {
            "Type a prompt to see which sources it would bring up, and why others would not."
        } else if state.snapshot.catalog.is_empty() {
            &no_sources
        } else if state.snapshot.is_indexing {
            &indexing
        } else if pane.findings.considered.is_none() && state.snapshot.is_workspace {
            "No source matches: the prompt contains no source's tag or @id. `refdesk index` builds a search index, which \
             finds sources by what they are about."
        } else if pane.findings.considered.is_none() {
            "No source matches: the prompt contains no source's tag or @id."
        } else {
            "No source matches: the prompt contains no source's tag or @id, and no source is similar to it."
        };
        draw_empty(state, sentence, place, buffer);
    }
}

/// The width from which token counts are always shown.
const MIN_WIDTH_WITH_TOKENS: usize = 50;
/// The reason gets this width before an id is shown in full.
const REASON: usize = 16;
/// A name that would be cut below this width is left out.
const MIN_NAME: usize = 20;

/// Widths of the id, name and token columns, so that visible rows align.
#[derive(Debug, Clone, Copy)]
struct HintColumns {
    id: usize,
    name: usize,
    /// The last column; 0 if no price is known or the terminal is too narrow.
    tokens: usize,
}

impl HintColumns {
    fn of(state: &State, window: Range<usize>, width: u16) -> Self {
        // The cursor, the mark, and the gaps after id and name.
        let room = usize::from(width).saturating_sub(1 + 2 + 2);
        let shown = || rows::rows(&state.hints.findings).skip(window.start).take(window.len());
        let widest = |of: &dyn Fn(HintRow<'_>) -> usize| shown().map(of).max().unwrap_or(0);
        let widest_id = widest(&|found| id_width(found.id()));
        // An unusually long id must not take the reasons and names of all rows.
        let id = widest_id.min(state.counts.widest_id + 1);
        let name = widest(&|found| cells::width(&name(state, found.id())));
        let whys = widest(&|found| cells::width(&reason::short(state, found, usize::MAX)));
        let tokens = widest(&|found| cells::width(&source_state::price(&state.snapshot, found.id().as_str())));
        // Prices take precedence over full reasons, which the details show, and over names. In a narrow
        // terminal, whole ids take precedence.
        let tokens = if room >= MIN_WIDTH_WITH_TOKENS || id + REASON + tokens + 2 <= room { tokens } else { 0 };
        let room = room.saturating_sub(if tokens > 0 { tokens + 2 } else { 0 });
        // Every row needs its reason; names get what whole reasons leave.
        let id = id.min(room.saturating_sub(whys.min(REASON)));
        let left = room.saturating_sub(id + whys);
        let name = if left >= name.min(MIN_NAME) { name.min(left) } else { 0 };
        // It grows into what whole reasons and names leave.
        let id = id + left.saturating_sub(name).min(widest_id.saturating_sub(id));
        Self { id, name, tokens }
    }
}

fn id_width(id: &SourceId) -> usize {
    cells::width(&cells::clean(id.as_str())) + 1
}

fn name<'a>(state: &'a State, id: &SourceId) -> Cow<'a, str> {
    state.snapshot.catalog.get(id.as_str()).map(|source| cells::clean(&source.name)).unwrap_or_default()
}

fn row<'a>(state: &'a State, found: HintRow<'_>, columns: HintColumns, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let id = found.id();
    let (mark, role) = source_state::mark(&state.snapshot, id.as_str());
    let mut row = ListRow::new(&state.skin, width);
    let (id_role, why_role) = match found {
        HintRow::Named(_) => (ThemeRole::Text, ThemeRole::Catalog),
        HintRow::Hinted(_) | HintRow::ByMeaning(_) => (ThemeRole::Text, ThemeRole::Hints),
        HintRow::Passed(_) | HintRow::Scored(_) => (ThemeRole::Infra, ThemeRole::Infra),
    };
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    // An unusually long id also uses the columns of its name.
    let takes_name = columns.name > 0 && id_width(id) > columns.id;
    let id_columns = columns.id + if takes_name { 1 + columns.name } else { 0 };
    row.id(&format!("@{}", cells::clean(id.as_str())), id_columns, theme.style(id_role));
    if columns.name > 0 && !takes_name {
        row.cell(&name(state, id), columns.name, theme.style(ThemeRole::Infra));
    }
    if columns.tokens == 0 {
        row.text(&reason::short(state, found, row.room()), theme.style(why_role));
        return row;
    }
    // A blank on both sides of the tokens.
    let room = row.room().saturating_sub(columns.tokens + 2);
    row.cell(&reason::short(state, found, room), room, theme.style(why_role));
    let tokens = source_state::price(&state.snapshot, id.as_str());
    row.text(&format!("{tokens:>width$}", width = columns.tokens), theme.style(ThemeRole::Infra));
    row
}
