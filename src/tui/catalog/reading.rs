//! Reads the details and the document of the source under the cursor: asks for it a part at a time, scrolls, and comes
//! back to where it was left.

mod layout;

use std::path::PathBuf;

use ratatui::layout::Position;

use self::layout::{LinkBasis, forget_layout, keep_below_details, lay_out, mark_links, note_place, scroll_to_goal};
use crate::tui::catalog::document::{LoadedDocument, MAX_PORTIONS};
use crate::tui::catalog::document_highlighting::{self, DocumentPainting};
use crate::tui::catalog::document_part::TextKind;
use crate::tui::catalog::link_walk::LinkFocus;
use crate::tui::catalog::links::CatalogTags;
use crate::tui::catalog::match_navigation;
use crate::tui::catalog::outlines::Outlines;
use crate::tui::catalog::places::{ReadableDocument, ReadingPlace, ReadingPlaces, ReadingStop};
use crate::tui::catalog::reader::{self, DetailText};
use crate::tui::catalog::sideways;
use crate::tui::feed;
use crate::tui::input::Effect;
use crate::tui::markdown::{self, FrontMatter};
use crate::tui::pane::Pane;
use crate::tui::state::{Lookup, PanePart, State, Typing};
use crate::tui::widgets::motion::{Motion, Scroll};
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Request;
use refdesk_desk::{Document, FileLine};

/// The document under the cursor as it is read, and where others were left.
#[derive(Debug, Clone, Default)]
pub struct ReadingState {
    pub loaded: LoadedDocument,
    /// The document that is loaded, or asked for.
    pub shown: Option<ReadableDocument>,
    pub place: ReadingPlace,
    /// The columns by which its code is scrolled sideways.
    pub across: usize,
    pub places: ReadingPlaces,
    /// The headings of the documents that were read before.
    pub outlines: Outlines,
    /// The link that can be followed.
    pub link: Option<LinkFocus>,
    pub painting: DocumentPainting,
    front_matter: FrontMatter,
    /// The width that it is laid out for.
    columns: Option<u16>,
    /// The rows of the details before it.
    detail_rows: usize,
    /// The state that its links were marked for.
    linked: Option<LinkBasis>,
    tags: CatalogTags,
    /// The offset from which a part was asked for.
    asked: Option<u64>,
    pub goal: Option<ReadingGoal>,
    /// Whether it was opened to be read. Beside the list, every document begins at its top.
    is_open: bool,
    /// The pane from which it was opened, if that was another one.
    pub opened_from: Option<Pane>,
}

/// Where to scroll as soon as that part of the document is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadingGoal {
    Start,
    /// The rule above the document, unless that stands beside its list, with room for the details too.
    Document,
    Place(ReadingPlace),
    /// A heading or footnote, by its name.
    Anchor(String),
    End,
}

/// The columns of the text, where it is shown.
pub fn columns(state: &State) -> Option<usize> {
    room(state).map(|(columns, _)| usize::from(columns))
}

/// Columns and rows of the text, where it is shown.
fn room(state: &State) -> Option<(u16, usize)> {
    let place = reader::place(&state.parts(Pane::Catalog)?);
    (!place.is_empty()).then_some((place.width, usize::from(place.height)))
}

pub fn view(state: &State) -> Option<(DetailText<'_>, usize)> {
    let (columns, rows) = room(state)?;
    Some((reader::view(state, columns), rows))
}

/// The row of the document at this position, and the column in it.
pub fn document_row(state: &State, at: Position) -> Option<(usize, usize)> {
    let place = reader::place(&state.parts(Pane::Catalog)?);
    let (view, page) = view(state).filter(|_| place.contains(at))?;
    let row = state.catalog.scroll.window(view.len(), page).start + usize::from(at.y - place.y);
    Some((row.checked_sub(view.details.len())?, usize::from(at.x - place.x)))
}

pub fn scroll(state: &mut State, motion: Motion) {
    let Some((len, page)) = view(state).map(|(view, page)| (view.len(), page)) else { return };
    state.catalog.scroll.step(motion, len, page);
    let reading = &mut state.catalog.reading;
    reading.goal = match motion {
        Motion::Top if reading.loaded.previous().is_some() => Some(ReadingGoal::Start),
        Motion::Bottom if reading.loaded.next().is_some() => Some(ReadingGoal::End),
        _ => None,
    };
}

