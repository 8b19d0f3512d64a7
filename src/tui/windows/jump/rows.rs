//! Collects the matches of the typed words: sources and templates by their filters, everything else by name
//! and description, and sections from the document search once it has answered.

mod kinds;
mod matches;

use std::collections::HashSet;
use std::path::Path;

use refdesk_core::catalog::SourceId;
use refdesk_desk::SearchHit;

use self::matches::{JumpMatches, NameMatch, RowOrder};
use super::matcher::searched;
use crate::common::jump::{JumpKind, is_found_by_meaning};
use crate::tui::action::ActionBinding;
use crate::tui::catalog::document_part::TextFormat;
use crate::tui::catalog::places::ReadableDocument;
use crate::tui::state::State;

/// The maximum number of rows per kind, except actions.
const MAX: usize = 60;

/// The maximum number of rows before sections whose headings do not contain the words, unless more rows have the words
/// in their names. Feed rows do not count: a feed full of hints would come before the sources that the hints are about.
const BEFORE_SEARCH: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub enum JumpTarget {
    Source(SourceId),
    Template(String),
    /// A heading of a document read before, with its anchor.
    Heading(ReadableDocument, String),
    /// A result of the document search.
    Section(Box<SearchHit>),
    /// A tag, and the number of its sources.
    Tag(String, usize),
    /// A problem, by index.
    Problem(usize),
    /// A row of the feed, by index from the newest.
    Notice(usize),
    /// A saved filter, by name.
    Filter(String),
    Action(&'static ActionBinding),
}

#[derive(Debug, Clone)]
pub struct JumpRow {
    pub kind: JumpKind,
    pub name: String,
    /// The name of a source, which is not shown (its id is).
    title: String,
    pub about: String,
    pub found: FoundIn,
    pub to: JumpTarget,
    /// Whether it contains none of the words.
    is_found_by_meaning: bool,
    /// Why it is disabled here and now.
    pub why_not: Option<String>,
}

/// Indices of matched characters.
#[derive(Debug, Clone, Default)]
pub struct FoundIn {
    pub name: Vec<u32>,
    pub about: Vec<u32>,
}

/// The maximum number of sections found by meaning alone when all kinds are listed; further ones are irrelevant.
const MAX_SEMANTIC_ROWS: usize = 10;

impl JumpRow {
    fn new(kind: JumpKind, name: String, about: String, to: JumpTarget) -> Self {
        let (title, found) = (String::new(), FoundIn::default());
        Self { kind, name, title, about, found, to, is_found_by_meaning: false, why_not: None }
    }

    fn of_section(hit: &SearchHit) -> Self {
        // The outermost heading is the document's title, whose source is named beside it.
        let heading = heading(hit);
        let name = heading.split_once(" > ").map_or(heading, |(_, below)| below);
        let about = searched(&format!("@{}", hit.source_id));
        let row = Self::new(JumpKind::Heading, searched(name), about, JumpTarget::Section(Box::new(hit.clone())));
        Self { is_found_by_meaning: is_found_by_meaning(hit), ..row }
    }

    fn of_entry(hit: &SearchHit) -> Self {
        let to = JumpTarget::Source(SourceId::from(hit.source_id.as_str()));
        let row = Self::new(JumpKind::Source, searched(&hit.source_id), searched(&hit.name), to);
        Self { is_found_by_meaning: is_found_by_meaning(hit), ..row }
    }

    /// The name of a section with its document's title, such as `Retries > Decision`; `None` if the name
    /// already contains it.
    pub fn name_with_title(&self) -> Option<String> {
        match &self.to {
            JumpTarget::Section(hit) if heading(hit).contains(" > ") => Some(searched(heading(hit))),
            _ => None,
        }
    }

    /// The first column: `meaning` for a section or source that contains none of the words.
    pub fn word(&self) -> &'static str {
        match &self.to {
            _ if self.is_found_by_meaning => "meaning",
            JumpTarget::Section(hit) if is_file(hit) => "file",
            _ => self.kind.word(),
        }
    }

    /// `docs/retry.md:31`, for a section of a file.
    pub fn place(&self) -> Option<String> {
        match &self.to {
            JumpTarget::Section(hit) if !hit.path.is_empty() => Some(format!("{}:{}", hit.path, hit.line)),
            _ => None,
        }
    }

    pub fn is_section(&self) -> bool {
        matches!(self.to, JumpTarget::Section(_))
    }

    pub fn source(&self) -> Option<&str> {
        match &self.to {
            JumpTarget::Source(id) => Some(id.as_str()),
            JumpTarget::Heading(document, _) => Some(&document.source),
            JumpTarget::Section(hit) => Some(&hit.source_id),
            _ => None,
        }
    }
}

/// The headings of a section. A file without headings uses its own name, and the start of a document that of
/// its source.
fn heading(hit: &SearchHit) -> &str {
    match hit.path.rsplit('/').next() {
        Some(file) if is_file(hit) => file,
        _ if hit.heading.is_empty() => &hit.name,
        _ => &hit.heading,
    }
}

