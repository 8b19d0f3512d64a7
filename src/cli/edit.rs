//! `refdesk edit`: opens the entry of a source in the user's editor, and checks the file afterwards.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::demo::ON_THE_SCREEN;
use super::environment;
use super::fix::argument;
use super::output::{ask_to_leave, print_error, print_to_stderr, to_text};
use super::rows;
use crate::editor::{self, EditorCommand};
use refdesk_core::config::LARGEST;
use refdesk_desk::{Desk, FileLine, Session};
use refdesk_files::workspace::WorkspaceReason;
use refdesk_files::{read_whole, unreadable};
use refdesk_text::escape::one_line;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// What to do with a file that is invalid or hides another source.
enum NextStep {
    EditAgain,
    Restore,
    Keep,
}

pub fn to_json(status: &str, id: &str, file: Option<&str>) -> Value {
    json!({"status": status, "id": id, "file": file})
}

/// Opens the editor until the file is valid, restored, or kept as it is.
pub fn run(desk: &mut Desk, session: &Session, id: &str) -> Result<CommandOutput, Error> {
    let id = desk.catalog().find(id).map(|source| source.id.to_string()).ok_or_else(|| desk.unknown_id(id))?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let hint = match desk.workspace_context().reason {
            WorkspaceReason::Demo => ON_THE_SCREEN.to_owned(),
            _ => format!("run this at a terminal, or edit the file that `refdesk show {}` names", argument(&id)),
        };
        return Err(Error::new(Code::NoTerminal, "the editor needs a terminal", hint));
    }
    let file = desk.definition(&id)?.path;
    let shown = desk.workspace_context().display(&file);
    let before = read(&file, &shown)?;
    let taken_before = taken_ids(desk);
    loop {
        let spot = desk.definition(&id).unwrap_or_else(|_| FileLine { path: file.clone(), line: 1 });
        let failed = open(desk, &spot)?;
        let wrong = match read(&file, &shown) {
            Ok(after) if after == before => {
                if let Some(failed) = failed {
                    let fix = "see what it printed, and run the command again";
                    return Err(Error::new(Code::Editor, format!("{failed}; nothing was changed"), fix));
                }
                let json = to_json("unchanged", &id, Some(&shown));
                return Ok(CommandOutput::new(json, format!("{} is unchanged.\n", one_line(&shown))));
            }
            Ok(after) => {
                failed.iter().for_each(|failed| print_to_stderr(&format!("note: {}", one_line(failed))));
                desk.note_edit(session, &file, &after, &id);
                wrong(desk, (&shown, &id), &taken_before)
            }
            // An editor may delete the file, or leave something that is not text.
            Err(_) if !file.exists() => Some((Code::Unreadable, "is gone")),
            Err(error) => {
                print_error(&error);
                Some((error.code, "cannot be read"))
            }
        };
        let Some((code, what)) = wrong else {
            let json = to_json("success", &id, Some(&shown));
            return Ok(CommandOutput::new(json, rows::result(&format!("edited @{id} in {shown}"))));
        };
        match next_step(&shown, what) {
            NextStep::EditAgain => {}
            NextStep::Restore => {
                desk.put_back(session, &file, &before, &ask_to_leave)?;
                let json = to_json("unchanged", &id, Some(&shown));
                return Ok(CommandOutput::new(json, rows::result(&format!("restored {shown}"))));
            }
            NextStep::Keep => {
                let message = format!("{shown} was kept, but {what}");
                return Err(Error::new(code, message, "`refdesk check` shows the problem"));
            }
        }
    }
}

/// Prints what is wrong with the file, and returns it as a code and a few words.
fn wrong(desk: &Desk, (shown, id): (&str, &str), taken_before: &[Diagnostic]) -> Option<(Code, &'static str)> {
    let mut problems = problems(desk, shown, id);
    // An entry that takes another's id removes the other from the catalog, so treat it as an error.
    let taken: Vec<Diagnostic> = taken_ids(desk).into_iter().filter(|it| !taken_before.contains(it)).collect();
    problems.extend(taken.iter().filter(|it| !problems.contains(it)).cloned().collect::<Vec<_>>());
    problems.iter().for_each(|problem| print_to_stderr(&to_text(problem)));
    match (problems.iter().any(Diagnostic::is_error), taken.first()) {
        (true, _) => Some((Code::Unparsable, "has errors")),
        (false, Some(taken)) => Some((taken.code, "takes the id of another source")),
        (false, None) => None,
    }
}

fn read(file: &Path, shown: &str) -> Result<String, Error> {
    let unread = |message: String| Error::new(Code::Unreadable, message, "");
    let bytes = read_whole(file, LARGEST).map_err(|error| unread(unreadable(shown, &error)))?;
    String::from_utf8(bytes).map_err(|error| unread(format!("{shown} cannot be read: {error}")))
}

/// Runs the editor until it exits; returns how, if it failed. It may have changed the file all the same.
fn open(desk: &Desk, spot: &FileLine) -> Result<Option<String>, Error> {
    let (preferences, _, _) = environment::preferences();
    let call = editor::call(preferences.editor.as_deref(), environment::variable, spot)?;
    let EditorCommand { program, arguments, origin } = &call;
    let status = Command::new(program).args(arguments).current_dir(desk.workspace()).status().map_err(|error| {
        Error::new(Code::Editor, format!("'{program}' cannot be run: {error} ({origin})"), editor::HINT)
    })?;
    Ok((!status.success()).then(|| format!("'{program}' {} ({origin})", editor::ending(status))))
}

/// The problems of the file, including that it does not define the source.
fn problems(desk: &Desk, shown: &str, id: &str) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> =
        desk.diagnostics().into_iter().filter(|problem| problem.file.as_deref() == Some(shown)).collect();
    if desk.catalog().get(id).is_none() && !problems.iter().any(Diagnostic::is_error) {
        let message = format!("the catalog no longer has a source with the id '{id}'");
        problems.push(Diagnostic::warning(Code::UnknownId, message).in_file(shown));
    }
    problems
}

/// Entries that are ignored because another entry has the same id.
fn taken_ids(desk: &Desk) -> Vec<Diagnostic> {
    desk.diagnostics().into_iter().filter(|problem| problem.code == Code::DuplicateId).collect()
}

/// Asks what to do; without an answer, the file is restored.
fn next_step(shown: &str, what: &str) -> NextStep {
    let mut out = io::stderr().lock();
    let mut question = format!("{} {what}. Edit again, restore it, or keep it? [E/r/k] ", one_line(shown));
    loop {
        let mut answer = String::new();
        let asked = out.write_all(question.as_bytes()).and_then(|()| out.flush());
        if !asked.and_then(|()| io::stdin().lock().read_line(&mut answer)).is_ok_and(|bytes| bytes > 0) {
            return NextStep::Restore;
        }
        match answer.trim().to_lowercase().as_str() {
            "" | "e" | "edit" | "edit again" => return NextStep::EditAgain,
            "r" | "restore" => return NextStep::Restore,
            "k" | "keep" => return NextStep::Keep,
            wrong => {
                question =
                    format!("'{}' is not an answer. Edit again, restore it, or keep it? [E/r/k] ", one_line(wrong));
            }
        }
    }
}
