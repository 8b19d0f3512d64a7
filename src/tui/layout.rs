//! Computes the areas of the screen for a given size. Pure arithmetic, shared by `draw` and `update`.

mod arrangement;
pub mod dividers;
mod splits;
mod templates;

use ratatui::layout::{Rect, Size};

use refdesk_core::config::screen::Shares;

use crate::tui::catalog::columns::ListWidths;
use crate::tui::pane::Pane;
pub use arrangement::{Arrangement, Focused, Preset, ScreenLayout, WIDE, layout};
use splits::part;

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

    /// The layout with most rows given to the details, if they are below the list.
    pub fn with_tall_detail(self) -> Self {
        let given = self.list.height.saturating_sub(MIN_LIST_ROWS);
        if self.detail.is_empty() || self.detail.y <= self.rule.y {
            return self;
        }
        let list = Rect { height: self.list.height - given, ..self.list };
        let rule = Rect { y: self.rule.y - given, ..self.rule };
        let detail = Rect { y: self.detail.y - given, height: self.detail.height + given, ..self.detail };
        Self { list, rule, detail, ..self }
    }
}

/// The width of a request, which contains prose.
pub const REQUEST: u16 = 65;

/// The minimum number of rows below the prompt for showing an unfocused feed.
const WITH_FEED: u16 = 6;

/// Height of a pane's borders.
const BORDERS: u16 = 2;

/// Rows that a list keeps while its details are being read.
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

/// The focused part of the hints pane, which gets most of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintsFocus {
    /// Another pane is focused.
    #[default]
    Nothing,
    /// The prompt is being typed, so the matches get the room.
    Prompt,
    List,
    Feed,
    /// Only the feed is shown in the pane.
    FeedAlone,
}

impl HintsFocus {
    fn is_feed(self) -> bool {
        matches!(self, Self::Feed | Self::FeedAlone)
    }
}

/// The number of rows that each part of the hints pane would fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintsNeeds {
    pub busy: HintsFocus,
    pub prompt: usize,
    pub matches: usize,
    /// The details of the row under the cursor, below the list.
    pub aside: usize,
    /// The feed while it is not focused; 0 if it is not shown then.
    pub feed: usize,
}

impl Default for HintsNeeds {
    fn default() -> Self {
        Self { busy: HintsFocus::Nothing, prompt: 1, matches: usize::MAX, aside: 0, feed: usize::MAX }
    }
}

/// The height, with border, of an unfocused hints pane: one line of the prompt, its matches, and a short feed.
pub fn hints_rows(matches: usize) -> u16 {
    let matches = u16::try_from(matches).unwrap_or(u16::MAX);
    matches.saturating_add(1 + WITH_FEED / 2).max(WITH_FEED).saturating_add(2 + BORDERS)
}

