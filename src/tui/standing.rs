//! What a source is to the desk right now: its mark, the mark's colour, and the words for it.

use crate::catalog::Mode;
use crate::engine::Snapshot;
use crate::selection::{Member, Role};

use super::glyphs::Mark;
use super::theme;

/// The mark of this id and its colour.
pub fn mark(snapshot: &Snapshot, id: &str) -> (Mark, theme::Role) {
    let Some(source) = snapshot.catalog.get(id) else {
        let excluded = snapshot.selection.is_excluded(id);
        return (if excluded { Mark::Excluded } else { Mark::Dormant }, theme::Role::Infra);
    };
    let member = snapshot.selection.member(id);
    let auto = source.mode == Mode::Auto;
    match member.map(|member| member.role) {
        Some(_) if source.is_missing() => (Mark::Missing, theme::Role::Error),
        Some(Role::Picked) => (Mark::Picked, theme::Role::Selection),
        Some(Role::AutoRoot) => (Mark::Auto, theme::Role::Selection),
        Some(Role::Transitive) => (Mark::Transitive, theme::Role::Transitive),
        None if snapshot.selection.is_excluded(id) => (Mark::Excluded, theme::Role::Infra),
        None if source.is_missing() => (Mark::Missing, theme::Role::Error),
        None if auto => (Mark::Auto, theme::Role::Catalog),
        None => (Mark::Available, theme::Role::Infra),
    }
}

/// What it is, in words: `picked`, `pulled in by @a, @b`, `missing`, `available`.
pub fn words(snapshot: &Snapshot, id: &str) -> String {
    let member = snapshot.selection.member(id);
    let missing = snapshot.catalog.get(id).is_some_and(crate::catalog::Source::is_missing);
    let standing = match (member, mark(snapshot, id).0) {
        (Some(member), _) if member.role == Role::Transitive => format!("pulled in by {}", parents(member)),
        (Some(member), _) if member.role == Role::AutoRoot => "auto, and a root".to_owned(),
        (Some(_), _) => "picked".to_owned(),
        (None, Mark::Excluded) => "excluded".to_owned(),
        (None, Mark::Dormant) => "dormant".to_owned(),
        (None, Mark::Auto) => "always in the instructions".to_owned(),
        (None, Mark::Missing) => return "missing".to_owned(),
        _ => "available".to_owned(),
    };
    if missing { format!("missing, {standing}") } else { standing }
}

/// The parents of a member as `@a, @b`, cut to three.
pub fn parents(member: &Member) -> String {
    let shown: Vec<String> = member.parents.iter().take(3).map(|parent| format!("@{parent}")).collect();
    match member.parents.len() {
        more @ 4.. => format!("{} +{} more", shown.join(", "), more - 3),
        _ => shown.join(", "),
    }
}
