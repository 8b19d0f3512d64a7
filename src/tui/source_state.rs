//! The state of a source: its mark, colour and words.

use refdesk_core::selection::{SelectedSource, SelectionState};
use refdesk_desk::engine::Snapshot;

use crate::common::source_words;
use crate::tui::theme;

/// The state in words: `picked`, `pulled in by @a, @b`.
pub fn words(snapshot: &Snapshot, id: &str) -> String {
    source_words::words(snapshot, id, ids)
}

/// The parents of a member.
pub fn parents(member: &SelectedSource) -> String {
    source_words::parents(member, ids)
}

/// `@a, @b, @c +2 more`
pub fn ids(ids: &[&str]) -> String {
    let shown: Vec<String> = ids.iter().take(3).map(|id| format!("@{id}")).collect();
    match ids.len() {
        more @ 4.. => format!("{} +{} more", shown.join(", "), more - 3),
        _ => shown.join(", "),
    }
}

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
