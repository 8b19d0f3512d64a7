//! The sources that a text would bring up, and why others get no hint: for people who inspect a prompt, not for agents.
//! Only `find` decides which sources get a hint; this module explains the others (BEHAVIOUR §5, tag matching).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::ranking::Rejection;
use super::tags::TagIndex;
use super::{Findings, Matcher, injected};
use refdesk_core::catalog::{Catalog, Mode, Source, SourceId};
use refdesk_core::selection::{Parents, Role, Selection};
use refdesk_text::fold::can_match;
use refdesk_text::words::{forbidding_after, forbidding_before, forbids, is_letter, is_word};

/// The most sources listed one by one, not counting those mentioned by id.
pub(crate) const MAX_LISTED: usize = 50;

/// The most characters of the longer word shown on either side of a tag.
const CONTEXT: usize = 24;

/// A source that matches a text but gets no hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedSource {
    /// Its id.
    pub id: SourceId,
    /// Its tags that occur in the text, trimmed, in the source's order; empty if only its `@id` occurs.
    pub tags: Vec<String>,
    /// Their positions: byte ranges, in order.
    pub ranges: Vec<Range<usize>>,
    /// Why it gets no hint.
    pub why: WhyNot,
}

/// Why a source gets no hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyNot {
    /// The text mentions it by `@id`, which gives more than a hint.
    Named,
    /// It is excluded.
    Excluded,
    /// It is already picked.
    Picked,
    /// These sources already pull it in.
    PulledIn(Parents),
    /// It is always in the instructions.
    Auto,
    /// Hints are off: `selectReferences` is in `exclude_tools`.
    HintsOff,
    /// The tag occurs only as part of a longer word, path or name.
    Inside {
        /// The longer word, shortened if it is long.
        piece: String,
        /// The adjacent character that makes the tag part of it.
        neighbour: Neighbour,
    },
    /// The tag has only separators, which never match; in an answer about one source, all of its tags.
    EmptyTag,
    /// It has no tags. This and the following variants are used only in answers about a single source.
    NoTags,
    /// Its tags occur only in blocks that refdesk itself appended.
    OwnBlock,
    /// None of its tags is in the text.
    Absent {
        /// A tag, and words of the text that may be a misspelling of it.
        near: Option<(String, String)>,
    },
    /// The session already received this hint, or the source itself.
    AlreadySent,
    /// It does not fit the budget.
    NoRoom,
    /// It has no tag in the text, and its own text cannot be read, because it is missing or not trusted.
    Unreadable,
    /// Its score rules it out.
    Rejected(Rejection),
    /// A block in the text already contains the hint, or reports that it did not fit.
    AlreadyInText,
}

/// The character next to a tag that makes the tag part of something longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// It is before the tag.
    Before(char),
    /// It is after the tag.
    After(char),
}

/// A tag that occurs in a text only as part of something longer.
pub(super) struct PartialTag {
    pub(super) range: Range<usize>,
    pub(super) neighbour: Neighbour,
    pub(super) rank: Rank,
}

/// Sort order: the likeliest near misses first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Tagged,
    InPathOrName,
    Empty,
    InWord,
    /// Letters on both sides: not meant, and reported only in answers about this source.
    DeepInWord,
}

impl Matcher {
    /// The result of [`Matcher::find`], plus the sources that match but get no hint: first those with a tag in the
    /// text, then those whose tag is part of a path or a longer name, then those whose tag is part of a longer word;
    /// each group in catalog order. Tags with letters on both sides are ignored.
    pub fn candidates(&self, text: &str, catalog: &Catalog, selection: &Selection, exclude_hints: bool) -> Findings {
        let parts = injected::outside(text);
        let mut findings = self.find_within(text, &parts, catalog, selection, exclude_hints);
        let mut search = Search { matcher: self, text, parts: &parts, catalog, selection, passed: Vec::new() };
        search.tagged(&findings);
        search.named_but_excluded();
        search.near(&findings);
        let (mut passed, named): (Vec<_>, Vec<_>) =
            search.passed.into_iter().partition(|(.., passed)| passed.why != WhyNot::Named);
        passed.sort_by_key(|(rank, at, _)| (*rank, *at));
        findings.more = passed.len().saturating_sub(MAX_LISTED);
        passed.truncate(MAX_LISTED);
        findings.passed = passed.into_iter().chain(named).map(|(.., passed)| passed).collect();
        findings
    }
}

