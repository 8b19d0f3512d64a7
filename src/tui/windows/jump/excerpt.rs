//! The text of a section with the searched words marked, wrapped.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use regex::{Regex, RegexBuilder};

use crate::tui::catalog::document_part::TextFormat;
use crate::tui::glyphs::Glyphs;
use crate::tui::markdown::{self, FrontMatterFold, MarkdownLayout};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::SearchHit;
use refdesk_text::markdown::with_fence;

pub fn page(hit: &SearchHit, columns: usize, glyphs: &Glyphs) -> WrappedText {
    let kind = if hit.path.is_empty() { TextFormat::Lines } else { TextFormat::of_path(Path::new(&hit.path)) };
    if kind.is_markdown() {
        let keeps_lines = kind == TextFormat::Lines;
        let layout = MarkdownLayout {
            columns,
            glyphs,
            front_matter: FrontMatterFold::Folded,
            first_line: hit.line,
            keeps_lines,
        };
        // An excerpt that starts within a code block is laid out as code.
        let text = hit.fence.as_ref().map_or(Cow::Borrowed(&*hit.excerpt), |it| with_fence(it, &hit.excerpt).into());
        let mut lines = markdown::lines(&text, &layout).lines;
        if let Some(searched) = searched(hit) {
            for line in &mut lines {
                let found: Vec<_> = searched.find_iter(line.text()).map(|found| found.range()).collect();
                line.mark(found);
            }
        }
        return WrappedText::new(lines, columns);
    }
    let mut lines = Vec::new();
    let mut start = 0;
    for line in hit.excerpt.split_inclusive('\n') {
        let marked = marked(line.trim_end(), start, &hit.matches);
        lines.push(PageLine::default().then_marked(&marked, ThemeRole::Text));
        start += line.len();
    }
    WrappedText::new(lines, columns)
}

/// A pattern for the matched words, wherever they occur in the laid-out text; `None` if there are none.
fn searched(hit: &SearchHit) -> Option<Regex> {
    let words: BTreeSet<&str> = hit.matches.iter().filter_map(|found| hit.excerpt.get(found.clone())).collect();
    let words: Vec<String> = words.into_iter().map(regex::escape).collect();
    // A list of words never exceeds the size limit of a pattern.
    let pattern = RegexBuilder::new(&format!(r"\b(?:{})\b", words.join("|"))).case_insensitive(true).build();
    pattern.ok().filter(|_| !words.is_empty())
}

/// A cleaned line that starts at this byte, with its marks adjusted.
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
    use crate::tui::tests::fixture::hit;

    #[test]
    fn markdown_is_laid_out_with_its_marks() {
        let excerpt = "## Rules\n\nRead the [retry *pattern*](../retry.md), retry once.\n\n| call | retry |\n| --- | --- |\n| book | never |";
        let matches = excerpt.match_indices("retry").map(|(at, word)| at..at + word.len()).collect();
        let hit =
            SearchHit { path: "docs/a.md".to_owned(), excerpt: excerpt.to_owned(), matches, ..hit("java-service") };
        let page = page(&hit, 60, &Glyphs::default());
        let rows: Vec<String> = (0..page.len()).map(|nth| page.row(nth)).collect();
        let shown = rows.join("\n");
        assert!(!shown.contains("##") && !shown.contains("](") && !shown.contains("| ---"), "{shown}");
        assert!(shown.contains("Read the retry pattern, retry once."), "{shown}");
        let marked = page.lines().iter().map(|line| searched(&hit).unwrap().find_iter(line.text()).count());
        assert_eq!(marked.sum::<usize>(), 3);
    }

    #[test]
    fn an_excerpt_from_a_code_block_is_code() {
        let excerpt = "…\nname: zebra\n# not a heading\nflag: true";
        let hit = SearchHit {
            path: "docs/a.md".to_owned(),
            excerpt: excerpt.to_owned(),
            fence: Some("```yaml".to_owned()),
            ..hit("java-service")
        };
        let page = page(&hit, 60, &Glyphs::UNICODE);
        let rows: Vec<String> = (0..page.len()).map(|nth| page.row(nth).trim_end().to_owned()).collect();
        assert_eq!(rows, ["│ …", "│ name: zebra", "│ # not a heading", "│ flag: true"]);
    }

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
