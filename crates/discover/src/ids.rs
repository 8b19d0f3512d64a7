//! Ids of proposed sources. Ids are matched in prompts and documents as whole words, so an id is the shortest unique
//! end of its path, and a common word gets its folder in front.

use std::collections::{HashMap, HashSet};

use super::tags::is_place;
use refdesk_text::common_words::is_common;
use refdesk_text::words::is_listed;

/// Words for kinds of documents, not for subjects.
const NAMES: &str = "abstract administration agents api appendix architecture authentication authorization backend backlog basics \
                     bugs build building caching changelog cheatsheet claude cli client community compatibility components concepts \
                     configuration configure considerations contributing conventions credits database debugging decision \
                     decisions dependencies deploy deployment design develop development doc docker docs documentation editor errors events faq \
                     features frontend getting-started git glossary help home hooks howto http implementation improvements \
                     install installation integration internals layout license logging main maintenance manual metrics \
                     migration models monitoring motivation network notes overview packages patterns performance planning \
                     plugins policies policy process production publishing quickstart readme reference release releases \
                     requirements resources roadmap routing rules schema scripts search security server service services \
                     settings setup specification standards state status storage style styles summary support syntax \
                     templates terminology test testing tests themes todo tools troubleshooting tutorial tutorials types \
                     upgrade upgrading usage versioning vision welcome workflow workflows";

/// How many other documents may contain a word that is a document's whole id.
const MAX_OTHER_DOCUMENTS: usize = 1;

/// The parts of a path from which an id is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdParts {
    /// Slugs of the path, ending with that of the document; empty for the README of the repository.
    pub parts: Vec<String>,
    /// The slug of the repository's name.
    pub root: String,
    /// Appended to the name of the repository if there are no parts.
    pub suffix: String,
    /// Whether it is the only document in its folder, whose name is then more specific than its own.
    pub is_alone: bool,
}

impl IdParts {
    /// The id with `level` folders in front, if the path has that many; one more level prepends the repository.
    fn at(&self, level: usize) -> Option<String> {
        let count = self.parts.len();
        if count == 0 {
            return (level == 0).then(|| joined(&[&self.root, &self.suffix]));
        }
        let tail = self.parts.get(count.saturating_sub(level + 1)..)?;
        let tail: Vec<&str> = tail.iter().map(String::as_str).collect();
        match level.cmp(&count) {
            std::cmp::Ordering::Less => Some(joined(&tail)),
            std::cmp::Ordering::Equal => Some(joined(&[&[self.root.as_str()], tail.as_slice()].concat())),
            std::cmp::Ordering::Greater => None,
        }
    }
}

/// Joins slugs, leaving out one that the next repeats, as in `retry/retry-policy`.
fn joined(parts: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::with_capacity(parts.len());
    for part in parts.iter().rev().filter(|part| !part.is_empty()) {
        let next = kept.last().copied().unwrap_or_default();
        if kept.is_empty() || !next.strip_prefix(part).is_some_and(|rest| rest.starts_with('-')) {
            kept.push(part);
        }
    }
    kept.reverse();
    kept.join("-")
}

/// Lower case, with a `-` between runs of letters and digits.
pub(crate) fn slug(text: &str) -> String {
    let parts: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_lowercase).collect();
    parts.join("-")
}

/// Whether an id would match text with another meaning. `documents` returns how many documents contain a word.
fn is_ambiguous(id: &str, documents: &dyn Fn(&str) -> usize) -> bool {
    let is_plain = !id.contains('-') && !id.chars().any(|c| c.is_ascii_digit());
    id.chars().count() < 3
        || is_listed(NAMES, id)
        || (is_plain && (is_common(id) || documents(id) > MAX_OTHER_DOCUMENTS))
        || id.chars().all(|c| c.is_ascii_digit() || c == '-')
}

/// Drops the document's own name if it is the only one in its folder, its name is ambiguous, and the folder's name is
/// not, as in `adr-004-retries/ADR.md`.
fn of_folder(mut parts: IdParts, documents: &dyn Fn(&str) -> usize) -> IdParts {
    let is_plain = |id: &String| !is_ambiguous(id, documents) && !is_place(id);
    if let [.., folder, own] = parts.parts.as_slice()
        && parts.is_alone
        && is_plain(folder)
        && is_ambiguous(own, documents)
    {
        parts.parts.pop();
    }
    parts
}