/// Lays out prompt, matches and feed from top to bottom, each list with a rule above it. The focused list has
/// the details of its row below it. If there is room for both, the feed is beside the prompt and matches.
pub fn hints(inner: Rect, wants: HintsNeeds, shares: Shares) -> PaneLayout {
    let has_feed = wants.feed > 0 || wants.busy.is_feed();
    // The focused feed takes the full width, because its rows are sentences.
    if inner.width >= MIN_WIDTH_SIDE_BY_SIDE && !wants.busy.is_feed() && has_feed {
        return hints_beside_feed(inner, wants, shares);
    }
    let rows = |wanted: usize| u16::try_from(wanted).unwrap_or(u16::MAX);
    let most = (inner.height / 2).max(1);
    let prompt = rows(wants.prompt);
    let prompt = match (wants.busy, shares.upper) {
        (HintsFocus::FeedAlone, _) => 0,
        (HintsFocus::Feed, _) if inner.height < 8 => 0,
        (_, Some(share)) => part(share, inner.height, (1, 1 + WITH_FEED)),
        (HintsFocus::Feed, None) => prompt.clamp(1, 3),
        (HintsFocus::Nothing, None) => prompt.clamp(1, most),
        (HintsFocus::Prompt | HintsFocus::List, None) => prompt.clamp(3.min(most), most),
    };
    let (head, rest) = split_rows(inner, prompt);
    let (rule, rest) = split_rows(rest, prompt.min(1));
    let left = rest.height;
    // A notice may be long; a match is described in a few words.
    let aside = rows(wants.aside).min(if wants.busy.is_feed() { left / 2 } else { left / 3 });
    // Matches get the rows that they need and the unfocused feed does not fill.
    let spare = left.saturating_sub(1 + aside).saturating_sub(rows(wants.matches));
    let unfocused = |share: u16| share.min(rows(wants.feed).max(spare));
    let feed = match wants.busy {
        HintsFocus::FeedAlone => left.saturating_sub(1),
        HintsFocus::Feed if shares.lower.is_some() => lower_part(shares, inner, left),
        HintsFocus::Feed if prompt == 0 => left.saturating_sub(1),
        HintsFocus::Feed => left.saturating_sub(1 + rows(wants.matches).min(left / 4).clamp(1, 5)),
        _ if left < WITH_FEED || !has_feed => 0,
        _ if shares.lower.is_some() => lower_part(shares, inner, left),
        HintsFocus::Nothing => unfocused(left * 2 / 5),
        HintsFocus::List => unfocused(left * 3 / 10),
        HintsFocus::Prompt if left < 12 => 0,
        HintsFocus::Prompt => unfocused(left / 5),
    };
    let (upper, lower) = split_rows(rest, left - (feed + feed.min(1)).min(left));
    // The row above is the feed's rule.
    let (_, lower) = split_rows(lower, 1);
    if wants.busy.is_feed() {
        let aside = aside.min(lower.height.saturating_sub(1));
        let (detail, aside) = split_rows(lower, lower.height - aside);
        return PaneLayout { head, rule, list: upper, detail, aside };
    }
    let aside = aside.min(upper.height.saturating_sub(1));
    let (list, aside) = split_rows(upper, upper.height - aside);
    PaneLayout { head, rule, list, detail: lower, aside }
}

fn hints_beside_feed(inner: Rect, wants: HintsNeeds, shares: Shares) -> PaneLayout {
    let rows = |wanted: usize| u16::try_from(wanted).unwrap_or(u16::MAX);
    // Focused reasons need more width than the newest notices.
    let is_read = wants.busy != HintsFocus::Nothing && wants.matches > 0;
    let beside = if is_read { inner.width / 3 } else { inner.width / 2 };
    let (left, right) = split_columns(inner, inner.width - beside);
    // One column for the dividing line, and one row for the feed's rule.
    let (_, feed) = split_columns(right, 1);
    let (_, feed) = split_rows(feed, 1);
    let most = (inner.height / 2).max(1);
    let prompt = match shares.upper {
        Some(share) => part(share, inner.height, (1, 1 + MIN_LIST)),
        None => rows(wants.prompt).clamp(3.min(most), most),
    };
    let (head, rest) = split_rows(left, prompt);
    let (rule, rest) = split_rows(rest, 1);
    let aside = rows(wants.aside).min(inner.height / 3).min(rest.height.saturating_sub(1));
    let (list, aside) = split_rows(rest, rest.height - aside);
    PaneLayout { head, rule, list, detail: feed, aside }
}

/// The height of a feed whose divider was dragged, out of `left` rows below the prompt's rule.
fn lower_part(shares: Shares, inner: Rect, left: u16) -> u16 {
    let wanted = part(shares.lower.unwrap_or_default(), inner.height, (MIN_DETAIL, 0));
    wanted.min(left.saturating_sub(1 + MIN_LIST)).max(1)
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
        let (head, list) = split_rows(left, head.min(left.height));
        return PaneLayout { head, list, rule, detail, ..PaneLayout::default() };
    }
    let wanted = ((inner.height * 2).div_ceil(5)).clamp(least, most);
    let upper = match shares.upper {
        _ if inner.height <= head + least + 4 => inner.height,
        Some(share) => part(share, inner.height, (head + MIN_LIST, 1 + MIN_DETAIL)),
        None => inner.height - (wanted + 1),
    };
    let (upper, lower) = split_rows(inner, upper);
    let (head, list) = split_rows(upper, head.min(upper.height));
    let (rule, detail) = split_rows(lower, lower.height.min(1));
    PaneLayout { head, list, rule, detail, ..PaneLayout::default() }
}

