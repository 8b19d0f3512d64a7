//! Describes the source under the cursor: its state, its connections, what a pick would pull in, and the
//! mentions behind the row with file and line.

use std::collections::HashSet;

use ratatui::text::{Line, Span};

use super::level;
use crate::tui::fix;
use crate::tui::pane_view::{id_and_name, printed, wrapped};
use crate::tui::selection::preview;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use refdesk_core::catalog::Mode;
use refdesk_text::report::Diagnostic;

pub fn caption(state: &State) -> &'static str {
    if state.broken_link().is_some() { "how to fix it" } else { "this source" }
}

/// At most `most` lines of this width.
pub fn lines(state: &State, columns: u16, most: usize) -> Vec<Line<'static>> {
    let columns = usize::from(columns);
    let mut lines = match (state.broken_link(), state.graph.position()) {
        (Some(problem), _) => of_problem(state, problem, columns),
        (None, Some(at)) => of_source(state, at, columns, most),
        (None, None) => Vec::new(),
    };
    lines.truncate(most);
    lines
}

fn of_problem(state: &State, problem: &Diagnostic, columns: usize) -> Vec<Line<'static>> {
    let place = match (&problem.file, problem.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => String::new(),
    };
    let mut lines = wrapped(state, &problem.message, ThemeRole::Strong, columns);
    if !problem.fix.is_none() {
        let fix = format!("fix: {}", problem.fix.worded(&|fix| fix::words(state, fix)));
        lines.extend(wrapped(state, &fix, ThemeRole::Text, columns));
    }
    lines.extend(wrapped(state, &place, ThemeRole::Catalog, columns));
    lines
}

fn of_source(state: &State, at: usize, columns: usize, most: usize) -> Vec<Line<'static>> {
    let (graph, dot) = (&state.graph, state.skin.glyphs.dot);
    let Some(analysis) = &graph.analysis else { return Vec::new() };
    let Some(source) = analysis.catalog.sources().get(at) else { return Vec::new() };
    let mut lines = vec![id_and_name(state, source.id.as_str(), &source.name, columns)];
    let (mentioning, mentioned) = (analysis.adjacency.mentioning(at).len(), analysis.adjacency.mentioned(at).len());
    let words = source_state::words(&state.snapshot, source.id.as_str());
    let facts = format!(
        "{words} {dot} mentioned by {} {dot} mentions {}",
        cells::grouped(mentioning),
        cells::grouped(mentioned)
    );
    let brought = match graph.weight(at) {
        weight if weight.sources == 0 => String::new(),
        weight => {
            let sources = cells::counted(usize::try_from(weight.sources).unwrap_or(usize::MAX), "source");
            let already = match selected_below(state, at) {
                0 => String::new(),
                all if u64::try_from(all).is_ok_and(|all| all == u64::from(weight.sources)) => match all {
                    1 => " (selected)".to_owned(),
                    2 => " (both selected)".to_owned(),
                    _ => " (all selected)".to_owned(),
                },
                some => format!(" ({} selected)", cells::grouped(some)),
            };
            format!(" {dot} brings {sources}{already}, {}", cells::in_tokens(weight.tokens))
        }
    };
    lines.extend(wrapped(state, &format!("{facts}{brought}"), ThemeRole::Text, columns));
    preview::add(state, source.id.as_str(), &mut lines, columns, most);
    if lines.len() > most
        && let Some(last) = most.checked_sub(1).and_then(|last| lines.get_mut(last))
    {
        last.push_span(state.skin.glyphs.ellipsis);
    }
    let left = most.saturating_sub(lines.len());
    lines.extend(mentions(state, columns, left));
    lines
}

/// How many of the sources that it pulls in are selected.
fn selected_below(state: &State, at: usize) -> usize {
    let Some(analysis) = &state.graph.analysis else { return 0 };
    let (mut seen, mut open) = (HashSet::from([at]), vec![at]);
    let selection = &state.snapshot.selection;
    let mut selected = 0;
    while let Some(next) = open.pop() {
        for below in analysis.adjacency.mentioned(next).iter().filter_map(|edge| usize::try_from(edge.to).ok()) {
            let Some(source) = analysis.catalog.sources().get(below).filter(|_| seen.insert(below)) else { continue };
            if !selection.is_excluded(source.id.as_str()) {
                let is_counted = source.mode != Mode::Auto && selection.contains(source.id.as_str());
                selected += usize::from(is_counted);
                open.push(below);
            }
        }
    }
    selected
}

/// The mentions that connect this row to the previous one: `@a mentions @b by id  docs/a.md:3`, with the place on a line
/// of its own if both do not fit.
fn mentions(state: &State, columns: usize, most: usize) -> Vec<Line<'static>> {
    let (graph, theme) = (&state.graph, &state.skin.theme);
    let Some(analysis) = &graph.analysis else { return Vec::new() };
    let of_pair = |(from, to): (usize, usize)| {
        let (from, to) = (graph.id(from)?, graph.id(to)?);
        Some(analysis.graph.from_to(from.as_str(), move |target| target == to))
    };
    let mentions = level::pairs(graph).take(most).filter_map(of_pair).flatten().take(most);
    let ellipsis = state.skin.glyphs.ellipsis;
    let rows = |mention: refdesk_core::mention::Mention| {
        let ids = [&mention.from, &mention.to].map(|id| cells::clean(id.as_str()).into_owned());
        let [from, to] = ids;
        let lead = format!("@{from} mentions @{to} by {}  ", mention.via.word());
        let place = format!("{}:{}", printed(state, &mention.file), mention.line);
        let is_one_row = cells::width(&lead) + cells::width(&place) <= columns;
        let spans = [
            Span::styled(cells::clip(&lead, columns, ellipsis).into_owned(), theme.style(ThemeRole::Text)),
            Span::styled(cells::clip_start(&place, columns, ellipsis).into_owned(), theme.style(ThemeRole::Catalog)),
        ];
        if is_one_row { vec![Line::from_iter(spans)] } else { spans.map(Line::from).into() }
    };
    mentions.flat_map(rows).collect()
}
