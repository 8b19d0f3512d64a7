//! Reads the details and the document of the source under the cursor: asks for it, scrolls, searches.

use std::path::PathBuf;

use crate::tui::action::{Action, KeyContext};
use crate::tui::catalog::document;
use crate::tui::catalog::reader::{self, DetailText};
use crate::tui::catalog::search::{TextSearch, find};
use crate::tui::feed;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{Lookup, PanePart, State, Typing};
use crate::tui::widgets::motion::{Motion, Scroll};
use refdesk_core::catalog::SourceId;
use refdesk_desk::Spot;
use refdesk_desk::engine::Request;

/// Columns and rows of the text, where it is shown.
fn room(state: &State) -> Option<(u16, usize)> {
    let place = reader::place(&state.parts(Pane::Catalog)?);
    (!place.is_empty()).then_some((place.width, usize::from(place.height)))
}

fn view(state: &State) -> Option<(DetailText<'_>, usize)> {
    let (columns, rows) = room(state)?;
    Some((reader::view(state, columns), rows))
}

pub fn scroll(state: &mut State, motion: Motion) {
    let Some((len, page)) = view(state).map(|(view, page)| (view.len(), page)) else { return };
    state.catalog.scroll.step(motion, len, page);
}

/// The line of the document, from 1, at the match or at the top; `None` in the details.
pub fn line(state: &State) -> Option<usize> {
    let (view, _) = view(state)?;
    let search = &state.catalog.search;
    match search.hits.get(search.at) {
        Some(hit) => view.document_line(hit.line),
        None => view.line_at(state.catalog.scroll.top).and_then(|line| view.document_line(line)),
    }
}

/// After every input: asks for the document, wraps it, searches it again.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    let Some((columns, _)) = room(state) else { return };
    let subject = state.subject(Pane::Catalog).map(str::to_owned);
    let is_other = state.catalog.document.about.as_ref().map(|(id, _)| id) != subject.as_ref();
    if is_other {
        state.catalog.scroll = Scroll::default();
        state.catalog.wrapped_for = None;
        end(state);
    }
    if state.catalog.section.as_ref().is_some_and(|section| Some(&section.source) != subject.as_ref()) {
        state.catalog.section = None;
    }
    let reads = state.snapshot.reads;
    let is_new = state.catalog.document.ask(subject.as_deref().map(|id| (id, reads)));
    if let (true, Some(id)) = (is_new, subject) {
        let path = state.catalog.section.as_ref().and_then(|section| section.path.clone());
        effects.push(Effect::Ask(match path {
            Some(path) => Request::ReadFile(SourceId::from(id), path),
            None => Request::Read(SourceId::from(id)),
        }));
    }
    if state.catalog.wrapped_for != Some(columns) {
        let asked = &state.catalog.document;
        let answer = asked.answer.as_ref().filter(|_| asked.about.is_some());
        let opens = state.key_in(KeyContext::Pane(Pane::Catalog), Action::Open);
        let text = answer.map(|document| document::page(document, &opens, &state.skin.glyphs, usize::from(columns)));
        state.catalog.text = text.unwrap_or_default();
        state.catalog.wrapped_for = Some(columns);
    }
    if state.catalog.search.is_on() {
        find_matches(state);
    }
    scroll_to_section(state);
}

/// A section of a document, shown in the details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSection {
    source: String,
    /// Its file; `None` if the source has none.
    path: Option<PathBuf>,
    /// Its first line, from 1; 0 if it has none.
    line: usize,
    scroll: SectionScroll,
}

/// Whether the details were scrolled to a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionScroll {
    /// The document has not arrived.
    Due,
    Done,
}

/// Goes to the details of a source and shows the section that begins at this line of this file.
pub fn show(state: &mut State, source: &str, path: Option<PathBuf>, line: usize, effects: &mut Vec<Effect>) {
    feed::update::to_source(state, &SourceId::from(source));
    if state.subject(Pane::Catalog) != Some(source) {
        return;
    }
    state.part = PanePart::Detail;
    end(state);
    state.catalog.section = Some(OpenSection { source: source.to_owned(), path, line, scroll: SectionScroll::Due });
    // The document must be asked for again: that of the same source may be another file.
    state.catalog.document = Lookup::default();
    follow(state, effects);
}

/// The file of the section that the details show, at the line that is read.
pub fn section_spot(state: &State) -> Option<Spot> {
    let section = state.catalog.section.as_ref().filter(|_| state.focus == Pane::Catalog)?;
    Some(Spot { path: section.path.clone()?, line: line(state).unwrap_or(section.line.max(1)) })
}

fn scroll_to_section(state: &mut State) {
    let Some(section) = state.catalog.section.as_ref().filter(|section| section.scroll == SectionScroll::Due) else {
        return;
    };
    let line = section.line;
    if state.catalog.document.answer.is_none() {
        return;
    }
    let Some((view, page)) = view(state) else { return };
    let (row, len) = (if line == 0 { 0 } else { view.row_of_line(line) }, view.len());
    state.catalog.scroll.top = row.min(len.saturating_sub(page));
    if let Some(section) = &mut state.catalog.section {
        section.scroll = SectionScroll::Done;
    }
}

pub fn open(state: &mut State) {
    state.catalog.search = TextSearch { from: state.catalog.scroll.top, ..TextSearch::default() };
    state.typing = Some(Typing::Search);
}

/// Ends the search.
pub fn end(state: &mut State) {
    state.catalog.search = TextSearch::default();
    if state.typing == Some(Typing::Search) {
        state.typing = None;
    }
}

/// After a change of the search: goes to the first match from where it began.
pub fn typed(state: &mut State) {
    find_matches(state);
    let Some((view, _)) = view(state) else { return };
    let search = &state.catalog.search;
    let at = search.hits.iter().position(|hit| view.row_of(hit) >= search.from).unwrap_or(0);
    go(state, at);
}

/// Goes to the next or previous match, around the ends.
pub fn step(state: &mut State, action: Action) {
    let (at, len) = (state.catalog.search.at, state.catalog.search.hits.len());
    let next = match action {
        Action::PreviousHit if at == 0 => len.saturating_sub(1),
        Action::PreviousHit => at - 1,
        _ if at + 1 >= len => 0,
        _ => at + 1,
    };
    go(state, next);
}

fn find_matches(state: &mut State) {
    let Some((view, _)) = view(state) else { return };
    let hits = find(view.lines(), state.catalog.search.needle.text());
    let search = &mut state.catalog.search;
    search.at = search.at.min(hits.len().saturating_sub(1));
    search.hits = hits;
}

/// Goes to this match and scrolls as little as possible.
fn go(state: &mut State, at: usize) {
    state.catalog.search.at = at;
    let row = match (view(state), state.catalog.search.hits.get(at)) {
        (Some((view, page)), Some(hit)) => Some((view.row_of(hit), view.len(), page)),
        _ => None,
    };
    let from = state.catalog.search.from;
    let scroll = &mut state.catalog.scroll;
    match row {
        Some((row, len, page)) => {
            let lowest = (row + 1).saturating_sub(page.max(1));
            scroll.top = scroll.top.clamp(lowest, row).min(len.saturating_sub(page));
        }
        None => scroll.top = from,
    }
}
