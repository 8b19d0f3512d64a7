//! Distributes the selection's width among its columns: tree lines, mark and id, the name, a word for depth
//! or state, the tokens. All rows share the same columns, so that names and words align.

use crate::common::selection_tree::{TreeRow, TreeRowKind};
use crate::tui::counts::width_without_outliers;
use crate::tui::source_state;
use crate::tui::widgets::cells;
use refdesk_desk::engine::Snapshot;

/// Minimum width of a name.
const MIN_NAME: usize = 12;
/// The maximum width that the pane requests for names.
const MOST_NAME: usize = 40;

/// The widths that the rows need, measured once per snapshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowWidths {
    /// Width of tree lines, mark and id in the widest row.
    pub widest: usize,
    /// The same width without a few outliers.
    usual: usize,
    name: usize,
    /// Width of the longest `+126`.
    brings: usize,
    /// Width of the longest word.
    pub words: usize,
    /// Width of the longest word including what a pick would save; 0 if no pick saves anything.
    savings: usize,
}

impl RowWidths {
    pub fn of(rows: &[TreeRow], snapshot: &Snapshot) -> Self {
        let columns = |text: &str| cells::width(&cells::clean(text));
        let id = |row: &TreeRow| row.level * 2 + 2 + row.id(snapshot).map_or(0, columns);
        let name = |row: &TreeRow| row.id(snapshot).and_then(|id| snapshot.catalog.get(id));
        let words = |detail| rows.iter().map(|row| cells::width(&word(row, snapshot, detail))).max().unwrap_or(0);
        let mut ids: Vec<usize> = rows.iter().map(id).collect();
        let usual = width_without_outliers(&mut ids);
        Self {
            widest: ids.last().copied().unwrap_or(0),
            usual,
            name: rows.iter().filter_map(name).map(|source| columns(&source.name)).max().unwrap_or(0),
            brings: words(WordDetail::PulledInOnly),
            words: words(WordDetail::All),
            savings: if rows.iter().any(saves) { words(WordDetail::Savings) } else { 0 },
        }
    }
}

impl RowWidths {
    /// Width of the names with a blank, unless they are very long.
    pub fn name_columns(&self) -> u16 {
        if self.name == 0 { 0 } else { u16::try_from(self.name.min(MOST_NAME) + 1).unwrap_or(u16::MAX) }
    }
}

/// The width of each column; 0 if it is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeColumns {
    /// Tree lines, mark and id.
    pub id: usize,
    pub name: usize,
    pub word: usize,
    /// How detailed the words are.
    pub detail: WordDetail,
}

/// Which rows have words, and how detailed they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordDetail {
    /// Only picks that pull in others, with their number.
    #[default]
    PulledInOnly,
    /// All rows.
    All,
    /// All rows; a pick that pulls in others also shows how many tokens unpicking it would save.
    Savings,
}

impl TreeColumns {
    /// The columns for rows with this width to the left of the tokens.
    pub fn of(rows: RowWidths, room: usize) -> Self {
        let name = |word: usize| {
            let left = room.saturating_sub(rows.usual + 1 + if word > 0 { word + 1 } else { 0 });
            if left >= MIN_NAME { left } else { 0 }
        };
        let fits = |word: usize| word > 0 && rows.usual + 1 + word <= room;
        // Tree lines and marks also show depth and state, but nothing else shows the name. Words are dropped
        // before an id is shortened.
        let cuts_name = |word: usize| name(word) < rows.name.min(name(rows.brings));
        let all = [(rows.savings, WordDetail::Savings), (rows.words, WordDetail::All)];
        let (word, detail) = match all.into_iter().find(|(word, _)| fits(*word) && !cuts_name(*word)) {
            Some(found) => found,
            None if fits(rows.brings) => (rows.brings, WordDetail::PulledInOnly),
            None => (0, WordDetail::PulledInOnly),
        };
        let name = if rows.name > 0 { name(word) } else { 0 };
        let beside = [name, word].into_iter().filter(|columns| *columns > 0).map(|columns| columns + 1).sum::<usize>();
        Self { id: room.saturating_sub(beside), name, word, detail }
    }
}

