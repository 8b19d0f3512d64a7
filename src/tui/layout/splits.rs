//! How the grid is divided between the four panes, in shares that survive any resize.

use ratatui::layout::Size;

use crate::tui::action::BorderMove;
use refdesk_core::config::screen::Borders;

/// The least that a border leaves to a pane: an id, and a list with details.
pub const LEAST: Size = Size { width: 30, height: 9 };

/// How far a key moves a border.
pub(super) const STEP: Size = Size { width: 2, height: 1 };

/// How the grid is divided, in thousandths of its width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splits {
    pub left: u16,
    pub upper: u16,
}

impl Default for Splits {
    fn default() -> Self {
        Self { left: 460, upper: 550 }
    }
}

impl From<Borders> for Splits {
    fn from(borders: Borders) -> Self {
        Self { left: borders.left, upper: borders.upper }
    }
}

impl Splits {
    /// Columns of the left panes and rows of the upper ones, in a grid of this size.
    pub fn cells(self, grid: Size) -> Size {
        Size {
            width: part(self.left, grid.width, (LEAST.width, LEAST.width)),
            height: part(self.upper, grid.height, (LEAST.height, LEAST.height)),
        }
    }

    /// Columns of the first of `columns` columns in a body of this width; of three it has two thirds of its share.
    pub fn first(self, width: u16, columns: usize) -> u16 {
        match columns {
            0..=2 => part(self.left, width, (LEAST.width, LEAST.width)),
            _ => part(self.left.min(1000) * 2 / 3, width, (LEAST.width, LEAST.width + width * 3 / 10)),
        }
    }

    /// The same with the first of `columns` columns this wide.
    pub fn with_first(self, wide: u16, columns: usize, body: Size) -> Self {
        let shared = if columns > 2 { wide.saturating_mul(3) / 2 } else { wide };
        self.with_left(shared, body)
    }

    /// The same with the left panes this wide, as far as there is room.
    pub fn with_left(self, columns: u16, grid: Size) -> Self {
        Self { left: thousandths(columns, grid.width, LEAST.width), ..self }
    }

    /// The same with the upper panes this high, as far as there is room.
    pub fn with_upper(self, rows: u16, grid: Size) -> Self {
        Self { upper: thousandths(rows, grid.height, LEAST.height), ..self }
    }

    /// One step of a border, as far as there is room.
    pub fn moved(self, border: BorderMove, grid: Size) -> Self {
        let Size { width, height } = self.cells(grid);
        match border {
            BorderMove::Left => self.with_left(width.saturating_sub(STEP.width), grid),
            BorderMove::Right => self.with_left(width.saturating_add(STEP.width), grid),
            BorderMove::Up => self.with_upper(height.saturating_sub(STEP.height), grid),
            BorderMove::Down => self.with_upper(height.saturating_add(STEP.height), grid),
        }
    }
}

/// `share` thousandths of `all`, with a minimum for both sides. The share is kept while a terminal is too small for
/// it.
pub(super) fn part(share: u16, all: u16, (least, other): (u16, u16)) -> u16 {
    let wanted = u32::from(share.min(1000)) * u32::from(all) / 1000;
    u16::try_from(wanted).unwrap_or(all).min(all.saturating_sub(other)).max(least.min(all))
}

/// The least share whose [`part`] of `all` is this.
fn thousandths(wanted: u16, all: u16, least: u16) -> u16 {
    let wanted = wanted.min(all.saturating_sub(least)).max(least.min(all));
    u16::try_from((u32::from(wanted) * 1000).div_ceil(u32::from(all.max(1)))).unwrap_or(1000)
}
