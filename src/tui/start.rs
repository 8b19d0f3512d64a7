//! How a screen starts: from the user's preferences, the environment (colours, characters) and the previous
//! screen's state. Read once, before the first frame.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::layout::Size;

use refdesk_core::config::screen::SavedScreen;
use refdesk_core::config::screen_files::{ActionKeys, ScreenFiles, ScreenSettings};
use refdesk_core::config::screen_session::{ScreenSession, ScreenSessionFile};
use refdesk_core::config::user::Preferences;

use crate::tui::action::{self, ActionBinding, KeyContext};
use crate::tui::glyphs::Glyphs;
use crate::tui::graph::export::LaunchOptions;
use crate::tui::layout::Splits;
use crate::tui::messages;
use crate::tui::own_files;
use crate::tui::run::SessionSaver;
use crate::tui::session;
use crate::tui::state::{Skin, State};
use crate::tui::theme::{Background, Colours, Theme, Themes};
use crate::tui::tour::Tour;
use crate::tui::windows;

/// The options for starting a screen.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    skin: Skin,
    /// The terminal's background, if the environment specifies it.
    background: Option<Background>,
    /// The theme from the user's preferences.
    preferred: Option<String>,
    remembered: SavedScreen,
    message: Option<String>,
    /// The file of the profile to switch to, once its comparison is confirmed.
    profile: Option<PathBuf>,
    with_tour: bool,
    launched: LaunchOptions,
    /// The editor from the user's preferences.
    editor: Option<String>,
    files: ScreenFiles,
    /// The saved state of the workspace.
    session: ScreenSession,
    session_file: Option<ScreenSessionFile>,
}

impl StartOptions {
    /// Collects the settings from the preferences, from the user's own files, from `NO_COLOR`, `COLORTERM`,
    /// `TERM`, `COLORFGBG` and the locale, and from the last screen.
    pub fn from_env(remembered: SavedScreen, preferences: &Preferences, files: &ScreenFiles) -> Self {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = get("LC_ALL").or_else(|| get("LC_CTYPE")).or_else(|| get("LANG"));
        Self { files: files.clone(), ..Self::new(get, locale.as_deref(), remembered, preferences) }
    }

    fn new(
        get: impl Fn(&str) -> Option<String>,
        locale: Option<&str>,
        remembered: SavedScreen,
        preferences: &Preferences,
    ) -> Self {
        let unwanted = preferences.color == Some("never");
        let forced = matches!(preferences.color, Some("always"));
        let colours = Colours::of_terminal(|name| match name {
            "NO_COLOR" if unwanted => Some("1".to_owned()),
            "NO_COLOR" if forced => None,
            name => get(name),
        });
        let glyphs = match preferences.characters {
            Some("ascii") => Glyphs::ASCII,
            Some(_) => Glyphs::UNICODE,
            None => Glyphs::for_locale(locale),
        };
        let glyphs = match colours {
            Colours::Off | Colours::Mono => glyphs.without_colours(),
            Colours::Sixteen | Colours::Indexed | Colours::True => glyphs,
        };
        Self {
            skin: Skin { theme: Theme::new(colours), glyphs },
            background: get("COLORFGBG")
                .map(|backgrounds| if is_light(&backgrounds) { Background::Light } else { Background::Dark }),
            preferred: preferences.theme.clone(),
            remembered,
            editor: preferences.editor.clone(),
            ..Self::default()
        }
    }

    pub(super) fn editor(&self) -> Option<&str> {
        self.editor.as_deref()
    }

    /// Adds a message for the first frame.
    pub fn saying(self, message: Option<String>) -> Self {
        Self { message: message.or(self.message), ..self }
    }

    /// Shows the comparison to the profile in this file first.
    pub fn proposing(self, profile: Option<PathBuf>) -> Self {
        Self { profile, ..self }
    }

    /// Adds the demo's tour if `with_tour`.
    pub fn touring(self, with_tour: bool) -> Self {
        Self { with_tour, ..self }
    }

    /// Sets what commands run elsewhere must repeat: the demo, or this configuration file.
    pub fn launched(self, is_demo: bool, config: Option<&Path>) -> Self {
        let config = config.map(|file| file.to_string_lossy().into_owned());
        Self { launched: LaunchOptions { is_demo, config }, ..self }
    }

    /// Restores the state saved in this file.
    pub fn resuming(self, file: Option<ScreenSessionFile>) -> Self {
        let (session, forgotten) = file.as_ref().map(ScreenSessionFile::read).unwrap_or_default();
        let forgotten = forgotten.map(|why| format!("the saved state of the screen was dropped: {why}"));
        Self { session, session_file: file, ..self.saying(forgotten) }
    }

    pub(super) fn saver(&self) -> SessionSaver {
        SessionSaver::new(self.session_file.clone(), self.session.clone())
    }

    /// The initial state of a screen of this size.
    pub(super) fn state(self, size: Size) -> State {
        let mut state = State::new(size, self.skin);
        state.messages.clock = Some(messages::now);
        state.splits = self.remembered.borders.map(Splits::from).unwrap_or_default();
        state.rules = self.remembered.rules;
        session::begin(&mut state, self.session);
        state.theme_choice.background = self.background;
        state.theme_choice.preferred.clone_from(&self.preferred);
        state.theme_choice.chosen = self.preferred.or_else(|| self.remembered.theme.clone());
        own_files::begin(&mut state, Arc::new(self.files));
        if let Some(gone) = state.theme_choice.unknown() {
            let text = own_files::missing_theme(&state, gone);
            state.refuse(text);
        }
        if let Some(text) = self.message {
            state.refuse(text);
        }
        state.remembered = self.remembered;
        state.launched = self.launched;
        state.tour = self.with_tour.then(|| Tour::new(&state));
        if let Some(file) = self.profile {
            windows::open_switch(&mut state, file);
        }
        state
    }
}