impl TreeColumns {
    /// The columns for a row with this word. Without a word, its space goes to the name, or to the id if
    /// there is no name.
    pub fn in_row(self, word: &str) -> Self {
        if self.word == 0 || !word.is_empty() {
            return self;
        }
        let more = self.word + 1;
        match self.name {
            0 => Self { id: self.id + more, word: 0, ..self },
            name => Self { name: name + more, word: 0, ..self },
        }
    }
}

/// Whether the row's word is the number of sources that a pick pulls in.
pub fn brings_others(row: &TreeRow) -> bool {
    matches!(row.kind, TreeRowKind::Member(_)) && row.brings.others > 0
}

/// Whether unpicking would also release tokens of other sources.
fn saves(row: &TreeRow) -> bool {
    brings_others(row) && row.brings.tokens > 0
}

/// The number of sources that a pick pulls in, or the depth or state of another row.
pub fn word(row: &TreeRow, snapshot: &Snapshot, detail: WordDetail) -> String {
    let is_auto = |id| source_state::is_auto(snapshot, id);
    match row.kind {
        _ if saves(row) && detail == WordDetail::Savings => {
            format!("+{} saves {}", row.brings.others, cells::tokens(row.brings.tokens))
        }
        _ if brings_others(row) => format!("+{}", row.brings.others),
        _ if detail == WordDetail::PulledInOnly => String::new(),
        TreeRowKind::Member(_) if row.level == 0 => String::new(),
        TreeRowKind::Member(_) if !row.id(snapshot).is_some_and(is_auto) => format!("depth {}", row.level),
        TreeRowKind::Member(_) | TreeRowKind::Auto(_) => "auto".to_owned(),
        TreeRowKind::Dormant(_) => "dormant".to_owned(),
        TreeRowKind::Excluded(_) => "excluded".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_in_all_rows_or_in_none_and_ids_are_cut_last() {
        let rows = RowWidths { widest: 30, usual: 30, name: 20, brings: 4, words: 8, savings: 0 };
        for (room, id, name, word, detail) in [
            (28, 28, 0, 0, WordDetail::PulledInOnly),
            (34, 34, 0, 0, WordDetail::PulledInOnly),
            (35, 30, 0, 4, WordDetail::PulledInOnly),
            (39, 30, 0, 8, WordDetail::All),
            // Names that would be truncated take over the depth column.
            (48, 30, 12, 4, WordDetail::PulledInOnly),
            (56, 30, 20, 4, WordDetail::PulledInOnly),
            (60, 30, 20, 8, WordDetail::All),
            (80, 30, 40, 8, WordDetail::All),
        ] {
            assert_eq!(TreeColumns::of(rows, room), TreeColumns { id, name, word, detail }, "{room}");
        }
        for (room, id, name) in [(35, 35, 0), (48, 30, 17), (80, 30, 49)] {
            let columns = TreeColumns::of(rows, room);
            let wordless = TreeColumns { id, name, word: 0, ..columns };
            assert_eq!((columns.in_row("+12"), columns.in_row("")), (columns, wordless), "{room}");
        }
        let saving = RowWidths { savings: 17, ..rows };
        for (room, word, detail) in
            [(60, 8, WordDetail::All), (69, 17, WordDetail::Savings), (35, 4, WordDetail::PulledInOnly)]
        {
            let columns = TreeColumns::of(saving, room);
            assert_eq!((columns.word, columns.detail), (word, detail), "{room}");
        }
        let long = RowWidths { widest: 120, ..rows };
        assert_eq!(TreeColumns::of(long, 60), TreeColumns::of(rows, 60), "one long id does not narrow the others");
    }
}
