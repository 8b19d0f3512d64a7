//! Reads the members of a JSON object one by one; a member of the wrong type is reported and counts as absent.

use serde_json::{Map, Value};

use super::document::{JsonDocument, MemberPart};
use refdesk_text::Code;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::listed::of_rest;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::report::{Diagnostic, Position, Severity};
use refdesk_text::tokens::grouped;

/// The most errors, and the most warnings, listed per object; the others are only counted. Finding each position scans
/// the object from its beginning, which would take forever for a hundred thousand of them.
const LISTED: usize = 100;

/// The most items of a list of strings. Each is looked up, compared or printed by every command.
pub const ITEMS: usize = 10_000;

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
    /// §2), and so are those after the first [`ITEMS`].
    pub(crate) fn strings(&mut self, key: &'static str) -> Vec<String> {
        let Some(items) = self.typed(key, "a list of strings", Value::as_array) else { return Vec::new() };
        let items = match items.get(..ITEMS) {
            Some(first) if first.len() < items.len() => {
                let message = format!("'{key}' has more than {} items; the others are left out", grouped(ITEMS));
                self.report_value(key, Diagnostic::error(Code::TooMany, message).fix("remove some"));
                first
            }
            _ => items,
        };
        let mut wrong = items.iter().enumerate().filter(|(_, item)| !item.is_string());
        for (index, item) in wrong.by_ref().take(LISTED.saturating_sub(self.errors)) {
            let message = format!("'{key}' may hold only strings, found {}", word(item));
            self.report_item(key, index, Diagnostic::error(Code::WrongType, message).fix("put it in quotes"));
        }
        self.count(Severity::Error, wrong.count());
        items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
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
        let unknown = self.members.keys().map(String::as_str).filter(|key| !known_key(key));
        let problem = |key: &str| {
            let hint = did_you_mean(key, known.iter().copied())
                .unwrap_or_else(|| "remove it, or correct its name: it is not used".to_owned());
            Diagnostic::warning(Code::UnknownKey, format!("unknown key '{key}'")).fix(hint)
        };
        self.report_members(&[], MemberPart::Key, Severity::Warning, unknown.map(|key| (key, problem)));
    }

    /// Reports a problem of this severity for each of these members of the object at `below`. One pass finds the
    /// positions of those listed; the others are only counted.
    fn report_members<'m>(
        &mut self,
        below: &[PointerStep<'_>],
        part: MemberPart,
        severity: Severity,
        mut members: impl Iterator<Item = (&'m str, impl FnOnce(&str) -> Diagnostic)>,
    ) {
        let alike = if severity == Severity::Error { self.errors } else { self.warnings };
        let listed: Vec<_> = members.by_ref().take(LISTED.saturating_sub(alike)).collect();
        if !listed.is_empty() {
            let path: Vec<PointerStep<'_>> = self.path.iter().chain(below).copied().collect();
            let names = listed.iter().map(|(name, _)| *name).collect();
            let positions = self.document.member_positions(&path, &names, part);
            for (name, problem) in listed {
                let position = positions.get(name).copied();
                let position = position.unwrap_or_else(|| self.document.position(&path, MemberPart::Value));
                self.push_listed(problem(name), position);
            }
        }
        self.count(severity, members.count());
    }

    /// Reports a diagnostic about the whole object, shown at its opening brace.
    pub(crate) fn report(&mut self, problem: Diagnostic) {
        self.report_at(&[], MemberPart::Value, problem);
    }

    pub(crate) fn report_value(&mut self, key: &str, problem: Diagnostic) {
        self.report_at(&[PointerStep::Key(key)], MemberPart::Value, problem);
    }

    pub(crate) fn report_item(&mut self, key: &str, index: usize, problem: Diagnostic) {
        self.report_at(&[PointerStep::Key(key), PointerStep::Item(index)], MemberPart::Value, problem);
    }

    /// Reports an error about each of these members of a nested object.
    pub(super) fn report_each<'m>(
        &mut self,
        key: &str,
        members: impl Iterator<Item = (&'m str, impl FnOnce(&str) -> Diagnostic)>,
    ) {
        self.report_members(&[PointerStep::Key(key)], MemberPart::Value, Severity::Error, members);
    }

    fn report_at(&mut self, below: &[PointerStep<'_>], part: MemberPart, problem: Diagnostic) {
        let alike = if problem.is_error() { self.errors } else { self.warnings };
        if alike >= LISTED {
            return self.count(problem.severity, 1);
        }
        let path: Vec<PointerStep<'_>> = self.path.iter().chain(below).copied().collect();
        let position = self.document.position(&path, part);
        self.push_listed(problem, position);
    }

    /// Lists a problem at its position.
    fn push_listed(&mut self, problem: Diagnostic, position: Position) {
        let alike = if problem.is_error() { &mut self.errors } else { &mut self.warnings };
        *alike += 1;
        let source_id = self.source_id.clone();
        self.diagnostics.push(Diagnostic { source_id, ..problem.in_file(&self.document.shown).at(position) });
    }

    /// Counts further problems of this severity.
    fn count(&mut self, severity: Severity, more: usize) {
        if more == 0 {
            return;
        }
        let alike = if severity == Severity::Error { &mut self.errors } else { &mut self.warnings };
        *alike += more;
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::*;

    /// Reads an object at the root of a document.
    fn read<T>(json: &str, read: impl FnOnce(&mut Fields<'_>) -> T) -> (T, Vec<Diagnostic>) {
        let (document, _) = JsonDocument::parse(Path::new("/w/x.json"), "x.json".to_owned(), json.as_bytes().to_vec());
        let (document, mut problems) = (document.unwrap(), Vec::new());
        let mut fields = Fields::of(&document, Vec::new(), &document.value, &mut problems).unwrap();
        let value = read(&mut fields);
        (value, problems)
    }

    fn shown(problem: &Diagnostic) -> String {
        let place = format!("{}:{}", problem.line.unwrap(), problem.column.unwrap());
        format!("{place} {} {}", problem.message, problem.count)
    }

    #[test]
    fn unlisted_problems_are_never_created() {
        let many = 10 * LISTED;
        let members: Vec<String> = (0..many).map(|nth| format!("\n\"key{nth}\": {nth}")).collect();
        let json = format!("{{{}}}", members.join(","));
        let made = Cell::new(0);
        let ((), problems) = read(&json, |fields| {
            let problem = |key: &str| {
                made.set(made.get() + 1);
                Diagnostic::warning(Code::UnknownKey, key.to_owned())
            };
            let names: Vec<&str> = fields.members.keys().map(String::as_str).collect();
            let named = names.into_iter().map(|name| (name, problem));
            fields.report_members(&[], MemberPart::Key, Severity::Warning, named);
        });
        assert_eq!(made.get(), LISTED);
        assert_eq!(problems.len(), LISTED + 1);
        assert_eq!(shown(&problems[LISTED - 1]), format!("{}:1 key{} 1", LISTED + 1, LISTED - 1));
        assert_eq!(shown(&problems[LISTED]), "1:1 900 more problems are not listed 900");
        let ((), unknown) = read(&json, |fields| fields.warn_unknown(&["key"]));
        assert_eq!(unknown.len(), LISTED + 1);
        assert_eq!(shown(&unknown[0]), "2:1 unknown key 'key0' 1");
        assert_eq!(unknown[0].fix, "did you mean 'key'?".into());
        assert_eq!(unknown[LISTED].count, many - LISTED);
    }

    #[test]
    fn a_list_of_strings_ends_at_the_limit() {
        for (items, expected) in [(ITEMS, 0), (ITEMS + 1, 1), (3 * ITEMS, 1)] {
            let json = format!("{{\"a\": [{}]}}", vec!["\"x\""; items].join(","));
            let (strings, problems) = read(&json, |fields| fields.strings("a"));
            assert_eq!((strings.len(), problems.len()), (ITEMS, expected), "{items}");
            let wanted = "1:7 'a' has more than 10,000 items; the others are left out 1";
            assert!(problems.iter().all(|problem| shown(problem) == wanted), "{problems:?}");
        }
        let json = format!("{{\"a\": [{}]}}", vec!["1"; ITEMS + 1].join(","));
        let (strings, problems) = read(&json, |fields| fields.strings("a"));
        assert!(strings.is_empty());
        assert_eq!(problems.last().map(|rest| rest.count), Some(ITEMS + 1 - LISTED), "the limit is listed, too");
    }
}
