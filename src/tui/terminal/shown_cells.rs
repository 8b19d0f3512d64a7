//! Tracks what the terminal shows, as far as this program wrote it. Between two changed cells, rewriting the
//! unchanged ones is often shorter than moving past them.

use ratatui::backend::ClearType;
use ratatui::buffer::Cell;
use ratatui::layout::Position;
use unicode_width::UnicodeWidthStr;

use super::style::TerminalStyle;

/// The terminal's cells, row by row; cells beyond the end are blank.
#[derive(Debug, Default)]
pub struct ShownCells {
    cells: Vec<Cell>,
    columns: u16,
}

impl ShownCells {
    pub fn blank(columns: u16) -> Self {
        Self { cells: Vec::new(), columns }
    }

    pub fn keep(&mut self, x: u16, y: u16, cell: &Cell) {
        let at = self.index(x, y);
        let covered = cell.symbol().width().max(1);
        if self.cells.len() < at + covered {
            self.cells.resize(at + covered, Cell::EMPTY);
        }
        let mut written = self.cells.iter_mut().skip(at).take(covered);
        if let Some(first) = written.next() {
            first.clone_from(cell);
        }
        // The second half of a wide character cannot be written by itself.
        written.for_each(|half| {
            half.set_symbol("");
        });
    }

    /// Records that this region around this position was erased.
    pub fn clear(&mut self, region: ClearType, Position { x, y }: Position) {
        let (row, here, behind) = (self.index(0, y), self.index(x, y), self.index(0, y + 1));
        let (from, to) = match region {
            ClearType::All => (0, usize::MAX),
            ClearType::AfterCursor => (here, usize::MAX),
            ClearType::BeforeCursor => (0, here + 1),
            ClearType::CurrentLine => (row, behind),
            ClearType::UntilNewLine => (here, behind),
        };
        self.cells.iter_mut().take(to).skip(from).for_each(Cell::reset);
    }

    /// Whether erasing this cell would change nothing.
    pub fn is_blank(&self, x: u16, y: u16) -> bool {
        self.cells.get(self.index(x, y)).is_none_or(is_plain_blank)
    }

    /// Whether this is the second half of a wide character, or was before another character replaced its first half.
    pub fn is_covered(&self, x: u16, y: u16) -> bool {
        x < self.columns && self.cells.get(self.index(x, y)).is_some_and(|cell| cell.symbol().is_empty())
    }

    /// The cell; `None` if it is the second half of a wide character, or was never written.
    pub fn cell(&self, x: u16, y: u16) -> Option<&Cell> {
        self.cells.get(self.index(x, y)).filter(|cell| !cell.symbol().is_empty())
    }

    /// The cell's character, if it is one byte and this pen would write it unchanged.
    pub fn byte(&self, x: u16, y: u16, pen: TerminalStyle) -> Option<u8> {
        let cell = self.cells.get(self.index(x, y)).unwrap_or(&Cell::EMPTY);
        match cell.symbol().as_bytes() {
            [byte @ b' '..=b'~'] if pen.for_cell(cell) == pen => Some(*byte),
            _ => None,
        }
    }

    fn index(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.columns) + usize::from(x)
    }
}

/// Whether erasing produces this cell. Cells with a background do not count, because terminals disagree about
/// erasing with one.
pub fn is_plain_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && TerminalStyle::from(cell).is_unseen_on_blanks()
}
