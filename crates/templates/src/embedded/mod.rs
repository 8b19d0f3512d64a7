//! Templates that stand in documents: the fenced code blocks of a markdown text that are templates, with all that their
//! names are made of (BEHAVIOUR §6). A function of one text alone, so that the result can be kept by content; which
//! documents are looked through is told in [`documents`], what the blocks are called over a whole desk in [`names`].

use std::sync::Arc;

use rayon::prelude::*;

use super::{Analysis, ParseError};
use refdesk_files::name::sha256_hex;

pub mod documents;
mod evidence;
mod fences;
mod front_matter;
pub mod gather;
pub mod names;

#[cfg(test)]
mod tests;

use evidence::BlockVerdict;
pub use fences::{LeftOut, SIGNS};

/// Blocks taken from one document at most.
pub const BLOCKS: usize = 20_000;

/// A code block that is a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedBlock {
    /// Its text, without the fences and what they are indented by; lines end as the parser gives them, in a line feed.
    pub text: Arc<str>,
    /// SHA-256 of the text.
    pub hash: String,
    /// The line of the document where its text begins, from 1.
    pub line: usize,
    /// The first part of its name: front matter and heading, made safe; empty where the document has neither.
    pub stem: String,
    /// What its language ends in: `java`; empty where there is none.
    pub ending: &'static str,
    /// What it is.
    pub analysis: Analysis,
}

/// A code block that has the signs of a template and does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The line of the document where its text begins, from 1.
    pub line: usize,
    /// Why; lines are those of the document.
    pub problem: ParseError,
}

/// What one markdown text holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// In order of line.
    pub blocks: Vec<EmbeddedBlock>,
    /// In order of line.
    pub rejected: Vec<Rejected>,
    /// What is wrong with the front matter, and at which line.
    pub front_matter: Option<(Option<usize>, String)>,
    /// What was left out of a document that is too large.
    pub left_out: Option<LeftOut>,
}

/// The templates of a markdown text.
pub fn extract(markdown: &str) -> Extracted {
    if !evidence::may_hold(markdown) {
        return Extracted::default();
    }
    let matter = front_matter::read(markdown);
    let (fences, left_out) = fences::fences(markdown, matter.end, BLOCKS);
    // Each block is parsed and compiled by itself; of a large document the most time goes there.
    let verdicts: Vec<BlockVerdict> =
        fences.par_iter().with_min_len(16).map(|fence| evidence::judge(&fence.text)).collect();
    let mut found = Extracted { front_matter: matter.problem, left_out, ..Extracted::default() };
    for (fence, verdict) in fences.into_iter().zip(verdicts) {
        match verdict {
            BlockVerdict::Template(analysis) => found.blocks.push(EmbeddedBlock {
                hash: sha256_hex(fence.text.as_bytes()),
                line: fence.line,
                stem: names::stem(matter.id.as_deref(), &fence.heading),
                ending: names::ending(&fence.info),
                text: fence.text.into(),
                analysis: *analysis,
            }),
            BlockVerdict::Broken(problem) => {
                found.rejected.push(Rejected { line: fence.line, problem: problem.moved_by(fence.line - 1) });
            }
            BlockVerdict::None => {}
        }
    }
    found
}
