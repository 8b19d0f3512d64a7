//! The search in all documents: a line to type in, below it the sections that were found, and the text of the one under the
//! cursor. Keys go to the line or to the list, since a blank belongs to a query and Space picks in a list. Every change of
//! the query is asked of the engine; the last sections stay until its answer.

mod text;

use std::path::Path;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Handled, Titles, Window, WindowKind, WindowRows, centred, draw_frame, draw_text, text_columns, wide};
use crate::tui::action::{Action, KeyContext};
use crate::tui::catalog;
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::nth_row;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::{TextEdit, TextField};
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame, prompt};
use refdesk_desk::engine::Request;
use refdesk_desk::{SearchAnswer, SearchHit, SearchMode, SearchReader, SearchRequest};
use refdesk_text::Error;

/// The most sections that are shown.
const MOST: usize = 50;

/// The query, and what was found.
#[derive(Debug, Clone, Default)]
pub struct SectionSearch {
    pub query: TextField,
    /// The query that was asked last.
    asked: Option<String>,
    /// The newest answer.
    answer: Option<Result<Box<SearchAnswer>, Error>>,
}

impl SectionSearch {
    /// Takes the answer to the newest question.
    pub fn take(&mut self, answer: Result<Box<SearchAnswer>, Error>) {
        self.answer = Some(answer);
    }

    fn hits(&self) -> &[SearchHit] {
        match &self.answer {
            Some(Ok(answer)) => &answer.hits,
            _ => &[],
        }
    }
}

/// The part of the window that keys go to.
enum SearchPart {
    Line,
    List,
}

pub struct Sections {
    part: SearchPart,
}

pub const LINE: Sections = Sections { part: SearchPart::Line };
pub const LIST: Sections = Sections { part: SearchPart::List };

/// The places within the window.
struct SectionsLayout {
    line: Rect,
    list: Rect,
    rule: Rect,
    text: Rect,
}

impl Window for Sections {
    fn contexts(&self) -> &'static [KeyContext] {
        match self.part {
            SearchPart::Line => &[KeyContext::SectionSearch, KeyContext::Field, KeyContext::Always],
            SearchPart::List => &[KeyContext::SectionList, KeyContext::List, KeyContext::Always],
        }
    }

    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, 120), usize::from(body.height.saturating_sub(2)))
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: self.places(state).list, len: state.sections.hits().len(), is_list: true }
    }

    fn click_confirms(&self) -> bool {
        true
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        match self.part {
            SearchPart::Line => Some(&mut state.sections.query),
            SearchPart::List => None,
        }
    }

    fn field_changed(&self, state: &mut State) {
        state.open(WindowKind::SectionSearch);
    }

    fn disabled(&self, state: &State) -> Option<String> {
        section(state).is_none().then(|| "there is no section under the cursor".to_owned())
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm => show(state, effects),
            Action::Sections => turn_to(state, WindowKind::SectionSearch),
            Action::SectionList => turn_to(state, WindowKind::SectionList),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn after_input(&self, state: &mut State, effects: &mut Vec<Effect>) {
        let query = state.sections.query.text().trim();
        if state.sections.asked.as_deref().unwrap_or_default() == query {
            return;
        }
        let query = query.to_owned();
        if query.is_empty() {
            state.sections.answer = None;
        } else {
            let request = SearchRequest { limit: MOST, ..SearchRequest::new(query.as_str(), SearchReader::Person) };
            effects.push(Effect::Ask(Request::Search(Box::new(request))));
        }
        state.sections.asked = Some(query);
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, places) = (self.outer(state), self.places(state));
        let (theme, role, buffer) = (&state.skin.theme, ThemeRole::Catalog, frame.buffer_mut());
        let hits = state.sections.hits();
        let titles = Titles { title: "Search", note: note(state), place: frame::position(cursor.at, hits.len()) };
        draw_frame(state, titles, role, outer, buffer);
        let active = match self.part {
            SearchPart::Line => Active::No,
            SearchPart::List => Active::Yes,
        };
        let window = cursor.window(hits.len(), usize::from(places.list.height));
        let top = window.start;
        for (nth, hit) in hits.get(window).unwrap_or_default().iter().enumerate() {
            let under = RowCursor::of(top + nth, cursor.at, active);
            row(state, hit, places.list.width).draw(under, role, nth_row(places.list, nth), buffer);
        }
        frame::scrollbar(&state.skin, places.list, hits.len(), top, theme.style(role), buffer);
        if hits.is_empty() {
            let lines = super::paragraphs([(why_empty(state).as_str(), ThemeRole::Infra)], text_columns(outer.width));
            draw_text(state, &lines, 0, places.list, buffer);
        }
        if let Some(hit) = hits.get(cursor.at) {
            draw_section(state, hit, &places, buffer);
        }
        if let (SearchPart::Line, 5..) = (&self.part, places.line.width) {
            let at = draw_line(state, places.line, buffer);
            frame.set_cursor_position(at);
        } else {
            draw_line(state, places.line, buffer);
        }
    }
}

