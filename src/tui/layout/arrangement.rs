//! Arranges the panes on the screen: which are shown, where, and which are folded into a line.

use ratatui::layout::{Rect, Size};

use crate::tui::catalog::columns::ListWidths;
use crate::tui::layout::splits::{GridNeeds, USUAL_LEFT};
use crate::tui::layout::{GRID, MAX_TEXT, MIN, MIN_WIDTH_SIDE_BY_SIDE, Splits, fits, split_columns, split_rows};
use crate::tui::pane::Pane;

/// The minimum width for showing something beside the catalog's list.
pub const WIDE: u16 = 100;
/// The minimum width for showing the selection as a third column.
const WIDEST: u16 = 160;
/// The minimum readable width of a document beside a list, with its border.
const MIN_READER: u16 = 44;
/// A document gets this width before a list shows whole names and tags, and before the selection gets a column.
const READABLE: u16 = 60;
/// The width of a document being read: prose at its maximum width, plus borders.
const READ: u16 = MAX_TEXT + 4;
/// The minimum width of the selection as the third column.
const MIN_THIRD: u16 = 45;
/// The minimum width, with border, of a list beside hints that need most of the screen.
const MIN_IDLE: u16 = 36;
/// The minimum width, with border, of hints beside a list.
const MIN_HINTS: u16 = 60;
/// The minimum height, with border, of a list with details below it.
const MIN_BOTH: u16 = 12;
/// The catalog's share, in thousandths, to the left of two other panes.
const CATALOG_SHARE_OF_THREE: u16 = 307;

refdesk_text::worded_enum! {
    /// Which panes are shown.
    #[derive(Default)]
    pub enum Arrangement {
        /// The focused pane; on a wide terminal, beside the catalog's list.
        #[default]
        Focused = "focused",
        /// All four if they fit; otherwise like [`Self::Focused`].
        Overview = "overview",
        /// Only the focused pane.
        Zoomed = "zoomed",
    }
}

impl Arrangement {
    /// Whether all four panes are shown on a terminal of this size.
    pub fn is_grid(self, size: Size) -> bool {
        self == Self::Overview && size.width >= GRID.width && size.height >= GRID.height
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScreenLayout {
    /// The top line: workspace, desk, counts.
    pub status: Rect,
    /// Each pane's area with its border, if it is shown.
    pub panes: [Option<Rect>; 4],
    /// The document of the source under the cursor, with its border, if it is shown beside its list.
    pub reader: Option<Rect>,
    /// The area between the status line and the bottom lines.
    pub body: Rect,
    /// The line of folded panes; empty if all panes are shown.
    pub dock: Rect,
    /// The bottom line: keys, or a message.
    pub bottom: Rect,
}

impl ScreenLayout {
    /// The number of columns in the body.
    pub fn columns(&self) -> usize {
        let places = self.panes.iter().chain([&self.reader]).flatten();
        places.filter(|place| place.y == self.body.y).count()
    }

    /// The cells to the left of the border between the body's columns, and above the border between its rows.
    pub fn cells(&self) -> Size {
        let lower = self.panes.iter().flatten().map(|place| place.y).filter(|y| *y > self.body.y).min();
        let width = self.border().unwrap_or(self.body.right()) - self.body.x;
        Size { width, height: lower.unwrap_or(self.body.bottom()) - self.body.y }
    }

    /// The screen column at which the body's second column starts, if there is one.
    pub fn border(&self) -> Option<u16> {
        let places = self.panes.iter().chain([&self.reader]).flatten();
        places.map(|place| place.x).filter(|x| *x > self.body.x).min()
    }
}

/// A preset arrangement with its own key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// All four panes.
    Overview,
    /// The catalog's list and a document.
    Reading,
    /// Full screen for prompts and their matches.
    Hints,
    /// Full screen for templates.
    Templates,
    /// Full screen for what agents were sent.
    Feed,
}

/// What is focused, as far as the layout depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focused {
    Pane(Pane),
    /// The document of the source under the catalog's cursor.
    Reader,
    /// The feed of the hints pane.
    Feed,
}

/// The content of a column of the body.
#[derive(Clone, Copy)]
enum Column {
    Pane(Pane),
    Reader,
}

