//! One automaton over very many words. It is built the way that stays quick for every catalog: the library's own choices cost
//! the square of a word's length, or of the number of words, for some that people or generators do write.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A first pattern that is in no text, being no UTF-8. The library renumbers states in time that grows with the square of
/// their number where nearly each ends a word (`s0` to `s50000`: six seconds), divided by how many come before that end
/// none: these.
pub(super) const BALLAST: [u8; 1024] = [0xff; 1024];

/// Up to so many bytes of words a full table is affordable: the fastest to run, the largest to hold and to build.
const TABLE_BYTES: usize = 4096;

/// An automaton that finds all of these words, overlapping ones too.
#[derive(Debug)]
pub struct Automaton(AhoCorasick);

impl Automaton {
    /// `None` for no words, and for words of several gigabytes.
    pub fn new<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> Option<Self> {
        Self::of_kind(words, |_| AhoCorasickKind::ContiguousNFA)
    }

    /// The same for few words that are looked for in much text: a full table where that is affordable.
    pub fn quick<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> Option<Self> {
        Self::of_kind(words, |bytes| match bytes {
            0..=TABLE_BYTES => AhoCorasickKind::DFA,
            _ => AhoCorasickKind::ContiguousNFA,
        })
    }

    fn of_kind<W: AsRef<[u8]>>(
        words: impl IntoIterator<Item = W>,
        kind: impl FnOnce(usize) -> AhoCorasickKind,
    ) -> Option<Self> {
        let words: Vec<W> = words.into_iter().collect();
        if words.is_empty() {
            return None;
        }
        let kind = kind(words.iter().map(|word| word.as_ref().len()).sum());
        // A table needs no ballast, and would be larger for it.
        let ballast = if kind == AhoCorasickKind::DFA { BALLAST.get(..1)? } else { &BALLAST };
        let patterns = std::iter::once(ballast).chain(words.iter().map(AsRef::as_ref));
        AhoCorasick::builder().kind(Some(kind)).build(patterns).ok().map(Self)
    }

    /// Every place where a word stands: which one, and the bytes from and to.
    pub fn find<'a>(
        &'a self,
        text: &'a (impl AsRef<[u8]> + ?Sized),
    ) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        let found = self.0.find_overlapping_iter(text.as_ref());
        found.filter_map(|hit| Some((hit.pattern().as_usize().checked_sub(1)?, hit.start(), hit.end())))
    }

    /// Its kind, how many words it has and how many bytes it takes: for figures.
    pub fn size(&self) -> (&'static str, usize, usize) {
        let kind = if self.0.kind() == AhoCorasickKind::DFA { "DFA" } else { "contiguous NFA" };
        (kind, self.0.patterns_len().saturating_sub(1), self.0.memory_usage())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_at_every_place() {
        let automaton = Automaton::new(["ab", "b", "abc"]).unwrap();
        assert_eq!(automaton.find("xabcb").collect::<Vec<_>>(), [(0, 1, 3), (1, 2, 3), (2, 1, 4), (1, 4, 5)]);
        let quick = Automaton::quick(["ab", "b", "abc"]).unwrap();
        assert_eq!(quick.find("xabcb").collect::<Vec<_>>(), automaton.find("xabcb").collect::<Vec<_>>());
        assert_eq!((quick.size().0, quick.size().1, automaton.size().0), ("DFA", 3, "contiguous NFA"));
        assert_eq!(automaton.find("").count(), 0);
        assert!(Automaton::new(Vec::<String>::new()).is_none());
    }

    #[test]
    fn numbered_words_and_long_ones_are_built_at_once() {
        // Quadratic, these would take minutes without optimisation.
        let numbered: Vec<String> = (0..100_000).map(|at| format!("s{at}")).collect();
        assert_eq!(Automaton::new(&numbered).unwrap().find("s99999").count(), 5);
        assert_eq!(Automaton::new(["x".repeat(100_000)]).unwrap().find("xxx").count(), 0);
    }
}