struct Search<'a> {
    matcher: &'a Matcher,
    text: &'a str,
    parts: &'a [Range<usize>],
    catalog: &'a Catalog,
    selection: &'a Selection,
    /// Each with its position in the catalog.
    passed: Vec<(Rank, usize, SkippedSource)>,
}

impl Search<'_> {
    /// Adds sources with a tag in the text that get no hint.
    fn tagged(&mut self, findings: &Findings) {
        let hinted: HashSet<&str> = findings.hints.iter().map(|hint| hint.id.as_str()).collect();
        let named: HashSet<&str> = findings.expansions.iter().map(|it| it.id.as_str()).collect();
        let index = self.matcher.tagged(self.catalog);
        let mut found = index.start();
        for part in self.parts {
            index.scan(self.text, part.clone(), &mut found);
        }
        let sources = self.catalog.sources();
        let other = |at: usize| sources.get(at).is_some_and(|source| !hinted.contains(source.id.as_str()));
        for tagged in index.by_source(found, self.catalog, other) {
            let Some(source) = sources.get(tagged.source) else { continue };
            let why = match why_not_by_state(source, self.selection) {
                _ if named.contains(source.id.as_str()) => WhyNot::Named,
                Some(why) => why,
                None => WhyNot::HintsOff,
            };
            let tags = tagged.tags.iter().filter_map(|at| source.tags.get(*at)).map(|tag| tag.trim().to_owned());
            let passed = SkippedSource { id: source.id.clone(), tags: tags.collect(), ranges: tagged.ranges, why };
            self.passed.push((Rank::Tagged, tagged.source, passed));
        }
    }

    /// Adds excluded sources mentioned by `@id`, which are not expanded.
    fn named_but_excluded(&mut self) {
        if self.selection.excluded().is_empty() {
            return;
        }
        let known: HashSet<SourceId> = self.passed.iter().map(|(.., passed)| passed.id.clone()).collect();
        for named in self.matcher.expansions(self.text, self.parts, self.catalog, &HashSet::new(), None) {
            let Some(at) = self.catalog.position(named.id.as_str()) else { continue };
            if self.selection.is_excluded(named.id.as_str()) && !known.contains(&named.id) {
                let ranges = vec![named.range];
                let passed = SkippedSource { id: named.id, tags: Vec::new(), ranges, why: WhyNot::Excluded };
                self.passed.push((Rank::Tagged, at, passed));
            }
        }
    }

    /// Adds sources that would get a hint if their tag were not part of something longer, or empty.
    fn near(&mut self, findings: &Findings) {
        let known = findings.expansions.iter().map(|it| &it.id).chain(findings.hints.iter().map(|it| &it.id));
        let known: HashSet<SourceId> = known.chain(self.passed.iter().map(|(.., it)| &it.id)).cloned().collect();
        let index = self.matcher.tagged(self.catalog);
        let mut best: HashMap<usize, (Rank, usize, SkippedSource)> = HashMap::new();
        let mut offer = |at: usize, tag: usize, rank: Rank, why: &dyn Fn() -> (Range<usize>, WhyNot)| {
            let Some(source) = self.catalog.sources().get(at) else { return };
            if known.contains(&source.id) || why_not_by_state(source, self.selection).is_some() {
                return;
            }
            if best.get(&at).is_some_and(|(known, known_tag, _)| (*known, *known_tag) <= (rank, tag)) {
                return;
            }
            let (range, why) = why();
            let tags = source.tags.get(tag).map(|tag| tag.trim().to_owned()).into_iter().collect();
            best.insert(at, (rank, tag, SkippedSource { id: source.id.clone(), tags, ranges: vec![range], why }));
        };
        let near = near_misses(index, self.text, self.parts).into_iter();
        for (spelling, near) in near.filter(|(_, near)| near.rank != Rank::DeepInWord) {
            for (at, tag) in index.holders(spelling) {
                offer(at, tag, near.rank, &|| {
                    let piece = piece(self.text, &near.range);
                    (near.range.clone(), WhyNot::Inside { piece, neighbour: near.neighbour })
                });
            }
        }
        for (at, source) in self.catalog.sources().iter().enumerate() {
            for (nth, tag) in source.tags.iter().enumerate().filter(|(_, tag)| !can_match(tag)) {
                let Some(range) = find_in(self.text, self.parts, tag.trim()) else { continue };
                offer(at, nth, Rank::Empty, &|| (range.clone(), WhyNot::EmptyTag));
            }
        }
        self.passed.extend(best.into_iter().map(|(at, (rank, _, passed))| (rank, at, passed)));
    }
}

