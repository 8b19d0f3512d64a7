//! How the columns of the catalog share the width of its list. Where there is too little, the name goes first, then the
//! type, the mode and the tags; tokens stay longest, and only then are ids cut.

use refdesk_core::catalog::Mode;

use crate::tui::counts::Counts;

/// Columns of a number of tokens: `~123,456`.
pub const TOKENS: usize = 8;
/// Columns of a type.
pub const KIND: usize = 6;
/// The cursor, and the mark with a blank after it.
const LEAD: usize = 3;
const LEAST_ID: usize = 8;
const LEAST_TAGS: usize = 10;
const LEAST_NAME: usize = 14;
/// Columns that a name gets before tags grow.
const MIDDLING_NAME: usize = 40;
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
    /// For a list of this width.
    pub fn of(counts: &Counts, width: u16) -> Self {
        let mut room = Room(usize::from(width).saturating_sub(LEAD));
        let mut all = Self::default();
        if room.0 > LEAST_ID + TOKENS + 1 {
            all.tokens = room.take(TOKENS);
        }
        all.id = room.take(counts.widest_id.max(LEAST_ID));
        if all.id == 0 {
            all.id = room.0.saturating_sub(1);
            return all;
        }
        all.tags = room.take(counts.widest_tags.min(LEAST_TAGS));
        all.mode = room.take(SHORT_MODE);
        all.kind = room.take(KIND);
        all.name = room.take(counts.widest_name.min(LEAST_NAME));
        if all.name > 0 {
            room.grow(&mut all.name, counts.widest_name.min(MIDDLING_NAME));
        }
        if all.tags > 0 {
            room.grow(&mut all.tags, counts.widest_tags);
        }
        let long = Mode::Selectable.word().len();
        if all.mode > 0 && room.0 >= long {
            room.grow(&mut all.mode, long);
        }
        if all.name > 0 {
            room.grow(&mut all.name, counts.widest_name);
        }
        // Tokens stand at the right edge.
        *(if all.tags > 0 { &mut all.tags } else { &mut all.id }) += room.0;
        all
    }
}

/// The columns that are left.
struct Room(usize);

impl Room {
    /// Takes this many and one for a blank, or none.
    fn take(&mut self, columns: usize) -> usize {
        let taken = if columns > 0 && self.0 > columns { columns } else { 0 };
        self.0 -= if taken > 0 { taken + 1 } else { 0 };
        taken
    }

    fn grow(&mut self, field: &mut usize, wanted: usize) {
        let more = wanted.saturating_sub(*field).min(self.0);
        *field += more;
        self.0 -= more;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_go_in_their_order_and_ids_are_cut_last() {
        let counts = Counts { widest_id: 30, widest_tags: 26, widest_name: 34, ..Counts::default() };
        for (width, id, name, kind, mode, tags, tokens) in [
            (18, 14, 0, 0, 0, 0, 0),
            (30, 17, 0, 0, 0, 0, 8),
            (44, 31, 0, 0, 0, 0, 8),
            (54, 30, 0, 0, 0, 10, 8),
            (60, 30, 0, 0, 4, 11, 8),
            (68, 30, 0, 6, 4, 12, 8),
            (82, 30, 15, 6, 4, 10, 8),
            (118, 30, 34, 6, 4, 27, 8),
            (200, 30, 34, 6, 10, 103, 8),
        ] {
            let expected = CatalogColumns { id, name, kind, mode, tags, tokens };
            assert_eq!(CatalogColumns::of(&counts, width), expected, "{width}");
        }
    }

    proptest! {
        #[test]
        fn they_fit_and_nothing_appears_before_what_matters_more(
            width in 0..400u16, widest_id in 0..90usize, widest_tags in 0..90usize, widest_name in 0..90usize,
        ) {
            let counts = Counts { widest_id, widest_tags, widest_name, ..Counts::default() };
            let CatalogColumns { id, name, kind, mode, tags, tokens } = CatalogColumns::of(&counts, width);
            let all = [id, name, kind, mode, tags, tokens];
            let taken: usize = all.iter().filter(|columns| **columns > 0).map(|columns| columns + 1).sum();
            prop_assert!(taken + LEAD <= usize::from(width) + 1 || width < 12, "{:?}", all);
            let missed = |field: usize, least: usize| field == 0 && least > 0;
            if missed(tags, widest_tags) {
                prop_assert!(mode + kind + name < widest_tags.min(LEAST_TAGS), "{:?}", all);
            }
            prop_assert!(id >= widest_id || tags + mode + kind + name == 0, "an id is cut last");
        }
    }
}
