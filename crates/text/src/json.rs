//! What is wrong with a text that is not JSON, in words for the person who wrote it.

use std::fmt;

use crate::report::Position;

/// Why a text is not JSON: `a list is not closed at line 1 column 4`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong there.
    pub what: String,
    /// Where the parser noticed it.
    pub position: Position,
    /// What to do about it.
    pub fix: &'static str,
}

impl JsonError {
    /// Words the error that `serde_json` gave for this text.
    pub fn of(text: &str, error: &serde_json::Error) -> Self {
        // serde_json counts columns in bytes and reports the last byte it read.
        let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let bytes = error.column().saturating_sub(1).min(line.len());
        let column = String::from_utf8_lossy(line.as_bytes().get(..bytes).unwrap_or_default()).chars().count() + 1;
        let whole = error.to_string();
        let what = whole.split(" at line ").next().unwrap_or(&whole);
        let (what, fix) = explained(what, text_at(text, error.line(), error.column()));
        Self { what: what.to_owned(), position: Position { line: error.line().max(1), column }, fix }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.position;
        write!(f, "{} at line {line} column {column}", self.what)
    }
}

/// The text from the parser's position on; `column` counts bytes.
fn text_at(text: &str, line: usize, column: usize) -> &str {
    let begins = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    text.get(begins + column.saturating_sub(1)..).unwrap_or_default()
}

/// Rewords a parser error for a person, and suggests a fix. `next` is the text at the error.
fn explained<'e>(what: &'e str, next: &str) -> (&'e str, &'static str) {
    match what {
        "trailing comma" => (what, "remove the last comma"),
        "recursion limit exceeded" => (what, "nest at most 127 levels deep"),
        "EOF while parsing a string" => ("a string is not closed", "close it with a double quote"),
        "EOF while parsing a list" => ("a list is not closed", "close it with ]"),
        "EOF while parsing an object" => ("an object is not closed", "close it with }"),
        "EOF while parsing a value" => ("the text ends where a value belongs", "complete it"),
        "trailing characters" => {
            ("there is more text after the end", "remove what follows the end, or an earlier closing bracket")
        }
        "expected `:`" => ("a colon is missing before this", "write a colon between a key and its value"),
        _ if next.starts_with("//") || next.starts_with("/*") || next.starts_with('#') => {
            ("a comment", "remove it: JSON has no comments")
        }
        "expected `,` or `}`" if next.starts_with(']') => ("an object is not closed before this", "close it with }"),
        "expected `,` or `]`" if next.starts_with('}') => ("a list is not closed before this", "close it with ]"),
        "expected `,` or `}`" | "expected `,` or `]`" => {
            ("a comma is missing before this", "add a comma, or close the list or object before it")
        }
        "key must be a string" if next.starts_with(',') => ("two commas follow each other", "remove one of them"),
        "key must be a string" => ("a key is not in double quotes", "write every key in double quotes"),
        "expected value" if next.starts_with([',', '}', ']', ':']) => ("a value is missing before this", "write it"),
        "expected value" if next.starts_with('\'') => ("a string is in single quotes", "use double quotes"),
        "expected value" | "expected ident" => {
            ("this is not a value", "write a string in double quotes, or a number, true, false or null")
        }
        "invalid escape" => {
            ("a backslash comes before a character that it cannot escape", "write two backslashes instead of one")
        }
        what if what.starts_with("control character") => (
            "a string has a line break or another control character in it",
            "close the string on its line, or write \\n",
        ),
        _ => (what, "write strict JSON: no comments, no trailing commas, strings in double quotes"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_syntax_error_says_what_to_do() {
        for (text, message, fix) in [
            (
                r#"{"a":1 "b":2}"#,
                "a comma is missing before this",
                "add a comma, or close the list or object before it",
            ),
            ("[1\n 2]", "a comma is missing before this", "add a comma, or close the list or object before it"),
            (r#"{"a":[{"b":1}"#, "a list is not closed", "close it with ]"),
            (r#"{"a":{"b":1}"#, "an object is not closed", "close it with }"),
            (r#"{"a":1]"#, "an object is not closed before this", "close it with }"),
            (r#"{"a":[1}"#, "a list is not closed before this", "close it with ]"),
            (r#"{"a":"é"#, "a string is not closed", "close it with a double quote"),
            (
                "{\"a\":\"x\ny\"}",
                "a string has a line break or another control character in it",
                "close the string on its line, or write \\n",
            ),
            (
                r#"{"a":1}}"#,
                "there is more text after the end",
                "remove what follows the end, or an earlier closing bracket",
            ),
            ("{a:1}", "a key is not in double quotes", "write every key in double quotes"),
            (r#"{"a":1,,"b":2}"#, "two commas follow each other", "remove one of them"),
            (r#"{"a" 1}"#, "a colon is missing before this", "write a colon between a key and its value"),
            (r#"{"a":}"#, "a value is missing before this", "write it"),
            (r#"{"a":'x'}"#, "a string is in single quotes", "use double quotes"),
            (
                r#"{"a":tru}"#,
                "this is not a value",
                "write a string in double quotes, or a number, true, false or null",
            ),
            ("{\n // c\n}", "a comment", "remove it: JSON has no comments"),
            (
                r#"{"a":"\q"}"#,
                "a backslash comes before a character that it cannot escape",
                "write two backslashes instead of one",
            ),
            (r#"{"a":1,}"#, "trailing comma", "remove the last comma"),
        ] {
            let error = serde_json::from_str::<Value>(text).unwrap_err();
            let problem = JsonError::of(text, &error);
            assert_eq!((problem.what.as_str(), problem.fix), (message, fix), "{text}");
        }
        let of = |text: &str| JsonError::of(text, &serde_json::from_str::<Value>(text).unwrap_err()).to_string();
        for (text, said) in [
            ("", "the text ends where a value belongs at line 1 column 1"),
            ("{\n\"é\": ,", "a value is missing before this at line 2 column 6"),
            ("[1,\n", "the text ends where a value belongs at line 2 column 1"),
        ] {
            assert_eq!(of(text), said, "{text:?}");
        }
    }
}
