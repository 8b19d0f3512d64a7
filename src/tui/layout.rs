//! Computes the areas of the screen for a given size. Pure arithmetic, shared by `draw` and `update`.

mod arrangement;
pub mod dividers;
mod hints;
mod splits;
mod templates;

use ratatui::layout::{Rect, Size};

use refdesk_core::config::screen::Shares;

use crate::tui::catalog::columns::ListWidths;
use crate::tui::pane::Pane;
pub use arrangement::{Arrangement, Focused, Preset, ScreenLayout, WIDE, layout};
use splits::part;

pub use hints::{HintsFocus, HintsNeeds, hints, hints_rows, hints_width};
pub use splits::{GridNeeds, MIN, Splits};
pub use templates::{TemplatesNeeds, templates, templates_rows};

/// The minimum size for showing panes.
pub const SMALLEST: Size = Size { width: 40, height: 10 };
/// The minimum size for showing all four panes at once.
pub const GRID: Size = Size { width: 100, height: 28 };

/// The minimum width of a pane that shows details beside its list.
const MIN_WIDTH_SIDE_BY_SIDE: u16 = 110;
/// The minimum height of a pane in which both list and details fit below each other.
const TALL: u16 = 40;
/// The maximum width of prose; longer lines are hard to read.
pub const MAX_TEXT: u16 = 100;

/// The minimum sizes that a divider leaves: rows of a list, rows of the details below it, columns of either
/// beside the other, and columns of the variables or preview.
const MIN_LIST: u16 = 2;
const MIN_DETAIL: u16 = 2;
const MIN_COLUMNS: u16 = 30;
const MIN_ASIDE: u16 = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaneLayout {
    /// Above the list: column headings, the filter, the prompt.
    pub head: Rect,
    pub list: Rect,
    /// The line between list and details; one row or one column.
    pub rule: Rect,
    /// Details of the row under the cursor.
    pub detail: Rect,
    /// A second detail area: the variables of a template.
    pub aside: Rect,
}

/// Whether a terminal of this size is large enough for panes.
pub fn fits(size: Size) -> bool {
    size.width >= SMALLEST.width && size.height >= SMALLEST.height
}

impl PaneLayout {
    /// The line between the details and the form on their left; empty if they are not side by side.
    pub fn upright(&self) -> Rect {
        if self.aside.y != self.detail.y || self.aside.is_empty() || self.detail.is_empty() {
            return Rect::default();
        }
        Rect { x: self.aside.right(), width: 1, ..self.aside }
    }

    /// The layout with the details extended over the form on their left.
    pub fn with_wide_detail(self) -> Self {
        if self.aside.y != self.detail.y || self.aside.width == 0 {
            return self;
        }
        let width = self.detail.right() - self.aside.x;
        Self { detail: Rect { x: self.aside.x, width, ..self.detail }, aside: Rect::default(), ..self }
    }

    /// The layout with most rows given to details and form, if they are below the list.
    pub fn with_short_list(self) -> Self {
        let given = self.list.height.saturating_sub(MIN_LIST_ROWS);
        if self.rule.height != 1 || self.detail.y <= self.rule.y {
            return self;
        }
        let taller = |place: Rect| match place.is_empty() {
            true => place,
            false => Rect { y: place.y - given, height: place.height + given, ..place },
        };
        let list = Rect { height: self.list.height - given, ..self.list };
        let rule = Rect { y: self.rule.y - given, ..self.rule };
        Self { list, rule, detail: taller(self.detail), aside: taller(self.aside), ..self }
    }
}

/// The width of a request, which contains prose.
pub const REQUEST: u16 = 65;

/// Height of a pane's borders.
const BORDERS: u16 = 2;

/// Rows that a list keeps while its details are being read, or values are typed.
const MIN_LIST_ROWS: u16 = 3;

