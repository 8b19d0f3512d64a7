//! One text, looked through: the ids and the paths that it names, each with its line, and what is hidden in it. A function of the text, its format
//! and the ids alone, so that the result can be kept by content.

use super::ids::IdMatcher;
use super::links::{LinkSyntax, links};
use super::target::path_of;
use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::lines::LineCounter;

/// What one text names. A running desk keeps ten thousand of these: lines are counted in 32 bits, which is enough for four
/// billion of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScannedMentions {
    /// Ids as whole words, by their place in the matcher, with their lines, in text order.
    pub ids: Box<[(u32, u32)]>,
    /// Paths of links, cut and decoded but not resolved, with their lines, in text order.
    pub paths: Box<[(Box<str>, u32)]>,
    /// More than a tenth of the bytes were no UTF-8.
    pub rubbish: bool,
    /// What stands in the text that nobody sees.
    pub hidden: Option<Box<HiddenCharacters>>,
}

/// Looks through a text.
pub fn scan(text: &str, format: LinkSyntax, matcher: &IdMatcher) -> ScannedMentions {
    let mut lines = LineCounter::new(text);
    let ids = matcher.find(text).map(|(id, start)| (small(id), small(lines.line_of(start)))).collect();
    let mut lines = LineCounter::new(text);
    let paths = links(text, format)
        .into_iter()
        .filter_map(|link| Some((path_of(&link.target)?.into(), small(lines.line_of(link.offset)))))
        .collect();
    ScannedMentions { ids, paths, rubbish: false, hidden: HiddenCharacters::of(text).map(Box::new) }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
