//! What changed between two snapshots, in a sentence each, for people (BEHAVIOUR §5 "For people").

use super::Snapshot;
use crate::catalog::SourceId;
use crate::selection::Role;

/// Names shown before `+N more`.
const SHOWN: usize = 3;

/// The notices that the step from one snapshot to the next is worth.
pub fn notices(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let mut notices = Vec::new();
    let was = &before.selection;
    let is = &after.selection;
    let entered = is.members().iter().filter(|member| !was.contains(member.id.as_str()));
    let transitive: Vec<String> = entered
        .filter(|member| member.role == Role::Transitive)
        .map(|member| format!("@{} (from {})", member.id, at(&member.parents)))
        .collect();
    if !transitive.is_empty() {
        notices.push(format!("References transitively included: {}", cut(&transitive)));
    }
    let left: Vec<String> = was
        .members()
        .iter()
        .filter(|member| !is.contains(member.id.as_str()))
        .map(|member| format!("@{}", member.id))
        .collect();
    if !left.is_empty() {
        notices.push(format!("Left the selection: {}", cut(&left)));
    }
    if !std::sync::Arc::ptr_eq(&before.catalog, &after.catalog) {
        let new: Vec<String> = names(after, before);
        let gone: Vec<String> = names(before, after);
        if !new.is_empty() {
            notices.push(format!("New in the catalog: {}", cut(&new)));
        }
        if !gone.is_empty() {
            notices.push(format!("Gone from the catalog: {}", cut(&gone)));
        }
    }
    notices
}

/// Sources of one catalog that the other has not.
fn names(of: &Snapshot, without: &Snapshot) -> Vec<String> {
    let sources = of.catalog.sources().iter().map(|source| &source.id);
    sources.filter(|id| without.catalog.get(id.as_str()).is_none()).map(|id| format!("@{id}")).collect()
}

fn at(ids: &[SourceId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| format!("@{id}")).collect();
    cut(&names)
}

fn cut(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{}, +{more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_three_are_cut() {
        let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
        assert_eq!(cut(&names[..3]), "a, b, c");
        assert_eq!(cut(&names), "a, b, c, +2 more");
    }
}
