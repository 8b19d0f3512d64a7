//! The sources that an index has a score for, and whether each gets a hint: for people who ask why, not for agents.
//! Only `ranking` decides; this module explains.

use std::collections::{HashMap, HashSet};

use super::candidates::why_not_by_state;
use super::meaning::{Meaning, Score};
use super::ranking::Ranking;
use super::references::{is_readable, ranking};
use super::{EnrichContext, Findings, Hint, SkippedSource, WhyNot, outside};
use refdesk_core::catalog::SourceId;

/// A source with a score for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Considered {
    /// The source.
    pub id: SourceId,
    /// What the index reports about it; only the threshold if it is unreadable.
    pub meaning: Meaning,
    /// Whether its text may not be read, so that nothing from the index is shown.
    pub is_unreadable: bool,
    /// Whether one of its tags is in the text.
    pub has_tag: bool,
    /// Why it gets no hint; `None` if it gets one.
    pub why_not: Option<WhyNot>,
}

impl Considered {
    /// Its score; `-` if the text is unreadable.
    pub fn score(&self) -> String {
        if self.is_unreadable { "-".to_owned() } else { self.meaning.score.to_string() }
    }
}

/// The sources that the index has a score for, best first, with unreadable sources last; only those that `is_wanted`
/// accepts, given the rank (from 0) and the id. Empty without an index. `suppressed` are hints left out for reasons
/// other than their scores.
pub fn considered(
    ctx: &EnrichContext,
    text: &str,
    suppressed: &[(SourceId, WhyNot)],
    is_wanted: impl Fn(usize, &str) -> bool,
) -> Vec<Considered> {
    let found = ctx.matcher.find_within(text, &outside(text), ctx.catalog, ctx.selection, ctx.exclude_hints);
    explained(ctx, &found, &ranking(ctx, &found, &[]), suppressed, is_wanted)
}

/// Orders the hints of `findings` by score and moves the less likely ones to the sources without a hint; then adds the
/// `most` sources with the best scores. Does nothing without an index.
pub fn rank_findings(ctx: &EnrichContext, findings: &mut Findings, most: usize) {
    if ctx.about.is_none() {
        return;
    }
    let ranking = ranking(ctx, findings, &[]);
    let is_hint: HashSet<&str> = ranking.hints.iter().map(|hint| hint.id).collect();
    let considered = explained(ctx, findings, &ranking, &[], |rank, id| rank < most || is_hint.contains(id));
    let tagged = ranking.hints.iter().filter_map(|hint| Some((hint.tags?.clone(), hint.rejected)));
    let (mut hints, mut less_likely) = (Vec::new(), Vec::new());
    for (hint, rejected) in tagged {
        match rejected {
            None => hints.push(hint),
            Some(why) => {
                let Hint { id, tags, ranges, .. } = hint;
                less_likely.push(SkippedSource { id, tags, ranges, why: WhyNot::Rejected(why) });
            }
        }
    }
    let is_meant = |id: &SourceId| considered.iter().any(|it| it.why_not.is_none() && it.id == *id);
    less_likely.extend(std::mem::take(&mut findings.passed).into_iter().filter(|passed| !is_meant(&passed.id)));
    (findings.hints, findings.passed) = (hints, less_likely);
    findings.considered = Some(considered);
}

