//! Printing: results to standard output, problems to standard error, both in colour if wanted. A reader that closes its
//! end is not an error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};

use clap::error::ErrorKind;
use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{Cli, OutputFormat};
use super::{failure, fix, help};
use refdesk_files::output::Proposal;
use refdesk_text::escape::{self, one_line, visible};
use refdesk_text::nearest::nearest;
use refdesk_text::report::{Diagnostic, total};
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

pub fn print(answer: CommandOutput, format: OutputFormat) -> ExitCode {
    print_checked(answer, format).0
}

/// Like [`print`]; also returns whether standard output could be written.
pub fn print_checked(answer: CommandOutput, format: OutputFormat) -> (ExitCode, bool) {
    print_diagnostics(unique_diagnostics(&answer), answer.shows_warnings, &answer.options);
    answer.refused.iter().for_each(print_error);
    if format == OutputFormat::Text {
        answer.notes.iter().for_each(|note| print_to_stderr(&format!("note: {}", one_line(note))));
    }
    let exit = answer.exit;
    let written = match format {
        OutputFormat::Json if !answer.lines || !answer.refused.is_empty() => {
            write_out(format!("{}\n", escape::json(&answer.document().to_string())).as_bytes())
        }
        _ => write_emphasised(&[answer.text.as_slice(), answer.closing.as_bytes()].concat(), &answer.emphasised),
    };
    (ExitCode::from(if written { exit } else { exit.max(1) }), written)
}

/// The diagnostics that no failure of the same answer repeats, sorted by file and line because several readers report
/// them.
fn unique_diagnostics(answer: &CommandOutput) -> Vec<&Diagnostic> {
    let is_repeated = |problem: &&Diagnostic| {
        let ending = format!("{}: {}", problem.place(), problem.message);
        answer.refused.iter().any(|error| error.message.ends_with(&ending))
    };
    let mut problems: Vec<&Diagnostic> = answer.diagnostics.iter().filter(|problem| !is_repeated(problem)).collect();
    problems.sort_by(|one, other| {
        let order = |problem: &Diagnostic| (problem.line, problem.column);
        let same_file = || order(one).cmp(&order(other));
        one.file.cmp(&other.file).then_with(same_file)
    });
    problems
}

/// Prints an error and what to do about it to standard error.
pub fn print_error(error: &Error) {
    let fix = one_line(&error.fix.worded(&fix::words)).into_owned();
    print_to_stderr(&format!("error: {}", Error::new(error.code, one_line(&error.message), fix)));
}

/// Decides once whether to use colours: by `--color`, otherwise by the user's preference, otherwise by the terminal and
/// the variables NO_COLOR, CLICOLOR and CLICOLOR_FORCE. It reads the raw arguments, because parsing them may already
/// print an error.
pub fn choose_colors(arguments: impl Iterator<Item = std::ffi::OsString>, preferred: Option<&str>) {
    let words: Vec<String> =
        arguments.map_while(|word| word.into_string().ok()).take_while(|word| word != "--").collect();
    let given = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--color") {
        Some("") => words.get(at + 1).map(String::as_str),
        Some(value) => value.strip_prefix('='),
        None => None,
    });
    match given.or(preferred) {
        Some("always") => ColorChoice::Always.write_global(),
        Some("never") => ColorChoice::Never.write_global(),
        _ => {}
    }
}

fn is_colored(stream: &impl anstream::stream::RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Colours the severity at the start of a message, and its hint; the text contains no other escape sequences.
fn in_color(text: &str) -> String {
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let begins = |word: &&(&str, &str)| line.starts_with(word.0);
        match COLORS.iter().find(begins) {
            Some((word, color)) => {
                shown.push_str(&format!("\x1b[{color}m{word}\x1b[0m{}", line.get(word.len()..).unwrap_or_default()));
            }
            None => shown.push_str(line),
        }
    }
    shown
}

/// The part of a message line to colour, and its colour.
const COLORS: [(&str, &str); 4] = [("error:", "1;31"), ("warning:", "1;33"), ("note:", "1;34"), ("  fix:", "36")];

