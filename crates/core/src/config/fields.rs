//! Reads the members of a JSON object one by one: a member of the wrong type becomes a diagnostic at its position and
//! counts as absent.

use serde_json::{Map, Value};

use super::document::{JsonDocument, MemberPart};
use refdesk_text::Code;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::listed::of_rest;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::report::{Diagnostic, Severity};

/// The most errors, and the most warnings, listed for one object; others are counted. Finding the position of each
/// scans the object from its beginning, which would take forever with a hundred thousand of them.
const LISTED: usize = 100;

/// The members of one object of a document, and their positions for diagnostics.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    document: &'a JsonDocument,
    path: Vec<PointerStep<'a>>,
    members: &'a Map<String, Value>,
    source_id: Option<String>,
    diagnostics: &'a mut Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    /// The index of the diagnostic that counts those not listed.
    rest: Option<usize>,
}

impl<'a> Fields<'a> {
    /// The object at `path`; a diagnostic and `None` if the value there is not an object.
    pub(crate) fn of(
        document: &'a JsonDocument,
        path: Vec<PointerStep<'a>>,
        value: &'a Value,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Option<Self> {
        match value {
            Value::Object(members) => {
                Some(Self { document, path, members, source_id: None, diagnostics, errors: 0, warnings: 0, rest: None })
            }
            other => {
                let found = word(other);
                diagnostics.push(
                    Diagnostic::error(Code::NotAnObject, format!("expected an object, found {found}"))
                        .in_file(&document.shown)
                        .at(document.position(&path, MemberPart::Value))
                        .fix("write {…} with named members"),
                );
                None
            }
        }
    }

    /// Sets the source that further diagnostics are about.
    pub(crate) fn about(&mut self, source_id: &str) {
        self.source_id = Some(source_id.to_owned());
    }

    /// The value of a member; `null` counts as absent.
    pub(crate) fn value(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn string(&mut self, key: &'static str) -> Option<&'a str> {
        self.typed(key, "a string", Value::as_str)
    }

    pub(super) fn flag(&mut self, key: &'static str, default: bool) -> bool {
        self.typed(key, "true or false", Value::as_bool).unwrap_or(default)
    }

    /// A number of seconds greater than zero.
    pub(super) fn seconds(&mut self, key: &'static str, default: f64) -> f64 {
        self.typed(key, "a number above 0", |value| value.as_f64().filter(|seconds| *seconds > 0.0)).unwrap_or(default)
    }

    /// A list of strings. A value that is not a list counts as empty; items that are not strings are dropped (BEHAVIOUR
    /// §2).
    pub(crate) fn strings(&mut self, key: &'static str) -> Vec<String> {
        let Some(items) = self.typed(key, "a list of strings", Value::as_array) else { return Vec::new() };
        let mut strings = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => strings.push(text.to_owned()),
                None => {
                    let message = format!("'{key}' may hold only strings, found {}", word(item));
                    let problem = Diagnostic::error(Code::WrongType, message);
                    self.report_at(
                        &[PointerStep::Key(key), PointerStep::Item(index)],
                        MemberPart::Value,
                        problem.fix("put it in quotes"),
                    );
                }
            }
        }
        strings
    }

    /// A list; its items may be of any type.
    pub(crate) fn list(&mut self, key: &'static str) -> Option<&'a [Value]> {
        self.typed(key, "a list", Value::as_array).map(Vec::as_slice)
    }

    pub(crate) fn object(&mut self, key: &'static str) -> Option<&'a Map<String, Value>> {
        self.typed(key, "an object", Value::as_object)
    }

    /// The members of a nested object.
    pub(crate) fn inner(&mut self, key: &'static str) -> Option<Fields<'_>> {
        let members = self.object(key)?;
        let path = self.path.iter().copied().chain([PointerStep::Key(key)]).collect();
        let (document, source_id) = (self.document, self.source_id.clone());
        Some(Fields {
            document,
            path,
            members,
            source_id,
            diagnostics: self.diagnostics,
            errors: 0,
            warnings: 0,
            rest: None,
        })
    }

    /// Warns about unknown members, each with the nearest known name.
    pub(crate) fn warn_unknown(&mut self, known: &[&'static str]) {
        let known_key = |key: &&str| known.contains(key) || *key == "$schema";
        let unknown: Vec<&'a str> = self.members.keys().map(String::as_str).filter(|key| !known_key(key)).collect();
        for key in unknown {
            let hint = did_you_mean(key, known.iter().copied())
                .unwrap_or_else(|| "remove it, or correct its name: it is not used".to_owned());
            let problem = Diagnostic::warning(Code::UnknownKey, format!("unknown key '{key}'")).fix(hint);
            self.report_at(&[PointerStep::Key(key)], MemberPart::Key, problem);
        }
    }

    /// Reports a diagnostic about the whole object, shown at its opening brace.
    pub(crate) fn report(&mut self, problem: Diagnostic) {
        self.report_at(&[], MemberPart::Value, problem);
    }

    /// Reports a diagnostic about the value of one member.
    pub(crate) fn report_value(&mut self, key: &str, problem: Diagnostic) {
        self.report_at(&[PointerStep::Key(key)], MemberPart::Value, problem);
    }

    /// Reports a diagnostic about one item of a nested list.
    pub(crate) fn report_item(&mut self, key: &str, index: usize, problem: Diagnostic) {
        self.report_at(&[PointerStep::Key(key), PointerStep::Item(index)], MemberPart::Value, problem);
    }

    /// Reports a diagnostic about one member of a nested object.
    pub(super) fn report_member(&mut self, key: &str, member: &str, problem: Diagnostic) {
        self.report_at(&[PointerStep::Key(key), PointerStep::Key(member)], MemberPart::Value, problem);
    }

    fn report_at(&mut self, below: &[PointerStep<'_>], part: MemberPart, problem: Diagnostic) {
        let alike = if problem.is_error() { &mut self.errors } else { &mut self.warnings };
        *alike += 1;
        if *alike > LISTED {
            return self.count(problem.severity);
        }
        let path: Vec<PointerStep<'_>> = self.path.iter().chain(below).copied().collect();
        let position = self.document.position(&path, part);
        let source_id = self.source_id.clone();
        self.diagnostics.push(Diagnostic { source_id, ..problem.in_file(&self.document.shown).at(position) });
    }

    /// Counts one more problem of this severity.
    fn count(&mut self, severity: Severity) {
        let more = self.errors.saturating_sub(LISTED) + self.warnings.saturating_sub(LISTED);
        if let Some(rest) = self.rest.and_then(|at| self.diagnostics.get_mut(at)) {
            let counted = of_rest(rest.severity.min(severity), more);
            (rest.severity, rest.message, rest.count) = (counted.severity, counted.message, counted.count);
            return;
        }
        self.rest = Some(self.diagnostics.len());
        let position = self.document.position(&self.path, MemberPart::Value);
        let rest = of_rest(severity, more).in_file(&self.document.shown).at(position);
        self.diagnostics.push(Diagnostic { source_id: self.source_id.clone(), ..rest });
    }

    pub(super) fn typed<T>(
        &mut self,
        key: &'static str,
        what: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let read = read(value);
        if read.is_none() {
            let message = format!("'{key}' must be {what}, found {}", word(value));
            let hint = match (what, value) {
                ("a string", Value::Number(_) | Value::Bool(_)) => "put it in quotes".to_owned(),
                _ => format!("write {what}, or leave '{key}' out"),
            };
            self.report_value(key, Diagnostic::error(Code::WrongType, message).fix(hint));
        }
        read
    }
}

/// The type of a value, for messages.
fn word(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
