//! Searches large texts for very many words, as whole words only. In prose, the preceding character and the first bytes
//! of a word rule out nearly every position; the automaton runs only from the remaining ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;

use super::words::{forbidding_after, forbidding_before, is_cut_at_plus};

/// Added as the first word; it is not UTF-8, so it never occurs in a text. If nearly every state ends a word, the
/// library takes time quadratic in their number to renumber them (six seconds for `s0` to `s50000`), divided by the
/// number of preceding states that do not end a word, which these bytes provide.
pub const PADDING: [u8; 1024] = [0xff; 1024];

/// A byte that can begin a word.
const BEGINS: u8 = 1;
/// A byte after which a word is not a whole word ([`is_whole`](super::words::is_whole)).
const FORBIDS: u8 = 2;

/// Words shorter than this have a separate filter, so that they do not make the filter of the others less selective.
const SHORT: usize = 4;

/// Finds words where the preceding character is not an ASCII letter or digit, `_`, `-`, `.`, `/` or `\`.
#[derive(Debug)]
pub struct WholeWords {
    states: NFA,
    start: StateID,
    bytes: [u8; 256],
    filters: Vec<Filter>,
}

impl WholeWords {
    /// `None` without words, and for several gigabytes of them.
    pub fn new<W: AsRef<[u8]>>(words: impl IntoIterator<Item = W>) -> Option<Self> {
        let words: Vec<W> = words.into_iter().collect();
        if words.is_empty() {
            return None;
        }
        let words = || {
            words.iter().map(|word| match word.as_ref() {
                // Not UTF-8, so it never occurs in a text.
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
        // The library's own prefilter is unsuited to so many words.
        let states = NFA::builder().prefilter(false).build(std::iter::once(&PADDING[..]).chain(words())).ok()?;
        let start = states.start_state(Anchored::No).ok()?;
        Some(Self { states, start, bytes, filters })
    }

    /// Every whole-word match in text order: start and end byte, and index of the word. Of overlapping matches, only
    /// the longest counts; of equally long ones, the first.
    ///
    /// Hundreds of nested words can end at the same byte. At first only the longest is considered; a shorter one is
    /// looked up if the longest overlaps a longer match elsewhere.
    pub fn longest(&self, text: &str) -> Vec<(usize, usize, usize)> {
        let mut shorter = HashMap::new();
        let ends = self.ends(text, &mut shorter);
        let place = |end: &End| (end.start, end.end, end.word);
        let mut places = Vec::with_capacity(ends.len());
        for run in runs(&ends) {
            match run {
                [alone] => places.push(place(alone)),
                run => places.extend(self.longest_of(text, run, &mut shorter)),
            }
        }
        places
    }

    /// The longest word that begins at byte `start` and ends where `may_end` allows: its index and the byte where it
    /// ends. Does not check the preceding character.
    pub fn longest_at(&self, text: &str, start: usize, may_end: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let mut state = self.states.start_state(Anchored::Yes).ok()?;
        let mut found = None;
        for (at, byte) in text.as_bytes().iter().enumerate().skip(start) {
            state = self.states.next_state(Anchored::Yes, state, *byte);
            if self.states.is_dead(state) {
                break;
            }
            let end = at + 1;
            if self.states.is_match(state) {
                // The automaton reports the longest word first, which is the one that began at `start`.
                let pattern = self.states.match_pattern(state, 0);
                if self.states.pattern_len(pattern) == end - start && may_end(end) {
                    found = Some((pattern.as_usize().saturating_sub(1), end));
                }
            }
        }
        found
    }

    /// The longest whole word ending at each byte where one ends, in text order.
    fn ends(&self, text: &str, shorter: &mut Shorter) -> Vec<End> {
        let mut ends = Vec::new();
        let mut state = self.start;
        let mut at = 0;
        loop {
            if state == self.start {
                match self.next_place(text.as_bytes(), at) {
                    Some(place) => at = place,
                    None => return ends,
                }
            }
            let Some(byte) = text.as_bytes().get(at) else { return ends };
            state = self.states.next_state(Anchored::No, state, *byte);
            at += 1;
            if self.states.is_match(state) && forbidding_after(text, at).is_none() && !is_cut_at_plus(text, at) {
                ends.extend(self.longest_within(text, state, at, usize::MAX, shorter));
            }
        }
    }

    /// The longest whole word of at most this many bytes that ends at byte `end`, with the automaton in this state.
    fn longest_within(
        &self,
        text: &str,
        state: StateID,
        end: usize,
        most: usize,
        shorter: &mut Shorter,
    ) -> Option<End> {
        let nth = |index: usize| {
            let pattern = self.states.match_pattern(state, index);
            (self.states.pattern_len(pattern), pattern.as_usize().saturating_sub(1))
        };
        let is_whole = |length: usize| forbidding_before(text, end - length).is_none();
        let found = |(length, word): (usize, usize)| End { start: end - length, end, word, state };
        // The automaton reports the longest word first.
        let longest = nth(0);
        if longest.0 <= most && is_whole(longest.0) {
            return Some(found(longest));
        }
        let count = self.states.match_len(state);
        if count == 1 {
            return None;
        }
        // The text before a shorter word is part of the longest one, so it is the same whenever this state is reached.
        let known = shorter.entry(state).or_insert_with(|| (1..count).map(nth).filter(|it| is_whole(it.0)).collect());
        known.get(known.partition_point(|(length, _)| *length > most)).copied().map(found)
    }

    /// Resolves overlapping matches: takes the longest, then the longest that does not overlap it, and so on.
    fn longest_of(
        &self,
        text: &str,
        run: &[End],
        shorter: &mut Shorter,
    ) -> impl Iterator<Item = (usize, usize, usize)> {
        let rank = |end: &End| (end.end - end.start, Reverse(end.start));
        let mut heap: BinaryHeap<_> = run.iter().map(|end| (rank(end), *end)).collect();
        let mut kept: BTreeMap<usize, End> = BTreeMap::new();
        while let Some((_, candidate)) = heap.pop() {
            // Kept matches are disjoint, so only the last one that begins before the end of this one can overlap it.
            let before = kept.range(..candidate.end).next_back().map_or(0, |(_, end)| end.end);
            if before <= candidate.start {
                kept.insert(candidate.start, candidate);
            } else if let Some(room) = candidate.end.checked_sub(before) {
                let next = self.longest_within(text, candidate.state, candidate.end, room, shorter);
                heap.extend(next.map(|end| (rank(&end), end)));
            }
        }
        kept.into_values().map(|end| (end.start, end.end, end.word))
    }

    /// The first position from `from` on at which a word may begin.
    fn next_place(&self, text: &[u8], from: usize) -> Option<usize> {
        let kind = |byte: u8| self.bytes.get(usize::from(byte)).copied().unwrap_or_default();
        let mut before = from.checked_sub(1).and_then(|last| text.get(last)).map_or(0, |byte| kind(*byte));
        for (at, byte) in text.iter().enumerate().skip(from) {
            let this = kind(*byte);
            if this & BEGINS != 0 && before & FORBIDS == 0 {
                let begin = Begin::of(text.get(at..)?);
                if self.filters.iter().any(|filter| filter.may_match(begin)) {
                    return Some(at);
                }
            }
            before = this;
        }
        None
    }
}

/// A position at which a whole word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    start: usize,
    end: usize,
    word: usize,
    /// The automaton's state, which determines the other words that end here.
    state: StateID,
}

/// For states of the automaton, all whole words that end there except the longest: length and index, longest first.
type Shorter = HashMap<StateID, Vec<(usize, usize)>>;

/// Splits the matches into groups that do not overlap each other.
fn runs(ends: &[End]) -> Vec<&[End]> {
    let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, end) in ends.iter().enumerate() {
        let (mut first, mut start) = (at, end.start);
        while let Some((before, before_start)) = runs.pop_if(|(before, _)| {
            before.end.checked_sub(1).and_then(|last| ends.get(last)).is_some_and(|last| last.end > start)
        }) {
            (first, start) = (before.start, before_start.min(start));
        }
        runs.push((first..at + 1, start));
    }
    runs.into_iter().filter_map(|(run, _)| ends.get(run)).collect()
}

/// The first eight bytes of a word, padded with zeros.
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

/// A set of word beginnings that may also accept others, at most one in sixteen.
#[derive(Debug)]
struct Filter {
    /// Masks the bytes that every word has, at most eight.
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

