//! The arguments of a call. Agents write them loosely, so a string is accepted as a list of one, and a number as a
//! string. An error names the argument and the value found, and shows an example of a correct call.

use serde_json::{Map, Value};

use super::{ToolSpec, invalid_call};
use refdesk_templates::render::values;
use refdesk_text::Error;
use refdesk_text::escape::one_line;
use refdesk_text::nearest::suggestion;

/// How messages describe a number argument.
const WHOLE: &str = "a whole number";

/// Arguments of a call that the handler has not taken yet.
#[derive(Debug)]
pub(crate) struct ToolArguments {
    tool: &'static ToolSpec,
    given: Map<String, Value>,
}

impl ToolArguments {
    pub(crate) fn new(tool: &'static ToolSpec, given: Map<String, Value>) -> Result<Self, Error> {
        let schema = tool.input();
        let known = || schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        if let Some(unknown) = given.keys().find(|name| known().all(|known| known != *name)) {
            let near = suggestion(unknown, known().map(String::as_str));
            let names = known().map(String::as_str).collect::<Vec<_>>().join(", ");
            let name = tool.name;
            let message = format!("{name} has no argument '{}'{near}; it takes: {names}", one_line(unknown));
            return Err(invalid_call(message));
        }
        Ok(Self { tool, given })
    }

    pub(crate) fn tool_name(&self) -> &'static str {
        self.tool.name
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.given.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong(name, "a string", &other)),
        }
    }

    pub(crate) fn required(&mut self, name: &str) -> Result<String, Error> {
        self.text(name)?.ok_or_else(|| self.error(&format!("needs '{name}'")))
    }

    /// The value that belongs to the given word.
    pub(crate) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, Error> {
        let Some(given) = self.text(name)? else { return Ok(None) };
        if let Some((_, found)) = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(&given)) {
            return Ok(Some(*found));
        }
        let known = words.iter().map(|(word, _)| format!("'{word}'")).collect::<Vec<_>>().join(", ");
        let near = suggestion(&given, words.iter().map(|(word, _)| *word));
        Err(self.error(&format!("'{name}' must be one of {known}, not '{}'{near}", one_line(&given))))
    }

    /// A list of strings. Also accepts one string, and a list in a string.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, Error> {
        let given = match self.given.remove(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(given) => as_list(given),
        };
        let Value::Array(items) = given else { return Err(self.wrong(name, "a list of strings", &given)) };
        let mut texts = Vec::with_capacity(items.len());
        for (at, item) in items.into_iter().enumerate() {
            match item {
                Value::String(text) => texts.push(text),
                other => return Err(self.wrong(&format!("{name}[{at}]"), "a string", &other)),
            }
        }
        Ok(texts)
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number(&mut self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Error> {
        let given = match self.given.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(given) => given,
        };
        let number = match &given {
            Value::String(text) => text.trim().parse().ok(),
            // JSON has only one number type, and some clients write whole numbers as 2.0.
            other => other.as_u64().or_else(|| whole(other.as_f64()?)),
        };
        match number {
            Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ if most == u64::MAX => Err(self.wrong(name, WHOLE, &given)),
            _ => Err(self.wrong(name, &format!("{WHOLE} from {least} to {most}"), &given)),
        }
    }

    /// True or false; false if missing.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, Error> {
        match self.given.remove(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => Ok(false),
            Some(other) => Err(self.wrong(name, "true or false", &other)),
        }
    }

    /// Values for a template: an object, or its JSON text; empty if missing.
    pub(crate) fn values(&mut self, name: &str) -> Result<Value, Error> {
        let values = match self.given.remove(name) {
            None | Some(Value::Null) => return Ok(Value::Object(Map::new())),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(Value::Object(Map::new())),
            Some(Value::String(text)) => {
                values::parse(&text).map_err(|wrong| self.error(&format!("'{name}': {}", wrong.message)))?
            }
            Some(other) => other,
        };
        if !values.is_object() {
            return Err(self.wrong(name, "an object, or the JSON text of one", &values));
        }
        values::check(&values).map_err(|error| self.error(&format!("'{name}': {}", error.message)))?;
        Ok(values)
    }

    fn wrong(&self, name: &str, expected: &str, found: &Value) -> Error {
        let shown: String = found.to_string().chars().take(60).collect();
        // The type of a whole number is right; it is only too small or too large.
        let kind = match found {
            Value::Number(number) if !number.is_f64() && expected.starts_with(WHOLE) => String::new(),
            other => format!("{}: ", json_type(other)),
        };
        self.error(&format!("'{name}' must be {expected}, not {kind}{}", one_line(&shown)))
    }

    fn error(&self, what: &str) -> Error {
        let ToolSpec { name, example, .. } = self.tool;
        invalid_call(format!("{name}: {what}; for example {example}"))
    }
}

/// A list in one of the forms in which agents write it: as such, in a string, or as its only string; any other value
/// as it is.
pub fn as_list(given: Value) -> Value {
    match given {
        Value::String(text) if text.trim().is_empty() => Value::Array(Vec::new()),
        Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(&text) {
            Ok(list @ Value::Array(_)) => list,
            _ => Value::from(vec![text]),
        },
        Value::String(text) => Value::from(vec![text]),
        other => other,
    }
}

