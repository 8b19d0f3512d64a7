//! The jump: a line to type in, below it everything that matches, and the whole of the row under the cursor. Enter
//! closes the window and goes there, or runs the action in the previous context. Words are matched immediately; the
//! documents are searched with every change, and their sections are added when the answer arrives. The palette is the
//! same window, narrowed to actions.

mod actions;
mod columns;
mod details;
mod excerpt;
mod jump_effects;
mod list;
mod matcher;
mod rows;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::saved_filter::{self, FilterQuestion};
use super::{
    Handled, Titles, Window, WindowKind, WindowRows, centred, draw_frame, draw_text, problems, save_filter,
    text_columns, wide,
};
use crate::common::jump;
pub use crate::common::jump::JumpKind;
use crate::tui::action::{Action, KeyContext};
use crate::tui::feed;
use crate::tui::filter::FilterResult;
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::DrawnList;
use crate::tui::state::State;
use crate::tui::templates;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::{TextEdit, TextField};
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::Active;
use crate::tui::widgets::{cells, frame, prompt};
use refdesk_desk::engine::Request;
use refdesk_desk::{SearchAnswer, SearchHit, SearchMode, SearchReader, SearchRequest};
use refdesk_text::Error;

use columns::WidestTexts;
use rows::{JumpRow, JumpTarget};

/// The maximum number of sections from the document search.
const SECTIONS: usize = 50;

/// The minimum height of a window that shows details.
const MIN: u16 = 14;

pub struct Jump;

/// The typed text and its matches.
#[derive(Debug, Clone, Default)]
pub struct JumpWindow {
    pub line: TextField,
    rows: Vec<JumpRow>,
    /// The inputs that the rows were built from; `None` if they are outdated.
    made_from: Option<RowsOrigin>,
    /// The results of the filters, which longer filters refine.
    sources: FilterResult,
    templates: FilterResult,
    tags: Vec<(String, usize)>,
    /// The last words that the documents were searched for, and whether they were still being indexed.
    asked: Option<(String, bool)>,
    answer: Option<Result<Box<SearchAnswer>, Error>>,
    answers: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct RowsOrigin {
    line: String,
    generation: u64,
    answers: u64,
    /// The number of rows in the feed, and the time of the newest one.
    feed: (usize, Option<String>),
}

impl JumpWindow {
    /// Stores the answer to the latest document search.
    pub fn take(&mut self, answer: Result<Box<SearchAnswer>, Error>) {
        self.answer = Some(answer);
        self.answers += 1;
    }

    #[cfg(test)]
    pub fn rows(&self) -> &[JumpRow] {
        &self.rows
    }

    fn hits(&self) -> &[SearchHit] {
        match &self.answer {
            Some(Ok(answer)) => &answer.hits,
            _ => &[],
        }
    }
}

struct JumpLayout {
    line: Rect,
    list: Rect,
    rule: Rect,
    text: Rect,
}

impl Window for Jump {
    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, 160), usize::from(body.height.saturating_sub(2).max(10)))
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: places(state).list, len: state.jump.rows.len(), is_list: true }
    }

    fn click_confirms(&self) -> bool {
        true
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.jump.line)
    }

    fn field_changed(&self, state: &mut State) {
        state.open(WindowKind::Jump);
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match current(state) {
            Some(row) => row.why_not.as_ref().map(|why| format!("{}: {why}", row.name)),
            None => Some("nothing matches".to_owned()),
        }
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm => {
                if let Some(row) = current(state).cloned() {
                    jump_effects::go(state, row, effects);
                }
            }
            Action::JumpKind => {
                let line = JumpKind::next(state.jump.line.text());
                state.jump.line.clear();
                state.jump.line.insert(&line);
                state.open(WindowKind::Jump);
            }
            Action::RemoveFilter => {
                if let Some(JumpTarget::Filter(name)) = current(state).map(|row| row.to.clone()) {
                    saved_filter::ask(state, FilterQuestion::Remove(name));
                }
            }
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn after_input(&self, state: &mut State, effects: &mut Vec<Effect>) {
        search(state, effects);
        follow(state);
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, places, rows) = (self.outer(state), places(state), &state.jump.rows);
        let (role, buffer) = (ThemeRole::Catalog, frame.buffer_mut());
        let title = match JumpKind::of(state.jump.line.text()).0 {
            Some(JumpKind::Action) => "Palette",
            Some(JumpKind::Filter) => "Saved filters",
            _ => "Jump",
        };
        let titles = Titles { title, note: note(state), place: frame::position(cursor.at, rows.len()) };
        draw_frame(state, titles, role, outer, buffer);
        let drawn = DrawnList { place: places.list, len: rows.len(), cursor, active: Active::Yes, role };
        let shown = rows.get(drawn.window()).unwrap_or_default();
        let widest = WidestTexts::of(shown, state);
        drawn.draw(&state.skin, buffer, |at| Some(list::row(state, rows.get(at)?, widest, places.list.width)));
        if rows.is_empty() {
            let lines = super::paragraphs([(why_empty(state), ThemeRole::Infra)], text_columns(outer.width));
            draw_text(state, &lines, 0, places.list, buffer);
        }
        if let Some(found) = rows.get(cursor.at).filter(|_| !places.text.is_empty()) {
            details::draw(state, found, &places, buffer);
        }
        if places.line.width > 4 {
            let at = draw_line(state, places.line, buffer);
            frame.set_cursor_position(at);
        }
    }
}

