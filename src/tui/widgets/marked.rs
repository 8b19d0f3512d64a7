//! A cleaned text with marked characters. Cleaning can lengthen the text, and the marks are adjusted.

use std::ops::Range;

use crate::common::filter::clusters;
use crate::tui::widgets::cells;

/// A clean text of one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkedText {
    pub text: String,
    /// The marked byte ranges, sorted and disjoint.
    pub marks: Vec<Range<usize>>,
}

impl MarkedText {
    /// Marks these clusters of `text`, given as sorted indices.
    pub fn of(text: &str, marked: &[u32]) -> Self {
        if marked.is_empty() {
            return Self { text: cells::clean(text).into_owned(), marks: Vec::new() };
        }
        let mut shown = Self::default();
        for (nth, cluster) in (0u32..).zip(clusters(text)) {
            let start = shown.text.len();
            match cluster {
                "\n" | "\r\n" => shown.text.push(' '),
                _ => shown.text.push_str(&cells::clean(cluster)),
            }
            let end = shown.text.len();
            if end == start || marked.binary_search(&nth).is_err() {
                continue;
            }
            match shown.marks.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => shown.marks.push(start..end),
            }
        }
        shown
    }

    /// The parts of `range`, and whether each is marked.
    pub fn parts(&self, range: Range<usize>) -> Vec<(&str, Highlighted)> {
        let mut parts = Vec::new();
        let mut from = range.start;
        let mut push = |range: Range<usize>, lit| match self.text.get(range) {
            Some(part) if !part.is_empty() => parts.push((part, lit)),
            _ => {}
        };
        for mark in self.marks.iter().filter(|mark| mark.end > range.start && mark.start < range.end) {
            push(from..mark.start.max(from), Highlighted::No);
            let end = mark.end.min(range.end);
            push(mark.start.max(from)..end, Highlighted::Yes);
            from = end;
        }
        push(from..range.end, Highlighted::No);
        parts
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Highlighted {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_their_characters() {
        for (text, marked, shown) in [
            ("retry", &[0, 1, 4][..], "[re]tr[y]"),
            ("retry", &[], "retry"),
            ("\x1bab", &[0, 2], "[\\x1b]a[b]"),
            ("e\u{301}ab", &[0, 1], "[e\u{301}a]b"),
            ("a\nb", &[0, 2], "[a] [b]"),
            ("日本語", &[1], "日[本]語"),
        ] {
            let marked = MarkedText::of(text, marked);
            let parts = marked.parts(0..marked.text.len()).into_iter();
            let printed: String = parts
                .map(|(part, lit)| if lit == Highlighted::Yes { format!("[{part}]") } else { part.into() })
                .collect();
            assert_eq!(printed, shown);
        }
        let marked = MarkedText::of("retry", &[0, 1, 4]);
        assert_eq!(marked.parts(1..4), [("e", Highlighted::Yes), ("tr", Highlighted::No)]);
    }
}