/// Goes into the document of the source under the cursor.
pub fn read(state: &mut State, effects: &mut Vec<Effect>) {
    if state.focus == Pane::Catalog {
        state.part = PanePart::Detail;
        // Where there was no room for it, it is not asked for yet.
        follow(state, effects);
    } else if let Some(source) = state.subject(state.focus).map(str::to_owned) {
        let from = state.focus;
        match hinted_section(state, &source) {
            Some((path, line)) => show(state, &source, Some(path), line, effects),
            None => go_to(state, &ReadableDocument { source, file: None }, None, effects),
        }
        state.catalog.reading.opened_from = Some(from).filter(|_| state.reads());
    }
    let reading = &mut state.catalog.reading;
    if state.catalog.scroll.top == 0 {
        reading.goal.get_or_insert(ReadingGoal::Document);
    }
}

/// The file and the line of the section that a prompt is about, if that is why the source under the cursor is listed.
fn hinted_section(state: &State, source: &str) -> Option<(PathBuf, usize)> {
    let considered =
        state.hints.findings.considered.as_ref().filter(|_| state.focus == Pane::Hints && !state.in_feed())?;
    let it = considered.iter().find(|it| it.id.as_str() == source && !it.is_unreadable && it.meaning.line > 0)?;
    let path = it.meaning.path.as_ref().filter(|path| !path.is_empty())?;
    Some((PathBuf::from(&*state.snapshot.workspace).join(path), it.meaning.line))
}

/// Leaves the document: for the pane from which it was opened, or else for the list beside it.
pub fn back(state: &mut State) {
    state.part = PanePart::List;
    if let Some(pane) = state.catalog.reading.opened_from.take() {
        state.focus_on(pane);
    }
}

/// The line of the document, from 1, at the match or at the top; `None` in the details.
pub fn line(state: &State) -> Option<usize> {
    let (view, _) = view(state)?;
    let search = &state.catalog.search;
    match search.hits.get(search.at) {
        Some(hit) => view.source_line_of(hit),
        None => view.source_line_in(state.catalog.scroll.top),
    }
}

/// Whether the cursor left the source whose document is shown. The document follows when the cursor rests: passing by, it would
/// be read and drawn at every row.
pub fn is_passing(state: &State) -> bool {
    let Some(shown) = &state.catalog.reading.shown else { return false };
    let left = subject(state).is_some_and(|subject| subject != shown.source);
    left && !state.reads() && state.snapshot.catalog.get(&shown.source).is_some() && room(state).is_some()
}

/// After every input: asks for the document, lays it out, searches it again, and scrolls to the place to read.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    let Some((columns, _)) = room(state) else { return };
    follow_subject(state);
    open_or_close(state);
    start_over(state);
    ask(state, effects);
    lay_out(state, columns);
    keep_below_details(state);
    mark_links(state);
    if state.catalog.search.is_on() {
        match_navigation::find_matches(state);
    }
    scroll_to_goal(state);
    sideways::follow(state);
    read_on(state, effects);
    note_place(state);
    document_highlighting::ask(state, effects);
}

/// The source whose document should be shown: the one under the cursor of the list beside it.
fn subject(state: &State) -> Option<&str> {
    let is_beside = state.focus == Pane::Selection && state.layout().reader.is_some();
    let selected = state.subject(Pane::Selection).filter(|id| is_beside && state.snapshot.catalog.get(id).is_some());
    selected.or_else(|| state.subject(Pane::Catalog))
}

/// Another source, or another file of its folder, begins at its top.
fn follow_subject(state: &mut State) {
    let subject = subject(state).map(str::to_owned);
    if state.catalog.section.as_ref().is_some_and(|section| Some(&section.source) != subject.as_ref()) {
        state.catalog.section = None;
    }
    let file = state.catalog.section.as_ref().and_then(|section| section.path.clone());
    let subject = subject.map(|source| ReadableDocument { source, file });
    if state.catalog.reading.shown == subject {
        return;
    }
    leave(state);
    match_navigation::end(state);
    state.catalog.scroll = Scroll::default();
    state.catalog.document = Lookup::default();
    let reading = &mut state.catalog.reading;
    *reading = ReadingState {
        shown: subject,
        places: std::mem::take(&mut reading.places),
        outlines: std::mem::take(&mut reading.outlines),
        tags: std::mem::take(&mut reading.tags),
        painting: std::mem::take(&mut reading.painting).ended(),
        ..ReadingState::default()
    };
}

