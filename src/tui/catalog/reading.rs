//! Reads the details and the document of the source under the cursor: requests it part by part, scrolls, and
//! restores the reading position.

mod layout;

use std::path::PathBuf;

use ratatui::layout::Position;

use self::layout::{LinkBasis, forget_layout, keep_below_details, lay_out, mark_links, note_place, scroll_to_goal};
use crate::tui::catalog::document::{LoadedDocument, MAX_PORTIONS};
use crate::tui::catalog::document_highlighting::{self, DocumentPainting};
use crate::tui::catalog::document_part::TextFormat;
use crate::tui::catalog::link_walk::LinkFocus;
use crate::tui::catalog::links::CatalogTags;
use crate::tui::catalog::match_navigation;
use crate::tui::catalog::outlines::Outlines;
use crate::tui::catalog::places::{ReadableDocument, ReadingPlace, ReadingPlaces, ReadingStop};
use crate::tui::catalog::reader::{self, DetailText};
use crate::tui::catalog::sideways;
use crate::tui::feed;
use crate::tui::input::Effect;
use crate::tui::markdown::{self, FrontMatterFold};
use crate::tui::pane::Pane;
use crate::tui::state::{Lookup, PanePart, State, Typing};
use crate::tui::widgets::motion::{Motion, Scroll};
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Request;
use refdesk_desk::{Document, FileLine};

/// The document under the cursor, and the reading positions of others.
#[derive(Debug, Clone, Default)]
pub struct ReadingState {
    pub loaded: LoadedDocument,
    /// The document that is loaded or requested.
    pub shown: Option<ReadableDocument>,
    pub place: ReadingPlace,
    /// The last page's top row, where a large screen shows a place near the end. The place is kept until one scrolls.
    held: Option<usize>,
    /// The horizontal scroll offset of its code.
    pub across: usize,
    pub places: ReadingPlaces,
    /// The headings of documents read before.
    pub outlines: Outlines,
    /// The focused link.
    pub link: Option<LinkFocus>,
    pub painting: DocumentPainting,
    front_matter: FrontMatterFold,
    /// The width it is laid out for.
    columns: Option<u16>,
    /// The number of rows of the details above it.
    detail_rows: usize,
    /// The state from which its links were computed.
    linked: Option<LinkBasis>,
    tags: CatalogTags,
    /// The offset of the requested part.
    asked: Option<u64>,
    pub goal: Option<ReadingGoal>,
    /// Whether the user opened it. Beside the list, every document starts at the top.
    is_open: bool,
    /// The pane from which it was opened, if not the catalog.
    pub opened_from: Option<Pane>,
}

/// Where to scroll once that part of the document is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadingGoal {
    Start,
    /// The rule above the document; the top if the document is beside the list and there is room for the details too.
    Document,
    Place(ReadingPlace),
    /// A heading or footnote, by its name.
    Anchor(String),
    End,
}

/// The width of the text, if it is shown.
pub fn columns(state: &State) -> Option<usize> {
    room(state).map(|(columns, _)| usize::from(columns))
}

/// Width and height of the text, if it is shown.
fn room(state: &State) -> Option<(u16, usize)> {
    let place = reader::place(&state.parts(Pane::Catalog)?);
    (!place.is_empty()).then_some((place.width, usize::from(place.height)))
}

pub fn view(state: &State) -> Option<(DetailText<'_>, usize)> {
    let (columns, rows) = room(state)?;
    Some((reader::view(state, columns), rows))
}

/// The row and column of the document at this screen position.
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
    reading.held = None;
    reading.goal = match motion {
        Motion::Top if reading.loaded.previous().is_some() => Some(ReadingGoal::Start),
        Motion::Bottom if reading.loaded.next().is_some() => Some(ReadingGoal::End),
        _ => None,
    };
}

