//! The widths of the names, ids and places in the rows of the jump.

use super::rows::{JumpRow, JumpTarget};
use crate::common::jump::JumpKind;
use crate::tui::state::State;
use crate::tui::widgets::cells;
use refdesk_core::catalog::PathState;
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
    file: usize,
    /// The same, with only the line if the source is the file.
    line: usize,
}

/// The columns of a section.
#[derive(Debug, Clone, Copy)]
pub struct SectionColumns {
    pub name: usize,
    pub source: usize,
    pub detail: PlaceDetail,
}

/// How the place of a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceDetail {
    File,
    /// Only the line if the source is the file: the id beside it tells them apart, and the details name the file.
    Line,
}

/// The place of a section, such as `docs/retry.md:31` or `line 31`; `None` for any other row.
pub fn place(state: &State, row: &JumpRow, detail: PlaceDetail) -> Option<String> {
    let is_file = |id: &str| {
        let source = state.snapshot.catalog.get(id).and_then(|source| source.place());
        source.is_some_and(|place| place.state == PathState::File)
    };
    match &row.to {
        JumpTarget::Section(hit) if detail == PlaceDetail::Line && !hit.path.is_empty() && is_file(&hit.source_id) => {
            Some(format!("line {}", hit.line))
        }
        _ => row.place(),
    }
}

/// Below this width of a section's name, files that its id names are left out.
const READABLE_NAME: usize = 24;

/// Minimum width of the text beside an id of any length, if the id is readable then.
const MIN_TEXT: usize = 24;

/// Minimum width of a section's name.
const MIN_NAME: usize = 16;

/// Minimum width of a section's source.
const MIN_SOURCE: usize = 12;

impl WidestTexts {
    pub fn of(rows: &[JumpRow], state: &State) -> Self {
        let mut widest = Self::default();
        for row in rows {
            let name = cells::width(&row.name_with_title().map_or_else(|| cells::clean(&row.name), Cow::Owned));
            if row.kind == JumpKind::Source {
                widest.id = widest.id.max(name);
                continue;
            }
            widest.name = widest.name.max(name);
            if row.is_section() {
                widest.source = widest.source.max(cells::width(&cells::clean(&row.about)));
            }
            let least = |place: String| {
                let place = cells::clean(&place);
                let file = place.rsplit('/').next().unwrap_or(&place);
                let cut = if file.len() < place.len() { cells::width(state.skin.glyphs.ellipsis) } else { 0 };
                cells::width(file) + cut
            };
            let [file, line] =
                [PlaceDetail::File, PlaceDetail::Line].map(|detail| place(state, row, detail).map(least));
            if let (Some(file), Some(line)) = (file, line) {
                (widest.file, widest.line) = (widest.file.max(file), widest.line.max(line));
            }
        }
        // A single long id must not take the texts of all rows.
        widest.id = widest.id.min(state.counts.widest_id);
        widest
    }

    /// Width of this name: an unusually long id also uses the columns of its own row's text, except the last ones.
    pub fn of_name(self, row: &JumpRow, room: usize) -> usize {
        let columns = self.names(room);
        let own = if row.kind == JumpKind::Source { cells::width(&cells::clean(&row.name)) } else { 0 };
        columns.max(own.min(room.saturating_sub(MIN_TEXT)))
    }

    /// Width of the names: ids in full unless one is so long that it would hide every text, other names as far as
    /// everything else leaves room.
    pub fn names(self, room: usize) -> usize {
        let most = room.saturating_sub(MIN_TEXT).max(READABLE_NAME).min(room);
        self.id.max(self.name.min(room / 2)).min(most)
    }

    /// The columns of a section. Files that the ids name are left out first; then names shrink before ids and
    /// other files, which distinguish the rows. Ids shrink last, and equally in every row.
    pub fn of_section(self, room: usize) -> SectionColumns {
        let has_room = self.name.min(READABLE_NAME) + 1 + self.source + 2 + self.file < room;
        let (detail, place) = if has_room { (PlaceDetail::File, self.file) } else { (PlaceDetail::Line, self.line) };
        let beside = self.source + 2 + place + 1;
        let name = self.names(room).min(room.saturating_sub(1 + beside).max(MIN_NAME));
        let left = room.saturating_sub(name + 1 + 2 + place + 1);
        SectionColumns { name, source: self.source.min(left.max(MIN_SOURCE)), detail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_id_leaves_room_for_the_texts() {
        for (id, name, room, expected) in
            [(184, 9, 100, 76), (50, 9, 100, 50), (9, 70, 100, 50), (50, 9, 40, 24), (50, 9, 20, 20), (30, 9, 60, 30)]
        {
            let widest = WidestTexts { id, name, ..WidestTexts::default() };
            assert_eq!(widest.names(room), expected, "{id} {name} {room}");
        }
    }
}
