//! Decides which sources get a hint if an index tells what the text is about: first those with a tag in the text that
//! are also about its topic, then those without a tag (SEARCH S3.3). Without an index, every tag counts (BEHAVIOUR §5).

mod copies;
mod rejection;

use std::collections::{HashMap, HashSet};

pub use self::rejection::Rejection;
use super::Hint;
use refdesk_core::config::HintSettings;
use refdesk_index::{ScoredSource, TextTopics};

/// A tag hint is left out if its score is more than this below the best.
const TAG_RANGE: f32 = 0.20;

/// A tag hint is left out if its score is below this share of the threshold, however weak the others are: its tag has
/// another sense in the text, like `class` in "write a class".
const TAG_FLOOR: f32 = 0.6;

/// Next to tag hints, a hint by meaning must exceed its threshold by this much and score at least as high as any tag
/// hint outside code. Tag hints do not rule it out altogether, so one irrelevant tag cannot hide the sources that the
/// text is about.
const MEANING_MARGIN: f32 = 0.05;

/// A hint by meaning is left out if its score is more than this below the best.
const MEANING_RANGE: f32 = 0.10;

/// The most hints by meaning.
const MAX_BY_MEANING: usize = 3;

/// A hint, and the reasons for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankedHint<'a> {
    pub id: &'a str,
    /// The hint by tag, if one of its tags is in the text.
    pub tags: Option<&'a Hint>,
    /// What the index says about it.
    pub scored: Option<&'a ScoredSource>,
    /// Why it is only counted.
    pub rejected: Option<Rejection>,
    /// The sum of its scores for this text and earlier ones, if only the sum justifies the hint.
    pub recurring: Option<f32>,
}

/// The hints of a text in order, and what is needed to explain missing ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranking<'a> {
    pub hints: Vec<RankedHint<'a>>,
    about: Option<&'a TextTopics>,
    settings: HintSettings,
    /// The best score of the hints with a tag outside code, if there are any.
    best_tag_score: Option<f32>,
    /// The score that a source without a tag needs to be close enough to the best one.
    needed_near_best: f32,
    /// Sources without a tag whose section another hint already shows.
    copies: HashSet<&'a str>,
}

impl Ranking<'_> {
    /// The score that a source without a tag needs for a hint; `None` if it is not computed yet.
    pub(crate) fn threshold(&self) -> Option<f32> {
        self.settings.threshold.or(self.about?.threshold)
    }

    pub(crate) fn needed(&self, scored: &ScoredSource) -> Option<f32> {
        needed(self.about, self.settings, scored)
    }

    /// Why this source, without a tag in the text, gets no hint.
    pub(crate) fn rejection(&self, scored: &ScoredSource) -> Rejection {
        let (id, score) = (scored.source.as_str(), scored.score);
        match self.needed(scored) {
            _ if was_read(self.about, id) => Rejection::JustRead,
            Some(threshold) if score < threshold => Rejection::BelowThreshold,
            _ if !self.settings.semantic => Rejection::MeaningOff,
            None => Rejection::NoThreshold,
            _ if !self.about.is_some_and(|about| about.has_enough_words(scored)) => Rejection::OneWord,
            Some(threshold) if score < needed_with_tag_hints(self.best_tag_score, threshold) => {
                Rejection::BelowTagged { needed: needed_with_tag_hints(self.best_tag_score, threshold).into() }
            }
            _ if score < self.needed_near_best => Rejection::BelowBest { needed: self.needed_near_best.into() },
            _ if self.copies.contains(id) => Rejection::SameSection,
            _ => Rejection::TooMany,
        }
    }
}

