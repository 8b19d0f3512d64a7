//! The theme in use: the user's choice, otherwise one for the terminal's background, which the terminal is
//! asked for and reports changes of.

use crate::tui::state::State;
use crate::tui::theme::{Background, Colours, Theme, Themes};
use crate::tui::windows::WindowKind;

#[derive(Debug, Clone, Default)]
pub struct ThemeChoice {
    pub themes: Themes,
    pub chosen: Option<String>,
    /// The theme from the user's preferences, which applies again at the next start.
    pub preferred: Option<String>,
    pub background: Option<Background>,
    /// Whether the current theme is only a preview.
    pub is_preview: bool,
}

impl ThemeChoice {
    /// Nothing chosen, for a terminal of this many colours.
    pub fn new(colours: Colours) -> Self {
        Self { themes: Themes::new(colours), ..Self::default() }
    }

    pub fn theme(&self) -> Theme {
        let chosen = self.chosen.as_deref().and_then(|name| self.themes.theme(name));
        chosen.unwrap_or_else(|| self.themes.usual(self.background))
    }

    /// The chosen theme, if it does not exist.
    pub fn unknown(&self) -> Option<&str> {
        let name = self.chosen.as_deref()?;
        self.themes.names().all(|known| known != name).then_some(name)
    }

    /// Whether the theme depends on the terminal's background.
    pub fn depends_on_background(&self) -> bool {
        self.chosen.is_none() && self.themes.follow_background()
    }
}

pub fn apply(state: &mut State) {
    state.skin.theme = state.theme_choice.theme();
    state.theme_choice.is_preview = false;
}

pub fn background(state: &mut State, background: Background) {
    state.theme_choice.background = Some(background);
    if !state.theme_choice.is_preview {
        apply(state);
    }
}

/// A preview ends with its window, however that was closed.
pub fn end_preview(state: &mut State) {
    if state.theme_choice.is_preview && !state.has_window(WindowKind::Themes) {
        apply(state);
    }
}