/// Reasons against a hint that do not depend on the text.
pub(super) fn why_not_by_state(source: &Source, selection: &Selection) -> Option<WhyNot> {
    let id = source.id.as_str();
    if selection.is_excluded(id) {
        return Some(WhyNot::Excluded);
    }
    match selection.member(id) {
        Some(member) if member.role == Role::Picked => Some(WhyNot::Picked),
        Some(member) if member.role == Role::Transitive => Some(WhyNot::PulledIn(member.parents.clone())),
        _ => (source.mode == Mode::Auto).then_some(WhyNot::Auto),
    }
}

/// For each spelling that is part of something longer in the text, the most informative match.
pub(super) fn near_misses(index: &TagIndex, text: &str, parts: &[Range<usize>]) -> HashMap<usize, PartialTag> {
    let mut found: HashMap<usize, PartialTag> = HashMap::new();
    for part in parts {
        let within = text.get(part.clone()).unwrap_or_default();
        index.places(text, part.clone(), |spelling, range| {
            // As for hints, each part is matched as if nothing surrounded it.
            let (start, end) = (range.start - part.start, range.end - part.start);
            let (before, after) = (forbidding_before(within, start), forbidding_after(within, end));
            // A whole-word match is not a near miss.
            let Some((neighbour, rank)) = judged(before, after) else { return false };
            if found.get(&spelling).is_none_or(|known| rank < known.rank) {
                found.insert(spelling, PartialTag { range, neighbour, rank });
            }
            rank != Rank::InPathOrName
        });
    }
    found
}

/// The neighbour of a tag to report: preferably one from a path or name, not from a word.
fn judged(before: Option<char>, after: Option<char>) -> Option<(Neighbour, Rank)> {
    let is_deep = before.is_some_and(is_letter) && after.is_some_and(is_letter);
    let (before, after) = (before.map(Neighbour::Before), after.map(Neighbour::After));
    let joins = |it: &Neighbour| matches!(it, Neighbour::Before(c) | Neighbour::After(c) if !is_word(*c));
    let named = before.filter(joins).or(after.filter(joins)).map(|it| (it, Rank::InPathOrName));
    named.or(before.or(after).map(|it| (it, if is_deep { Rank::DeepInWord } else { Rank::InWord })))
}

/// The longer word around `range`: up to the next blank, bracket, quote or comma, shortened on either side.
pub(super) fn piece(text: &str, range: &Range<usize>) -> String {
    let glued = |c: &char| forbids(*c) || *c == ':';
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let head: Vec<char> = before.chars().rev().take_while(glued).take(CONTEXT + 1).collect();
    let tail: Vec<char> = after.chars().take_while(glued).take(CONTEXT + 1).collect();
    let cut = |is_long: bool| if is_long { "…" } else { "" };
    let shown_tail: String = tail.iter().take(CONTEXT).collect();
    let shown_tail = if tail.len() > CONTEXT { shown_tail.as_str() } else { shown_tail.trim_end_matches(['.', ':']) };
    let shown_head: String = head.iter().take(CONTEXT).rev().collect();
    let itself = text.get(range.clone()).unwrap_or_default();
    format!("{}{shown_head}{itself}{shown_tail}{}", cut(head.len() > CONTEXT), cut(tail.len() > CONTEXT))
}

