//! The text of a section with the searched words marked, wrapped.

use std::ops::Range;

use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::SearchHit;

pub fn page(hit: &SearchHit, columns: usize) -> WrappedText {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in hit.excerpt.split_inclusive('\n') {
        let marked = marked(line.trim_end(), start, &hit.matches);
        lines.push(PageLine::default().then_marked(&marked, ThemeRole::Text));
        start += line.len();
    }
    WrappedText::new(lines, columns)
}

/// A line that begins at this byte, cleaned; the marks follow.
fn marked(line: &str, start: usize, matches: &[Range<usize>]) -> MarkedText {
    let mut shown = MarkedText::default();
    let mut at = 0;
    for found in matches.iter().filter(|found| found.start >= start && found.end <= start + line.len()) {
        let (from, to) = (found.start - start, found.end - start);
        shown.text.push_str(&cells::clean(line.get(at..from).unwrap_or_default()));
        let begin = shown.text.len();
        shown.text.push_str(&cells::clean(line.get(from..to).unwrap_or_default()));
        shown.marks.push(begin..shown.text.len());
        at = to;
    }
    shown.text.push_str(&cells::clean(line.get(at..).unwrap_or_default()));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_the_words_although_control_characters_are_escaped() {
        let line = "a \u{1b}[1m word \u{200b} and a word";
        let second = line.rfind("word").unwrap();
        let first = line.find("word").unwrap();
        let shown = marked(line, 10, &[10 + first..14 + first, 10 + second..14 + second, 90..95]);
        let words: Vec<&str> = shown.marks.iter().map(|mark| &shown.text[mark.clone()]).collect();
        assert_eq!(words, ["word", "word"]);
        assert!(!shown.text.contains('\u{1b}'), "{}", shown.text);
    }
}
