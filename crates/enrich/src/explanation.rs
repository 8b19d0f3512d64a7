//! Explains whether one source gets a hint for one text, and if not, why. [`Matcher::candidates`] explains all sources
//! that a text matches; this module always answers for the source asked about.

use std::collections::HashSet;
use std::ops::Range;

use super::candidates::{near_misses, piece, why_not_by_state};
use super::injected::{complement, own_blocks};
use super::tags::TagIndex;
use super::{Matcher, WhyNot};
use refdesk_core::catalog::{Catalog, Source};
use refdesk_core::selection::Selection;
use refdesk_text::fold::{can_match, is_separator, tag_key};

/// The minimum length of a tag in a suggestion; shorter tags are close to too many words.
const NEAR_FROM: usize = 4;

/// The match of one source with a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchExplanation {
    /// Its tags that are in the text, trimmed, in the source's order, each with the byte offset of its first match.
    pub matched: Vec<(String, usize)>,
    /// Why there is no hint; `None` if there is one, regardless of what the session already received.
    pub why: Option<WhyNot>,
    /// The tag that the reason is about, if any.
    pub tag: Option<String>,
    /// The position that the reason is about: the `@id`, the longer word, or the words nearest to a tag.
    pub at: Option<Range<usize>>,
}

impl Matcher {
    /// Explains this source for a text. Reasons that do not depend on the text take precedence.
    pub fn explain(
        &self,
        source: &Source,
        text: &str,
        catalog: &Catalog,
        selection: &Selection,
        exclude_hints: bool,
    ) -> MatchExplanation {
        let own = own_blocks(text);
        let parts = complement(text, &own);
        let index = TagIndex::new(std::iter::once((0, source.tags.as_slice())), |_| true);
        let alone = Catalog::new(vec![source.clone()]);
        let tagged = |parts: &[Range<usize>]| -> Vec<(String, usize)> {
            let mut found = index.start();
            parts.iter().for_each(|part| index.scan(text, part.clone(), &mut found));
            let tagged = index.by_source(found, &alone, |_| true).pop();
            let firsts = tagged.into_iter().flat_map(|it| it.tags.into_iter().zip(it.firsts));
            firsts.filter_map(|(tag, first)| Some((tag_of(source, tag)?, first))).collect()
        };
        let here = MatchExplanation { matched: tagged(&parts), ..MatchExplanation::default() };
        let because = |why: WhyNot| MatchExplanation { why: Some(why), ..here.clone() };
        let named = || self.expansions(text, &parts, catalog, &HashSet::new(), None);
        if !selection.is_excluded(source.id.as_str())
            && let Some(named) = named().into_iter().find(|named| named.id == source.id)
        {
            return MatchExplanation { at: Some(named.range), ..because(WhyNot::Named) };
        }
        if let Some(why) = why_not_by_state(source, selection) {
            return because(why);
        }
        if exclude_hints {
            return because(WhyNot::HintsOff);
        }
        if !here.matched.is_empty() {
            return here;
        }
        if source.tags.is_empty() {
            return because(WhyNot::NoTags);
        }
        if !source.tags.iter().any(|tag| can_match(tag)) {
            return because(WhyNot::EmptyTag);
        }
        if let Some(inside) = inside(source, &index, text, &parts) {
            return inside;
        }
        if let Some((tag, _)) = tagged(&own).into_iter().next() {
            return MatchExplanation { tag: Some(tag), ..because(WhyNot::OwnBlock) };
        }
        let (near, at) = near(source, text, &parts).unzip();
        MatchExplanation { at, ..because(WhyNot::Absent { near }) }
    }
}

fn tag_of(source: &Source, at: usize) -> Option<String> {
    source.tags.get(at).map(|tag| tag.trim().to_owned())
}

/// The most informative match of a tag that occurs as part of something longer.
fn inside(source: &Source, index: &TagIndex, text: &str, parts: &[Range<usize>]) -> Option<MatchExplanation> {
    let near = near_misses(index, text, parts).into_iter();
    let near = near.filter_map(|(spelling, near)| Some((index.holders(spelling).next()?.1, near)));
    let (tag, near) = near.min_by_key(|(tag, near)| (near.rank, *tag))?;
    let why = WhyNot::Inside { piece: piece(text, &near.range), neighbour: near.neighbour };
    Some(MatchExplanation {
        why: Some(why),
        tag: tag_of(source, tag),
        at: Some(near.range),
        ..MatchExplanation::default()
    })
}

