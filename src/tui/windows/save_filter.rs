//! One line to type: the name under which the filter of the catalog is kept.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Handled, Titles, Window, WindowKind, centred, draw_frame, draw_text, paragraphs, text_columns};
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::indented;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::prompt;

pub struct SaveFilter;

const COLUMNS: u16 = 72;

/// The most filters with a name in a workspace.
const MOST: usize = 100;

impl Window for SaveFilter {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::SaveFilter, KeyContext::Field, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, 6)
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        let inner = layout::inner(self.outer(state));
        Some(Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner })
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.filter_name)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        let name = state.filter_name.text().trim();
        if name.is_empty() {
            return Some("type a name".to_owned());
        }
        let is_full = state.named_filters.len() >= MOST && !state.named_filters.contains_key(name);
        is_full.then(|| format!("{MOST} filters are saved already: remove one first"))
    }

    fn update(&self, state: &mut State, action: Action, _: &mut Vec<Effect>) -> Handled {
        if action != Action::Confirm {
            return Handled::Ignored;
        }
        let (name, line) = (state.filter_name.text().trim().to_owned(), state.catalog.filter.text().to_owned());
        let key = state.key(Action::Filters);
        let done = match state.named_filters.insert(name.clone(), line) {
            Some(before) => format!("saved this filter as {name} in place of {before}: {key} shows all"),
            None => format!("saved this filter as {name}: {key} shows all"),
        };
        state.window = None;
        state.note(done);
        Handled::Consumed
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let (outer, role, theme) = (self.outer(state), ThemeRole::Catalog, &state.skin.theme);
        let inner = layout::inner(outer);
        draw_frame(state, Titles { title: "Save filter", ..Titles::default() }, role, outer, frame.buffer_mut());
        let about = format!("A name for the filter {}", cells::clean(state.catalog.filter.text()));
        let about = cells::clip(&about, text_columns(outer.width), state.skin.glyphs.ellipsis);
        let text = paragraphs([(about.as_ref(), ThemeRole::Infra)], text_columns(outer.width));
        draw_text(state, &text, 0, inner, frame.buffer_mut());
        let line = indented(Rect { y: inner.y + 1, height: inner.height.min(1), ..inner });
        if line.width > 4 && inner.height > 1 {
            let (field, style) = (&state.filter_name, theme.style(ThemeRole::Strong));
            let at = prompt::draw(field.text(), field.cursor(), &[], style, line, frame.buffer_mut());
            frame.set_cursor_position(at);
        }
    }
}

/// Asks for a name; the one that this filter has already is there to be typed over.
pub fn open(state: &mut State) {
    let line = state.catalog.filter.text();
    let known = state.named_filters.iter().find(|(_, saved)| *saved == line).map(|(name, _)| name.clone());
    state.filter_name = TextField::default();
    state.filter_name.insert(&known.unwrap_or_default());
    state.open(WindowKind::SaveFilter);
}
