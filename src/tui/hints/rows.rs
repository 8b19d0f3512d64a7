//! The rows of the hints pane: sources the prompt names, then hints, then sources passed over. One row per source: a
//! tag of a named one is shown in its row.

use refdesk_core::catalog::SourceId;
use refdesk_enrich::{Expansion, Findings, Hint, PassedOver, WhyNot};

/// A source that the prompt matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintRow<'a> {
    /// Named by `@id`.
    Named(&'a Expansion),
    /// One of its tags is in the prompt.
    Hinted(&'a Hint),
    /// Matched, but without a hint.
    Passed(&'a PassedOver),
}

impl<'a> HintRow<'a> {
    pub fn id(self) -> &'a SourceId {
        match self {
            Self::Named(named) => &named.id,
            Self::Hinted(hint) => &hint.id,
            Self::Passed(passed) => &passed.id,
        }
    }
}

/// Every row, in order.
pub fn rows(findings: &Findings) -> impl Iterator<Item = HintRow<'_>> {
    let named = findings.expansions.iter().map(HintRow::Named);
    let passed = findings.passed.iter().filter(|passed| passed.why != WhyNot::Named).map(HintRow::Passed);
    named.chain(findings.hints.iter().map(HintRow::Hinted)).chain(passed)
}

/// The number of rows.
pub fn len(findings: &Findings) -> usize {
    findings.expansions.len() + findings.hints.len() + passed(findings)
}

/// The number of sources that match but get no hint.
pub fn passed(findings: &Findings) -> usize {
    findings.passed.iter().filter(|passed| passed.why != WhyNot::Named).count()
}
