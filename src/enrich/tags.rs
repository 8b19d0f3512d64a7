//! Which tags stand in a text (BEHAVIOUR §5, tag matching). One automaton over all distinct tags of a catalog, built
//! once, runs over a normalised copy of the text; each place it proposes is confirmed on the original.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::normal::Normal;
use super::spelling::Spelling;
use crate::catalog::{Catalog, SourceId};
use crate::text::fold::{can_match, collapsed, tag_key};

/// So many places of one tag are told; the rest of a text that is full of it adds nothing to know.
pub const PLACES: usize = 256;

/// Up to so many bytes of patterns the automaton is a full table, the fastest to run and the largest to hold.
const TABLE_BYTES: usize = 4096;

/// All tags of a catalog, ready to be looked for.
pub(crate) struct TagIndex {
    automaton: Option<AhoCorasick>,
    /// For each pattern of the automaton the spellings that begin with it.
    by_pattern: Vec<Vec<usize>>,
    spellings: Vec<Spelling>,
    /// For each spelling the sources that have it: place in the catalog, then place in the source's list.
    holders: Vec<Vec<(usize, usize)>>,
}

/// A source with a tag in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tagged {
    /// Its place in the catalog.
    pub(crate) source: usize,
    /// The places of its tags that matched in its list, in that order; of tags that differ only in case or separators
    /// the first.
    pub(crate) tags: Vec<usize>,
    /// Where they stand, in order, without repeats; at most [`PLACES`] a tag.
    pub(crate) ranges: Vec<Range<usize>>,
}

/// What was found in one or more texts, before it is sorted by source.
pub(crate) struct Found {
    /// How often each spelling was found, up to [`PLACES`].
    counts: Vec<u16>,
    places: Vec<(usize, Range<usize>)>,
}

impl TagIndex {
    /// One automaton over the distinct tags of `sources`: for each its place in the catalog and its tags.
    pub(crate) fn new<'t>(sources: impl Iterator<Item = (usize, &'t [String])>) -> Self {
        let mut spellings = Vec::new();
        let mut holders: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (source, tags) in sources {
            for (place, tag) in tags.iter().enumerate() {
                let key = tag_key(tag);
                let Some(spelling) = Spelling::of(&key) else { continue };
                let at = *known.entry(key).or_insert_with(|| {
                    spellings.push(spelling);
                    holders.push(Vec::new());
                    spellings.len() - 1
                });
                if let Some(holders) = holders.get_mut(at) {
                    holders.push((source, place));
                }
            }
        }
        let (patterns, by_pattern) = patterns(&spellings);
        let automaton = build(&patterns);
        Self { automaton, by_pattern, spellings, holders }
    }

    /// An empty find, to be filled by [`TagIndex::scan`].
    pub(crate) fn start(&self) -> Found {
        Found { counts: vec![0; self.spellings.len()], places: Vec::new() }
    }

    /// Notes every tag that stands in `text.get(within)`, as if nothing stood around it. Overlapping ones count.
    pub(crate) fn scan(&self, text: &str, within: Range<usize>, found: &mut Found) {
        let offset = within.start;
        let (Some(automaton), Some(text)) = (&self.automaton, text.get(within)) else { return };
        let normal = Normal::new(text);
        for hit in automaton.find_overlapping_iter(&normal.bytes) {
            let spellings = self.by_pattern.get(hit.pattern().as_usize()).map_or(&[][..], Vec::as_slice);
            let inside_word = is_inside_word(&normal.bytes, hit.start(), hit.end());
            for &at in spellings {
                let Some(spelling) = self.spellings.get(at) else { continue };
                let Some(count) = found.counts.get_mut(at).filter(|count| usize::from(**count) < PLACES) else {
                    continue;
                };
                if inside_word && spelling.is_plain() {
                    continue;
                }
                let proposed = normal.original(hit.start())..normal.original(hit.end());
                if let Some(range) = spelling.confirm(text, proposed) {
                    *count += 1;
                    found.places.push((at, range.start + offset..range.end + offset));
                }
            }
        }
    }

    /// What was found, by source in catalog order, for the sources that `wanted` lets through.
    pub(crate) fn by_source(&self, mut found: Found, catalog: &Catalog, wanted: impl Fn(usize) -> bool) -> Vec<Tagged> {
        found.places.sort_by_key(|(spelling, range)| (*spelling, range.start, range.end));
        let mut matched: Vec<(usize, usize, &[(usize, Range<usize>)])> = Vec::new();
        for places in found.places.chunk_by(|one, other| one.0 == other.0) {
            let spelling = places.first().map_or(0, |(spelling, _)| *spelling);
            let holders = self.holders.get(spelling).map_or(&[][..], Vec::as_slice);
            matched.extend(
                holders.iter().filter(|(source, _)| wanted(*source)).map(|(source, tag)| (*source, *tag, places)),
            );
        }
        matched.sort_by_key(|(source, tag, _)| (*source, *tag));
        matched
            .chunk_by(|one, other| one.0 == other.0)
            .filter_map(|of_source| {
                let source = of_source.first()?.0;
                let tags = &catalog.sources().get(source)?.tags;
                Some(Tagged {
                    source,
                    tags: first_spelt(of_source.iter().map(|it| it.1), tags),
                    ranges: union(of_source),
                })
            })
            .collect()
    }

    /// Kind of the automaton, number of its patterns, bytes it takes: for figures.
    pub(crate) fn size(&self) -> (&'static str, usize, usize) {
        let Some(automaton) = &self.automaton else { return ("none", 0, 0) };
        let kind = match automaton.kind() {
            AhoCorasickKind::DFA => "DFA",
            AhoCorasickKind::ContiguousNFA => "contiguous NFA",
            _ => "noncontiguous NFA",
        };
        (kind, automaton.patterns_len(), automaton.memory_usage())
    }
}

