//! `refdesk config`: the user's own preferences, keymap and themes.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::answer::CommandOutput;
use super::args::{ConfigCommand, ConfigFile};
use super::output::lines;
use super::{environment, fix};
use crate::editor;
use refdesk_core::config::screen_files::{self, ActionKeys, ScreenFiles, ScreenSettings, keymap_file, themes_folder};
use refdesk_core::config::user::KEYS;
use refdesk_text::escape::one_line;
use refdesk_text::report::{Diagnostic, Severity};
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

/// Prints a path, the values or the problems; `screen_settings` reads the files of the screen.
pub fn run(command: Option<ConfigCommand>, screen_settings: fn(&ScreenFiles) -> ScreenSettings) -> CommandOutput {
    let (preferences, file, problems) = environment::preferences();
    let (Some(file), Some(home)) = (file, environment::own_config_home()) else {
        let message = "there is no folder for your preferences: no home folder is known";
        return CommandOutput::refused(Error::new(Code::NoHome, message, "set HOME or XDG_CONFIG_HOME"));
    };
    let own = OwnFiles { preferences: file, keymap: keymap_file(&home), themes: themes_folder(&home) };
    let files = screen_files::read(Some(&home));
    let settings = || screen_settings(&files);
    match command.unwrap_or(ConfigCommand::Show) {
        ConfigCommand::Path { file } => {
            let path = match file {
                ConfigFile::Preferences => &own.preferences,
                ConfigFile::Keymap => &own.keymap,
                ConfigFile::Themes => &own.themes,
            };
            let text = format!("{}\n", one_line(&path.to_string_lossy()));
            CommandOutput::new(json!({"path": path.to_string_lossy(), "exists": path.exists()}), text)
        }
        ConfigCommand::Show => show(&own, &preferences.values(), &settings()),
        ConfigCommand::Check => {
            let themes = files.themes.iter().map(|theme| theme.shown.clone()).collect::<Vec<_>>();
            check(&own, &themes, &[problems, settings().problems].concat())
        }
    }
}

struct OwnFiles {
    preferences: PathBuf,
    keymap: PathBuf,
    themes: PathBuf,
}

fn missing_file_note(file: &Path) -> &'static str {
    if file.exists() { "" } else { "  (not there yet)" }
}

fn quoted(value: &str) -> String {
    one_line(&json!(value).to_string()).into_owned()
}

/// The value of a key that is not set, and where it comes from.
fn default(key: &str) -> (String, String) {
    let is_set = |name: &&&str| environment::text(name).is_some_and(|value| !value.is_empty());
    match key {
        "editor" => match editor::from_environment(environment::variable) {
            Some((name, value)) => (value.to_string_lossy().into_owned(), format!("${name}")),
            None => (editor::DEFAULT.to_owned(), "$VISUAL and $EDITOR are not set".to_owned()),
        },
        "log" => ("warn".to_owned(), "the default".to_owned()),
        "color" => {
            let decides = ["NO_COLOR", "CLICOLOR_FORCE"].iter().find(is_set);
            ("auto".to_owned(), decides.map_or("the default".to_owned(), |name| format!("the default; ${name} is set")))
        }
        _ => ("auto".to_owned(), "the default".to_owned()),
    }
}

fn show(own: &OwnFiles, values: &[Option<&str>], settings: &ScreenSettings) -> CommandOutput {
    let shown = |file: &Path| format!("# {}{}\n", one_line(&file.to_string_lossy()), missing_file_note(file));
    let mut text = shown(&own.preferences);
    let mut members = Map::new();
    for (key, value) in KEYS.iter().zip(values) {
        members.insert((*key).to_owned(), value.map_or(Value::Null, |value| json!(value)));
        let log = environment::text("REFDESK_LOG").filter(|log| !log.trim().is_empty());
        text.push_str(&match (value, log.filter(|_| *key == "log")) {
            (_, Some(log)) => {
                let set = value.map_or_else(String::new, |value| format!("{key} = {}\n", quoted(value)));
                format!("{set}# {key} = {}  ($REFDESK_LOG)\n", quoted(&log))
            }
            (Some(value), None) => format!("{key} = {}\n", quoted(value)),
            (None, None) => {
                let (value, why) = default(key);
                format!("# {key} = {}  ({why})\n", quoted(&value))
            }
        });
    }
    text.push_str(&format!("\n{}# themes are {}\n", shown(&own.themes), one_line(&settings.themes.join(", "))));
    text.push_str(&format!("\n{}", shown(&own.keymap)));
    let mut contexts = Map::new();
    for ActionKeys { context, action, keys } in &settings.keys {
        let actions = contexts.entry(*context).or_insert_with(|| {
            text.push_str(&format!("\n[{context}]\n"));
            json!({})
        });
        if let Value::Object(actions) = actions {
            actions.insert(action.clone(), json!(keys));
        }
        let keys = if let [key] = keys.as_slice() { json!(key) } else { json!(keys) };
        text.push_str(&format!("{action} = {}\n", one_line(&keys.to_string())));
    }
    let json = json!({
        "path": own.preferences.to_string_lossy(),
        "exists": own.preferences.exists(),
        "values": members,
        "keymap": {"path": own.keymap.to_string_lossy(), "exists": own.keymap.exists(), "keys": contexts},
        "themes": {"path": own.themes.to_string_lossy(), "exists": own.themes.exists(), "names": settings.themes},
    });
    CommandOutput::new(json, text)
}

/// Counts the problems of each file; `themes` are those that could be read.
fn check(own: &OwnFiles, themes: &[String], problems: &[Diagnostic]) -> CommandOutput {
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        problems.iter().cloned().partition(Diagnostic::is_error);
    let mut text = lines(problems);
    let mut files = vec![own.preferences.to_string_lossy().into_owned(), own.keymap.to_string_lossy().into_owned()];
    let others = problems.iter().filter_map(|problem| problem.file.as_ref()).chain(themes);
    for other in others {
        if !files.contains(other) {
            files.push(other.clone());
        }
    }
    for file in files {
        let count = |problems: &[Diagnostic], what| {
            counted(problems.iter().filter(|problem| problem.file.as_ref() == Some(&file)).count(), what)
        };
        let (errors, warnings) = (count(&errors, "error"), count(&warnings, "warning"));
        let exists = if Path::new(&file).exists() { "" } else { " (not there yet)" };
        text.push_str(&format!("{}{exists}: {errors}, {warnings}\n", one_line(&file)));
    }
    let valid = errors.is_empty();
    let json = json!({
        "path": own.preferences.to_string_lossy(),
        "valid": valid,
        "errors": fix::all(&errors),
        "warnings": fix::all(&warnings),
    });
    CommandOutput { exit: u8::from(!valid), ..CommandOutput::new(json, text) }
}

/// The problems as warnings, because a command works without the files that cannot be read.
pub fn as_warnings(problems: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    problems.into_iter().map(|problem| Diagnostic { severity: Severity::Warning, ..problem })
}
