//! Adds the rows of each kind that match the typed words.

use refdesk_desk::SearchHit;
use refdesk_desk::engine::{Notice, Snapshot, Topic};

use super::matches::JumpMatches;
use super::{JumpRow, JumpTarget, MAX, is_time};
use crate::common::filter::variables;
use crate::common::jump::JumpKind;
use crate::tui::catalog::{filtered_rows, outlines};
use crate::tui::filter::{FilterResult, Haystack, Query, apply};
use crate::tui::state::State;
use crate::tui::templates;
use crate::tui::widgets::cells;
use crate::tui::windows::jump::JumpWindow;
use crate::tui::windows::jump::actions::{self, Availability};
use crate::tui::windows::jump::matcher::searched;
use crate::tui::windows::problems;

pub(super) fn add(state: &mut State, kind: JumpKind, words: &str, rows: &mut JumpMatches) {
    match kind {
        JumpKind::Source => sources(state, words, rows),
        JumpKind::Template => templates_of(state, words, rows),
        JumpKind::Heading => headings(state, rows),
        JumpKind::Tag => tags(&state.jump, rows),
        JumpKind::Problem => problems_of(state, rows),
        JumpKind::Feed => feed(state, words, rows),
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

fn sources(state: &mut State, words: &str, rows: &mut JumpMatches) {
    filtered_rows::prepare(state);
    let Some(haystack) = state.catalog.haystack.clone() else { return };
    let all = state.catalog.rows.iter().copied();
    let positions = best(&state.snapshot, &haystack, words, &mut state.jump.sources, all);
    let sources = state.snapshot.catalog.sources();
    for source in positions.into_iter().filter_map(|at| sources.get(at)) {
        let about = if source.description.is_empty() { source.name.as_str() } else { &source.description };
        let (id, to) = (searched(source.id.as_str()), JumpTarget::Source(source.id.clone()));
        let row = JumpRow::new(JumpKind::Source, id, searched(about), to);
        rows.add_filtered(JumpRow { title: searched(&source.name), ..row });
    }
}

fn templates_of(state: &mut State, words: &str, rows: &mut JumpMatches) {
    let haystack = templates::filtered_templates::packed(state);
    let all = 0..state.snapshot.templates.templates.len();
    let positions = best(&state.snapshot, &haystack, words, &mut state.jump.templates, all);
    for template in positions.into_iter().filter_map(|at| state.snapshot.templates.templates.get(at)) {
        let (name, about) = (searched(&template.name), searched(&variables(template)));
        let to = JumpTarget::Template(template.name.clone());
        rows.add_filtered(JumpRow::new(JumpKind::Template, name, about, to));
    }
}

/// The positions of the best matches, or of the first of `all` without words.
fn best(
    snapshot: &Snapshot,
    haystack: &Haystack,
    words: &str,
    found: &mut FilterResult,
    all: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let query = Query::parse(&words.to_lowercase());
    if query.is_empty() {
        return all.take(MAX).collect();
    }
    let before = std::mem::take(found);
    *found = apply(snapshot, haystack, query, Some(&before));
    found.rows.iter().take(MAX).copied().collect()
}

/// The headings of documents read before, except those that the search has found.
fn headings(state: &State, rows: &mut JumpMatches) {
    for (document, heading) in outlines::headings(state) {
        let is_same = |hit: &SearchHit| hit.source_id == document.source && hit.heading.ends_with(&heading.title);
        if !state.jump.hits().iter().any(is_same) {
            let to = JumpTarget::Heading(document.clone(), heading.anchor.clone());
            rows.add(JumpKind::Heading, &heading.title, &format!("@{}", document.source), to);
        }
    }
}

fn tags(jump: &JumpWindow, rows: &mut JumpMatches) {
    for (tag, count) in &jump.tags {
        rows.add(JumpKind::Tag, tag, &cells::counted(*count, "source"), JumpTarget::Tag(tag.clone(), *count));
    }
}

fn problems_of(state: &State, rows: &mut JumpMatches) {
    for (nth, problem) in state.problems().into_iter().enumerate() {
        // The problems window shows the code too.
        let (code, place) = (problem.code.as_str(), problems::short_place(problem));
        let gap = if place.is_empty() { "" } else { " " };
        let about = format!("{code}: {place}{gap}{}", problems::message(problem));
        rows.add(JumpKind::Problem, &problems::subject(problem), &about, JumpTarget::Problem(nth));
    }
}

/// Maximum width of an actor.
const MAX_ACTOR_WIDTH: usize = 11;

/// The rows of the feed. If the typed text is a time, the user asks what agents were sent then, so all rows
/// of that minute come first.
fn feed(state: &State, words: &str, rows: &mut JumpMatches) {
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