/// The first position of these characters, if any.
fn find_in(text: &str, parts: &[Range<usize>], wanted: &str) -> Option<Range<usize>> {
    if wanted.is_empty() {
        return None;
    }
    let first = |part: &Range<usize>| Some(part.start + text.get(part.clone())?.find(wanted)?);
    parts.iter().find_map(first).map(|at| at..at + wanted.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{inline, selection};

    fn tags(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|tag| (*tag).to_owned()).collect()
    }

    /// `id tag, tag at "place", "place": why`, one line per source.
    fn reported(findings: &Findings, text: &str) -> Vec<String> {
        let line = |it: &SkippedSource| {
            let places: Vec<&str> = it.ranges.iter().map(|range| &text[range.clone()]).collect();
            let why = match &it.why {
                WhyNot::PulledIn(parents) => format!("pulled in by {}", parents.iter().next().unwrap()),
                WhyNot::Inside { piece, neighbour: Neighbour::Before(c) } => format!("in {piece}, {c} before"),
                WhyNot::Inside { piece, neighbour: Neighbour::After(c) } => format!("in {piece}, {c} after"),
                why => format!("{why:?}"),
            };
            format!("{} [{}] at [{}]: {why}", it.id, it.tags.join(", "), places.join(", "))
        };
        findings.passed.iter().map(line).collect()
    }

    #[test]
    fn why_a_source_is_passed_over() {
        let mut auto = inline("auto", &tags(&["blue"]), "");
        auto.mode = Mode::Auto;
        let catalog = Catalog::new(vec![
            auto,
            inline("sel", &tags(&["blue", "red"]), ""),
            inline("pulled", &tags(&["red", "RED"]), ""),
            inline("barred", &tags(&["red"]), ""),
            inline("free", &tags(&["red", "spring boot"]), ""),
            inline("hollow", &tags(&[" -- ", "", "x-y"]), ""),
        ]);
        let selection = selection(&["sel"], &[("pulled", &["sel"])], &["barred"]);
        for (text, hints_off, expected) in [
            ("nothing", false, vec![]),
            ("", false, vec![]),
            ("blue", false, vec!["auto [blue] at [blue]: Auto", "sel [blue] at [blue]: Picked"]),
            ("@auto blue", false, vec!["sel [blue] at [blue]: Picked", "auto [blue] at [blue]: Named"]),
            (
                "red Red",
                false,
                vec![
                    "sel [red] at [red, Red]: Picked",
                    "pulled [red] at [red, Red]: pulled in by sel",
                    "barred [red] at [red, Red]: Excluded",
                ],
            ),
            ("@barred @free", false, vec!["barred [] at [barred]: Excluded"]),
            ("spring boot", true, vec!["free [spring boot] at [spring boot]: HintsOff"]),
            ("use spring-boots", false, vec!["free [spring boot] at [spring-boot]: in spring-boots, s after"]),
            ("infrared or red-ish", false, vec!["free [red] at [red]: in red-ish, - after"]),
            ("infrareds", false, vec![]),
            ("infrared", false, vec!["free [red] at [red]: in infrared, a before"]),
            ("so -- then", false, vec!["hollow [--] at [--]: EmptyTag"]),
            ("- @x-y.", false, vec![]),
            ("ax-y", false, vec!["hollow [x-y] at [x-y]: in ax-y, a before"]),
        ] {
            let matcher = Matcher::default();
            let found = matcher.candidates(text, &catalog, &selection, hints_off);
            assert_eq!(reported(&found, text), tags(&expected), "{text}");
            assert_eq!(found.more, 0);
        }
    }

    #[test]
    fn which_neighbour_forbids() {
        for (tag, text, expected) in [
            ("java", "src/java/x", "in src/java/x, / before"),
            ("java", "see CircuitBreaker.java, and", "in CircuitBreaker.java, . before"),
            ("java", "(java-based)", "in java-based, - after"),
            ("java", "java.util.", "in java.util, . after"),
            ("java", r"C:\java", r"in C:\java, \ before"),
            ("java", "JavaScript", "in JavaScript, S after"),
            ("java", "java8", "in java8, 8 after"),
            ("java", "javascript and src/java", "in src/java, / before"),
            ("java", "my_java8", "in my_java8, _ before"),
            ("go", "golang", "in golang, l after"),
            ("--verbose", "x--verbose", "in x--verbose, x before"),
            ("a  b", "xa - b", ""),
            ("日本", "日本語", "in 日本語, 語 after"),
            ("java", "java", ""),
            ("java", "src/java java", ""),
            ("ai", "certain", ""),
            ("c", "C++", ""),
        ] {
            let catalog = Catalog::new(vec![inline("s", &tags(&[tag]), "")]);
            let found = Matcher::default().candidates(text, &catalog, &selection(&[], &[], &[]), false);
            let shown = reported(&found, text).first().map(|it| it.split("]: ").nth(1).unwrap().to_owned());
            assert_eq!(shown.unwrap_or_default(), expected, "{tag} in {text}");
        }
    }

    #[test]
    fn long_pieces_are_shortened_and_many_sources_counted() {
        let sources = (0..MAX_LISTED + 7).map(|at| inline(&format!("s{at:02}"), &tags(&["java"]), "")).collect();
        let catalog = Catalog::new(sources);
        let text = format!("{}/java/{}", "a".repeat(90), "é".repeat(90));
        let found = Matcher::default().candidates(&text, &catalog, &selection(&[], &[], &[]), false);
        assert_eq!((found.passed.len(), found.more), (MAX_LISTED, 7));
        let WhyNot::Inside { piece, .. } = &found.passed[0].why else { panic!("{found:?}") };
        assert_eq!(*piece, format!("…{}/java/{}…", "a".repeat(23), "é".repeat(23)));
    }

    #[test]
    fn refdesks_own_blocks_are_ignored() {
        let catalog = Catalog::new(vec![inline("one", &tags(&["red"]), "")]);
        let text = "é\n\n---\n**Referenced Sources:**\n\nx/red -\n---\n";
        let found = Matcher::default().candidates(text, &catalog, &selection(&[], &[], &[]), false);
        assert_eq!(found, Findings::default());
    }

    proptest! {
        #[test]
        fn it_agrees_with_find_and_lists_each_source_once(
            words in proptest::collection::vec(
                proptest::sample::select(&["java", "@a", "@c", "x/java", "red", "red-hot", "-", "infrared", "é", "\n"][..]),
                0..12,
            ),
            off in any::<bool>(),
        ) {
            let catalog = Catalog::new(vec![
                inline("a", &tags(&["java"]), ""),
                inline("b", &tags(&["red", "java"]), ""),
                inline("c", &tags(&["red", "-"]), ""),
                inline("d", &tags(&["red"]), ""),
                inline("e", &tags(&["hot", "-", "é"]), ""),
            ]);
            let selection = selection(&["b"], &[], &["c"]);
            let text = words.join(" ");
            let matcher = Matcher::default();
            let (found, plain) =
                (matcher.candidates(&text, &catalog, &selection, off), matcher.find(&text, &catalog, &selection, off));
            prop_assert_eq!((&found.expansions, &found.hints), (&plain.expansions, &plain.hints));
            prop_assert!(plain.passed.is_empty());
            let mut ids: Vec<&str> = found.hints.iter().map(|it| it.id.as_str()).collect();
            ids.extend(found.passed.iter().map(|it| it.id.as_str()));
            let named: Vec<&str> = found.expansions.iter().map(|it| it.id.as_str()).collect();
            for passed in &found.passed {
                prop_assert_eq!(passed.why == WhyNot::Named, named.contains(&passed.id.as_str()));
            }
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), count);
        }
    }
}