/// The desk's state of each source, by id.
#[derive(Clone, Copy)]
pub(crate) struct SourceStates<'s> {
    /// Whether its text may be read.
    pub may_be_read: &'s dyn Fn(&str) -> bool,
    /// Whether it may get a hint without a tag.
    pub may_be_hinted: &'s dyn Fn(&str) -> bool,
    /// Whether the text is this source, in full.
    pub is_text: &'s dyn Fn(&str) -> bool,
    /// Whether it is selected, so that the agent has it.
    pub is_given: &'s dyn Fn(&str) -> bool,
    /// How deep in folders it is: of several sources with the same section, the innermost gets the hint.
    pub depth: &'s dyn Fn(&str) -> usize,
    /// Whether it contains the file at this resolved path.
    pub contains: &'s dyn Fn(&str, &str) -> bool,
}

/// The hints of a text. Without an index, every tag counts, in catalog order.
pub(crate) fn rank<'a>(
    tagged: &'a [Hint],
    about: Option<&'a TextTopics>,
    settings: HintSettings,
    states: SourceStates,
) -> Ranking<'a> {
    let scored = about.map_or(&[][..], |about| about.scored.as_slice());
    let scores = scored.iter().map(|scored| (scored.source.as_str(), scored)).collect();
    let text = RankedText { about, scored, scores, settings, states };
    let mut hints = text.by_tag(tagged);
    // A tag only in code tells which language the code is in, not what is wanted.
    let outside_code =
        hints.iter().filter(|hint| hint.rejected.is_none() && hint.tags.is_some_and(|hint| !hint.is_in_code));
    let best_tag_score = outside_code.map(RankedHint::score).reduce(f32::max);
    let (mut semantic_matches, needed_near_best) = text.by_meaning(tagged, best_tag_score);
    let shown = hints.iter().filter(|hint| hint.rejected.is_none()).filter_map(|hint| hint.scored);
    let given = scored.iter().filter(|scored| (states.is_given)(&scored.source));
    let copies = copies::remove(&mut semantic_matches, shown.chain(given), states);
    hints.extend(semantic_matches.into_iter().enumerate().map(|(at, scored)| RankedHint {
        rejected: (at >= MAX_BY_MEANING).then_some(Rejection::TooMany),
        ..RankedHint::new(&scored.source, Some(scored))
    }));
    if hints.is_empty() {
        hints.extend(text.recurring());
    }
    let beyond = hints.iter_mut().filter(|hint| hint.rejected.is_none()).skip(settings.max);
    // Hints by tag that are not filtered are not limited, either.
    let too_many = beyond.filter(|hint| text.is_filtered() || hint.tags.is_none());
    too_many.for_each(|hint| hint.rejected = Some(Rejection::TooMany));
    if text.is_filtered() {
        hints.sort_by_key(|hint| hint.rejected.is_some());
    }
    Ranking { hints, about, settings, best_tag_score, needed_near_best, copies }
}

/// A text with all that decides its hints.
struct RankedText<'a, 's> {
    about: Option<&'a TextTopics>,
    /// The sources that the index scored, the best first, and the same by id.
    scored: &'a [ScoredSource],
    scores: HashMap<&'a str, &'a ScoredSource>,
    settings: HintSettings,
    states: SourceStates<'s>,
}

