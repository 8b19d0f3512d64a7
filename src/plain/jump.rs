//! Finds anything by words, with the kinds and signs of the screen's jump: sources, templates, tags and saved filters, then
//! sections from the document search, then the rest.

use refdesk_desk::engine::Request;
use refdesk_desk::{SearchAnswer, SearchHit, SearchReader, SearchRequest};
use refdesk_text::Error;

use super::command::{COMMANDS, PlainCommand};
use super::lists::{NumberedRow, Target, list_counted};
use super::state::{InputOutcome, Pending, PlainState};
use super::words::counted;
use super::{feed, problems, saved, search, templates};
use crate::common::filter::{Haystack, Query, apply};
use crate::common::jump::{JumpKind, is_found_by_meaning, tags};

pub fn jump(state: &mut PlainState, words: &str, turn: &mut InputOutcome) {
    if words.is_empty() {
        return turn.print("Jump where? Type jump and some words.");
    }
    let (only, needle) = JumpKind::of(words);
    if needle.is_empty() || only.is_some_and(|only| only != JumpKind::Heading) {
        return print(state, rows(state, words, &[]), turn);
    }
    state.pending = Some(Pending::Jump(words.to_owned()));
    let request = SearchRequest { is_unfinished: true, ..SearchRequest::new(needle, SearchReader::Person) };
    turn.ask(Request::Search(Box::new(request)));
}

/// Lists the results. Without an index, only names are searched.
pub fn found(state: &mut PlainState, words: &str, found: &Result<Box<SearchAnswer>, Error>, turn: &mut InputOutcome) {
    let hits = match found {
        Ok(answer) => answer.hits.as_slice(),
        Err(_) if state.snapshot.is_indexing => {
            turn.print(search::INDEXING);
            &[]
        }
        Err(error) => {
            turn.print_error(error);
            &[]
        }
    };
    print(state, rows(state, words, hits), turn);
}

fn print(state: &mut PlainState, rows: Vec<NumberedRow>, turn: &mut InputOutcome) {
    list_counted(state, rows, "Nothing matches.", ("hit", " found."), turn);
}

/// In the order of the screen: names, then sections, then events, and problems last.
const ORDER: [JumpKind; 8] = [
    JumpKind::Source,
    JumpKind::Template,
    JumpKind::Tag,
    JumpKind::Filter,
    JumpKind::Heading,
    JumpKind::Action,
    JumpKind::Feed,
    JumpKind::Problem,
];

fn rows(state: &PlainState, line: &str, hits: &[SearchHit]) -> Vec<NumberedRow> {
    let (only, words) = JumpKind::of(line);
    let kinds = ORDER.into_iter().filter(|kind| only.is_none_or(|only| only == *kind));
    let mut rows: Vec<NumberedRow> = Vec::new();
    for kind in kinds {
        match kind {
            JumpKind::Heading => {
                // An entry of the catalog is not a section beside its own source.
                let is_listed = |hit: &&SearchHit| {
                    let is_row =
                        |row: &NumberedRow| matches!(&row.target, Target::Source(id) if id.as_str() == hit.source_id);
                    hit.kind == "source" && rows.iter().any(is_row)
                };
                let sections: Vec<NumberedRow> =
                    hits.iter().filter(|hit| !is_listed(hit)).map(|hit| section(state, hit)).collect();
                rows.extend(sections);
            }
            kind => rows.extend(of_kind(state, kind, words)),
        }
    }
    rows
}

fn section(state: &PlainState, hit: &SearchHit) -> NumberedRow {
    let row = search::row(state, hit);
    if is_found_by_meaning(hit) { named("by meaning:", row) } else { row }
}

/// The rows of a kind that match.
fn of_kind(state: &PlainState, kind: JumpKind, words: &str) -> Vec<NumberedRow> {
    let needles: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let has = |text: &str| {
        let text = text.to_lowercase();
        needles.iter().all(|needle| text.contains(needle.as_str()))
    };
    let sentence = |words: String| NumberedRow::new(Target::Sentence, words);
    let snapshot = &state.snapshot;
    let kept = |haystack: &Haystack| apply(snapshot, haystack, Query::parse(words), None).rows.into_iter();
    match kind {
        JumpKind::Source => {
            let sources = kept(&Haystack::of(&snapshot.catalog)).filter_map(|at| snapshot.catalog.sources().get(at));
            sources.map(|it| NumberedRow::of_source(it.id.clone())).collect()
        }
        JumpKind::Template => {
            let index = &snapshot.templates;
            let templates = kept(&Haystack::of_templates(index, &snapshot.catalog));
            let templates = templates.filter_map(|at| index.templates.get(at));
            templates.map(|template| named("template", templates::row(template))).collect()
        }
        JumpKind::Tag => {
            let tags = tags(&snapshot.catalog).into_iter().filter(|(tag, _)| has(tag));
            let row = |(tag, count)| {
                sentence(format!("tag {tag}, {}. Type catalog #{tag} to list them.", counted(count, "source")))
            };
            tags.map(row).collect()
        }
        JumpKind::Heading => Vec::new(),
        JumpKind::Problem => snapshot.diagnostics.iter().filter(|it| has(&it.message)).map(problems::row).collect(),
        JumpKind::Feed => {
            let notices = state.feed.notices.iter().filter(|notice| has(&feed::sentence(notice)));
            notices.map(|notice| named("event", feed::row(notice))).collect()
        }
        JumpKind::Filter => {
            let filters = state.saved.filters.iter().filter(|(name, line)| has(&format!("{name} {line}")));
            filters.map(|(name, line)| named("filter", saved::row(name, line))).collect()
        }
        JumpKind::Action => {
            let is_match =
                |command: &&PlainCommand| has(&format!("{} {}", command.names.join(" "), command.description));
            let commands = COMMANDS.iter().filter(is_match);
            commands.map(|it| sentence(format!("command {}. {}", it.usage(), it.description))).collect()
        }
    }
}

/// The row with its kind before its words.
fn named(kind: &str, row: NumberedRow) -> NumberedRow {
    NumberedRow { words: row.words.map(|words| format!("{kind} {words}")), ..row }
}
