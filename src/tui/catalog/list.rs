//! Draws the rows of the catalog, and above them the filter or the column headings.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::action::Action;
use crate::tui::catalog::columns::CatalogColumns;
use crate::tui::filter::{Marks, MatchMarker, Order};
use crate::tui::filtering::FilteredList;
use crate::tui::layout::PaneLayout;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{DrawnList, draw_empty, list_active, no_match};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::row::{ListRow, RowCursor};
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::{Mode, Source};

pub fn draw(state: &State, parts: &PaneLayout, frame: &mut Frame<'_>) {
    let pane = &state.catalog;
    let len = pane.rows.len();
    let columns = CatalogColumns::of(&state.counts, parts.list.width);
    let mut marker = MatchMarker::new(&pane.filtered.query, pane.haystack.as_deref());
    let buffer = frame.buffer_mut();
    let (active, role) = (list_active(state, Pane::Catalog), ThemeRole::Catalog);
    DrawnList { place: parts.list, len, cursor: pane.cursor, active, role }.draw(&state.skin, buffer, |at| {
        let position = *pane.rows.get(at)?;
        let source = state.snapshot.catalog.sources().get(position)?;
        Some(row(state, source, &marker.marks(position), columns, parts.list.width))
    });
    // The welcome window explains more, and covers this sentence.
    if len == 0 && state.open_window() != Some(WindowKind::Welcome) {
        draw_empty(state, &why_empty(state), parts.list, buffer);
    }
    head(state, parts.head, columns, frame);
}

fn why_empty(state: &State) -> String {
    if !state.is_open() {
        return "opening the workspace".to_owned();
    }
    if state.snapshot.catalog.is_empty() {
        return match state.snapshot.diagnostics.iter().find(|problem| problem.is_error()) {
            Some(error) => {
                let error = error.to_string();
                let what = cells::clean(error.lines().next().unwrap_or_default()).into_owned();
                format!("No sources. {}. {} shows the fix.", cells::sentence(&what), state.key(Action::Problems))
            }
            None => format!("No sources yet: {} shows how to start.", state.key(Action::Welcome)),
        };
    }
    match &state.catalog.filtered.unmatched_clause {
        Some(term) if term.ends_with("dormant") && !term.starts_with('!') => {
            let [selection, back] = [Action::Focus(Pane::Selection), Action::Back].map(|action| state.key(action));
            format!(
                "Dormant picks are not in the catalog: press {selection} to see them in the selection. {back} shows all again."
            )
        }
        _ => no_match(state, &state.catalog.filtered, "source", "No source matches all of these terms."),
    }
}

fn row<'a>(state: &'a State, source: &Source, marks: &Marks, columns: CatalogColumns, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let id = source.id.as_str();
    let (mark, role) = source_state::mark(&state.snapshot, id);
    let grey = theme.style(ThemeRole::Infra);
    let id_style = if source.is_missing() { grey } else { theme.style(ThemeRole::Text) };
    let marked = |style: Style| [style, style.patch(theme.style(ThemeRole::Match))];
    let columns =
        columns.with_whole_id(cells::width(&cells::clean(id)), [!marks.name.is_empty(), !marks.tags.is_empty()]);
    let mut row = ListRow::new(&state.skin, width);
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role)).marked_id(
        &MarkedText::of(id, &marks.id),
        columns.id,
        marked(id_style),
    );
    if columns.name > 0 {
        row.marked_cell(&MarkedText::of(&source.name, &marks.name), columns.name, marked(grey));
    }
    if columns.kind > 0 {
        row.cell(source.kind.word(), columns.kind, theme.style(ThemeRole::Catalog));
    }
    if columns.mode > 0 {
        row.cell(mode_word(source.mode, columns), columns.mode, grey);
    }
    if columns.tags > 0 {
        row.marked_cell(&MarkedText::of(&source.tags.join(", "), &marks.tags), columns.tags, marked(grey));
    }
    if columns.tokens > 0 {
        let tokens = source_state::price(&state.snapshot, id);
        let is_untrusted = tokens == source_state::UNTRUSTED;
        let style = if is_untrusted { theme.style(ThemeRole::Hints) } else { grey };
        let is_cut = is_untrusted && columns.tokens < tokens.len();
        let shown = if is_cut { source_state::SHORT_UNTRUSTED } else { &tokens };
        row.text(&format!("{shown:>width$}", width = columns.tokens), style);
    }
    row
}

fn mode_word(mode: Mode, columns: CatalogColumns) -> &'static str {
    match mode {
        Mode::Selectable if columns.mode < Mode::Selectable.word().len() => "sel",
        _ => mode.word(),
    }
}

fn head(state: &State, place: Rect, columns: CatalogColumns, frame: &mut Frame<'_>) {
    let typing = state.is_filtering(FilteredList::Catalog);
    if place.is_empty() {
        return;
    }
    if typing || !state.catalog.filter.is_empty() {
        let line = FilterLine {
            filter: &state.catalog.filter,
            typing,
            fault: state.catalog.filtered.query.fault.as_deref(),
            kept: (state.catalog.rows.len(), state.snapshot.catalog.len()),
            role: ThemeRole::Catalog,
        };
        return line.draw(&state.skin, place, frame);
    }
    let grey = state.skin.theme.style(ThemeRole::Infra);
    let sorted = |order: Order, name: &'static str| {
        if state.catalog.order == order { format!("{name}{}", state.skin.glyphs.sorted) } else { name.to_owned() }
    };
    let mut row = ListRow::new(&state.skin, place.width);
    row.cell(&sorted(Order::State, ""), 1, grey).cell(&sorted(Order::Id, "id"), columns.id, grey);
    for (name, columns) in [
        (sorted(Order::Name, "name"), columns.name),
        (sorted(Order::Kind, "type"), columns.kind),
        (sorted(Order::Mode, "mode"), columns.mode),
        (sorted(Order::Tags, "tags"), columns.tags),
    ] {
        if columns > 0 {
            // The sort sign may use the blank after the column.
            row.text(&format!("{name:<width$}", width = columns + 1), grey);
        }
    }
    if columns.tokens > 0 {
        row.text(&format!("{:>width$}", sorted(Order::Tokens, "tokens"), width = columns.tokens), grey);
    }
    row.draw(RowCursor::Elsewhere, ThemeRole::Catalog, place, frame.buffer_mut());
}