/// The areas of a frame of this size; `list` gives the widths that the catalog's list would like.
pub fn layout(size: Size, focus: Focused, arrangement: Arrangement, splits: Splits, list: ListWidths) -> ScreenLayout {
    if !fits(size) {
        return ScreenLayout::default();
    }
    let row = |y| Rect::new(0, y, size.width, 1);
    let grid = arrangement.is_grid(size);
    let docked = u16::from(!grid);
    let body = Rect::new(0, 1, size.width, size.height - 2 - docked);
    let dock = if grid { Rect::default() } else { row(size.height - 2) };
    let mut layout =
        ScreenLayout { status: row(0), body, dock, bottom: row(size.height - 1), ..ScreenLayout::default() };
    if grid {
        let Size { width: left, height: upper } = splits.cells(body.as_size(), list.grid(size.width));
        let (above, below) = split_rows(body, upper);
        let ((catalog, selection), (hints, templates)) = (split_columns(above, left), split_columns(below, left));
        layout.panes = [catalog, selection, hints, templates].map(Some);
        return layout;
    }
    let mut rest = body;
    // If details do not fit below the list, a document being read replaces both.
    let is_alone = arrangement == Arrangement::Zoomed || size.width < WIDE && body.height < MIN_BOTH;
    let arrangement = if focus == Focused::Reader && is_alone { Arrangement::Zoomed } else { arrangement };
    for (column, width) in columns(size.width, focus, arrangement, splits, list) {
        let (place, right) = split_columns(rest, width);
        rest = right;
        match column {
            Column::Reader => layout.reader = Some(place),
            Column::Pane(pane) => {
                if let Some(at) = layout.panes.get_mut(pane.index()) {
                    *at = Some(place);
                }
            }
        }
    }
    layout
}

/// The width of the catalog's list beside an unfocused document. Names and tags get what the document does
/// not need, or half of the screen; if that is too narrow for tags, the document gets their width too.
fn list_width_beside_document(width: u16, list: ListWidths) -> u16 {
    let left = list.whole.min(width.saturating_sub(READABLE).max(width / 2));
    if left < list.essential { list.ids } else { left }
}

impl ListWidths {
    /// The sizes that the panes of a grid need. The list gets what the selection leaves, limited so that the
    /// templates keep a usable width. Very long names and tags get what the selection's names leave, too, unless
    /// the details would then be beside the list and take more than that.
    fn grid(&self, width: u16) -> GridNeeds {
        let beside = |selection: u16| (width * 3 / 5).min(width.saturating_sub(selection.max(READABLE)));
        let left = self.whole.min(beside(self.selection));
        let longest = self.longest.min(beside(self.selection.max(self.named))).min(MIN_WIDTH_SIDE_BY_SIDE + 1);
        GridNeeds { left: left.max(longest), lower: self.lower }
    }
}

/// The columns of a body of this width from left to right, with their widths.
fn columns(
    width: u16,
    focus: Focused,
    arrangement: Arrangement,
    splits: Splits,
    list: ListWidths,
) -> Vec<(Column, u16)> {
    let zoomed = arrangement == Arrangement::Zoomed;
    let (pane, reads) = match focus {
        Focused::Pane(pane) => (pane, false),
        Focused::Reader if zoomed => return vec![(Column::Reader, width)],
        Focused::Reader => (Pane::Catalog, true),
        // The rows of the feed are sentences, so it takes the full width.
        Focused::Feed => return vec![(Column::Pane(Pane::Hints), width)],
    };
    // The templates pane already has values and preview side by side.
    if zoomed || width < WIDE || pane == Pane::Templates {
        return vec![(Column::Pane(pane), width)];
    }
    Body { width, pane, reads, splits, list }.columns()
}

/// A body that may have several columns.
struct Body {
    width: u16,
    pane: Pane,
    /// Whether the document beside the catalog's list is focused.
    reads: bool,
    splits: Splits,
    list: ListWidths,
}

impl Body {
    fn columns(&self) -> Vec<(Column, u16)> {
        let Self { width, pane, list, .. } = *self;
        let Some(left) = self.left() else { return vec![(Column::Pane(pane), width)] };
        let left = left.max(MIN.width);
        let rest = width.saturating_sub(left);
        let middle = match pane {
            _ if self.reads => READ,
            Pane::Hints => list.hints.max(READABLE),
            _ => READABLE,
        };
        let third = self.third(left, middle);
        let beside = match pane {
            Pane::Catalog | Pane::Templates => Column::Reader,
            Pane::Selection if width >= WIDEST && third >= MIN_THIRD.max(list.selection.min(rest)) => Column::Reader,
            Pane::Selection | Pane::Hints => Column::Pane(pane),
        };
        let is_two =
            width < WIDEST || third < MIN_THIRD || matches!((pane, beside), (Pane::Selection, Column::Pane(_)));
        let third = if is_two { 0 } else { third };
        // The list gets what the document or the reasons do not fill, for whole names and tags.
        let filled = match beside {
            Column::Reader => READ,
            Column::Pane(Pane::Hints) => middle,
            Column::Pane(_) => rest,
        };
        let spare =
            if self.splits.left.is_some() || width < WIDEST { 0 } else { (rest - third).saturating_sub(filled) };
        let more = spare.min(list.whole.saturating_sub(left));
        let mut columns = vec![(Column::Pane(Pane::Catalog), left + more), (beside, rest - third - more)];
        if !is_two {
            columns.push((Column::Pane(Pane::Selection), third));
        }
        columns
    }

