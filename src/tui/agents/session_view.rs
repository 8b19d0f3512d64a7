//! Describes the row under the cursor in words: a session with its totals and latest lines, a journal line,
//! or a source.

use std::time::Duration;

use ratatui::text::{Line, Span};

use crate::common::known_sources;
use crate::common::known_sources::sentences;
use crate::tui::action::Action;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::sparkline::sparkline;

fn wrapped(state: &State, text: &str, role: ThemeRole, (columns, most): (usize, usize)) -> Vec<Line<'static>> {
    let style = state.skin.theme.style(role);
    let lines = cells::wrap_to(&cells::clean(text), columns, most, state.skin.glyphs.ellipsis).into_iter();
    lines.map(|line| Line::from(Span::styled(line, style))).collect()
}

/// The session under the cursor, in at most `most` lines.
pub fn session(state: &State, columns: usize, most: usize) -> Vec<Line<'static>> {
    let (Some(activity), Some(session)) = (&state.agents.activity, state.agents.session()) else { return Vec::new() };
    let theme = &state.skin.theme;
    let desk = if session.desk == *state.snapshot.desk { String::new() } else { format!(" at desk {}", session.desk) };
    let [since, last] = [session.since, session.last].map(|time| activity.clock(time));
    let presence = known_sources::presence(activity, session);
    let head = format!("{}, session {}{desk}, since {since}, last at {last}{presence}", session.agent, session.session);
    let mut lines = wrapped(state, &head, ThemeRole::Strong, (columns, most));
    let words = sentences(session, cells::in_tokens).join(" ");
    lines.extend(wrapped(state, &words, ThemeRole::Text, (columns, most)));
    if !session.periods.tokens().is_empty() {
        let each = format!("  {} per column", length(session.periods.length()));
        let room = columns.saturating_sub(cells::width(&each));
        let bars = sparkline(session.periods.tokens(), room, &state.skin.glyphs.levels);
        lines.push(Line::from(vec![
            Span::styled(bars, theme.style(ThemeRole::Catalog)),
            Span::styled(each, theme.style(ThemeRole::Infra)),
        ]));
    }
    if let Some(problem) = &activity.problem {
        lines.extend(wrapped(state, problem, ThemeRole::Warning, (columns, most)));
    }
    let left = most.saturating_sub(lines.len());
    // Spare rows, used to wrap long lines.
    let mut spare = left.saturating_sub(session.lines.len());
    for line in session.lines.iter().take(left) {
        let time = format!("{}  ", activity.clock(line.time));
        let indent = cells::width(&time);
        let room = columns.saturating_sub(indent);
        let rows = cells::wrap_to(&cells::clean(&line.text), room, 1 + spare, state.skin.glyphs.ellipsis);
        spare = spare.saturating_sub(rows.len().saturating_sub(1));
        for (nth, text) in rows.into_iter().enumerate() {
            let before = if nth == 0 { time.clone() } else { " ".repeat(indent) };
            lines.push(Line::from(vec![
                Span::styled(before, theme.style(ThemeRole::Infra)),
                Span::styled(text, theme.style(ThemeRole::Text)),
            ]));
        }
    }
    lines.truncate(most);
    lines
}

/// `15 minutes`. The length of a period was doubled several times, so a finer unit would be false precision.
fn length(length: Duration) -> String {
    let minutes = length.as_secs() / 60;
    let counted = |count: u64, one: &str| cells::counted(usize::try_from(count).unwrap_or(usize::MAX), one);
    match minutes {
        0..=119 => counted(minutes, "minute"),
        120..=2879 => counted(minutes / 60, "hour"),
        _ => counted(minutes / (24 * 60), "day"),
    }
}

/// The journal line under the cursor.
pub fn line(state: &State, columns: usize, most: usize) -> Vec<Line<'static>> {
    let (Some(activity), Some(line)) = (&state.agents.activity, state.agents.line()) else { return Vec::new() };
    let tokens = if line.tokens > 0 { format!(" ({} tokens)", cells::tokens(line.tokens)) } else { String::new() };
    let follow = state.key(Action::Follow);
    let then = match (line.has_text, &line.subject) {
        (true, _) => format!(" {follow} shows the receipt."),
        (false, Some(id)) if state.snapshot.catalog.get(id).is_some() => format!(" {follow} goes to @{id}."),
        (false, Some(id)) => format!(" @{id} is no longer in the catalog."),
        (false, None) => String::new(),
    };
    let text = format!(
        "{} {}{tokens}.{then} It is line {} of the journal.",
        activity.clock(line.time),
        line.text,
        line.number
    );
    wrapped(state, &text, ThemeRole::Text, (columns, most))
}

/// The source under the cursor.
pub fn known(state: &State, columns: usize, most: usize) -> Vec<Line<'static>> {
    let Some(row) = state.agents.known.get(state.agents.row.at) else { return Vec::new() };
    let id = &row.id;
    let words = match row.knowledge {
        Some(knowledge) => format!("@{id}: {}.", known_sources::sentence(knowledge, row.is_inline)),
        None => format!("@{id}: the session got nothing about it since it began or was compacted."),
    };
    let state_words = source_state::words(&state.snapshot, id);
    let follow = state.key(Action::Follow);
    let then = match state.snapshot.catalog.get(id) {
        Some(_) => {
            let price = state.snapshot.tokens.get(id.as_str()).map(|tokens| cells::in_tokens(*tokens));
            let price = price.map(|price| format!(" The whole text has {price}.")).unwrap_or_default();
            format!(" Now: {state_words}.{price} {follow} goes to it in the catalog.")
        }
        None => " It is no longer in the catalog.".to_owned(),
    };
    wrapped(state, &format!("{words}{then}"), ThemeRole::Text, (columns, most))
}
