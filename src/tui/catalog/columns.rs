//! Distributes the width of the catalog list among its columns. If it is too narrow, the name is dropped
//! first, then the type, the mode, the tags and the tokens; only then are ids shortened in the middle. If they
//! are too long even then, the tokens stay. An unusually long id takes the neighbouring columns of its own row. The list also reports the widths it would
//! like, which the layout grants before those of the neighbouring panes.

use refdesk_core::catalog::Mode;

use crate::tui::counts::Counts;
use crate::tui::filter::Order;

/// The minimum width of the token column: `~123,456`.
const TOKENS: usize = 8;
/// Its minimum width when space is short: the heading `tokens`.
const FEW_TOKENS: usize = 6;
/// Width of the type column.
pub const KIND: usize = 6;
/// Width of the cursor, and of the mark followed by a blank.
const LEAD: usize = 3;
const MIN_ID: usize = 8;
/// Ids that are shortened with or without the tokens keep this width beside them.
const MIN_CUT_ID: usize = 16;
/// Tags get this width before mode and type get any: enough to tell sources apart.
const USUAL_TAGS: usize = 20;
const MIN_TAGS: usize = 10;
const MIN_NAME: usize = 14;
/// Width of the headings `name` and `tags`.
const HEADING: usize = 4;
/// A name gets this width before tags grow.
const MEDIUM_NAME: usize = 40;
/// Tags get this width before an unusually long id grows, and before a document beside the list gets more
/// than its minimum.
const MIDDLING_TAGS: usize = 40;
/// Width of the reason why a source is hinted at or not.
const REASON: usize = 60;
/// Width of the pane's borders.
const BORDERS: u16 = 2;
/// Width of the mode shortened to `sel` or `auto`.
const SHORT_MODE: usize = 4;

