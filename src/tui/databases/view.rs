//! The layout of the view of databases: the list on the left, the row under its cursor on the right, and a
//! line for a run below both. Mouse handling uses the same areas.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::list_view::{self, ROLE, active};
use super::{DatabaseSide, DatabaseTab, detail, join_view, run};
use crate::tui::action::Action;
use crate::tui::filtering::FilteredList;
use crate::tui::layout;
use crate::tui::pane_view::{draw_empty, draw_text, indented, nth_row};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::motion::Scroll;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::tabs::Tabs;
use crate::tui::widgets::{cells, frame};

/// The minimum width for showing both sides.
const BOTH: u16 = 64;
/// Minimum and maximum width of the list.
const LIST: (u16, u16) = (30, 56);

#[derive(Debug, Clone, Copy, Default)]
pub struct DatabasesLayout {
    /// The borders of both sides; empty for a hidden one.
    pub left: Rect,
    pub right: Rect,
    pub filter: Rect,
    pub list: Rect,
    /// The description of the row under the cursor.
    pub status: Rect,
    pub tabs: Rect,
    pub detail: Rect,
    /// Below the joins: a rule, and the description of the join under the cursor.
    pub rule: Rect,
    pub join: Rect,
    pub run: Rect,
}

pub fn places(state: &State) -> DatabasesLayout {
    let body = state.layout().body;
    let run_height = u16::from(state.databases.run.is_writing()).min(body.height.saturating_sub(4));
    let (panes, run) = layout::split_rows(body, body.height - run_height);
    let list_width = match (body.width >= BOTH, state.databases.side) {
        (true, _) => (body.width * 2 / 5).clamp(LIST.0, LIST.1),
        (false, DatabaseSide::List) => body.width,
        (false, DatabaseSide::Detail) => 0,
    };
    let left = Rect { width: list_width, ..panes };
    let right = Rect { x: left.right(), width: body.width - list_width, ..panes };
    let (of_list, of_detail) = (inner(left), inner(right));
    let has_filter = state.databases.is_filtered() || state.is_filtering(FilteredList::Tables);
    let (filter, list) = layout::split_rows(of_list, u16::from(has_filter));
    let tabs = u16::from(state.databases.table().is_some());
    let lines = status(state, usize::from(indented(of_detail).width)).len();
    let status = u16::try_from(lines).unwrap_or(u16::MAX).clamp(1, (of_detail.height / 3).max(1));
    let [status, tabs, detail] = layout::stacked(of_detail, [status, tabs, u16::MAX]);
    let words = if state.databases.shown_tab() == DatabaseTab::Joins { join_view::words_height(detail) } else { 0 };
    let [detail, rule, join] = layout::stacked(detail, [detail.height - words, words.min(1), u16::MAX]);
    DatabasesLayout { left, right, filter, list, status, tabs, detail, rule, join, run }
}

fn inner(outer: Rect) -> Rect {
    if outer.is_empty() { Rect { width: 0, height: 0, ..outer } } else { layout::inner(outer) }
}

/// The number of visible rows of the list.
pub fn page(state: &State) -> usize {
    usize::from(places(state).list.height).max(1)
}

/// The number of visible rows of the right side.
pub fn detail_page(state: &State) -> usize {
    usize::from(places(state).detail.height).max(1)
}

/// The width of its text.
pub fn detail_columns(state: &State) -> usize {
    usize::from(indented(places(state).detail).width).max(2)
}

/// The number of columns by which the widest visible code exceeds the right side.
pub fn overhang(state: &State) -> usize {
    let (view, columns) = (&state.databases, detail_columns(state));
    let text = &view.shown.text;
    let rows = Scroll { top: view.scroll.top }.window(text.len(), detail_page(state));
    rows.map(|row| text.overhang(row, columns)).max().unwrap_or(0)
}

pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let (places, view) = (places(state), &state.databases);
    if !places.left.is_empty() {
        let border = PaneBorder {
            title: "Databases",
            note: note(state),
            place: frame::position(view.cursor.at, view.rows.len()),
            role: ROLE,
            active: active(state, DatabaseSide::List),
        };
        border.draw(&state.skin, places.left, frame.buffer_mut());
        if !places.filter.is_empty() {
            let typing = state.is_filtering(FilteredList::Tables);
            let line = FilterLine { filter: &view.filter, typing, fault: None, kept: view.kept, role: ROLE };
            line.draw(&state.skin, places.filter, frame);
        }
        match why_empty(state) {
            _ if is_unconfigured(state) => draw_first_steps(state, places.list, frame.buffer_mut()),
            Some(sentence) => draw_empty(state, &sentence, places.list, frame.buffer_mut()),
            None => list_view::draw(state, places.list, frame.buffer_mut()),
        }
    }
    if !places.right.is_empty() {
        draw_detail(state, &places, frame.buffer_mut());
    }
    run::draw(state, places.run, frame.buffer_mut());
}

