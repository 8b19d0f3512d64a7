//! Ids in a text: one pass of an Aho-Corasick automaton over it, then the whole-word rule (BEHAVIOUR §3).

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::catalog::{Catalog, SourceId};
use crate::text::whole::WholeWords;
use crate::text::words::is_whole;

/// Finds every id of a catalog in a text.
#[derive(Debug)]
pub struct IdMatcher {
    ids: Vec<SourceId>,
    /// `None` for an empty catalog, and for one too large for an automaton (billions of characters of ids). Built for the
    /// first text: where all documents are remembered there is none.
    automaton: OnceLock<Option<WholeWords>>,
}

impl IdMatcher {
    /// A matcher for the ids of this catalog.
    pub fn new(catalog: &Catalog) -> Self {
        Self { ids: catalog.sources().iter().map(|source| source.id.clone()).collect(), automaton: OnceLock::new() }
    }

    /// A hash of the ids in their order: what was found for one matcher holds for every other of the same hash.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for id in &self.ids {
            hash.update((id.as_str().len() as u64).to_le_bytes());
            hash.update(id.as_str());
        }
        hash.finalize().into()
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether it was made for exactly these ids, in this order.
    pub fn is_for(&self, catalog: &Catalog) -> bool {
        self.ids.len() == catalog.len() && self.ids.iter().zip(catalog.sources()).all(|(id, source)| *id == source.id)
    }

    /// The automaton over the ids, in catalog order.
    pub fn words(&self) -> Option<&WholeWords> {
        self.automaton.get_or_init(|| WholeWords::new(self.ids.iter().map(SourceId::as_str))).as_ref()
    }

    /// The id at this place of the catalog.
    pub fn id(&self, at: usize) -> Option<&SourceId> {
        self.ids.get(at)
    }

    /// Every whole-word mention, by the place of its id in the catalog, with the byte it begins at, in text order. Where
    /// mentions overlap only the longest counts, of equal length the first.
    pub fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let Some(automaton) = self.words() else { return Vec::new() };
        let mut hits: Vec<(usize, usize, usize)> = Vec::new();
        automaton.each(text, |id, start, end| {
            if is_whole(text, start, end) {
                hits.push((start, end, id));
            }
        });
        keep_longest(&mut hits);
        hits.iter().map(|(start, _, id)| (*id, *start)).collect()
    }
}

/// Of overlapping `(start, end, _)` keeps the longest, of equal length the first; leaves them in order of start.
fn keep_longest(hits: &mut Vec<(usize, usize, usize)>) {
    hits.sort_unstable();
    let overlaps = hits.is_sorted_by(|a, b| a.1 <= b.0);
    if overlaps {
        return;
    }
    let mut by_length = hits.clone();
    by_length.sort_by_key(|(start, end, _)| (std::cmp::Reverse(end - start), *start));
    let mut kept: std::collections::BTreeMap<usize, (usize, usize)> = std::collections::BTreeMap::new();
    for (start, end, id) in by_length {
        // Kept hits are disjoint, so only the last one that begins before this one's end can overlap it.
        let free = kept.range(..end).next_back().is_none_or(|(_, (kept_end, _))| *kept_end <= start);
        if free {
            kept.insert(start, (end, id));
        }
    }
    *hits = kept.into_iter().map(|(start, (end, id))| (start, end, id)).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::inline;

    fn found(ids: &[&str], text: &str) -> Vec<String> {
        let catalog = Catalog::new(ids.iter().map(|id| inline(id, "")).collect());
        let matcher = IdMatcher::new(&catalog);
        matcher.find(text).into_iter().filter_map(|(at, _)| Some(matcher.id(at)?.to_string())).collect()
    }

    /// Every row of the table of BEHAVIOUR §3.
    #[test]
    fn the_table_of_whole_words() {
        for text in [
            "See retry-pattern for",
            "(retry-pattern)",
            "**retry-pattern**",
            "| retry-pattern |",
            "<retry-pattern>",
            "#retry-pattern",
            "a=retry-pattern",
            "@retry-pattern",
            "@ref:retry-pattern",
            "[[retry-pattern]]",
            "`retry-pattern`",
            "retry-pattern.",
            "retry-pattern,",
            "retry-pattern!",
            "```\nretry-pattern\n```",
            "<!-- retry-pattern -->",
            "---\nsee: retry-pattern\n---",
        ] {
            assert_eq!(found(&["retry-pattern"], text), ["retry-pattern"], "{text}");
        }
        for text in [
            "retry-pattern-extended",
            "my-retry-pattern",
            "retry-pattern.md",
            "docs/retry-pattern/x",
            "retry-pattern_2",
            "_retry-pattern_",
            "Retry-Pattern",
            "retry-pattern\\x",
            "x.retry-pattern",
            "retry-pattern\u{301}",
            "retry-pattern٣",
            "éretry-pattern",
        ] {
            assert_eq!(found(&["retry-pattern"], text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn ids_are_literal_and_the_longest_of_overlapping_ones_counts() {
        for (ids, text, expected) in [
            (vec!["c+", "c++"], "c++", vec!["c++"]),
            (vec!["c+"], "c++", vec!["c+"]),
            (vec!["a.b"], "axb a.b", vec!["a.b"]),
            (vec!["(x)*"], "see (x)* here", vec!["(x)*"]),
            (vec!["api", "api spec"], "the api spec, the api", vec!["api spec", "api"]),
            (vec!["a b", "b c d"], "a b c d", vec!["b c d"]),
            (vec!["a b", "b c"], "a b c", vec!["a b"]),
            (vec!["a b", "b c", "c d e"], "a b c d e", vec!["a b", "c d e"]),
            (vec!["x"], "x x", vec!["x", "x"]),
            (vec![], "x", vec![]),
        ] {
            assert_eq!(found(&ids, text), expected, "{text}");
        }
    }
}