impl State {
    /// The source that an action applies to: the row under the jump window's cursor if it is open, otherwise
    /// under the cursor of the graph or the pane.
    pub fn action_target(&self) -> Option<&str> {
        match self.open_window() {
            Some(WindowKind::Jump) => current(self).and_then(JumpRow::source),
            _ => self.in_view(),
        }
    }
}

/// Opens the window, limited to this kind if given.
pub fn open(state: &mut State, kind: Option<JumpKind>) {
    state.jump =
        JumpWindow { tags: jump::tags(&state.snapshot.catalog), answers: state.jump.answers, ..JumpWindow::default() };
    state.jump.line.insert(kind.map_or("", JumpKind::sign));
    state.open(WindowKind::Jump);
}

/// Why there is no saved filter to remove.
pub fn no_filter(state: &State) -> Option<String> {
    let is_filter = current(state).is_some_and(|row| row.kind == JumpKind::Filter);
    (!is_filter).then(|| "there is no saved filter under the cursor".to_owned())
}

fn current(state: &State) -> Option<&JumpRow> {
    state.jump.rows.get(state.window?.cursor.at)
}

/// Searches the documents for the typed text, unless another kind is selected.
fn search(state: &mut State, effects: &mut Vec<Effect>) {
    let jump = &mut state.jump;
    let (kind, words) = JumpKind::of(jump.line.text());
    let words = if kind.is_none_or(|kind| kind == JumpKind::Heading) { words } else { "" };
    let is_indexing = state.snapshot.is_indexing;
    let is_asked = match &jump.asked {
        None => words.is_empty(),
        // Without an index nothing was searched, so search again once there is one.
        Some((asked, was_indexing)) => asked == words && (!was_indexing || is_indexing || words.is_empty()),
    };
    if is_asked {
        return;
    }
    if words.is_empty() {
        jump.answer = None;
        jump.answers += 1;
    } else {
        let request = SearchRequest::new(words, SearchReader::Person);
        let request = SearchRequest { is_unfinished: true, limit: SECTIONS, ..request };
        effects.push(Effect::Ask(Request::Search(Box::new(request))));
    }
    jump.asked = Some((words.to_owned(), is_indexing));
}

/// Rebuilds the rows if their inputs changed. A cursor that was moved stays on its row.
fn follow(state: &mut State) {
    let notices = &state.feed.notices;
    let origin = RowsOrigin {
        line: state.jump.line.text().to_owned(),
        generation: state.snapshot.generation,
        answers: state.jump.answers,
        feed: (notices.len(), notices.front().map(|newest| newest.at.clone())),
    };
    let before = state.jump.made_from.as_ref();
    if before == Some(&origin) {
        return;
    }
    if before.is_some_and(|before| before.generation != origin.generation) {
        state.jump.tags = jump::tags(&state.snapshot.catalog);
        (state.jump.sources, state.jump.templates) = Default::default();
    }
    let at = state.window.map_or(0, |open| open.cursor.at);
    let on = state.jump.rows.get(at).filter(|_| at > 0).map(|row| row.to.clone());
    // The rows must not depend on this window being open.
    let window = state.window.take();
    let rows = rows::rows(state);
    state.window = window;
    if let (Some(open), Some(on)) = (&mut state.window, on) {
        open.cursor.at = rows.iter().position(|row| row.to == on).unwrap_or(at);
    }
    state.jump.rows = rows;
    state.jump.made_from = Some(origin);
}

/// The label of `Enter` for the row under the cursor.
pub fn verb(state: &State) -> &'static str {
    match current(state).map(|row| row.kind) {
        Some(JumpKind::Action) => "run",
        Some(JumpKind::Filter) => "apply",
        _ => "go there",
    }
}

fn places(state: &State) -> JumpLayout {
    let inner = layout::inner(Jump.outer(state));
    let (line, rest) = layout::split_rows(inner, 1);
    let below = if rest.height < MIN { 0 } else { details::height(state, text_columns(rest.width + 2)) };
    let (list, rule, text) = super::list_and_details(rest, usize::MAX, below);
    JumpLayout { line, list, rule, text }
}