/// The catalog's list without details, which are elsewhere or folded.
pub fn list_only(inner: Rect) -> PaneLayout {
    let (head, list) = split_rows(inner, 1);
    PaneLayout { head, list, ..PaneLayout::default() }
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
    use crate::tui::action::BorderMove;
    use crate::tui::layout::splits::STEP;

    fn any_splits() -> impl Strategy<Value = Splits> {
        (proptest::option::of(0..1200u16), proptest::option::of(0..1200u16))
            .prop_map(|(left, upper)| Splits { left, upper })
    }

    fn any_needs() -> impl Strategy<Value = GridNeeds> {
        (0..400u16, 0..90u16).prop_map(|(left, lower)| GridNeeds { left, lower })
    }

    /// Dividers at arbitrary positions, or none.
    fn any_shares() -> impl Strategy<Value = Shares> {
        let any = || proptest::option::of(0..1200u16);
        (any(), any(), any()).prop_map(|(upper, left, lower)| Shares { upper, left, lower })
    }

    /// A body large enough for a grid.
    fn any_grid() -> impl Strategy<Value = Size> {
        (GRID.width..300u16, GRID.height - 2..120u16).prop_map(|(width, height)| Size { width, height })
    }

    fn apart(parts: PaneLayout, inner: Rect) -> Result<(), TestCaseError> {
        let parts = [parts.head, parts.list, parts.rule, parts.detail, parts.aside];
        for (at, part) in parts.iter().enumerate() {
            prop_assert_eq!(part.intersection(inner).area(), part.area());
            for other in &parts[at + 1..] {
                prop_assert_eq!(part.intersection(*other).area(), 0, "{:?} {:?}", part, other);
            }
        }
        Ok(())
    }

    #[test]
    fn details_are_beside_a_list_that_they_do_not_cut() {
        let list = ListWidths { usual: 70, whole: 110, ..ListWidths::default() };
        for (width, height, expected) in [
            (109, 20, (109, 109)),
            (118, 20, (70, 47)),
            (118, 46, (118, 118)),
            (140, 46, (140, 140)),
            (141, 46, (110, 30)),
            (198, 57, (118, 79)),
        ] {
            let needs = PaneNeeds { rows: 9, head: 0, list };
            let parts = parts(Pane::Catalog, Rect::new(1, 1, width, height), needs, Shares::default());
            assert_eq!((parts.list.width, parts.detail.width), expected, "{width}x{height}");
        }
    }

    #[test]
    fn the_rows_of_the_hints_pane() {
        for (height, busy, prompt, aside, rows) in [
            // Terminals of 80×24, 120×36 and 200×60 (both grids), and the smallest one.
            (19, HintsFocus::List, 1, 2, (3, 8, 2, 4)),
            (19, HintsFocus::Prompt, 1, 0, (3, 11, 0, 3)),
            (19, HintsFocus::Feed, 1, 2, (1, 4, 2, 10)),
            (14, HintsFocus::Nothing, 1, 0, (1, 7, 0, 4)),
            (14, HintsFocus::List, 1, 2, (3, 4, 2, 3)),
            (14, HintsFocus::Prompt, 9, 0, (7, 6, 0, 0)),
            (14, HintsFocus::Feed, 9, 2, (3, 2, 2, 5)),
            (25, HintsFocus::Nothing, 1, 0, (1, 13, 0, 9)),
            (25, HintsFocus::Feed, 1, 9, (1, 5, 9, 8)),
            (5, HintsFocus::List, 1, 2, (2, 2, 0, 0)),
            (5, HintsFocus::Feed, 1, 2, (0, 0, 2, 2)),
            (33, HintsFocus::FeedAlone, 1, 2, (0, 0, 2, 30)),
        ] {
            let wants = HintsNeeds { busy, prompt, aside, ..HintsNeeds::default() };
            let parts = hints(Rect::new(1, 1, 50, height), wants, Shares::default());
            let got = (parts.head.height, parts.list.height, parts.aside.height, parts.detail.height);
            assert_eq!(got, rows, "{height} {busy:?}");
        }
    }

    #[test]
    fn matches_get_the_rows_that_they_need_and_the_feed_does_not_fill() {
        for (matches, feed, rows) in
            [(20, 40, (8, 4)), (20, 1, (11, 1)), (10, 1, (10, 2)), (3, 1, (8, 4)), (20, 0, (13, 0))]
        {
            let wants = HintsNeeds { busy: HintsFocus::List, prompt: 1, matches, aside: 2, feed };
            let parts = hints(Rect::new(1, 1, 50, 19), wants, Shares::default());
            assert_eq!((parts.list.height, parts.detail.height), rows, "{matches} {feed}");
        }
    }

    proptest! {
        #[test]
        fn every_pane_of_a_grid_has_its_minimum(
            grid in any_grid(), splits in any_splits(), lower in 0..90u16, (whole, selection) in (0..400u16, 0..400u16),
        ) {
            let size = Size { height: grid.height + 2, ..grid };
            let focus = Focused::Pane(Pane::Catalog);
            let list = ListWidths { lower, whole, selection, ..ListWidths::default() };
            let layout = layout(size, focus, Arrangement::Overview, splits, list);
            let panes: Vec<Rect> = layout.panes.into_iter().flatten().collect();
            prop_assert_eq!(panes.len(), 4);
            prop_assert_eq!(panes.iter().map(|pane| pane.area()).sum::<u32>(), layout.body.area(), "nothing is left over");
            prop_assert!(panes.iter().all(|pane| pane.width >= MIN.width && pane.height >= MIN.height), "{panes:?}");
        }

        #[test]
        fn a_border_stays_where_it_was_put(
            grid in any_grid(), splits in any_splits(), x in 0..400u16, y in 0..200u16, needs in any_needs(),
        ) {
            let put = splits.with_left(x, grid).with_upper(y, grid).cells(grid, needs);
            prop_assert_eq!(put.width, x.clamp(MIN.width, grid.width - MIN.width));
            prop_assert_eq!(put.height, y.clamp(MIN.height, grid.height - MIN.height));
        }

        #[test]
        fn a_step_and_its_opposite_cancel(grid in any_grid(), splits in any_splits(), needs in any_needs()) {
            let before = splits.cells(grid, needs);
            let step = |splits: Splits, border| splits.moved(border, grid, splits.cells(grid, needs));
            let after = |there, back| step(step(splits, there), back).cells(grid, needs);
            if before.width >= MIN.width + STEP.width {
                prop_assert_eq!(after(BorderMove::Left, BorderMove::Right), before);
            }
            if before.height >= MIN.height + STEP.height {
                prop_assert_eq!(after(BorderMove::Up, BorderMove::Down), before);
            }
        }

        #[test]
        fn proportions_hold_through_a_resize(splits in any_splits(), from in any_grid(), to in any_grid()) {
            let (a, b) = (splits.cells(from, GridNeeds::default()), splits.cells(to, GridNeeds::default()));
            let (across, down) = ((a.width, from.width, b.width, to.width), (a.height, from.height, b.height, to.height));
            for ((part, all, other, of), least) in [(across, MIN.width), (down, MIN.height)] {
                // A proportion does not hold where a minimum applies.
                if [(part, all), (other, of)].iter().all(|(part, all)| *part > least && *part < all - least) {
                    let share = |part: u16, all: u16| f64::from(part) / f64::from(all);
                    // Rounding to whole cells changes a size by one at most.
                    let cell = 1.0 / f64::from(all.min(of));
                    prop_assert!((share(part, all) - share(other, of)).abs() <= cell, "{part} of {all}, {other} of {of}");
                }
            }
        }

        #[test]
        fn parts_of_the_hints_pane_do_not_overlap(
            width in 0..190u16, height in 0..60u16, prompt in 0..50usize, matches in 0..50usize, aside in 0..9usize,
            shares in any_shares(),
            feed in 0..50usize,
            busy in proptest::sample::select(&[HintsFocus::Nothing, HintsFocus::Prompt, HintsFocus::List, HintsFocus::Feed, HintsFocus::FeedAlone][..]),
        ) {
            let inner = Rect::new(1, 1, width, height);
            let parts = hints(inner, HintsNeeds { busy, prompt, matches, aside, feed }, shares);
            apart(parts, inner)?;
            if busy.is_feed() && height > 1 {
                prop_assert!(parts.detail.height > 0, "who goes to the feed sees it");
            }
            if parts.detail.height > 0 {
                let rule = Rect { y: parts.detail.y - 1, height: 1, ..parts.detail };
                prop_assert!([parts.head, parts.list, parts.rule, parts.aside].iter().all(|it| !it.intersects(rule)));
            }
        }

        #[test]
        fn areas_are_on_the_screen_and_do_not_overlap(
            width in 0..300u16, height in 0..120u16, focus in proptest::sample::select(&Pane::ALL[..]), prompt in 0..50usize,
            arrangement in proptest::sample::select(&[Arrangement::Focused, Arrangement::Overview, Arrangement::Zoomed][..]),
            splits in any_splits(),
            shares in any_shares(),
            (least, more, head) in (0..200u16, 0..60u16, 0..2u16),
        ) {
            let size = Size { width, height };
            let list = ListWidths { ids: least / 2, essential: least.saturating_sub(more), usual: least, whole: least + more, longest: least + more * 2, selection: more * 2, named: more * 3, hints: least / 2 + more, lower: more };
            let layout = layout(size, Focused::Pane(focus), arrangement, splits, list);
            let screen = Rect::new(0, 0, width, height);
            let mut places = vec![layout.status, layout.dock, layout.bottom];
            places.extend(layout.reader);
            for pane in Pane::ALL {
                if let Some(outer) = layout.panes[pane.index()] {
                    places.push(outer);
                    apart(parts(pane, inner(outer), PaneNeeds { rows: prompt, head, list }, shares), inner(outer))?;
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

    proptest! {
        #[test]
        fn parts_of_the_templates_pane_do_not_overlap(
            width in 0..200u16, height in 0..60u16, list in 0..50usize, head in 0..2u16, shares in any_shares(), columns in 0..250u16,
            form in 0..250u16,
        ) {
            let inner = Rect::new(1, 1, width, height);
            let parts = templates(inner, TemplatesNeeds { head, list, columns, form }, shares);
            apart(parts, inner)?;
            for other in [parts.with_short_list(), parts.with_wide_detail(), parts.with_short_list().with_wide_detail()] {
                apart(other, inner)?;
                for part in [other.detail, other.aside] {
                    prop_assert_eq!(part.intersection(other.upright()).area(), 0, "{:?}", other);
                }
            }
        }
    }

    #[test]
    fn the_grid_needs_a_minimum_size() {
        let shown = |width, height| {
            let focus = Focused::Pane(Pane::Hints);
            let size = Size { width, height };
            let layout = layout(size, focus, Arrangement::Overview, Splits::default(), ListWidths::default());
            layout.panes.iter().flatten().count()
        };
        assert_eq!([shown(100, 28), shown(99, 28), shown(100, 27), shown(40, 10), shown(39, 10)], [4, 1, 2, 1, 0]);
    }
}
