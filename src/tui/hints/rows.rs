//! The rows of the hints pane: sources that the prompt names, then those it hints at, then those it passes over. One row a
//! source: a tag of one that is named is told in the row of its name.

use crate::catalog::SourceId;
use crate::enrich::{Expansion, Findings, Hint, PassedOver, WhyNot};

/// A source that the prompt touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintRow<'a> {
    /// Named by `@id`.
    Named(&'a Expansion),
    /// A tag of it stands in the prompt.
    Hinted(&'a Hint),
    /// Touched, and not hinted at.
    Passed(&'a PassedOver),
}

impl<'a> HintRow<'a> {
    /// Which source.
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

/// How many rows there are.
pub fn len(findings: &Findings) -> usize {
    findings.expansions.len() + findings.hints.len() + passed(findings)
}

/// How many of them are passed over.
pub fn passed(findings: &Findings) -> usize {
    findings.passed.iter().filter(|passed| passed.why != WhyNot::Named).count()
}