/// Tags that can match nothing, being made of separators only, each with its source (BEHAVIOUR §5: a diagnostic).
pub fn bad_tags(catalog: &Catalog) -> Vec<(SourceId, String)> {
    let of_source = |source: &crate::catalog::Source| -> Vec<(SourceId, String)> {
        source.tags.iter().filter(|tag| !can_match(tag)).map(|tag| (source.id.clone(), tag.clone())).collect()
    };
    catalog.sources().iter().flat_map(of_source).collect()
}

/// The distinct patterns of some spellings, and for each the spellings that have it.
fn patterns(spellings: &[Spelling]) -> (Vec<&[u8]>, Vec<Vec<usize>>) {
    let mut patterns: Vec<&[u8]> = Vec::with_capacity(spellings.len());
    let mut by_pattern: Vec<Vec<usize>> = Vec::with_capacity(spellings.len());
    let mut known: HashMap<&[u8], usize> = HashMap::with_capacity(spellings.len());
    for (at, spelling) in spellings.iter().enumerate() {
        let pattern = *known.entry(spelling.pattern()).or_insert_with(|| {
            patterns.push(spelling.pattern());
            by_pattern.push(Vec::new());
            patterns.len() - 1
        });
        if let Some(spellings) = by_pattern.get_mut(pattern) {
            spellings.push(at);
        }
    }
    (patterns, by_pattern)
}

fn build(patterns: &[&[u8]]) -> Option<AhoCorasick> {
    let bytes: usize = patterns.iter().map(|pattern| pattern.len()).sum();
    let kind = if bytes <= TABLE_BYTES { AhoCorasickKind::DFA } else { AhoCorasickKind::ContiguousNFA };
    // Tags too large for an automaton (several gigabytes) are not found; there is no other way to fail.
    AhoCorasick::builder().match_kind(MatchKind::Standard).kind(Some(kind)).build(patterns).ok()
}

/// Whether an ASCII letter or digit stands next to a proposed place: the common case, told without looking back.
fn is_inside_word(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    before.is_some_and(u8::is_ascii_alphanumeric) || bytes.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

/// Of tags that differ only in case or separators the first; `matched` are places in `tags`, ascending.
fn first_spelt(matched: impl Iterator<Item = usize>, tags: &[String]) -> Vec<usize> {
    let mut seen: Vec<String> = Vec::new();
    let mut first = Vec::new();
    for at in matched {
        let key = tags.get(at).map(|tag| collapsed(&tag_key(tag))).unwrap_or_default();
        if !seen.contains(&key) {
            seen.push(key);
            first.push(at);
        }
    }
    first
}

fn union(matched: &[(usize, usize, &[(usize, Range<usize>)])]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> =
        matched.iter().flat_map(|it| it.2.iter().map(|(_, range)| range.clone())).collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup();
    ranges
}
