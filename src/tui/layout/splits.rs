//! Divides the grid between the four panes in shares, which survive any resize.

use ratatui::layout::Size;

use crate::tui::action::BorderMove;
use refdesk_core::config::screen::Borders;

/// The minimum size of a pane when its border is moved: room for an id, and for a list with details.
pub const MIN: Size = Size { width: 30, height: 9 };

/// The distance that one keypress moves a border.
pub(super) const STEP: Size = Size { width: 2, height: 1 };

/// The default share of the left panes.
pub(super) const USUAL_LEFT: u16 = 460;

/// The default share of the upper panes, if the lower panes have something to show.
const USUAL_UPPER: u16 = 550;

/// The sizes that the panes of a grid need; 0 means their default share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GridNeeds {
    /// Width of the left panes.
    pub left: u16,
    /// Rows that the lower panes fill.
    pub lower: u16,
}

/// The division of the body, in thousandths of its width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Splits {
    /// `None` until the user moves the border: the list then gets the width that it needs.
    pub left: Option<u16>,
    /// `None` until the user moves the border: the upper panes then get the rows that the lower ones do not need.
    pub upper: Option<u16>,
}

impl From<Borders> for Splits {
    fn from(Borders { left, upper }: Borders) -> Self {
        Self { left: (left != USUAL_LEFT).then_some(left), upper: (upper != USUAL_UPPER).then_some(upper) }
    }
}

impl From<Splits> for Borders {
    fn from(Splits { left, upper }: Splits) -> Self {
        Self { left: left.unwrap_or(USUAL_LEFT), upper: upper.unwrap_or(USUAL_UPPER) }
    }
}

impl Splits {
    /// Width of the left panes and height of the upper ones, in a grid of this size.
    pub fn cells(self, grid: Size, GridNeeds { left, lower }: GridNeeds) -> Size {
        let height = part(self.upper.unwrap_or(USUAL_UPPER), grid.height, (MIN.height, MIN.height));
        let spare = match (self.upper, lower) {
            (Some(_), _) | (None, 0) => 0,
            (None, lower) => grid.height.saturating_sub(lower.max(MIN.height)),
        };
        let left = if self.left.is_some() { 0 } else { left.min(grid.width.saturating_sub(MIN.width)) };
        Size { width: self.first(grid.width, USUAL_LEFT).max(left), height: height.max(spare) }
    }

    /// The width left of the border in a body of this width; `usual` thousandths until the user moves it.
    pub fn first(self, width: u16, usual: u16) -> u16 {
        part(self.left.unwrap_or(usual), width, (MIN.width, MIN.width))
    }

    /// Sets the width of the left panes, as far as possible.
    pub fn with_left(self, columns: u16, grid: Size) -> Self {
        Self { left: Some(thousandths(columns, grid.width, MIN.width)), ..self }
    }

    /// Sets the height of the upper panes, as far as possible.
    pub fn with_upper(self, rows: u16, grid: Size) -> Self {
        Self { upper: Some(thousandths(rows, grid.height, MIN.height)), ..self }
    }

    /// Moves a border by one step, as far as possible.
    pub fn moved(self, border: BorderMove, grid: Size, Size { width, height }: Size) -> Self {
        match border {
            BorderMove::Left => self.with_left(width.saturating_sub(STEP.width), grid),
            BorderMove::Right => self.with_left(width.saturating_add(STEP.width), grid),
            BorderMove::Up => self.with_upper(height.saturating_sub(STEP.height), grid),
            BorderMove::Down => self.with_upper(height.saturating_add(STEP.height), grid),
        }
    }
}

/// `share` thousandths of `all`, with a minimum for both sides. A terminal that is too small does not change the share.
pub(super) fn part(share: u16, all: u16, (least, other): (u16, u16)) -> u16 {
    let wanted = u32::from(share.min(1000)) * u32::from(all) / 1000;
    u16::try_from(wanted).unwrap_or(all).min(all.saturating_sub(other)).max(least.min(all))
}

/// The smallest share whose [`part`] of `all` is `wanted`.
fn thousandths(wanted: u16, all: u16, least: u16) -> u16 {
    let wanted = wanted.min(all.saturating_sub(least)).max(least.min(all));
    u16::try_from((u32::from(wanted) * 1000).div_ceil(u32::from(all.max(1)))).unwrap_or(1000)
}
