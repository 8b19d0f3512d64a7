//! `refdesk man`: manual pages, made from the same table as `--help`.

use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use serde_json::json;

use super::answer::CommandOutput;
use super::args::ManArgs;
use super::{environment, help};
use refdesk_files::path::absolute;
use refdesk_files::write_atomic;
use refdesk_text::escape::one_line;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::{Code, Error};

/// Prints the main page, or writes all pages to a folder.
pub fn run(args: &ManArgs) -> CommandOutput {
    let mut program = help::program().disable_help_subcommand(true);
    program.build();
    let Some(folder) = &args.folder else {
        return match page(program) {
            Ok(text) => CommandOutput::new(json!({"text": text}), text),
            Err(error) => CommandOutput::refused(failed(&error)),
        };
    };
    let named = folder.to_str().and_then(|name| program.find_subcommand(name)).filter(|_| !folder.exists());
    if let Some(command) = named {
        let name = format!("refdesk-{}", command.get_name());
        return match page(command.clone().display_name(name)) {
            Ok(text) => CommandOutput::new(json!({"text": text}), text),
            Err(error) => CommandOutput::refused(failed(&error)),
        };
    }
    if let Some(error) = mistyped(&program, folder) {
        return CommandOutput::refused(error);
    }
    let folder = match environment::current() {
        Ok(current) => absolute(&current, folder),
        Err(error) => return CommandOutput::refused(error),
    };
    match write(&program, &folder) {
        Ok(written) => {
            let shown = folder.to_string_lossy();
            let text = format!("{} pages written to {}\n", written.len(), one_line(&shown));
            CommandOutput::new(json!({"folder": shown, "files": written}), text)
        }
        Err(error) => CommandOutput::refused(failed(&error)),
    }
}

/// A word that is nearly a command, where a command or a folder is expected.
fn mistyped(program: &Command, folder: &Path) -> Option<Error> {
    let word = folder.to_str().filter(|_| !folder.exists())?;
    let question = did_you_mean(word, program.get_subcommands().map(Command::get_name))?;
    let message = format!("there is no command '{word}' and no folder of that name");
    Some(Error::new(Code::Usage, message, format!("{question} For a new folder, write ./{word}")))
}

fn failed(error: &io::Error) -> Error {
    Error::new(
        Code::NotWritten,
        format!("the manual pages cannot be written: {error}"),
        "name a folder that is writable",
    )
}

/// Writes `refdesk.1` and a page for each command; returns the names of the files.
fn write(program: &Command, folder: &Path) -> io::Result<Vec<String>> {
    let mut files = vec![("refdesk.1".to_owned(), page(program.clone())?)];
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = format!("refdesk-{}", command.get_name());
        files.push((format!("{name}.1"), page(command.clone().display_name(name))?));
    }
    std::fs::create_dir_all(folder)?;
    for (name, text) in &files {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

fn page(command: Command) -> io::Result<String> {
    let mut bytes = Vec::new();
    Man::new(command).render(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