/// Colours the added and removed lines of a diff; the text contains no other escape sequences.
fn diff_in_color(diff: &str) -> String {
    let color = |line: &str| match line.as_bytes().first() {
        Some(b'+') => Some("32"),
        Some(b'-') => Some("31"),
        Some(b'@') => Some("36"),
        _ => None,
    };
    let painted = |line: &str| {
        let text = line.trim_end_matches('\n');
        let ending = line.get(text.len()..).unwrap_or_default();
        color(line).map_or_else(|| line.to_owned(), |color| format!("\x1b[{color}m{text}\x1b[0m{ending}"))
    };
    diff.split_inclusive('\n').map(painted).collect()
}

pub fn is_for_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The format of commands that print lines: JSON for programs, unless text is asked for.
pub fn format_of_lines(arguments: &Cli) -> OutputFormat {
    if arguments.is_format_given || is_for_terminal() { arguments.format } else { OutputFormat::Json }
}

/// The width of the terminal that shows the output; `None` if a file or pipe gets it.
pub fn terminal_width() -> Option<usize> {
    let (width, _) = is_for_terminal().then(|| crossterm::terminal::size().ok()).flatten()?;
    Some(usize::from(width)).filter(|width| *width > 0)
}

pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Shows a text and reads a line; `None` without a terminal, or if nothing can be read.
pub fn ask_line(shown: &str, question: &str) -> Option<String> {
    if !can_ask() {
        return None;
    }
    let shown = visible(shown);
    let shown = if is_colored(&io::stderr()) { diff_in_color(&shown) } else { shown.into_owned() };
    let asked = format!("{shown}{} ", one_line(question));
    let mut out = io::stderr().lock();
    let mut answer = String::new();
    let read =
        out.write_all(asked.as_bytes()).and_then(|()| out.flush()).and_then(|()| io::stdin().read_line(&mut answer));
    // Zero bytes mean that the input has ended.
    read.is_ok_and(|bytes| bytes > 0).then(|| answer.trim().to_owned())
}

/// Shows a text and asks for confirmation; `None` without a terminal. Any answer but yes is a no.
pub fn ask(shown: &str, question: &str) -> Option<bool> {
    if !can_ask() {
        return None;
    }
    let answer = ask_line(shown, &format!("{question} [y/N]")).unwrap_or_default();
    Some(["y", "yes"].contains(&answer.to_lowercase().as_str()))
}

/// Asks for confirmation. Without a terminal the answer is no; an empty line is a yes.
pub fn ask_with_yes(question: &str) -> bool {
    let answer = ask_line("", &format!("{question} [Y/n]"));
    answer.is_some_and(|answer| ["", "y", "yes"].contains(&answer.to_lowercase().as_str()))
}

/// The error that nothing was `done`, such as written, because there is no terminal to ask at.
pub fn unasked(done: &str) -> Error {
    let hint = format!("check what would be {done}, and run again with --yes");
    Error::new(Code::NotApproved, format!("not a terminal, so nothing was {done}"), hint)
}

/// The error that nothing was `done`, such as written, because the user declined.
pub fn declined(done: &str) -> Error {
    Error::new(Code::NotApproved, format!("nothing was {done}"), "")
}

pub fn wait_for_enter() {
    let mut out = io::stderr().lock();
    let asked = out.write_all(b"\nPress Enter to go back to the screen. ").and_then(|()| out.flush());
    if asked.is_ok() && io::stdin().is_terminal() {
        let _ = io::stdin().read_line(&mut String::new());
    }
}

/// Asks whether a configuration file outside the workspace may be written, because a repository's links or settings can
/// lead there.
///
/// # Errors
/// The answer was no, or there is no terminal to ask at.
pub fn ask_to_leave(proposal: &Proposal) -> Result<(), Error> {
    let file = proposal.path.display();
    match ask(
        &proposal.diff.shown(),
        &format!("{file} is outside the workspace. Write it ({})?", proposal.diff.summary()),
    ) {
        Some(true) => Ok(()),
        Some(false) => Err(Error::new(Code::NotApproved, format!("{file} was not approved"), "")),
        None => {
            let message = format!("{file} is outside the workspace");
            let hint = "run this at a terminal to approve it, or keep the configuration inside the workspace";
            Err(Error::new(Code::Outside, message, hint))
        }
    }
}

