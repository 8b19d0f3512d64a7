//! Which sources get a hint if an index tells what the text is about: those with a tag in it that are about it, too, then
//! those that no tag brings up (SEARCH S3.3). Without an index every tag counts (BEHAVIOUR §5).

use std::collections::{HashMap, HashSet};

use super::Hint;
use refdesk_core::config::HintSettings;
use refdesk_index::{About, Scored};

/// A tag hint with a lower score than the best one by this much is left out.
const TAG_RANGE: f32 = 0.20;

/// Beside tag hints, a hint by meaning must have a higher score than all of them by this much.
const MEANING_MARGIN: f32 = 0.15;

/// A hint by meaning with a lower score than the best one by this much is left out.
const MEANING_RANGE: f32 = 0.10;

/// The most hints by meaning.
const MOST_BY_MEANING: usize = 3;

/// A hint, and why it is given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankedHint<'a> {
    pub id: &'a str,
    /// If a tag is in the text.
    pub tags: Option<&'a Hint>,
    /// What the index says about it.
    pub scored: Option<&'a Scored>,
    /// It is only counted: others are more likely meant.
    pub is_left_out: bool,
}

/// The hints of a text without an index: every tag counts, in catalog order.
pub(crate) fn by_tag(tagged: &[Hint]) -> Vec<RankedHint<'_>> {
    tagged.iter().map(|hint| RankedHint::of(hint, None)).collect()
}

/// The hints in order. `may_be_hinted` tells of a source that no tag brings up whether it may get a hint.
pub(crate) fn ranked<'a>(
    tagged: &'a [Hint],
    about: &'a About,
    settings: &HintSettings,
    may_be_hinted: impl Fn(&str) -> bool,
) -> Vec<RankedHint<'a>> {
    let scores: HashMap<&str, &Scored> = about.scored.iter().map(|scored| (scored.source.as_str(), scored)).collect();
    let mut hints: Vec<RankedHint> =
        tagged.iter().map(|hint| RankedHint::of(hint, scores.get(hint.id.as_str()).copied())).collect();
    let best_tag = hints.iter().map(RankedHint::score).fold(f32::NEG_INFINITY, f32::max);
    if settings.tag_filter {
        // Stable, so that sources that the index does not know stay in catalog order.
        hints.sort_by(|one, other| other.score().total_cmp(&one.score()));
        hints.iter_mut().for_each(|hint| hint.is_left_out = hint.score() < best_tag - TAG_RANGE);
    }
    let has_tag: HashSet<&str> = tagged.iter().map(|hint| hint.id.as_str()).collect();
    let threshold = settings.threshold.or(about.threshold).filter(|_| settings.semantic);
    let threshold = threshold.map(|threshold| threshold.max(best_tag + MEANING_MARGIN));
    let meant = about.scored.iter().filter(|scored| threshold.is_some_and(|threshold| scored.score >= threshold));
    let mut meant = meant.filter(|it| !has_tag.contains(it.source.as_str()) && may_be_hinted(&it.source)).peekable();
    let best = meant.peek().map_or(0.0, |scored| scored.score);
    hints.extend(
        meant
            .take_while(|scored| scored.score >= best - MEANING_RANGE)
            .take(MOST_BY_MEANING)
            .map(|scored| RankedHint { id: &scored.source, tags: None, scored: Some(scored), is_left_out: false }),
    );
    if settings.tag_filter {
        hints.iter_mut().filter(|hint| !hint.is_left_out).skip(settings.max).for_each(|hint| hint.is_left_out = true);
        hints.sort_by_key(|hint| hint.is_left_out);
    }
    hints
}

impl<'a> RankedHint<'a> {
    fn of(hint: &'a Hint, scored: Option<&'a Scored>) -> Self {
        Self { id: hint.id.as_str(), tags: Some(hint), scored, is_left_out: false }
    }

    fn score(&self) -> f32 {
        self.scored.map_or(0.0, |scored| scored.score)
    }
}

#[cfg(test)]
mod tests {
    use refdesk_core::catalog::SourceId;

    use super::*;

    fn about(scores: &[(&str, f32)], threshold: f32) -> About {
        let scored = |(source, score): &(&str, f32)| Scored {
            source: (*source).to_owned(),
            score: *score,
            cosine: *score,
            coverage: 0.0,
            document: 1,
            words: Vec::new(),
            section: None,
        };
        About { threshold: Some(threshold), scored: scores.iter().map(scored).collect(), ..About::default() }
    }

    fn tagged(ids: &[&str]) -> Vec<Hint> {
        let hint = |id: &&str| Hint {
            id: SourceId::from(*id),
            tags: vec!["tag".to_owned()],
            firsts: vec![0],
            ranges: Vec::new(),
        };
        ids.iter().map(hint).collect()
    }

    fn shown(tags: &[&str], scores: &[(&str, f32)], settings: HintSettings) -> String {
        let (tagged, about) = (tagged(tags), about(scores, 0.5));
        let hints = ranked(&tagged, &about, &settings, |id| id != "auto");
        let word = |hint: &RankedHint| {
            let sign = if hint.tags.is_some() { "" } else { "~" };
            format!("{sign}{}{}", hint.id, if hint.is_left_out { "-" } else { "" })
        };
        hints.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hints_are_ordered_filtered_and_limited() {
        let default = HintSettings::default();
        for (tags, scores, expected) in [
            (&["a", "b"][..], &[("b", 0.6), ("a", 0.5)][..], "b a"),
            (&["a", "b"], &[("b", 0.6), ("a", 0.39)], "b a-"),
            (&["a", "b"], &[], "a b"),
            (&[], &[("x", 0.6), ("y", 0.55), ("z", 0.49)], "~x ~y"),
            (&[], &[("x", 0.7), ("y", 0.55)], "~x"),
            (&[], &[("p", 0.6), ("q", 0.6), ("r", 0.6), ("s", 0.6)], "~p ~q ~r"),
            (&["a"], &[("x", 0.6), ("a", 0.2)], "a ~x"),
            (&[], &[("auto", 0.9), ("x", 0.6)], "~x"),
            (
                &["a", "b", "c", "d"],
                &[("a", 0.6), ("b", 0.6), ("c", 0.6), ("d", 0.6), ("x", 0.8), ("y", 0.8)],
                "a b c d ~x ~y-",
            ),
            (&["a"], &[("a", 0.6), ("x", 0.7)], "a"),
        ] {
            assert_eq!(shown(tags, scores, default), expected, "{tags:?} {scores:?}");
        }
        let all = HintSettings { tag_filter: false, ..default };
        assert_eq!(shown(&["a", "b"], &[("b", 0.6), ("a", 0.1)], all), "a b");
        let words = HintSettings { semantic: false, ..default };
        assert_eq!(shown(&["a"], &[("x", 0.9), ("a", 0.1)], words), "a");
        let strict = HintSettings { threshold: Some(0.8), ..default };
        assert_eq!(shown(&[], &[("x", 0.7)], strict), "");
    }
}
