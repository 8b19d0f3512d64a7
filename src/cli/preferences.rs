//! `refdesk config`: the user's own preferences.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::answer::CommandOutput;
use super::args::ConfigCommand;
use super::output::in_words;
use super::rows::plural;
use super::{environment, fix};
use refdesk_core::config::user::KEYS;
use refdesk_text::escape::one_line;
use refdesk_text::report::{Diagnostic, Severity};
use refdesk_text::{Code, Error};

/// Prints the path, the values or the problems.
pub fn run(command: Option<ConfigCommand>) -> CommandOutput {
    let (preferences, file, problems) = environment::preferences();
    let Some(file) = file else {
        let message = "your preferences have no place: no home folder is known";
        return CommandOutput::refused(Error::new(Code::NoHome, message, "set HOME or XDG_CONFIG_HOME"));
    };
    match command.unwrap_or(ConfigCommand::Show) {
        ConfigCommand::Path => {
            let text = format!("{}\n", one_line(&file.to_string_lossy()));
            CommandOutput::new(json!({"path": file.to_string_lossy(), "exists": file.exists()}), text)
        }
        ConfigCommand::Show => show(&file, &preferences.values()),
        ConfigCommand::Check => check(&file, &problems),
    }
}

fn show(file: &Path, values: &[Option<&str>]) -> CommandOutput {
    let exists = if file.exists() { "" } else { "  (not there yet)" };
    let mut text = format!("# {}{exists}\n", one_line(&file.to_string_lossy()));
    let mut members = Map::new();
    for (key, value) in KEYS.iter().zip(values) {
        members.insert((*key).to_owned(), value.map_or(Value::Null, |value| json!(value)));
        text.push_str(&match value {
            Some(value) => format!("{key} = {}\n", one_line(&json!(value).to_string())),
            None => format!("# {key} is not set\n"),
        });
    }
    let json = json!({"path": file.to_string_lossy(), "exists": file.exists(), "values": members});
    CommandOutput::new(json, text)
}

fn check(file: &Path, problems: &[Diagnostic]) -> CommandOutput {
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        problems.iter().cloned().partition(Diagnostic::is_error);
    let mut text = String::new();
    for problem in problems {
        text.push_str(&in_words(problem));
        text.push('\n');
    }
    let counts = [(errors.len(), "error"), (warnings.len(), "warning")].map(|(count, what)| plural(count, what));
    let exists = if file.exists() { "" } else { " (not there yet)" };
    text.push_str(&format!("{}{exists}: {}\n", one_line(&file.to_string_lossy()), counts.join(", ")));
    let valid = errors.is_empty();
    let json = json!({
        "path": file.to_string_lossy(),
        "valid": valid,
        "errors": fix::all(&errors),
        "warnings": fix::all(&warnings),
    });
    CommandOutput { exit: u8::from(!valid), ..CommandOutput::new(json, text) }
}

/// The problems as warnings: a command goes on without what cannot be read.
pub fn as_warnings(problems: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    problems.into_iter().map(|problem| Diagnostic { severity: Severity::Warning, ..problem })
}
