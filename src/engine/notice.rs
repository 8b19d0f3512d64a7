//! What changed between two snapshots, in a sentence each, for people (BEHAVIOUR §5 "For people").

use std::collections::HashSet;

use super::Snapshot;
use crate::catalog::SourceId;
use crate::report::Diagnostic;
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
    notices.extend(broken(before, after));
    notices
}

/// Errors that were not there before, or that none is left: the last of the notices, since it is the one to act on.
fn broken(before: &Snapshot, after: &Snapshot) -> Option<String> {
    fn errors(snapshot: &Snapshot) -> impl Iterator<Item = String> {
        snapshot.diagnostics.iter().filter(|it| it.is_error()).map(in_a_line)
    }
    let known: HashSet<String> = errors(before).collect();
    let mut new = errors(after).filter(|error| !known.contains(error));
    let Some(first) = new.next() else {
        let mended = !known.is_empty() && errors(after).next().is_none();
        return mended.then(|| "Every error is mended".to_owned());
    };
    Some(match new.count() {
        0 => first,
        more => format!("{first}, +{more} more"),
    })
}

/// `error: references.json:12:7: not valid JSON`, without its hint.
fn in_a_line(diagnostic: &Diagnostic) -> String {
    diagnostic.to_string().lines().next().unwrap_or_default().to_owned()
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

    #[test]
    fn an_error_is_told_when_it_is_new() {
        let with = |messages: &[&str]| {
            let errors = messages.iter().map(|message| Diagnostic::error("json-syntax", *message)).collect();
            Snapshot { diagnostics: errors, ..Snapshot::default() }
        };
        let told = |before: &[&str], after: &[&str]| notices(&with(before), &with(after));
        assert_eq!(told(&[], &["no JSON"]), ["error: no JSON"]);
        assert_eq!(told(&["a"], &["a", "b", "c"]), ["error: b, +1 more"]);
        assert_eq!(told(&["a"], &["a"]), [""; 0]);
        assert_eq!(told(&["a", "b"], &["a"]), [""; 0]);
        assert_eq!(told(&["a"], &[]), ["Every error is mended"]);
    }
}
