//! The state of a source: its mark, colour and words.

use refdesk_core::selection::{Role, SelectedSource, SelectionState};
use refdesk_desk::engine::Snapshot;

use crate::common::source_words;
pub use crate::common::source_words::{is_auto, waits};
use crate::tui::theme;
use crate::tui::widgets::cells;

/// Shown instead of a price: an untrusted source is not read.
pub const UNTRUSTED: &str = "untrusted";

/// Shown where that has no room.
pub const SHORT_UNTRUSTED: &str = "?";

/// The price of a source in a list: its tokens, or why they are unknown.
pub fn price(snapshot: &Snapshot, id: &str) -> String {
    match snapshot.tokens.get(id) {
        Some(tokens) => cells::tokens(*tokens),
        None if waits(snapshot, id) => UNTRUSTED.to_owned(),
        None => String::new(),
    }
}

/// The state in words: `picked`, `pulled in by @a, @b`.
pub fn words(snapshot: &Snapshot, id: &str) -> String {
    source_words::words(snapshot, id, ids)
}

/// [`words`] that tell an agent's pick from a person's.
pub fn full_words(snapshot: &Snapshot, id: &str) -> String {
    source_words::full_words(snapshot, id, ids)
}

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
    let state = SelectionState::of(&snapshot.catalog, &snapshot.selection, id);
    let role = match state {
        SelectionState::Missing => theme::ThemeRole::Error,
        SelectionState::Picked => theme::ThemeRole::Selection,
        SelectionState::Auto if snapshot.selection.member(id).is_some_and(|it| it.role == Role::AutoRoot) => {
            theme::ThemeRole::Selection
        }
        SelectionState::Auto => theme::ThemeRole::Catalog,
        SelectionState::Transitive => theme::ThemeRole::Transitive,
        SelectionState::Excluded | SelectionState::Available | SelectionState::Dormant => theme::ThemeRole::Infra,
    };
    (state, role)
}