/// The inside of a pane's border.
pub fn inner(outer: Rect) -> Rect {
    Rect {
        x: outer.x.saturating_add(1),
        y: outer.y.saturating_add(1),
        width: outer.width.saturating_sub(2),
        height: outer.height.saturating_sub(2),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaneNeeds {
    /// The number of rows that the pane's prompt or list would fill.
    pub rows: usize,
    /// Rows above the selection's list: one if it is filtered.
    pub head: u16,
    pub list: ListWidths,
}

/// The layout of a pane with this inner area. `shares` are its dragged dividers.
pub fn parts(pane: Pane, inner: Rect, PaneNeeds { rows, head, list }: PaneNeeds, shares: Shares) -> PaneLayout {
    match pane {
        Pane::Catalog => {
            // Needs enough width for both: details beside the list must not truncate names.
            let columns = if inner.height >= TALL { list.whole } else { list.usual };
            listed(inner, ListShape { columns, head: 1, most: 14, least: 4 }, shares)
        }
        // The rows that a short list leaves free go to the reasons.
        Pane::Selection => {
            let free =
                if rows == 0 { 0 } else { usize::from(inner.height.saturating_sub(head)).saturating_sub(rows + 1) };
            let most = u16::try_from(free).unwrap_or(u16::MAX).max(5);
            listed(inner, ListShape { columns: 0, head, most, least: 3 }, shares)
        }
        Pane::Hints => {
            hints(inner, HintsNeeds { busy: HintsFocus::Nothing, prompt: rows, ..HintsNeeds::default() }, shares)
        }
        Pane::Templates => templates(inner, TemplatesNeeds { head: 0, list: rows, columns: 0, form: 0 }, shares),
    }
}

/// A list with details: its width, the rows above it, and the maximum and minimum height of the details.
#[derive(Clone, Copy)]
struct ListShape {
    columns: u16,
    head: u16,
    most: u16,
    least: u16,
}

/// A head, a list, and its details below it, or beside it if both fit.
fn listed(inner: Rect, ListShape { columns, head, most, least }: ListShape, shares: Shares) -> PaneLayout {
    if inner.width >= MIN_WIDTH_SIDE_BY_SIDE && inner.width > columns.saturating_add(MIN_COLUMNS) {
        let usual = (inner.width * 3 / 5).max(columns);
        let put = |share| part(share, inner.width, (MIN_COLUMNS, 1 + MIN_COLUMNS));
        let (left, right) = split_columns(inner, shares.left.map_or(usual, put));
        let (rule, detail) = split_columns(right, 1);
        let (head, list) = split_rows(left, head);
        return PaneLayout { head, list, rule, detail, ..PaneLayout::default() };
    }
    let wanted = ((inner.height * 2).div_ceil(5)).clamp(least, most);
    let upper = match shares.upper {
        _ if inner.height <= head + least + 4 => inner.height,
        Some(share) => part(share, inner.height, (head + MIN_LIST, 1 + MIN_DETAIL)),
        None => inner.height - (wanted + 1),
    };
    let [head, list, rule, detail] = stacked(inner, [head, upper.saturating_sub(head), 1, u16::MAX]);
    PaneLayout { head, list, rule, detail, ..PaneLayout::default() }
}

/// The catalog's list without details, which are elsewhere or folded.
pub fn list_only(inner: Rect) -> PaneLayout {
    let (head, list) = split_rows(inner, 1);
    PaneLayout { head, list, ..PaneLayout::default() }
}

/// The first rows of an area, and the rest.
pub fn split_rows(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (Rect { height: rows, ..area }, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

/// Areas below each other with these heights, while rows are left.
pub fn stacked<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    let mut rest = area;
    heights.map(|rows| {
        let (place, below) = split_rows(rest, rows);
        rest = below;
        place
    })
}

fn split_columns(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    (Rect { width: columns, ..area }, Rect { x: area.x + columns, width: area.width - columns, ..area })
}

#[cfg(test)]
mod tests;
