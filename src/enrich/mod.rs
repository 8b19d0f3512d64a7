//! What is said to an agent, and why (BEHAVIOUR §5, §7).

use std::ops::Range;

use crate::catalog::SourceId;

/// A source named by `@id` or `@ref:id` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// Which source.
    pub id: SourceId,
    /// Where it is first named: byte range of the id, without the `@`.
    pub range: Range<usize>,
}

/// An unselected source whose tags stand in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Which source.
    pub id: SourceId,
    /// The tags that matched, as first spelt, in the source's order.
    pub tags: Vec<String>,
    /// Where they stand: byte ranges, in order, without repeats.
    pub ranges: Vec<Range<usize>>,
}

/// What a text names and touches, before anything is said about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// In order of first mention.
    pub expansions: Vec<Expansion>,
    /// In catalog order, without the sources of `expansions`.
    pub hints: Vec<Hint>,
}
