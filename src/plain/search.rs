//! Searches all documents by words and by meaning.

use std::path::Path;

use refdesk_desk::engine::Request;
use refdesk_desk::{SearchAnswer, SearchHit, SearchMode, SearchReader, SearchRequest};
use refdesk_text::Error;

use super::lists::{NumberedRow, Pages, Target, list, read};
use super::source::PartialDocument;
use super::state::{InputOutcome, Pending, PlainState};
use super::words::{counted, state_words};

/// Printed while there is no search index.
pub const INDEXING: &str = "The documents are still being indexed, so they cannot be searched yet.";

pub fn search(state: &mut PlainState, query: &str, turn: &mut InputOutcome) {
    if query.is_empty() {
        return turn.print("Search for what? Type search and a question, some words, or a phrase in quotation marks.");
    }
    state.pending = Some(Pending::Search);
    turn.ask(Request::Search(Box::new(SearchRequest::new(query, SearchReader::Person))));
}

pub fn found(state: &mut PlainState, found: Result<Box<SearchAnswer>, Error>, turn: &mut InputOutcome) {
    let answer = match found {
        Ok(answer) => answer,
        Err(_) if state.snapshot.is_indexing => return turn.print(INDEXING),
        Err(error) => return turn.print_error(&error),
    };
    let by = match answer.mode {
        SearchMode::Hybrid => "words and meaning",
        SearchMode::Words => "words alone",
        SearchMode::Meaning => "meaning only",
    };
    answer.notes.iter().for_each(|note| turn.print(note));
    match answer.hits.len() {
        0 if answer.explains_no_hits => {}
        0 => turn.print("Nothing found."),
        some => turn.print(format!("{} found by {by}.", counted(some, "hit"))),
    }
    let rows = answer.hits.iter().map(|hit| row(state, hit)).collect();
    list(state, rows, turn);
}

pub fn row(state: &PlainState, hit: &SearchHit) -> NumberedRow {
    NumberedRow::new(Target::Section(Box::new(hit.clone())), words(state, hit))
}

/// `Retries > Backoff, retry-pattern, docs/retry.md:12-30, picked.`
fn words(state: &PlainState, hit: &SearchHit) -> String {
    let title = if hit.heading.is_empty() { &hit.name } else { &hit.heading };
    let place = hit.place().map(|place| format!(", {place}")).unwrap_or_default();
    format!("{title}, {}{place}, {}.", hit.source_id, state_words(&state.snapshot, &hit.source_id))
}

pub fn show(state: &mut PlainState, hit: &SearchHit, turn: &mut InputOutcome) {
    state.about = Some(hit.source_id.as_str().into());
    turn.print(words(state, hit));
    let lines: Vec<String> = hit.excerpt.lines().map(str::to_owned).collect();
    let end = vec!["Type document with the number of the row to read on from there.".to_owned()];
    read(state, Pages { title: "the section".to_owned(), lines, end, ..Pages::default() }, turn);
}

/// Prints the document of a section, starting at its line.
pub fn document(state: &mut PlainState, hit: &SearchHit, turn: &mut InputOutcome) {
    state.about = Some(hit.source_id.as_str().into());
    state.pending = Some(Pending::Document { from: hit.line.saturating_sub(1), begun: PartialDocument::default() });
    let id = hit.source_id.as_str().into();
    turn.ask(match hit.path.as_str() {
        "" => Request::Read { id, file: None },
        path => Request::Read { id, file: Some(Path::new(&*state.snapshot.workspace).join(path)) },
    });
}
