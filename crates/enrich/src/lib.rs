//! Builds the text that refdesk adds for an agent (BEHAVIOUR §5, §7): expansions of `@id`, tag hints, the transitive
//! notice, reference contexts, templates and the instructions, in full or within a budget. Pure functions of the
//! catalog, the selection, the session's memory and the text; files are read only through [`SourceFiles`].

use std::ops::Range;

use refdesk_core::catalog::SourceId;

mod arguments;
mod budget;
#[cfg(test)]
mod budget_tests;
mod candidates;
mod chain;
#[cfg(test)]
mod chain_tests;
mod code;
mod considered;
mod contents;
mod draft;
mod explanation;
mod find;
mod injected;
mod instruction;
mod instructions;
mod meaning;
mod mentions;
mod normal;
mod pinned;
mod prefix_filter;
mod print;
mod proposals;
mod quote;
mod ranking;
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

pub use arguments::PathBase;
pub use budget::Budget;
pub use candidates::{Neighbour, SkippedSource, WhyNot};
pub use chain::{
    EnrichContext, EnrichRequest, Enriched, HintAction, Metadata, OwnCall, SemanticMatch, TextKind, Tool, enrich,
    start, templates_in,
};
pub use considered::{Considered, considered, rank_findings};
pub use draft::{BlockCost, BlockKind, ItemReceipt, Level, MatchReason};
pub use explanation::MatchExplanation;
pub use find::{Matcher, has_equal_index};
pub use injected::{CODE, QUOTE_NOTICE, outside, own_blocks};
pub use instruction::{fetching, instruction};
pub use instructions::instructions;
pub use meaning::{Meaning, Score};
pub use pinned::Pinned;
pub(crate) use pinned::pinned;
pub use ranking::Rejection;
pub use session_memory::SessionMemory;
pub use source_files::SourceFiles;
pub use suppressed::suppressed_hints;
pub use touched::touched;

/// A source that a text mentions by `@id` or `@ref:id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// Its id.
    pub id: SourceId,
    /// Its first mention: byte range of the id, without the `@`.
    pub range: Range<usize>,
}

/// An unselected source whose tags are in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Its id.
    pub id: SourceId,
    /// The tags that matched, in their first spelling, in the source's order.
    pub tags: Vec<String>,
    /// The byte offset of each tag's first match.
    pub firsts: Vec<usize>,
    /// All matches: byte ranges, in order, without duplicates; at most `PLACES` per tag.
    pub ranges: Vec<Range<usize>>,
    /// Whether all matches are in code.
    pub is_in_code: bool,
}

/// The sources that a text brings up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// In order of first mention.
    pub expansions: Vec<Expansion>,
    /// In catalog order, without the sources of `expansions`.
    pub hints: Vec<Hint>,
    /// Sources that match but get no hint; only set by [`Matcher::candidates`].
    pub passed: Vec<SkippedSource>,
    /// The number of sources beyond `MAX_LISTED`.
    pub more: usize,
    /// The sources with the best scores and all hints with a score; only set by [`rank_findings`].
    pub considered: Option<Vec<Considered>>,
}