/// Prints help and version as results, anything else from the argument parser as a usage error, in JSON if requested.
pub fn usage(mut error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help and version.
        let written = if wants_json(std::env::args_os().skip(1)) {
            write_out(format!("{}\n", json!({"text": error.to_string()})).as_bytes())
        } else {
            is_written(error.print().and_then(|()| io::stdout().flush()))
        };
        return if written { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let is_plain =
        |word: &std::ffi::OsStr| word.to_str().is_some_and(|word| matches!(one_line(word), Cow::Borrowed(_)));
    let is_plain = std::env::args_os().all(|word| is_plain(&word));
    if !is_plain {
        escape_words(&mut error);
    }
    drop_far_suggestion(&mut error);
    suggest_option(&mut error, words());
    suggest_command(&mut error);
    let whole = visible(&error.to_string()).into_owned();
    // The parser calls a command a subcommand, and so would no one else.
    let whole = match error.kind() {
        ErrorKind::InvalidSubcommand => in_our_words(&whole),
        ErrorKind::InvalidUtf8 => with_words_that_are_not_utf8(&whole),
        _ => whole,
    };
    if wants_json(std::env::args_os().skip(1)) {
        let command = command_of(words());
        let message = match error.kind() {
            // For this kind, the text is the help of the command.
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                format!("a command is missing after '{}'", command.get_bin_name().unwrap_or("refdesk"))
            }
            _ => first_paragraph(&whole),
        };
        let shows = if command.has_subcommands() { "commands" } else { "options" };
        let hint = format!("{} --help shows the {shows}", command.get_bin_name().unwrap_or("refdesk"));
        let mut document = failure::of_line(&std::env::args_os().collect::<Vec<_>>(), &message);
        document.insert("error".into(), json!({"code": "usage", "message": message, "hint": hint}));
        write_out(format!("{}\n", Value::Object(document)).as_bytes());
    }
    if is_plain && error.kind() != ErrorKind::InvalidSubcommand {
        let _ = error.print();
    } else {
        // Without colours, which cannot be distinguished from escape sequences in the arguments.
        print_to_stderr(whole.trim_end());
    }
    ExitCode::from(2)
}

/// The parser's message about an unknown command; the first words of each kind are the parser's own.
fn in_our_words(whole: &str) -> String {
    whole.replacen("unrecognized subcommand", "unrecognized command", 1).replacen(
        "similar subcommand",
        "similar command",
        1,
    )
}

/// The parser's message about arguments that are not UTF-8, with these arguments.
fn with_words_that_are_not_utf8(whole: &str) -> String {
    let words = std::env::args_os().skip(1).filter(|word| word.to_str().is_none());
    let words: Vec<String> = words.map(|word| one_line(&format!("{word:?}")).into_owned()).collect();
    let message = format!("not UTF-8: {}; if this is the name of a file, rename the file", words.join(", "));
    whole.replacen("invalid UTF-8 was detected in one or more arguments", &message, 1)
}

/// The message of a usage error on one line: the text up to the first blank line, because missing arguments are on lines
/// of their own.
pub fn first_paragraph(whole: &str) -> String {
    let first: Vec<&str> = whole.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    first.join(" ").trim_start_matches("error: ").to_owned()
}

/// Removes the parser's suggestion, and its usage, if it is not close to what was typed.
fn drop_far_suggestion(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue::String as One};
    let (Some(One(typed)), Some(One(suggested))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::SuggestedArg))
    else {
        return;
    };
    if nearest(typed, [suggested.as_str()]).is_none() {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
    }
}

/// Suggests the closest option of the command for an unknown one, if the parser would only suggest passing it as a
/// value.
fn suggest_option(error: &mut clap::Error, words: impl Iterator<Item = String>) {
    use clap::error::{ContextKind, ContextValue::String as One};
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && error.get(ContextKind::SuggestedArg).is_none();
    let Some(One(typed)) = error.get(ContextKind::InvalidArg).filter(|_| is_unknown) else { return };
    let Some(name) = typed.strip_prefix("--").map(str::to_owned) else { return };
    let command = command_of(words);
    let known: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    if let Some(suggestion) = nearest(&name, known) {
        error.insert(ContextKind::SuggestedArg, One(format!("--{suggestion}")));
        error.remove(ContextKind::Suggested);
    }
}