/// The settings from the user's own files for the screen.
pub fn settings(files: &ScreenFiles) -> ScreenSettings {
    let (keymap, themes, problems) = own_files::read(files, &Themes::new(Colours::True));
    let keymap = keymap.unwrap_or_default();
    let row = |(binding, context): (&ActionBinding, KeyContext)| ActionKeys {
        context: context.word(),
        action: binding.word(),
        keys: keymap.keys(binding, context).iter().map(ToString::to_string).collect(),
    };
    let keys = action::in_contexts().into_iter().map(row).collect();
    ScreenSettings { keys, themes: themes.names().map(str::to_owned).collect(), problems }
}

/// Whether the terminal's background is light. The last number of `COLORFGBG` is its colour; 7 and 9 to 15 are light.
fn is_light(backgrounds: &str) -> bool {
    let background = backgrounds.rsplit(';').next().and_then(|number| number.parse::<u8>().ok());
    matches!(background, Some(7 | 9..=15))
}

#[cfg(test)]
mod tests {
    use refdesk_core::config::screen::{Borders, DividerShares, Shares};

    use super::*;

    fn start(environment: &[(&str, &str)], remembered: SavedScreen) -> StartOptions {
        let get =
            |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        StartOptions::new(get, None, remembered, &Preferences::default())
    }

    #[test]
    fn the_theme_is_the_chosen_one_else_by_the_terminal_else_dark() {
        let many = ("TERM", "xterm-256color");
        for (environment, chosen, theme) in [
            (vec![many], None, "dark"),
            (vec![many, ("COLORFGBG", "0;15")], None, "light"),
            (vec![many, ("COLORFGBG", "0;default;15")], None, "light"),
            (vec![many, ("COLORFGBG", "15;0")], None, "dark"),
            (vec![many, ("COLORFGBG", "15;8")], None, "dark"),
            (vec![many, ("COLORFGBG", "default;default")], None, "dark"),
            (vec![many, ("COLORFGBG", "0;15")], Some("contrast"), "contrast"),
            (vec![many], Some("sepia"), "dark"),
            (vec![many, ("NO_COLOR", "1")], Some("light"), "mono"),
            (vec![("TERM", "xterm"), ("COLORFGBG", "0;15")], None, "ansi-light"),
            (vec![("TERM", "xterm"), ("COLORFGBG", "15;0")], None, "ansi"),
        ] {
            let remembered = SavedScreen { theme: chosen.map(str::to_owned), ..SavedScreen::default() };
            let state = start(&environment, remembered.clone()).state(Size::new(80, 24));
            assert_eq!(state.skin.theme.name(), theme, "{environment:?} {chosen:?}");
            assert_eq!(state.message.is_some(), chosen == Some("sepia"));
            assert_eq!(state.remember(), remembered, "what was not changed is not forgotten");
        }
    }

    #[test]
    fn preferences_come_before_the_environment_and_the_last_screen() {
        let get = |name: &str| (name == "TERM").then(|| "xterm-256color".to_owned());
        let unwanted = |name: &str| (name == "NO_COLOR").then(|| "1".to_owned()).or_else(|| get(name));
        let remembered = SavedScreen { theme: Some("light".to_owned()), ..SavedScreen::default() };
        let started = |preferences: &Preferences| StartOptions::new(get, Some("C"), remembered.clone(), preferences);
        let none = Preferences::default();
        for (preferences, theme) in [
            (none.clone(), "light"),
            (Preferences { theme: Some("contrast".to_owned()), ..none.clone() }, "contrast"),
            (Preferences { color: Some("never"), ..none.clone() }, "mono"),
            (Preferences { color: Some("always"), ..none.clone() }, "light"),
        ] {
            let state = started(&preferences).state(Size::new(80, 24));
            assert_eq!(state.skin.theme.name(), theme, "{preferences:?}");
            assert_eq!(state.remember(), remembered, "the chosen theme is not forgotten");
        }
        let always = Preferences { color: Some("always"), ..none.clone() };
        let state = StartOptions::new(unwanted, None, remembered.clone(), &always).state(Size::new(80, 24));
        assert_eq!(state.skin.theme.name(), "light");
        assert_eq!(started(&none).skin.glyphs, Glyphs::ASCII);
        let never = Preferences { color: Some("never"), ..none.clone() };
        assert_eq!(started(&never).skin.glyphs, Glyphs::ASCII.without_colours());
        let unicode = Preferences { characters: Some("unicode"), ..none };
        assert_eq!(started(&unicode).skin.glyphs, Glyphs::UNICODE);
        let themes = Themes::new(Colours::True);
        let known: Vec<&str> = std::iter::once("auto").chain(themes.names()).collect();
        assert_eq!(known, refdesk_core::config::user::THEMES);
    }

    #[test]
    fn a_screen_starts_as_the_last_one_was_left() {
        let remembered = SavedScreen {
            theme: Some("light".to_owned()),
            borders: Some(Borders { left: 300, upper: 700 }),
            rules: DividerShares {
                catalog: Shares { upper: Some(400), ..Shares::default() },
                ..DividerShares::default()
            },
        };
        let state = start(&[("TERM", "foot")], remembered.clone()).state(Size::new(120, 36));
        assert_eq!(state.splits, Splits { left: Some(300), upper: Some(700) });
        assert_eq!(state.remember(), remembered);
    }
}