/// A unique id for each path, none of which is `taken`. The order matters only for paths that give the same id, which
/// are numbered. `documents` returns how many documents contain a word: an ambiguous id gets its folder in front too.
pub(crate) fn assign(paths: &[IdParts], taken: &HashSet<&str>, documents: &dyn Fn(&str) -> usize) -> Vec<String> {
    let paths: Vec<IdParts> = paths.iter().map(|parts| of_folder(parts.clone(), documents)).collect();
    let last = |parts: &IdParts| parts.parts.len();
    let id_of = |parts: &IdParts, level: usize| parts.at(level).or_else(|| parts.at(0)).unwrap_or_default();
    let start = |parts: &IdParts| {
        (0..=last(parts))
            .find(|level| parts.at(*level).is_some_and(|id| !is_ambiguous(&id, documents)))
            .unwrap_or(last(parts))
    };
    let mut levels: Vec<usize> = paths.iter().map(start).collect();
    let mut ids: Vec<String> = paths.iter().zip(&levels).map(|(parts, level)| id_of(parts, *level)).collect();
    loop {
        let mut count: HashMap<&str, usize> = HashMap::with_capacity(ids.len());
        for id in &ids {
            *count.entry(id).or_default() += 1;
        }
        let clashes: Vec<bool> = ids
            .iter()
            .map(|id| count.get(id.as_str()).is_some_and(|count| *count > 1) || taken.contains(id.as_str()))
            .collect();
        let mut has_changed = false;
        for (((parts, level), id), clashes) in paths.iter().zip(&mut levels).zip(&mut ids).zip(clashes) {
            if clashes && *level < last(parts) {
                *level += 1;
                *id = id_of(parts, *level);
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    numbered(ids, taken)
}

/// Numbers the ids that are not unique.
fn numbered(ids: Vec<String>, taken: &HashSet<&str>) -> Vec<String> {
    let mut used: HashSet<String> = taken.iter().map(|id| (*id).to_owned()).collect();
    let mut next: HashMap<String, usize> = HashMap::new();
    ids.into_iter()
        .map(|id| {
            let base = if id.is_empty() { "source".to_owned() } else { id };
            let mut unique = base.clone();
            while !used.insert(unique.clone()) {
                let number = next.entry(base.clone()).or_insert(1);
                *number += 1;
                unique = format!("{base}-{number}");
            }
            unique
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(path: &str) -> IdParts {
        let parts = path.split('/').filter(|part| !part.is_empty()).map(slug).collect();
        IdParts {
            parts,
            root: "repo".to_owned(),
            suffix: "readme".to_owned(),
            is_alone: path.ends_with("/adr") || path.ends_with("/errors"),
        }
    }

    #[test]
    fn the_shortest_unambiguous_end_of_a_path() {
        for (paths, taken, expected) in [
            (&["docs/adr/0003-use-kafka"][..], &[][..], &["0003-use-kafka"][..]),
            (&["docs/guide", "docs/kafka"], &[], &["docs-guide", "kafka"]),
            (&["a/retry", "b/retry", "b/c/retry"], &[], &["a-retry", "b-retry", "c-retry"]),
            (&["a/x/retry", "b/x/retry"], &[], &["a-x-retry", "b-x-retry"]),
            (&["docs/kafka"], &["kafka"], &["docs-kafka"]),
            (&["docs/kafka"], &["kafka", "docs-kafka"], &["repo-docs-kafka"]),
            (&["docs/kafka"], &["kafka", "docs-kafka", "repo-docs-kafka"], &["repo-docs-kafka-2"]),
            (&["contributing"], &[], &["repo-contributing"]),
            (&[""], &[], &["repo-readme"]),
            (&["a b/ä!", "a-b/ä"], &[], &["repo-a-b-ä", "repo-a-b-ä-2"]),
            (&["x/adr-4-retries/adr", "docs/errors"], &[], &["adr-4-retries", "docs-errors"]),
            (&["x/adr-4-retries/adr", "y/adr-4-retries/adr"], &[], &["x-adr-4-retries", "y-adr-4-retries"]),
            (&["retry/retry-policy", "x/retry-policy"], &[], &["retry-policy", "x-retry-policy"]),
            (&["guide/guide", "guide"], &[], &["guide-guide", "repo-guide"]),
            (&["!!!"], &[], &["repo"]),
            (&["docs/2024"], &[], &["docs-2024"]),
            (&["docs/shared-word", "docs/sharedword"], &[], &["shared-word", "docs-sharedword"]),
        ] {
            let parts: Vec<IdParts> = paths.iter().map(|path| self::parts(path)).collect();
            let taken = taken.iter().copied().collect();
            let documents = |word: &str| if ["sharedword", "adr"].contains(&word) { 5 } else { 0 };
            assert_eq!(assign(&parts, &taken, &documents), expected, "{paths:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn ids_are_unique_and_plain(paths in proptest::collection::vec("[ab/\\-. é]{0,8}", 0..12)) {
            let parts: Vec<IdParts> = paths.iter().map(|path| self::parts(path)).collect();
            let taken = HashSet::from(["a", "repo-a"]);
            let ids = assign(&parts, &taken, &|_| 0);
            let unique: HashSet<&str> = ids.iter().map(String::as_str).collect();
            proptest::prop_assert_eq!(unique.len(), paths.len());
            proptest::prop_assert!(unique.iter().all(|id| !taken.contains(id) && !id.is_empty()));
        }
    }
}