    fn may_match(&self, begin: Begin) -> bool {
        let (at, bit) = self.spot(begin);
        self.bits.get(at).is_some_and(|bits| bits & bit != 0)
    }

    /// Index of the number, and the bit in it.
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
        WholeWords::new(words).map(|finder| finder.longest(text)).unwrap_or_default()
    }

    /// Searches each word at every byte, then takes the longest first.
    fn expected(words: &[String], text: &str) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        for (at, word) in words.iter().enumerate().filter(|(at, word)| !word.is_empty() && !words[..*at].contains(word))
        {
            for start in (0..text.len()).filter(|start| text.as_bytes()[*start..].starts_with(word.as_bytes())) {
                if is_whole(text, start, start + word.len()) && !is_cut_at_plus(text, start + word.len()) {
                    hits.push((start, start + word.len(), at));
                }
            }
        }
        hits.sort_by_key(|(start, end, _)| (Reverse(end - start), *start));
        let mut kept: Vec<(usize, usize, usize)> = Vec::new();
        for hit in hits {
            if kept.iter().all(|other| other.1 <= hit.0 || hit.1 <= other.0) {
                kept.push(hit);
            }
        }
        kept.sort_unstable();
        kept
    }

    #[test]
    fn words_of_every_length_and_first_character_are_found() {
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
        assert_eq!(found(&["c+".to_owned(), "c".to_owned()], "c++ c+ c"), [(0, 1, 1), (4, 6, 0), (7, 8, 1)]);
        assert!(WholeWords::new(Vec::<String>::new()).is_none());
    }

    #[test]
    fn numbered_and_long_words_build_fast() {
        // In quadratic time this would take minutes without optimisation.
        let mut words: Vec<String> = (0..100_000).map(|at| format!("s{at}")).collect();
        words.push("x".repeat(100_000));
        assert_eq!(found(&words, "s99999"), [(0, 6, 99_999)]);
    }

    #[test]
    fn nested_words_take_linear_time() {
        // Checked one by one, these would be ten million matches.
        let words: Vec<String> = (1..=800).map(|count| vec!["a"; count].join(" ")).collect();
        let text = vec!["a"; 20_000].join(" ");
        let finder = WholeWords::new(&words).unwrap();
        let mut shorter = HashMap::new();
        let ends = finder.ends(&text, &mut shorter);
        assert_eq!((ends.len(), shorter.len()), (20_000, 0), "one per byte, and no others looked for");
        let found = finder.longest(&text);
        assert_eq!(found.len(), 25);
        assert!(found.iter().all(|(start, end, word)| *word == 799 && end - start == 1_599));
    }

    proptest! {
        #[test]
        fn nothing_whole_is_missed(
            words in prop::collection::vec("[ab .é+-]{1,3}|[ab (]{4,10}|a( a){1,5}|b?(a-b ){0,3}a-b", 1..8),
            text in "[ab .é(\u{301}٣+-]{0,60}|(a ){0,12}b(a-b ){0,9}a-b",
        ) {
            prop_assert_eq!(found(&words, &text), expected(&words, &text));
        }
    }
}
