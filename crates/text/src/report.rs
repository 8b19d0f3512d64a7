//! Diagnostics: what is wrong, where, and how to fix it. Every parser and loader returns what it could read together
//! with a list of these; no problem is silent (BEHAVIOUR §2).

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;

use crate::lines::breaks;
use crate::shorten::{beginning, without_middle};
use crate::{Code, Fix};

pub mod listed;
pub mod locate;
mod position_index;

pub use position_index::PositionIndex;

/// The most characters of a message. It repeats values of files that may be as long as these files, and would bury all
/// other messages.
const MESSAGE: usize = 1_000;

/// How bad a [`Diagnostic`] is. Errors make `refdesk check` exit with code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something was left out or does not work.
    Error,
    /// Everything works, but should be checked.
    Warning,
}

/// One problem: severity, place, what is wrong and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable kebab-case name for the kind of problem, for programs.
    pub code: Code,
    /// The displayed path: relative if inside the workspace, otherwise absolute.
    pub file: Option<String>,
    /// Line within `file`, from 1; `None` if the problem concerns the whole file.
    pub line: Option<usize>,
    /// Column within the line, from 1, in characters.
    pub column: Option<usize>,
    /// The source that it is about, if known.
    pub source_id: Option<String>,
    /// What is wrong, one sentence without a final full stop.
    pub message: String,
    /// How to fix it.
    #[serde(rename = "hint")]
    pub fix: Fix,
    /// The number of problems: 1, or the number of those not listed.
    #[serde(skip)]
    pub count: usize,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// A warning without a place.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    fn new(severity: Severity, code: Code, message: String) -> Self {
        let message = without_middle(message, MESSAGE);
        Self {
            severity,
            code,
            file: None,
            line: None,
            column: None,
            source_id: None,
            message,
            fix: Fix::None,
            count: 1,
        }
    }

    /// Sets the file, as printed.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets line and column, both from 1.
    #[must_use]
    pub fn at(mut self, position: Position) -> Self {
        self.line = Some(position.line);
        self.column = Some(position.column);
        self
    }

    /// Sets only the line, from 1.
    #[must_use]
    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets the source.
    #[must_use]
    pub fn about(mut self, source_id: impl Into<String>) -> Self {
        self.source_id = Some(source_id.into());
        self
    }

    /// Sets how to fix it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<Fix>) -> Self {
        self.fix = fix.into();
        self
    }

    /// The same diagnostic, with its fix worded for one interface.
    #[must_use]
    pub fn worded(self, word: &dyn Fn(&Fix) -> Option<String>) -> Self {
        Self { fix: self.fix.worded(word).into(), ..self }
    }

    /// `references.json:12:7`; empty without a file.
    pub fn place(&self) -> String {
        let Some(file) = &self.file else { return String::new() };
        let numbers = [self.line, self.column].into_iter().flatten();
        numbers.fold(file.clone(), |place, number| format!("{place}:{number}"))
    }

    /// Whether it is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The number of problems, including those not listed.
pub fn total<'a>(problems: impl IntoIterator<Item = &'a Diagnostic>) -> usize {
    problems.into_iter().map(|problem| problem.count).sum()
}

/// Adds diagnostics that are not in the list yet, compared by code, file and line.
pub fn add_new<'a>(known: &mut Vec<Diagnostic>, more: impl IntoIterator<Item = &'a Diagnostic>) {
    let mut more = more.into_iter().peekable();
    if more.peek().is_none() {
        return;
    }
    let what = |it: &Diagnostic| (it.code, it.line, it.file.clone());
    let there: HashSet<_> = known.iter().map(what).collect();
    known.extend(more.filter(|it| !there.contains(&what(it))).cloned());
}

/// `error: docs/a.json:3:7: what is wrong`, then the fix on its own line.
impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.severity {
            Severity::Error => "error: ",
            Severity::Warning => "warning: ",
        })?;
        if self.file.is_some() {
            write!(out, "{}: ", self.place())?;
        }
        out.write_str(&self.message)?;
        if !self.fix.is_none() {
            write!(out, "\n  fix: {}", self.fix)?;
        }
        Ok(())
    }
}

/// A position in a text: line and column, both from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` of `text`; an offset past the end or inside a character is rounded down.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = beginning(text, offset);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: breaks(before) + 1, column: before.get(line_start..).unwrap_or_default().chars().count() + 1 }
    }
}
