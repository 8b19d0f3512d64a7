//! The layout of the view of agents: headings or tabs at the top, then the rows of a page, then a rule and a
//! description of the row under the cursor. Mouse handling uses the same areas.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::{AgentsPage, row_view, session_view};
use crate::tui::action::{Action, KeyContext};
use crate::tui::layout;
use crate::tui::pane_view::{DrawnList, draw_empty, draw_lines};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::row::Active;
use crate::tui::widgets::tabs::Tabs;
use crate::tui::widgets::{cells, frame};

/// The minimum height for showing details.
const WITH_DETAILS: u16 = 9;
/// The minimum height of a session's details.
const SESSION_DETAILS: u16 = 7;
/// The minimum height of a journal line's details.
const LINE_DETAILS: u16 = 3;

#[derive(Debug, Clone, Copy, Default)]
pub struct AgentsLayout {
    /// Headings, or a session's tabs.
    pub head: Rect,
    /// The headings below the tabs, if the page has any.
    pub headings: Rect,
    pub list: Rect,
    pub rule: Rect,
    pub detail: Rect,
}

pub fn places(state: &State) -> AgentsLayout {
    let inner = layout::inner(state.layout().body);
    let wanted = match state.agents.page {
        AgentsPage::Sessions => (inner.height / 2).max(SESSION_DETAILS),
        page => {
            // The details get the rows that the list leaves; a long text also takes some of the list's.
            let rows = u16::try_from(state.agents.len()).unwrap_or(u16::MAX);
            let headings = u16::from(page == AgentsPage::Known);
            let free = inner.height.saturating_sub(headings + 2).saturating_sub(rows);
            let text = details(state, page, Rect { height: inner.height / 2, ..inner }).len();
            free.max(u16::try_from(text).unwrap_or(0)).max(LINE_DETAILS)
        }
    };
    // An empty list has no details: the reason gets their rows.
    let has_details = inner.height >= WITH_DETAILS && state.agents.len() > 0;
    let detail = if has_details { wanted.min(inner.height * 3 / 5) } else { 0 };
    let rule = u16::from(detail > 0);
    let headings = u16::from(state.agents.page == AgentsPage::Known && detail > 0 && state.agents.len() > 0);
    let list = inner.height.saturating_sub(1 + headings + rule + detail);
    let [head, headings, list, rule, detail] = layout::stacked(inner, [1, headings, list, rule, detail]);
    AgentsLayout { head, headings, list, rule, detail }
}

/// The number of visible rows.
pub fn page(state: &State) -> usize {
    usize::from(places(state).list.height).max(1)
}

pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let page = state.agents.page;
    let (places, buffer) = (places(state), frame.buffer_mut());
    let active = if state.window.is_none() { Active::Yes } else { Active::No };
    let (len, cursor) = match page {
        AgentsPage::Sessions => (state.agents.len(), state.agents.cursor),
        AgentsPage::Lines | AgentsPage::Known => (state.agents.len(), state.agents.row),
    };
    let title = title(state, page);
    let role = ThemeRole::Hints;
    let body = state.layout().body;
    // A truncated figure is useless.
    let note =
        Some(note(state)).filter(|note| cells::width(&title) + cells::width(note) + 8 <= usize::from(body.width));
    let note = note.unwrap_or_default();
    let border = PaneBorder { title: &title, note, place: frame::position(cursor.at, len), role, active };
    border.draw(&state.skin, body, buffer);
    if let Some(sentence) = why_empty(state, page) {
        draw_empty(state, &sentence, places.list, buffer);
    }
    let list = DrawnList { place: places.list, len, cursor, active, role };
    let window = list.window();
    match page {
        AgentsPage::Sessions if len > 0 => row_view::headings(state, &window, places.head, buffer),
        AgentsPage::Sessions => {}
        AgentsPage::Lines | AgentsPage::Known => {
            if let Some(tabs) = tabs(state) {
                tabs.draw(&state.skin.theme, buffer);
            }
        }
    }
    if !places.headings.is_empty() {
        row_view::known_headings(state, &window, places.headings, buffer);
    }
    let columns = row_view::columns(state, &window, places.list.width);
    list.draw(&state.skin, buffer, |at| row_view::row(state, page, at, columns, places.list.width));
    let caption = match page {
        AgentsPage::Sessions => "this session",
        AgentsPage::Lines => "this line of the journal",
        AgentsPage::Known => "this source",
    };
    frame::rule(&state.skin, places.rule, caption, state.skin.theme.style(ThemeRole::Infra), buffer);
    draw_lines(&details(state, page, places.detail), places.detail, buffer);
}

