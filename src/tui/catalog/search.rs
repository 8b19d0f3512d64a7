//! Text search with its matches. It is case-sensitive if the needle contains an uppercase letter.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use refdesk_text::fold::fold;

use crate::tui::widgets::field::TextField;

#[derive(Debug, Clone, Default)]
pub struct TextSearch {
    pub needle: TextField,
    /// The matches, in order.
    pub hits: Vec<Hit>,
    /// The current match.
    pub at: usize,
    /// The row at which the search started.
    pub from: usize,
    /// A hash of the needle and the text that were searched.
    pub searched: Option<u64>,
    /// The row of the current match, and the top row of the screen at that time.
    pub seen: Option<(usize, usize)>,
    /// Whether matches have come or gone since.
    pub has_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub line: usize,
    /// The byte range in the line; whole grapheme clusters.
    pub range: Range<usize>,
}

impl TextSearch {
    pub fn is_on(&self) -> bool {
        !self.needle.is_empty()
    }

    /// `2/7`, or a note that nothing matches; `2/7+` if only part of the text was searched.
    pub fn count(&self, is_whole: bool) -> String {
        let more = if is_whole { "" } else { "+" };
        match self.hits.len() {
            0 if is_whole => "none".to_owned(),
            0 => "none yet".to_owned(),
            len => format!("{}/{len}{more}", self.at + 1),
        }
    }
}

/// The matches of `needle` in these lines.
pub fn find<'a>(lines: impl Iterator<Item = &'a str>, needle: &str) -> Vec<Hit> {
    let exact = needle.chars().any(char::is_uppercase);
    let alike = |c: char| if exact { c } else { fold(c) };
    let needle: Vec<char> = needle.chars().map(alike).collect();
    let mut hits = Vec::new();
    for (line, text) in lines.enumerate().filter(|_| !needle.is_empty()) {
        let from = hits.len();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let start = text.len() - rest.len();
            let end = ends(rest, &needle, alike).map(|len| start + len);
            rest = text.get(end.unwrap_or(start + c.len_utf8())..).unwrap_or_default();
            hits.extend(end.map(|end| Hit { line, range: start..end }));
        }
        if let Some(found) = hits.get_mut(from..).filter(|found| !found.is_empty() && !text.is_ascii()) {
            widen(text, found);
        }
    }
    hits
}

/// The length of the match in bytes, if `text` starts with the needle.
fn ends(text: &str, needle: &[char], alike: impl Fn(char) -> char) -> Option<usize> {
    let mut chars = text.chars();
    for wanted in needle {
        if alike(chars.next()?) != *wanted {
            return None;
        }
    }
    Some(text.len() - chars.as_str().len())
}

/// Widens every match to whole grapheme clusters.
fn widen(text: &str, hits: &mut [Hit]) {
    let mut bounds: Vec<usize> = text.grapheme_indices(true).map(|(start, _)| start).collect();
    bounds.push(text.len());
    for Hit { range, .. } in hits {
        let first = bounds.partition_point(|bound| *bound <= range.start).saturating_sub(1);
        let last = bounds.partition_point(|bound| *bound < range.end);
        let bound = |at: usize, else_at| bounds.get(at).copied().unwrap_or(else_at);
        *range = bound(first, range.start)..bound(last, range.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches() {
        let lines = ["Retry, then retry.", "no", "RETRYretry", "e\u{301}t日é"];
        for (needle, places) in [
            ("retry", &[(0, 0..5), (0, 12..17), (2, 0..5), (2, 5..10)][..]),
            ("Retry", &[(0, 0..5)]),
            ("RETRY", &[(2, 0..5)]),
            ("e\u{301}", &[(3, 0..3)]),
            ("\u{301}t", &[(3, 0..4)]),
            ("日É", &[]),
            ("日é", &[(3, 4..9)]),
            ("", &[]),
            ("nothing", &[]),
        ] {
            let found: Vec<_> = find(lines.into_iter(), needle).into_iter().map(|hit| (hit.line, hit.range)).collect();
            assert_eq!(found, places, "{needle:?}");
        }
        assert_eq!(find(["aaaa"].into_iter(), "aa").len(), 2, "matches do not overlap");
    }
}
