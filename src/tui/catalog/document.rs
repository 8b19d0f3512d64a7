//! The loaded portion of the document under the cursor: a bounded number of consecutive parts. Each part is
//! laid out once per width, so that a keypress does not lay out the document again.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::catalog::document_part::{DocumentPart, PortionPage, PortionStart, TextFormat};
use crate::tui::glyphs::Glyphs;
use crate::tui::markdown::{Anchor, FrontMatterFold};
use crate::tui::state::Skin;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::{Document, size};

/// The maximum number of parts in memory: one mebibyte of text.
pub const MAX_PORTIONS: usize = 16;

/// How many lines after one that repeats tell it from the others.
const MAX_COMPARED: usize = 20;

#[derive(Debug, Clone, Default)]
pub struct LoadedDocument {
    pub kind: TextFormat,
    /// The parts in memory, without gaps.
    pub portions: VecDeque<DocumentPart>,
    /// The start of every part read so far, including those dropped from memory at the front.
    starts: Vec<PortionStart>,
    /// The index in `starts` of the first part in memory.
    first: usize,
    /// The offset at which reading continues.
    next: u64,
    /// The number of bytes after `next`.
    pub rest: u64,
    /// A line that tells how much is unread; empty if everything was read.
    tail: WrappedText,
    /// Incremented by every layout.
    pub revision: u64,
}

/// A heading, and its anchor name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentHeading {
    pub title: String,
    pub anchor: String,
}

/// The part shown in a row, and the row within that part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortionRow {
    pub portion: usize,
    pub row: usize,
}

impl LoadedDocument {
    pub fn begin(document: &mut Document, kind: TextFormat) -> Self {
        let start = PortionStart { offset: document.from, line: 1, fence: None };
        let mut loaded = Self { kind, starts: vec![start], ..Self::default() };
        loaded.append(document);
        loaded
    }

    /// Where the passage that was at this line before a reload is now. Of several lines with its text, the one that is
    /// followed by most of the same lines, then the nearest.
    pub fn line_after_reload(&self, before: &Self, line: usize) -> Option<usize> {
        let mut passage = before.source_lines().skip_while(|(at, text)| *at < line || text.trim().is_empty());
        let (at, text) = passage.next()?;
        let following: Vec<&str> = passage.take(MAX_COMPARED).map(|(_, text)| text).collect();
        let lines: Vec<(usize, &str)> = self.source_lines().collect();
        let same = (0..).zip(&lines).filter(|(_, (_, other))| *other == text).map(|(index, (now, _))| {
            let others = lines.iter().skip(index + 1).map(|(_, other)| *other);
            let same = others.zip(&following).take_while(|(other, following)| other == *following).count();
            (same, *now)
        });
        let (_, now) = same.min_by_key(|(same, now)| (Reverse(*same), now.abs_diff(at)))?;
        Some(now.saturating_sub(at - line).max(1))
    }

