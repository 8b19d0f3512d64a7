//! Numbered lists and texts, printed a page at a time. A number stays valid until the next list.

use std::path::PathBuf;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Notice, Request};
use refdesk_desk::{SearchHit, size};
use refdesk_text::report::Diagnostic;

use super::catalog;
use super::state::{Continuation, InputOutcome, Pending, PlainState};
use super::words::counted;

/// Rows or lines of a page.
pub const PAGE: usize = 20;

/// Up to this many remaining rows are printed with the previous page.
const REST: usize = 5;

/// The rows of the last list.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    pub rows: Vec<NumberedRow>,
    /// The number of rows printed so far.
    pub printed: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NumberedRow {
    pub target: Target,
    /// The printed text; `None` for the sentence about its source.
    pub words: Option<String>,
}

impl NumberedRow {
    pub fn new(target: Target, words: String) -> Self {
        Self { target, words: Some(words) }
    }

    /// A row with the sentence about this source.
    pub fn of_source(id: SourceId) -> Self {
        Self { target: Target::Source(id), words: None }
    }
}

/// What the number of a row refers to.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Source(SourceId),
    /// A template, by its name.
    Template(String),
    Problem(Box<Diagnostic>),
    /// A profile, by its file.
    Profile(PathBuf),
    Section(Box<SearchHit>),
    Notice(Box<Notice>),
    /// An agent's session, by desk and name.
    Session(String, String),
    /// A receipt, by its line number in the journal.
    Receipt(u64),
    /// A database page, by database name and path.
    DatabasePage(String, String),
    Sentence,
    /// A request, by its id.
    Request(String),
    /// A saved filter, by its name.
    Filter(String),
}

impl Target {
    /// The source that the row is about, if any.
    pub fn source(&self) -> Option<SourceId> {
        match self {
            Self::Source(id) => Some(id.clone()),
            Self::Problem(problem) => problem.source_id.as_deref().map(SourceId::from),
            Self::Section(hit) => Some(SourceId::from(hit.source_id.as_str())),
            Self::Notice(notice) => notice.subject.clone(),
            Self::Template(_)
            | Self::Profile(_)
            | Self::Request(_)
            | Self::Filter(_)
            | Self::Session(..)
            | Self::Receipt(_)
            | Self::DatabasePage(..)
            | Self::Sentence => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pages {
    pub title: String,
    pub lines: Vec<String>,
    /// The number of lines printed so far.
    pub printed: usize,
    /// Printed after the last line.
    pub end: Vec<String>,
    /// Where the document continues, if it was not read completely.
    pub rest: Option<RestOfDocument>,
    /// The last search words, and how many matching lines were printed.
    pub needle: String,
    pub found: usize,
}

/// The unread part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestOfDocument {
    pub id: SourceId,
    pub path: Option<PathBuf>,
    /// The offset at which it starts.
    pub from: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl RestOfDocument {
    /// The request for its next part.
    pub fn request(&self) -> Request {
        Request::ReadOn { id: self.id.clone(), path: self.path.clone(), from: self.from }
    }
}

/// Starts a new list and prints its first page.
pub fn list(state: &mut PlainState, rows: Vec<NumberedRow>, turn: &mut InputOutcome) {
    state.list = Listing { rows, printed: 0 };
    print_rows(state, turn);
}

/// Starts a new list after a line with the number of its rows, `3 hits found.`, or that there are `none`.
pub fn list_counted(
    state: &mut PlainState,
    rows: Vec<NumberedRow>,
    none: &str,
    (noun, end): (&str, &str),
    turn: &mut InputOutcome,
) {
    match rows.len() {
        0 => turn.print(none),
        some => turn.print(format!("{}{end}", counted(some, noun))),
    }
    list(state, rows, turn);
}

/// Starts a new text and prints its first page.
pub fn read(state: &mut PlainState, text: Pages, turn: &mut InputOutcome) {
    state.text = text;
    print_lines(state, turn);
}

/// Appends the next part of a document and prints its first page.
pub fn read_on(state: &mut PlainState, lines: Vec<String>, rest: Option<RestOfDocument>, turn: &mut InputOutcome) {
    state.text.lines.extend(lines);
    state.text.rest = rest;
    print_lines(state, turn);
}

pub fn more(state: &mut PlainState, turn: &mut InputOutcome) {
    match state.more {
        Continuation::Nothing => turn.print("There is nothing more."),
        Continuation::List => print_rows(state, turn),
        Continuation::Text => match state.text.rest.clone().filter(|_| state.text.printed == state.text.lines.len()) {
            Some(rest) => {
                state.pending = Some(Pending::RestOfDocument);
                turn.ask(rest.request());
            }
            None => print_lines(state, turn),
        },
    }
}

fn print_rows(state: &mut PlainState, turn: &mut InputOutcome) {
    let from = state.list.printed;
    let all = state.list.rows.len();
    let count = page(all - from.min(all));
    for (nth, row) in state.list.rows.iter().enumerate().skip(from).take(count) {
        let words = match (&row.words, &row.target) {
            (Some(words), _) => words.clone(),
            (None, Target::Source(id)) => catalog::sentence(&state.snapshot, id.as_str()),
            (None, _) => String::new(),
        };
        turn.print(format!("{}: {words}", nth + 1));
    }
    state.list.printed = all.min(from + count);
    state.more = if state.list.printed < all { Continuation::List } else { Continuation::Nothing };
    if state.list.printed < all {
        turn.print(format!("{} more. Type more to list them.", counted(all - state.list.printed, "row")));
    }
}

fn print_lines(state: &mut PlainState, turn: &mut InputOutcome) {
    let text = &mut state.text;
    let count = page(text.lines.len().saturating_sub(text.printed));
    for line in text.lines.iter().skip(text.printed).take(count) {
        turn.print(line);
    }
    text.printed = text.lines.len().min(text.printed + count);
    let left = text.lines.len() - text.printed;
    let is_end = left == 0 && text.rest.is_none();
    state.more = if is_end { Continuation::Nothing } else { Continuation::Text };
    let left = match (left, &text.rest) {
        _ if is_end => return text.end.iter().for_each(|line| turn.print(line)),
        (0, Some(rest)) => size(rest.bytes),
        (left, Some(rest)) => format!("{} and {}", counted(left, "line"), size(rest.bytes)),
        (left, None) => counted(left, "line"),
    };
    turn.print(format!("{left} more. Type more to list them."));
}

/// How many of the remaining rows to print at once.
fn page(left: usize) -> usize {
    if left <= PAGE + REST { left } else { PAGE }
}

/// What the row with this number, from 1, refers to.
pub fn target(state: &PlainState, number: usize) -> Option<&Target> {
    state.list.rows.get(number.checked_sub(1)?).map(|row| &row.target)
}