impl Sections {
    fn places(&self, state: &State) -> SectionsLayout {
        let inner = layout::inner(self.outer(state));
        let line = Rect { height: inner.height.min(1), ..inner };
        let rest = Rect { y: line.bottom(), height: inner.height - line.height, ..inner };
        let below = rest.height / 2;
        let list = Rect { height: rest.height - below, ..rest };
        let rule = Rect { y: list.bottom(), height: below.min(1), ..rest };
        let text = Rect { y: rule.bottom(), height: below - rule.height, ..rest };
        SectionsLayout { line, list, rule, text }
    }
}

impl State {
    /// The source that an action is about: that of the section under the cursor if the window is open, else that of the
    /// row under the cursor of the graph or the pane.
    pub fn acted_on(&self) -> Option<&str> {
        match self.open_window() {
            Some(WindowKind::SectionSearch | WindowKind::SectionList) => {
                section(self).map(|hit| hit.source_id.as_str())
            }
            _ if self.graph.is_open() => self.in_graph(),
            _ => self.subject(self.focus),
        }
    }
}

pub fn open(state: &mut State) {
    // The index may have changed since the answer.
    if state.sections.answer.is_some() {
        state.sections.asked = None;
    }
    state.open(WindowKind::SectionSearch);
}

fn turn_to(state: &mut State, kind: WindowKind) {
    let cursor = state.window.map(|open| open.cursor).unwrap_or_default();
    state.window = Some(super::OpenWindow { kind, cursor });
}

/// The section under the cursor.
fn section(state: &State) -> Option<&SearchHit> {
    state.sections.hits().get(state.window?.cursor.at)
}

/// Goes to the section in the details of its source.
fn show(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(hit) = section(state).cloned() else { return };
    let path = (!hit.path.is_empty()).then(|| Path::new(&*state.snapshot.workspace).join(&hit.path));
    catalog::reading::show(state, &hit.source_id, path, hit.line, effects);
}

fn note(state: &State) -> String {
    let dot = state.skin.glyphs.dot;
    let Some(Ok(answer)) = &state.sections.answer else { return String::new() };
    let mut note = cells::counted(answer.hits.len(), "section");
    match answer.mode {
        SearchMode::Words if !answer.hits.is_empty() => note = format!("{note} {dot} by words alone"),
        SearchMode::Meaning => note = format!("{note} {dot} by meaning alone"),
        SearchMode::Words | SearchMode::Hybrid => {}
    }
    if answer.partial.is_some() {
        note = format!("{note} {dot} partial");
    }
    note
}

fn why_empty(state: &State) -> String {
    let sections = &state.sections;
    match &sections.answer {
        Some(Err(error)) => cells::clean(&fix::sentence(state, error)).into_owned(),
        _ if sections.query.text().trim().is_empty() => {
            "Type a question, some words, or a phrase in quotation marks.".to_owned()
        }
        None => "Searching".to_owned(),
        Some(Ok(answer)) => match answer.notes.first() {
            Some(note) => cells::clean(note).into_owned(),
            None => {
                let delete = state.key_in(KeyContext::Field, Action::Edit(TextEdit::DeleteToStart));
                format!("No section found. {delete} deletes what you typed.")
            }
        },
    }
}

fn draw_line(state: &State, line: Rect, buffer: &mut Buffer) -> ratatui::layout::Position {
    let theme = &state.skin.theme;
    buffer.set_stringn(line.x + 1, line.y, "/", 1, theme.style(ThemeRole::Catalog));
    let place = Rect { x: line.x + 3, width: line.width.saturating_sub(4), ..line };
    let (typed, style) = (&state.sections.query, theme.style(ThemeRole::Strong));
    prompt::draw(typed.text(), typed.cursor(), &[], style, place, buffer)
}

/// Mark, heading, source, place.
fn row<'a>(state: &'a State, hit: &SearchHit, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let (mark, role) = source_state::mark(&state.snapshot, &hit.source_id);
    let mut row = ListRow::new(&state.skin, width);
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    let title = if hit.heading.is_empty() { &hit.name } else { &hit.heading };
    row.id(&cells::clean(title), row.room() * 3 / 5, theme.style(ThemeRole::Text));
    row.text(&format!("@{}", cells::clean(&hit.source_id)), theme.style(ThemeRole::Catalog));
    row
}

/// The place of the section, and its text with the words marked.
fn draw_section(state: &State, hit: &SearchHit, places: &SectionsLayout, buffer: &mut Buffer) {
    let style = state.skin.theme.style(ThemeRole::Infra);
    let place = hit.place().unwrap_or_else(|| hit.name.clone());
    frame::rule(&state.skin, places.rule, &cells::clean(&place), style, buffer);
    let text = text::page(hit, text_columns(places.text.width + 2));
    draw_text(state, &text, 0, places.text, buffer);
}