    /// The width that the catalog's list should have; `None` if the focused pane leaves no room for another.
    fn left(&self) -> Option<u16> {
        let Self { width, pane, list, .. } = *self;
        let usual = |share| self.splits.first(width, share);
        let left = match pane {
            _ if self.splits.left.is_some() => usual(USUAL_LEFT),
            Pane::Catalog if self.reads => usual(USUAL_LEFT).max(width.saturating_sub(READ)).min(list.whole),
            // The list takes precedence: it needs room for whole ids and tokens.
            Pane::Catalog if list.ids.saturating_add(MIN_READER) > width => return None,
            Pane::Catalog => list_width_beside_document(width, list),
            Pane::Selection if width >= WIDEST => usual(CATALOG_SHARE_OF_THREE).max(list.ids.min(width / 2)),
            // The list gets the width that the selection does not need, for whole ids.
            Pane::Selection => {
                usual(USUAL_LEFT).max(list.essential.min(width.saturating_sub(list.selection.max(MIN_THIRD))))
            }
            // A list with truncated ids is less useful than its folded line.
            Pane::Hints if list.ids.saturating_add(MIN_HINTS) > width => return None,
            // Reasons need room to be read; the list beside them shows what was picked.
            Pane::Hints => {
                let share = if width >= WIDEST { CATALOG_SHARE_OF_THREE } else { USUAL_LEFT };
                usual(share).min(width.saturating_sub(list.hints)).max(list.ids.max(MIN_IDLE))
            }
            Pane::Templates => usual(USUAL_LEFT),
        };
        Some(left)
    }

