//! A text to read: styled lines, wrapped once for a width and drawn one window at a time. Lines are stored whole, so
//! that a search finds matches across wraps. Code is truncated and scrolled sideways instead. All texts must be clean.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::layout::MAX_TEXT;
use crate::tui::state::Skin;
use crate::tui::theme::{Theme, ThemeRole};

use crate::tui::widgets::cells;
use crate::tui::widgets::code;
use crate::tui::widgets::marked::MarkedText;

/// One line before it is wrapped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLine {
    text: String,
    parts: Vec<LinePart>,
    marks: Vec<Range<usize>>,
    /// The indent of continuation rows, in columns.
    hanging_indent: usize,
    /// The text shown in that indent, such as the bar of a quote.
    lead: Option<Box<str>>,
    /// The number of bytes at the start that are never wrapped: a marker with its first word.
    solid: usize,
    /// Whether it is prose, whose width is limited for readability.
    is_prose: bool,
    /// The byte at which code starts. Code is not wrapped, because that would make diagrams unreadable.
    code: Option<usize>,
}

/// A part of a line with uniform style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePart {
    /// The byte after its last one.
    pub end: usize,
    pub role: ThemeRole,
    /// Modifiers added to the style of the role.
    pub added: Modifier,
}

impl PageLine {
    pub fn new(text: impl Into<String>, role: ThemeRole) -> Self {
        let text = text.into();
        Self { parts: vec![LinePart { end: text.len(), role, added: Modifier::empty() }], text, ..Self::default() }
    }

    /// A line with this text, divided into these consecutive parts.
    pub fn of_parts(text: String, parts: Vec<LinePart>) -> Self {
        Self { text, parts, ..Self::default() }
    }

    pub fn then(mut self, text: &str, role: ThemeRole) -> Self {
        self.text.push_str(text);
        self.parts.push(LinePart { end: self.text.len(), role, added: Modifier::empty() });
        self
    }

    pub fn then_marked(self, text: &MarkedText, role: ThemeRole) -> Self {
        let start = self.text.len();
        let mut line = self.then(&text.text, role);
        line.marks.extend(text.marks.iter().map(|mark| start + mark.start..start + mark.end));
        line
    }

    /// Marks these byte ranges as search matches.
    pub fn mark(&mut self, ranges: impl IntoIterator<Item = Range<usize>>) {
        self.marks.extend(ranges);
    }

    /// Sets the indent of continuation rows.
    pub fn hanging(self, hanging_indent: usize) -> Self {
        Self { hanging_indent, ..self }
    }

    /// Sets the text at the start of continuation rows.
    pub fn with_line_prefix(self, lead: &str) -> Self {
        let is_visible = lead.contains(|c| c != ' ');
        Self { hanging_indent: cells::width(lead), lead: is_visible.then(|| lead.into()), ..self }
    }

    pub fn prose(self) -> Self {
        Self { is_prose: true, ..self }
    }

    /// Makes the line code from this byte on.
    pub fn set_code(&mut self, from: usize) {
        self.code = Some(from);
    }

    /// The text before the code, and the code; `None` if the line is wrapped.
    fn code(&self) -> Option<(&str, &str)> {
        self.text.split_at_checked(self.code?)
    }

    /// Sets the number of bytes at the start that are never wrapped.
    pub fn with_unbroken_start(self, solid: usize) -> Self {
        Self { solid, ..self }
    }

