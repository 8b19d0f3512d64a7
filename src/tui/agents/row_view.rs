//! Draws the rows of the view of agents: sessions with their figures, journal lines, and the sources known to
//! a session, as a tree like the selection's.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use refdesk_desk::session::JournalEvent;
use refdesk_desk::{AgentActivity, AgentPresence, AgentSession};

use super::{AgentsPage, SessionOrder};
use crate::common::session_name;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::row::{ListRow, RowCursor};
use crate::tui::widgets::sparkline::sparkline;

/// The width from which a session's start time has a column.
const WIDE: u16 = 100;
/// The maximum width of an agent's name, and the width of a session's name when space is short.
const AGENT: usize = 24;
const SESSION: usize = 10;
const OVER_TIME: &str = "over time";
/// Widths and headings of the figures: tokens sent and read, reads, picks, hints followed.
const FIGURES: [(usize, &str); 4] = [(9, "tokens"), (5, "read"), (6, "picked"), (9, "followed")];

/// The widths of the columns that depend on their text.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentColumns {
    agent: usize,
    session: usize,
    time: usize,
    /// Whether the start time also fits.
    has_since: bool,
    /// Width of the ids with their tree lines.
    id: usize,
}

/// The column widths for the rows in this window.
pub fn columns(state: &State, window: &Range<usize>, width: u16) -> AgentColumns {
    let Some(activity) = &state.agents.activity else { return AgentColumns::default() };
    let shown = activity.sessions.get(window.clone()).unwrap_or_default();
    let columns = |text: &str| cells::width(&cells::clean(text));
    let widest = |of: &dyn Fn(&AgentSession) -> usize| shown.iter().map(|session| of(session)).max().unwrap_or(0);
    let has_since = width >= WIDE;
    let times = |session: &AgentSession| {
        let [since, last] = [session.since, session.last].map(|time| cells::width(&activity.clock(time)));
        if has_since { since.max(last) } else { last }
    };
    let lines = state.agents.session().into_iter().flat_map(|session| session.lines.range(clamped(window, session)));
    let of_lines = lines.map(|line| cells::width(&activity.clock(line.time))).max().unwrap_or(0);
    let is_sessions = state.agents.page == AgentsPage::Sessions;
    let known = state.agents.known.iter().map(|row| columns(&row.id) + 2 * row.node.as_ref().map_or(0, |it| it.level));
    // At least the heading with its sort sign.
    let agent = widest(&|session| columns(&session.agent)).clamp(6, AGENT);
    let time = if is_sessions { widest(&times) } else { of_lines };
    // Cursor and mark; the tokens matter more than the time.
    let has_time = 1 + 2 + agent + 1 + SESSION + 1 + time + 1 + FIGURES[0].0 <= usize::from(width);
    let time = if has_time || !is_sessions { time } else { 0 };
    // The fields beside the name, each followed by a blank, then the tokens over time.
    let beside = agent + 1 + (time + 1) * if has_since { 2 } else { 1 };
    let figures: usize = FIGURES.iter().map(|(columns, _)| columns + 1).sum();
    // The whole name takes precedence over padding next to a short sparkline.
    let over_time = widest(&|session| session.periods.tokens().len()).min(OVER_TIME.len());
    let room = usize::from(width).saturating_sub(1 + 2 + beside + 1 + figures + over_time + 2);
    AgentColumns {
        agent,
        session: widest(&|session| cells::width(&name(session))).clamp(7, room.max(SESSION)),
        time,
        has_since,
        id: known.max().unwrap_or(0),
    }
}

fn clamped(window: &Range<usize>, session: &AgentSession) -> Range<usize> {
    let len = session.lines.len();
    window.start.min(len)..window.end.min(len)
}

