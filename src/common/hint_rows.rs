//! The sources that a prompt matches, as rows: mentioned sources, hints by tag, hints by meaning, sources passed over,
//! and the best of those with only a score. One row per source: the tags of a mentioned source are shown in its row.

use super::source_words::{IdList, WAITS_FOR_TRUST, parents, why_unread};
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Snapshot;
use refdesk_enrich::{
    BlockCost, Considered, Enriched, Expansion, Findings, Hint, ItemReceipt, Level, Rejection, SkippedSource, WhyNot,
};
use refdesk_text::tokens::grouped;

/// A source that the prompt matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintRow<'a> {
    /// Mentioned as `@id`.
    Named(&'a Expansion),
    /// The prompt contains one of its tags.
    Hinted(&'a Hint),
    ByMeaning(&'a Considered),
    /// Matched, but without a hint.
    Passed(&'a SkippedSource),
    /// Scored, but without a hint.
    Scored(&'a Considered),
}

impl<'a> HintRow<'a> {
    pub fn id(self) -> &'a SourceId {
        match self {
            Self::Named(named) => &named.id,
            Self::Hinted(hint) => &hint.id,
            Self::ByMeaning(scored) | Self::Scored(scored) => &scored.id,
            Self::Passed(passed) => &passed.id,
        }
    }
}

pub fn rows(findings: &Findings) -> impl Iterator<Item = HintRow<'_>> {
    let named = findings.expansions.iter().map(HintRow::Named);
    let hints = findings.hints.iter().map(HintRow::Hinted).chain(by_meaning(findings).map(HintRow::ByMeaning));
    let passed = findings.passed.iter().filter(|passed| passed.why != WhyNot::Named).map(HintRow::Passed);
    named.chain(hints).chain(passed).chain(scored(findings).map(HintRow::Scored))
}

pub fn len(findings: &Findings) -> usize {
    rows(findings).count()
}

pub fn by_meaning(findings: &Findings) -> impl Iterator<Item = &Considered> {
    findings.considered.iter().flatten().filter(|it| it.why_not.is_none() && !it.has_tag)
}

/// The number of sources that match but get no hint.
pub fn passed(findings: &Findings) -> usize {
    findings.passed.iter().filter(|passed| passed.why != WhyNot::Named).count() + closest(findings)
}

/// The number of sources that do not match, but have the best scores: an index has a score for every text. Those that
/// cannot be read are among them.
pub fn closest(findings: &Findings) -> usize {
    scored(findings).count()
}

/// The number of the closest sources that have no score, because they cannot be read.
pub fn unread(findings: &Findings) -> usize {
    scored(findings).filter(|it| it.is_unreadable).count()
}

/// What happens to the search index that is indexing. One that answers may only be checked for changes.
pub fn indexing(findings: &Findings) -> &'static str {
    if findings.considered.is_some() { "updated" } else { "built" }
}

/// What the search index reports about a source.
pub fn considered<'f>(findings: &'f Findings, id: &SourceId) -> Option<&'f Considered> {
    findings.considered.iter().flatten().find(|it| it.id == *id)
}

/// Sources with a score that have no other row.
fn scored(findings: &Findings) -> impl Iterator<Item = &Considered> {
    let has_row = |id: &SourceId| {
        findings.expansions.iter().any(|it| it.id == *id)
            || findings.hints.iter().any(|it| it.id == *id)
            || findings.passed.iter().any(|it| it.id == *id)
    };
    findings.considered.iter().flatten().filter(move |it| it.why_not.is_some() && !has_row(&it.id))
}

/// Why a source gets no hint, in a few words.
pub fn brief(snapshot: &Snapshot, id: &SourceId, why: &WhyNot, list: IdList) -> String {
    match why {
        WhyNot::Named => "named already".to_owned(),
        WhyNot::Excluded => "excluded".to_owned(),
        WhyNot::Picked => "already picked".to_owned(),
        WhyNot::PulledIn(_) => match snapshot.selection.member(id.as_str()) {
            Some(member) if !member.parents.is_empty() => format!("pulled in by {}", parents(member, list)),
            _ => "already pulled in".to_owned(),
        },
        WhyNot::Auto => "always in the instructions".to_owned(),
        WhyNot::HintsOff => "hints are off".to_owned(),
        WhyNot::Inside { .. } => "only part of a longer word".to_owned(),
        WhyNot::EmptyTag => "an empty tag".to_owned(),
        WhyNot::NoTags => "it has no tags".to_owned(),
        WhyNot::OwnBlock => "only in text that refdesk added".to_owned(),
        WhyNot::Absent { .. } => "not in the prompt".to_owned(),
        WhyNot::AlreadySent => "hinted before".to_owned(),
        WhyNot::NoRoom => "no room left in the budget".to_owned(),
        WhyNot::AlreadyInText => "already in the prompt".to_owned(),
        WhyNot::Unreadable | WhyNot::Rejected(Rejection::Unreadable) => match snapshot.catalog.get(id.as_str()) {
            Some(source) if source.is_untrusted() => WAITS_FOR_TRUST.to_owned(),
            Some(source) if source.is_missing() => "missing".to_owned(),
            source => why_unread(source).into_owned(),
        },
        WhyNot::Rejected(Rejection::NoThreshold) if snapshot.is_indexing => "being indexed".to_owned(),
        WhyNot::Rejected(Rejection::BelowThreshold) => "below the threshold".to_owned(),
        WhyNot::Rejected(Rejection::OneWord) => "a single word in common".to_owned(),
        WhyNot::Rejected(Rejection::BelowTagged { needed }) => format!("needs {needed}, because others match by tag"),
        WhyNot::Rejected(Rejection::BelowBest { needed }) => {
            format!("far below the best; needs {needed}")
        }
        WhyNot::Rejected(rejected) => rejected.to_string(),
    }
}

/// How much of a block is given: `full`, or if that differs by entry, `5 full, 6 left out`.
pub fn block_level(enriched: &Enriched, block: &BlockCost) -> String {
    let levels = [Level::Full, Level::Brief, Level::Count].map(|level| {
        let is_at = |item: &&ItemReceipt| item.block == block.kind && item.level == level;
        (level, enriched.items.iter().filter(is_at).count())
    });
    let counts = levels.iter().filter(|(_, count)| *count > 0).map(|(level, count)| {
        let words = if *level == Level::Count { "left out" } else { self::level(*level) };
        format!("{} {words}", grouped(count))
    });
    let counts: Vec<String> = counts.collect();
    if counts.len() > 1 { counts.join(", ") } else { level(block.level).to_owned() }
}

/// How much of an entry is given.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Full => "full",
        Level::Brief => "names and places",
        Level::Count => "a count",
    }
}