fn explained(
    ctx: &EnrichContext,
    found: &Findings,
    ranking: &Ranking,
    suppressed: &[(SourceId, WhyNot)],
    is_wanted: impl Fn(usize, &str) -> bool,
) -> Vec<Considered> {
    let Some(about) = ctx.about else { return Vec::new() };
    let hints: HashMap<&str, _> = ranking.hints.iter().map(|hint| (hint.id, hint)).collect();
    let is_named = |id: &SourceId| found.expansions.iter().any(|named| named.id == *id);
    let wanted = about.scored.iter().enumerate().filter(|(rank, scored)| is_wanted(*rank, &scored.source));
    let explained = wanted.filter_map(|(_, scored)| {
        let source = ctx.catalog.get(&scored.source)?;
        let hint = hints.get(scored.source.as_str());
        let kept_back = || suppressed.iter().find(|(id, _)| *id == source.id).map(|(_, why)| why.clone());
        let why_not = match hint {
            Some(hint) => hint.rejected.map(WhyNot::Rejected).or_else(kept_back),
            None if is_named(&source.id) => Some(WhyNot::Named),
            None => Some(match why_not_by_state(source, ctx.selection) {
                Some(why) => why,
                None if ctx.exclude_hints => WhyNot::HintsOff,
                None if !is_readable(source) => WhyNot::Unreadable,
                None => WhyNot::Rejected(ranking.rejection(scored)),
            }),
        };
        let conversation = hint.and_then(|hint| hint.recurring).map(Score::from);
        let is_unreadable = !is_readable(source);
        let meaning = if is_unreadable {
            Meaning::withheld(ranking.threshold())
        } else {
            Meaning { conversation, ..Meaning::new(scored, ranking.needed(scored), ctx.places) }
        };
        let has_tag = hint.is_some_and(|hint| hint.tags.is_some());
        Some(Considered { id: source.id.clone(), meaning, is_unreadable, has_tag, why_not })
    });
    let mut explained: Vec<Considered> = explained.collect();
    // The position of an unreadable source among the others would reveal its score.
    explained.sort_by_key(|it| it.is_unreadable);
    explained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matcher;
    use crate::testing::{TestFiles, context, inline, local, selection, source};
    use refdesk_core::catalog::{Catalog, Mode, PathState};
    use refdesk_index::TextTopics;
    use refdesk_index::testing::scored;

    #[test]
    fn every_source_with_a_score_has_an_answer() {
        let tags = |tag: &str| vec![tag.to_owned()];
        let mut auto = inline("auto", &[], "");
        auto.mode = Mode::Auto;
        let catalog = Catalog::new(vec![
            auto,
            inline("picked", &[], ""),
            inline("pulled", &[], ""),
            inline("barred", &[], ""),
            inline("named", &[], ""),
            inline("tagged", &tags("red"), ""),
            inline("weak", &tags("red"), ""),
            inline("told", &tags("red"), ""),
            inline("meant", &[], ""),
            inline("low", &[], ""),
            source("gone", &[], local("gone.md", PathState::Missing)),
            inline("unscored", &tags("red"), ""),
        ]);
        let selection = selection(&["picked"], &[("pulled", &["picked"])], &["barred"]);
        let (matcher, places) = (Matcher::default(), TestFiles::default());
        let scores = [
            ("meant", 0.9),
            ("gone", 0.88),
            ("tagged", 0.7),
            ("told", 0.65),
            ("low", 0.6),
            ("auto", 0.5),
            ("picked", 0.5),
            ("pulled", 0.5),
            ("barred", 0.5),
            ("named", 0.5),
            ("weak", 0.2),
            ("forgotten", 0.1),
        ];
        let sources = vec!["unscored".to_owned()];
        let about = TextTopics { threshold: Some(0.5), scored: scored(&scores), sources, ..TextTopics::default() };
        let ctx = context(&catalog, &selection, &matcher, &places);
        let suppressed = [("told".into(), WhyNot::AlreadySent)];
        assert_eq!(considered(&ctx, "red @named", &suppressed, |_, _| true), []);
        let ctx = EnrichContext { about: Some(&about), ..ctx };
        let word = |it: &Considered| match &it.why_not {
            None => format!("{} hinted", it.id),
            Some(WhyNot::Rejected(rejected)) => format!("{} {}", it.id, rejected.code()),
            Some(why) => format!("{} {why:?}", it.id),
        };
        let shown = |is_wanted: &dyn Fn(usize, &str) -> bool| -> Vec<String> {
            considered(&ctx, "red @named", &suppressed, is_wanted).iter().map(word).collect()
        };
        let expected = [
            "meant hinted",
            "tagged hinted",
            "told AlreadySent",
            "low below-tagged",
            "auto Auto",
            "picked Picked",
            "pulled PulledIn([SourceId(\"picked\")])",
            "barred Excluded",
            "named Named",
            "weak below-best",
            "gone Unreadable",
        ];
        assert_eq!(shown(&|_, _| true), expected);
        let gone = &considered(&ctx, "red", &suppressed, |_, id| id == "gone")[0];
        assert_eq!(gone.score(), "-");
        assert_eq!(gone.meaning, Meaning::withheld(Some(0.5)), "nothing about a text that may not be read");
        assert_eq!(shown(&|rank, _| rank < 2), [expected[0], expected[10]]);
        assert_eq!(shown(&|_, id| id == "weak"), expected[9..10]);
        let mut findings = matcher.candidates("red @named", &catalog, &selection, false);
        rank_findings(&ctx, &mut findings, 3);
        let hints: Vec<&str> = findings.hints.iter().map(|hint| hint.id.as_str()).collect();
        assert_eq!(hints, ["tagged", "told"]);
        let passed: Vec<&str> = findings.passed.iter().map(|passed| passed.id.as_str()).collect();
        assert_eq!(passed, ["weak", "unscored"]);
        let considered: Vec<&str> = findings.considered.iter().flatten().map(|it| it.id.as_str()).collect();
        assert_eq!(considered, ["meant", "tagged", "told", "weak", "gone"]);
    }

    #[test]
    fn a_tag_brings_up_missing_sources_but_not_untrusted_ones() {
        let red = ["red".to_owned()];
        let catalog = Catalog::new(vec![
            source("closed", &red, local("closed.md", PathState::Untrusted)),
            source("kept-back", &red, local(".git/config", PathState::Reserved)),
            source("gone", &red, local("gone.md", PathState::Missing)),
        ]);
        let (selection, matcher, places) = (selection(&[], &[], &[]), Matcher::default(), TestFiles::default());
        let scores = scored(&[("closed", 0.9), ("kept-back", 0.8), ("gone", 0.5)]);
        let about = TextTopics { threshold: Some(0.4), scored: scores, ..TextTopics::default() };
        let ctx = EnrichContext { about: Some(&about), ..context(&catalog, &selection, &matcher, &places) };
        let found = considered(&ctx, "red", &[], |_, _| true);
        let mut found: Vec<_> = found.iter().map(|it| (it.id.as_str(), it.why_not.clone())).collect();
        found.sort_by_key(|(id, _)| *id);
        let unreadable = || Some(WhyNot::Rejected(crate::ranking::Rejection::Unreadable));
        assert_eq!(found, [("closed", unreadable()), ("gone", None), ("kept-back", unreadable())]);
    }
}
