//! Tool answers: structured for programs, and the same as text for models. A failure that the agent can fix is also an
//! answer, marked as an error.

use std::borrow::Cow;

use serde_json::{Map, Value};

use refdesk_desk::channel::Request;
use refdesk_text::Error;
use refdesk_text::escape::{one_line, visible};

/// What a tool call returns.
#[derive(Debug)]
pub struct ToolAnswer {
    /// The answer as text, for the model.
    pub text: String,
    /// The structured answer.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// A question the client must ask its user before repeating the call with the reply. Set only if [`crate::Elicit`]
    /// requested it.
    pub question: Option<Box<Request>>,
}

#[derive(Debug)]
pub(crate) enum FailedAnswer {
    /// In the tool's own format.
    Answer(Box<ToolAnswer>),
    /// As a failed rendering, with these additional members.
    Rendering(Box<(Error, Map<String, Value>)>),
    /// As an error message.
    Error(Error),
}

impl From<Error> for FailedAnswer {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl ToolAnswer {
    /// A successful answer whose text is its JSON. Escapes invisible characters.
    pub fn json(mut answer: Value) -> Self {
        escape(&mut answer);
        Self::escaped_json(answer)
    }

    /// Like [`Self::json`], for an answer whose strings are already escaped.
    pub(crate) fn escaped_json(answer: Value) -> Self {
        // `to_string` of a value returns the same text, but is slower.
        let text = serde_json::to_string(&answer).unwrap_or_else(|_| answer.to_string());
        Self { text, structured: Some(answer), is_error: false, question: None }
    }

    /// A successful answer whose text is not its JSON. Escapes invisible characters in both.
    pub fn with_text(mut answer: Value, text: &str) -> Self {
        escape(&mut answer);
        Self { text: visible(text).into_owned(), structured: Some(answer), is_error: false, question: None }
    }

    /// A failed answer in the format of a successful one.
    pub fn failed(answer: Value) -> Self {
        Self { is_error: true, ..Self::json(answer) }
    }

    /// A failed answer that consists of an error message.
    pub fn error(error: &Error) -> Self {
        let escaped = Error::new(error.code, one_line(&error.message), one_line(&error.fix.to_string()).into_owned());
        Self { text: format!("error: {escaped}"), structured: None, is_error: true, question: None }
    }
}

/// Escapes invisible characters in every string and in member names, which may be variables of a template.
pub(crate) fn escape(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(escaped) = visible(text) {
                *text = escaped;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(escape),
        Value::Object(members) => {
            if members.keys().any(|name| matches!(visible(name), Cow::Owned(_))) {
                let all = std::mem::take(members).into_iter();
                members.extend(all.map(|(name, value)| (visible(&name).into_owned(), value)));
            }
            members.values_mut().for_each(escape);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        let mut value = json!({"a": ["x\u{202e}y", {"b\u{200b}": "z\u{e0041}"}], "c": "plain\n"});
        escape(&mut value);
        let expected = json!({"a": ["x\\u{202e}y", {"b\\u{200b}": "z\\u{e0041}"}], "c": "plain\n"});
        assert_eq!(value, expected);
        let raw = || json!({"a": ["x\u{202e}y", {"b\u{200b}": "z\u{e0041}"}], "c": "plain\n"});
        for answer in [ToolAnswer::json(raw()), ToolAnswer::failed(raw()), ToolAnswer::with_text(raw(), "x\u{202e}y\n")]
        {
            assert_eq!(answer.structured, Some(expected.clone()));
            assert!(!answer.text.contains(['\u{202e}', '\u{200b}', '\u{e0041}']), "{}", answer.text);
        }
    }
}
