//! Errors about a template. A message contains line numbers, so mapping an error to another text maps those too.

use super::generated::Stripped;
use super::limits::MESSAGE;
use refdesk_text::shorten::shortened;
use refdesk_text::{Code, Error};

/// An error about a line of a template, from 1, or about all of it.
pub(crate) fn template_error(line: impl Into<Option<usize>>, message: impl Into<String>) -> Error {
    Error { line: line.into(), ..Error::new(Code::Render, message, "") }
}

/// The error for an undefined value. The desk reports it as [`Code::Render`].
pub(crate) fn undefined_error(line: impl Into<Option<usize>>, message: impl Into<String>) -> Error {
    Error { code: Code::UndefinedVariable, ..template_error(line, message) }
}

/// `undefined variable 'clazz_name' at line 12 (did you mean 'class_name'?)`
pub(crate) fn undefined_at(name: &str, line: Option<usize>, near: Option<&str>) -> Error {
    undefined_error(line, format!("{}{}", at_line(format!("undefined variable '{name}'"), line), hint(near)))
}

/// An error whose message ends with its line, if known.
pub(crate) fn error_at(line: impl Into<Option<usize>>, what: impl Into<String>) -> Error {
    let line = line.into();
    template_error(line, at_line(what.into(), line))
}

/// A message with its line, if known.
pub(crate) fn at_line(what: String, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{what} at line {line}"),
        None => what,
    }
}

/// The suggestion at the end of a message about an unknown name: ` (did you mean 'x'?)`, or nothing.
pub(crate) fn hint(near: Option<&str>) -> String {
    near.map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default()
}

/// The error with its line, and every line number in its message, mapped to the file.
pub(crate) fn in_file(error: Error, stripped: &Stripped<'_>) -> Error {
    renumbered(Error { message: shortened(error.message, MESSAGE), ..error }, |line| stripped.file_line(line))
}

/// The error for a template that begins after this many lines.
pub(crate) fn moved_by(error: Error, lines: usize) -> Error {
    renumbered(error, |line| line + lines)
}

fn renumbered(error: Error, line_of: impl Fn(usize) -> usize) -> Error {
    let Some(line) = error.line else { return error };
    let mut message = String::with_capacity(error.message.len());
    let mut rest = error.message.as_str();
    while let Some(at) = rest.find("line ") {
        let (before, after) = rest.split_at(at + "line ".len());
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        message.push_str(before);
        match after.get(..digits).and_then(|number| number.parse().ok()) {
            Some(line) => message.push_str(&line_of(line).to_string()),
            None => message.push_str(after.get(..digits).unwrap_or_default()),
        }
        rest = after.get(digits..).unwrap_or_default();
    }
    message.push_str(rest);
    Error { message, line: Some(line_of(line)), ..error }
}