pub fn headings(state: &State, window: &Range<usize>, place: Rect, buffer: &mut Buffer) {
    let columns = columns(state, window, place.width);
    let infra = state.skin.theme.style(ThemeRole::Infra);
    let mut row = ListRow::new(&state.skin, place.width);
    let sorted = |order: SessionOrder| {
        let sign = if state.agents.order == order { state.skin.glyphs.sorted } else { "" };
        format!("{}{sign}", order.word())
    };
    row.cell("", 1, infra).cell(&sorted(SessionOrder::Agent), columns.agent, infra);
    row.cell("session", columns.session, infra);
    if columns.has_since {
        row.cell("since", columns.time, infra);
    }
    if columns.time > 0 {
        row.cell(&sorted(SessionOrder::Newest), columns.time, infra);
    }
    for (width, word) in FIGURES {
        let word = if word == SessionOrder::Tokens.word() { sorted(SessionOrder::Tokens) } else { word.to_owned() };
        // A truncated figure is useless, and a figure says more than bars.
        if row.room() < width {
            return row.draw(RowCursor::Elsewhere, ThemeRole::Hints, place, buffer);
        }
        row.cell(&format!("{word:>width$}"), width, infra);
    }
    let over_time = [OVER_TIME, "time"].into_iter().find(|words| words.len() + 1 < row.room());
    row.gap().text(over_time.unwrap_or_default(), infra);
    row.draw(RowCursor::Elsewhere, ThemeRole::Hints, place, buffer);
}

/// Width of the tokens of a journal line or a source.
const TOKENS: usize = 9;

/// Draws the headings above the sources known to a session.
pub fn known_headings(state: &State, window: &Range<usize>, place: Rect, buffer: &mut Buffer) {
    let columns = columns(state, window, place.width);
    let infra = state.skin.theme.style(ThemeRole::Infra);
    let mut row = ListRow::new(&state.skin, place.width);
    row.cell("", 1, infra);
    let id = columns.id.min(row.room() * 3 / 5);
    row.cell("source", id, infra);
    // An agent is usually sent less of a source than its whole text.
    let whole = "whole text";
    let room = row.room().saturating_sub(whole.len().max(TOKENS) + 2);
    row.cell("what the session got", room, infra);
    row.text(&format!("{whole:>TOKENS$}"), infra);
    row.draw(RowCursor::Elsewhere, ThemeRole::Hints, place, buffer);
}

pub fn row<'a>(
    state: &'a State,
    page: AgentsPage,
    at: usize,
    columns: AgentColumns,
    width: u16,
) -> Option<ListRow<'a>> {
    let activity = state.agents.activity.as_ref()?;
    let row = ListRow::new(&state.skin, width);
    match page {
        AgentsPage::Sessions => Some(of_session(state, row, activity, activity.sessions.get(at)?, columns)),
        AgentsPage::Lines => of_line(state, row, activity, at, columns),
        AgentsPage::Known => of_source(state, row, at, columns),
    }
}

/// The session's name without its agent's name, which has its own column.
fn name(session: &AgentSession) -> Cow<'_, str> {
    cells::clean(session_name::without_agent(&session.session, &session.agent))
}

fn of_session<'a>(
    state: &State,
    mut row: ListRow<'a>,
    activity: &AgentActivity,
    session: &AgentSession,
    columns: AgentColumns,
) -> ListRow<'a> {
    let style = |role| state.skin.theme.style(role);
    let (infra, text) = (style(ThemeRole::Infra), style(ThemeRole::Text));
    let presence = activity.presence(session);
    let present = if presence == AgentPresence::Connected { ThemeRole::Selection } else { ThemeRole::Infra };
    row.cell(state.skin.glyphs.presence(presence), 1, style(present));
    row.cell(&cells::clean(&session.agent), columns.agent, style(ThemeRole::Hints));
    // Names that start alike usually differ at their ends.
    let name = name(session);
    row.cell(&cells::clip_middle(&name, columns.session, state.skin.glyphs.ellipsis), columns.session, text);
    if columns.has_since {
        row.cell(&activity.clock(session.since), columns.time, infra);
    }
    if columns.time > 0 {
        row.cell(&activity.clock(session.last), columns.time, infra);
    }
    let hints = session.hints.offered + session.expansions.offered;
    let figures = [
        if session.tokens() > 0 { cells::tokens(session.tokens()) } else { String::new() },
        if session.reads > 0 { cells::grouped(session.reads) } else { String::new() },
        if session.picks > 0 { cells::grouped(session.picks) } else { String::new() },
        if hints > 0 {
            format!("{} of {}", session.hints.followed + session.expansions.followed, hints)
        } else {
            String::new()
        },
    ];
    for ((width, _), figure) in FIGURES.into_iter().zip(figures) {
        if row.room() < width {
            return row;
        }
        row.cell(&format!("{figure:>width$}"), width, text);
    }
    row.gap();
    let room = row.room().saturating_sub(1);
    row.text(&sparkline(session.periods.tokens(), room, &state.skin.glyphs.levels), style(ThemeRole::Catalog));
    row
}