/// Describes the type of a JSON value.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a number that is not whole or is too large",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The value of a number without a fraction that JSON represents exactly.
fn whole(number: f64) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_whole = number.fract() == 0.0 && (0.0..=EXACT).contains(&number);
    is_whole.then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{list_references, render_template_to_file, search_documents, select_references};
    use super::*;

    fn arguments(tool: &'static ToolSpec, given: &Value) -> Result<ToolArguments, Error> {
        ToolArguments::new(tool, given.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn lenient_forms_are_accepted_and_others_explained() {
        for (given, expected) in [
            (json!(["a", "b"]), Ok(vec!["a", "b"])),
            (json!("a"), Ok(vec!["a"])),
            (json!("a, b"), Ok(vec!["a, b"])),
            (json!("[\"a\", \"b\"]"), Ok(vec!["a", "b"])),
            (json!("[a]"), Ok(vec!["[a]"])),
            (json!(null), Ok(vec![])),
            (json!(" "), Ok(vec![])),
            (json!(5), Err("selectReferences: 'ids' must be a list of strings, not a number: 5; for example {")),
            (json!({"a": 1}), Err("'ids' must be a list of strings, not an object: {\"a\":1};")),
            (json!(["a", 1]), Err("'ids[1]' must be a string, not a number: 1;")),
        ] {
            let read = arguments(&select_references::SPEC, &json!({"ids": given.clone()})).unwrap().texts("ids");
            match (read, expected) {
                (Ok(ids), Ok(expected)) => assert_eq!(ids, expected, "{given}"),
                (Err(error), Err(words)) => assert!(error.message.contains(words), "{given}: {}", error.message),
                (other, _) => panic!("{given}: {other:?}"),
            }
        }
        let unknown = arguments(&select_references::SPEC, &json!({"id": ["a"]})).unwrap_err();
        assert_eq!(
            unknown.message,
            "selectReferences has no argument 'id' (did you mean 'ids'?); it takes: ids, filter_tags"
        );
        let words = [("all", 0), ("auto", 1)];
        let mut mode = arguments(&list_references::SPEC, &json!({"mode": "Auto"})).unwrap();
        assert_eq!(mode.word("mode", &words).unwrap(), Some(1));
        let mut mode = arguments(&list_references::SPEC, &json!({"mode": "aut"})).unwrap();
        let error = mode.word("mode", &words).unwrap_err();
        assert!(error.message.contains("'all', 'auto', not 'aut' (did you mean 'auto'?)"), "{}", error.message);
    }

    #[test]
    fn numbers_are_whole_and_within_their_limits() {
        for (given, expected) in [
            (json!(5), Ok(Some(5))),
            (json!(" 5 "), Ok(Some(5))),
            (json!(null), Ok(None)),
            (json!(0), Err("'limit' must be a whole number from 1 to 100, not 0;")),
            (json!(101), Err("from 1 to 100, not 101;")),
            (json!(-1), Err("from 1 to 100, not -1;")),
            (json!(2.0), Ok(Some(2))),
            (json!(1e300), Err("too large: ")),
            (json!(-2.0), Err("from 1 to 100")),
            (json!(1.5), Err("from 1 to 100, not a number that is not whole or is too large: 1.5;")),
            (json!("many"), Err("not a string: \"many\"")),
        ] {
            let read = arguments(&search_documents::SPEC, &json!({"limit": given.clone()})).unwrap();
            let mut read = read;
            match (read.number("limit", 1, 100), expected) {
                (Ok(number), Ok(expected)) => assert_eq!(number, expected, "{given}"),
                (Err(error), Err(words)) => assert!(error.message.contains(words), "{given}: {}", error.message),
                (other, _) => panic!("{given}: {other:?}"),
            }
        }
    }

    #[test]
    fn the_schema_names_the_limits_of_a_number() {
        let schema: Value = serde_json::from_str(search_documents::SPEC.input).unwrap();
        let limit = &schema["properties"]["limit"];
        assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(100)));
    }

    #[test]
    fn values_are_an_object_or_its_text() {
        for (given, expected) in [
            (json!({"a": 1}), Ok(json!({"a": 1}))),
            (json!("{\"a\": 1}"), Ok(json!({"a": 1}))),
            (json!(null), Ok(json!({}))),
            (json!("{"), Err("'variables': the values are not JSON: ")),
            (json!("[1]"), Err("'variables' must be an object, or the JSON text of one, not a list: [1]")),
            (json!(["a"]), Err("not a list")),
            (json!("{\"a\": 123456789012345678901}"), Err("would be rounded")),
        ] {
            let read = arguments(&render_template_to_file::SPEC, &json!({"variables": given.clone()})).unwrap();
            let mut read = read;
            match (read.values("variables"), expected) {
                (Ok(values), Ok(expected)) => assert_eq!(values, expected, "{given}"),
                (Err(error), Err(words)) => assert!(error.message.contains(words), "{given}: {}", error.message),
                (other, _) => panic!("{given}: {other:?}"),
            }
        }
    }
}
