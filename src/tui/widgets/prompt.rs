//! A multi-line text while it is typed: wrapped, with marks and the cursor. Ranges are byte offsets in the
//! typed text; the displayed text may be longer, because control characters are escaped.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextField;

/// A range of the text and its style; where ranges overlap, the first wins.
pub type StyledRange = (Range<usize>, Style);

/// The style of a field's text, reversed while typing would replace all of it.
pub fn style(field: &TextField, style: Style) -> Style {
    if field.is_proposed() { style.add_modifier(Modifier::REVERSED) } else { style }
}

/// The visual lines of the text for this width, as byte ranges without line breaks.
pub fn lines(text: &str, columns: u16) -> Vec<Range<usize>> {
    // Reserve one column for the cursor after the last character of a full line.
    let columns = usize::from(columns).saturating_sub(1).max(2);
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        broken(line, start, columns, &mut lines);
        start += line.len() + 1;
    }
    lines
}

fn broken(line: &str, offset: usize, columns: usize, lines: &mut Vec<Range<usize>>) {
    let (mut start, mut used, mut blank) = (0, 0, None);
    for (at, cluster) in line.grapheme_indices(true) {
        let wide = cells::width(&cells::clean(cluster));
        if used + wide > columns && at > start {
            let end = blank.filter(|blank| *blank > start).unwrap_or(at);
            lines.push(offset + start..offset + end);
            start = end;
            used = cells::width(&cells::clean(line.get(end..at).unwrap_or_default()));
            blank = None;
        }
        used += wide;
        if cluster == " " {
            blank = Some(at + 1);
        }
    }
    lines.push(offset + start..offset + line.len());
}

/// The number of visual lines. Counting stops soon after `most`, to keep long pastes fast.
pub fn height(text: &str, columns: u16, most: usize) -> usize {
    let mut height = 0;
    for line in text.split('\n') {
        height += lines(line, columns).len();
        if height >= most {
            break;
        }
    }
    height
}

/// The part of a single-line text shown in one row: its end if the cursor is there, otherwise the text before
/// the cursor.
fn in_one_row(text: &str, cursor: usize, columns: u16) -> Range<usize> {
    let columns = usize::from(columns).saturating_sub(1).max(2);
    let before = |end: usize| {
        let (mut start, mut used) = (end, 0);
        for (at, cluster) in text.get(..end).unwrap_or_default().grapheme_indices(true).rev() {
            used += cells::width(&cells::clean(cluster));
            if used > columns {
                break;
            }
            start = at;
        }
        start
    };
    let last = before(text.len());
    if cursor >= last { last..text.len() } else { before(cursor)..text.len() }
}

/// Draws the text into `area`, scrolled to show the cursor. Returns the cursor's position.
pub fn draw(
    text: &str,
    cursor: usize,
    marks: &[StyledRange],
    style: Style,
    area: Rect,
    buffer: &mut Buffer,
) -> Position {
    let area = area.intersection(buffer.area);
    let is_one_row = area.height == 1 && !text.contains('\n');
    let lines = if is_one_row { vec![in_one_row(text, cursor, area.width)] } else { lines(text, area.width) };
    let row = lines.iter().rposition(|line| line.start <= cursor).unwrap_or(0);
    let top = (row + 1).saturating_sub(usize::from(area.height));
    let mut place = Position::new(area.x, area.y);
    for (line, y) in lines.iter().skip(top).zip(area.y..area.bottom()) {
        let mut x = area.x;
        let shown = text.get(line.clone()).unwrap_or_default();
        for (at, cluster) in shown.grapheme_indices(true) {
            let at = line.start + at;
            if at == cursor {
                place = Position::new(x, y);
            }
            let marked = marks.iter().find(|(range, _)| range.contains(&at)).map_or(style, |(_, mark)| *mark);
            let room = usize::from(area.right().saturating_sub(x));
            if room > 0 {
                x = buffer.set_stringn(x, y, cells::clean(cluster), room, marked).0;
            }
        }
        if line.end == cursor && lines.get(row) == Some(line) {
            place = Position::new(x.min(area.right().saturating_sub(1)), y);
        }
    }
    place
}

/// Draws a text of one row that is not being typed: from its start, cut with an ellipsis before the last column.
pub fn draw_start(text: &str, ellipsis: &str, style: Style, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let columns = usize::from(area.width).saturating_sub(1);
    let text = cells::clean(text);
    buffer.set_stringn(area.x, area.y, cells::clip(&text, columns, ellipsis), columns, style);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_contain_the_whole_text() {
        for (text, columns, expected) in [
            ("", 10, vec![""]),
            ("one two", 10, vec!["one two"]),
            ("one two three", 9, vec!["one two ", "three"]),
            ("onetwothree", 6, vec!["onetw", "othre", "e"]),
            ("a\n\nb", 9, vec!["a", "", "b"]),
            ("a\n", 9, vec!["a", ""]),
            ("日本語", 5, vec!["日本", "語"]),
            ("\x1b\x1b", 5, vec!["\x1b", "\x1b"]),
        ] {
            let shown: Vec<_> = lines(text, columns).into_iter().map(|line| &text[line]).collect();
            assert_eq!(shown, expected, "{text:?} in {columns}");
        }
    }

    #[test]
    fn one_row_is_filled_and_scrolls_sideways() {
        let path = "clients/‹partner›/client.py";
        for (text, behind, expected, x) in [
            ("", "", "", 0),
            (path, "", "›/client.py", 11),
            (path, "client.py", "›/client.py", 2),
            (path, "r›/client.py", "nts/‹partner", 11),
            (path, path, "clients/‹par", 0),
            ("one two three four", "", " three four", 11),
            ("日本語日本語日本語", "", "本語日本語", 10),
        ] {
            let area = Rect::new(0, 0, 12, 1);
            let mut buffer = Buffer::empty(area);
            let place = draw(text, text.len() - behind.len(), &[], Style::new(), area, &mut buffer);
            let shown: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
            let shown = if text.is_ascii() { shown.trim_end().to_owned() } else { shown.replace(' ', "") };
            assert_eq!((shown.as_str(), place.x), (expected, x), "{text:?} before {behind:?}");
        }
    }

    #[test]
    fn the_cursor_is_where_typing_goes() {
        let area = Rect::new(2, 3, 9, 2);
        for (text, cursor, at) in [
            ("", 0, (2, 3)),
            ("ab", 1, (3, 3)),
            ("ab", 2, (4, 3)),
            ("one two three", 8, (2, 4)),
            ("one two three", 13, (7, 4)),
            ("a\nb\nc", 5, (3, 4)),
            ("日本", 3, (4, 3)),
        ] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 10));
            let place = draw(text, cursor, &[], Style::new(), area, &mut buffer);
            assert_eq!((place.x, place.y), at, "{text:?} at {cursor}");
        }
    }
}
