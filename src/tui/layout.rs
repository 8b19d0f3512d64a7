//! Where everything goes on a screen of a given size: pure arithmetic, shared by `draw` (which fills the places) and
//! `update` (which must know how many rows a page has).

use ratatui::layout::{Rect, Size};

use super::pane::Pane;

/// The smallest terminal that shows panes.
pub const SMALLEST: Size = Size { width: 40, height: 10 };
/// The smallest terminal that shows all four at once.
pub const GRID: Size = Size { width: 100, height: 28 };

/// The places of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// The line on top: workspace, desk, counts.
    pub status: Rect,
    /// The line that names the panes, where not all are shown.
    pub tabs: Option<Rect>,
    /// Each pane with its border, where it is shown.
    pub panes: [Option<Rect>; 4],
    /// Everything between the status line and the bottom line.
    pub body: Rect,
    /// Keys, or what there is to say.
    pub bottom: Rect,
}

/// The places within a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// Above the list: column headings, the filter, the prompt.
    pub head: Rect,
    /// The rows.
    pub list: Rect,
    /// The line between list and details; one row or one column.
    pub rule: Rect,
    /// Details of the row under the cursor.
    pub detail: Rect,
    /// A second detail: the variables of a template.
    pub aside: Rect,
}

/// How the grid is divided, in thousandths of its width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Splits {
    /// What the left column has.
    pub left: u16,
    /// What the upper row has.
    pub upper: u16,
}

impl Default for Splits {
    fn default() -> Self {
        Self { left: 500, upper: 550 }
    }
}

/// Whether a terminal of this size shows panes at all.
pub fn fits(size: Size) -> bool {
    size.width >= SMALLEST.width && size.height >= SMALLEST.height
}

/// The places of a frame of this size.
pub fn layout(size: Size, focus: Pane, zoomed: Zoomed) -> Layout {
    if !fits(size) {
        return Layout::default();
    }
    let grid = zoomed == Zoomed::No && size.width >= GRID.width && size.height >= GRID.height;
    let row = |y| Rect::new(0, y, size.width, 1);
    let tabs = (!grid).then(|| row(1));
    let top = if grid { 1 } else { 2 };
    let body = Rect::new(0, top, size.width, size.height - top - 1);
    let mut panes = [None; 4];
    if grid {
        let left = body.width / 2;
        let upper = (body.height * 11 / 20).max(10);
        let (right, lower) = (body.width - left, body.height - upper);
        panes = [
            Some(Rect::new(0, top, left, upper)),
            Some(Rect::new(left, top, right, upper)),
            Some(Rect::new(0, top + upper, left, lower)),
            Some(Rect::new(left, top + upper, right, lower)),
        ];
    } else if let Some(place) = panes.get_mut(focus.index()) {
        *place = Some(body);
    }
    Layout { status: row(0), tabs, panes, body, bottom: row(size.height - 1) }
}

/// Whether the focused pane has the whole screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zoomed {
    /// All panes that fit are shown.
    #[default]
    No,
    /// Only the focused one.
    Yes,
}

impl Zoomed {
    /// The other of the two.
    pub fn toggled(self) -> Self {
        match self {
            Self::No => Self::Yes,
            Self::Yes => Self::No,
        }
    }
}

impl Parts {
    /// The same with the detail over the place of what stands left of it, if anything does.
    pub fn with_wide_detail(self) -> Self {
        if self.aside.y != self.detail.y || self.aside.width == 0 {
            return self;
        }
        let width = self.aside.width + self.detail.width;
        Self { detail: Rect { x: self.aside.x, width, ..self.detail }, aside: Rect::default(), ..self }
    }

    /// The same with most of the rows for the detail, where that stands below the list.
    pub fn with_tall_detail(self) -> Self {
        let given = self.list.height.saturating_sub(KEPT);
        if self.detail.is_empty() || self.detail.y <= self.rule.y {
            return self;
        }
        let list = Rect { height: self.list.height - given, ..self.list };
        let rule = Rect { y: self.rule.y - given, ..self.rule };
        let detail = Rect { y: self.detail.y - given, height: self.detail.height + given, ..self.detail };
        Self { list, rule, detail, ..self }
    }
}

/// Rows that a list keeps while its details are read.
const KEPT: u16 = 3;

/// What is inside a pane's border.
pub fn inner(outer: Rect) -> Rect {
    Rect {
        x: outer.x.saturating_add(1),
        y: outer.y.saturating_add(1),
        width: outer.width.saturating_sub(2),
        height: outer.height.saturating_sub(2),
    }
}