/// The number of matches, and how the documents were searched.
fn note(state: &State) -> String {
    let jump = &state.jump;
    let mut parts = Vec::new();
    let is_pending = jump.asked.as_ref().is_some_and(|(asked, _)| !asked.is_empty()) && jump.answer.is_none();
    match &jump.answer {
        _ if is_pending => parts.push("searching the documents".to_owned()),
        Some(Ok(answer)) => {
            let sections = || jump.rows.iter().filter(|row| row.kind == JumpKind::Heading);
            // Other rows are no sections, such as a description.
            let count = sections().count();
            parts.extend((count > 0 || jump.rows.is_empty()).then(|| cells::counted(count, "section")));
            match answer.mode {
                SearchMode::Words if !answer.hits.is_empty() => parts.push("by words alone".to_owned()),
                // Headings of the documents read before are found by their words.
                SearchMode::Meaning if sections().all(JumpRow::is_section) => parts.push("by meaning only".to_owned()),
                SearchMode::Words | SearchMode::Hybrid | SearchMode::Meaning => {}
            }
            parts.extend(answer.partial.is_some().then(|| match state.snapshot.is_indexing {
                true => "the documents are being indexed".to_owned(),
                false => "partial".to_owned(),
            }));
        }
        Some(Err(_)) if state.snapshot.is_indexing => parts.push("the documents are being indexed".to_owned()),
        Some(Err(_)) => parts.push("the documents are not searched".to_owned()),
        None => {}
    }
    parts.join(&format!(" {} ", state.skin.glyphs.dot))
}

/// What fills the list of this kind, if there is none of it.
fn none_yet(state: &State, kind: JumpKind) -> Option<String> {
    Some(match kind {
        JumpKind::Source => format!("No sources yet: {} shows how to start.", state.key(Action::Welcome)),
        JumpKind::Template => templates::list::NONE_YET.to_owned(),
        JumpKind::Heading => "Type a question, some words, or a phrase in quotation marks.".to_owned(),
        JumpKind::Tag => "No source has tags yet.".to_owned(),
        JumpKind::Problem => problems::NONE.to_owned(),
        JumpKind::Feed => feed::view::NONE_YET.to_owned(),
        JumpKind::Filter => format!("{}.", cells::sentence(&save_filter::none_saved(state))),
        JumpKind::Action => return None,
    })
}

fn why_empty(state: &State) -> String {
    let (kind, words) = JumpKind::of(state.jump.line.text());
    if let Some(sentence) = kind.filter(|_| words.is_empty()).and_then(|kind| none_yet(state, kind)) {
        return sentence;
    }
    match &state.jump.answer {
        Some(Err(_)) if state.snapshot.is_indexing => {
            "Nothing matches yet: the documents are being indexed.".to_owned()
        }
        Some(Err(error)) => format!("Nothing matches. {}", cells::sentence(&fix::sentence(state, error))),
        Some(Ok(answer)) if !answer.notes.is_empty() && state.snapshot.is_indexing => {
            let progress = cells::clean(&answer.notes.join(" ")).into_owned();
            format!("Nothing matches yet: the documents are being indexed. {progress}")
        }
        Some(Ok(answer)) if !answer.notes.is_empty() => {
            format!("Nothing matches. {}", cells::clean(&answer.notes.join(" ")))
        }
        _ if kind == Some(JumpKind::Filter) && state.named_filters.is_empty() => {
            format!("{}.", cells::sentence(&save_filter::none_saved(state)))
        }
        _ => {
            let delete = state.key_in(KeyContext::Field, Action::Edit(TextEdit::DeleteToStart));
            format!("Nothing matches. {delete} deletes what you typed.")
        }
    }
}

/// Draws the line, or a placeholder.
fn draw_line(state: &State, line: Rect, buffer: &mut Buffer) -> Position {
    let theme = &state.skin.theme;
    buffer.set_stringn(line.x + 1, line.y, state.skin.glyphs.cursor, 1, theme.style(ThemeRole::Catalog));
    let place = Rect { x: line.x + 3, width: line.width.saturating_sub(4), ..line };
    let (typed, style) = (&state.jump.line, theme.style(ThemeRole::Strong));
    if typed.is_empty() {
        let signs = |gap: &str, between: &str| {
            let signs: Vec<String> =
                JumpKind::ALL.iter().map(|kind| format!("{}{gap}{}", kind.sign(), kind.word())).collect();
            format!("words, or first {}", signs.join(between))
        };
        let texts = [signs(" ", ", "), signs(" ", " "), signs("", " ").replacen("words, or first ", "", 1)];
        let text = texts.iter().find(|text| cells::width(text) <= usize::from(place.width)).or(texts.last());
        let text = cells::clip(text.map_or("", String::as_str), usize::from(place.width), state.skin.glyphs.ellipsis);
        buffer.set_stringn(place.x, place.y, text, usize::from(place.width), theme.style(ThemeRole::Infra));
    }
    prompt::draw(typed.text(), typed.cursor(), &[], style, place, buffer)
}
