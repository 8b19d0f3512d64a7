//! Very many words looked for in much text, where only whole ones count. Of prose nearly every place can be ruled out by
//! what stands before it and by how a word would begin there: the automaton runs only from the places that are left.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;

/// A first word that is in no text, being no UTF-8. The library renumbers states in time that grows with the square of
/// their number where nearly each ends a word (`s0` to `s50000`: six seconds), divided by how many come before that end
/// none: these.
pub const BALLAST: [u8; 1024] = [0xff; 1024];

/// A word begins with it.
const BEGINS: u8 = 1;
/// Before a word it makes it no whole one ([`is_whole`](super::words::is_whole)).
const FORBIDS: u8 = 2;

/// Words shorter than this have a filter of their own, so that a single short one does not blunt that of all others.
const SHORT: usize = 4;

/// Finds these words where no ASCII letter, digit, `_`, `-`, `.`, `/` or `\` stands before them.
#[derive(Debug)]
pub struct WholeWords {
    states: NFA,
    start: StateID,
    bytes: [u8; 256],
    filters: Vec<Filter>,
}

impl WholeWords {
    /// `None` for no words, and for words of several gigabytes.
    pub fn new<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> Option<Self> {
        let words: Vec<W> = words.into_iter().collect();
        if words.is_empty() {
            return None;
        }
        let words = || {
            words.iter().map(|word| match word.as_ref() {
                // No UTF-8, so that it is in no text.
                [] => &[0xff],
                word => word,
            })
        };
        let mut bytes = [0; 256];
        for (byte, kind) in (0..=u8::MAX).zip(&mut bytes) {
            if byte.is_ascii_alphanumeric() || b"_-./\\".contains(&byte) {
                *kind |= FORBIDS;
            }
        }
        for first in words().filter_map(<[u8]>::first) {
            if let Some(kind) = bytes.get_mut(usize::from(*first)) {
                *kind |= BEGINS;
            }
        }
        let (short, long): (Vec<&[u8]>, Vec<&[u8]>) = words().partition(|word| word.len() < SHORT);
        let filters = [short, long].iter().filter_map(|words| Filter::new(words)).collect();
        // The library's own way to skip does not suit so many words.
        let states = NFA::builder().prefilter(false).build(std::iter::once(&BALLAST[..]).chain(words())).ok()?;
        let start = states.start_state(Anchored::No).ok()?;
        Some(Self { states, start, bytes, filters })
    }

    /// Tells every place where a word may stand as a whole: which one, and the bytes from and to; in order of their ends.
    /// What stands around it is for the caller to look at: of what stands before only ASCII is judged here, and nothing
    /// of what stands after.
    pub fn each(&self, text: &str, tell: impl FnMut(usize, usize, usize)) {
        self.each_from(text, |from| self.next_place(text.as_bytes(), from), tell);
    }

    /// Tells every place where a word stands that begins where `next` says, and some more: which one, and the bytes from
    /// and to; in order of their ends. `next` gives the first beginning at or behind a byte.
    pub fn each_from(
        &self,
        text: &str,
        next: impl Fn(usize) -> Option<usize>,
        mut tell: impl FnMut(usize, usize, usize),
    ) {
        let text = text.as_bytes();
        let mut state = self.start;
        let mut at = 0;
        loop {
            if state == self.start {
                match next(at) {
                    Some(place) => at = place,
                    None => return,
                }
            }
            let Some(byte) = text.get(at) else { return };
            state = self.states.next_state(Anchored::No, state, *byte);
            at += 1;
            if self.states.is_match(state) {
                for index in 0..self.states.match_len(state) {
                    let pattern = self.states.match_pattern(state, index);
                    let start = at.saturating_sub(self.states.pattern_len(pattern));
                    if let Some(word) = pattern.as_usize().checked_sub(1) {
                        tell(word, start, at);
                    }
                }
            }
        }
    }

    /// The first place from `from` on where a word may begin.
    fn next_place(&self, text: &[u8], from: usize) -> Option<usize> {
        let kind = |byte: u8| self.bytes.get(usize::from(byte)).copied().unwrap_or_default();
        let mut before = from.checked_sub(1).and_then(|last| text.get(last)).map_or(0, |byte| kind(*byte));
        for (at, byte) in text.iter().enumerate().skip(from) {
            let this = kind(*byte);
            if this & BEGINS != 0 && before & FORBIDS == 0 {
                let begin = Begin::of(text.get(at..)?);
                if self.filters.iter().any(|filter| filter.lets(begin)) {
                    return Some(at);
                }
            }
            before = this;
        }
        None
    }
}

