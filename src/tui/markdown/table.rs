//! A table with aligned columns. If it is too wide, columns get narrower and cells wrap; if even that does
//! not fit, each row becomes a list of its cells.

use std::ops::Range;

use pulldown_cmark::Alignment;
use ratatui::style::Modifier;

use crate::tui::glyphs::Glyphs;
use crate::tui::markdown::inline::InlineText;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{LinePart, wrap};

/// The maximum width of a column's heading in a list of cells.
const LONGEST_NAME: usize = 200;

/// The minimum width of a column.
const MIN: usize = 8;

#[derive(Debug, Clone, Default)]
pub struct Table {
    pub alignments: Vec<Alignment>,
    /// The header first.
    pub rows: Vec<TableRow>,
}

#[derive(Debug, Clone, Default)]
pub struct TableRow {
    pub cells: Vec<InlineText>,
    pub source: usize,
}

/// A line of a table, without the indent.
#[derive(Debug, Clone, Default)]
pub struct TableLine {
    pub text: InlineText,
    pub source: usize,
    /// The indent of continuation rows.
    pub hanging_indent: usize,
}

impl Table {
    pub fn lines(&self, columns: usize, glyphs: &Glyphs) -> Vec<TableLine> {
        let count = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let between = 3 * count.saturating_sub(1);
        let natural: Vec<usize> = (0..count).map(|nth| self.natural(nth)).collect();
        match columns.checked_sub(between).and_then(|room| widths(&natural, room)) {
            Some(widths) => self.aligned(&widths, glyphs),
            None => self.listed(if columns < 8 { 0 } else { 2 }),
        }
    }

    fn natural(&self, nth: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(nth));
        cells.map(|cell| cells::width(&cell.text)).max().unwrap_or(0).max(1)
    }

    fn aligned(&self, widths: &[usize], glyphs: &Glyphs) -> Vec<TableLine> {
        let mut lines = Vec::new();
        for (nth, row) in self.rows.iter().enumerate() {
            self.row(row, widths, glyphs, &mut lines);
            if nth == 0 {
                let columns = widths.iter().sum::<usize>() + 3 * widths.len().saturating_sub(1);
                let mut rule = TableLine { source: row.source, ..TableLine::default() };
                rule.text.push_clean(&glyphs.rule.repeat(columns), ThemeRole::Infra, Modifier::empty());
                lines.push(rule);
            }
        }
        lines
    }

    fn row(&self, row: &TableRow, widths: &[usize], glyphs: &Glyphs, lines: &mut Vec<TableLine>) {
        let wrapped: Vec<Vec<Range<usize>>> = widths
            .iter()
            .enumerate()
            .map(|(nth, width)| row.cells.get(nth).map(|cell| pieces(&cell.text, *width)).unwrap_or_default())
            .collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for nth in 0..height {
            let mut line = TableLine { source: row.source, ..TableLine::default() };
            for (column, (width, pieces)) in widths.iter().zip(&wrapped).enumerate() {
                if column > 0 {
                    line.text.push_clean(&format!(" {} ", glyphs.column), ThemeRole::Infra, Modifier::empty());
                }
                let piece = pieces.get(nth).cloned().unwrap_or(0..0);
                let empty = InlineText::default();
                let cell = row.cells.get(column).unwrap_or(&empty);
                let used = cells::width(cell.text.get(piece.clone()).unwrap_or_default());
                let left = width.saturating_sub(used);
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => left,
                    Some(Alignment::Center) => left / 2,
                    _ => 0,
                };
                pad(&mut line.text, before);
                append(&mut line.text, cell, &piece);
                if column + 1 < widths.len() {
                    pad(&mut line.text, left - before);
                }
            }
            lines.push(line);
        }
    }

    /// Each cell on its own line after its column's heading, with an empty line between rows; continuation
    /// rows are indented by `hanging_indent`.
    fn listed(&self, hanging_indent: usize) -> Vec<TableLine> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for (nth, row) in std::iter::once(head).filter(|_| rows.is_empty()).chain(rows).enumerate() {
            if nth > 0 {
                lines.push(TableLine { source: row.source, ..TableLine::default() });
            }
            // Missing cells of a short row are empty.
            for (column, cell) in row.cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let mut line = TableLine { source: row.source, hanging_indent, ..TableLine::default() };
                if let Some(name) = head.cells.get(column).filter(|name| !name.is_empty() && !rows.is_empty()) {
                    append(&mut line.text, name, &(0..cells::clip(&name.text, LONGEST_NAME, "").len()));
                    line.text.push_clean(": ", ThemeRole::Infra, Modifier::empty());
                }
                append(&mut line.text, cell, &(0..cell.text.len()));
                lines.push(line);
            }
        }
        lines
    }
}

/// Appends a part of a cell, with its links.
fn append(line: &mut InlineText, cell: &InlineText, piece: &Range<usize>) {
    let at = line.text.len();
    let Some(text) = cell.text.get(piece.clone()) else { return };
    line.text.push_str(text);
    let parts: Vec<LinePart> = cell.parts_within(piece, at).collect();
    line.parts.extend(parts);
    line.links.extend(cell.links_within(piece, at));
}

fn pad(line: &mut InlineText, columns: usize) {
    if columns > 0 {
        line.push_clean(&" ".repeat(columns), ThemeRole::Text, Modifier::empty());
    }
}

/// Wraps a cell, without blanks at the ends of its rows.
fn pieces(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    wrap(text, columns, 0, |range| {
        let row = text.get(range.clone()).unwrap_or_default();
        rows.push(range.start..range.start + row.trim_end_matches(' ').len());
    });
    rows
}

/// Fits columns with `natural` widths into `room` by shrinking the widest first. `None` if even minimum
/// widths do not fit.
fn widths(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    if natural.iter().sum::<usize>() <= room {
        return Some(natural.to_vec());
    }
    // The common width of the shrunken columns.
    let mut most = 0;
    while natural.iter().map(|width| (*width).min(most + 1)).sum::<usize>() <= room {
        most += 1;
    }
    if most < MIN {
        return None;
    }
    let mut widths: Vec<usize> = natural.iter().map(|width| (*width).min(most)).collect();
    let mut left = room - widths.iter().sum::<usize>();
    for (width, natural) in widths.iter_mut().zip(natural) {
        if left > 0 && *width < *natural {
            *width += 1;
            left -= 1;
        }
    }
    Some(widths)
}

#[test]
fn the_widest_columns_give_way() {
    for (natural, room, expected) in [
        (&[4, 10][..], 20, Some(vec![4, 10])),
        (&[4, 40], 20, Some(vec![4, 16])),
        (&[30, 40, 5], 25, Some(vec![10, 10, 5])),
        (&[30, 40, 5], 26, Some(vec![11, 10, 5])),
        (&[30, 30, 30], 15, None),
        (&[], 0, Some(vec![])),
    ] {
        assert_eq!(widths(natural, room), expected, "{natural:?} in {room}");
    }
}
