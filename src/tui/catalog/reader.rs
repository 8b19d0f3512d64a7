//! Details and document as one text that scrolls and can be searched, and the rule above it with a caption or
//! the search.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::tui::catalog::details;
use crate::tui::catalog::document::LoadedDocument;
use crate::tui::catalog::search::Hit;
use crate::tui::layout::{PaneLayout, split_rows};
use crate::tui::pane::Pane;
use crate::tui::pane_view::{caption, indented, nth_row, scrolled};
use crate::tui::state::{State, Typing};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::{cells, frame, prompt};
use refdesk_desk::size;

/// The document of the source under the cursor.
#[derive(Debug)]
pub struct DetailText<'a> {
    pub details: WrappedText,
    pub document: &'a LoadedDocument,
}

/// The area of the text, indented by one column.
pub fn place(parts: &PaneLayout) -> Rect {
    indented(split(parts).1)
}

/// The areas of the caption row and of the text.
fn split(parts: &PaneLayout) -> (Rect, Rect) {
    let (rule, detail) = (parts.rule, parts.detail);
    if rule.is_empty() || detail.y > rule.y || detail.is_empty() {
        return (rule, detail);
    }
    split_rows(detail, 1)
}

pub fn view(state: &State, columns: u16) -> DetailText<'_> {
    let columns = usize::from(columns);
    let document = &state.catalog.reading.loaded;
    DetailText { details: WrappedText::new(details::lines(state, columns), columns), document }
}

impl DetailText<'_> {
    pub fn len(&self) -> usize {
        self.details.len() + self.document.len()
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.details.lines().iter().chain(self.document.lines()).map(PageLine::text)
    }

    /// The line that contains this row, and the row's byte range in that line.
    fn place(&self, row: usize) -> Option<(usize, Range<usize>)> {
        match row.checked_sub(self.details.len()) {
            None => self.details.place(row),
            Some(row) => self.document.place(row).map(|(line, range)| (self.details.lines().len() + line, range)),
        }
    }

    /// The source line of the document in this row, from 1; `None` in the details.
    pub fn source_line_in(&self, row: usize) -> Option<usize> {
        let (line, range) = self.document.place(row.checked_sub(self.details.len())?)?;
        self.document.source_line(line, range.start)
    }

    /// The source line in which a hit starts, from 1; `None` in the details.
    pub fn source_line_of(&self, hit: &Hit) -> Option<usize> {
        self.document.source_line(self.document_line(hit)?, hit.range.start)
    }

    /// The laid-out line of the document that contains a hit; `None` in the details.
    pub fn document_line(&self, hit: &Hit) -> Option<usize> {
        hit.line.checked_sub(self.details.lines().len())
    }

    /// The row in which this source line starts, from 1; the last row if the document is shorter.
    pub fn row_of_source(&self, line: usize) -> usize {
        self.details.len() + self.document.row_of_source(line)
    }

    pub fn row_of(&self, hit: &Hit) -> usize {
        match self.document_line(hit) {
            None => self.details.row_of(hit.line, hit.range.start),
            Some(line) => self.details.len() + self.document.row_of(line, hit.range.start),
        }
    }

    fn draw(&self, state: &State, row: usize, area: Rect, frame: &mut Frame<'_>) {
        let mut highlights = row.checked_sub(self.details.len()).map(|row| links(state, row)).unwrap_or_default();
        if let Some((line, range)) = self.place(row) {
            hits(state, line, &range, &mut highlights);
        }
        let (skin, buffer) = (&state.skin, frame.buffer_mut());
        match row.checked_sub(self.details.len()) {
            None => self.details.draw(row, &highlights, &skin.theme, area, buffer),
            Some(row) => self.document.draw(row, &highlights, state.catalog.reading.across, skin, area, buffer),
        }
    }
}

fn links(state: &State, row: usize) -> Vec<(Range<usize>, Style)> {
    let reading = &state.catalog.reading;
    let Some(at) = reading.loaded.at_row(row) else { return Vec::new() };
    let Some(portion) = reading.loaded.portions.get(at.portion) else { return Vec::new() };
    let Some(page) = &portion.page else { return Vec::new() };
    let (Some((line, _)), Some(links)) = (page.text.place(at.row), &page.links) else { return Vec::new() };
    let group = reading.link.filter(|focus| focus.portion == portion.start.offset).map(|focus| focus.group);
    let first = links.partition_point(|link| link.line < line);
    let here = links.iter().skip(first).take_while(|link| link.line == line);
    here.map(|link| {
        let style = link.to.style(&state.skin.theme);
        let style = if group == Some(link.group) { style.add_modifier(Modifier::REVERSED) } else { style };
        (link.range.clone(), style)
    })
    .collect()
}

