//! Templates in documents: the fenced code blocks of a markdown text that are templates, with the parts of their names
//! (BEHAVIOUR §6). The result depends only on the text, so it can be cached by content. [`documents`] selects the
//! texts; [`names`] names the blocks of a whole desk.

use std::sync::Arc;

use rayon::prelude::*;

use super::Analysis;
use super::error::moved_by;
use refdesk_files::name::sha256_hex;
use refdesk_text::Error;
use refdesk_text::markdown::SIGNS;

pub(crate) mod documents;
mod evidence;
mod fences;
mod front_matter;
pub(crate) mod gather;
pub(crate) mod names;

#[cfg(test)]
mod tests;

use evidence::BlockVerdict;
pub(crate) use fences::LeftOut;

/// The most blocks taken from one document.
const BLOCKS: usize = 20_000;

/// The most bytes of blocks compiled in one document.
pub(crate) const COMPILED: usize = 2 * 1024 * 1024;

/// A code block that is a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedBlock {
    /// Its text without the fences and their indentation; lines end in a line feed, as the parser returns them.
    pub text: Arc<str>,
    /// SHA-256 of the text.
    pub hash: String,
    /// The line of the document where its text begins, from 1.
    pub line: usize,
    /// The first part of its name, from front matter and heading; empty if the document has neither.
    pub stem: String,
    /// The file extension of its language, such as `java`; empty if the language is unknown.
    pub ending: &'static str,
    /// Its syntax and variables.
    pub analysis: Analysis,
}

/// A code block that looks like a template but does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The line of the document where its text begins, from 1.
    pub line: usize,
    /// The parse error; lines are those of the document.
    pub problem: Error,
}

/// The templates of one markdown text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extracted {
    /// In order of line.
    pub blocks: Vec<EmbeddedBlock>,
    /// In order of line.
    pub rejected: Vec<Rejected>,
    /// A problem in the front matter, with its line.
    pub front_matter: Option<(usize, String)>,
    /// What was skipped, if the document is too large.
    pub left_out: Option<LeftOut>,
    /// The bytes of all blocks that were compiled, templates or not.
    pub compiled: usize,
}

/// The templates of a markdown text.
pub fn extract(markdown: &str) -> Extracted {
    // A tool result may begin with a byte order mark, which would hide front matter and the first heading.
    let markdown = markdown.strip_prefix('\u{feff}').unwrap_or(markdown);
    if !evidence::may_hold(markdown) {
        return Extracted::default();
    }
    let matter = front_matter::read(markdown);
    let (fences, left_out) = fences::fences(markdown, matter.end);
    // Each block is parsed and compiled separately; this takes most of the time on a large document.
    let verdicts: Vec<BlockVerdict> =
        fences.par_iter().with_min_len(16).map(|fence| evidence::judge(&fence.text)).collect();
    let compiled = fences.iter().map(|fence| fence.text.len()).sum();
    let mut found = Extracted { front_matter: matter.problem, left_out, compiled, ..Extracted::default() };
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
                found.rejected.push(Rejected { line: fence.line, problem: moved_by(problem, fence.line - 1) });
            }
            BlockVerdict::None => {}
        }
    }
    found
}
