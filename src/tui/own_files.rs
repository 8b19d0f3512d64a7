//! The user's own files for the screen: what they change, and what is wrong with them. They arrive as text, at the start and
//! whenever they change.

use std::sync::Arc;

use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_text::report::Diagnostic;

use crate::tui::action::{Action, Keymap, read_keymap};
use crate::tui::state::State;
use crate::tui::theme::Themes;
use crate::tui::theme_choice;
use crate::tui::widgets::cells;

/// The keymap and the themes of these files, and what is wrong with all of them.
pub fn read(files: &ScreenFiles, themes: &Themes) -> (Keymap, Themes, Vec<Diagnostic>) {
    let (themes, of_themes) = themes.with_own(files);
    let (keymap, problems) = files.keymap.as_ref().map(|file| read_keymap(&file.text, &file.shown)).unwrap_or_default();
    (keymap, themes, [files.problems.clone(), problems, of_themes].concat())
}

/// Applies the current files.
pub fn begin(state: &mut State, files: Arc<ScreenFiles>) {
    let problems;
    (state.keymap, state.theme_choice.themes, problems) = read(&files, &state.theme_choice.themes);
    state.own_problems = [files.of_preferences.clone(), problems].concat();
    theme_choice::apply(state);
    state.own_files = files;
    if let Some(text) = problems_noticed(state) {
        state.refuse(text);
    }
}

/// Takes the files if they changed, and says so.
pub fn follow(state: &mut State, files: &Arc<ScreenFiles>) {
    if state.own_files == *files {
        return;
    }
    let is_keymap = state.own_files.keymap != files.keymap;
    let is_theme = state.own_files.themes != files.themes;
    begin(state, files.clone());
    state.chord.clear();
    if state.own_problems.is_empty() {
        let help = state.key(Action::Help);
        state.note(match (is_keymap, is_theme) {
            (true, _) => format!("Your keymap changed, and its keys work now. {help} shows them."),
            (false, true) => "Your themes changed.".to_owned(),
            (false, false) => "Your settings have no problems now. Preferences count from the next start.".to_owned(),
        });
    }
}

/// `2 problems in your settings: d shows them`
fn problems_noticed(state: &State) -> Option<String> {
    let count = state.own_problems.len();
    let key = state.key(Action::Problems);
    (count > 0).then(|| format!("{} in your settings: {key} shows them", cells::counted(count, "problem")))
}

impl State {
    /// The problems of the workspace and of the user's own files for the screen, errors first.
    pub fn problems(&self) -> Vec<&Diagnostic> {
        let all = || self.own_problems.iter().chain(self.snapshot.diagnostics.iter());
        let (errors, rest) = (all().filter(|it| it.is_error()), all().filter(|it| !it.is_error()));
        errors.chain(rest).collect()
    }
}