/// When the document is opened, goes to where it was left; when it is closed, goes to the top, which has the source's state
/// and what a pick brings.
fn open_or_close(state: &mut State) {
    let reads = state.reads();
    let was_open = std::mem::replace(&mut state.catalog.reading.is_open, reads);
    if was_open && !reads {
        keep_place(&mut state.catalog.reading);
        state.catalog.reading.across = 0;
        state.catalog.reading.goal = Some(ReadingGoal::Place(ReadingPlace::default()));
    } else if reads && !was_open && state.catalog.scroll.top == 0 && state.catalog.reading.goal.is_none() {
        let reading = &mut state.catalog.reading;
        let place = reading.shown.as_ref().and_then(|shown| reading.places.of(shown));
        reading.goal = place.map(ReadingGoal::Place);
    }
}

/// Keeps the headings of the document that is shown, and its place if it was read.
fn leave(state: &mut State) {
    let reading = &mut state.catalog.reading;
    if let Some(shown) = reading.shown.clone() {
        reading.outlines.keep(shown, &reading.loaded);
    }
    if reading.is_open {
        keep_place(reading);
    }
}

fn keep_place(reading: &mut ReadingState) {
    // A place that was not reached yet is still the place.
    if let Some(shown) = reading.shown.clone().filter(|_| reading.goal.is_none()) {
        reading.places.keep(shown, reading.place);
    }
}

/// Starts over if the place to show is before the parts that were kept.
fn start_over(state: &mut State) {
    let reading = &mut state.catalog.reading;
    match &reading.goal {
        Some(ReadingGoal::Start) => {
            reading.goal = None;
            reading.place = ReadingPlace::default();
            state.catalog.scroll = Scroll::default();
        }
        Some(ReadingGoal::Place(place)) if reading.loaded.is_before(place.line) => {}
        _ => return,
    }
    restart(state);
}

fn restart(state: &mut State) {
    state.catalog.reading.loaded = LoadedDocument::default();
    state.catalog.reading.asked = None;
    state.catalog.document = Lookup::default();
}

fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let reads = state.snapshot.reads;
    let Some(shown) = state.catalog.reading.shown.clone() else { return };
    if state.catalog.document.ask(Some((&shown.source, reads))) {
        let id = SourceId::from(shown.source);
        effects.push(Effect::Ask(Request::Read { id, file: shown.file }));
    }
}

pub fn answered(state: &mut State, mut document: Document) {
    let is_shown = |shown: &ReadableDocument| shown.source == document.id;
    if !state.catalog.reading.shown.as_ref().is_some_and(is_shown) {
        return;
    }
    let (front_matter, reading) = (state.catalog.reading.front_matter, &mut state.catalog.reading);
    if let Some(asked) = reading.asked.filter(|asked| *asked == document.from) {
        reading.asked = None;
        if reading.loaded.previous() == Some(asked) {
            reading.loaded.prepend(&mut document);
            reading.loaded.lay_out(front_matter, &state.skin.glyphs, usize::from(reading.columns.unwrap_or(2)));
            state.catalog.scroll.top += reading.loaded.first_row(1);
        } else {
            let removed_rows = reading.loaded.append(&mut document);
            state.catalog.scroll.top = state.catalog.scroll.top.saturating_sub(removed_rows);
        }
        return;
    }
    if document.from > 0 || state.catalog.document.about.is_none() {
        return;
    }
    let kind = TextKind::of(&document, state.snapshot.catalog.get(&document.id));
    reading.loaded = LoadedDocument::begin(&mut document, kind);
    reading.asked = None;
    // The link that was left is that of the place to go back to.
    reading.link = reading.link.filter(|_| reading.goal.is_some());
    reading.linked = None;
    reading.painting = std::mem::take(&mut reading.painting).ended();
    if reading.place != ReadingPlace::default() {
        // The same document, read again.
        reading.goal.get_or_insert(ReadingGoal::Place(reading.place));
    }
    state.catalog.document.take(document);
}

/// Shows the front matter, or folds it to a line again.
pub fn toggle_front_matter(state: &mut State) {
    let reading = &mut state.catalog.reading;
    reading.front_matter = reading.front_matter.toggled();
    forget_layout(reading);
}

pub fn has_front_matter(state: &State) -> bool {
    let loaded = &state.catalog.reading.loaded;
    let first = loaded.portions.front().filter(|first| first.start.line == 1 && loaded.kind.is_markdown());
    first.is_some_and(|first| markdown::has_front_matter(&first.text))
}

