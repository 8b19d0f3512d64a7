//! The themes to choose from. The screen shows the one under the cursor. Enter keeps it; leaving the window restores the
//! previous one.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Handled, Titles, Window, WindowKind, WindowRows, draw_frame};
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::DrawnList;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::theme_choice;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::{Active, ListRow};
use crate::tui::widgets::{cells, frame};

pub struct ThemePicker;

const COLUMNS: u16 = 50;

impl Window for ThemePicker {
    /// In a corner, so that the theme's effect on the rest of the screen is visible.
    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        let width = COLUMNS.min(body.width);
        let height = u16::try_from(names(state).len() + 2).unwrap_or(u16::MAX).min(body.height);
        Rect { x: body.right() - width, y: body.bottom() - height, width, height }
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: layout::inner(self.outer(state)), len: names(state).len(), is_list: true }
    }

    fn click_confirms(&self) -> bool {
        true
    }

    fn after_input(&self, state: &mut State, _: &mut Vec<Effect>) {
        let names = names(state);
        let at = state.window.map_or(0, |open| open.cursor.at.min(names.len().saturating_sub(1)));
        let choice = &state.theme_choice;
        let shown = match names.get(at).and_then(Option::as_deref) {
            Some(name) => choice.themes.theme(name),
            None => Some(choice.themes.usual(choice.background)),
        };
        if let Some(theme) = shown.filter(|theme| theme.name() != state.skin.theme.name()) {
            state.skin.theme = theme;
            state.theme_choice.is_preview = true;
        }
    }

    fn confirm(&self, state: &mut State, effects: &mut Vec<Effect>) -> Handled {
        let at = state.window.map_or(0, |open| open.cursor.at);
        let Some(chosen) = names(state).into_iter().nth(at) else { return Handled::Consumed };
        state.window = None;
        let message = match &chosen {
            Some(name) => format!("Theme: {name}."),
            None => "Theme: by the terminal's background.".to_owned(),
        };
        let preferred = state.theme_choice.preferred.as_ref().filter(|preferred| Some(*preferred) != chosen.as_ref());
        let then = preferred.map(|name| format!(" config.toml names {name}, which is used at the next start."));
        state.note(message + &then.unwrap_or_default());
        state.remembered.theme.clone_from(&chosen);
        state.theme_choice.chosen = chosen;
        theme_choice::apply(state);
        if state.theme_choice.depends_on_background() && state.theme_choice.background.is_none() {
            effects.push(Effect::AskBackground);
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, names, buffer) = (self.outer(state), names(state), frame.buffer_mut());
        let (list, role) = (layout::inner(outer), ThemeRole::Catalog);
        let titles = Titles { title: "Themes", note: String::new(), place: frame::position(cursor.at, names.len()) };
        draw_frame(state, titles, role, outer, buffer);
        let widest = names.iter().flatten().map(|name| cells::width(&cells::clean(name))).max().unwrap_or(0);
        let drawn = DrawnList { place: list, len: names.len(), cursor, active: Active::Yes, role };
        drawn.draw(&state.skin, buffer, |at| Some(row(state, names.get(at)?.as_deref(), widest, list.width)));
    }
}

/// Opens the list with the cursor on the theme in use.
pub fn open(state: &mut State) {
    state.open(WindowKind::Themes);
    let at = names(state).iter().position(|name| *name == state.theme_choice.chosen).unwrap_or(0);
    if let Some(open) = &mut state.window {
        open.cursor.at = at;
    }
}

/// The rows; `None` is the theme that follows the terminal's background.
fn names(state: &State) -> Vec<Option<String>> {
    let themes = state.theme_choice.themes.names().map(|name| Some(name.to_owned()));
    std::iter::once(None).chain(themes).collect()
}

fn row<'a>(state: &'a State, name: Option<&str>, widest: usize, width: u16) -> ListRow<'a> {
    let (theme, own) = (&state.skin.theme, &state.own_files.themes);
    let mut row = ListRow::new(&state.skin, width);
    let room = (row.room().saturating_sub(2) / 2).min(widest + 2);
    row.id(&cells::clean(name.unwrap_or("auto")), room, theme.style(ThemeRole::Text));
    let what = match name {
        None => "follows the terminal's background",
        Some(name) if own.iter().any(|own| own.name == name) => "your own",
        Some("contrast") => "high contrast",
        Some("colourblind") => "no red and green",
        Some("ansi") => "the terminal's 16 colours",
        Some("ansi-light") => "the same on a light background",
        Some("mono") => "no colours",
        Some(_) => "",
    };
    row.text(what, theme.style(ThemeRole::Infra));
    row
}
