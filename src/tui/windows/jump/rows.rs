//! Collects the matches of the typed words: sources and templates by their filters, everything else by name
//! and description, and sections from the document search once it has answered.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Notice, Topic};
use refdesk_desk::{RankedList, SearchHit};

use super::JumpWindow;
use super::actions::{self, Availability};
use super::kind::JumpKind;
use super::matcher::{WordMatch, WordMatcher, searched};
use crate::common::filter::variables;
use crate::tui::action::ActionBinding;
use crate::tui::catalog::document_part::TextFormat;
use crate::tui::catalog::places::ReadableDocument;
use crate::tui::catalog::{filtered_rows, outlines};
use crate::tui::filter::{FilterResult, Query, apply};
use crate::tui::state::State;
use crate::tui::templates;
use crate::tui::widgets::cells;
use crate::tui::windows::problems;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatch {
    /// It equals the typed text.
    Exact,
    /// The id or name of a source starts with it.
    Beginning,
    /// It is the tag of several sources.
    Tag,
    /// Each typed word is a whole word of it.
    Words,
    /// Anything else: fuzzy matches and matches in the description.
    Other,
}

/// The better match comes first: a whole name, then names with all the words, then anything before problems, then names before
/// descriptions, then what is possible, then anything before tags and moves by a row, then sources whose names have what is
/// typed in one piece; of equal ones the shorter name.
type RowOrder = (NameMatch, bool, usize, Availability, bool, bool, Reverse<u32>, usize);

struct JumpRows {
    matcher: WordMatcher,
    rows: Vec<(RowOrder, JumpRow)>,
}

impl JumpRows {
    fn add(&mut self, kind: JumpKind, name: &str, about: &str, to: JumpTarget) {
        let (name, about) = (searched(name), searched(about));
        if let Some(found) = self.matcher.find(&name, &about) {
            self.push(found, (Availability::Possible, None), JumpRow::new(kind, name, about, to));
        }
    }

    fn push(&mut self, found: WordMatch, (at, why_not): (Availability, Option<String>), row: JumpRow) {
        let is_less = match row.to {
            JumpTarget::Action(binding) => actions::is_move(binding),
            // A tag leads to several sources.
            _ => row.kind == JumpKind::Tag,
        };
        // Without typed text, rows are ordered by kind.
        let is_typed = !self.matcher.is_empty();
        // A problem's name is its subject.
        let is_problem = is_typed && row.kind == JumpKind::Problem;
        let name_match = self.name_match(&row);
        let is_found_by_name = matches!(row.kind, JumpKind::Source | JumpKind::Template) && found.outside_name == 0;
        let length = if is_typed && is_found_by_name { row.name.len() } else { 0 };
        // A template's source repeats the purpose in its name, and says it first.
        let is_other = !(is_typed && row.kind == JumpKind::Source && self.matcher.is_within(&row.name));
        let order = (name_match, is_problem, found.outside_name, at, is_less, is_other, Reverse(found.score), length);
        let found = FoundIn { name: found.in_name, about: found.in_description };
        self.rows.push((order, JumpRow { found, why_not, ..row }));
    }

    fn name_match(&self, row: &JumpRow) -> NameMatch {
        match row.kind {
            JumpKind::Problem if !self.matcher.is_empty() => NameMatch::Other,
            // A tag with a single source is only a detour to it.
            JumpKind::Tag if self.matcher.is_exact(&row.name) => match row.to {
                JumpTarget::Tag(_, 1) => NameMatch::Words,
                _ => NameMatch::Tag,
            },
            _ if self.matcher.is_exact(&row.name) => NameMatch::Exact,
            JumpKind::Source if self.matcher.begins(&row.name) || self.matcher.begins(&row.title) => {
                NameMatch::Beginning
            }
            // Its name contains its time and actor.
            JumpKind::Feed => NameMatch::Other,
            _ if self.matcher.has_words(&row.name) || self.matcher.has_words(&row.title) => NameMatch::Words,
            _ => NameMatch::Other,
        }
    }

    /// Whether a section's heading contains all the words: at least one in the innermost heading, the others
    /// in any above it.
    fn is_in_heading(&self, hit: &SearchHit) -> bool {
        let heading = heading(hit);
        let last = heading.rsplit(" > ").next().unwrap_or(heading);
        self.matcher.has_words(heading) && self.matcher.has_a_word(last)
    }

    /// Adds a row that a filter matched in any of its searched texts.
    fn add_filtered(&mut self, row: JumpRow) {
        let otherwise = || WordMatch { outside_name: usize::MAX, ..WordMatch::default() };
        let found = self.matcher.find(&row.name, &row.about).unwrap_or_else(otherwise);
        self.push(found, (Availability::Possible, None), row);
    }
}

impl JumpRow {
    fn new(kind: JumpKind, name: String, about: String, to: JumpTarget) -> Self {
        Self { kind, name, title: String::new(), about, found: FoundIn::default(), to, why_not: None }
    }