/// Asks for the next part of the document near its end, or on the way to a goal, and for the one before near its beginning.
fn read_on(state: &mut State, effects: &mut Vec<Effect>) {
    let (Some(answer), None) = (&state.catalog.document.answer, state.catalog.reading.asked) else { return };
    let path = answer.path.clone();
    let Some((view, page)) = view(state) else { return };
    let (reading, top) = (&state.catalog.reading, state.catalog.scroll.top);
    // Reads as much as can be kept, to search it.
    let is_searched = state.typing == Some(Typing::Search) || state.catalog.search.is_on();
    let is_searched = is_searched && reading.loaded.portions.len() < MAX_PORTIONS;
    let is_near_end = reading.goal.is_some() || is_searched || top + 2 * page >= view.len();
    let is_near_start = top < view.details.len() + page;
    let from = reading.loaded.next().filter(|_| is_near_end);
    let from = from.or_else(|| reading.loaded.previous().filter(|_| is_near_start));
    let (Some(from), Some(shown)) = (from, &reading.shown) else { return };
    effects.push(Effect::Ask(Request::ReadOn { id: SourceId::from(shown.source.as_str()), path, from }));
    state.catalog.reading.asked = Some(from);
}

impl ReadingState {
    /// Whether the front matter of documents is unfolded.
    pub fn shows_front_matter(&self) -> bool {
        self.front_matter != FrontMatter::default()
    }

    /// The document and the place in it that are read now, or that are to be read as soon as they are loaded; `None` if it is
    /// only shown beside the list.
    pub fn here(&self) -> Option<ReadingStop> {
        let place = match self.goal {
            Some(ReadingGoal::Place(place)) => place,
            _ => self.place,
        };
        Some((self.shown.clone().filter(|_| self.is_open)?, place))
    }
}

/// A section of a document, shown in the details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSection {
    source: String,
    /// Its file; `None` if the source has none.
    path: Option<PathBuf>,
    /// Its first line, from 1; 0 if it has none.
    line: usize,
}

/// Goes to the details of a source and shows the section that begins at this line of this file.
pub fn show(state: &mut State, source: &str, path: Option<PathBuf>, line: usize, effects: &mut Vec<Effect>) {
    let document = ReadableDocument { source: source.to_owned(), file: path };
    go_to(state, &document, Some(ReadingGoal::Place(ReadingPlace { line, below: 0 })), effects);
}

/// Goes to the details of a document: to a place in it, or to where it was left.
pub fn go_to(state: &mut State, document: &ReadableDocument, goal: Option<ReadingGoal>, effects: &mut Vec<Effect>) {
    feed::update::to_source(state, &SourceId::from(document.source.as_str()));
    if state.subject(Pane::Catalog) != Some(document.source.as_str()) {
        return;
    }
    state.part = PanePart::Detail;
    match_navigation::end(state);
    let line = match &goal {
        Some(ReadingGoal::Place(place)) => place.line,
        _ => 0,
    };
    let section = OpenSection { source: document.source.clone(), path: document.file.clone(), line };
    state.catalog.section = Some(section);
    follow_subject(state);
    let loaded = &state.catalog.reading.loaded;
    if let Some(ReadingGoal::Anchor(name)) = &goal
        && !(name.is_empty() || loaded.row_of_anchor(name).is_some())
        && loaded.previous().is_some()
    {
        // It can be in a part that is no longer kept.
        restart(state);
    }
    if goal.is_some() {
        state.catalog.reading.goal = goal;
    }
    state.catalog.reading.link = None;
    follow(state, effects);
}

/// The file of the section that the details show, at the line that is read.
pub fn section_spot(state: &State) -> Option<FileLine> {
    let section = state.catalog.section.as_ref().filter(|_| state.focus == Pane::Catalog)?;
    Some(FileLine { path: section.path.clone()?, line: line(state).unwrap_or(section.line.max(1)) })
}

/// Scrolls as little as possible to show this row.
pub fn reveal(state: &mut State, row: usize) {
    let Some((len, page)) = view(state).map(|(view, page)| (view.len(), page)) else { return };
    let scroll = &mut state.catalog.scroll;
    let lowest = (row + 1).saturating_sub(page.max(1));
    scroll.top = scroll.top.clamp(lowest, row).min(len.saturating_sub(page));
}
