//! What is said to an agent, and why (BEHAVIOUR §5, §7): expansions of `@id`, tag hints, the transitive notice, reference
//! contexts, templates and the instructions, in full or within a budget. Pure functions of catalog, selection, what the
//! session was told, and the text; no file is read here but by way of [`SourceFiles`].

use std::ops::Range;

use refdesk_core::catalog::SourceId;

mod arguments;
mod at;
mod budget;
#[cfg(test)]
mod budget_tests;
mod candidates;
mod chain;
#[cfg(test)]
mod chain_tests;
mod contents;
mod draft;
mod explanation;
mod find;
mod injected;
mod instruction;
mod instructions;
mod normal;
mod pinned;
mod prefix_filter;
mod print;
mod proposals;
mod quote;
mod references;
mod relevance;
mod session_memory;
mod source_files;
mod spelling;
mod suppressed;
mod tags;
mod templates;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tool_tests;
mod touched;
mod vocabulary;

pub use budget::Budget;
pub use candidates::{Neighbour, PASSED, PassedOver, WhyNot};
pub use chain::{EnrichContext, EnrichRequest, Enriched, Metadata, TextKind, Tool, enrich, start, templates_in};
pub use draft::{BlockCost, BlockKind, ItemReceipt, Level, MatchReason};
pub use explanation::MatchExplanation;
pub use find::{Matcher, says_the_same};
pub use injected::{outside, own_blocks};
pub use instruction::{LISTED_FILES, fetching, instruction};
pub use instructions::instructions;
pub use pinned::{Pinned, pinned};
pub use session_memory::{SessionMemory, content_hash};
pub use source_files::SourceFiles;
pub use suppressed::withheld;
pub use tags::PLACES;
pub use touched::touched;

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
    /// The byte at which each of them stands first.
    pub firsts: Vec<usize>,
    /// Where they stand: byte ranges, in order, without repeats; at most [`PLACES`] a tag.
    pub ranges: Vec<Range<usize>>,
}

/// What a text names and touches, before anything is said about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// In order of first mention.
    pub expansions: Vec<Expansion>,
    /// In catalog order, without the sources of `expansions`.
    pub hints: Vec<Hint>,
    /// Who the text touches and is not hinted at; only [`Matcher::candidates`] looks for them.
    pub passed: Vec<PassedOver>,
    /// How many more than [`PASSED`] there are.
    pub more: usize,
}
