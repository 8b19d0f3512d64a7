//! What is saved for the user and shared with the full screen: the workspace's named filters, token limit and values of
//! templates, and the theme.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use refdesk_core::config::screen;
use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_core::config::screen_session::{ScreenSession, ScreenSessionFile};
use refdesk_core::config::user::THEMES;

use super::catalog;
use super::lists::{NumberedRow, Target, list_counted};
use super::state::{InputOutcome, PlainStart, PlainState};
use crate::common::values::{self, TypedValues};

/// The files to save to; without them nothing is saved.
#[derive(Debug, Clone, Default)]
pub struct SavedFiles {
    /// The saved state of the workspace.
    pub session: Option<ScreenSessionFile>,
    /// The saved appearance of the screen.
    pub screen: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedState {
    /// The catalog's saved filters, by name.
    pub filters: BTreeMap<String, String>,
    /// The user's token limit for this workspace.
    pub token_limit: Option<u64>,
    /// Typed values by template name. Those that may be secrets are kept until refdesk exits.
    pub values: HashMap<String, TypedValues>,
    /// The theme of the full screen; `None` if it follows the terminal's background.
    pub theme: Option<String>,
    pub own_themes: Vec<String>,
    /// Whether a theme cannot be saved: in the demo, or without a folder for it.
    pub is_theme_unsaved: bool,
}

impl PlainStart {
    /// Uses this file for the workspace and, outside the demo, the screen's own file.
    pub fn keeping(self, session: Option<ScreenSessionFile>, own: &ScreenFiles, is_demo: bool) -> Self {
        let own_themes = own.themes.iter().map(|theme| theme.name.clone()).collect();
        Self { files: SavedFiles { session, screen: screen::file().filter(|_| !is_demo) }, own_themes, ..self }
    }
}

impl SavedFiles {
    /// Reads the saved state; `own_themes` are the user's themes.
    pub fn read(&self, own_themes: Vec<String>) -> SavedState {
        let session = self.session.as_ref().map(|file| file.read().0).unwrap_or_default();
        let (screen, _) = screen::remembered(self.screen.as_deref());
        SavedState {
            filters: session.named_filters,
            token_limit: session.token_limit,
            values: values::all_typed(session.values),
            theme: screen.theme,
            own_themes,
            is_theme_unsaved: self.screen.is_none(),
        }
    }

    /// Saves what differs from `before`; everything else in the files is kept.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, before: &SavedState, now: &SavedState) -> std::io::Result<()> {
        if let Some(file) = &self.session {
            let (stored, _) = file.read();
            let session = |saved: &SavedState| ScreenSession {
                named_filters: saved.filters.clone(),
                token_limit: saved.token_limit,
                values: values::all_saved(&saved.values),
                ..stored.clone()
            };
            let (before, now) = (session(before), session(now));
            if before != now {
                file.update(&before, &now)?;
            }
        }
        if let Some(file) = self.screen.as_deref().filter(|_| now.theme != before.theme) {
            let (mut screen, _) = screen::remembered(Some(file));
            screen.theme.clone_from(&now.theme);
            screen::write(file, &screen)?;
        }
        Ok(())
    }
}

/// Lists the saved filters, applies one, saves the catalog's last filter, or removes one.
pub fn filters(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    let (verb, name) = given.split_once(char::is_whitespace).unwrap_or((given, ""));
    match (verb.to_lowercase().as_str(), name.trim()) {
        ("", _) => listed(state, turn),
        ("save", "") => turn.print("Under which name? Type filters save and a name."),
        ("save", _) if state.filter.trim().is_empty() => {
            turn.print("There is no filter to save. Type catalog and some words first.");
        }
        ("save", name) => {
            state.saved.filters.insert(name.to_owned(), state.filter.clone());
            turn.print(format!("Saved {} as {name}.", state.filter));
        }
        ("remove", name) if !name.is_empty() => match state.saved.filters.remove(name) {
            Some(_) => turn.print(format!("Removed the filter {name}.")),
            None => turn.print(format!("There is no filter {name}. Type filters for a list.")),
        },
        _ => apply(state, given, turn),
    }
}

fn listed(state: &mut PlainState, turn: &mut InputOutcome) {
    let rows: Vec<NumberedRow> = state.saved.filters.iter().map(|(name, line)| row(name, line)).collect();
    let none = "No filter is saved. Type catalog and some words, then filters save and a name.";
    list_counted(state, rows, none, ("saved filter", ". Type a number to apply one."), turn);
}

/// `reviews: #review picked.`
pub fn row(name: &str, line: &str) -> NumberedRow {
    NumberedRow::new(Target::Filter(name.to_owned()), format!("{name}: {line}."))
}

/// Lists the catalog with the filter of this name.
pub fn apply(state: &mut PlainState, name: &str, turn: &mut InputOutcome) {
    match state.saved.filters.get(name).cloned() {
        Some(line) => catalog::show(state, &line, turn),
        None => turn.print(format!("There is no filter {name}. Type filters for a list.")),
    }
}

/// Lists the full screen's themes, or chooses one.
pub fn theme(state: &mut PlainState, name: &str, turn: &mut InputOutcome) {
    let names: Vec<&str> = THEMES.into_iter().chain(state.saved.own_themes.iter().map(String::as_str)).collect();
    let name = name.to_lowercase();
    if name.is_empty() {
        let used = state.saved.theme.as_deref().unwrap_or("auto");
        turn.print(format!("The full screen uses the theme {used}. The plain interface has no colours."));
        turn.print(format!("Themes are {}. Type theme and a name to choose one.", names.join(", ")));
        return;
    }
    let Some(known) = names.iter().find(|known| known.eq_ignore_ascii_case(&name)).map(|known| (*known).to_owned())
    else {
        return turn.print(format!("There is no theme {name}. Themes are {}.", names.join(", ")));
    };
    if state.saved.is_theme_unsaved {
        return turn.print("The theme stays as it is: settings are not stored in the demo or without a home folder.");
    }
    turn.print(format!(
        "The full screen uses the theme {known} from its next start, unless config.toml names another."
    ));
    state.saved.theme = (known != "auto").then_some(known);
}
