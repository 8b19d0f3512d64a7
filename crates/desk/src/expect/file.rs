//! Reads an expectations file: TOML, one `[[case]]` per case. Every problem is reported with line, column and a fix. A
//! file with any problem is rejected as a whole, because a check that skips cases proves nothing.

use std::ops::Range;

use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::case::{Case, CaseExpectations};
use crate::requested_names::unknown_id_fix;
use refdesk_core::catalog::{Catalog, Source};
use refdesk_enrich::TextKind;
use refdesk_text::nearest::{did_you_mean, nearest};
use refdesk_text::report::{Diagnostic, PositionIndex};
use refdesk_text::{Code, Fix};

const EXAMPLE: &str =
    "each case is three lines, for example: [[case]], prompt = \"retry the payment\", hints = [\"retry-pattern\"]";

const KEYS: [&str; 14] = [
    "name",
    "prompt",
    "tool_result",
    "tool",
    "args",
    "select",
    "hints",
    "hints_any",
    "top",
    "max_hints",
    "not_hints",
    "expands",
    "pulls_in",
    "max_tokens",
];

/// The key that states whether to use the index.
const INDEX: &str = "index";

/// The keys of a case that contain expectations.
const EXPECTATIONS: [&str; 8] =
    ["hints", "hints_any", "top", "max_hints", "not_hints", "expands", "pulls_in", "max_tokens"];

/// The contents of an expectations file.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectations {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Whether to use the index. Without it only tags count, and a case has the same result on every machine.
    pub uses_index: bool,
}

/// Parses an expectations file; returns all its problems, sorted by line, if there are any. `shown` is the file's name
/// in messages.
///
/// # Errors
/// The file is empty, is not TOML, has unknown keys, or lists sources that are not in the catalog.
pub fn read_expectations(text: &str, shown: &str, catalog: &Catalog) -> Result<Expectations, Vec<Diagnostic>> {
    let mut reader = Reader { text, positions: PositionIndex::new(text), shown, catalog, problems: Vec::new() };
    let (document, broken) = DeTable::parse_recoverable(text);
    // Later parser errors only follow from the first.
    if let Some((at, error)) = broken.iter().map(|it| (it.span().unwrap_or(0..0), it)).min_by_key(|(at, _)| at.start) {
        reader.report(&at, Code::NotToml, format!("not TOML: {}", error.message()), EXAMPLE);
    }
    let document = document.get_ref();
    let uses_index = reader.uses_index(document);
    let cases = if broken.is_empty() { reader.document(document) } else { Vec::new() };
    if reader.problems.is_empty() {
        return Ok(Expectations { cases, uses_index });
    }
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    Err(reader.problems)
}

