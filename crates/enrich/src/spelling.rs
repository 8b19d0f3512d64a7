//! Matches one spelling of a tag at a position of a text (BEHAVIOUR §5, tag matching). The automaton of `tags` proposes
//! positions; this module applies the rules about separators and neighbours to the original text.

use std::ops::Range;

use super::normal::{
    MANY, ONE, SeparatorCount, SeparatorRun, follows_carriage_return, separators_before, separators_from,
};
use refdesk_text::fold::{fold, is_separator};
use refdesk_text::words::is_whole;

/// A folded tag with a blank for each separator. Tags with the same key match the same texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spelling<'k> {
    /// The key without leading and trailing separators.
    core: &'k str,
    /// Separators before the core: `--verbose` has 2.
    lead: usize,
    /// Separators after the core.
    trail: usize,
}

impl<'k> Spelling<'k> {
    /// From a key made by `text::fold::tag_key`; `None` if the key consists only of separators.
    pub(crate) fn of(key: &'k str) -> Option<Self> {
        let core = key.trim_matches(' ');
        let lead = key.len() - key.trim_start_matches(' ').len();
        let trail = key.len() - key.trim_end_matches(' ').len();
        (!core.is_empty()).then_some(Self { core, lead, trail })
    }

    /// The bytes to search for in a normalised text: the core up to the first run of several separators.
    pub(crate) fn pattern(&self) -> &'k [u8] {
        self.core.split("  ").next().unwrap_or_default().as_bytes()
    }

    /// Whether the pattern is the whole spelling, so that only the neighbours remain to be checked.
    pub(crate) fn is_plain(&self) -> bool {
        self.lead == 0 && self.trail == 0 && !self.core.contains("  ")
    }

    /// An upper bound, in steps, for one call of [`Self::confirm`] or [`Self::place`].
    pub(crate) fn steps(&self) -> usize {
        let walked = self.core.len() - self.pattern().len();
        if self.is_plain() { 0 } else { 1 + self.lead + self.trail + walked + self.core.len() / 8 }
    }

    /// The range of this spelling in `text` if its pattern at `pattern` is a whole-word match.
    pub(crate) fn confirm(&self, text: &str, pattern: Range<usize>) -> Option<Range<usize>> {
        self.range(text, pattern, |start, end| is_whole(text, start, end))
    }

    /// Like [`Self::confirm`], without checking the neighbours.
    pub(crate) fn place(&self, text: &str, pattern: Range<usize>) -> Option<Range<usize>> {
        self.range(text, pattern, |_, _| true)
    }

    /// The range of this spelling with neighbours that `allowed` accepts, given its start and its end.
    fn range(&self, text: &str, pattern: Range<usize>, allowed: impl Fn(usize, usize) -> bool) -> Option<Range<usize>> {
        if self.is_plain() {
            return allowed(pattern.start, pattern.end).then_some(pattern);
        }
        let end = self.walk(text, pattern.end)?;
        let start = self.start_before(text, pattern.start, |start| allowed(start, text.len()))?;
        Some(start..self.end_after(text, end, |end| allowed(0, end))?)
    }

    /// The end of the core, given that its pattern ends at byte `at`.
    fn walk(&self, text: &str, mut at: usize) -> Option<usize> {
        let mut key = self.core.get(self.pattern().len()..)?;
        while let Some(wanted) = key.chars().next() {
            if wanted == ' ' {
                let rest = key.trim_start_matches(' ');
                let pieces = SeparatorRun::at(text, at);
                if !pieces.counts.contains(&(key.len() - rest.len())) {
                    return None;
                }
                (key, at) = (rest, pieces.end);
            } else {
                let c = text.get(at..)?.chars().next()?;
                if is_separator(c) || fold(c) != wanted {
                    return None;
                }
                key = key.get(wanted.len_utf8()..)?;
                at += c.len_utf8();
            }
        }
        Some(at)
    }

    /// The start of the match whose core starts at `core`: the nearest start that is allowed.
    fn start_before(&self, text: &str, core: usize, allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let places = separators_before(text, core).map(|(range, c)| {
            let joined = c == '\n' && follows_carriage_return(text, range.start);
            (range.start, c, joined)
        });
        nearest(self.lead, core, places, allowed)
    }

    /// The end of the match whose core ends at `core`: the nearest end that is allowed.
    fn end_after(&self, text: &str, core: usize, allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let places = separators_from(text, core).map(|(range, c)| {
            let joined = range.start > core && follows_carriage_return(text, range.start);
            (range.end, c, joined)
        });
        nearest(self.trail, core, places, allowed)
    }
}

/// The nearest position outward from `core` with exactly `wanted` separators in between and an allowed neighbour.
fn nearest(
    wanted: usize,
    core: usize,
    places: impl Iterator<Item = (usize, char, bool)>,
    allowed: impl Fn(usize) -> bool,
) -> Option<usize> {
    if wanted == 0 {
        return allowed(core).then_some(core);
    }
    let mut tally = SeparatorCount::default();
    for (edge, c, joined) in places {
        tally.add(c, joined);
        if tally.fewest > wanted {
            return None;
        }
        if tally.most >= wanted && allowed(edge) {
            return Some(edge);
        }
    }
    None
}

// A key has a blank where the normalised text has ONE; MANY is never in a pattern.
const _: () = assert!(ONE == b' ' && MANY != b' ');