    fn of_section(hit: &SearchHit) -> Self {
        // The outermost heading is the document's title, whose source is named beside it.
        let heading = heading(hit);
        let name = heading.split_once(" > ").map_or(heading, |(_, below)| below);
        let about = searched(&format!("@{}", hit.source_id));
        Self::new(JumpKind::Heading, searched(name), about, JumpTarget::Section(Box::new(hit.clone())))
    }

    fn of_entry(hit: &SearchHit) -> Self {
        let to = JumpTarget::Source(SourceId::from(hit.source_id.as_str()));
        Self::new(JumpKind::Source, searched(&hit.source_id), searched(&hit.name), to)
    }

    /// The name of a section with its document's title, such as `Retries > Decision`; `None` if the name
    /// already contains it.
    pub fn name_with_title(&self) -> Option<String> {
        match &self.to {
            JumpTarget::Section(hit) if heading(hit).contains(" > ") => Some(searched(heading(hit))),
            _ => None,
        }
    }

    /// The first column: `meaning` for a section that contains none of the words.
    pub fn word(&self) -> &'static str {
        match &self.to {
            JumpTarget::Section(hit) if is_found_by_meaning(hit) => "meaning",
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

/// Whether a section was found by meaning alone.
fn is_found_by_meaning(hit: &SearchHit) -> bool {
    matches!(hit.because.as_slice(), [only] if only.list == RankedList::Meaning)
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
    let mut rows = JumpRows { matcher: WordMatcher::new(words), rows: Vec::new() };
    for kind in JumpKind::ALL.into_iter().filter(|kind| only.is_none_or(|only| only == *kind)) {
        match kind {
            JumpKind::Source => sources(state, words, &mut rows),
            JumpKind::Template => templates_of(state, words, &mut rows),
            JumpKind::Heading => headings(state, &mut rows),
            JumpKind::Tag => tags(&state.jump, &mut rows),
            JumpKind::Problem => {
                for (nth, problem) in state.problems().into_iter().enumerate() {
                    // The problems window shows the code too.
                    let (code, place) = (problem.code.as_str(), problems::short_place(problem));
                    let gap = if place.is_empty() { "" } else { " " };
                    let about = format!("{code}: {place}{gap}{}", problems::message(problem));
                    rows.add(kind, &problems::subject(problem), &about, JumpTarget::Problem(nth));
                }
            }
            JumpKind::Feed => feed(state, words, &mut rows),
            JumpKind::Filter => {
                for (name, line) in &state.named_filters {
                    rows.add(kind, name, line, JumpTarget::Filter(name.clone()));
                }
            }
            JumpKind::Action => {
                for (binding, at, why_not) in actions::listed(state) {
                    if let Some(found) = rows.matcher.find(binding.name, binding.description) {
                        let (name, about) = (binding.name.to_owned(), binding.description.to_owned());
                        let row = JumpRow::new(kind, name, about, JumpTarget::Action(binding));
                        rows.push(found, (at, why_not), row);
                    }
                }
            }
        }
    }
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
    let hits: Vec<&SearchHit> = hits.iter().filter(is_near).collect();
    let (in_headings, other_hits): (Vec<&SearchHit>, Vec<_>) =
        hits.iter().copied().partition(|hit| rows.is_in_heading(hit));
    let mut found = rows.rows;
    // A stable sort: without typed text, rows stay ordered by kind.
    found.sort_by_key(|(order, _)| *order);
    let mut kept = BTreeMap::new();
    let is_few = |(_, row): &(RowOrder, JumpRow)| {
        let count = kept.entry(row.kind.sign()).or_insert(0);
        *count += 1;
        row.kind == JumpKind::Action || *count <= MAX
    };
    found.retain(is_few);
    if words.is_empty() || only.is_some_and(|only| only != JumpKind::Heading) {
        return found.into_iter().map(|(_, row)| row).collect();
    }
    let is_named = |(order, _): &(RowOrder, JumpRow)| order.0 != NameMatch::Other;
    let mut others = found.split_off(found.iter().position(|row| !is_named(row)).unwrap_or(found.len()));
    let mut rows: Vec<JumpRow> = found.into_iter().map(|(_, row)| row).collect();
    let of_hit = |hit: &SearchHit| match hit.kind.as_str() {
        // Matches in a source's catalog entry are not headings of its text.
        "source" if only.is_none() => JumpRow::of_entry(hit),
        _ => JumpRow::of_section(hit),
    };
    rows.extend(in_headings.into_iter().map(of_hit));
    let is_later = |(_, row): &mut (RowOrder, JumpRow)| match row.kind {
        JumpKind::Feed => !is_time(words),
        // Search results have an excerpt and a line, and are ordered by relevance.
        JumpKind::Heading => !hits.is_empty(),
        _ => false,
    };
    // Problems come last.
    let problems: Vec<_> = others.extract_if(.., |(_, row)| row.kind == JumpKind::Problem).collect();
    let later: Vec<_> = others.extract_if(.., is_later).collect();
    let names = others.iter().filter(|((_, _, outside_name, ..), _)| *outside_name == 0).count();
    let rest = others.split_off(others.len().min(names.max(BEFORE_SEARCH.saturating_sub(rows.len()))));
    rows.extend(others.into_iter().map(|(_, row)| row));
    rows.extend(other_hits.into_iter().map(of_hit));
    rows.extend(later.into_iter().chain(rest).chain(problems).map(|(_, row)| row));
    without_repetitions(state, rows)
}

fn sources(state: &mut State, words: &str, rows: &mut JumpRows) {
    filtered_rows::prepare(state);
    let Some(haystack) = state.catalog.haystack.clone() else { return };
    let query = Query::parse(&words.to_lowercase());
    let positions: Vec<usize> = if query.is_empty() {
        state.catalog.rows.iter().take(MAX).copied().collect()
    } else {
        let before = std::mem::take(&mut state.jump.sources);
        state.jump.sources = apply(&state.snapshot, &haystack, query, Some(&before));
        best(&state.jump.sources)
    };
    let sources = state.snapshot.catalog.sources();
    for source in positions.into_iter().filter_map(|at| sources.get(at)) {
        let about = if source.description.is_empty() { &source.name } else { &source.description };
        let (id, to) = (searched(source.id.as_str()), JumpTarget::Source(source.id.clone()));
        let row = JumpRow::new(JumpKind::Source, id, searched(about), to);
        rows.add_filtered(JumpRow { title: searched(&source.name), ..row });
    }
}

fn templates_of(state: &mut State, words: &str, rows: &mut JumpRows) {
    let haystack = templates::filtered_templates::packed(state);
    let query = Query::parse(&words.to_lowercase());
    let positions: Vec<usize> = if query.is_empty() {
        (0..state.snapshot.templates.templates.len()).take(MAX).collect()
    } else {
        let before = std::mem::take(&mut state.jump.templates);
        state.jump.templates = apply(&state.snapshot, &haystack, query, Some(&before));
        best(&state.jump.templates)
    };
    for template in positions.into_iter().filter_map(|at| state.snapshot.templates.templates.get(at)) {
        let (name, about) = (searched(&template.name), searched(&variables(template)));
        let to = JumpTarget::Template(template.name.clone());
        rows.add_filtered(JumpRow::new(JumpKind::Template, name, about, to));
    }
}

fn best(found: &FilterResult) -> Vec<usize> {
    found.rows.iter().take(MAX).copied().collect()
}

/// The headings of documents read before, except those that the search has found.
fn headings(state: &State, rows: &mut JumpRows) {
    for (document, heading) in outlines::headings(state) {
        let is_same = |hit: &SearchHit| hit.source_id == document.source && hit.heading.ends_with(&heading.title);
        if !state.jump.hits().iter().any(is_same) {
            let to = JumpTarget::Heading(document.clone(), heading.anchor.clone());
            rows.add(JumpKind::Heading, &heading.title, &format!("@{}", document.source), to);
        }
    }
}

fn tags(jump: &JumpWindow, rows: &mut JumpRows) {
    for (tag, count) in &jump.tags {
        rows.add(JumpKind::Tag, tag, &cells::counted(*count, "source"), JumpTarget::Tag(tag.clone(), *count));
    }
}

/// Maximum width of an actor.
const MAX_ACTOR_WIDTH: usize = 11;

/// The rows of the feed. If the typed text is a time, the user asks what agents were sent then, so all rows
/// of that minute come first.
fn feed(state: &State, words: &str, rows: &mut JumpRows) {
    let is_time = is_time(words);
    let is_feed = JumpKind::of(state.jump.line.text()).0 == Some(JumpKind::Feed);
    let columns = |text: fn(&Notice) -> &str| {
        state.feed.notices.iter().map(|notice| cells::width(&cells::clean(text(notice)))).max().unwrap_or(0)
    };
    let (times, actors) = (columns(|notice| &notice.time), columns(|notice| notice.who.word()).min(MAX_ACTOR_WIDTH));
    let cell = |text: &str, columns| cells::pad(&cells::clean(text), columns, state.skin.glyphs.ellipsis);
    for (nth, notice) in state.feed.notices.iter().enumerate() {
        // In columns, as in the feed.
        let (time, who) = (cell(&notice.time, times), cell(notice.who.word(), actors));
        let name = format!("{time} {who} {}", notice.topic.word());
        let name = searched(&name);
        let about = searched(&notice.text);
        let Some(mut found) = rows.matcher.find(&name, &about) else { continue };
        if is_feed {
            // Newest first, regardless of match quality.
            (found.score, found.outside_name) = (0, 0);
        }
        if is_time && notice.topic == Topic::Enriched {
            found.score = u32::MAX;
        }
        let row = JumpRow::new(JumpKind::Feed, name, about, JumpTarget::Notice(nth));
        rows.push(found, (Availability::Possible, None), row);
    }
}

/// Whether the words are a time, such as `14:12`.
fn is_time(words: &str) -> bool {
    words.split_once(':').is_some_and(|(hours, rest)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(hours) && rest.split(':').all(is_number)
    })
}

/// Every tag of the catalog with the number of its sources.
pub fn tags_of(state: &State) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in state.snapshot.catalog.sources().iter().flat_map(|source| &source.tags) {
        *counts.entry(tag).or_default() += 1;
    }
    counts.into_iter().map(|(tag, count)| (tag.to_owned(), count)).collect()
}
