//! The widths of the names, ids and places in the rows of the jump.

use super::kind::JumpKind;
use super::rows::JumpRow;
use crate::tui::state::Skin;
use crate::tui::widgets::cells;
use std::borrow::Cow;

/// The maximum widths of the texts in the rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct WidestTexts {
    /// The id of a source, shown as its name.
    id: usize,
    /// Any other name, with the document's title.
    name: usize,
    /// The id of the source of a section.
    source: usize,
    /// The file and line of a section, with a sign for the omitted folders.
    place: usize,
}

/// Minimum width of a section's name.
const MIN_NAME: usize = 20;

/// Minimum width of a section's source.
const MIN_SOURCE: usize = 8;

impl WidestTexts {
    pub fn of(rows: &[JumpRow], skin: &Skin) -> Self {
        let mut widest = Self::default();
        for row in rows {
            let name = cells::width(&row.name_with_title().map_or_else(|| cells::clean(&row.name), Cow::Owned));
            if row.kind == JumpKind::Source {
                widest.id = widest.id.max(name);
                continue;
            }
            widest.name = widest.name.max(name);
            if let Some(place) = row.place() {
                let place = cells::clean(&place);
                let file = place.rsplit('/').next().unwrap_or(&place);
                let cut = if file.len() < place.len() { cells::width(skin.glyphs.ellipsis) } else { 0 };
                widest.source = widest.source.max(cells::width(&cells::clean(&row.about)));
                widest.place = widest.place.max(cells::width(file) + cut);
            }
        }
        widest
    }

    /// Width of the names: ids in full, other names as far as everything else leaves room.
    pub fn names(self, room: usize) -> usize {
        self.id.max(self.name.min(room / 2)).min(room)
    }

    /// Widths of a section's name and of its source's id. Names shrink before ids and files, which
    /// distinguish the rows. Ids shrink last, and equally in every row.
    pub fn of_section(self, room: usize) -> (usize, usize) {
        let beside = self.source + 2 + self.place + 1;
        let name = self.names(room).min(room.saturating_sub(1 + beside).max(MIN_NAME));
        let left = room.saturating_sub(name + 1 + 2 + self.place + 1);
        (name, self.source.min(left.max(MIN_SOURCE)))
    }
}
