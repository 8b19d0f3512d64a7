//! A row of a list, with the cursor at its start and the cursor's background.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::state::Skin;
use crate::tui::theme::ThemeRole;

use crate::tui::widgets::cells;
use crate::tui::widgets::marked::{Highlighted, MarkedText};

/// The list's cursor relative to one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowCursor {
    /// On another row.
    Elsewhere,
    /// On this row, and the list is focused.
    Active,
    /// On this row, but the list is not focused.
    Inactive,
}

impl RowCursor {
    /// For the row `at` of a list whose cursor is at `cursor`.
    pub fn of(at: usize, cursor: usize, active: Active) -> Self {
        match (at == cursor, active) {
            (false, _) => Self::Elsewhere,
            (true, Active::Yes) => Self::Active,
            (true, Active::No) => Self::Inactive,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Active {
    Yes,
    /// Another list receives keys.
    No,
}

/// A row that is built from left to right.
#[derive(Debug)]
pub struct ListRow<'a> {
    skin: &'a Skin,
    room: usize,
    spans: Vec<Span<'static>>,
    /// The index range of the id's spans, if the row has an id.
    id: Option<Range<usize>>,
}

impl<'a> ListRow<'a> {
    /// An empty row of this width, including the cursor's column.
    pub fn new(skin: &'a Skin, columns: u16) -> Self {
        Self { skin, room: usize::from(columns).saturating_sub(1), spans: Vec::with_capacity(8), id: None }
    }

    /// The remaining width.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Adds a text in exactly `columns`, followed by a blank. The text must be [`cells::clean`].
    pub fn cell(&mut self, text: &str, columns: usize, style: impl Into<Style>) -> &mut Self {
        let columns = columns.min(self.room);
        let text = cells::pad(text, columns, self.skin.glyphs.ellipsis);
        self.room -= columns;
        self.spans.push(Span::styled(text, style));
        self.gap()
    }

    /// Adds an id in exactly `columns`, shortened in its middle, followed by a blank.
    pub fn id(&mut self, id: &str, columns: usize, style: impl Into<Style>) -> &mut Self {
        let columns = columns.min(self.room);
        let shown = cells::clip_middle(id, columns, self.skin.glyphs.ellipsis);
        let left = columns.saturating_sub(cells::width(&shown));
        let first = self.spans.len();
        self.text(&shown, style);
        self.id.get_or_insert(first..self.spans.len());
        self.cell("", left, Style::new())
    }

    /// Adds an id with marks in exactly `columns`, shortened in its middle, followed by a blank.
    pub fn marked_id(&mut self, id: &MarkedText, columns: usize, styles: [Style; 2]) -> &mut Self {
        let columns = columns.min(self.room);
        let (before, first) = (self.room, self.spans.len());
        match cells::ends(&id.text, columns, self.skin.glyphs.ellipsis) {
            None => self.parts(id, 0..id.text.len(), styles),
            Some((_, tail)) if tail > id.text.len() => {}
            Some((head, tail)) => {
                self.parts(id, 0..head, styles);
                let [plain, _] = styles;
                self.text(self.skin.glyphs.ellipsis, plain);
                self.parts(id, tail..id.text.len(), styles);
            }
        }
        self.id.get_or_insert(first..self.spans.len());
        let left = columns.saturating_sub(before - self.room);
        self.cell("", left, Style::new())
    }

    /// Adds a text with marks, truncated to the remaining width.
    pub fn marked_text(&mut self, text: &MarkedText, styles: [Style; 2]) -> &mut Self {
        let ellipsis = self.skin.glyphs.ellipsis;
        let shown = cells::clip(&text.text, self.room, ellipsis);
        if shown.len() == text.text.len() {
            self.parts(text, 0..text.text.len(), styles);
        } else if let Some(kept) = shown.len().checked_sub(ellipsis.len()) {
            self.parts(text, 0..kept, styles);
            let [plain, _] = styles;
            self.text(ellipsis, plain);
        }
        self
    }

    /// Adds a text with marks in exactly `columns`, followed by a blank.
    pub fn marked_cell(&mut self, text: &MarkedText, columns: usize, styles: [Style; 2]) -> &mut Self {
        let columns = columns.min(self.room);
        let after = self.room - columns;
        self.room = columns;
        self.marked_text(text, styles);
        let left = self.room;
        self.room += after;
        self.cell("", left, Style::new())
    }

    fn parts(&mut self, text: &MarkedText, range: Range<usize>, [plain, lit]: [Style; 2]) {
        for (part, is) in text.parts(range) {
            self.text(part, if is == Highlighted::Yes { lit } else { plain });
        }
    }

    /// Adds a text, truncated to the remaining width.
    pub fn text(&mut self, text: &str, style: impl Into<Style>) -> &mut Self {
        let text = cells::clip(text, self.room, self.skin.glyphs.ellipsis).into_owned();
        self.room -= cells::width(&text);
        self.spans.push(Span::styled(text, style));
        self
    }

    pub fn gap(&mut self) -> &mut Self {
        if self.room > 0 {
            self.room -= 1;
            self.spans.push(Span::raw(" "));
        }
        self
    }

    /// Draws the row into `area`, which is one row high. If the row has an id, only the id gets the cursor's
    /// background, so that a cursor move rewrites two ids instead of two rows.
    pub fn draw(&mut self, under: RowCursor, accent: ThemeRole, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let theme = &self.skin.theme;
        let lit = self.id.clone().unwrap_or(0..self.spans.len());
        let is_lit_whole = under == RowCursor::Active && self.id.is_none();
        if is_lit_whole {
            buffer.set_style(area, theme.style(ThemeRole::Cursor));
        }
        let gutter = match under {
            RowCursor::Elsewhere => " ",
            RowCursor::Active => self.skin.glyphs.cursor,
            RowCursor::Inactive => self.skin.glyphs.rest,
        };
        let gutter_style = if is_lit_whole { theme.cursor_over(theme.style(accent)) } else { theme.style(accent) };
        buffer.set_stringn(area.x, area.y, gutter, 1, gutter_style);
        let mut x = area.x.saturating_add(1);
        for (nth, span) in self.spans.iter().enumerate() {
            let style = if under == RowCursor::Active && lit.contains(&nth) {
                theme.cursor_over(span.style)
            } else {
                span.style
            };
            let room = usize::from(area.right().saturating_sub(x));
            if room == 0 {
                break;
            }
            x = cells::put(buffer, (x, area.y), &span.content, room, style);
        }
    }
}
