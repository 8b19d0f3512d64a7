//! The user's own files for the screen: their effect and their problems. They arrive as text at startup and
//! whenever they change.

use std::sync::Arc;

use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use crate::tui::action::{Action, Keymap, read_keymap};
use crate::tui::state::State;
use crate::tui::theme::Themes;
use crate::tui::theme_choice;
use crate::tui::widgets::cells;

/// The keymap and themes in these files, and the problems of all of them; no keymap if its file cannot be read.
pub fn read(files: &ScreenFiles, themes: &Themes) -> (Option<Keymap>, Themes, Vec<Diagnostic>) {
    let (themes, of_themes) = themes.with_own(files);
    let (keymap, problems) = files.keymap.as_ref().map(|file| read_keymap(&file.text, &file.shown)).unwrap_or_default();
    let is_read = !files.is_keymap_unreadable && !problems.iter().any(|problem| problem.code == Code::NotToml);
    (is_read.then_some(keymap), themes, [files.problems.clone(), problems, of_themes].concat())
}

/// Applies the files at startup.
pub fn begin(state: &mut State, files: Arc<ScreenFiles>) {
    apply(state, files, "the default keys work");
}

/// Applies the files. An unreadable keymap, for example one being edited, changes nothing; `working` tells
/// the user which keys apply instead.
fn apply(state: &mut State, files: Arc<ScreenFiles>, working: &str) {
    let (keymap, themes, problems) = read(&files, &state.theme_choice.themes);
    state.own_problems = [files.preference_problems.clone(), problems].concat();
    state.theme_choice.themes = themes;
    theme_choice::apply(state);
    state.own_files = files;
    let is_read = keymap.is_some();
    state.keymap = keymap.unwrap_or_else(|| std::mem::take(&mut state.keymap));
    let key = state.key(Action::Problems);
    let (count, it) = (state.own_problems.len(), if state.own_problems.len() == 1 { "it" } else { "them" });
    if !is_read {
        state.refuse(format!("Your keymap cannot be read, so {working}: {key} shows why"));
    } else if count > 0 {
        state.refuse(format!("{} in your settings: {key} shows {it}", cells::counted(count, "problem")));
    }
}

/// Applies the files if they changed, and reports it.
pub fn follow(state: &mut State, files: &Arc<ScreenFiles>) {
    if state.own_files == *files {
        return;
    }
    let of_keymap = |files: &ScreenFiles| (files.keymap.clone(), files.is_keymap_unreadable);
    let is_keymap = of_keymap(&state.own_files) != of_keymap(files);
    let is_theme = state.own_files.themes != files.themes;
    let had_problems = !state.own_problems.is_empty();
    let had_theme = state.theme_choice.unknown().is_none();
    apply(state, files.clone(), "your keys stay as they were");
    state.chord.clear();
    if state.own_problems.is_empty() {
        let help = state.key(Action::Help);
        state.note(match (is_keymap, is_theme) {
            (true, _) if files.keymap.is_none() => {
                format!("Your keymap is gone, and the default keys work again. {help} shows them.")
            }
            (true, _) => format!("Your keymap changed, and its keys work now. {help} shows them."),
            (false, true) => match state.theme_choice.unknown().filter(|_| had_theme) {
                Some(gone) => format!("{}.", missing_theme(state, gone)),
                None => "Your themes changed.".to_owned(),
            },
            (false, false) if had_problems => {
                "Your settings have no problems now. Preferences take effect at the next start.".to_owned()
            }
            (false, false) => "Your preferences changed: they take effect at the next start.".to_owned(),
        });
    }
}

/// Reports which theme does not exist, and which is used instead.
pub fn missing_theme(state: &State, gone: &str) -> String {
    let (used, key) = (state.skin.theme.name(), state.key(Action::Theme));
    format!("The theme {} is gone, and {used} is used instead: {key} chooses another", cells::clean(gone))
}

impl State {
    /// The problems of the workspace and of the user's own files for the screen, errors first.
    pub fn problems(&self) -> Vec<&Diagnostic> {
        let all = || self.own_problems.iter().chain(self.snapshot.diagnostics.iter());
        let (errors, rest) = (all().filter(|it| it.is_error()), all().filter(|it| !it.is_error()));
        errors.chain(rest).collect()
    }
}