fn details(state: &State, page: AgentsPage, place: Rect) -> Vec<Line<'static>> {
    let (columns, most) = (usize::from(place.width.saturating_sub(2)), usize::from(place.height));
    match page {
        AgentsPage::Sessions => session_view::session(state, columns, most),
        AgentsPage::Lines => session_view::line(state, columns, most),
        AgentsPage::Known => session_view::known(state, columns, most),
    }
}

fn title(state: &State, page: AgentsPage) -> String {
    match (page, state.agents.session()) {
        (AgentsPage::Lines | AgentsPage::Known, Some(session)) => {
            format!("Agents: {}, session {}", cells::clean(&session.agent), cells::clean(&session.session))
        }
        _ => "Agents".to_owned(),
    }
}

/// `2 agents connected now · 12 sessions · ~41,200 tokens`
fn note(state: &State) -> String {
    let Some(activity) = &state.agents.activity else { return String::new() };
    let tokens = match state.agents.session().filter(|_| state.agents.page != AgentsPage::Sessions) {
        Some(session) => return cells::in_tokens(session.tokens()),
        None => cells::tokens(activity.tokens()),
    };
    let (dot, sessions) = (state.skin.glyphs.dot, cells::counted(activity.sessions.len(), "session"));
    let connected = match activity.connected.len() {
        0 => String::new(),
        some => format!("{} connected now {dot} ", cells::counted(some, "agent")),
    };
    format!("{connected}{sessions} {dot} {tokens} tokens")
}

fn why_empty(state: &State, page: AgentsPage) -> Option<String> {
    let Some(activity) = &state.agents.activity else {
        return Some("reading the journal".to_owned());
    };
    if state.agents.len() > 0 {
        return None;
    }
    Some(match (page, &activity.problem) {
        (AgentsPage::Sessions, Some(problem)) => format!("{problem}."),
        (AgentsPage::Sessions, None) => {
            let welcome = state.key_in(KeyContext::Global, Action::Welcome);
            format!(
                "No agent has been sent anything yet. Once an agent is connected ({welcome} shows how), each of its sessions is a row \
                 here."
            )
        }
        (AgentsPage::Lines, _) => "The journal has no line of this session.".to_owned(),
        (AgentsPage::Known, _) => {
            "This session has not been sent any source since it began or was compacted, and nothing is selected."
                .to_owned()
        }
    })
}

fn tabs(state: &State) -> Option<Tabs<AgentsPage>> {
    let current = state.agents.page;
    let session = state.agents.session().filter(|_| current != AgentsPage::Sessions)?;
    let title = |title: &str, count: usize| format!("{title} {}", cells::grouped(count));
    let pages = [
        (AgentsPage::Lines, title("Journal", session.lines.len())),
        (AgentsPage::Known, title("Known sources", session.known.len())),
    ];
    Some(Tabs::new(pages, current, places(state).head))
}

/// The tab at this position.
pub fn page_at(state: &State, at: Position) -> Option<AgentsPage> {
    tabs(state)?.at(at)
}

pub fn row_at(state: &State, at: Position) -> Option<usize> {
    let cursor = match state.agents.page {
        AgentsPage::Sessions => state.agents.cursor,
        AgentsPage::Lines | AgentsPage::Known => state.agents.row,
    };
    cursor.row_at(places(state).list, state.agents.len(), at)
}
