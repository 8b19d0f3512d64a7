//! How the columns of the catalog share the width of its list. If it is too narrow, the name goes first, then the type,
//! the mode, the tags and the tokens; only then are ids cut in the middle. In its own row, an id that is longer than the
//! others takes the columns beside it. The list says how wide it wants to be, and the layout serves it before its
//! neighbours.

use refdesk_core::catalog::Mode;

use crate::tui::counts::Counts;
use crate::tui::filter::Order;

/// The minimum number of columns of the numbers of tokens: `~123,456`.
const TOKENS: usize = 8;
/// The same where there is no room for that: the heading `tokens`.
const FEW_TOKENS: usize = 6;
/// Columns of a type.
pub const KIND: usize = 6;
/// The cursor, and the mark with a blank after it.
const LEAD: usize = 3;
const MIN_ID: usize = 8;
/// Columns that tags get before mode and type do: enough to tell sources apart.
const USUAL_TAGS: usize = 20;
const MIN_TAGS: usize = 10;
const MIN_NAME: usize = 14;
/// Columns of the headings `name` and `tags`.
const HEADING: usize = 4;
/// Columns that a name gets before tags grow.
const MIDDLING_NAME: usize = 40;
/// Columns that tags get before an id that is longer than the others grows, and before a document beside the list is wider than
/// it must be.
const MIDDLING_TAGS: usize = 40;
/// Columns of the reason why a source is hinted at, or is not.
const REASON: usize = 60;
/// Columns of the pane's borders.
const BORDERS: u16 = 2;
/// Columns of the mode cut to `sel` or `auto`.
const SHORT_MODE: usize = 4;

/// The columns of each field; 0 if it is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CatalogColumns {
    pub id: usize,
    pub name: usize,
    pub kind: usize,
    pub mode: usize,
    pub tags: usize,
    pub tokens: usize,
}

impl CatalogColumns {
    pub fn of(counts: &Counts, width: u16) -> Self {
        let mut room = ColumnSpace { left: usize::from(width).saturating_sub(LEAD), is_full: false };
        let least = least(counts);
        let mut all = Self::default();
        let widths = [least.tokens, counts.widest_tokens.max(FEW_TOKENS)];
        if let Some(tokens) = widths.into_iter().find(|tokens| room.left > least.id + tokens + 1) {
            all.tokens = room.take(tokens);
        }
        all.id = room.take(least.id);
        if all.id == 0 {
            all.id = room.left.saturating_sub(1);
            return all;
        }
        room.is_full |= all.tokens == 0;
        let fitting = room.left.saturating_sub(1).clamp(least.tags.min(MIN_TAGS), least.tags);
        all.tags = room.take(fitting);
        room.is_full |= all.tags < least.tags;
        all.mode = room.take(least.mode);
        all.kind = room.take(least.kind);
        all.name = room.take(least.name);
        if all.name > 0 {
            room.grow(&mut all.name, counts.widest_name.min(MIDDLING_NAME));
        }
        if all.tags > 0 {
            room.grow(&mut all.tags, counts.widest_tags.min(MIDDLING_TAGS));
        }
        let long = Mode::Selectable.word().len();
        if all.mode > 0 && room.left >= long {
            room.grow(&mut all.mode, long);
        }
        // An id that is longer than the others is cut before usual names and tags are, and not for very long ones.
        room.grow(&mut all.id, counts.longest_id);
        // What is nearer to being whole comes first.
        let mut fields = [(&mut all.tags, counts.widest_tags), (&mut all.name, counts.widest_name)];
        fields.sort_by_key(|(field, widest)| widest.saturating_sub(**field));
        for (field, widest) in fields.into_iter().filter(|(field, _)| **field > 0) {
            room.grow(field, widest);
        }
        // Tokens are at the right edge.
        *(if all.tags > 0 { &mut all.tags } else { &mut all.id }) += room.left;
        all
    }

    /// The same columns in a row whose id is this wide: if it does not fit, it first takes the columns beside it,
    /// except those with marks. Whatever is left of them stays in place.
    pub fn with_whole_id(self, id: usize, [marks_name, marks_tags]: [bool; 2]) -> Self {
        let mut all = self;
        let fields =
            [(&mut all.name, marks_name), (&mut all.kind, false), (&mut all.mode, false), (&mut all.tags, marks_tags)];
        for (field, is_marked) in fields {
            if all.id >= id || is_marked {
                break;
            }
            if *field > 0 {
                all.id += 1 + std::mem::take(field);
            }
        }
        all
    }

    /// The order of the heading at this column of the list, if the catalog can be sorted by it.
    pub fn order_at(self, at: u16) -> Option<Order> {
        let Self { id, name, kind, mode, tags, tokens } = self;
        let fields = [
            (id, Some(Order::Id)),
            (name, Some(Order::Name)),
            (kind, Some(Order::Kind)),
            (mode, Some(Order::Mode)),
            (tags, Some(Order::Tags)),
            (tokens, Some(Order::Tokens)),
        ];
        let mut rest = usize::from(at);
        if rest < LEAD {
            return Some(Order::State);
        }
        rest -= LEAD;
        for (columns, order) in fields.into_iter().filter(|(columns, _)| *columns > 0) {
            if rest < columns {
                return order;
            }
            rest = rest.checked_sub(columns + 1)?;
        }
        None
    }