/// A tag and the nearest words of the text, with their position: as many words as in the tag, one fewer or one more.
fn near(source: &Source, text: &str, parts: &[Range<usize>]) -> Option<((String, String), Range<usize>)> {
    let words: Vec<Vec<Range<usize>>> = parts.iter().map(|part| words_of(text, part)).collect();
    let tags = source.tags.iter().filter(|tag| can_match(tag));
    tags.map(|tag| tag.trim()).find_map(|tag| {
        let range = nearest_words(&tag_key(tag), text, &words)?;
        Some(((tag.to_owned(), text.get(range.clone())?.to_owned()), range))
    })
}

/// The position of the words nearest to a tag with this key; up to a third of the characters may differ, as with ids.
fn nearest_words(key: &str, text: &str, words: &[Vec<Range<usize>>]) -> Option<Range<usize>> {
    let length = key.chars().count();
    if length < NEAR_FROM {
        return None;
    }
    let limit = length / 3;
    let count = key.split(' ').filter(|word| !word.is_empty()).count();
    let mut seen = HashSet::new();
    let mut best: Option<(usize, Range<usize>)> = None;
    for size in count.saturating_sub(1).max(1)..=count + 1 {
        for window in words.iter().flat_map(|words| words.windows(size)) {
            let (Some(first), Some(last)) = (window.first(), window.last()) else { continue };
            let range = first.start..last.end;
            // Check before copying: a character has at most four bytes.
            if range.len() > (length + limit) * 4 {
                continue;
            }
            let said = tag_key(text.get(range.clone()).unwrap_or_default());
            if said.chars().count().abs_diff(length) > limit || !seen.insert(said.clone()) {
                continue;
            }
            let distance = strsim::osa_distance(&said, key);
            if distance <= limit && best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, range));
            }
        }
    }
    best.map(|(_, range)| range)
}