/// The colour of a journal event.
fn role(what: JournalEvent) -> ThemeRole {
    match what {
        JournalEvent::Enriched | JournalEvent::Instructed => ThemeRole::Hints,
        JournalEvent::Read => ThemeRole::Catalog,
        JournalEvent::Selected | JournalEvent::Unselected | JournalEvent::Excluded | JournalEvent::Included => {
            ThemeRole::Selection
        }
        JournalEvent::Written | JournalEvent::Removed | JournalEvent::Rendered => ThemeRole::Templates,
        JournalEvent::Failed | JournalEvent::Unwritten => ThemeRole::Error,
        JournalEvent::Asked | JournalEvent::Answered => ThemeRole::Warning,
        JournalEvent::Forgot => ThemeRole::Infra,
    }
}

fn of_line<'a>(
    state: &State,
    mut row: ListRow<'a>,
    activity: &AgentActivity,
    at: usize,
    columns: AgentColumns,
) -> Option<ListRow<'a>> {
    let line = state.agents.session()?.lines.get(at)?;
    let theme = &state.skin.theme;
    row.cell(&activity.clock(line.time), columns.time, theme.style(ThemeRole::Infra));
    row.cell(line.what.word(), 10, theme.style(role(line.what)));
    // A row without tokens uses their space.
    if line.tokens == 0 {
        row.text(&cells::clean(&line.text), theme.style(ThemeRole::Text));
        return Some(row);
    }
    let room = row.room().saturating_sub(TOKENS + 2);
    row.cell(&cells::clean(&line.text), room, theme.style(ThemeRole::Text));
    row.text(&format!("{:>TOKENS$}", cells::tokens(line.tokens)), theme.style(ThemeRole::Infra));
    Some(row)
}

fn of_source<'a>(state: &State, mut row: ListRow<'a>, at: usize, columns: AgentColumns) -> Option<ListRow<'a>> {
    let known = state.agents.known.get(at)?;
    let theme = &state.skin.theme;
    let infra = theme.style(ThemeRole::Infra);
    let lead = known.node.as_ref().map(|node| state.skin.glyphs.branch(node.level, node.open)).unwrap_or_default();
    let (mark, mark_role) = source_state::mark(&state.snapshot, &known.id);
    row.text(&lead, infra).text(state.skin.glyphs.mark(mark), theme.style(mark_role)).gap();
    let tokens = source_state::price(&state.snapshot, &known.id);
    let id_room = columns.id.min(row.room() * 3 / 5).saturating_sub(cells::width(&lead));
    let id_role = if known.knowledge.is_some() { ThemeRole::Text } else { ThemeRole::Infra };
    row.id(&cells::clean(&known.id), id_room, theme.style(id_role));
    let words = known.knowledge.map_or_else(|| state.skin.glyphs.dash.to_owned(), |it| it.words(known.is_inline));
    let room = row.room().saturating_sub(TOKENS + 2);
    row.cell(&words, room, theme.style(if known.knowledge.is_some() { ThemeRole::Hints } else { ThemeRole::Infra }));
    row.text(&format!("{tokens:>TOKENS$}"), infra);
    Some(row)
}