/// The first eight bytes of something, zeroes for those it has not.
#[derive(Debug, Clone, Copy)]
struct Begin(u64);

impl Begin {
    fn of(text: &[u8]) -> Self {
        if let Some(whole) = text.first_chunk() {
            return Self(u64::from_le_bytes(*whole));
        }
        Self(text.iter().rev().fold(0, |rest, byte| rest << 8 | u64::from(*byte)))
    }
}

/// A set of beginnings that may also hold what is not in it, one in sixteen at most.
#[derive(Debug)]
struct Filter {
    /// The bytes that every word has, at most eight.
    mask: u64,
    shift: u32,
    bits: Vec<u64>,
}

impl Filter {
    /// `None` for no words.
    fn new(words: &[&[u8]]) -> Option<Self> {
        let shared = words.iter().map(|word| word.len()).min()?.clamp(1, 8);
        let mask = u64::MAX >> (64 - 8 * shared);
        let size = words.len().saturating_mul(16).next_power_of_two().max(1024);
        let mut filter = Self { mask, shift: 64 - size.trailing_zeros(), bits: vec![0; size / 64] };
        for word in words {
            let (at, bit) = filter.spot(Begin::of(word));
            if let Some(bits) = filter.bits.get_mut(at) {
                *bits |= bit;
            }
        }
        Some(filter)
    }

    fn lets(&self, begin: Begin) -> bool {
        let (at, bit) = self.spot(begin);
        self.bits.get(at).is_some_and(|bits| bits & bit != 0)
    }

    /// Which of the numbers, and which bit of it.
    fn spot(&self, begin: Begin) -> (usize, u64) {
        // Fibonacci hashing: the upper bits of a product with 2^64 divided by the golden ratio.
        let hash = (begin.0 & self.mask).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift;
        (usize::try_from(hash >> 6).unwrap_or(usize::MAX), 1 << (hash & 63))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words::is_whole;
    use super::*;

    fn found(words: &[String], text: &str) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        if let Some(finder) = WholeWords::new(words) {
            finder.each(text, |word, start, end| hits.push((start, end, word)));
        }
        hits.retain(|(start, end, _)| is_whole(text, *start, *end));
        hits.sort_unstable();
        hits
    }

    /// Looked for one by one, at every byte.
    fn expected(words: &[String], text: &str) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.is_empty()) {
            for start in (0..text.len()).filter(|start| text.as_bytes()[*start..].starts_with(word.as_bytes())) {
                if is_whole(text, start, start + word.len()) {
                    hits.push((start, start + word.len(), at));
                }
            }
        }
        hits.sort_unstable();
        hits
    }

    #[test]
    fn words_of_every_length_and_first_character() {
        let words: Vec<String> =
            ["a", "ab", "abc", "abcd", "abcdefgh", "abcdefghij", ".net", "(x)", "é", "ab cd", "", "c++", "\u{301}x"]
                .map(str::to_owned)
                .into();
        for text in [
            "",
            "a",
            "abcdefghij",
            "abcdefghi",
            "x abcdefgh abcdefghij.",
            "a.net .net (x)(x) éa é",
            "ab cd ab  cd -ab cd",
            "éab 中ab ٣ab",
            "c++c++ c++",
            "\u{301}x",
        ] {
            assert_eq!(found(&words, text), expected(&words, text), "{text}");
        }
        assert_eq!(found(&words, "see abcdefgh, a"), [(4, 12, 4), (14, 15, 0)]);
        assert!(WholeWords::new(Vec::<String>::new()).is_none());
    }

    #[test]
    fn numbered_words_and_long_ones_are_built_at_once() {
        // Quadratic, these would take minutes without optimisation.
        let mut words: Vec<String> = (0..100_000).map(|at| format!("s{at}")).collect();
        words.push("x".repeat(100_000));
        assert_eq!(found(&words, "s99999"), [(0, 6, 99_999)]);
    }

    proptest! {
        #[test]
        fn nothing_whole_is_missed(
            words in prop::collection::vec("[ab .é-]{1,3}|[ab (]{4,10}", 1..8),
            text in "[ab .é(\u{301}٣-]{0,60}",
        ) {
            prop_assert_eq!(found(&words, &text), expected(&words, &text));
        }
    }
}