    fn width(self) -> u16 {
        let Self { id, name, kind, mode, tags, tokens } = self;
        let shown = [id, name, kind, mode, tags, tokens].into_iter().filter(|columns| *columns > 0);
        u16::try_from(LEAD + shown.map(|columns| columns + 1).sum::<usize>()).unwrap_or(u16::MAX)
    }
}

/// Every nonempty column, as narrow as is readable, with whole ids.
fn least(counts: &Counts) -> CatalogColumns {
    CatalogColumns {
        id: counts.widest_id.max(MIN_ID),
        name: headed(counts.widest_name).min(MIN_NAME),
        kind: KIND,
        mode: SHORT_MODE,
        tags: headed(counts.widest_tags).min(USUAL_TAGS),
        tokens: counts.widest_tokens.max(TOKENS),
    }
}

/// A nonempty column is at least as wide as its heading.
fn headed(widest: usize) -> usize {
    if widest == 0 { 0 } else { widest.max(HEADING) }
}

/// What the layout needs to know about the panes: columns of a list with its border, and rows of the lower panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListWidths {
    /// With whole ids and their tokens only.
    pub ids: u16,
    /// With whole ids, some tags and the tokens.
    pub essential: u16,
    /// With whole ids, tags that tell sources apart, and the tokens.
    pub usual: u16,
    /// With whole names and tags, unless they are very long.
    pub whole: u16,
    /// The selection with whole ids and the tokens; 0 if it is empty.
    pub selection: u16,
    /// The same with whole names, unless they are very long.
    pub named: u16,
    /// The hints with whole ids, reasons that are readable, and the tokens; 0 if that is not known.
    pub hints: u16,
    /// The rows that the lower panes of a grid fill with their border; 0 if one of them is focused, which has its share.
    pub lower: u16,
}

impl ListWidths {
    pub fn of(counts: &Counts) -> Self {
        let least = least(counts);
        let usual = CatalogColumns { name: 0, kind: 0, mode: 0, ..least };
        let essential = CatalogColumns { tags: usual.tags.min(MIN_TAGS), ..usual };
        let ids = CatalogColumns { tags: 0, ..essential };
        let whole = CatalogColumns {
            name: counts.widest_name.min(MIDDLING_NAME),
            mode: Mode::Selectable.word().len(),
            tags: counts.widest_tags.min(MIDDLING_TAGS),
            ..least
        };
        let [ids, essential, usual, whole] =
            [ids, essential, usual, whole].map(|columns| columns.width().saturating_add(BORDERS));
        // Cursor, mark, and the blanks around the columns.
        let hints = 1 + 2 + 1 + counts.widest_id + 1 + REASON + 1 + counts.widest_tokens.max(TOKENS) + 1;
        let hints = u16::try_from(hints).unwrap_or(u16::MAX).saturating_add(BORDERS);
        Self { ids, essential, usual, whole, hints, ..Self::default() }
    }
}

/// The columns that are still free.
struct ColumnSpace {
    left: usize,
    /// Something did not fit: less important columns are not shown either.
    is_full: bool,
}

impl ColumnSpace {
    /// Takes this many and one for a blank, or none.
    fn take(&mut self, columns: usize) -> usize {
        if columns == 0 {
            return 0;
        }
        self.is_full |= self.left <= columns;
        if self.is_full {
            return 0;
        }
        self.left -= columns + 1;
        columns
    }