    /// The lines in memory with their numbers.
    fn source_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.portions.iter().flat_map(|portion| (portion.start.line..).zip(portion.text.lines()))
    }

    /// The offset to continue reading from, if there is more.
    pub fn next(&self) -> Option<u64> {
        (self.rest > 0).then_some(self.next)
    }

    /// Whether the whole document is in memory.
    pub fn is_whole(&self) -> bool {
        self.next().is_none() && self.previous().is_none()
    }

    /// The offset of the part before the first one in memory.
    pub fn previous(&self) -> Option<u64> {
        let before = self.first.checked_sub(1)?;
        self.starts.get(before).map(|start| start.offset)
    }

    /// Bytes up to and including this row, and in total: the position in a document that is only partly in
    /// memory. Within a part, every row counts the same.
    pub fn progress(&self, row: usize) -> (u64, u64) {
        let all = self.next + self.rest;
        let place = self.at_row(row).and_then(|at| Some((at, self.portions.get(at.portion)?)));
        // The line below the last part stands for the unread rest.
        let Some((PortionRow { row, .. }, portion)) = place else { return (self.next, all) };
        let rows = portion.page.as_ref().map_or(0, |page| page.text.len()).max(1);
        (portion.start.offset + (portion.text.len() * (row + 1) / rows) as u64, all)
    }

    /// Appends the next part. Returns the number of rows dropped at the front to make room.
    pub fn append(&mut self, document: &mut Document) -> usize {
        let Some(start) = self.starts.get(self.first + self.portions.len()).cloned() else { return 0 };
        let portion = DocumentPart { start, text: std::mem::take(&mut document.text), ..DocumentPart::default() };
        // An empty part before the end of the file: the file was truncated.
        self.rest = if document.next > document.from { document.rest } else { 0 };
        self.next = document.next;
        if self.rest > 0 && self.starts.len() == self.first + self.portions.len() + 1 {
            self.starts.push(portion.after(document.next, &self.kind));
        }
        self.portions.push_back(portion);
        self.tail = WrappedText::default();
        let mut removed_rows = 0;
        while self.portions.len() > MAX_PORTIONS {
            removed_rows +=
                self.portions.pop_front().and_then(|portion| portion.page).map_or(0, |page| page.text.len());
            self.first += 1;
            self.revision += 1;
        }
        removed_rows
    }

    /// Prepends the part before the first one in memory.
    pub fn prepend(&mut self, document: &mut Document) {
        let Some(before) = self.first.checked_sub(1) else { return };
        let Some(start) = self.starts.get(before).cloned() else { return };
        self.portions.push_front(DocumentPart {
            start,
            text: std::mem::take(&mut document.text),
            ..DocumentPart::default()
        });
        self.first = before;
        if self.portions.len() > MAX_PORTIONS
            && let Some(last) = self.portions.pop_back()
        {
            self.rest += self.next.saturating_sub(last.start.offset);
            self.next = last.start.offset;
            self.tail = WrappedText::default();
        }
        self.revision += 1;
    }

    /// Lays out every part that has no layout.
    pub fn lay_out(&mut self, front_matter: FrontMatterFold, glyphs: &Glyphs, columns: usize) {
        for portion in self.portions.iter_mut().filter(|portion| portion.page.is_none()) {
            portion.lay_out(&self.kind, front_matter, glyphs, columns);
            self.revision += 1;
        }
        if self.rest > 0 && self.tail.len() == 0 {
            let more = format!("{} {} more", glyphs.ellipsis, size(self.rest));
            self.tail = WrappedText::new(vec![PageLine::new(more, ThemeRole::Infra)], columns);
        }
    }

    /// Discards the layout of every part.
    pub fn forget_layout(&mut self) {
        self.portions.iter_mut().for_each(|portion| portion.page = None);
        self.tail = WrappedText::default();
    }

    fn texts(&self) -> impl Iterator<Item = &WrappedText> {
        self.portions.iter().map(|portion| portion.page.as_ref().map_or(&EMPTY, |page| &page.text)).chain([&self.tail])
    }

    pub fn len(&self) -> usize {
        self.texts().map(WrappedText::len).sum()
    }

    pub fn lines(&self) -> impl Iterator<Item = &PageLine> {
        self.texts().flat_map(WrappedText::lines)
    }

    /// The part shown in this row.
    pub fn at_row(&self, row: usize) -> Option<PortionRow> {
        let (portion, row) = place_in(self.texts().map(WrappedText::len), row)?;
        Some(PortionRow { portion, row })
    }

    pub fn first_row(&self, portion: usize) -> usize {
        self.texts().take(portion).map(WrappedText::len).sum()
    }

    pub fn first_line(&self, portion: usize) -> usize {
        self.texts().take(portion).map(|text| text.lines().len()).sum()
    }

    fn at_line(&self, line: usize) -> Option<(usize, usize)> {
        place_in(self.texts().map(|text| text.lines().len()), line)
    }

    /// The line that contains this row, and the row's byte range in that line.
    pub fn place(&self, row: usize) -> Option<(usize, Range<usize>)> {
        let at = self.at_row(row)?;
        let (line, range) = self.texts().nth(at.portion)?.place(at.row)?;
        Some((self.first_line(at.portion) + line, range))
    }

    /// The row that contains this byte of a line.
    pub fn row_of(&self, line: usize, at: usize) -> usize {
        match self.at_line(line) {
            Some((portion, line)) => {
                self.first_row(portion) + self.texts().nth(portion).map_or(0, |text| text.row_of(line, at))
            }
            None => self.len().saturating_sub(1),
        }
    }

    /// The source line of this byte of a laid-out line.
    pub fn source_line(&self, line: usize, at: usize) -> Option<usize> {
        let (portion, line) = self.at_line(line)?;
        self.portions.get(portion)?.page.as_ref()?.origins.source_line(line, at)
    }

    /// The row in which this source line starts; the last row if the document is shorter.
    pub fn row_of_source(&self, source: usize) -> usize {
        let after = self.portions.iter().take_while(|portion| portion.start.line <= source).count();
        let nth = after.saturating_sub(1);
        let page = self.portions.get(nth).and_then(|portion| portion.page.as_ref());
        let place = page.and_then(|page| Some((page, page.origins.place(source)?)));
        place.map_or(0, |(page, (line, at))| self.first_row(nth) + page.text.row_of(line, at))
    }

    /// Whether this source line is in memory.
    pub fn holds(&self, source: usize) -> bool {
        let first = self.portions.front().map_or(1, |portion| portion.start.line);
        let end = self.portions.back().map_or(1, |portion| portion.start.line + portion.lines());
        (first..end).contains(&source)
    }

    /// Whether this source line is before the parts in memory.
    pub fn is_before(&self, source: usize) -> bool {
        self.first > 0 && self.portions.front().is_some_and(|portion| source < portion.start.line)
    }

    /// The row of the heading or footnote with this anchor name.
    pub fn row_of_anchor(&self, name: &str) -> Option<usize> {
        let found = |(nth, portion): (usize, &DocumentPart)| {
            let page = portion.page.as_ref()?;
            let anchor = page.anchors.iter().find(|anchor| anchor.name == name)?;
            Some(self.first_row(nth) + page.text.row_of(anchor.line, 0))
        };
        self.portions.iter().enumerate().find_map(found)
    }

    /// The headings of the parts that are laid out.
    pub fn headings(&self) -> Vec<DocumentHeading> {
        let pages = self.portions.iter().filter_map(|portion| portion.page.as_ref());
        let of_page = |page: &PortionPage| {
            let headings = page.anchors.iter().filter(|anchor| !anchor.name.starts_with('^'));
            let titled = headings.filter_map(|anchor| Some((anchor, page.text.lines().get(anchor.line)?)));
            let title = |line: &PageLine| line.text().trim_start_matches('#').trim().to_owned();
            let heading = |(anchor, line): (&Anchor, &PageLine)| DocumentHeading {
                title: title(line),
                anchor: anchor.name.clone(),
            };
            titled.map(heading).collect::<Vec<_>>()
        };
        pages.flat_map(of_page).collect()
    }

    /// The number of columns by which the code in a row exceeds `columns`.
    pub fn overhang(&self, row: usize, columns: usize) -> usize {
        let at = self.at_row(row).and_then(|at| Some((self.texts().nth(at.portion)?, at.row)));
        at.map_or(0, |(text, row)| text.overhang(row, columns))
    }

    /// The horizontal scroll position at which this part of a line is visible within `columns`.
    pub fn scroll_for(&self, line: usize, part: &Range<usize>, across: usize, columns: usize) -> usize {
        let at = self.at_line(line).and_then(|(portion, line)| Some((self.texts().nth(portion)?, line)));
        at.map_or(across, |(text, line)| text.scroll_for(line, part, across, columns))
    }

    pub fn draw(
        &self,
        row: usize,
        highlights: &[(Range<usize>, Style)],
        across: usize,
        skin: &Skin,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let Some(at) = self.at_row(row) else { return };
        if let Some(text) = self.texts().nth(at.portion) {
            text.draw_scrolled_to(at.row, highlights, across, skin, area, buffer);
        }
    }
}

static EMPTY: WrappedText = WrappedText::EMPTY;

/// The index of the length that contains a position, and the offset within it.
fn place_in(lengths: impl Iterator<Item = usize>, position: usize) -> Option<(usize, usize)> {
    let mut left = position;
    for (nth, len) in lengths.enumerate() {
        match left.checked_sub(len) {
            Some(less) => left = less,
            None => return Some((nth, left)),
        }
    }
    None
}