/// The words of a part of a text: the pieces between separators, without punctuation at the ends.
fn words_of(text: &str, part: &Range<usize>) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = part.start;
    for word in text.get(part.clone()).unwrap_or_default().split(is_separator) {
        let head = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let itself = head.trim_end_matches(|c: char| !c.is_alphanumeric());
        let from = start + word.len() - head.len();
        if !itself.is_empty() {
            words.push(from..from + itself.len());
        }
        let behind = start + word.len();
        start = behind + text.get(behind..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{inline, selection};
    use refdesk_core::catalog::Mode;

    fn tags(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|tag| (*tag).to_owned()).collect()
    }

    fn desk() -> (Catalog, Selection) {
        let mut auto = inline("auto", &tags(&["blue"]), "");
        auto.mode = Mode::Auto;
        let sources = vec![
            auto,
            inline("picked", &tags(&["blue"]), ""),
            inline("pulled", &tags(&["red"]), ""),
            inline("barred", &tags(&["red"]), ""),
            inline("free", &tags(&["red", "circuit breaker", "go"]), ""),
            inline("free-er", &tags(&["timeout"]), ""),
            inline("hollow", &tags(&["--", " "]), ""),
            inline("bare", &[], ""),
        ];
        (Catalog::new(sources), selection(&["picked"], &[("pulled", &["picked"])], &["barred"]))
    }

    /// `tags; tag at "place": why`.
    fn reported(id: &str, text: &str, hints_off: bool) -> String {
        let (catalog, selection) = desk();
        let it = Matcher::default().explain(catalog.get(id).unwrap(), text, &catalog, &selection, hints_off);
        let matched: Vec<String> = it.matched.iter().map(|(tag, at)| format!("{tag} {at}")).collect();
        let at = it.at.map_or("", |range| &text[range]);
        let why = it.why.map_or("hint".to_owned(), |why| format!("{why:?}"));
        format!("{}; {} at \"{at}\": {why}", matched.join(", "), it.tag.unwrap_or_default())
    }

    #[test]
    fn there_is_always_an_answer() {
        let own = "\n\n---\n**Referenced Sources:**\n\nred\n---";
        for (id, text, off, expected) in [
            ("free", "a Red, circuit-breaker", false, r#"red 2, circuit breaker 7;  at "": hint"#),
            ("free", "red @free", false, r#"red 0;  at "free": Named"#),
            ("free", "red @free-er", false, r#"red 0;  at "": hint"#),
            ("free", "red", true, r#"red 0;  at "": HintsOff"#),
            ("free", "x", true, r#";  at "": HintsOff"#),
            ("auto", "blue", false, r#"blue 0;  at "": Auto"#),
            ("auto", "@auto", false, r#";  at "auto": Named"#),
            ("picked", "x", false, r#";  at "": Picked"#),
            ("pulled", "red", false, r#"red 0;  at "": PulledIn([SourceId("picked")])"#),
            ("barred", "red @barred", false, r#"red 0;  at "": Excluded"#),
            ("hollow", "a -- b", false, r#";  at "": EmptyTag"#),
            ("bare", "x", false, r#";  at "": NoTags"#),
            ("free", "x/red/y", false, r#"; red at "red": Inside { piece: "x/red/y", neighbour: Before('/') }"#),
            ("free", "infrareds", false, r#"; red at "red": Inside { piece: "infrareds", neighbour: Before('a') }"#),
            ("free", "infrared src/go", false, r#"; go at "go": Inside { piece: "src/go", neighbour: Before('/') }"#),
            ("free", own, false, r#"; red at "": OwnBlock"#),
            ("free", "nothing", false, r#";  at "": Absent { near: None }"#),
            ("free", "", false, r#";  at "": Absent { near: None }"#),
            ("free", "do so", false, r#";  at "": Absent { near: None }"#),
        ] {
            assert_eq!(reported(id, text, off), expected, "{id} {text}");
        }
    }

    #[test]
    fn the_nearest_words() {
        for (id, text, expected) in [
            ("free", "a (circut breaker),", "circut breaker"),
            ("free", "the circuitbreaker", "circuitbreaker"),
            ("free", "cir cuit breaker", "cir cuit breaker"),
            ("free", "circuit—breaker", "circuit—breaker"),
            ("free", "a breaker", ""),
            ("free-er", "a time out?", "time out"),
            ("free-er", "timeuot and time out", "timeuot"),
            ("free-er", "é tmeout", "tmeout"),
            ("free-er", "tame", ""),
        ] {
            let (catalog, selection) = desk();
            let source = catalog.get(id).unwrap();
            let explanation = Matcher::default().explain(source, text, &catalog, &selection, false);
            let Some(WhyNot::Absent { near }) = explanation.why else { panic!("{text}: {:?}", explanation.why) };
            assert_eq!(near.map(|(_, word)| word).unwrap_or_default(), expected, "{text}");
            assert_eq!(explanation.at.map_or("", |range| &text[range]), expected);
        }
    }

    proptest! {
        #[test]
        fn it_agrees_with_find_and_candidates(
            words in proptest::collection::vec(
                proptest::sample::select(&["blue", "@free", "@barred", "x/red", "red", "red-hot", "go", "@auto", "é", "\n"][..]),
                0..10,
            ),
        ) {
            let (catalog, selection) = desk();
            let text = words.join(" ");
            let matcher = Matcher::default();
            let found = matcher.candidates(&text, &catalog, &selection, false);
            for source in catalog.sources() {
                let explanation = matcher.explain(source, &text, &catalog, &selection, false);
                let hint = found.hints.iter().find(|hint| hint.id == source.id);
                prop_assert_eq!(explanation.why.is_none(), hint.is_some());
                if let Some(hint) = hint {
                    let matched = hint.tags.iter().cloned().zip(hint.firsts.iter().copied());
                    prop_assert_eq!(&explanation.matched, &matched.collect::<Vec<_>>());
                }
                if let Some(passed) = found.passed.iter().find(|passed| passed.id == source.id) {
                    prop_assert_eq!(Some(&passed.why), explanation.why.as_ref());
                }
            }
        }
    }
}
