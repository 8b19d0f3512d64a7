//! Printing: results on standard output, what is wrong on standard error. A reader that went away is no error.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;

use super::answer::Answer;
use super::args::Format;
use crate::report::Diagnostic;
use crate::text::escape::visible;

/// Prints an answer and gives its exit code.
pub fn print(answer: &Answer, format: Format) -> ExitCode {
    tell(&answer.diagnostics);
    for refusal in &answer.refused {
        complain(&format!("error: {refusal}"));
    }
    match format {
        Format::Json => {
            let mut document = answer.document().to_string().into_bytes();
            document.push(b'\n');
            write_out(&document);
        }
        Format::Text => write_out(&answer.text),
    }
    ExitCode::from(answer.exit)
}

/// What the argument parser has to say: help and version are results, the rest is a usage error, in JSON where asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help and version.
        let printed = error.print();
        return if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if wants_json(std::env::args_os().skip(1)) {
        let whole = error.to_string();
        let message = whole.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let error = json!({"code": "usage", "message": message, "hint": "refdesk --help shows the commands"});
        write_out(format!("{}\n", json!({ "error": error })).as_bytes());
    }
    let _ = error.print();
    ExitCode::from(2)
}

fn wants_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let words: Vec<_> = arguments.collect();
    let two = words.windows(2).any(|pair| matches!(pair, [key, value] if key == "--format" && value == "json"));
    two || words.iter().any(|word| word == "--format=json")
}

/// Errors in full, warnings as a count: `refdesk check` shows them all.
fn tell(diagnostics: &[Diagnostic]) {
    for problem in diagnostics.iter().filter(|problem| problem.is_error()) {
        complain(&problem.to_string());
    }
    let warnings: Vec<&Diagnostic> = diagnostics.iter().filter(|problem| !problem.is_error()).collect();
    match warnings.as_slice() {
        [] => {}
        few if few.len() <= 3 => few.iter().for_each(|problem| complain(&problem.to_string())),
        many => {
            let count = |code| many.iter().filter(|problem| problem.code == code).count();
            let parts = [("missing", count("missing-path")), ("moved", count("moved-path"))];
            let parts: Vec<String> =
                parts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
            let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
            complain(&format!("{} warnings{parts}: refdesk check shows them", many.len()));
        }
    }
}

fn complain(text: &str) {
    // Nobody is left to be told that standard error is closed.
    let _ = writeln!(io::stderr().lock(), "{}", visible(text));
}

fn write_out(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        complain(&format!("error: standard output cannot be written: {error}"));
    }
}
