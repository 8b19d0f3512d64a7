//! An automaton that proposes positions of tag patterns in a text. It is rebuilt with every catalog, so it must be fast
//! to build; it runs over the folded text and skips to positions where a tag may begin.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::contiguous::NFA;

use super::normal::Folded;
use super::prefix_filter::PrefixPositions;
use refdesk_text::whole::PADDING;
use refdesk_text::words::forbidding_after;

/// Up to this many patterns that end at the same byte are reported without checking whether they are still wanted.
const FEW: usize = 4;

/// Finds patterns in texts.
pub(crate) struct Proposals {
    states: NFA,
    start: StateID,
    beginnings: PrefixPositions,
    /// For each pattern, whether its tag continues after it with separators.
    goes_on: Vec<bool>,
}

impl Proposals {
    /// Builds the automaton from folded patterns and whether the tag of each continues. `None` without patterns, or if
    /// they take several gigabytes.
    pub(crate) fn new(patterns: &[&[u8]], goes_on: Vec<bool>) -> Option<Self> {
        if patterns.is_empty() {
            return None;
        }
        // The library's own prefilter is unsuited to so many words.
        let words = std::iter::once(&PADDING[..]).chain(patterns.iter().copied());
        let states = NFA::builder().prefilter(false).build(words).ok()?;
        let start = states.start_state(Anchored::No).ok()?;
        Some(Self { states, start, beginnings: PrefixPositions::new(patterns), goes_on })
    }

    /// Calls `report` with the pattern and the range for every position where a pattern may be a whole word, and for
    /// some others. Once it returns false for a pattern, at most a few more positions of it are reported.
    pub(crate) fn whole(&self, text: &str, report: impl FnMut(usize, Range<usize>) -> bool) {
        let may_end = |at| forbidding_after(text, at).is_none();
        self.run(text, |from| self.beginnings.next(text.as_bytes(), from), may_end, report);
    }

    /// Like [`Self::whole`], for every match of a pattern, whole word or not.
    pub(crate) fn all(&self, text: &str, report: impl FnMut(usize, Range<usize>) -> bool) {
        self.run(text, Some, |_| true, report);
    }

    fn run(
        &self,
        text: &str,
        next: impl Fn(usize) -> Option<usize>,
        may_end: impl Fn(usize) -> bool,
        mut report: impl FnMut(usize, Range<usize>) -> bool,
    ) {
        let (mut at, mut state) = (0, self.start);
        // Hundreds of nested patterns can end at the same byte, so this caches which are still wanted, by state and by
        // whether a whole word may end there.
        let mut wanted: HashMap<(StateID, bool), Vec<usize>> = HashMap::new();
        let goes_on = |state: StateID, index: usize| {
            let pattern = self.states.match_pattern(state, index).as_usize().checked_sub(1);
            pattern.and_then(|pattern| self.goes_on.get(pattern)).copied().unwrap_or_default()
        };
        let mut track = Track::default();
        loop {
            if state == self.start {
                match next(at) {
                    Some(place) => at = place,
                    None => return,
                }
                track.begin(at);
            }
            let Some(folded) = Folded::at(text, at) else { return };
            for byte in folded.bytes() {
                state = self.states.next_state(Anchored::No, state, *byte);
            }
            track.add(folded.bytes().len(), folded.end - at);
            at = folded.end;
            // Patterns consist of whole characters, so none ends inside one.
            if self.states.is_match(state) {
                let mut report = |index: usize| {
                    let pattern = self.states.match_pattern(state, index);
                    let start = track.back(self.states.pattern_len(pattern));
                    let (Some(pattern), Some(start)) = (pattern.as_usize().checked_sub(1), start) else { return false };
                    report(pattern, start..at)
                };
                match self.states.match_len(state) {
                    count @ ..=FEW => {
                        for index in 0..count {
                            report(index);
                        }
                    }
                    count => {
                        let may_end = may_end(at);
                        let all = || (0..count).filter(|index| may_end || goes_on(state, *index)).collect();
                        wanted.entry((state, may_end)).or_insert_with(all).retain(|index| report(*index));
                    }
                }
            }
        }
    }

