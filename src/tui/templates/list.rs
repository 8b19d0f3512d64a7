//! Draws the list of templates with its filter, and the frame around form and preview.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::tui::counts::Counts;
use crate::tui::filter;
use crate::tui::filter::{Marks, MatchMarker};
use crate::tui::filtering::FilteredList;
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{self, DrawnList};
use crate::tui::state::State;
use crate::tui::templates::{form, preview};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::frame;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::row::ListRow;
use refdesk_templates::{Template, TemplateOrigin};

pub const NONE_YET: &str = "No templates yet. They come with the sources you select.";

pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Templates, layout::inner(outer));
    let pane = &state.templates;
    let (len, all) = (pane.rows.len(), state.snapshot.templates.templates.len());
    let buffer = frame.buffer_mut();
    PaneBorder {
        title: "4 Templates",
        note: if all == 0 { String::new() } else { cells::counted(all, "template") },
        place: frame::position(pane.cursor.at, len),
        role: ThemeRole::Templates,
        active: pane_view::active(state, Pane::Templates),
    }
    .draw(&state.skin, outer, buffer);
    if all == 0 {
        pane_view::draw_empty(state, NONE_YET, layout::inner(outer), buffer);
        return;
    }
    let mut marker = MatchMarker::new(&pane.filtered.query, pane.haystack.as_deref());
    let (active, role) = (pane_view::list_active(state, Pane::Templates), ThemeRole::Templates);
    DrawnList { place: parts.list, len, cursor: pane.cursor, active, role }.draw(&state.skin, buffer, |at| {
        let position = *pane.rows.get(at)?;
        let template = state.snapshot.templates.templates.get(position)?;
        Some(row(state, template, &marker.marks(position), parts.list.width))
    });
    if len == 0 {
        let why = pane_view::no_match(state, &pane.filtered, "template", "No template matches all of these terms.");
        pane_view::draw_empty(state, &why, parts.list, buffer);
    }
    frame::rule(&state.skin, parts.rule, "", pane_view::caption(state, Pane::Templates), buffer);
    frame::rule(&state.skin, parts.upright(), "", pane_view::caption(state, Pane::Templates), buffer);
    if len > 0 {
        preview::draw(state, parts.detail, frame.buffer_mut());
        form::draw(state, parts.aside, frame);
    }
    if !parts.head.is_empty() {
        let line = FilterLine {
            filter: &pane.filter,
            typing: state.is_filtering(FilteredList::Templates),
            fault: pane.filtered.query.fault.as_deref(),
            kept: (len, all),
            role: ThemeRole::Templates,
        };
        line.draw(&state.skin, parts.head, frame);
    }
}

/// Width of a template's syntax.
const SYNTAX: usize = 10;
/// Minimum useful width of a source.
const MIN_SOURCE: usize = 12;
/// Prefix of the source of an embedded template.
const BLOCK_OF: &str = "block of ";

/// The width of a whole row: cursor, mark, name, syntax and source.
pub fn columns(counts: &Counts) -> u16 {
    let (name, source) = (counts.widest_template.max(8), counts.widest_template_source);
    u16::try_from(1 + 2 + name + 1 + SYNTAX + 1 + BLOCK_OF.len() + source + 1).unwrap_or(u16::MAX)
}

/// The row of a part's caption.
pub fn above(place: Rect) -> Rect {
    Rect { y: place.y.saturating_sub(1), height: place.height.min(1), ..place }
}

/// Widths of name and syntax, the same in all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowColumns {
    name: usize,
    /// 0 if it does not fit.
    syntax: usize,
}

impl RowColumns {
    fn of(counts: &Counts, width: u16) -> Self {
        // The cursor, the mark, and the blanks after mark and name.
        let room = usize::from(width).saturating_sub(1 + 2 + 1);
        let source = BLOCK_OF.len() + counts.widest_template_source;
        // Sources get their width, unless names would shrink below half.
        let name = counts.widest_template.min(room.saturating_sub(SYNTAX + 1 + source).max(room / 2)).max(8);
        let has_syntax = room.saturating_sub(name) > SYNTAX + BLOCK_OF.len() + source.min(MIN_SOURCE);
        Self { name, syntax: if has_syntax { SYNTAX } else { 0 } }
    }
}

fn row<'a>(state: &'a State, template: &Template, marks: &Marks, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(ThemeRole::Infra);
    let lit = |style: ratatui::style::Style| [style, style.patch(theme.style(ThemeRole::Match))];
    let mut row = ListRow::new(&state.skin, width);
    let (mark, style) = match template.problem {
        Some(_) => (state.skin.glyphs.problem, theme.style(ThemeRole::Error)),
        None => (" ", grey),
    };
    let from = match &template.source {
        Some(source) => MarkedText::of(source.as_str(), &marks.name),
        None => MarkedText::of("the workspace", &[]),
    };
    let origin = match template.origin {
        TemplateOrigin::Standalone => "file of ",
        TemplateOrigin::Embedded => BLOCK_OF,
    };
    let RowColumns { name, syntax } = RowColumns::of(&state.counts, width);
    row.cell(mark, 1, style).marked_id(
        &MarkedText::of(&template.name, &marks.id),
        name,
        lit(theme.style(ThemeRole::Text)),
    );
    if syntax > 0 {
        row.cell(template.syntax.word(), syntax, theme.style(ThemeRole::Templates));
    }
    row.text(origin, grey).marked_text(&from, lit(grey));
    // Variables are shown only if the filter matches them.
    if !marks.tags.is_empty() && row.room() > 12 {
        let variables = filter::variables(template);
        row.text("  ", grey).marked_text(&MarkedText::of(&variables, &marks.tags), lit(grey));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_syntax_keeps_its_column_while_there_is_room() {
        let counts = Counts { widest_template: 40, widest_template_source: 30, ..Counts::default() };
        for (width, name, syntax) in
            [(40, 18, 0), (60, 28, 0), (70, 33, SYNTAX), (80, 38, SYNTAX), (94, 40, SYNTAX), (150, 40, SYNTAX)]
        {
            assert_eq!(RowColumns::of(&counts, width), RowColumns { name, syntax }, "{width}");
        }
    }
}
