//! Scans one text for ids, paths and hidden characters. Depends only on the text, its format and the ids, so that the
//! result can be cached by content.

use std::path::Path;

use super::generated::names_a_document;
use super::ids::IdMatcher;
use super::links::{LinkSyntax, links};
use super::target::path_of;
use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::lines::LineCounter;
use refdesk_text::number::narrow;

/// The ids and paths in one text. A running desk keeps ten thousand of these, so lines are 32-bit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScannedMentions {
    /// Ids as whole words, by position in the matcher, with their lines, in text order.
    pub ids: Box<[(u32, u32)]>,
    /// The links that lead to paths, in text order.
    pub paths: Box<[LinkedPath]>,
    /// Whether more than a tenth of the bytes are not UTF-8.
    pub is_binary: bool,
    /// Invisible characters in the text.
    pub hidden: Option<Box<HiddenCharacters>>,
}

/// A link to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedPath {
    /// Trimmed and decoded, not resolved.
    pub path: Box<str>,
    /// Its line.
    pub line: u32,
    /// Whether the target need not exist: a bare word in code or one that does not name a document, or a link whose
    /// target is reported at its definition.
    pub is_example: bool,
}

/// Scans a text.
pub fn scan(text: &str, format: LinkSyntax, matcher: &IdMatcher) -> ScannedMentions {
    let mut lines = LineCounter::new(text);
    let ids = matcher.find(text).map(|(id, start)| (narrow(id), narrow(lines.line_of(start)))).collect();
    let mut lines = LineCounter::new(text);
    let paths = links(text, format)
        .into_iter()
        .filter_map(|link| {
            let (path, line): (Box<str>, u32) = (path_of(&link.target)?.into(), narrow(lines.line_of(link.offset)));
            let is_word = link.is_bare && (link.is_code || !names_a_document(Path::new(&*path)));
            let is_example = link.is_defined || is_word;
            Some(LinkedPath { path, line, is_example })
        })
        .collect();
    ScannedMentions { ids, paths, is_binary: false, hidden: HiddenCharacters::of(text).map(Box::new) }
}
