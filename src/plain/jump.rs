//! Finds anything by words: first sources, templates, problems, events, saved filters and commands, then sections from
//! the document search.

use refdesk_desk::SearchAnswer;
use refdesk_desk::engine::Request;
use refdesk_desk::{SearchReader, SearchRequest};
use refdesk_text::Error;

use super::command::COMMANDS;
use super::lists::{NumberedRow, Target, list};
use super::state::{InputOutcome, Pending, PlainState};
use super::words::counted;
use super::{feed, fix, problems, search, templates};
use crate::common::filter::{Haystack, Query, apply};

/// The maximum number of rows per kind.
const MAX: usize = 10;

pub fn jump(state: &mut PlainState, words: &str, turn: &mut InputOutcome) {
    if words.is_empty() {
        return turn.print("Jump where? Type jump and some words.");
    }
    state.pending = Some(Pending::Jump(rows(state, words)));
    turn.ask(Request::Search(Box::new(SearchRequest::new(words, SearchReader::Person))));
}

/// Lists the results, with sections last. Without an index, only names are searched.
pub fn found(
    state: &mut PlainState,
    mut rows: Vec<NumberedRow>,
    found: &Result<Box<SearchAnswer>, Error>,
    turn: &mut InputOutcome,
) {
    match found {
        Ok(answer) => rows.extend(answer.hits.iter().map(|hit| search::row(state, hit))),
        Err(_) if state.snapshot.is_indexing => turn.print(search::INDEXING),
        Err(error) => fix::sentences(error).iter().for_each(|line| turn.print(line)),
    }
    match rows.len() {
        0 => turn.print("Nothing matches."),
        some => turn.print(format!("{} found.", counted(some, "hit"))),
    }
    list(state, rows, turn);
}

fn rows(state: &PlainState, words: &str) -> Vec<NumberedRow> {
    let needles: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let has = |text: &str| {
        let text = text.to_lowercase();
        needles.iter().all(|needle| text.contains(needle.as_str()))
    };
    let snapshot = &state.snapshot;
    let kept = |haystack: &Haystack| apply(snapshot, haystack, Query::parse(words), None).rows;
    let sources = snapshot.catalog.sources();
    let of_sources = kept(&Haystack::of(&snapshot.catalog)).into_iter().filter_map(|at| sources.get(at));
    let mut rows: Vec<NumberedRow> = of_sources
        .take(MAX)
        .map(|source| NumberedRow { target: Target::Source(source.id.clone()), words: None })
        .collect();
    let index = &snapshot.templates;
    let of_templates = kept(&Haystack::of_templates(index, &snapshot.catalog)).into_iter();
    let of_templates = of_templates.filter_map(|at| index.templates.get(at)).take(MAX);
    rows.extend(of_templates.map(|template| named("template", templates::row(template))));
    let of_problems = snapshot.diagnostics.iter().filter(|problem| has(&problem.message)).take(MAX);
    rows.extend(of_problems.map(problems::row));
    let notices = state.feed.notices.iter().filter(|notice| has(&feed::sentence(notice))).take(MAX);
    rows.extend(notices.map(|notice| named("event", feed::row(notice))));
    let filters = state.saved.filters.iter().filter(|(name, line)| has(&format!("{name} {line}"))).take(MAX);
    rows.extend(filters.map(|(name, line)| NumberedRow {
        target: Target::Filter(name.clone()),
        words: Some(format!("filter {name}: {line}.")),
    }));
    let commands =
        COMMANDS.iter().filter(|command| has(&format!("{} {}", command.names.join(" "), command.description)));
    rows.extend(commands.take(MAX).map(|command| NumberedRow {
        target: Target::Sentence,
        words: Some(format!("command {}. {}", command.usage(), command.description)),
    }));
    rows
}

/// The row with its kind before its words.
fn named(kind: &str, row: NumberedRow) -> NumberedRow {
    NumberedRow { words: row.words.map(|words| format!("{kind} {words}")), ..row }
}
