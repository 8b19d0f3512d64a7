//! Reads an expectations file: TOML, one `[[case]]` per case. Every problem is reported with line, column and a fix. A file
//! with any problem is not used at all, because a check that skips cases proves nothing.

use std::ops::Range;

use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::case::{Case, Wanted};
use refdesk_core::catalog::{Catalog, Source};
use refdesk_enrich::TextKind;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::{Code, Fix};

const EXAMPLE: &str =
    "write for example: [[case]], prompt = \"retry the payment\", hints = [\"retry-pattern\"], a line each";

const KEYS: [&str; 11] = [
    "name",
    "prompt",
    "tool_result",
    "tool",
    "args",
    "select",
    "hints",
    "not_hints",
    "expands",
    "pulls_in",
    "max_tokens",
];

/// The cases of a file, or all its problems by line; `shown` is the file's name in messages.
/// # Errors
/// The file is empty, is not TOML, has unknown keys, or names sources that are not in the catalog.
pub fn read_cases(text: &str, shown: &str, catalog: &Catalog) -> Result<Vec<Case>, Vec<Diagnostic>> {
    let mut reader = Reader { text, shown, catalog, problems: Vec::new() };
    let (document, broken) = DeTable::parse_recoverable(text);
    // Later parser errors only follow from the first.
    if let Some((at, error)) = broken.iter().map(|it| (it.span().unwrap_or(0..0), it)).min_by_key(|(at, _)| at.start) {
        reader.report(&at, Code::NotToml, format!("not TOML: {}", error.message()), EXAMPLE);
    }
    let cases = if broken.is_empty() { reader.document(document.get_ref()) } else { Vec::new() };
    if reader.problems.is_empty() {
        return Ok(cases);
    }
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    Err(reader.problems)
}