/// The arguments as text, converted lossily.
fn words() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())
}

fn command_of(words: impl Iterator<Item = String>) -> clap::Command {
    let mut program = help::program();
    program.build();
    let below = |command: &clap::Command, word: String| command.find_subcommand(word).cloned();
    words.fold(program, |command, word| below(&command, word).unwrap_or(command))
}

/// Suggests the closest command for an unknown one after `help`; the parser does not.
fn suggest_command(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue::String as One};
    let is_unknown =
        error.kind() == ErrorKind::InvalidSubcommand && error.get(ContextKind::SuggestedSubcommand).is_none();
    let Some(One(typed)) = error.get(ContextKind::InvalidSubcommand).filter(|_| is_unknown) else { return };
    let program = help::program();
    let Some(suggestion) = nearest(typed, program.get_subcommands().map(clap::Command::get_name)) else { return };
    error.insert(ContextKind::SuggestedSubcommand, One(suggestion.to_owned()));
}

/// Escapes the arguments that the parser repeats in its message.
fn escape_words(error: &mut clap::Error) {
    use clap::error::ContextValue::{String as One, Strings as Several};
    let known: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in known {
        let value = match value {
            One(word) => One(one_line(&word).into_owned()),
            Several(words) => Several(words.iter().map(|word| one_line(word).into_owned()).collect()),
            // A tip that repeats the input.
            styled if styled.to_string().contains(char::is_control) => {
                error.remove(kind);
                continue;
            }
            _ => continue,
        };
        error.insert(kind, value);
    }
}

/// Whether these arguments ask for JSON.
pub fn wants_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let words: Vec<_> = arguments.collect();
    let two = words.windows(2).any(|pair| matches!(pair, [key, value] if key == "--format" && value == "json"));
    two || words.iter().any(|word| word == "--format=json" || word == "--json")
}

/// The most errors or rendering warnings that a command prints in full.
const ERRORS: usize = 20;

/// Prints errors in full up to a screenful, and warnings as a count: `refdesk check` lists them all.
fn print_diagnostics(diagnostics: Vec<&Diagnostic>, shows_warnings: bool, options: &str) {
    let (errors, warnings): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        diagnostics.into_iter().partition(|problem| problem.is_error());
    for problem in errors.iter().take(ERRORS) {
        print_to_stderr(&to_text(problem));
    }
    let more = total(errors.iter().skip(ERRORS).copied());
    if more > 0 {
        let (errors, them) = (counted(more, "more error"), if more == 1 { "it" } else { "them" });
        print_to_stderr(&format!("error: {errors}: `refdesk {options}check` lists {them}"));
    }
    // Warnings of a rendering and of databases, and about what could not be stored, concern the request, and no other
    // command prints them.
    let is_of_request = |code| matches!(code, Code::Render | Code::NotStored | Code::NotJournalled);
    let is_own = |problem: &&Diagnostic| shows_warnings || is_of_request(problem.code);
    let (own, warnings): (Vec<&Diagnostic>, Vec<&Diagnostic>) = warnings.into_iter().partition(is_own);
    // Problems of a profile concern the request.
    let (lacking, warnings): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        warnings.into_iter().partition(|problem| problem.code == Code::ProfileMissing);
    lacking.iter().for_each(|problem| print_to_stderr(&to_text(problem)));
    own.iter().take(ERRORS).for_each(|problem| print_to_stderr(&to_text(problem)));
    if let Some(more) = own.len().checked_sub(ERRORS).filter(|more| *more > 0) {
        print_to_stderr(&format!("{}: --format json lists them all", counted(more, "more warning")));
    }
    match warnings.as_slice() {
        [] => {}
        few if few.len() <= 3 => few.iter().for_each(|problem| print_to_stderr(&to_text(problem))),
        many => {
            let missing = many.iter().filter(|problem| problem.code == Code::MissingPath).count();
            let missing = match missing {
                0 => String::new(),
                some => format!(" ({some} of missing files, which `refdesk {options}init` follows if they moved)"),
            };
            let count = grouped(total(many.iter().copied()));
            print_to_stderr(&format!("warning: {count} warnings{missing}: `refdesk {options}check` lists them"));
        }
    }
}