    /// Sets the roles of these ranges, starting at byte `from`; text between them gets the default role.
    pub fn paint(&mut self, from: usize, spans: impl IntoIterator<Item = (Range<usize>, ThemeRole)>) {
        self.parts.retain(|part| part.end <= from);
        let mut push = |end: usize, role| {
            if self.parts.last().map_or(0, |last| last.end) < end && self.text.is_char_boundary(end) {
                self.parts.push(LinePart { end, role, added: Modifier::empty() });
            }
        };
        push(from, ThemeRole::Text);
        for (range, role) in spans {
            push(from + range.start, ThemeRole::Text);
            push(from + range.end, role);
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The unwrapped width.
    pub fn width(&self) -> usize {
        cells::width(&self.text)
    }
}

/// A part of a line in a row. Offsets have 32 bits, because a page has many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrappedRow {
    line: u32,
    start: u32,
    end: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrappedText {
    lines: Vec<PageLine>,
    rows: Vec<WrappedRow>,
}

impl WrappedText {
    pub const EMPTY: Self = Self { lines: Vec::new(), rows: Vec::new() };

    /// Wraps these lines to rows of at most `columns`.
    pub fn new(lines: Vec<PageLine>, columns: usize) -> Self {
        let mut rows = Vec::with_capacity(lines.len());
        for (nth, line) in (0u32..).zip(&lines) {
            let columns = if line.is_prose { columns.min(usize::from(MAX_TEXT)) } else { columns };
            let mut row = |range: Range<usize>| {
                let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
                rows.push(WrappedRow { line: nth, start: offset(range.start), end: offset(range.end) });
            };
            match line.code() {
                Some(_) => row(0..line.text.len()),
                None => wrap_after(&line.text, columns.max(2), (line.hanging_indent, line.solid), row),
            }
        }
        Self { lines, rows }
    }

    /// Keeps the first `rows` rows and appends this line, which must fit into one row.
    pub fn cut(mut self, rows: usize, last: PageLine) -> Self {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        self.rows.truncate(rows);
        self.rows.push(WrappedRow { line: offset(self.lines.len()), start: 0, end: offset(last.text.len()) });
        self.lines.push(last);
        self
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn lines(&self) -> &[PageLine] {
        &self.lines
    }

    /// A line, for changing its style.
    pub fn line_mut(&mut self, nth: usize) -> Option<&mut PageLine> {
        self.lines.get_mut(nth)
    }

    /// The row that contains this position of a line.
    pub fn row_of(&self, line: usize, at: usize) -> usize {
        let place = |row: &WrappedRow| (row.line as usize, row.start as usize);
        self.rows.partition_point(|row| place(row) <= (line, at)).saturating_sub(1)
    }

    /// The line shown in row `nth`, and the row's byte range in it.
    pub fn place(&self, nth: usize) -> Option<(usize, Range<usize>)> {
        self.rows.get(nth).map(|row| (row.line as usize, row.start as usize..row.end as usize))
    }

    /// The number of columns by which the code in row `nth` exceeds `columns`.
    pub fn overhang(&self, nth: usize, columns: usize) -> usize {
        let code = self.place(nth).and_then(|(line, _)| self.lines.get(line)).filter(|line| line.code.is_some());
        code.map_or(0, |line| line.width().saturating_sub(columns))
    }

    /// The horizontal scroll offset at which this part of a code line is visible within `columns`; `across`
    /// if it is visible already or the line is wrapped.
    pub fn scroll_for(&self, line: usize, part: &Range<usize>, across: usize, columns: usize) -> usize {
        let Some((lead, code)) = self.lines.get(line).and_then(PageLine::code) else { return across };
        let column = |at: usize| code.get(..at.saturating_sub(lead.len())).map_or(0, cells::width);
        let (start, end) = (column(part.start), column(part.end));
        let room = columns.saturating_sub(cells::width(lead)).max(1);
        // Where the line continues, a sign takes one column at that end.
        let first = if across > 0 { across + 1 } else { 0 };
        let last = if cells::width(code) > across + room { across + room - 1 } else { across + room };
        if (first..=last).contains(&start) && end <= last {
            return across;
        }
        let before = start.saturating_sub(1);
        let across = if start < first { before } else { before.min((end + 1).saturating_sub(room)) };
        across.min(cells::width(code).saturating_sub(room))
    }

    /// The line and the byte in it that row `nth` shows at this column, with code scrolled by `across`.
    pub fn at_column(&self, nth: usize, column: usize, across: usize) -> Option<(usize, usize)> {
        let (nth, range) = self.place(nth)?;
        let line = self.lines.get(nth)?;
        let is_code = line.code().is_some_and(|(lead, _)| column >= cells::width(lead));
        let column = if is_code { column + across } else { column };
        let mut left = column.checked_sub(if range.start > 0 { line.hanging_indent } else { 0 })?;
        for (at, cluster) in line.text.get(range.clone())?.grapheme_indices(true) {
            match left.checked_sub(cells::width(cluster)) {
                Some(less) => left = less,
                None => return Some((nth, range.start + at)),
            }
        }
        None
    }

    /// The text of this row.
    pub fn row(&self, nth: usize) -> String {
        let Some((line, range)) = self.place(nth) else { return String::new() };
        let Some(line) = self.lines.get(line) else { return String::new() };
        let lead = line.lead.as_deref().map_or_else(|| " ".repeat(line.hanging_indent), str::to_owned);
        format!(
            "{}{}",
            if range.start > 0 { lead.as_str() } else { "" },
            line.text.get(range.clone()).unwrap_or_default()
        )
    }

    /// Like `draw`, but with code scrolled sideways by `across`, and a sign where it is cut off.
    pub fn draw_scrolled_to(
        &self,
        nth: usize,
        highlights: &[(Range<usize>, Style)],
        across: usize,
        skin: &Skin,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let line = self.place(nth).and_then(|(line, _)| self.lines.get(line));
        let Some((line, (lead, code))) = line.and_then(|line| Some((line, line.code()?))) else {
            return self.draw(nth, highlights, &skin.theme, area, buffer);
        };
        let columns = u16::try_from(cells::width(lead)).unwrap_or(u16::MAX).min(area.width);
        self.draw(nth, highlights, &skin.theme, Rect { width: columns, ..area }, buffer);
        let style = |at: usize| line.highlighted_style(lead.len() + at, highlights, &skin.theme);
        let area = Rect { x: area.x.saturating_add(columns), width: area.width - columns, ..area };
        code::draw(code, style, across, skin, area, buffer);
    }

    /// Draws row `nth` into `area`, which is one row high. `highlights` are ranges of its line with a different style.
    pub fn draw(
        &self,
        nth: usize,
        highlights: &[(Range<usize>, Style)],
        theme: &Theme,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let area = area.intersection(buffer.area);
        let Some((line, Range { start, end })) = self.place(nth).filter(|_| !area.is_empty()) else { return };
        let Some(line) = self.lines.get(line) else { return };
        let mut cuts: Vec<usize> = vec![start, end];
        cuts.extend(line.parts.iter().map(|part| part.end));
        cuts.extend(line.marks.iter().flat_map(|mark| [mark.start, mark.end]));
        cuts.extend(highlights.iter().flat_map(|(range, _)| [range.start, range.end]));
        cuts.retain(|cut| (start..=end).contains(cut));
        cuts.sort_unstable();
        cuts.dedup();
        let hanging_indent = if start > 0 { line.hanging_indent } else { 0 };
        if let Some(lead) = line.lead.as_deref().filter(|_| start > 0) {
            buffer.set_stringn(area.x, area.y, lead, usize::from(area.width), theme.style(ThemeRole::Infra));
        }
        let mut x = area.x.saturating_add(u16::try_from(hanging_indent).unwrap_or(u16::MAX)).min(area.right());
        for (from, to) in cuts.iter().zip(cuts.iter().skip(1)) {
            let Some(text) = line.text.get(*from..*to) else { continue };
            let style = line.highlighted_style(*from, highlights, theme);
            let room = usize::from(area.right().saturating_sub(x));
            if room == 0 {
                break;
            }
            x = cells::put(buffer, (x, area.y), text, room, style);
        }
    }
}

impl PageLine {
    fn highlighted_style(&self, at: usize, highlights: &[(Range<usize>, Style)], theme: &Theme) -> Style {
        let over = highlights.iter().filter(|(range, _)| range.contains(&at)).map(|(_, style)| *style);
        over.fold(self.style(at, theme), Style::patch)
    }

    fn style(&self, at: usize, theme: &Theme) -> Style {
        let part = self.parts.get(self.parts.partition_point(|part| part.end <= at));
        let style = part.map_or(theme.style(ThemeRole::Text), |part| theme.style(part.role).add_modifier(part.added));
        if self.marks.iter().any(|mark| mark.contains(&at)) {
            style.patch(theme.style(ThemeRole::Match))
        } else {
            style
        }
    }
}

/// Wraps a line at blanks if possible, otherwise between clusters. The rows together contain the whole line;
/// blanks at the end of a row take no space. Rows after the first are narrower by `hanging_indent`.
pub fn wrap(text: &str, columns: usize, hanging_indent: usize, row: impl FnMut(Range<usize>)) {
    wrap_after(text, columns, (hanging_indent, 0), row);
}

/// [`wrap`] that never breaks within the first `solid` bytes.
fn wrap_after(text: &str, columns: usize, (hanging_indent, solid): (usize, usize), mut row: impl FnMut(Range<usize>)) {
    let is_ascii = text.is_ascii();
    let (mut start, mut room) = (0, columns);
    loop {
        let rest = text.get(start..).unwrap_or_default();
        let end = if is_ascii {
            row_end(rest.bytes().enumerate().map(|(at, byte)| (at, 1, RowBreak::of(byte, start + at >= solid))), room)
        } else {
            let clusters = rest.grapheme_indices(true);
            let byte = |c: &str| if c.len() == 1 { c.bytes().next().unwrap_or_default() } else { 0 };
            row_end(clusters.map(|(at, c)| (at, cells::width(c), RowBreak::of(byte(c), start + at >= solid))), room)
        };
        let end = end.map_or(text.len(), |end| start + end);
        row(start..end);
        if end == text.len() {
            return;
        }
        start = end;
        room = columns.saturating_sub(hanging_indent).max(2);
    }
}

/// Whether a row may end after a cluster.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowBreak {
    No,
    Blank,
    /// After a slash, if the word is longer than a row.
    Slash,
}

impl RowBreak {
    fn of(byte: u8, may_end: bool) -> Self {
        match byte {
            b' ' if may_end => Self::Blank,
            b'/' => Self::Slash,
            _ => Self::No,
        }
    }
}

/// The end of the first row of these clusters, which are given by position, width and break. `None` if all fit.
fn row_end(clusters: impl Iterator<Item = (usize, usize, RowBreak)>, room: usize) -> Option<usize> {
    let (mut used, mut blank, mut slash, mut has_word) = (0, None, None, false);
    for (at, wide, after) in clusters {
        if after != RowBreak::Blank && used + wide > room && at > 0 {
            return blank.or(slash).or(Some(at));
        }
        used += wide;
        has_word |= after != RowBreak::Blank;
        match after {
            // Breaking after the indent would leave the row empty.
            RowBreak::Blank if !has_word => {}
            RowBreak::Blank => blank = Some(at + 1),
            // Breaking near the start would leave the row almost empty.
            RowBreak::Slash if used > room / 3 => slash = Some(at + 1),
            RowBreak::Slash | RowBreak::No => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str, columns: usize, hanging_indent: usize) -> Vec<String> {
        let mut rows = Vec::new();
        wrap(text, columns, hanging_indent, |range| rows.push(text[range].to_owned()));
        rows
    }

    #[test]
    fn lines_are_wrapped_at_blanks_and_keep_their_indent() {
        for (text, columns, hanging_indent, expected) in [
            ("", 10, 0, &[""][..]),
            ("one two", 7, 0, &["one two"]),
            ("one two three", 7, 0, &["one two ", "three"]),
            ("one two three", 3, 0, &["one ", "two ", "thr", "ee"]),
            ("    let x = 1;", 9, 0, &["    let x ", "= 1;"]),
            ("label value goes on", 12, 6, &["label value ", "goes ", "on"]),
            ("日本語", 4, 0, &["日本", "語"]),
            ("in /home/ada/docs/validation", 12, 0, &["in ", "/home/ada/", "docs/", "validation"]),
            ("  /home/ada/docs", 12, 2, &["  /home/ada/", "docs"]),
            ("/abcdefghijkl", 6, 0, &["/abcde", "fghijk", "l"]),
            ("e\u{301}e\u{301}e\u{301}", 2, 0, &["e\u{301}e\u{301}", "e\u{301}"]),
        ] {
            assert_eq!(rows(text, columns, hanging_indent), expected, "{text:?} in {columns}");
        }
    }

    #[test]
    fn a_position_is_found_in_its_row() {
        let page = WrappedText::new(
            vec![PageLine::new("one two three", ThemeRole::Text), PageLine::new("four", ThemeRole::Text)],
            7,
        );
        assert_eq!(
            [(0, 0), (0, 7), (0, 8), (0, 12), (1, 0), (1, 3)].map(|(line, at)| page.row_of(line, at)),
            [0, 0, 1, 1, 2, 2]
        );
    }

    fn code(text: &str, from: usize) -> WrappedText {
        let mut line = PageLine::new(text, ThemeRole::Text);
        line.set_code(from);
        WrappedText::new(vec![line], 7)
    }

    #[test]
    fn code_is_cut_and_scrolled_behind_its_bar() {
        let skin = crate::tui::fixture::state(1, 1).skin;
        let page = code("| abcdefghi", 2);
        assert_eq!((page.len(), page.overhang(0, 7), code("| abc", 2).overhang(0, 7)), (1, 4, 0));
        for (across, expected) in [(0, "| abcd…"), (2, "| …def…"), (4, "| …fghi")] {
            let area = Rect::new(0, 0, 7, 1);
            let mut buffer = Buffer::empty(area);
            page.draw_scrolled_to(0, &[], across, &skin, area, &mut buffer);
            let shown: String = (0..7).map(|x| buffer[(x, 0)].symbol().to_owned()).collect();
            assert_eq!(shown, expected, "from {across}");
            assert_eq!(page.at_column(0, 3, across), Some((0, 3 + across)), "from {across}");
        }
    }

    #[test]
    fn a_part_of_code_is_scrolled_into_view() {
        let page = code("| abcdefghi", 2);
        // Five columns of "abcdefghi" are visible.
        for (part, across, expected) in [
            (2..3, 0, 0),
            (5..6, 0, 0),
            (6..7, 0, 1),
            (10..11, 0, 4),
            (10..11, 4, 4),
            (7..8, 4, 4),
            (6..7, 4, 3),
            (2..3, 4, 0),
        ] {
            assert_eq!(page.scroll_for(0, &part, across, 7), expected, "{part:?} from {across}");
        }
    }

    proptest! {
        #[test]
        fn rows_contain_the_whole_line_and_fit_the_width(
            text in "[a-c 日é👍\u{301}]{0,60}", columns in 2..20usize, hanging_indent in 0..10usize,
        ) {
            let rows = rows(&text, columns, hanging_indent);
            prop_assert_eq!(rows.concat(), text.clone());
            for (nth, row) in rows.iter().enumerate() {
                let room = if nth == 0 { columns } else { columns.saturating_sub(hanging_indent).max(2) };
                prop_assert!(cells::width(row.trim_end_matches(' ')) <= room, "{:?} in {}", row, room);
            }
        }
    }
}