impl<'a> RankedText<'a, '_> {
    /// Whether hints by tag are rejected because of their scores.
    fn is_filtered(&self) -> bool {
        self.settings.tag_filter && self.about.is_some()
    }

    /// The hints by tag; if they are filtered, the best first.
    fn by_tag(&self, tagged: &'a [Hint]) -> Vec<RankedHint<'a>> {
        let of = |hint: &'a Hint| {
            let id = hint.id.as_str();
            RankedHint { tags: Some(hint), ..RankedHint::new(id, self.scores.get(id).copied()) }
        };
        let mut hints: Vec<RankedHint> = tagged.iter().map(of).collect();
        for hint in &mut hints {
            hint.rejected = match () {
                () if (self.states.is_text)(hint.id) => Some(Rejection::JustRead),
                () if self.about.is_none() => None,
                () if !(self.states.may_be_read)(hint.id) => Some(Rejection::Unreadable),
                () if self.is_filtered() && was_read(self.about, hint.id) => Some(Rejection::JustRead),
                () => None,
            };
        }
        if self.is_filtered() {
            // Stable, so that sources unknown to the index stay in catalog order.
            hints.sort_by(|one, other| other.score().total_cmp(&one.score()));
            self.reject_weak_tags(&mut hints);
        }
        hints
    }

    /// Rejects hints by tag whose scores are too low.
    fn reject_weak_tags(&self, hints: &mut [RankedHint<'a>]) {
        let readable = hints.iter().filter(|hint| hint.rejected.is_none());
        let near_best = readable.map(RankedHint::score).fold(f32::NEG_INFINITY, f32::max) - TAG_RANGE;
        let by_meaning = self.about.filter(|about| self.settings.semantic && !about.is_by_words);
        let threshold = by_meaning.and_then(|about| self.settings.threshold.or(about.threshold));
        let alone = threshold.map_or(f32::NEG_INFINITY, |threshold| TAG_FLOOR * threshold);
        // A tag's best source need not be close to the best of all: a text may be about several tags.
        let mut tags_before: HashSet<&str> = HashSet::new();
        for hint in hints.iter_mut().filter(|hint| hint.rejected.is_none()) {
            let own = hint.tags.iter().flat_map(|hint| &hint.tags);
            let is_best_of_a_tag = own.fold(false, |is_best, tag| tags_before.insert(tag) | is_best);
            let needed = if is_best_of_a_tag { alone } else { near_best.max(alone) };
            if hint.score() < needed && hint.is_comparable(self.about) {
                hint.rejected = Some(match !is_best_of_a_tag && hint.score() < near_best {
                    true => Rejection::BelowBest { needed: needed.into() },
                    false => Rejection::TagAlone { needed: alone.into() },
                });
            }
        }
    }

    /// The sources without a tag that the text is about, and the score needed to be close enough to the best of them.
    fn by_meaning(&self, tagged: &[Hint], best_tag_score: Option<f32>) -> (Vec<&'a ScoredSource>, f32) {
        let has_tag: HashSet<&str> = tagged.iter().map(|hint| hint.id.as_str()).collect();
        let passes_threshold = |scored: &&ScoredSource| {
            let has_words = self.about.is_some_and(|about| about.has_enough_words(scored));
            let needed = needed(self.about, self.settings, scored).filter(|_| self.settings.semantic && has_words);
            needed.is_some_and(|needed| scored.score >= needed_with_tag_hints(best_tag_score, needed))
        };
        let matches = self.scored.iter().filter(passes_threshold);
        let mut matches = matches
            .filter(|it| !has_tag.contains(it.source.as_str()) && self.may_be_hinted_by_meaning(&it.source))
            .peekable();
        let needed_near_best = matches.peek().map_or(f32::NEG_INFINITY, |scored| scored.score - MEANING_RANGE);
        (matches.take_while(|scored| scored.score >= needed_near_best).collect(), needed_near_best)
    }

    /// The hint that only earlier texts justify together with this one.
    fn recurring(&self) -> Option<RankedHint<'a>> {
        let recurring = self.about?.recurring.as_ref()?;
        let id = recurring.source.as_str();
        let hint = RankedHint { recurring: Some(recurring.sum), ..RankedHint::new(id, self.scores.get(id).copied()) };
        (self.settings.semantic && self.may_be_hinted_by_meaning(id)).then_some(hint)
    }

    /// Whether this source, if it has no tag in the text, may get a hint.
    fn may_be_hinted_by_meaning(&self, id: &str) -> bool {
        (self.states.may_be_hinted)(id) && !was_read(self.about, id)
    }
}

/// The score that this source needs for a hint without a tag. Until it has vectors, it is compared only by words, whose
/// scores are lower.
fn needed(about: Option<&TextTopics>, settings: HintSettings, scored: &ScoredSource) -> Option<f32> {
    let about = about?;
    if scored.waits() { about.words_threshold } else { settings.threshold.or(about.threshold) }
}

/// Whether the agent has just read the file that has the best section of this source.
fn was_read(about: Option<&TextTopics>, id: &str) -> bool {
    about.is_some_and(|about| about.read.iter().any(|read| read == id))
}