/// The places within a pane whose inside is `inner`. `wanted` is how many rows its prompt, or else its list, would fill.
pub fn parts(pane: Pane, inner: Rect, wanted: usize) -> Parts {
    match pane {
        Pane::Catalog => listed(inner, 1, 14, 4),
        Pane::Selection => listed(inner, 0, 5, 3),
        Pane::Hints => {
            let most = (inner.height / 2).max(1);
            let rows = u16::try_from(wanted).unwrap_or(most).clamp(3.min(most), most);
            let (head, rest) = split_rows(inner, rows);
            let (rule, list) = split_rows(rest, rest.height.min(1));
            Parts { head, rule, list, ..Parts::default() }
        }
        Pane::Templates => templates(inner, wanted),
    }
}

/// A head, a list, and its details below it, or beside it where there is room for both.
fn listed(inner: Rect, head: u16, most: u16, least: u16) -> Parts {
    if inner.width >= 110 {
        let (left, right) = split_columns(inner, inner.width * 3 / 5);
        let (rule, detail) = split_columns(right, 1);
        let (head, list) = split_rows(left, head.min(left.height));
        return Parts { head, list, rule, detail, ..Parts::default() };
    }
    let wanted = (inner.height / 3).clamp(least, most);
    let below = if inner.height > head + least + 4 { wanted + 1 } else { 0 };
    let (upper, lower) = split_rows(inner, inner.height - below);
    let (head, list) = split_rows(upper, head.min(upper.height));
    let (rule, detail) = split_rows(lower, lower.height.min(1));
    Parts { head, list, rule, detail, ..Parts::default() }
}

/// Above the details and above the variables there is a row for their captions: the rule, or one of their own.
fn templates(inner: Rect, wanted: usize) -> Parts {
    let wide = inner.width >= 96 && inner.height >= 14;
    let (upper, rest) = if wide {
        split_columns(inner, inner.width * 2 / 5)
    } else {
        let most = (inner.height * 2 / 5).clamp(1.min(inner.height), 8);
        split_rows(inner, u16::try_from(wanted).unwrap_or(most).clamp(2.min(most), most))
    };
    if wide {
        let (rule, detail) = split_columns(rest, 1);
        let (list, aside) = split_rows(upper, upper.height / 2);
        let (_, detail) = split_rows(detail, 1);
        let (_, aside) = split_rows(aside, 1);
        return Parts { list, rule, detail, aside, ..Parts::default() };
    }
    let (rule, lower) = split_rows(rest, rest.height.min(1));
    let (aside, detail) = split_columns(lower, (lower.width * 2 / 5).min(28));
    Parts { list: upper, rule, detail, aside, ..Parts::default() }
}

fn split_rows(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (Rect { height: rows, ..area }, Rect { y: area.y + rows, height: area.height - rows, ..area })
}

fn split_columns(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    (Rect { width: columns, ..area }, Rect { x: area.x + columns, width: area.width - columns, ..area })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_lie_on_the_screen_and_do_not_overlap(
            width in 0..300u16, height in 0..120u16, focus in proptest::sample::select(&Pane::ALL[..]), prompt in 0..50usize,
            zoomed in proptest::sample::select(&[Zoomed::No, Zoomed::Yes][..]),
        ) {
            let size = Size { width, height };
            let layout = layout(size, focus, zoomed);
            let screen = Rect::new(0, 0, width, height);
            let mut places = vec![layout.status, layout.bottom];
            places.extend(layout.tabs);
            for pane in Pane::ALL {
                if let Some(outer) = layout.panes[pane.index()] {
                    places.push(outer);
                    let parts = parts(pane, inner(outer), prompt);
                    let parts = [parts.head, parts.list, parts.rule, parts.detail, parts.aside];
                    for (at, part) in parts.iter().enumerate() {
                        prop_assert_eq!(part.intersection(inner(outer)).area(), part.area());
                        for other in &parts[at + 1..] {
                            prop_assert_eq!(part.intersection(*other).area(), 0, "{:?} {:?}", part, other);
                        }
                    }
                }
            }
            for (at, place) in places.iter().enumerate() {
                prop_assert_eq!(place.intersection(screen).area(), place.area());
                for other in &places[at + 1..] {
                    prop_assert_eq!(place.intersection(*other).area(), 0);
                }
            }
        }
    }

    #[test]
    fn the_grid_needs_its_room() {
        let shown = |width, height| {
            let layout = layout(Size { width, height }, Pane::Hints, Zoomed::No);
            layout.panes.iter().flatten().count()
        };
        assert_eq!([shown(100, 28), shown(99, 28), shown(100, 27), shown(40, 10), shown(39, 10)], [4, 1, 1, 1, 0]);
    }
}
