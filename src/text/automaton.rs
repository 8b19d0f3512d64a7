//! One automaton over very many words. It is built the way that stays quick for every catalog: the library's own choices cost
//! the square of a word's length, or of the number of words, for some that people or generators do write.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A first pattern that is in no text, being no UTF-8. The library renumbers states in time that grows with the square of
/// their number where nearly each ends a word (`s0` to `s50000`: six seconds), divided by how many come before that end
/// none: these.
const BALLAST: [u8; 1024] = [0xff; 1024];

/// An automaton that finds all of these words, overlapping ones too.
#[derive(Debug)]
pub struct Automaton(AhoCorasick);

impl Automaton {
    /// `None` for no words, and for words of several gigabytes.
    pub fn new<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> Option<Self> {
        let mut patterns: Vec<Vec<u8>> = vec![BALLAST.to_vec()];
        patterns.extend(words.into_iter().map(|word| word.as_ref().to_vec()));
        if patterns.len() == 1 {
            return None;
        }
        // Not a DFA, which few words would get: ten thousand equal characters are seconds there.
        AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(patterns).ok().map(Self)
    }

    /// Every place where a word stands: which one, and the bytes from and to.
    pub fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        let found = self.0.find_overlapping_iter(text);
        found.filter_map(|hit| Some((hit.pattern().as_usize().checked_sub(1)?, hit.start(), hit.end())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_at_every_place() {
        let automaton = Automaton::new(["ab", "b", "abc"]).unwrap();
        assert_eq!(automaton.find("xabcb").collect::<Vec<_>>(), [(0, 1, 3), (1, 2, 3), (2, 1, 4), (1, 4, 5)]);
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
