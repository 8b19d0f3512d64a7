//! The result of a command, before it is printed.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value, json};

use super::args::OutputFormat;
use super::fix::worded;
use refdesk_desk::Desk;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, Fix};

/// The result of a command, as JSON and as text.
#[derive(Debug, Default)]
pub struct CommandOutput {
    /// For programs: an object.
    pub json: Value,
    /// For people; printed unchanged.
    pub text: Vec<u8>,
    /// What follows the text for people, in refdesk's own words: commands in it get the options that they need.
    pub closing: String,
    /// What failed; the first one is the `error` of the JSON form.
    pub refused: Vec<Error>,
    /// Diagnostics for standard error.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether warnings are printed in full because no other command prints them.
    pub shows_warnings: bool,
    /// Further notes for people, one line each on standard error in the text form; programs find them in the JSON.
    pub notes: Vec<String>,
    /// The options that offered commands need, each followed by a blank.
    pub options: String,
    /// Byte ranges of `text` to print in bold on a terminal, in order.
    pub emphasised: Vec<Range<usize>>,
    /// Whether the text form consists of lines for programs, which are also printed in the JSON form if nothing failed.
    pub lines: bool,
    /// 0 if every request succeeded.
    pub exit: u8,
}

impl CommandOutput {
    /// A successful answer.
    pub fn new(json: Value, text: impl Into<String>) -> Self {
        Self { json, text: text.into().into_bytes(), ..Self::default() }
    }

    /// A successful answer that builds only the requested form: with ten thousand sources, building a form costs more
    /// than computing the result.
    pub fn either(format: OutputFormat, json: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> Self {
        match format {
            OutputFormat::Json => Self::new(json(), ""),
            OutputFormat::Text => Self::new(Value::Object(Map::new()), text()),
        }
    }

    /// A failed answer without further data.
    pub fn refused(refusal: Error) -> Self {
        Self::new(Value::Object(Map::new()), "").with_failures(vec![refusal])
    }

    pub fn usage(message: impl Into<String>, fix: impl Into<Fix>) -> Self {
        Self { exit: 2, ..Self::refused(Error::new(Code::Usage, message, fix)) }
    }

    /// Adds failures; exit code 1 if there are any.
    #[must_use]
    pub fn with_failures(mut self, refused: Vec<Error>) -> Self {
        if !refused.is_empty() {
            self.exit = 1;
        }
        self.refused.extend(refused);
        self
    }

    pub fn add_opening_diagnostics(&mut self, desk: &Desk) {
        // Compare through a set: there can be tens of thousands, although only a few are printed.
        let earlier = std::mem::take(&mut self.diagnostics);
        let opening = desk.opening_diagnostics();
        let known: HashSet<&Diagnostic> = opening.iter().collect();
        self.diagnostics = earlier.into_iter().filter(|problem| !known.contains(problem)).collect();
        self.diagnostics.extend(opening);
        if desk.lacks_named_config() && self.exit == 0 {
            self.exit = 1;
            // Already reported as the failure.
            let is_failure = |problem: &Diagnostic| desk.config_problem().is_some_and(|failure| failure == problem);
            if let Some(at) = self.diagnostics.iter().position(is_failure) {
                let problem = self.diagnostics.remove(at);
                let message = match problem.code {
                    Code::ConfigNotFound => problem.message,
                    _ => format!("{}: {}", problem.place(), problem.message),
                };
                self.refused.push(Error::new(problem.code, message, problem.fix));
            }
        }
    }

    /// The JSON form, with the first failure as its `error`.
    pub fn document(self) -> Value {
        let mut document = self.json;
        if let (Some(refusal), Value::Object(members)) = (self.refused.first(), &mut document) {
            members.insert("error".into(), json!(worded(refusal.clone())));
        }
        document
    }

    /// Sets the `status` member of the JSON form.
    #[must_use]
    pub fn with_status(mut self, status: &str) -> Self {
        if let Value::Object(members) = &mut self.json {
            members.insert("status".into(), json!(status));
        }
        self
    }
}

impl From<Result<CommandOutput, Error>> for CommandOutput {
    fn from(done: Result<CommandOutput, Error>) -> Self {
        done.unwrap_or_else(Self::refused)
    }
}

/// An object of these members; unlike `json!` it moves the values instead of copying them.
pub fn object<'k>(members: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
