//! Shown first in a workspace without a catalog: what refdesk is, and how to start.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{
    Handled, Titles, Window, WindowKind, WindowRows, centred, discovery, draw_frame, draw_text, paragraphs,
    text_columns,
};
use crate::tui::action::{Action, KeyContext};
use crate::tui::databases;
use crate::tui::disabled::{disabled, home};
use crate::tui::input::{Effect, ForegroundCommand};
use crate::tui::layout;
use crate::tui::pane_view::{indented, nth_row};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};

pub struct Welcome;

const COLUMNS: u16 = 72;

/// Width of an entry's name.
const NAME: usize = 22;

/// The ways to start: the action, its name, and its description.
const START_OPTIONS: [(Action, &str, &str); 5] = [
    (Action::Discover, "Scan this folder", "proposes a catalog for you to tick"),
    (Action::OpenDemo, "Open the demo", "a sample, with a tour"),
    (Action::ConnectAgent, "Connect an agent", "leaves this screen, shows the difference"),
    (Action::Databases, "Document a database", "turns its tables into sources"),
    (Action::AddSource, "Add a file", "or a folder, or an address"),
];

impl Window for Welcome {
    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, text(state).len() + START_OPTIONS.len() + 2)
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: places(state).1, len: START_OPTIONS.len(), is_list: true }
    }

    fn click_confirms(&self) -> bool {
        true
    }

    fn listed_keys(&self) -> Vec<Action> {
        START_OPTIONS.iter().map(|(action, ..)| *action).collect()
    }

    fn disabled(&self, state: &State) -> Option<String> {
        let (chosen, ..) = START_OPTIONS.get(state.window?.cursor.at)?;
        disabled(state, *chosen)
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        let at = state.window.map_or(0, |open| open.cursor.at);
        let action = match (action, START_OPTIONS.get(at)) {
            (Action::Confirm, Some((chosen, ..))) => *chosen,
            _ => action,
        };
        match action {
            Action::Discover => discovery::open(state, effects),
            Action::OpenDemo => effects.push(Effect::RunInForeground(ForegroundCommand::Demo)),
            Action::ConnectAgent => effects.push(Effect::RunInForeground(ForegroundCommand::Connect)),
            Action::AddSource => super::add_source::open(state),
            Action::Databases => {
                state.window = None;
                databases::update::open_at(state, None);
            }
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, (above, list), buffer) = (self.outer(state), places(state), frame.buffer_mut());
        draw_frame(state, Titles { title: "Welcome", ..Titles::default() }, ThemeRole::Catalog, outer, buffer);
        draw_text(state, &fitting(state, usize::from(above.height)), 0, above, buffer);
        let theme = &state.skin.theme;
        // A truncated explanation is useless.
        let room = usize::from(list.width).saturating_sub(1 + 3 + NAME + 1);
        let explains = START_OPTIONS.iter().all(|(.., about)| about.len() <= room);
        for (nth, (action, name, about)) in START_OPTIONS.iter().enumerate() {
            let mut row = ListRow::new(&state.skin, list.width);
            let is_enabled = disabled(state, *action).is_none();
            let role = |enabled| theme.style(if is_enabled { enabled } else { ThemeRole::Infra });
            row.cell(&state.key_in(KeyContext::Welcome, *action), 2, role(ThemeRole::Strong));
            row.cell(name, NAME, role(ThemeRole::Text));
            if explains {
                row.text(about, theme.style(ThemeRole::Infra));
            }
            row.draw(RowCursor::of(nth, cursor.at, Active::Yes), ThemeRole::Catalog, nth_row(list, nth), buffer);
        }
    }
}

/// The areas of the text and of the entries below it.
fn places(state: &State) -> (Rect, Rect) {
    let inner = layout::inner(Welcome.outer(state));
    let ways = u16::try_from(START_OPTIONS.len()).unwrap_or(u16::MAX).min(inner.height);
    let (above, ways) = layout::split_rows(inner, inner.height - ways);
    (above, indented(ways))
}

/// As many whole sentences as fit into this many rows. That there is no catalog yet matters most.
fn fitting(state: &State, rows: usize) -> WrappedText {
    let all = text(state);
    if all.len() <= rows {
        return all;
    }
    let (here, columns) = (here(state), text_columns(COLUMNS.min(state.layout().body.width)));
    let short = paragraphs([(here.as_str(), ThemeRole::Infra)], columns);
    if short.len() <= rows { short } else { WrappedText::default() }
}

fn here(state: &State) -> String {
    let workspace = cells::clean(&state.snapshot.workspace);
    let home = home(state).map(|home| format!("{}.", cells::sentence(&home)));
    let mut here = match state.snapshot.catalog.len() {
        0 if home.is_some() => home.unwrap_or_default(),
        0 => format!("There is no catalog in {workspace} yet."),
        count => format!("The catalog of {workspace} has {}.", cells::counted(count, "source")),
    };
    match state.snapshot.configured_databases {
        0 => {}
        1 => here.push_str(" One database is configured."),
        count => here.push_str(&format!(" {} are configured.", cells::counted(count, "database"))),
    }
    here
}

fn text(state: &State) -> WrappedText {
    let here = here(state);
    let about = "refdesk manages what coding agents know about a project: it shows which sources a prompt brings up, why, \
                 and what they cost.";
    paragraphs(
        [(about, ThemeRole::Text), ("", ThemeRole::Text), (here.as_str(), ThemeRole::Infra), ("", ThemeRole::Text)],
        text_columns(COLUMNS.min(state.layout().body.width)),
    )
}

/// After a snapshot: a workspace without sources is welcomed once. The window stays when sources arrive, since a key that is
/// on its way would act on something else below it.
pub fn follow(state: &mut State) {
    let is_empty = state.snapshot.catalog.is_empty();
    let has_problem = state.counts.errors > 0 || !state.snapshot.untrusted.is_empty();
    if is_empty && state.is_open() && !state.was_welcomed && state.window.is_none() && !has_problem {
        state.open(WindowKind::Welcome);
    }
    state.was_welcomed |= state.is_open();
}
