//! What a tool answers: structured for programs, with the same as text beside it. A failure that the agent can mend is an answer
//! too, marked as one, which says what was wrong, where, and what to do.

use std::borrow::Cow;

use refdesk_text::Error;
use refdesk_text::escape::{one_line, visible};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde_json::Value;

/// An answer, its text the JSON of it. What cannot be seen is printed escaped.
pub fn done(mut answer: Value) -> CallToolResponse {
    show(&mut answer);
    shown(answer)
}

/// The same of one whose texts are printed as they are seen already.
pub fn shown(answer: Value) -> CallToolResponse {
    let text = written(&answer);
    told(answer, text)
}

/// An answer whose text is not its JSON.
pub fn told(answer: Value, text: String) -> CallToolResponse {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(answer);
    result.into()
}

/// An answer that is a failure, and has the form of the others all the same.
pub fn failed(mut answer: Value) -> CallToolResponse {
    show(&mut answer);
    let mut result = CallToolResult::error(vec![ContentBlock::text(written(&answer))]);
    result.structured_content = Some(answer);
    result.into()
}

fn written(answer: &Value) -> String {
    // Printing it comes to the same, and takes longer.
    serde_json::to_string(answer).unwrap_or_else(|_| answer.to_string())
}

/// A failure of which nothing is known but why.
pub fn refused(refusal: &Error) -> CallToolResponse {
    let shown = Error::new(refusal.code, one_line(&refusal.message), one_line(&refusal.hint));
    CallToolResult::error(vec![ContentBlock::text(format!("error: {shown}"))]).into()
}

/// Has every text of a value be printed as it is seen, and so the names of members: some are variables of a template.
pub fn show(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(show),
        Value::Object(members) => {
            if members.keys().any(|name| matches!(visible(name), Cow::Owned(_))) {
                let all = std::mem::take(members).into_iter();
                members.extend(all.map(|(name, value)| (visible(&name).into_owned(), value)));
            }
            members.values_mut().for_each(show);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_seen_is_printed_escaped() {
        let mut value = json!({"a": ["x\u{202e}y", {"b\u{200b}": "z\u{e0041}"}], "c": "plain\n"});
        show(&mut value);
        assert_eq!(value, json!({"a": ["x\\u{202e}y", {"b\\u{200b}": "z\\u{e0041}"}], "c": "plain\n"}));
    }
}
