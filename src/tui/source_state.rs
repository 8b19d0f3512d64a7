//! The state of a source: its mark, colour and words.

use refdesk_core::selection::{Role, SelectedSource, SelectionState};
use refdesk_desk::engine::Snapshot;

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

/// The state in words: `picked`, `pulled in by @a, @b`, `missing`, `available`.
pub fn words(snapshot: &Snapshot, id: &str) -> String {
    let member = snapshot.selection.member(id);
    let missing = snapshot.catalog.get(id).is_some_and(refdesk_core::catalog::Source::is_missing);
    let standing = match (member, mark(snapshot, id).0) {
        (Some(member), _) if member.role == Role::Transitive => format!("pulled in by {}", parents(member)),
        (Some(member), _) if member.role == Role::AutoRoot => "auto, pulls in others".to_owned(),
        (Some(_), _) => "picked".to_owned(),
        (None, SelectionState::Excluded) => "excluded".to_owned(),
        (None, SelectionState::Dormant) => "dormant".to_owned(),
        (None, SelectionState::Auto) => "always in the instructions".to_owned(),
        (None, SelectionState::Missing) => return "missing".to_owned(),
        _ => "available".to_owned(),
    };
    if missing { format!("missing, {standing}") } else { standing }
}

/// The parents of a member as `@a, @b`, cut to three.
pub fn parents(member: &SelectedSource) -> String {
    let shown: Vec<String> = member.parents.iter().take(3).map(|parent| format!("@{parent}")).collect();
    match member.parents.len() {
        more @ 4.. => format!("{} +{} more", shown.join(", "), more - 3),
        _ => shown.join(", "),
    }
}