    fn grow(&mut self, field: &mut usize, wanted: usize) {
        let more = wanted.saturating_sub(*field).min(self.left);
        *field += more;
        self.left -= more;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::layout::Size;

    use refdesk_core::config::screen::Shares;

    use super::*;
    use crate::tui::layout;
    use crate::tui::layout::{Arrangement, Focused, PaneNeeds, Splits};
    use crate::tui::pane::Pane;

    #[test]
    fn a_heading_and_the_widest_number_have_room() {
        let counts = Counts { widest_id: 9, widest_name: 2, widest_tags: 1, widest_tokens: 11, ..Counts::default() };
        let columns = CatalogColumns::of(&counts, 60);
        assert_eq!((columns.name, columns.tokens), (HEADING, 11));
        assert!(columns.tags >= HEADING);
        assert_eq!(CatalogColumns::of(&Counts { widest_name: 0, ..counts }, 60).name, 0);
    }

    #[test]
    fn fields_go_in_their_order_and_ids_are_cut_last() {
        let counts = Counts { widest_id: 30, widest_tags: 26, widest_name: 34, ..Counts::default() };
        for (width, id, name, kind, mode, tags, tokens) in [
            (18, 14, 0, 0, 0, 0, 0),
            (30, 26, 0, 0, 0, 0, 0),
            (34, 30, 0, 0, 0, 0, 0),
            (40, 36, 0, 0, 0, 0, 0),
            (41, 30, 0, 0, 0, 0, 6),
            (42, 31, 0, 0, 0, 0, 6),
            (43, 30, 0, 0, 0, 0, 8),
            (44, 31, 0, 0, 0, 0, 8),
            (54, 30, 0, 0, 0, 10, 8),
            (60, 30, 0, 0, 0, 16, 8),
            (68, 30, 0, 0, 0, 24, 8),
            (82, 30, 0, 6, 4, 26, 8),
            (118, 30, 34, 6, 4, 27, 8),
            (200, 30, 34, 6, 10, 103, 8),
        ] {
            let expected = CatalogColumns { id, name, kind, mode, tags, tokens };
            assert_eq!(CatalogColumns::of(&counts, width), expected, "{width}");
        }
    }

    /// Columns, the most important first.
    fn shown(columns: CatalogColumns) -> [usize; 5] {
        [columns.tokens, columns.tags, columns.mode, columns.kind, columns.name]
    }

    #[test]
    fn one_long_id_is_cut_before_usual_names_and_tags_and_not_for_very_long_ones() {
        let counts = Counts { widest_id: 24, longest_id: 100, widest_tags: 66, widest_name: 205, ..Counts::default() };
        for (width, id, name, tags) in [(120, 24, 40, 29), (137, 30, 40, 40), (180, 67, 40, 40), (230, 100, 40, 57)] {
            let columns = CatalogColumns::of(&counts, width);
            assert_eq!((columns.id, columns.name, columns.tags), (id, name, tags), "{width}");
        }
    }

    #[test]
    fn a_long_id_has_the_columns_beside_it_in_its_own_row() {
        let all = CatalogColumns { id: 24, name: 14, kind: 6, mode: 4, tags: 20, tokens: 8 };
        for (width, marks, id, name, kind, mode, tags) in [
            (24, [false; 2], 24, 14, 6, 4, 20),
            (30, [false; 2], 39, 0, 6, 4, 20),
            (46, [false; 2], 46, 0, 0, 4, 20),
            (50, [false; 2], 51, 0, 0, 0, 20),
            (100, [false; 2], 72, 0, 0, 0, 0),
            (100, [false, true], 51, 0, 0, 0, 20),
            (100, [true, false], 24, 14, 6, 4, 20),
        ] {
            let expected = CatalogColumns { id, name, kind, mode, tags, tokens: 8 };
            assert_eq!(all.with_whole_id(width, marks), expected, "{width} {marks:?}");
        }
    }

    proptest! {
        #[test]
        fn they_fit_and_nothing_appears_before_what_matters_more(
            width in 0..400u16, widest_id in 0..90usize, widest_tags in 0..90usize, widest_name in 0..90usize,
        ) {
            let counts = Counts { widest_id, widest_tags, widest_name, ..Counts::default() };
            let columns = CatalogColumns::of(&counts, width);
            prop_assert!(columns.width() <= width + 1 || width < 12, "{:?}", columns);
            let fields = shown(columns);
            let has_text = [true, widest_tags > 0, true, true, widest_name > 0];
            let first = fields.iter().zip(has_text).position(|(field, has_text)| *field == 0 && has_text);
            prop_assert!(fields.iter().skip(first.unwrap_or(5)).all(|field| *field == 0), "{:?}", columns);
            prop_assert!(columns.id >= widest_id || fields == [0; 5], "an id is cut before something else goes");
        }

        #[test]
        fn a_larger_terminal_shows_no_less_of_what_matters(
            widest_id in 0..150usize, widest_tags in 0..90usize, widest_name in 0..90usize,
        ) {
            let counts = Counts { widest_id, widest_tags, widest_name, ..Counts::default() };
            let at = |width| {
                let size = Size { width, height: 36 };
                let focus = Focused::Pane(Pane::Catalog);
                let list = ListWidths::of(&counts);
                let layout = layout::layout(size, focus, Arrangement::Focused, Splits::default(), list);
                let inner = layout::inner(layout.panes[Pane::Catalog.index()].unwrap());
                let needs = PaneNeeds { rows: 9, list, ..PaneNeeds::default() };
                let beside = layout::parts(Pane::Catalog, inner, needs, Shares::default()).list.width;
                CatalogColumns::of(&counts, if layout.reader.is_some() { inner.width } else { beside })
            };
            for width in 80..200 {
                let (narrow, wide) = (at(width), at(width + 1));
                // If the document moves from below the list to its side, everything but ids and tokens can go.
                for (narrow, wide) in shown(narrow).into_iter().zip(shown(wide)).take(1) {
                    prop_assert!(wide > 0 || narrow == 0, "{} {:?} {:?}", width, narrow, wide);
                }
                prop_assert!(wide.id >= narrow.id.min(widest_id), "{} {:?} {:?}", width, narrow, wide);
            }
        }
    }
}