struct Reader<'a> {
    text: &'a str,
    positions: PositionIndex,
    shown: &'a str,
    catalog: &'a Catalog,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, at: &Range<usize>, code: Code, message: impl Into<String>, hint: impl Into<Fix>) {
        let place = self.positions.position(self.text, at.start);
        self.problems.push(Diagnostic::error(code, message).in_file(self.shown).at(place).fix(hint));
    }

    fn uses_index(&mut self, document: &DeTable) -> bool {
        let Some((_, value)) = document.iter().find(|(key, _)| key.get_ref() == INDEX) else { return true };
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.report(&value.span(), Code::WrongType, "'index' must be true or false", "write index = false");
        }
        flag.unwrap_or(true)
    }

    fn document(&mut self, document: &DeTable) -> Vec<Case> {
        for (key, _) in document.iter().filter(|(key, _)| !["case", INDEX].contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let outside = format!("'{name}' is outside of every case");
            let (message, hint) = match KEYS.contains(&name.as_ref()) {
                true => (outside, format!("put it below a line [[case]]; {EXAMPLE}")),
                false if nearest(name, ["case"]).is_some() => {
                    (format!("the file has no '{name}' (did you mean [[case]]?)"), EXAMPLE.to_owned())
                }
                false => (outside, EXAMPLE.to_owned()),
            };
            self.report(&key.span(), Code::UnknownKey, message, hint);
        }
        let Some((key, cases)) = document.iter().find(|(key, _)| key.get_ref() == "case") else {
            if document.iter().all(|(key, _)| key.get_ref() == INDEX) {
                self.report(&(0..0), Code::NoCase, "the file has no case", EXAMPLE);
            }
            return Vec::new();
        };
        let tables = cases.get_ref().as_array().map(|cases| {
            let tables = cases.iter().map(|case| (case.span(), case.get_ref().as_table()));
            tables.collect::<Vec<_>>()
        });
        let Some(tables) = tables else {
            self.report(
                &key.span(),
                Code::WrongType,
                "'case' must be a list of tables",
                "write [[case]], with two brackets",
            );
            return Vec::new();
        };
        if tables.is_empty() {
            self.report(&key.span(), Code::NoCase, "the file has no case", EXAMPLE);
        }
        let mut read = Vec::with_capacity(tables.len());
        for (nth, (span, table)) in tables.into_iter().enumerate() {
            match table {
                Some(table) => read.extend(self.case(nth + 1, &span, table)),
                None => self.report(&span, Code::WrongType, "a case must be a table", EXAMPLE),
            }
        }
        read
    }

    fn case(&mut self, nth: usize, span: &Range<usize>, table: &DeTable) -> Option<Case> {
        for (key, _) in table {
            let name = key.get_ref();
            if !KEYS.contains(&name.as_ref()) {
                let hint = did_you_mean(name, KEYS).unwrap_or_else(|| format!("a case has {}", KEYS.join(", ")));
                self.report(&key.span(), Code::UnknownKey, format!("unknown key '{name}'"), hint);
            }
        }
        let name = self.string(table, "name").unwrap_or_else(|| format!("case {nth}"));
        let (prompt, result) = (self.string(table, "prompt"), self.string(table, "tool_result"));
        let (tool, args) = (self.string(table, "tool"), self.args(table));
        let select = self.ids(table, "select");
        let wanted = CaseExpectations {
            hints: self.ids(table, "hints"),
            hints_any: self.some_ids(table, "hints_any"),
            top: self.some_ids(table, "top"),
            max_hints: self.limit(table, "max_hints", 3),
            not_hints: self.ids(table, "not_hints"),
            expands: self.ids(table, "expands"),
            pulls_in: self.ids(table, "pulls_in"),
            max_tokens: self.limit(table, "max_tokens", 200),
        };
        let has = |key: &str| table.contains_key(key);
        if has("prompt") == has("tool_result") {
            let how =
                if has("prompt") { "both a prompt and a tool_result" } else { "neither a prompt nor a tool_result" };
            self.report(
                span,
                Code::NoText,
                format!("'{name}' has {how}"),
                "write one: prompt = \"…\" or tool_result = \"…\"",
            );
        }
        for key in ["tool", "args"] {
            if has(key) && has("prompt") {
                let at = key_span(table, key).unwrap_or_else(|| span.clone());
                self.report(
                    &at,
                    Code::NoTool,
                    format!("a case with a prompt cannot have '{key}'"),
                    "replace prompt with tool_result, or remove it",
                );
            }
        }
        if !EXPECTATIONS.into_iter().any(has) {
            let hint = format!("write at least one of {}", EXPECTATIONS.join(", "));
            self.report(span, Code::NothingExpected, format!("'{name}' has no expectations"), hint);
        }
        for id in select.iter().flatten() {
            if self.catalog.get(id).is_some_and(Source::is_missing) {
                let at = table.get("select").map_or_else(|| span.clone(), Spanned::span);
                let message = format!("'{id}' cannot be picked: its path does not exist");
                self.report(&at, Code::Missing, message, "correct its path, or leave it out of select");
            }
        }
        self.contradictions(table, span, &wanted);
        let kind = if result.is_some() { TextKind::ToolResult } else { TextKind::Prompt };
        let line = self.positions.position(self.text, span.start).line;
        Some(Case { name, line, kind, text: prompt.or(result)?, tool, args, select, wanted })
    }

    /// Reports ids that must and must not be hinted at.
    fn contradictions(&mut self, table: &DeTable, span: &Range<usize>, wanted: &CaseExpectations) {
        let is_barred = |id: &&String| wanted.not_hints.iter().flatten().any(|other| other == *id);
        let mut report = |id: &str, key: &str| {
            let at = table.get("not_hints").map_or_else(|| span.clone(), Spanned::span);
            let message = format!("'{id}' is in {key} and in not_hints");
            self.report(&at, Code::Contradiction, message, "remove it from one of them");
        };
        for (key, ids) in [("hints", &wanted.hints), ("top", &wanted.top)] {
            ids.iter().flatten().filter(is_barred).for_each(|id| report(id, key));
        }
        // One valid alternative is enough.
        if let Some(ids) = wanted.hints_any.as_ref().filter(|ids| ids.iter().all(|id| is_barred(&id))) {
            ids.iter().for_each(|id| report(id, "hints_any"));
        }
    }

    fn string(&mut self, table: &DeTable, key: &str) -> Option<String> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong_type(value, key, "a string", &format!("{key} = \"…\""));
        }
        text
    }

    fn limit(&mut self, table: &DeTable, key: &str, example: usize) -> Option<usize> {
        let value = table.get(key)?;
        let whole = value.get_ref().as_integer();
        let limit = whole.and_then(|whole| usize::from_str_radix(whole.as_str(), whole.radix()).ok());
        let example = format!("{key} = {example}");
        match whole {
            None => self.wrong_type(value, key, "a whole number, 0 or more", &example),
            Some(number) if limit.is_none() => {
                let message = format!("'{key}' must be a whole number, 0 or more, but is {number}");
                self.report(&value.span(), Code::WrongType, message, format!("write {example}"));
            }
            Some(_) => {}
        }
        limit
    }

    /// An id, or a list with at least one.
    fn some_ids(&mut self, table: &DeTable, key: &str) -> Option<Vec<String>> {
        let value = table.get(key)?;
        let example = format!("{key} = [\"retry-pattern\"]");
        if let Some(id) = value.get_ref().as_str() {
            return self.knows(value, id).then(|| vec![id.to_owned()]);
        }
        match value.get_ref().as_array() {
            None => {
                self.wrong_type(value, key, "an id or a list of ids", &example);
                None
            }
            Some(list) if list.is_empty() => {
                self.report(
                    &value.span(),
                    Code::WrongType,
                    format!("'{key}' must have an id"),
                    format!("write {example}"),
                );
                None
            }
            Some(_) => self.ids(table, key),
        }
    }

    /// A list of ids that are in the catalog.
    fn ids(&mut self, table: &DeTable, key: &str) -> Option<Vec<String>> {
        let value = table.get(key)?;
        let example = format!("{key} = [\"retry-pattern\"]");
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(value, key, "a list of ids", &example);
            return None;
        };
        let mut ids: Vec<String> = Vec::with_capacity(list.len());
        for item in list.iter() {
            let Some(id) = item.get_ref().as_str() else {
                self.wrong_type(item, key, "a list of ids", &example);
                continue;
            };
            if self.knows(item, id) && !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
        Some(ids)
    }

    /// Whether a source has this id; reports a problem if not.
    fn knows(&mut self, at: &Spanned<DeValue>, id: &str) -> bool {
        let is_known = self.catalog.get(id).is_some();
        if !is_known {
            let hint = unknown_id_fix(self.catalog, id);
            self.report(&at.span(), Code::UnknownId, format!("no source has the id '{id}'"), hint);
        }
        is_known
    }

    fn args(&mut self, table: &DeTable) -> Value {
        let Some(value) = table.get("args") else { return Value::Null };
        if value.get_ref().as_table().is_none() {
            self.wrong_type(value, "args", "a table", "args = { path = \"docs/a.md\" }");
        }
        as_json(value.get_ref())
    }

    fn wrong_type(&mut self, value: &Spanned<DeValue>, key: &str, wanted: &str, example: &str) {
        let message = format!("'{key}' must be {wanted}, but is {}", article(value.get_ref().type_str()));
        self.report(&value.span(), Code::WrongType, message, format!("write {example}"));
    }
}

fn article(word: &str) -> String {
    format!("{} {word}", if word.starts_with(['a', 'i']) { "an" } else { "a" })
}

fn key_span(table: &DeTable, wanted: &str) -> Option<Range<usize>> {
    table.iter().map(|(key, _)| key).find(|key| key.get_ref() == wanted).map(Spanned::span)
}

/// The tool's arguments as JSON.
fn as_json(value: &DeValue) -> Value {
    match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(whole) => i64::from_str_radix(whole.as_str(), whole.radix())
            .map_or_else(|_| json!(whole.as_str()), |whole| json!(whole)),
        DeValue::Float(number) => {
            number.as_str().parse::<f64>().map_or_else(|_| json!(number.as_str()), |it| json!(it))
        }
        DeValue::Boolean(flag) => json!(flag),
        DeValue::Datetime(time) => json!(time.to_string()),
        DeValue::Array(list) => list.iter().map(|item| as_json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let members = table.iter().map(|(key, value)| (key.get_ref().to_string(), as_json(value.get_ref())));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}
