//! Lays Markdown out as lines: headings, lists, tables, quotes and code, with a role for each span and the
//! source line of each part. Pure. The caller decides where links lead.

mod compose;
mod front_matter;
mod html;
mod inline;
mod line_writer;
mod slug;
mod table;

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use crate::tui::glyphs::Glyphs;
use crate::tui::highlight::LONGEST_LINE;
use crate::tui::widgets::page::PageLine;

pub use compose::lines;
pub use front_matter::FrontMatterFold;
use front_matter::split;

/// The options of a layout.
#[derive(Debug, Clone, Copy)]
pub struct MarkdownLayout<'a> {
    pub columns: usize,
    pub glyphs: &'a Glyphs,
    pub front_matter: FrontMatterFold,
    /// The number of the text's first source line, from 1.
    pub first_line: usize,
    /// Whether line breaks within a paragraph are kept.
    pub keeps_lines: bool,
}

/// A laid-out text: lines to wrap, and the links, anchors and code in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownLines {
    pub lines: Vec<PageLine>,
    pub origins: Origins,
    pub links: Vec<WrittenLink>,
    pub anchors: Vec<Anchor>,
    pub code: Vec<CodeBlock>,
}

impl MarkdownLines {
    /// Truncates lines of code that are too wide instead of wrapping them. Very long lines, as of minified scripts, are
    /// wrapped: a document of a few endless rows could not be scrolled.
    pub fn cut_code(&mut self) {
        for (line, from) in self.code.iter().flat_map(|block| &block.lines) {
            if let Some(line) = self.lines.get_mut(*line).filter(|line| line.text().len() <= LONGEST_LINE) {
                line.set_code(*from);
            }
        }
    }
}

pub fn has_front_matter(text: &str) -> bool {
    split(text).is_some()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    pub line: usize,
    /// The byte range in the line.
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenLink {
    /// Where the link's text is shown: several ranges in a table, where text wraps within its column.
    pub shown: Vec<LineRange>,
    pub target: String,
    /// The source line in which it starts.
    pub source_line: usize,
}

/// A target for a `#fragment`: a heading, or `^label` for a footnote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub name: String,
    pub line: usize,
}

/// Lines of code in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeBlock {
    /// Names of the language, the most likely first; empty if unspecified.
    pub languages: Vec<String>,
    /// Each line, and the byte at which its code starts.
    pub lines: Vec<(usize, usize)>,
}

/// The source line of each part of each line, in ascending order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(Vec<Origin>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin {
    line: u32,
    at: u32,
    source: u32,
}

impl Origins {
    /// Records that line `line`, from byte `at` on, comes from this source line.
    pub fn note(&mut self, line: usize, at: usize, source: usize) {
        let number = |n| u32::try_from(n).unwrap_or(u32::MAX);
        let before = self.0.last().copied();
        let source = number(source).max(before.map_or(0, |last| last.source));
        if before.is_none_or(|last| (last.line as usize, last.source) != (line, source)) {
            self.0.push(Origin { line: number(line), at: number(at), source });
        }
    }

    /// Whether anything is recorded about this line, which must be the last one.
    fn is_noted(&self, line: usize) -> bool {
        self.0.last().is_some_and(|last| last.line as usize == line)
    }

    /// The source line at byte `at` of a line.
    pub fn source_line(&self, line: usize, at: usize) -> Option<usize> {
        let after = self.0.partition_point(|it| (it.line as usize, it.at as usize) <= (line, at));
        let it = self.0.get(after.saturating_sub(1))?;
        Some(it.source as usize)
    }

    /// The first and last source line that occur.
    pub fn sources(&self) -> Option<RangeInclusive<usize>> {
        let (first, last) = self.0.first().zip(self.0.last())?;
        Some(first.source as usize..=last.source as usize)
    }

    /// The line and byte where this source line starts, or else the next one that is shown, or else the last one.
    pub fn place(&self, source: usize) -> Option<(usize, usize)> {
        let from = self.0.partition_point(|it| (it.source as usize) < source);
        let it = self.0.get(from).or(self.0.last())?;
        Some((it.line as usize, it.at as usize))
    }

    /// Where this source line is shown: ranges up to the next origin. An end of `usize::MAX` is the end of the line.
    pub fn parts(&self, source: usize) -> impl Iterator<Item = LineRange> {
        let from = self.0.partition_point(|it| (it.source as usize) < source);
        let here = self.0.iter().enumerate().skip(from).take_while(move |(_, it)| it.source as usize == source);
        here.map(|(nth, it)| {
            let next = self.0.get(nth + 1).filter(|next| next.line == it.line);
            let end = next.map_or(usize::MAX, |next| next.at as usize);
            LineRange { line: it.line as usize, start: it.at as usize, end }
        })
    }
}