    /// Kind, number of patterns and size in bytes, for statistics.
    pub(crate) fn size(&self) -> (&'static str, usize, usize) {
        ("contiguous NFA behind a filter", self.states.patterns_len().saturating_sub(1), self.states.memory_usage())
    }
}

/// Maps folded bytes back to bytes of the text, starting where the automaton left its start state.
#[derive(Default)]
struct Track {
    begin: usize,
    /// Pairs of folded offset and text offset, from each of which both advance together.
    steps: Vec<(usize, usize)>,
    folded: usize,
    text: usize,
}

impl Track {
    fn begin(&mut self, at: usize) {
        self.steps.clear();
        (self.begin, self.folded, self.text) = (at, 0, at);
    }

    #[inline]
    fn add(&mut self, folded: usize, text: usize) {
        self.folded += folded;
        self.text += text;
        if folded != text {
            self.steps.push((self.folded, self.text));
        }
    }

    /// The text offset that is `folded` folded bytes back.
    #[inline]
    fn back(&self, folded: usize) -> Option<usize> {
        let then = self.folded.checked_sub(folded)?;
        let before = self.steps.partition_point(|(folded, _)| *folded <= then);
        let (from, text) =
            before.checked_sub(1).and_then(|last| self.steps.get(last)).copied().unwrap_or((0, self.begin));
        Some(text + (then - from))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spelling::Spelling;
    use refdesk_text::fold::tag_key;

    fn found(all: bool, patterns: &[&[u8]], goes_on: Vec<bool>, text: &str) -> Vec<(usize, Range<usize>)> {
        let proposals = Proposals::new(patterns, goes_on).unwrap();
        let mut found = Vec::new();
        let report = |pattern, place| {
            found.push((pattern, place));
            true
        };
        if all {
            proposals.all(text, report);
        } else {
            proposals.whole(text, report);
        }
        found
    }

    #[test]
    fn positions_of_patterns() {
        let patterns: [&[u8]; 4] = [b"ab", b"b", "ké b".as_bytes(), b"x b"];
        let text = "xAB \u{212a}É\u{a0}\n B x-b";
        let places: Vec<(usize, &str)> = found(true, &patterns, vec![false; 4], text)
            .into_iter()
            .map(|(pattern, at)| (pattern, &text[at]))
            .collect();
        assert_eq!(places, [(0, "AB"), (1, "B"), (2, "\u{212a}É\u{a0}\n B"), (1, "B"), (3, "x-b"), (1, "b")]);
    }

    proptest! {
        /// Every tag that is a whole word is proposed, with or without the prefilter.
        #[test]
        fn nothing_whole_is_missed(
            tags in prop::collection::vec("[abkKsé\u{212a}+. -]{1,4}|[ab -]{7,11}|a( a){0,7}[- ]{0,2}", 1..12),
            text in "[abABkKsSé\u{212a}\u{17f}É+./\n -]{0,40}|(a[- ]{1,2}){0,20}",
        ) {
            let keys: Vec<String> = tags.iter().map(|tag| tag_key(tag)).collect();
            let spellings: Vec<Spelling> = keys.iter().filter_map(|key| Spelling::of(key)).collect();
            let patterns: Vec<&[u8]> = spellings.iter().map(Spelling::pattern).collect();
            prop_assume!(!patterns.is_empty());
            let confirmed = |all: bool| {
                let goes_on = spellings.iter().map(|spelling| !spelling.is_plain()).collect();
                let mut places: Vec<_> = found(all, &patterns, goes_on, &text)
                    .into_iter()
                    .filter_map(|(at, place)| Some((at, spellings.get(at)?.confirm(&text, place)?)))
                    .map(|(at, place)| (at, place.start, place.end))
                    .collect();
                places.sort_unstable();
                places.dedup();
                places
            };
            prop_assert_eq!(confirmed(false), confirmed(true));
        }
    }
}
