//! The state of a source: its mark, colour and words.

use refdesk_core::selection::SelectionState;
use refdesk_desk::engine::Snapshot;

pub use crate::common::source_words::{parents, words};

use crate::tui::theme;

/// The state of the source with this id, and its colour.
pub fn mark(snapshot: &Snapshot, id: &str) -> (SelectionState, theme::ThemeRole) {
    let standing = SelectionState::of(&snapshot.catalog, &snapshot.selection, id);
    let role = match standing {
        SelectionState::Missing => theme::ThemeRole::Error,
        SelectionState::Picked => theme::ThemeRole::Selection,
        SelectionState::Auto if snapshot.selection.contains(id) => theme::ThemeRole::Selection,
        SelectionState::Auto => theme::ThemeRole::Catalog,
        SelectionState::Transitive => theme::ThemeRole::Transitive,
        SelectionState::Excluded | SelectionState::Available | SelectionState::Dormant => theme::ThemeRole::Infra,
    };
    (standing, role)
}