fn hits(state: &State, line: usize, part: &Range<usize>, highlights: &mut Vec<(Range<usize>, Style)>) {
    let search = &state.catalog.search;
    let found = state.skin.theme.style(ThemeRole::Match);
    let first = search.hits.partition_point(|hit| (hit.line, hit.range.end) <= (line, part.start));
    let here = search.hits.iter().enumerate().skip(first);
    let here = here.take_while(|(_, hit)| hit.line == line && hit.range.start < part.end);
    highlights.extend(here.map(|(nth, hit)| {
        let style = if nth == search.at { found.add_modifier(Modifier::REVERSED) } else { found };
        (hit.range.clone(), style)
    }));
}

/// The visible range of the text, and of its search: `2/7 /retry · details, 1-28 of 210`, `details, 3% of 13 MiB`; then
/// what to show if it does not fit: `1-28/210`, `13%`.
pub fn captions_of(state: &State, parts: &PaneLayout) -> [String; 3] {
    let place = place(parts);
    let view = view(state, place.width);
    let len = view.len();
    let shown = state.catalog.scroll.window(len, usize::from(place.height));
    let captions = match shown.end.checked_sub(view.details.len() + 1) {
        // The total number of rows is unknown.
        Some(last) if !view.document.is_whole() => {
            let (read, all) = view.document.progress(last);
            let percent = format!("{}%", read * 100 / all.max(1));
            [format!("details, {percent} of {}", size(all)), format!("{percent} of {}", size(all)), percent]
        }
        _ if shown.len() >= len || shown.is_empty() => ["details".to_owned(), String::new(), String::new()],
        _ => {
            let [from, to, of] = [shown.start + 1, shown.end, len].map(cells::grouped);
            let short = format!("{from}-{to}/{of}");
            [scrolled("details", &shown, len), short, format!("{}%", shown.end * 100 / len)]
        }
    };
    let search = &state.catalog.search;
    if search.is_on() && state.typing != Some(Typing::Search) {
        // Matches are also marked in the text.
        let count = search.count(view.document.is_whole());
        let [whole, ..] = captions;
        let searched = format!("{count} /{}", cells::clean(search.needle.text()));
        return [format!("{searched} {} {whole}", state.skin.glyphs.dot), searched, count];
    }
    captions
}

/// The first of these captions that fits into this width, or else the shortest.
pub fn fitting(captions: [String; 3], columns: usize) -> String {
    let [whole, shorter, shortest] = captions;
    let fits = |caption: &String| cells::width(caption) <= columns;
    [whole, shorter].into_iter().find(fits).unwrap_or(shortest)
}

/// Draws the rule, the caption and the visible rows.
pub fn draw(state: &State, parts: &PaneLayout, frame: &mut Frame<'_>) {
    let (line, _) = split(parts);
    let style = caption(state, Pane::Catalog);
    if line != parts.rule {
        frame::rule(&state.skin, parts.rule, "", style, frame.buffer_mut());
    }
    let caption = fitting(captions_of(state, parts), frame::rule_room(line));
    frame::rule(&state.skin, line, &caption, style, frame.buffer_mut());
    draw_text(state, parts, line, frame);
}

/// Draws the visible rows, and over this line the search while it is typed.
pub fn draw_text(state: &State, parts: &PaneLayout, line: Rect, frame: &mut Frame<'_>) {
    let place = place(parts);
    let view = view(state, place.width);
    let shown = state.catalog.scroll.window(view.len(), usize::from(place.height));
    if state.typing == Some(Typing::Search) {
        let at = search_line(state, line, frame);
        frame.set_cursor_position(at);
    }
    for (nth, at) in shown.enumerate() {
        view.draw(state, at, nth_row(place, nth), frame);
    }
}

/// Draws ` / needle 2/7 ` over the rule.
fn search_line(state: &State, line: Rect, frame: &mut Frame<'_>) -> Position {
    let (theme, search) = (&state.skin.theme, &state.catalog.search);
    let count = if search.is_on() {
        format!(" {} ", search.count(state.catalog.reading.loaded.is_whole()))
    } else {
        String::new()
    };
    let columns = u16::try_from(count.len()).unwrap_or(0);
    let line = Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line };
    let text = Rect { x: line.x + 3, width: line.width.saturating_sub(3 + columns), ..line };
    let buffer = frame.buffer_mut();
    buffer.set_stringn(line.x, line.y, " ".repeat(usize::from(line.width)), usize::from(line.width), Style::reset());
    buffer.set_stringn(line.x + 1, line.y, "/", 1, theme.style(ThemeRole::Catalog));
    let role = if search.hits.is_empty() { ThemeRole::Warning } else { ThemeRole::Infra };
    buffer.set_stringn(text.right(), line.y, &count, usize::from(columns), theme.style(role));
    let needle = &search.needle;
    prompt::draw(needle.text(), needle.cursor(), &[], theme.style(ThemeRole::Strong), text, buffer)
}
