//! `refdesk man`: manual pages, generated from the same table as `--help`.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Stdio};

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use serde_json::json;

use super::answer::CommandOutput;
use super::args::OutputFormat;
use super::{environment, help};
use refdesk_files::path::absolute;
use refdesk_files::{way_to_more, write_atomic};
use refdesk_text::escape::one_line;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::{Code, Error};

/// Prints the page of a command, or writes all pages to a folder.
pub fn run(words: &[OsString], format: OutputFormat) -> CommandOutput {
    let mut program = help::program().disable_help_subcommand(true);
    program.build();
    match wanted(&program, words) {
        Ok(ManRequest::Page(page)) => match page.text() {
            Ok(text) if format == OutputFormat::Text && io::stdout().is_terminal() => read_by_a_person(&page, &text),
            Ok(text) => CommandOutput::new(json!({"text": text}), text),
            Err(error) => CommandOutput::refused(failed(&error)),
        },
        Ok(ManRequest::Folder(folder)) => match write(&program, &folder) {
            Ok(written) => {
                let shown = folder.to_string_lossy();
                let text = format!("Wrote {} pages to {}.\n", written.len(), one_line(&shown));
                CommandOutput::new(json!({"folder": shown, "files": written}), text)
            }
            Err(error) => CommandOutput::refused(failed(&error)),
        },
        Err(error) => CommandOutput { exit: 2, ..CommandOutput::refused(error) },
    }
}

/// Shows the page with `man`; if that fails, returns the help.
fn read_by_a_person(page: &Page<'_>, text: &str) -> CommandOutput {
    let shown = environment::on_path("man").is_some_and(|man| show(&man, text).is_ok_and(|status| status.success()));
    let help = if shown { String::new() } else { page.command.clone().render_long_help().to_string() };
    CommandOutput::new(json!({"text": text}), help)
}

fn show(man: &Path, text: &str) -> io::Result<ExitStatus> {
    let mut child = process::Command::new(man).args(["-l", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    // If `man` exits early, the pipe breaks; its status tells whether it failed.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(text.as_bytes()));
    child.wait()
}

enum ManRequest<'c> {
    Page(Page<'c>),
    /// All pages, in this folder.
    Folder(PathBuf),
}

fn wanted<'c>(program: &'c Command, words: &[OsString]) -> Result<ManRequest<'c>, Error> {
    let mut page = Page { command: program, name: program.get_name().to_owned() };
    for (at, word) in words.iter().enumerate() {
        let text = word.to_string_lossy();
        let path = Path::new(word);
        // An existing folder takes precedence over a command of the same name.
        let is_folder =
            at == 0 && words.len() == 1 && (path.is_dir() || path.components().count() > 1 || text.ends_with('/'));
        match page.command.find_subcommand(&*text).filter(|_| !is_folder) {
            Some(command) => page = Page { command, name: format!("{}-{}", page.name, command.get_name()) },
            None if is_folder => return Ok(ManRequest::Folder(absolute(&environment::current()?, path))),
            // It has no page of its own: the page of the program, or of the command after it, is the help.
            None if at == 0 && text == "help" => {}
            None if at > 0 => {
                let typed: Vec<_> = words.iter().take(at + 1).map(|word| word.to_string_lossy()).collect();
                let message = format!("there is no command '{}'", one_line(&typed.join(" ")));
                let one = page.name.replace('-', " ").replacen("refdesk", "refdesk man", 1);
                let fix = did_you_mean(&text, page.command.get_subcommands().map(Command::get_name));
                let fix = fix.unwrap_or_else(|| format!("name one command, as in `{one}`"));
                return Err(Error::new(Code::Usage, message, fix));
            }
            None => {
                let question = did_you_mean(&text, page.command.get_subcommands().map(Command::get_name));
                let message = format!("there is no command '{}' and no folder of that name", one_line(&text));
                let folder = format!(
                    "`refdesk --help` lists the commands; `refdesk man ./{}` writes all pages there",
                    shell_words::quote(&text)
                );
                let fix = question.map_or(folder.clone(), |question| format!("{question} {folder}"));
                return Err(Error::new(Code::Usage, message, fix));
            }
        }
    }
    Ok(ManRequest::Page(page))
}

fn failed(error: &io::Error) -> Error {
    let fix = way_to_more(error).unwrap_or("name a writable folder");
    Error::new(Code::NotWritten, format!("the manual pages cannot be written: {error}"), fix)
}

/// Writes a page for the program and for each command; returns the names of the files.
fn write(program: &Command, folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![Page { command: program, name: program.get_name().to_owned() }];
    while let Some(page) = open.pop() {
        files.push((format!("{}.1", page.name), page.text()?));
        let shown = page.command.get_subcommands().filter(|command| !command.is_hide_set());
        open.extend(shown.map(|command| Page { command, name: format!("{}-{}", page.name, command.get_name()) }));
    }
    std::fs::create_dir_all(folder)?;
    files.sort();
    for (name, text) in &files {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

struct Page<'c> {
    command: &'c Command,
    /// `refdesk-db-plan`
    name: String,
}

impl Page<'_> {
    fn text(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        let source = concat!("refdesk ", env!("CARGO_PKG_VERSION"));
        let command = self.command.clone().display_name(&self.name).override_usage(synopsis(self.command));
        Man::new(command).source(source).manual("refdesk").render(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// `refdesk add [--id ID] [-t TAG]... [OPTIONS] <PATH|URL>...`: the command's own options, then one word for the global
/// ones.
fn synopsis(command: &Command) -> String {
    let mut words = vec![command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()];
    let is_own = |arg: &&Arg| !arg.is_hide_set() && !arg.is_global_set() && arg.get_id() != "help";
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(is_own).partition(|arg| arg.is_positional());
    let word = |arg: &&Arg, open, close| {
        let name = match (arg.get_short(), arg.get_long()) {
            (_, Some(long)) => Some(format!("--{long}")),
            (short, None) => short.map(|short| format!("-{short}")),
        };
        let is_valued = arg.is_positional() || arg.get_action().takes_values();
        let values = arg.get_value_names().filter(|_| is_valued).unwrap_or_default();
        let values = values.iter().map(ToString::to_string);
        let parts: Vec<String> = name.into_iter().chain(values).collect();
        let more = if matches!(arg.get_action(), ArgAction::Append | ArgAction::Count) { "..." } else { "" };
        format!("{open}{}{close}{more}", parts.join(" "))
    };
    words.extend(options.iter().map(|arg| if arg.is_required_set() { word(arg, "", "") } else { word(arg, "[", "]") }));
    words.push("[OPTIONS]".to_owned());
    words.extend(
        positional.iter().map(|arg| if arg.is_required_set() { word(arg, "<", ">") } else { word(arg, "[", "]") }),
    );
    if command.has_subcommands() {
        words.push(if command.is_subcommand_required_set() { "<COMMAND>" } else { "[COMMAND]" }.to_owned());
    }
    words.join(" ")
}
