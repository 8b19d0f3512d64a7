//! A text field of one or several lines. It is custom because matches are marked in it and pasted control
//! characters must be escaped. Pure; it does not draw. The cursor is always between two grapheme clusters.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TextEdit {
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    LineUp,
    LineDown,
    NewLine,
    DeleteBefore,
    DeleteAfter,
    DeleteWord,
    DeleteToStart,
    DeleteToEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldLimit {
    /// 1,000 characters.
    Line,
    /// 256 KiB.
    Prompt,
}

impl FieldLimit {
    /// The message when it is full.
    pub fn full(self) -> &'static str {
        match self {
            Self::Line => "a line takes at most 1,000 characters: the rest was dropped",
            Self::Prompt => "a prompt takes at most 256 KiB: the rest was dropped",
        }
    }
}

/// A replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// Byte range of the old text.
    pub removed: Range<usize>,
    /// The number of bytes inserted instead.
    pub inserted: usize,
}

impl TextChange {
    /// The position of an old range in the new text; `None` if the change touched it.
    pub fn shift(&self, range: &Range<usize>) -> Option<Range<usize>> {
        if range.end < self.removed.start || (range.end == self.removed.start && self.removed.is_empty()) {
            return Some(range.clone());
        }
        let shift = |at: usize| (at + self.inserted).saturating_sub(self.removed.len());
        (range.start >= self.removed.end).then(|| shift(range.start)..shift(range.end))
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextField {
    text: String,
    cursor: usize,
    /// The text is a proposal: the first typed text replaces it.
    is_proposed: bool,
}

impl TextField {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A proposed text, which the user can accept, edit, or replace by typing.
    pub fn proposing(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len(), is_proposed: true }
    }

    /// Whether the next typed text replaces the whole text.
    pub fn is_proposed(&self) -> bool {
        self.is_proposed && !self.text.is_empty()
    }

    /// The prefix of a text that still fits.
    pub fn fitting<'a>(&self, text: &'a str, room: FieldLimit) -> &'a str {
        let end = match room {
            FieldLimit::Line => {
                let left = 1000_usize.saturating_sub(self.text.chars().count());
                text.char_indices().map(|(at, _)| at).nth(left)
            }
            FieldLimit::Prompt => {
                let left = (256 * 1024_usize).saturating_sub(self.text.len());
                (left < text.len()).then(|| (0..=left).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0))
            }
        };
        text.get(..end.unwrap_or(text.len())).unwrap_or_default()
    }

    pub fn insert(&mut self, text: &str) -> Option<TextChange> {
        let replaced = if self.is_proposed { 0..self.text.len() } else { self.cursor..self.cursor };
        (!text.is_empty()).then(|| self.replace(replaced, text))
    }

    /// Applies this edit; `None` if the text does not change.
    pub fn edit(&mut self, edit: TextEdit) -> Option<TextChange> {
        let at = self.cursor;
        self.is_proposed = false;
        match edit {
            TextEdit::NewLine => return self.insert("\n"),
            TextEdit::DeleteBefore => return self.delete(self.before(at)..at),
            TextEdit::DeleteAfter => return self.delete(at..self.after(at)),
            TextEdit::DeleteWord => return self.delete(self.word_before(at)..at),
            TextEdit::DeleteToStart => return self.delete(self.line_start(at)..at),
            TextEdit::DeleteToEnd => return self.delete(at..self.line_end(at)),
            TextEdit::Left => self.cursor = self.before(at),
            TextEdit::Right => self.cursor = self.after(at),
            TextEdit::WordLeft => self.cursor = self.word_before(at),
            TextEdit::WordRight => self.cursor = self.word_after(at),
            TextEdit::LineStart => self.cursor = self.line_start(at),
            TextEdit::LineEnd => self.cursor = self.line_end(at),
            TextEdit::LineUp => self.cursor = self.line_up(at),
            TextEdit::LineDown => self.cursor = self.line_down(at),
        }
        None
    }

    /// Like [`edit`](Self::edit) for a field shown in one row, whose line breaks are only characters of it.
    pub fn edit_in_one_row(&mut self, edit: TextEdit) -> Option<TextChange> {
        let end = self.text.len();
        match edit {
            TextEdit::LineStart | TextEdit::LineEnd => {
                self.is_proposed = false;
                self.cursor = if edit == TextEdit::LineStart { 0 } else { end };
                None
            }
            TextEdit::DeleteToStart => self.delete(0..self.cursor),
            TextEdit::DeleteToEnd => self.delete(self.cursor..end),
            _ => self.edit(edit),
        }
    }

    fn delete(&mut self, range: Range<usize>) -> Option<TextChange> {
        (!range.is_empty()).then(|| self.replace(range, ""))
    }

    fn replace(&mut self, range: Range<usize>, text: &str) -> TextChange {
        self.is_proposed = false;
        self.text.replace_range(range.clone(), text);
        self.cursor = self.settled(range.start + text.len());
        TextChange { removed: range, inserted: text.len() }
    }

    /// Typed text may combine with its neighbours into one cluster; the cursor then moves after the cluster.
    fn settled(&self, at: usize) -> usize {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(true) => at,
            _ => cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len()),
        }
    }

    fn head(&self, at: usize) -> &str {
        self.text.get(..at).unwrap_or_default()
    }

    fn tail(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    fn before(&self, at: usize) -> usize {
        self.head(at).grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }

    fn after(&self, at: usize) -> usize {
        at + self.tail(at).graphemes(true).next().map_or(0, str::len)
    }

    fn word_before(&self, at: usize) -> usize {
        let words = self.head(at).unicode_word_indices();
        words.map(|(start, _)| start).next_back().unwrap_or(0)
    }

    fn word_after(&self, at: usize) -> usize {
        let word = self.tail(at).unicode_word_indices().next();
        word.map_or(self.text.len(), |(start, word)| at + start + word.len())
    }

    fn line_start(&self, at: usize) -> usize {
        self.head(at).rfind('\n').map_or(0, |found| found + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.tail(at).find('\n').map_or(self.text.len(), |found| at + found)
    }

    fn line_up(&self, at: usize) -> usize {
        match self.line_start(at).checked_sub(1) {
            Some(end) => self.column_of(self.line_start(end)..end, at),
            None => 0,
        }
    }

    fn line_down(&self, at: usize) -> usize {
        let end = self.line_end(at);
        if end == self.text.len() {
            return end;
        }
        self.column_of(end + 1..self.line_end(end + 1), at)
    }

    /// The position in `line` in the same column as `at`, counted in clusters.
    fn column_of(&self, line: Range<usize>, at: usize) -> usize {
        let column = self.text.get(self.line_start(at)..at).unwrap_or_default().graphemes(true).count();
        let clusters = self.text.get(line.clone()).unwrap_or_default().grapheme_indices(true);
        clusters.map(|(start, _)| line.start + start).nth(column).unwrap_or(line.end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parses a field with `|` at the cursor.
    fn field(marked: &str) -> TextField {
        let cursor = marked.find('|').unwrap();
        TextField { text: marked.replace('|', ""), cursor, is_proposed: false }
    }

    fn marked(field: &TextField) -> String {
        format!("{}|{}", field.head(field.cursor), field.tail(field.cursor))
    }

    #[test]
    fn edits() {
        for (before, edit, after) in [
            ("ab|c", TextEdit::Left, "a|bc"),
            ("|abc", TextEdit::Left, "|abc"),
            ("abc|", TextEdit::Right, "abc|"),
            ("a|e\u{301}b", TextEdit::Right, "ae\u{301}|b"),
            ("ae\u{301}|b", TextEdit::DeleteBefore, "a|b"),
            ("👨‍👩‍👧|", TextEdit::DeleteBefore, "|"),
            ("a|b", TextEdit::DeleteAfter, "a|"),
            ("use a retry|", TextEdit::DeleteWord, "use a |"),
            ("use a |", TextEdit::WordLeft, "use |a "),
            ("use| a", TextEdit::WordRight, "use a|"),
            ("one\ntw|o", TextEdit::LineUp, "on|e\ntwo"),
            ("o|ne\n", TextEdit::LineDown, "one\n|"),
            ("on|e\nt\nx", TextEdit::LineDown, "one\nt|\nx"),
            ("one|", TextEdit::LineUp, "|one"),
            ("o|ne", TextEdit::LineDown, "one|"),
            ("one\nt|wo", TextEdit::LineStart, "one\n|two"),
            ("o|ne\ntwo", TextEdit::LineEnd, "one|\ntwo"),
            ("one\ntw|o", TextEdit::DeleteToStart, "one\n|o"),
            ("o|ne\ntwo", TextEdit::DeleteToEnd, "o|\ntwo"),
            ("a|b", TextEdit::NewLine, "a\n|b"),
        ] {
            let mut field = field(before);
            field.edit(edit);
            assert_eq!(marked(&field), after, "{edit:?} on {before:?}");
        }
    }

    #[test]
    fn in_one_row_a_line_break_is_a_character() {
        for (before, edit, after) in [
            ("one\nt|wo\n", TextEdit::LineStart, "|one\ntwo\n"),
            ("o|ne\ntwo\n", TextEdit::LineEnd, "one\ntwo\n|"),
            ("one\ntw|o", TextEdit::DeleteToStart, "|o"),
            ("o|ne\ntwo", TextEdit::DeleteToEnd, "o|"),
            ("one\n|two", TextEdit::DeleteBefore, "one|two"),
        ] {
            let mut field = field(before);
            field.edit_in_one_row(edit);
            assert_eq!(marked(&field), after, "{edit:?} on {before:?}");
        }
    }

    #[test]
    fn typing_first_replaces_a_proposal() {
        for (edit, typed, expected) in [
            (None, "2", "2|"),
            (Some(TextEdit::DeleteBefore), "2", "1282|"),
            (Some(TextEdit::LineStart), "2", "2|128k"),
        ] {
            let mut field = TextField::proposing("128k");
            edit.map(|edit| field.edit(edit));
            field.insert(typed);
            assert_eq!(marked(&field), expected, "{edit:?}");
        }
    }

    #[test]
    fn a_field_accepts_no_more_than_its_capacity() {
        for (there, text, room, takes) in [
            (0, "é".repeat(1001), FieldLimit::Line, 2000),
            (999, "日本".to_owned(), FieldLimit::Line, 3),
            (1000, "a".to_owned(), FieldLimit::Line, 0),
            (1003, "a".to_owned(), FieldLimit::Line, 0),
            (1003, "a".to_owned(), FieldLimit::Prompt, 1),
            (256 * 1024 - 2, "日本".to_owned(), FieldLimit::Prompt, 0),
            (256 * 1024 - 4, "日本".to_owned(), FieldLimit::Prompt, 3),
        ] {
            let mut field = TextField::default();
            field.insert(&"x".repeat(there));
            assert_eq!(field.fitting(&text, room).len(), takes, "{there} and {} bytes, {room:?}", text.len());
        }
    }

    #[test]
    fn marks_move_with_the_text_around_them() {
        let insert_at = |at| TextChange { removed: at..at, inserted: 2 };
        assert_eq!(insert_at(0).shift(&(3..5)), Some(5..7));
        assert_eq!(insert_at(9).shift(&(3..5)), Some(3..5));
        assert_eq!(insert_at(5).shift(&(3..5)), Some(3..5));
        assert_eq!(insert_at(4).shift(&(3..5)), None);
        assert_eq!(TextChange { removed: 0..2, inserted: 0 }.shift(&(3..5)), Some(1..3));
        assert_eq!(TextChange { removed: 4..9, inserted: 0 }.shift(&(3..5)), None);
    }

    proptest! {
        #[test]
        fn the_cursor_is_between_clusters(
            pieces in proptest::collection::vec("[a\u{301}\n 日👍\u{200d}]{0,3}", 0..8),
            edits in proptest::collection::vec(0..14usize, 0..20),
        ) {
            let all = [
                TextEdit::Left, TextEdit::Right, TextEdit::WordLeft, TextEdit::WordRight, TextEdit::LineStart, TextEdit::LineEnd, TextEdit::LineUp,
                TextEdit::LineDown, TextEdit::NewLine, TextEdit::DeleteBefore, TextEdit::DeleteAfter, TextEdit::DeleteWord,
                TextEdit::DeleteToStart, TextEdit::DeleteToEnd,
            ];
            let mut field = TextField::default();
            for (at, edit) in edits.into_iter().enumerate() {
                field.edit(all[edit]);
                field.insert(pieces.get(at).map_or("", String::as_str));
                let mut bounds = field.text.grapheme_indices(true).map(|(start, _)| start);
                prop_assert!(field.cursor == field.text.len() || bounds.any(|start| start == field.cursor));
            }
        }
    }
}