/// A diagnostic for people. External text in it can neither start a new line nor move the cursor.
pub fn to_text(problem: &Diagnostic) -> String {
    let line = |text: &str| one_line(text).into_owned();
    let file = problem.file.as_deref().map(line);
    let fix = line(&problem.fix.worded(&fix::words)).into();
    Diagnostic { file, message: line(&problem.message), fix, ..problem.clone() }.to_string()
}

/// Diagnostics for people, a line or two each.
pub fn lines<'a>(problems: impl IntoIterator<Item = &'a Diagnostic>) -> String {
    problems.into_iter().map(|problem| to_text(problem) + "\n").collect()
}

pub fn print_to_stderr(text: &str) {
    let text = visible(text);
    let text = if is_colored(&io::stderr()) { Cow::Owned(in_color(&text)) } else { text };
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes to standard output; returns whether that succeeded. Files get the bytes as they are; for a terminal control
/// characters are escaped.
fn write_out(bytes: &[u8]) -> bool {
    write_emphasised(bytes, &[])
}

/// Like [`write_out`], with some ranges in bold if the output has colours.
fn write_emphasised(bytes: &[u8], emphasised: &[Range<usize>]) -> bool {
    let mut out = io::stdout().lock();
    let shown = if is_colored(&out) && !emphasised.is_empty() {
        Cow::Owned(in_bold(&String::from_utf8_lossy(bytes), emphasised).into_bytes())
    } else if out.is_terminal() {
        Cow::Owned(visible(&String::from_utf8_lossy(bytes)).into_owned().into_bytes())
    } else {
        Cow::Borrowed(bytes)
    };
    is_written(out.write_all(&shown).and_then(|()| out.flush()))
}

fn in_bold(text: &str, parts: &[Range<usize>]) -> String {
    let mut shown = String::new();
    let mut at = 0;
    for part in parts {
        let (Some(before), Some(bold)) = (text.get(at..part.start), text.get(part.clone())) else { continue };
        shown.push_str(&visible(before));
        shown.push_str(&format!("\x1b[1m{}\x1b[22m", visible(bold)));
        at = part.end;
    }
    shown.push_str(&visible(text.get(at..).unwrap_or_default()));
    shown
}

fn is_written(written: io::Result<()>) -> bool {
    let written = ignore_closed_reader(written);
    if let Err(error) = &written {
        print_to_stderr(&format!("error: standard output cannot be written: {error}"));
    }
    written.is_ok()
}

/// A closed reader is not a failure; a full disk is.
pub fn ignore_closed_reader(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_in_the_order_of_lines_and_not_repeated() {
        let at = |line| Diagnostic::error(Code::JsonSyntax, format!("wrong {line}")).in_file("a.json").at_line(line);
        let refused = Error::new(Code::JsonSyntax, "nothing is added: a.json:4: wrong 4", "");
        let diagnostics = [6, 4, 3, 12].map(at).to_vec();
        let answer = CommandOutput { diagnostics, ..CommandOutput::refused(refused) };
        let lines: Vec<Option<usize>> = unique_diagnostics(&answer).iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [Some(3), Some(6), Some(12)]);
    }

    #[test]
    fn messages_and_differences_in_color() {
        let text = "error: a\n  fix: b\nnot an error: c\nwarning: d";
        let expected =
            "\x1b[1;31merror:\x1b[0m a\n\x1b[36m  fix:\x1b[0m b\nnot an error: c\n\x1b[1;33mwarning:\x1b[0m d";
        assert_eq!(in_color(text), expected);
        let diff = "@@ -1 +1 @@\n-a\n+b\n c\n";
        let expected = "\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n c\n";
        assert_eq!(diff_in_color(diff), expected);
    }

    #[test]
    fn parts_are_bold_and_nothing_in_them_moves_the_cursor() {
        let text = "a word \x1b[2J and\na w\x1b[1mord";
        let parts = [2..6, 16..text.len(), 900..901];
        let bold = |part: &str| format!("\x1b[1m{part}\x1b[22m");
        let expected = format!("a {} \\x1b[2J and\n{}", bold("word"), bold("a w\\x1b[1mord"));
        assert_eq!(in_bold(text, &parts), expected);
        assert_eq!(in_bold("é", &[1..2, 1..1]), "é", "no part of a character");
    }
}