/// The width of each column; 0 if it is hidden.
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
        let [with_words, figures] = [counts.widest_tokens, counts.widest_price].map(|widest| widest.max(FEW_TOKENS));
        let widths = [least.tokens, with_words, figures];
        let fitting = widths.into_iter().find(|tokens| room.left > least.id + tokens + 1);
        // Without tokens, the longest ids would be cut as well.
        let is_cut_anyway = room.left <= least.id && room.left > MIN_CUT_ID + figures + 1;
        if let Some(tokens) = fitting.or(is_cut_anyway.then_some(figures)) {
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
            room.grow(&mut all.name, counts.widest_name.min(MEDIUM_NAME));
        }
        if all.tags > 0 {
            room.grow(&mut all.tags, counts.widest_tags.min(MIDDLING_TAGS));
        }
        let long = Mode::Selectable.word().len();
        if all.mode > 0 && room.left >= long {
            room.grow(&mut all.mode, long);
        }
        // An unusually long id grows after usual names and tags, and before very long ones.
        room.grow(&mut all.id, counts.longest_id);
        // The field that lacks the least grows first.
        let mut fields = [(&mut all.tags, counts.widest_tags), (&mut all.name, counts.widest_name)];
        fields.sort_by_key(|(field, widest)| widest.saturating_sub(**field));
        for (field, widest) in fields.into_iter().filter(|(field, _)| **field > 0) {
            room.grow(field, widest);
        }
        // Tokens are right-aligned.
        *(if all.tags > 0 { &mut all.tags } else { &mut all.id }) += room.left;
        all
    }

    /// The columns for a row with an id of this width. An id that does not fit takes over the columns beside
    /// it, up to the first with marked matches. Of names and tags it takes only what it lacks, if they stay readable.
    /// The remaining columns keep their place.
    pub fn with_whole_id(self, id: usize, [marks_name, marks_tags]: [bool; 2]) -> Self {
        let mut all = self;
        let fields = [
            (&mut all.name, MIN_NAME, marks_name),
            (&mut all.kind, usize::MAX, false),
            (&mut all.mode, usize::MAX, false),
            (&mut all.tags, MIN_TAGS, marks_tags),
        ];
        for (field, least, is_marked) in fields {
            let lacks = id.saturating_sub(all.id);
            if lacks == 0 || is_marked {
                break;
            }
            match field.checked_sub(lacks) {
                Some(left) if left >= least => {
                    *field = left;
                    all.id += lacks;
                }
                _ if *field > 0 => all.id += 1 + std::mem::take(field),
                _ => {}
            }
        }
        all
    }

    /// The sort order of the heading at this column, if the catalog can be sorted by it.
    pub fn order_at(self, at: u16) -> Option<Order> {
        let Self { id, name, kind, mode, tags, tokens } = self;
        let fields = [
            (id, Order::Id),
            (name, Order::Name),
            (kind, Order::Kind),
            (mode, Order::Mode),
            (tags, Order::Tags),
            (tokens, Order::Tokens),
        ];
        let mut rest = usize::from(at);
        if rest < LEAD {
            return Some(Order::State);
        }
        rest -= LEAD;
        for (columns, order) in fields.into_iter().filter(|(columns, _)| *columns > 0) {
            if rest < columns {
                return Some(order);
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

/// Every nonempty column at its minimum readable width, with whole ids.
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

/// At least as wide as the heading, for a nonempty column.
fn headed(widest: usize) -> usize {
    if widest == 0 { 0 } else { widest.max(HEADING) }
}

/// The sizes that the panes ask of the layout: widths of lists including borders, and the height of the lower panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListWidths {
    /// Fits whole ids and tokens.
    pub ids: u16,
    /// Fits whole ids, some tags and tokens.
    pub essential: u16,
    /// Fits whole ids, tags that tell sources apart, and tokens.
    pub usual: u16,
    /// Fits whole names and tags, unless they are very long.
    pub whole: u16,
    /// Fits all names and tags, however long.
    pub longest: u16,
    /// Fits the selection's whole ids and tokens; 0 if it is empty.
    pub selection: u16,
    /// Also fits the selection's whole names, unless they are very long.
    pub named: u16,
    /// Fits the hints' whole ids, readable reasons and tokens; 0 if unknown.
    pub hints: u16,
    /// The height, with border, that the lower panes of a grid fill; 0 if one of them is focused, because it
    /// then gets its share.
    pub lower: u16,
}

impl ListWidths {
    pub fn of(counts: &Counts) -> Self {
        let least = least(counts);
        let usual = CatalogColumns { name: 0, kind: 0, mode: 0, ..least };
        let essential = CatalogColumns { tags: usual.tags.min(MIN_TAGS), ..usual };
        let ids = CatalogColumns { tags: 0, ..essential };
        let whole = CatalogColumns {
            name: counts.widest_name.min(MEDIUM_NAME),
            mode: Mode::Selectable.word().len(),
            tags: counts.widest_tags.min(MIDDLING_TAGS),
            ..least
        };
        let longest = CatalogColumns { name: counts.widest_name, tags: counts.widest_tags, ..whole };
        let [ids, essential, usual, whole, longest] =
            [ids, essential, usual, whole, longest].map(|columns| columns.width().saturating_add(BORDERS));
        // Cursor, mark, and the blanks around the columns.
        let hints = 1 + 2 + 1 + counts.widest_id + 1 + REASON + 1 + counts.widest_tokens.max(TOKENS) + 1;
        let hints = u16::try_from(hints).unwrap_or(u16::MAX).saturating_add(BORDERS);
        Self { ids, essential, usual, whole, longest, hints, ..Self::default() }
    }
}

/// The width that is still free.
struct ColumnSpace {
    left: usize,
    /// Set once a column did not fit: less important ones are then hidden too.
    is_full: bool,
}

impl ColumnSpace {
    /// Takes this width plus a blank, or nothing.
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
            (26, 22, 0, 0, 0, 0, 0),
            (27, 16, 0, 0, 0, 0, 6),
            (33, 22, 0, 0, 0, 0, 6),
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
        // The word for an untrusted source has no room.
        let counts = Counts { widest_price: 6, widest_tokens: 9, ..counts };
        let columns = |width| CatalogColumns::of(&counts, width).tokens;
        assert_eq!([40, 41, 43, 44].map(columns), [0, 6, 6, 9]);
    }

    /// The widths, most important column first.
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
            (52, [false; 2], 52, 0, 0, 0, 19),
            (61, [false; 2], 61, 0, 0, 0, 10),
            (62, [false; 2], 72, 0, 0, 0, 0),
            (100, [false; 2], 72, 0, 0, 0, 0),
            (100, [false, true], 51, 0, 0, 0, 20),
            (100, [true, false], 24, 14, 6, 4, 20),
        ] {
            let expected = CatalogColumns { id, name, kind, mode, tags, tokens: 8 };
            assert_eq!(all.with_whole_id(width, marks), expected, "{width} {marks:?}");
        }
        let all = CatalogColumns { name: 40, ..all };
        let expected = CatalogColumns { id: 27, name: 37, ..all };
        assert_eq!(all.with_whole_id(27, [false; 2]), expected, "the name keeps what the id does not need");
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
            prop_assert!(columns.id >= widest_id || fields[1..] == [0; 4], "an id is cut before something else goes");
            let is_whole_without = usize::from(width) > LEAD + widest_id;
            prop_assert!(columns.id >= widest_id || fields[0] == 0 || !is_whole_without, "tokens cut an id");
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
                // When the document moves from below the list to beside it, every column except ids and tokens may
                // disappear; tokens only for ids that are whole without them.
                let is_made_whole = narrow.id < widest_id && wide.id >= widest_id;
                prop_assert!(wide.tokens > 0 || narrow.tokens == 0 || is_made_whole, "{} {:?} {:?}", width, narrow, wide);
                prop_assert!(wide.id >= narrow.id.min(widest_id), "{} {:?} {:?}", width, narrow, wide);
            }
        }
    }
}
