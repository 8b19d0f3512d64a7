//! The themes window: the screen shows the theme under the cursor, and only Enter keeps it.

use std::sync::Arc;

use crate::tui::fixture;
use crate::tui::input::{Effect, Input};
use crate::tui::state::State;
use crate::tui::tests::{message, press, screen};
use crate::tui::theme::{Background, Colours, Theme};
use crate::tui::theme_choice::ThemeChoice;
use crate::tui::update::update;
use refdesk_core::config::screen_files::{ScreenFile, ScreenFiles};
use refdesk_desk::engine::Snapshot;

fn named(state: &State) -> (String, Option<String>) {
    (state.skin.theme.name().to_owned(), state.remember().theme)
}

fn with_own(state: &mut State, text: &str) {
    let file = ScreenFile { name: "sepia".to_owned(), shown: "sepia.toml".to_owned(), text: text.to_owned() };
    let files = ScreenFiles { themes: vec![file], ..ScreenFiles::default() };
    let snapshot = Snapshot { screen_files: Some(Arc::new(files)), ..fixture::snapshot() };
    update(state, Input::Snapshot(Box::new(snapshot)));
}

#[test]
fn the_theme_under_the_cursor_is_shown_and_only_enter_keeps_it() {
    for (keys, shown, kept) in [
        ("T", "dark", None),
        ("T j j", "light", None),
        ("T G", "mono", None),
        ("T j j Enter", "light", Some("light")),
        ("T j j Esc", "dark", None),
        ("T j j q", "dark", None),
        ("T j j T", "dark", None),
        ("T j j j Enter T", "contrast", Some("contrast")),
        ("T j j j Enter T j Esc", "contrast", Some("contrast")),
        ("T j j j Enter T g Enter", "dark", None),
    ] {
        let mut state = fixture::state(80, 24);
        press(&mut state, keys);
        assert_eq!(named(&state), (shown.to_owned(), kept.map(str::to_owned)), "{keys}");
    }
    let mut state = fixture::state(80, 24);
    press(&mut state, "T j j");
    // However the window is closed, no theme was chosen.
    state.window = None;
    update(&mut state, Input::Snapshot(Box::new(fixture::snapshot())));
    assert_eq!(named(&state), ("dark".to_owned(), None));
    press(&mut state, "T j j Enter");
    assert_eq!(message(&state), "Theme: light.");
    state.theme_choice.preferred = Some("dark".to_owned());
    press(&mut state, "T j Enter");
    assert_eq!(message(&state), "Theme: contrast. config.toml names dark, which is used at the next start.");
    state.theme_choice = ThemeChoice::new(Colours::Off);
    state.skin.theme = Theme::new(Colours::Off);
    press(&mut state, "T");
    assert_eq!(message(&state), "NO_COLOR is set: themes need colours");
}

#[test]
fn the_background_decides_until_the_user_does() {
    let mut state = fixture::state(80, 24);
    let background = |state: &mut State, background| drop(update(state, Input::Background(background)));
    background(&mut state, Background::Light);
    assert_eq!(named(&state), ("light".to_owned(), None));
    background(&mut state, Background::Dark);
    assert_eq!(named(&state), ("dark".to_owned(), None));
    press(&mut state, "T j j j");
    background(&mut state, Background::Light);
    assert_eq!(state.skin.theme.name(), "contrast", "a preview stays");
    press(&mut state, "Esc");
    assert_eq!(state.skin.theme.name(), "light");
    press(&mut state, "T j j j Enter");
    background(&mut state, Background::Dark);
    assert_eq!(named(&state), ("contrast".to_owned(), Some("contrast".to_owned())));
    let mut state = fixture::state(80, 24);
    assert!(!press(&mut state, "T j Enter").contains(&Effect::AskBackground));
    assert!(press(&mut state, "T g Enter").contains(&Effect::AskBackground), "the terminal has not answered yet");
}

#[test]
fn a_user_theme_is_reloaded_when_it_changes() {
    let mut state = fixture::state(80, 24);
    with_own(&mut state, "hints = { fg = \"red\" }");
    press(&mut state, "T G Enter");
    assert_eq!(named(&state), ("sepia".to_owned(), Some("sepia".to_owned())));
    let before = state.skin.theme.clone();
    with_own(&mut state, "hints = { fg = \"green\" }");
    assert_ne!(state.skin.theme, before);
    assert_eq!(message(&state), "Your themes changed.");
    with_own(&mut state, "hints = { fg = \"gren\" }");
    assert_eq!(message(&state), "1 problem in your settings: d shows it");
    press(&mut state, "d");
    assert!(screen(&state).contains("'gren' is not a colour"), "{}", screen(&state));
    let gone = Snapshot { screen_files: Some(Arc::default()), ..fixture::snapshot() };
    press(&mut state, "Esc");
    update(&mut state, Input::Snapshot(Box::new(gone)));
    assert_eq!(state.skin.theme.name(), "dark", "a theme that is gone");
    assert_eq!(message(&state), "The theme sepia is gone, and dark is used instead: T chooses another.");
}

#[test]
fn changed_preferences_say_when_they_apply() {
    let mut state = fixture::state(80, 24);
    let files = ScreenFiles { preferences: Some("characters = \"ascii\"\n".to_owned()), ..ScreenFiles::default() };
    let snapshot = Snapshot { screen_files: Some(Arc::new(files)), ..fixture::snapshot() };
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    assert_eq!(message(&state), "Your preferences changed: they take effect at the next start.");
}
