//! The palette: a line to type in, and below it the matching actions with their keys; disabled ones are dimmed and say why.
//! Enter closes the palette and runs the action in the previous context.

pub mod search;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Handled, Titles, Window, WindowKind, WindowRows, centred, draw_frame};
use crate::tui::action::{ACTIONS, Action, KeyContext};
use crate::tui::input::{Effect, below};
use crate::tui::layout;
use crate::tui::pane_view::nth_row;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::update;
use crate::tui::widgets::field::{TextEdit, TextField};
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame, prompt};
use search::PaletteRow;

pub struct Palette;

const KEYS: usize = 12;

impl Window for Palette {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Palette, KeyContext::Field, KeyContext::Always]
    }

    /// Large enough for all actions, so that it stays in place while the user types.
    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        let most = body.height.saturating_sub(4).clamp(10, 24);
        centred(body, 96, (search::most(state) + 3).min(usize::from(most)))
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: places(state).1, len: search::rows(state).len(), is_list: true }
    }

    fn click_confirms(&self) -> bool {
        true
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.palette)
    }

    fn field_changed(&self, state: &mut State) {
        state.open(WindowKind::Palette);
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match chosen(state) {
            Some(row) => row.why_not.map(|why| format!("{}: {why}", row.binding.name)),
            None => Some("no action matches".to_owned()),
        }
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        if action != Action::Confirm {
            return Handled::Ignored;
        }
        if let Some(row) = chosen(state) {
            state.window = None;
            update::act(state, row.binding.action, effects);
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, (field, list), rows) = (self.outer(state), places(state), search::rows(state));
        let (theme, role, buffer) = (&state.skin.theme, ThemeRole::Catalog, frame.buffer_mut());
        let note = format!("{} of {}", rows.len(), search::most(state));
        let titles = Titles { title: "Palette", note, place: frame::position(cursor.at, rows.len()) };
        draw_frame(state, titles, role, outer, buffer);
        let widest = ACTIONS.iter().map(|binding| binding.name.len()).max().unwrap_or(0);
        let window = cursor.window(rows.len(), usize::from(list.height));
        let top = window.start;
        for (nth, found) in rows.get(window).unwrap_or_default().iter().enumerate() {
            let under = RowCursor::of(top + nth, cursor.at, Active::Yes);
            row(state, found, widest, list.width).draw(under, role, nth_row(list, nth), buffer);
        }
        if rows.is_empty() && !list.is_empty() {
            let delete = state.key_in(KeyContext::Field, Action::Edit(TextEdit::DeleteToStart));
            let sentence = format!("No action matches. {delete} deletes what you typed.");
            let grey = theme.style(ThemeRole::Infra);
            buffer.set_stringn(list.x + 1, list.y, sentence, usize::from(list.width) - 1, grey);
        }
        frame::scrollbar(&state.skin, list, rows.len(), top, theme.style(role), buffer);
        if field.width > 4 {
            buffer.set_stringn(field.x + 1, field.y, ":", 1, theme.style(role));
            let place = Rect { x: field.x + 3, width: field.width - 4, ..field };
            let (typed, style) = (&state.palette, theme.style(ThemeRole::Strong));
            let at = prompt::draw(typed.text(), typed.cursor(), &[], style, place, buffer);
            frame.set_cursor_position(at);
        }
    }
}

pub fn open(state: &mut State) {
    state.palette.clear();
    state.open(WindowKind::Palette);
}

fn chosen(state: &State) -> Option<PaletteRow> {
    search::rows(state).into_iter().nth(state.window?.cursor.at)
}

/// The line to type in, and the list.
fn places(state: &State) -> (Rect, Rect) {
    let inner = layout::inner(Palette.outer(state));
    let field = Rect { height: inner.height.min(1), ..inner };
    (field, Rect { y: field.bottom(), height: inner.height - field.height, ..inner })
}

fn row<'a>(state: &'a State, found: &PaletteRow, widest: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(ThemeRole::Infra);
    let style = |role| if found.why_not.is_none() { theme.style(role) } else { grey };
    let marked = |style: Style| [style, style.patch(theme.style(ThemeRole::Match))];
    let mut row = ListRow::new(&state.skin, width);
    let columns = widest.min(row.room() / 2);
    let name = MarkedText::of(found.binding.name, &found.in_name);
    row.marked_id(&name, columns, marked(style(ThemeRole::Text)));
    row.cell(&state.keymap.shown(found.binding, &below(state)), KEYS, style(ThemeRole::Catalog));
    match &found.why_not {
        Some(why) => row.text(&cells::clean(why), grey),
        None => row.marked_text(&MarkedText::of(found.binding.description, &found.in_description), marked(grey)),
    };
    row
}