/// Whether it is in a file without headings, such as a settings file.
fn is_file(hit: &SearchHit) -> bool {
    hit.heading.is_empty() && !hit.path.is_empty() && !TextFormat::of_path(Path::new(&hit.path)).is_markdown()
}

/// Removes rows that repeat a source's row: other rows of the same source, and headings equal to its name.
fn without_repetitions(state: &State, mut rows: Vec<JumpRow>) -> Vec<JumpRow> {
    let mut listed = HashSet::new();
    rows.retain(|row| match &row.to {
        JumpTarget::Source(id) => listed.insert(id.clone()),
        _ => true,
    });
    rows.retain(|row| {
        let source = row.source().filter(|id| row.kind == JumpKind::Heading && listed.contains(*id));
        let Some(source) = source.and_then(|id| state.snapshot.catalog.get(id)) else { return true };
        // The start of a file without a heading is also titled with that name.
        let heading = match &row.to {
            JumpTarget::Section(hit) => &hit.heading,
            _ => &row.name,
        };
        heading.to_lowercase() != source.name.to_lowercase()
    });
    rows
}

/// All rows, best match first.
pub fn rows(state: &mut State) -> Vec<JumpRow> {
    let line = state.jump.line.text().to_owned();
    let (only, words) = JumpKind::of(&line);
    let mut matches = JumpMatches::new(words);
    for kind in JumpKind::ALL.into_iter().filter(|kind| only.is_none_or(|only| only == *kind)) {
        kinds::add(state, kind, words, &mut matches);
    }
    let of_hit = |hit: &SearchHit| match hit.kind.as_str() {
        // Matches in a source's catalog entry are not headings of its text.
        "source" if only.is_none() => JumpRow::of_entry(hit),
        _ => JumpRow::of_section(hit),
    };
    let (in_headings, others): (Vec<&SearchHit>, Vec<_>) =
        hits(state, only, words).into_iter().partition(|hit| matches.is_in_heading(hit));
    let hits = [in_headings, others].map(|hits| hits.into_iter().map(of_hit).collect());
    let found = matches.best();
    if words.is_empty() || only.is_some_and(|only| only != JumpKind::Heading) {
        return found.into_iter().map(|(_, row)| row).collect();
    }
    without_repetitions(state, merged(found, hits, words))
}

/// The results of the document search, with only the first ones found by meaning if all kinds are listed.
fn hits<'s>(state: &'s State, only: Option<JumpKind>, words: &str) -> Vec<&'s SearchHit> {
    let hits: &[SearchHit] = match only {
        None | Some(JumpKind::Heading) if !words.is_empty() => state.jump.hits(),
        _ => &[],
    };
    let most = if only.is_none() { MAX_SEMANTIC_ROWS } else { hits.len() };
    let mut found_by_meaning = 0;
    let is_near = |hit: &&SearchHit| {
        found_by_meaning += usize::from(is_found_by_meaning(hit));
        !is_found_by_meaning(hit) || found_by_meaning <= most
    };
    hits.iter().filter(is_near).collect()
}

/// The rows of all kinds with the search results, those with the words in their headings and the others: first what has
/// the words in its name.
fn merged(
    mut found: Vec<(RowOrder, JumpRow)>,
    [in_headings, other_hits]: [Vec<JumpRow>; 2],
    words: &str,
) -> Vec<JumpRow> {
    let has_hits = !in_headings.is_empty() || !other_hits.is_empty();
    let is_named = |(order, _): &(RowOrder, JumpRow)| order.0 != NameMatch::Other;
    let mut others = found.split_off(found.iter().position(|row| !is_named(row)).unwrap_or(found.len()));
    let mut rows: Vec<JumpRow> = found.into_iter().map(|(_, row)| row).collect();
    rows.extend(in_headings);
    let is_later = |(_, row): &mut (RowOrder, JumpRow)| match row.kind {
        JumpKind::Feed => !is_time(words),
        // Search results have an excerpt and a line, and are ordered by relevance.
        JumpKind::Heading => has_hits,
        _ => false,
    };
    // Problems come last.
    let problems: Vec<_> = others.extract_if(.., |(_, row)| row.kind == JumpKind::Problem).collect();
    let later: Vec<_> = others.extract_if(.., is_later).collect();
    let names = others.iter().filter(|((_, _, outside_name, ..), _)| *outside_name == 0).count();
    let rest = others.split_off(others.len().min(names.max(BEFORE_SEARCH.saturating_sub(rows.len()))));
    rows.extend(others.into_iter().map(|(_, row)| row));
    rows.extend(other_hits);
    rows.extend(later.into_iter().chain(rest).chain(problems).map(|(_, row)| row));
    rows
}

/// Whether the words are a time, such as `14:12`.
fn is_time(words: &str) -> bool {
    words.split_once(':').is_some_and(|(hours, rest)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(hours) && rest.split(':').all(is_number)
    })
}
