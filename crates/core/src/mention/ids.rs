//! Finds ids in a text (BEHAVIOUR §3).

use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::catalog::{Catalog, SourceId};
use refdesk_text::whole::WholeWords;

/// Finds every id of a catalog in a text.
#[derive(Debug)]
pub struct IdMatcher {
    ids: Arc<[SourceId]>,
    /// `None` for an empty catalog and for one too large for an automaton (billions of characters of ids). Built
    /// lazily: if all documents are cached, it is not needed.
    automaton: OnceLock<Option<WholeWords>>,
}

impl IdMatcher {
    /// A matcher for the ids of this catalog; the automaton is built on first use.
    pub fn new(catalog: &Catalog) -> Self {
        Self { ids: catalog.sources().iter().map(|source| source.id.clone()).collect(), automaton: OnceLock::new() }
    }

    /// A hash of the ids in their order: matchers with the same hash find the same mentions.
    pub fn hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for id in &*self.ids {
            hash.update((id.as_str().len() as u64).to_le_bytes());
            hash.update(id.as_str());
        }
        hash.finalize().into()
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids, in catalog order.
    pub fn ids(&self) -> &Arc<[SourceId]> {
        &self.ids
    }

    /// Whether it was built for exactly these ids, in this order.
    pub(super) fn is_for(&self, catalog: &Catalog) -> bool {
        self.ids.len() == catalog.len() && self.ids.iter().zip(catalog.sources()).all(|(id, source)| *id == source.id)
    }

    /// The automaton over the ids, in catalog order.
    pub fn words(&self) -> Option<&WholeWords> {
        self.automaton.get_or_init(|| WholeWords::new(self.ids.iter().map(SourceId::as_str))).as_ref()
    }

    /// Every whole-word mention in text order: the position of its id in the catalog and its byte offset. Of
    /// overlapping mentions, the longest counts; of equally long ones, the first.
    pub fn find(&self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        let found = self.words().map(|words| words.longest(text)).unwrap_or_default();
        found.into_iter().map(|(start, _, id)| (id, start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::inline;

    fn found(ids: &[&str], text: &str) -> Vec<String> {
        let catalog = Catalog::new(ids.iter().map(|id| inline(id, "")).collect());
        let matcher = IdMatcher::new(&catalog);
        matcher.find(text).map(|(at, _)| matcher.ids()[at].to_string()).collect()
    }

    /// Every row of the table in BEHAVIOUR §3.
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
    fn ids_match_literally_and_the_longest_overlap_wins() {
        for (ids, text, expected) in [
            (vec!["c+", "c++"], "c++", vec!["c++"]),
            (vec!["c+"], "see c++, c+++, c+", vec!["c+"]),
            (vec!["c", "c+"], "c++", vec!["c"]),
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
