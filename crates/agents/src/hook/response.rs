//! Extracts the text an agent reads from a tool's result. A result is a string, a list or an object of any shape; all
//! strings in it count, in order, one per line, except for members the agent does not see.

use serde_json::Value;

use refdesk_text::words::is_listed;

/// Members the agent does not read as text: types, encoded bytes, the file before and after an edit (it has read the
/// former and written the latter), and file names (it asked for the file, and a document starts with its own first
/// line).
const SKIPPED: &str = "type mode status codeText mimeType mediaType media_type filePath file_path notebook_path data \
                       blob base64 originalFile oldString newString structuredPatch";

/// The strings in a result, one per line.
pub(crate) fn text(answer: &Value) -> String {
    let mut found = Vec::new();
    gather(answer, &mut found);
    found.join("\n")
}

/// The same for a result that is JSON in a string.
pub(super) fn text_of_json(answer: &Value) -> String {
    let inner = answer.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    text(inner.as_ref().filter(|inner| inner.is_object() || inner.is_array()).unwrap_or(answer))
}

fn gather<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if !text.is_empty() => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| gather(value, found)),
        Value::Object(members) => {
            // Encoded bytes are a string; other data is read.
            let is_skipped = |name: &str, value: &Value| {
                is_listed(SKIPPED, name) && (name != "data" || !(value.is_object() || value.is_array()))
            };
            let read = members.iter().filter(|(name, value)| !is_skipped(name, value));
            read.for_each(|(_, value)| gather(value, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_texts_that_an_agent_reads_are_found() {
        for (answer, expected) in [
            (json!("plain"), "plain"),
            (json!(null), ""),
            (json!(7), ""),
            (json!({"stdout": "out", "stderr": "", "interrupted": false, "isImage": false}), "out"),
            (json!({"type": "text", "file": {"filePath": "/w/a.md", "content": "# A", "numLines": 1}}), "# A"),
            (json!([{"type": "text", "text": "one"}, {"type": "image", "data": "aGk="}, "two"]), "one\ntwo"),
            (json!({"content": [{"type": "text", "text": "mcp"}], "isError": false}), "mcp"),
            (json!({"data": [{"title": "one", "data": "aGk="}]}), "one"),
            (json!({"filePath": "a", "oldString": "x", "newString": "y", "originalFile": "z"}), ""),
        ] {
            assert_eq!(text(&answer), expected, "{answer}");
        }
        for (answer, expected) in [
            (json!("{\"exitCode\": 0, \"stdout\": \"out\"}"), "out"),
            (json!("7"), "7"),
            (json!("{ broken"), "{ broken"),
            (json!({"text": "not packed"}), "not packed"),
        ] {
            assert_eq!(text_of_json(&answer), expected, "{answer}");
        }
    }
}