struct Reader<'a> {
    text: &'a str,
    shown: &'a str,
    catalog: &'a Catalog,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, at: &Range<usize>, code: Code, message: impl Into<String>, hint: impl Into<Fix>) {
        let place = Position::of(self.text, at.start);
        self.problems.push(Diagnostic::error(code, message).in_file(self.shown).at(place).fix(hint));
    }

    fn document(&mut self, document: &DeTable) -> Vec<Case> {
        for (key, _) in document.iter().filter(|(key, _)| key.get_ref() != "case") {
            let name = key.get_ref();
            let hint = match KEYS.contains(&name.as_ref()) {
                true => format!("put it below a line [[case]]; {EXAMPLE}"),
                false => EXAMPLE.to_owned(),
            };
            self.report(&key.span(), Code::UnknownKey, format!("'{name}' is outside of every case"), hint);
        }
        let Some((key, cases)) = document.iter().find(|(key, _)| key.get_ref() == "case") else {
            if document.is_empty() {
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
                self.report(&key.span(), Code::UnknownKey, format!("a case has no '{name}'"), hint);
            }
        }
        let name = self.string(table, "name").unwrap_or_else(|| format!("case {nth}"));
        let (prompt, result) = (self.string(table, "prompt"), self.string(table, "tool_result"));
        let (tool, args) = (self.string(table, "tool"), self.args(table));
        let select = self.ids(table, "select");
        let wanted = Wanted {
            hints: self.ids(table, "hints"),
            not_hints: self.ids(table, "not_hints"),
            expands: self.ids(table, "expands"),
            pulls_in: self.ids(table, "pulls_in"),
            max_tokens: self.limit(table),
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
                    format!("a prompt has no '{key}'"),
                    "write tool_result for prompt, or leave it out",
                );
            }
        }
        if !["hints", "not_hints", "expands", "pulls_in", "max_tokens"].into_iter().any(has) {
            let hint = "write at least one of hints, not_hints, expands, pulls_in or max_tokens";
            self.report(span, Code::NothingExpected, format!("'{name}' has no expectations"), hint);
        }
        for id in select.iter().flatten() {
            if self.catalog.get(id).is_some_and(Source::is_missing) {
                let at = table.get("select").map_or_else(|| span.clone(), Spanned::span);
                let message = format!("'{id}' cannot be picked: its path does not exist");
                self.report(&at, Code::Missing, message, "fix its path, or leave it out of select");
            }
        }
        for id in wanted.hints.iter().flatten() {
            if wanted.not_hints.iter().flatten().any(|other| other == id) {
                let at = table.get("not_hints").map_or_else(|| span.clone(), Spanned::span);
                let message = format!("'{id}' is in hints and in not_hints");
                self.report(&at, Code::Contradiction, message, "remove it from one of them");
            }
        }
        let kind = if result.is_some() { TextKind::ToolResult } else { TextKind::Prompt };
        let line = Position::of(self.text, span.start).line;
        Some(Case { name, line, kind, text: prompt.or(result)?, tool, args, select, wanted })
    }

    fn string(&mut self, table: &DeTable, key: &str) -> Option<String> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong_type(value, key, "a text", &format!("{key} = \"…\""));
        }
        text
    }

    fn limit(&mut self, table: &DeTable) -> Option<usize> {
        let value = table.get("max_tokens")?;
        let whole = value.get_ref().as_integer();
        let limit = whole.and_then(|whole| usize::from_str_radix(whole.as_str(), whole.radix()).ok());
        if limit.is_none() {
            self.wrong_type(value, "max_tokens", "a whole number from 0", "max_tokens = 200");
        }
        limit
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
            if self.catalog.get(id).is_none() {
                let known = self.catalog.sources().iter().map(|source| source.id.as_str());
                let hint = did_you_mean(id, known).map_or(Fix::ListSources, Fix::Text);
                self.report(&item.span(), Code::UnknownId, format!("no source has the id '{id}'"), hint);
            } else if !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
        Some(ids)
    }

    fn args(&mut self, table: &DeTable) -> Value {
        let Some(value) = table.get("args") else { return Value::Null };
        if value.get_ref().as_table().is_none() {
            self.wrong_type(value, "args", "a table", "args = { path = \"docs/a.md\" }");
        }
        as_json(value.get_ref())
    }

    fn wrong_type(&mut self, value: &Spanned<DeValue>, key: &str, wanted: &str, example: &str) {
        let message = format!("'{key}' must be {wanted}, and has {}", article(value.get_ref().type_str()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_core::catalog::{LocalPath, Mode, PathState, SourceDefinition, SourceKind};

    fn catalog() -> Catalog {
        let source = |id: &str, standing: PathState| {
            let path: std::sync::Arc<std::path::Path> = std::path::Path::new("/w/x").into();
            Source {
                id: id.into(),
                name: id.to_owned(),
                description: String::new(),
                mode: Mode::Selectable,
                tags: Vec::new(),
                kind: SourceKind::Local(LocalPath {
                    written: "x".to_owned(),
                    path: path.clone(),
                    resolved: path,
                    standing,
                    size: 0,
                }),
                fetch_hint: None,
                contents: None,
                origin: SourceDefinition { file: std::path::Path::new("/w/references.json").into(), entry: None },
            }
        };
        Catalog::new(vec![
            source("one", PathState::File),
            source("other", PathState::File),
            source("gone", PathState::Missing),
        ])
    }

    #[test]
    fn a_complete_case() {
        let text = "# about\n\n[[case]]\nname = \"n\"\ntool_result = \"text\"\ntool = \"Read\"\n\
            args = { path = \"a\", n = 1, deep = [true, 0.5] }\nselect = [\"one\"]\nhints = [\"other\", \"other\"]\n\
            not_hints = []\nexpands = [\"one\"]\npulls_in = [\"gone\"]\nmax_tokens = 20\n\n[[case]]\nprompt = \"x\"\nhints = []\n";
        let cases = read_cases(text, "f.toml", &catalog()).unwrap();
        let ids = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            cases[0],
            Case {
                name: "n".to_owned(),
                line: 3,
                kind: TextKind::ToolResult,
                text: "text".to_owned(),
                tool: Some("Read".to_owned()),
                args: json!({"path": "a", "n": 1, "deep": [true, 0.5]}),
                select: ids(&["one"]),
                wanted: Wanted {
                    hints: ids(&["other"]),
                    not_hints: ids(&[]),
                    expands: ids(&["one"]),
                    pulls_in: ids(&["gone"]),
                    max_tokens: Some(20),
                },
            }
        );
        assert_eq!(cases[0].wanted.count(), 5);
        assert_eq!((cases[1].name.as_str(), cases[1].line, cases[1].kind), ("case 2", 15, TextKind::Prompt));
        assert_eq!(cases[1].wanted, Wanted { hints: ids(&[]), ..Wanted::default() });
    }

    #[test]
    fn errors_have_a_position_and_a_fix() {
        for (text, expected) in [
            ("", vec!["1:1 no-case: the file has no case"]),
            ("# nothing\n", vec!["1:1 no-case: the file has no case"]),
            ("case = []\n", vec!["1:1 no-case: the file has no case"]),
            ("[case]\nprompt = \"x\"\n", vec!["1:2 wrong-type: 'case' must be a list of tables"]),
            ("case = [1]\n", vec!["1:9 wrong-type: a case must be a table"]),
            ("prompt = \"x\"\n", vec!["1:1 unknown-key: 'prompt' is outside of every case"]),
            (
                "[[case]]\nprompt = 1\nhint = [\"one\"]\nhints = \"one\"\nmax_tokens = -1\n",
                vec![
                    "2:10 wrong-type: 'prompt' must be a text, and has an integer",
                    "3:1 unknown-key: a case has no 'hint' (did you mean 'hints'?)",
                    "4:9 wrong-type: 'hints' must be a list of ids, and has a string",
                    "5:14 wrong-type: 'max_tokens' must be a whole number from 0, and has an integer",
                ],
            ),
            (
                "[[case]]\nprompt = \"x\"\nhints = [\"oen\", 2, \"nobody-near\"]\n",
                vec![
                    "3:10 unknown-id: no source has the id 'oen' (did you mean 'one'?)",
                    "3:17 wrong-type: 'hints' must be a list of ids, and has an integer",
                    "3:20 unknown-id: no source has the id 'nobody-near'",
                ],
            ),
            (
                "[[case]]\nname = \"n\"\nhints = []\n[[case]]\nprompt = \"\"\ntool_result = \"\"\n",
                vec![
                    "1:1 no-text: 'n' has neither a prompt nor a tool_result",
                    "4:1 no-text: 'case 2' has both a prompt and a tool_result",
                    "4:1 nothing-expected: 'case 2' has no expectations",
                ],
            ),
            (
                "[[case]]\nprompt = \"x\"\ntool = \"Read\"\nargs = 1\nselect = [\"gone\"]\nhints = [\"one\"]\nnot_hints = [\"one\"]\n",
                vec![
                    "3:1 no-tool: a prompt has no 'tool'",
                    "4:1 no-tool: a prompt has no 'args'",
                    "4:8 wrong-type: 'args' must be a table, and has an integer",
                    "5:10 missing: 'gone' cannot be picked: its path does not exist",
                    "7:13 contradiction: 'one' is in hints and in not_hints",
                ],
            ),
            ("[[case]]\nprompt = \n", vec!["2:10 not-toml"]),
            ("[[case]]\nprompt = \"a\"\nprompt = \"b\"\nhints = []\n", vec!["3:1 not-toml"]),
            ("[[case]]\nprompt = \"a\u{0}b\"\n", vec!["2:12 not-toml"]),
        ] {
            let problems = read_cases(text, "f.toml", &catalog()).unwrap_err();
            let told: Vec<String> = problems
                .iter()
                .map(|it| {
                    let hint = it.fix.to_string();
                    let hint = if hint.starts_with("did you") { format!(" ({hint})") } else { String::new() };
                    format!("{}:{} {}: {}{hint}", it.line.unwrap(), it.column.unwrap(), it.code, it.message)
                })
                .collect();
            assert_eq!(told.len(), expected.len(), "{text}: {told:?}");
            for (told, expected) in told.iter().zip(expected) {
                assert!(told.starts_with(expected), "{text}: {told} is not {expected}");
            }
            assert!(problems.iter().all(|it| it.file.as_deref() == Some("f.toml") && !it.fix.is_none()), "{text}");
        }
    }
}
