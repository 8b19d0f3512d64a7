//! The name under which the catalog's filter is saved, on one line.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::saved_filter::{self, FilterQuestion};
use super::{Handled, Window, WindowKind, one_line, text_columns};
use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;

pub struct SaveFilter;

/// The maximum number of saved filters per workspace.
const MAX: usize = 100;

impl Window for SaveFilter {
    fn outer(&self, state: &State) -> Rect {
        one_line::outer(state, None)
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(one_line::keys(self.outer(state)))
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.filter_name)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        let name = state.filter_name.text().trim();
        if name.is_empty() {
            return Some("type a name".to_owned());
        }
        let is_full = state.named_filters.len() >= MAX && !state.named_filters.contains_key(name);
        is_full.then(|| format!("{MAX} filters are already saved: remove one first"))
    }

    fn confirm(&self, state: &mut State, _: &mut Vec<Effect>) -> Handled {
        let name = state.filter_name.text().trim().to_owned();
        match state.named_filters.get(&name).is_some_and(|before| before != state.catalog.filter.text()) {
            true => saved_filter::ask(state, FilterQuestion::Replace(name)),
            false => save(state, &name),
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let (name, line) = (state.filter_name.text().trim(), state.catalog.filter.text());
        let about = match state.named_filters.get(name).filter(|before| *before != line) {
            Some(before) => format!("Replaces the filter {}", cells::clean(before)),
            None => format!("A name for the filter {}", cells::clean(line)),
        };
        let about = cells::clip(&about, text_columns(self.outer(state).width), state.skin.glyphs.ellipsis);
        one_line::draw(state, ("Save filter", &about), &state.filter_name, None, frame);
    }
}

/// Saves the filter of the catalog under this name.
pub fn save(state: &mut State, name: &str) {
    let line = state.catalog.filter.text().to_owned();
    let key = state.key(Action::Filters);
    let done = match state.named_filters.insert(name.to_owned(), line.clone()) {
        Some(before) if before != line => format!("saved this filter as {name} in place of {before}: {key} shows all"),
        _ => format!("saved this filter as {name}: {key} shows all"),
    };
    state.window = None;
    state.note(done);
}

/// Asks for a name, proposing the one that this filter already has.
pub fn open(state: &mut State) {
    let line = state.catalog.filter.text();
    let known = state.named_filters.iter().find(|(_, saved)| *saved == line).map(|(name, _)| name.clone());
    state.filter_name = TextField::default();
    state.filter_name.insert(&known.unwrap_or_default());
    state.open(WindowKind::SaveFilter);
}

/// Why there are no saved filters.
pub fn none_saved(state: &State) -> String {
    format!("no filter is saved yet: {} saves the one that is typed", state.key(Action::SaveFilter))
}