    /// The width that the selection should have as the third column, beside a middle one that needs this width. The
    /// focused pane takes precedence: the selection shows whole ids before a document beside it is comfortable to read.
    fn third(&self, left: u16, middle: u16) -> u16 {
        let rest = self.width.saturating_sub(left);
        match self.pane {
            // Whole names come before a document wider than its minimum.
            Pane::Selection => {
                let named = self.list.named.min(rest.saturating_sub(READABLE));
                self.list.selection.max(left).max(named).min(rest.saturating_sub(MIN_READER))
            }
            _ => (self.width * 3 / 10).min(rest.saturating_sub(middle)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::layout::{MIN, SMALLEST};

    const LIST: ListWidths = ListWidths {
        ids: 37,
        essential: 57,
        usual: 70,
        whole: 110,
        longest: 110,
        selection: 0,
        named: 0,
        hints: 98,
        lower: 0,
    };

    const ALL: [Arrangement; 3] = [Arrangement::Focused, Arrangement::Overview, Arrangement::Zoomed];

    #[test]
    fn a_name_leads_back_to_its_arrangement() {
        for arrangement in ALL {
            assert_eq!(Arrangement::from_word(arrangement.word()), Some(arrangement));
        }
        assert_eq!(Arrangement::from_word("sideways"), None);
    }

    #[test]
    fn what_is_shown_depends_on_the_width_and_the_focus() {
        let shown = |width, height, focus, arrangement| {
            let focus = Focused::Pane(focus);
            let layout = layout(Size { width, height }, focus, arrangement, Splits::default(), LIST);
            let panes = Pane::ALL.into_iter().filter(|pane| layout.panes[pane.index()].is_some());
            let mut columns: Vec<_> = panes.map(|pane| (layout.panes[pane.index()].unwrap(), pane.word())).collect();
            columns.extend(layout.reader.map(|place| (place, "document")));
            columns.sort_by_key(|(place, _)| (place.y, place.x));
            columns
                .into_iter()
                .map(|(place, name)| format!("{name} {}x{}", place.width, place.height))
                .collect::<Vec<_>>()
        };
        let [focused, overview, zoomed] = ALL;
        for (width, height, focus, arrangement, expected) in [
            (80, 24, Pane::Catalog, focused, &["Catalog 80x21"][..]),
            (80, 24, Pane::Hints, overview, &["Hints 80x21"]),
            (100, 36, Pane::Catalog, focused, &["Catalog 37x33", "document 63x33"]),
            (99, 36, Pane::Catalog, focused, &["Catalog 99x33"]),
            (120, 36, Pane::Catalog, focused, &["Catalog 60x33", "document 60x33"]),
            (160, 36, Pane::Catalog, focused, &["Catalog 100x33", "document 60x33"]),
            (120, 36, Pane::Selection, focused, &["Catalog 57x33", "Selection 63x33"]),
            (120, 36, Pane::Hints, focused, &["Catalog 37x33", "Hints 83x33"]),
            (150, 36, Pane::Hints, focused, &["Catalog 52x33", "Hints 98x33"]),
            (120, 36, Pane::Templates, focused, &["Templates 120x33"]),
            (120, 36, Pane::Catalog, zoomed, &["Catalog 120x33"]),
            (120, 36, Pane::Selection, zoomed, &["Selection 120x33"]),
            (120, 36, Pane::Hints, overview, &["Catalog 60x18", "Selection 60x18", "Hints 60x16", "Templates 60x16"]),
            (
                200,
                60,
                Pane::Catalog,
                overview,
                &["Catalog 110x31", "Selection 90x31", "Hints 110x27", "Templates 90x27"],
            ),
            (200, 60, Pane::Catalog, focused, &["Catalog 110x57", "document 90x57"]),
            (240, 60, Pane::Catalog, focused, &["Catalog 110x57", "document 60x57", "Selection 70x57"]),
            (200, 60, Pane::Selection, focused, &["Catalog 61x57", "document 78x57", "Selection 61x57"]),
            (200, 60, Pane::Hints, focused, &["Catalog 102x57", "Hints 98x57"]),
            (240, 60, Pane::Hints, focused, &["Catalog 73x57", "Hints 98x57", "Selection 69x57"]),
            (300, 20, Pane::Selection, focused, &["Catalog 104x17", "document 104x17", "Selection 92x17"]),
            (300, 20, Pane::Hints, focused, &["Catalog 110x17", "Hints 100x17", "Selection 90x17"]),
            (200, 60, Pane::Catalog, zoomed, &["Catalog 200x57"]),
        ] {
            assert_eq!(
                shown(width, height, focus, arrangement),
                expected,
                "{width}x{height} {focus:?} {arrangement:?}"
            );
        }
    }

    #[test]
    fn very_long_names_of_a_grid_have_the_room_that_the_selection_does_not_need() {
        for (width, longest, named, expected) in
            [(200, 95, 0, 95), (200, 300, 0, 111), (200, 300, 95, 105), (200, 300, 150, 92), (120, 300, 0, 60)]
        {
            let list = ListWidths { whole: 90, longest, named, ..LIST };
            let size = Size { width, height: 60 };
            let layout = layout(size, Focused::Pane(Pane::Catalog), Arrangement::Overview, Splits::default(), list);
            assert_eq!(layout.panes[Pane::Catalog.index()].unwrap().width, expected, "{width} {longest} {named}");
        }
    }

    #[test]
    fn tags_shrink_before_the_document() {
        for (width, ids, essential, expected) in [
            (100, 37, 48, (50, 50)),
            (100, 37, 51, (37, 63)),
            (120, 37, 48, (60, 60)),
            (120, 60, 71, (60, 60)),
            // Only whole ids may take more than half of the width.
            (120, 72, 83, (72, 48)),
            (120, 76, 87, (76, 44)),
            (150, 72, 83, (90, 60)),
            // No source has tags.
            (120, 72, 72, (72, 48)),
        ] {
            let list = ListWidths { ids, essential, usual: essential + 10, ..LIST };
            let size = Size { width, height: 36 };
            let layout = layout(size, Focused::Pane(Pane::Catalog), Arrangement::Focused, Splits::default(), list);
            let shown = (layout.panes[Pane::Catalog.index()].unwrap().width, layout.reader.unwrap().width);
            assert_eq!(shown, expected, "{width} {ids} {essential}");
        }
    }

    #[test]
    fn hints_are_beside_whole_ids_or_alone() {
        for (width, ids, hints, expected) in [
            (120, 20, 98, (Some(36), 84)),
            (120, 37, 98, (Some(37), 83)),
            (120, 60, 98, (Some(60), 60)),
            (120, 61, 98, (None, 120)),
            (160, 37, 98, (Some(62), 98)),
            // Reasons come before the tags of the list.
            (160, 37, 120, (Some(40), 120)),
            (160, 37, 150, (Some(37), 123)),
            (160, 101, 150, (None, 160)),
        ] {
            let list = ListWidths { ids, hints, ..LIST };
            let size = Size { width, height: 36 };
            let layout = layout(size, Focused::Pane(Pane::Hints), Arrangement::Focused, Splits::default(), list);
            let [catalog, _, focused, _] = layout.panes.map(|place| place.map(|place| place.width));
            assert_eq!((catalog, focused.unwrap()), expected, "{width} {ids} {hints}");
        }
    }

    #[test]
    fn a_focused_selection_is_served_first() {
        for (width, selection, expected) in [
            // The document leaves room for whole ids unless it would become too narrow to read.
            (200, 80, (Some(61), Some(59), Some(80))),
            (200, 95, (Some(61), Some(44), Some(95))),
            (200, 120, (Some(61), None, Some(139))),
            // The list gets what the selection does not need.
            (120, 0, (Some(57), None, Some(63))),
            (120, 70, (Some(55), None, Some(65))),
        ] {
            let list = ListWidths { selection, ..LIST };
            let size = Size { width, height: 60 };
            let layout = layout(size, Focused::Pane(Pane::Selection), Arrangement::Focused, Splits::default(), list);
            let [catalog, selected, ..] = layout.panes.map(|place| place.map(|place| place.width));
            assert_eq!((catalog, layout.reader.map(|place| place.width), selected), expected, "{width} {selection}");
        }
    }

    #[test]
    fn a_focused_selection_has_whole_names_before_the_document_is_wide() {
        for (width, named, expected) in
            [(200, 0, (78, 61)), (200, 75, (64, 75)), (200, 100, (60, 79)), (160, 100, (60, 51))]
        {
            let list = ListWidths { selection: 50, named, ..LIST };
            let size = Size { width, height: 60 };
            let layout = layout(size, Focused::Pane(Pane::Selection), Arrangement::Focused, Splits::default(), list);
            let shown = (layout.reader.unwrap().width, layout.panes[Pane::Selection.index()].unwrap().width);
            assert_eq!(shown, expected, "{width} {named}");
        }
    }

    #[test]
    fn a_document_that_is_read_has_room_for_its_text_before_the_list() {
        for (width, arrangement, expected) in [
            (120, Arrangement::Focused, (Some(55), 65, None)),
            (200, Arrangement::Focused, (Some(96), READ, None)),
            (260, Arrangement::Focused, (Some(110), READ, Some(46))),
            (200, Arrangement::Zoomed, (None, 200, None)),
        ] {
            let size = Size { width, height: 60 };
            let layout = layout(size, Focused::Reader, arrangement, Splits::default(), LIST);
            let [list, selection, ..] = layout.panes.map(|place| place.map(|place| place.width));
            assert_eq!((list, layout.reader.unwrap().width, selection), expected, "{width} {arrangement:?}");
        }
    }

    proptest! {
        #[test]
        fn the_focused_pane_is_shown_and_nothing_overlaps(
            width in SMALLEST.width..260, height in SMALLEST.height..90,
            focus in proptest::sample::select(&Pane::ALL[..]).prop_map(Focused::Pane).boxed()
                .prop_union(proptest::sample::select(&[Focused::Reader, Focused::Feed][..]).boxed()),
            arrangement in proptest::sample::select(&ALL[..]),
            (left, upper) in (proptest::option::of(0..1200u16), proptest::option::of(0..1200u16)),
            (least, more) in (0..200u16, 0..60u16),
        ) {
            let size = Size { width, height };
            let list = ListWidths {
                ids: least / 2, essential: least.saturating_sub(more), usual: least, whole: least + more, longest: least + more * 2,
                selection: more * 2, named: more * 3,
                hints: least / 2 + more, lower: more,
            };
            let layout = layout(size, focus, arrangement, Splits { left, upper }, list);
            match focus {
                Focused::Pane(pane) => prop_assert!(layout.panes[pane.index()].is_some()),
                Focused::Feed => prop_assert!(layout.panes[Pane::Hints.index()].is_some()),
                Focused::Reader => {
                    prop_assert!(layout.panes[Pane::Catalog.index()].is_some() || layout.reader.is_some());
                }
            }
            let places: Vec<Rect> = layout.panes.into_iter().chain([layout.reader]).flatten().collect();
            prop_assert_eq!(places.iter().map(|place| place.area()).sum::<u32>(), layout.body.area(), "nothing is left over");
            for (nth, place) in places.iter().enumerate() {
                prop_assert!(place.width >= MIN.width.min(width), "{:?}", place);
                prop_assert!(places[nth + 1..].iter().all(|other| !place.intersects(*other)));
            }
        }
    }
}