/// Opens the document of the source under the cursor.
pub fn read(state: &mut State, effects: &mut Vec<Effect>) {
    if state.focus == Pane::Catalog {
        state.part = PanePart::Detail;
        // If the document had no room beside the list, it was not requested.
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

/// The file and line of the section that matches the prompt, if the source under the cursor is listed for that reason.
fn hinted_section(state: &State, source: &str) -> Option<(PathBuf, usize)> {
    let considered =
        state.hints.findings.considered.as_ref().filter(|_| state.focus == Pane::Hints && !state.in_feed())?;
    let it = considered.iter().find(|it| it.id.as_str() == source && !it.is_unreadable && it.meaning.line > 0)?;
    let path = it.meaning.path.as_ref().filter(|path| !path.is_empty())?;
    Some((PathBuf::from(&*state.snapshot.workspace).join(path), it.meaning.line))
}

/// Leaves the document: for the pane from which it was opened, otherwise for the list.
pub fn back(state: &mut State) {
    state.part = PanePart::List;
    if let Some(pane) = state.catalog.reading.opened_from.take() {
        state.focus_on(pane);
    }
}

/// The source line, from 1, at the match or at the top of the screen; `None` in the details.
pub fn line(state: &State) -> Option<usize> {
    let (view, _) = view(state)?;
    let search = &state.catalog.search;
    match search.hits.get(search.at) {
        Some(hit) => view.source_line_of(hit),
        None => view.source_line_in(state.catalog.scroll.top),
    }
}

/// Whether the cursor has left the source whose document is shown. The document changes only when the cursor
/// rests, because loading and drawing it for every row passed would be slow.
pub fn has_left_document(state: &State) -> bool {
    let Some(shown) = &state.catalog.reading.shown else { return false };
    let left = subject(state).is_some_and(|subject| subject != shown.source);
    left && !state.reads() && state.snapshot.catalog.get(&shown.source).is_some() && room(state).is_some()
}

/// Runs after every input: requests the document, lays it out, repeats the search, and scrolls to the goal.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    let Some((columns, _)) = room(state) else { return };
    follow_subject(state);
    open_or_close(state);
    start_over(state);
    ask(state, effects);
    lay_out(state, columns);
    keep_below_details(state);
    mark_links(state);
    let is_searched = state.catalog.search.is_on();
    if is_searched {
        match_navigation::find_matches(state);
    }
    scroll_to_goal(state);
    if is_searched {
        match_navigation::keep_match(state);
    }
    sideways::follow(state);
    read_on(state, effects);
    note_place(state);
    document_highlighting::ask(state, effects);
}

/// The source whose document should be shown: the one under the list's cursor.
fn subject(state: &State) -> Option<&str> {
    let is_beside = state.focus == Pane::Selection && state.layout().reader.is_some();
    let selected = state.subject(Pane::Selection).filter(|id| is_beside && state.snapshot.catalog.get(id).is_some());
    selected.or_else(|| state.subject(Pane::Catalog))
}

/// Starts at the top when the source, or the file of a folder, changes.
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

/// Restores the reading position when the document is opened. Scrolls to the top when it is closed, to show
/// the source's state and the effect of a pick.
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

/// Stores the headings of the current document, and its position if it was read.
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
    // Before the goal is reached, it is still the position to keep.
    if let Some(shown) = reading.shown.clone().filter(|_| reading.goal.is_none()) {
        reading.places.keep(shown, reading.place);
    }
}

/// Starts over if the goal is before the parts in memory.
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
    let kind = TextFormat::of(&document, state.snapshot.catalog.get(&document.id));
    let before = std::mem::replace(&mut reading.loaded, LoadedDocument::begin(&mut document, kind));
    reading.asked = None;
    // The focused link belongs to the position to restore, so keep it only with a goal.
    reading.link = reading.link.filter(|_| reading.goal.is_some());
    reading.linked = None;
    reading.painting = std::mem::take(&mut reading.painting).ended();
    if reading.place != ReadingPlace::default() {
        // The same document was reloaded. Lines may have been added or removed above the passage being read.
        let old = ReadingGoal::Place(reading.place);
        if reading.place.line > 0 {
            let now = reading.loaded.line_after_reload(&before, reading.place.line);
            reading.place.line = now.unwrap_or(reading.place.line);
        }
        let goal = reading.goal.take().filter(|goal| *goal != old);
        reading.goal = Some(goal.unwrap_or(ReadingGoal::Place(reading.place)));
    }
    state.catalog.document.take(document);
}

/// Unfolds the front matter, or folds it to one line.
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

/// Requests the next part of the document near its end or on the way to a goal, and the previous one near its start.
fn read_on(state: &mut State, effects: &mut Vec<Effect>) {
    let (Some(answer), None) = (&state.catalog.document.answer, state.catalog.reading.asked) else { return };
    let path = answer.path.clone();
    let Some((view, page)) = view(state) else { return };
    let (reading, top) = (&state.catalog.reading, state.catalog.scroll.top);
    // For a search, load as much as fits in memory.
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
    /// Whether front matter is unfolded.
    pub fn shows_front_matter(&self) -> bool {
        self.front_matter != FrontMatterFold::default()
    }

    /// The document being read and the position in it, or the position to restore once loaded; `None` if it
    /// is only shown beside the list.
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
    /// Its file, if the source has one.
    path: Option<PathBuf>,
    /// Its first line, from 1; 0 without a heading.
    line: usize,
}

/// Opens the details of a source at the section that starts at this line of this file.
pub fn show(state: &mut State, source: &str, path: Option<PathBuf>, line: usize, effects: &mut Vec<Effect>) {
    let document = ReadableDocument { source: source.to_owned(), file: path };
    go_to(state, &document, Some(ReadingGoal::Place(ReadingPlace { line, below: 0 })), effects);
}

/// Opens the details of a document at a goal, or at its stored position.
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
        // The goal may be in a part that is no longer in memory.
        restart(state);
    }
    if goal.is_some() {
        state.catalog.reading.goal = goal;
    }
    state.catalog.reading.link = None;
    follow(state, effects);
}

/// The file of the section shown in the details, at the line being read.
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