/// The score that a source with this threshold needs next to tag hints with scores up to `best_tag_score`.
fn needed_with_tag_hints(best_tag_score: Option<f32>, threshold: f32) -> f32 {
    best_tag_score.map_or(threshold, |best| best.max(threshold + MEANING_MARGIN))
}

impl<'a> RankedHint<'a> {
    fn new(id: &'a str, scored: Option<&'a ScoredSource>) -> Self {
        Self { id, tags: None, scored, rejected: None, recurring: None }
    }

    fn score(&self) -> f32 {
        self.scored.map_or(0.0, |scored| scored.score)
    }

    /// Whether the index has the whole source. A source that is not indexed yet, or is compared only by words because
    /// its vectors are missing, cannot reach the scores of the others.
    fn is_comparable(&self, about: Option<&TextTopics>) -> bool {
        match self.scored {
            Some(scored) => !scored.is_incomplete,
            None => about.is_some_and(|about| about.sources.iter().any(|known| known == self.id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use refdesk_core::catalog::SourceId;

    use refdesk_index::Section;
    use refdesk_index::testing::scored;

    use super::*;
    use crate::meaning::Score;

    /// An index in which every source with a one-letter id is complete.
    fn about(scores: &[(&str, f32)], threshold: f32) -> TextTopics {
        let sources = ('a'..='z').map(String::from).collect();
        TextTopics { threshold: Some(threshold), scored: scored(scores), sources, ..TextTopics::default() }
    }

    fn tagged(ids: &[&str]) -> Vec<Hint> {
        let hint = |id: &&str| Hint {
            id: SourceId::from(*id),
            tags: vec![if id.starts_with("other") { "other tag" } else { "tag" }.to_owned()],
            firsts: vec![0],
            ranges: Vec::new(),
            is_in_code: id.starts_with("code"),
        };
        ids.iter().map(hint).collect()
    }

    /// Every source may be read and hinted at.
    const OPEN: SourceStates = SourceStates {
        may_be_read: &|_| true,
        may_be_hinted: &|_| true,
        is_text: &|_| false,
        is_given: &|_| false,
        depth: &|_| 0,
        contains: &|_, _| false,
    };

    fn shown(tags: &[&str], scores: &[(&str, f32)], settings: HintSettings) -> String {
        let (tagged, about) = (tagged(tags), about(scores, 0.5));
        let states = SourceStates { may_be_read: &|id| id != "closed", may_be_hinted: &|id| id != "auto", ..OPEN };
        let hints = rank(&tagged, Some(&about), settings, states).hints;
        let word = |hint: &RankedHint| {
            let sign = if hint.tags.is_some() { "" } else { "~" };
            format!("{sign}{}{}", hint.id, if hint.rejected.is_some() { "-" } else { "" })
        };
        hints.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hints_are_ordered_filtered_and_limited() {
        let default = HintSettings::default();
        for (tags, scores, expected) in [
            (&["a", "b"][..], &[("b", 0.6), ("a", 0.5)][..], "b a"),
            (&["a", "b"], &[("b", 0.6), ("a", 0.39)], "b a-"),
            (&["a", "b"], &[], "a- b-"),
            (&["a", "b"], &[("a", 0.6)], "a b-"),
            // The best source of each matching tag is kept, because the text is about several things.
            (&["a", "other"], &[("a", 0.6), ("other", 0.39)], "a other"),
            (&["a", "other", "other2"], &[("a", 0.6), ("other", 0.39), ("other2", 0.38)], "a other other2-"),
            (&["a", "other"], &[("a", 0.6), ("other", 0.29)], "a other-"),
            (&["a", "unknown"], &[("a", 0.6)], "a unknown"),
            (&[], &[("x", 0.6), ("y", 0.55), ("z", 0.49)], "~x ~y"),
            (&[], &[("x", 0.7), ("y", 0.55)], "~x"),
            (&[], &[("p", 0.6), ("q", 0.6), ("r", 0.6), ("s", 0.6)], "~p ~q ~r ~s-"),
            (&["a"], &[("x", 0.6), ("a", 0.31)], "a ~x"),
            (&["a"], &[("x", 0.6), ("a", 0.29)], "~x a-"),
            (&["a", "b"], &[("a", 0.45), ("b", 0.26)], "a b-"),
            (&["a", "unknown"], &[("a", 0.2)], "unknown a-"),
            (&[], &[("auto", 0.9), ("x", 0.6)], "~x"),
            (
                &["a", "b", "c", "d"],
                &[("a", 0.6), ("b", 0.6), ("c", 0.6), ("d", 0.6), ("x", 0.8), ("y", 0.8)],
                "a b c d ~x ~y-",
            ),
            (&["a"], &[("a", 0.6), ("x", 0.7)], "a ~x"),
            (&["a"], &[("a", 0.6), ("x", 0.59)], "a"),
            (&["a"], &[("a", 0.4), ("x", 0.54)], "a"),
            (&["a"], &[("a", 0.4), ("x", 0.56)], "a ~x"),
            (&["closed", "a", "b"], &[("closed", 0.9), ("a", 0.6), ("b", 0.5)], "a b closed-"),
            (&["closed"], &[("closed", 0.9), ("x", 0.6)], "~x closed-"),
            (&["code"], &[("code", 0.5), ("x", 0.6)], "code ~x"),
            (&["code", "a"], &[("code", 0.5), ("a", 0.65), ("x", 0.6)], "a code"),
        ] {
            assert_eq!(shown(tags, scores, default), expected, "{tags:?} {scores:?}");
        }
        let all = HintSettings { tag_filter: false, ..default };
        assert_eq!(shown(&["a", "b"], &[("b", 0.6), ("a", 0.1)], all), "a b");
        assert_eq!(shown(&["closed", "a"], &[("closed", 0.9), ("a", 0.6)], all), "closed- a");
        let two = HintSettings { max: 2, ..all };
        for (tags, expected) in [
            (&[][..], "~x ~y ~z-"),
            (&["a"], "a ~x ~y- ~z-"),
            (&["a", "b"], "a b ~x- ~y- ~z-"),
            (&["a", "b", "c"], "a b c ~x- ~y- ~z-"),
        ] {
            assert_eq!(shown(tags, &[("x", 0.9), ("y", 0.9), ("z", 0.9)], two), expected, "{tags:?}");
        }
        let words = HintSettings { semantic: false, ..default };
        assert_eq!(shown(&["a"], &[("x", 0.9), ("a", 0.1)], words), "a");
        let strict = HintSettings { threshold: Some(0.8), ..default };
        assert_eq!(shown(&[], &[("x", 0.7)], strict), "");
    }

    #[test]
    fn missing_vectors_do_not_remove_a_tag_hint() {
        let tagged = tagged(&["a", "b", "c"]);
        let mut about = about(&[("a", 0.7), ("b", 0.1), ("c", 0.1)], 0.5);
        about.scored[1].is_incomplete = true;
        let hints = rank(&tagged, Some(&about), HintSettings::default(), OPEN).hints;
        let rejected: Vec<_> = hints.iter().map(|hint| (hint.id, hint.rejected.is_some())).collect();
        assert_eq!(rejected, [("a", false), ("b", false), ("c", true)]);
    }

    #[test]
    fn a_section_in_several_sources_is_hinted_at_only_once() {
        for (tags, sections, expected, copies) in [
            // The innermost of several sources, at its own position.
            (&[][..], &[("outer", "/a/b.md", 3), ("inner", "/a/b.md", 3), ("x", "/c.md", 1)][..], "inner x", "outer"),
            (&[], &[("inner", "/a/b.md", 3), ("outer", "/a/b.md", 3)], "inner", "outer"),
            // Another section of the same file, and a section without a file.
            (&[], &[("outer", "/a/b.md", 3), ("inner", "/a/b.md", 9)], "outer inner", ""),
            (&[], &[("outer", "", 0), ("inner", "", 0)], "outer inner", ""),
            (&[], &[("outer", "inline", 1), ("inner", "inline", 1)], "outer inner", ""),
            (&[], &[("outer", "/a/b.md", 0), ("inner", "/a/b.md", 0)], "outer inner", ""),
            // The innermost source matches best by its description, and another one has the file, too.
            (&[], &[("inner", "", 0), ("outer", "/a/b.md", 3)], "inner", "outer"),
            (&[], &[("outer", "/a/b.md", 3), ("inner", "", 0)], "inner", "outer"),
            (&["inner"], &[("inner", "", 0), ("outer", "/a/b.md", 3)], "inner", "outer"),
            (&[], &[("inner", "", 0), ("outer", "/c.md", 3)], "inner outer", ""),
            // A source with a matching tag keeps its hint, which names the section.
            (&["outer"], &[("outer", "/a/b.md", 3), ("inner", "/a/b.md", 3)], "outer", "inner"),
        ] {
            let scores: Vec<(&str, f32)> = sections
                .iter()
                .map(|(id, ..)| {
                    (
                        *id,
                        if tags.is_empty() {
                            0.9
                        } else if tags.contains(id) {
                            0.6
                        } else {
                            0.8
                        },
                    )
                })
                .collect();
            let (tagged, mut about) = (tagged(tags), about(&scores, 0.5));
            for (scored, (_, path, line)) in about.scored.iter_mut().zip(sections) {
                let (heading, path) = (String::new(), (*path).to_owned());
                scored.section = Some(Section { heading, path, line: *line });
            }
            let depth = |id: &str| if id == "inner" { 2 } else { 1 };
            let contains = |id: &str, path: &str| id == "outer" || id == "inner" && path == "/a/b.md";
            let states = SourceStates { depth: &depth, contains: &contains, ..OPEN };
            let ranking = rank(&tagged, Some(&about), HintSettings::default(), states);
            let shown: Vec<&str> = ranking.hints.iter().map(|hint| hint.id).collect();
            assert_eq!(shown.join(" "), expected, "{tags:?} {sections:?}");
            let left_out = |(id, score): &(&str, f32)| {
                let scored = &scored(&[(id, *score)])[0];
                (!shown.contains(id)).then(|| format!("{id} {}", ranking.rejection(scored).code()))
            };
            let copies = if copies.is_empty() { Vec::new() } else { vec![format!("{copies} same-section")] };
            assert_eq!(scores.iter().filter_map(left_out).collect::<Vec<_>>(), copies);
        }
    }

    #[test]
    fn recently_read_sources_are_neither_hinted_at_nor_compared() {
        let (tagged, about) = (tagged(&["a", "b"]), about(&[("x", 1.8), ("a", 1.7), ("b", 0.6), ("y", 0.6)], 0.5));
        let about = TextTopics { read: vec!["a".to_owned(), "x".to_owned()], ..about };
        let ranking = rank(&tagged, Some(&about), HintSettings::default(), OPEN);
        let outcomes: Vec<_> = ranking.hints.iter().map(|hint| (hint.id, hint.rejected)).collect();
        assert_eq!(outcomes, [("b", None), ("y", None), ("a", Some(Rejection::JustRead))]);
        assert_eq!(ranking.rejection(&scored(&[("x", 1.8)])[0]), Rejection::JustRead);
    }

    #[test]
    fn the_text_itself_takes_no_place_among_the_hints() {
        let (tagged, about) = (tagged(&["a", "b"]), about(&[("a", 1.7), ("b", 1.6)], 0.5));
        let states = SourceStates { is_text: &|id| id == "a", ..OPEN };
        let settings = HintSettings { max: 1, ..HintSettings::default() };
        for (about, expected) in [
            (Some(&about), [("b", None), ("a", Some(Rejection::JustRead))]),
            (None, [("a", Some(Rejection::JustRead)), ("b", None)]),
        ] {
            let ranking = rank(&tagged, about, settings, states);
            assert_eq!(ranking.hints.iter().map(|hint| (hint.id, hint.rejected)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_section_of_a_selected_source_is_not_hinted_at_in_another() {
        let mut about = about(&[("given", 0.9), ("twin", 0.9), ("x", 0.8)], 0.5);
        for scored in &mut about.scored {
            let path = if scored.source == "x" { "/b.md" } else { "/a.md" }.to_owned();
            scored.section = Some(Section { heading: String::new(), path, line: 1 });
        }
        let states = SourceStates { may_be_hinted: &|id| id != "given", is_given: &|id| id == "given", ..OPEN };
        let ranking = rank(&[], Some(&about), HintSettings::default(), states);
        assert_eq!(ranking.hints.iter().map(|hint| hint.id).collect::<Vec<_>>(), ["x"]);
        assert_eq!(ranking.rejection(&about.scored[1]), Rejection::SameSection);
    }

    #[test]
    fn every_score_without_a_hint_has_a_reason() {
        let default = HintSettings::default();
        for (tags, scores, settings, score, expected) in [
            (&[][..], &[("x", 0.6)][..], default, 0.49, "below-threshold"),
            (&["a"], &[("a", 0.6)], default, 0.59, "below-tagged"),
            (&[], &[("x", 0.8)], default, 0.65, "below-best"),
            (&[], &[("x", 0.8)], default, 0.75, "too-many"),
            (&[], &[("x", 0.8)], HintSettings { semantic: false, ..default }, 0.75, "meaning-off"),
            (&[], &[("x", 0.8)], HintSettings { semantic: false, ..default }, 0.49, "below-threshold"),
        ] {
            let (tagged, about) = (tagged(tags), about(scores, 0.5));
            let ranking = rank(&tagged, Some(&about), settings, OPEN);
            let x = &scored(&[("x", score)])[0];
            assert_eq!(ranking.rejection(x).code(), expected, "{tags:?} {score}");
            let about = TextTopics { threshold: None, ..about };
            let expected = if settings.semantic { "no-threshold" } else { "meaning-off" };
            assert_eq!(rank(&tagged, Some(&about), settings, OPEN).rejection(x).code(), expected);
        }
    }

    #[test]
    fn sources_compared_only_by_words_need_two_of_them_and_a_lower_threshold() {
        for (is_incomplete, is_by_words, cosine, words, score, expected) in [
            (false, false, 0.2, 0, 0.6, None),
            (false, false, 0.2, 5, 0.3, Some("below-threshold")),
            (true, false, 0.0, 2, 0.3, None),
            (true, false, 0.0, 1, 0.3, Some("one-word")),
            (true, false, 0.0, 2, 0.1, Some("below-threshold")),
            // Another chunk has no vector yet, but the best one has.
            (true, false, 0.2, 5, 0.3, Some("below-threshold")),
            (true, false, 0.2, 0, 0.6, None),
            (false, true, 0.0, 2, 0.6, None),
            (false, true, 0.0, 1, 0.6, Some("one-word")),
        ] {
            let mut about = TextTopics { words_threshold: Some(0.2), is_by_words, ..about(&[("x", score)], 0.5) };
            let x = &mut about.scored[0];
            (x.is_incomplete, x.cosine) = (is_incomplete, cosine);
            x.words = vec!["word".to_owned(); words];
            let ranking = rank(&[], Some(&about), HintSettings::default(), OPEN);
            let rejected = ranking.hints.is_empty().then(|| ranking.rejection(&about.scored[0]).code());
            assert_eq!(rejected, expected, "{is_incomplete} {is_by_words} {cosine} {words} {score}");
        }
    }

    #[test]
    fn a_rejection_in_json_has_its_code() {
        let needed = Score::from(0.5f32);
        for rejected in [
            Rejection::Unreadable,
            Rejection::TooMany,
            Rejection::SameSection,
            Rejection::BelowBest { needed },
            Rejection::BelowTagged { needed },
        ] {
            let json = serde_json::to_value(rejected).unwrap();
            assert_eq!(json["reason"], rejected.code());
            assert_eq!(serde_json::from_value::<Rejection>(json).unwrap(), rejected);
        }
    }
}