fn draw_detail(state: &State, places: &DatabasesLayout, buffer: &mut Buffer) {
    let (view, theme) = (&state.databases, &state.skin.theme);
    let (text, place) = (&view.shown.text, places.detail);
    let title = title(state);
    let window = Scroll { top: view.scroll.top }.window(text.len(), usize::from(place.height));
    let position = match view.shown_tab() {
        DatabaseTab::Joins => frame::position(view.join.at, view.tree.rows.len()),
        _ if window.len() >= text.len() => String::new(),
        _ => format!("{}/{}", cells::grouped(window.end), cells::grouped(text.len())),
    };
    let active = active(state, DatabaseSide::Detail);
    let border = PaneBorder { title: &title, note: String::new(), place: position, role: ROLE, active };
    border.draw(&state.skin, places.right, buffer);
    let lines = status(state, usize::from(indented(places.status).width));
    draw_text(state, &lines, 0, places.status, buffer);
    if let Some(tabs) = tabs(state) {
        tabs.draw(theme, buffer);
    }
    if view.shown_tab() == DatabaseTab::Joins {
        if view.tree.rows.is_empty() {
            return draw_empty(state, no_joins(state), place, buffer);
        }
        return join_view::draw(state, places, buffer);
    }
    let inside = indented(place);
    for (nth, at) in window.enumerate() {
        text.draw_scrolled_to(at, &[], view.across, &state.skin, nth_row(inside, nth), buffer);
    }
    frame::scrollbar(&state.skin, place, text.len(), view.scroll.top, theme.style(ROLE), buffer);
}

/// The description of the row under the cursor, not truncated: users read and type its ids.
fn status(state: &State, columns: usize) -> WrappedText {
    WrappedText::new(vec![PageLine::new(detail::status(state), ThemeRole::Infra)], columns.max(2))
}

fn no_joins(state: &State) -> &'static str {
    match state.databases.table() {
        Some(table) if table.page.is_none() => "The joins are known once the table is documented.",
        _ => "No key leads to this table or from it, and no name suggests a join.",
    }
}

/// `4 of 8 documented`, or a note that a run is unfinished.
fn note(state: &State) -> String {
    let Some(overview) = &state.databases.overview else { return String::new() };
    if overview.is_unfinished && !state.databases.run.is_writing() {
        return "unfinished".to_owned();
    }
    let room = usize::from(places(state).left.width).saturating_sub("Databases".len() + 8);
    let tables = || overview.databases.iter().flat_map(|it| &it.domains).flat_map(|it| &it.tables);
    let documented = tables().filter(|table| table.page.is_some()).count();
    match tables().count() {
        0 => String::new(),
        all => {
            let count = format!("{} of {}", cells::grouped(documented), cells::grouped(all));
            let named = format!("{count} documented");
            if cells::width(&named) <= room { named } else { count }
        }
    }
}

fn title(state: &State) -> String {
    let view = &state.databases;
    let Some(row) = view.row() else { return "Page".to_owned() };
    let name = match (view.database(row), view.domain(row), view.table_of(row)) {
        (_, _, Some(table)) => table.name.full(),
        (Some(database), Some(domain), None) => format!("{}: {}", database.name, domain.name),
        (Some(database), None, _) => database.name.clone(),
        (None, ..) => "Page".to_owned(),
    };
    cells::clean(&name).into_owned()
}

/// A sample configuration file with one database.
const SAMPLE: [&str; 5] = ["databases:", "  - name: app", "    type: sqlite", "    connection:", "      file: app.db"];

fn is_unconfigured(state: &State) -> bool {
    let overview = state.databases.overview.as_ref();
    overview.is_some_and(|overview| overview.databases.is_empty() && overview.file.is_none())
}

/// Explains how to configure the first database, with lines to copy.
fn draw_first_steps(state: &State, place: Rect, buffer: &mut Buffer) {
    let document = state.key(Action::DocumentDatabases);
    let sentence = format!(
        "No database is configured. Name one in .jaato/databases.yaml, and {document} turns its tables into sources:"
    );
    let sample = SAMPLE.map(|line| PageLine::new(line, ThemeRole::Text));
    let lines = [PageLine::new(sentence, ThemeRole::Infra), PageLine::default()].into_iter().chain(sample);
    let text = WrappedText::new(lines.collect(), usize::from(indented(place).width).max(2));
    draw_text(state, &text, 0, place, buffer);
}

fn why_empty(state: &State) -> Option<String> {
    let Some(overview) = &state.databases.overview else { return Some("reading the pages".to_owned()) };
    if overview.databases.is_empty() {
        let file = overview.file.unwrap_or_default();
        let problems = state.key(Action::Problems);
        let document = state.key(Action::DocumentDatabases);
        return Some(format!(
            "{file} names no database that can be used. {problems} shows the problems, and {document} finds pages of databases \
             that it no longer names."
        ));
    }
    state.databases.rows.is_empty().then(|| {
        let clear = state.key(Action::Back);
        format!("No table matches {}. {clear} shows all again.", cells::clean(state.databases.filter.text()))
    })
}

fn tabs(state: &State) -> Option<Tabs<DatabaseTab>> {
    let (line, view) = (places(state).tabs, &state.databases);
    let table = view.table().filter(|_| !line.is_empty())?;
    let doc = view.shown.page.as_ref().and_then(|page| page.doc.as_ref());
    let columns = doc.map_or(table.planned_values.len(), |doc| doc.columns.len());
    let title = |tab: DatabaseTab| match tab {
        DatabaseTab::Page => "Page".to_owned(),
        DatabaseTab::Columns => format!("Columns {}", cells::grouped(columns)),
        DatabaseTab::Joins => format!("Joins {}", cells::grouped(view.own_joins())),
    };
    let line = Rect { x: line.x + 1, width: line.width - 1, ..line };
    Some(Tabs::new(DatabaseTab::ALL.map(|tab| (tab, title(tab))), view.shown_tab(), line))
}

pub fn tab_at(state: &State, at: Position) -> Option<DatabaseTab> {
    tabs(state)?.at(at)
}
