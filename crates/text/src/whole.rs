//! Very many words looked for in much text, where only whole ones count. Of prose nearly every place can be ruled out by
//! what stands before it and by how a word would begin there: the automaton runs only from the places that are left.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;

use super::words::{forbidding_after, forbidding_before};

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

    /// Every place where a word stands as a whole, in text order: the bytes from and to, and which word. Where places overlap
    /// only the longest counts, of equal length the first.
    ///
    /// Hundreds of words that nest in one another end at the same byte. Only the longest of them is looked at; a shorter one
    /// is looked up when a longer place elsewhere overlaps it.
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

    /// The longest word that begins at byte `start` and ends where `may_end` says so: which one, and the byte it ends at.
    /// What stands before it is not looked at.
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
                // The automaton has the longest first: the one that began where it did.
                let pattern = self.states.match_pattern(state, 0);
                if self.states.pattern_len(pattern) == end - start && may_end(end) {
                    found = Some((pattern.as_usize().saturating_sub(1), end));
                }
            }
        }
        found
    }

    /// At every byte where a whole word ends, the longest one, in text order.
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
            if self.states.is_match(state) && forbidding_after(text, at).is_none() {
                ends.extend(self.longest_within(text, state, at, usize::MAX, shorter));
            }
        }
    }

    /// The longest whole word that ends at byte `end` with the automaton in this state, of at most so many bytes.
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
        // The automaton has the longest first.
        let longest = nth(0);
        if longest.0 <= most && is_whole(longest.0) {
            return Some(found(longest));
        }
        let count = self.states.match_len(state);
        if count == 1 {
            return None;
        }
        // What stands before a shorter one is a part of the longest: it is the same wherever this state is reached.
        let known = shorter.entry(state).or_insert_with(|| (1..count).map(nth).filter(|it| is_whole(it.0)).collect());
        known.get(known.partition_point(|(length, _)| *length > most)).copied().map(found)
    }

    /// Of places that overlap: the longest first, then the longest that is left beside it, and so on.
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
            // Kept places are disjoint, so only the last one that begins before this one's end can overlap it.
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

/// A place where a whole word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    start: usize,
    end: usize,
    word: usize,
    /// Of the automaton: it knows which other words end here.
    state: StateID,
}

/// For states of the automaton all words but the longest that end there as whole ones: their lengths, longest first, and
/// which they are.
type Shorter = HashMap<StateID, Vec<(usize, usize)>>;

/// Cut between places that do not overlap: each part overlaps no other.
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
        WholeWords::new(words).map(|finder| finder.longest(text)).unwrap_or_default()
    }

    /// Looked for one by one, at every byte; then the longest taken first.
    fn expected(words: &[String], text: &str) -> Vec<(usize, usize, usize)> {
        let mut hits = Vec::new();
        for (at, word) in words.iter().enumerate().filter(|(at, word)| !word.is_empty() && !words[..*at].contains(word))
        {
            for start in (0..text.len()).filter(|start| text.as_bytes()[*start..].starts_with(word.as_bytes())) {
                if is_whole(text, start, start + word.len()) {
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

    #[test]
    fn words_that_nest_cost_no_more_than_their_text() {
        // Looked at one by one, these would be ten million places.
        let words: Vec<String> = (1..=800).map(|count| vec!["a"; count].join(" ")).collect();
        let text = vec!["a"; 20_000].join(" ");
        let finder = WholeWords::new(&words).unwrap();
        let mut shorter = HashMap::new();
        let ends = finder.ends(&text, &mut shorter);
        assert_eq!((ends.len(), shorter.len()), (20_000, 0), "one a byte, and no other looked for");
        let found = finder.longest(&text);
        assert_eq!(found.len(), 25);
        assert!(found.iter().all(|(start, end, word)| *word == 799 && end - start == 1_599));
    }

    proptest! {
        #[test]
        fn nothing_whole_is_missed(
            words in prop::collection::vec("[ab .é-]{1,3}|[ab (]{4,10}|a( a){1,5}|b?(a-b ){0,3}a-b", 1..8),
            text in "[ab .é(\u{301}٣-]{0,60}|(a ){0,12}b(a-b ){0,9}a-b",
        ) {
            prop_assert_eq!(found(&words, &text), expected(&words, &text));
        }
    }
}
