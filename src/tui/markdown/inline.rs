//! Collects the text of a paragraph, heading or table cell: its parts, its links, and its source lines.

use std::ops::Range;

use ratatui::style::Modifier;

use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::LinePart;

#[derive(Debug, Clone, Default)]
pub struct InlineText {
    pub text: String,
    pub parts: Vec<LinePart>,
    /// Indices into the list of links, with the byte ranges of their text.
    pub links: Vec<(usize, Range<usize>)>,
    /// The byte at which a source line starts, and its number.
    pub origins: Vec<(usize, usize)>,
}

impl InlineText {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Appends external text, which is cleaned.
    pub fn push(&mut self, text: &str, role: ThemeRole, added: Modifier) {
        self.push_clean(&cells::clean(text), role, added);
    }

    /// Appends text that is already clean.
    pub fn push_clean(&mut self, text: &str, role: ThemeRole, added: Modifier) {
        self.text.push_str(text);
        let end = self.text.len();
        match self.parts.last_mut() {
            Some(last) if (last.role, last.added) == (role, added) => last.end = end,
            _ => self.parts.push(LinePart { end, role, added }),
        }
    }

    /// Records that the text from here on comes from this source line.
    pub fn at_line(&mut self, source: usize) {
        if self.origins.last().is_none_or(|(_, last)| *last < source) {
            self.origins.push((self.text.len(), source));
        }
    }

    /// The parts within a range, shifted to start at `to`.
    pub fn parts_within(&self, range: &Range<usize>, to: usize) -> impl Iterator<Item = LinePart> {
        let first = self.parts.partition_point(|part| part.end <= range.start);
        let mut start = range.start;
        let (range, parts) = (range.clone(), self.parts.get(first..).unwrap_or_default());
        parts.iter().map_while(move |part| {
            let end = part.end.min(range.end);
            let is_within = start < range.end;
            start = end;
            is_within.then_some(LinePart { end: to + end - range.start, ..*part })
        })
    }

    /// The links within a range, shifted to start at `to`.
    pub fn links_within(&self, range: &Range<usize>, to: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let range = range.clone();
        self.links.iter().filter_map(move |(link, at)| {
            let (start, end) = (at.start.max(range.start), at.end.min(range.end));
            (start < end).then(|| (*link, to + start - range.start..to + end - range.start))
        })
    }
}
