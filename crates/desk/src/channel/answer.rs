//! Parses the answer to a request, from any channel. It is untrusted: an incomplete document, a malformed answer or an
//! answer to another request is rejected, and never counts as "none".

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{ChannelAnswer, NoAnswer, Request};
use refdesk_text::Code;
use refdesk_text::escape::one_line;
use refdesk_text::shorten::shortened;

/// The maximum size of an answer in bytes (BEHAVIOUR §8).
pub const MAX: u64 = 1024 * 1024;

/// The most characters of untrusted text repeated in a message.
const SHOWN: usize = 80;

/// Why bytes are not a valid answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnswerError {
    /// Not a JSON document, perhaps because it is incomplete; the parser's reason.
    Incomplete(String),
    /// JSON, but not an answer to this request; the reason.
    Wrong(String),
}

impl AnswerError {
    /// Converts to the caller's error; `from` names the origin of the answer, such as `the webhook` or a file's path.
    pub(super) fn into_no_answer(self, from: &str) -> NoAnswer {
        let (Self::Incomplete(why) | Self::Wrong(why)) = self;
        let hint = "an answer is {\"request_id\": …, \"selected_ids\": […]}";
        NoAnswer::failed(Code::WrongAnswer, format!("{from} is not an answer: {why}"), hint)
    }
}

pub(super) fn read(request: &Request, bytes: &[u8]) -> Result<ChannelAnswer, AnswerError> {
    // Editors on some systems start a file with a byte order mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| AnswerError::Incomplete(format!("not JSON ({error})")))?;
    let Value::Object(members) = value else {
        return Err(AnswerError::Wrong("it is JSON, but not an object".to_owned()));
    };
    parse_members(request, &members).map_err(AnswerError::Wrong)
}

fn parse_members(request: &Request, members: &Map<String, Value>) -> Result<ChannelAnswer, String> {
    match members.get("request_id") {
        Some(Value::String(id)) if *id == request.request_id => {}
        Some(Value::String(id)) => return Err(format!("it answers the request '{}'", shown(id))),
        Some(_) => return Err("its 'request_id' is not a string".to_owned()),
        None => return Err("it has no 'request_id'".to_owned()),
    }
    let by = members.get("by").and_then(Value::as_str).map(shown);
    if request.approval.is_some() {
        return match members.get("approved") {
            Some(Value::Bool(approved)) => Ok(ChannelAnswer { approved: *approved, by, ..ChannelAnswer::default() }),
            _ => Err("it has no 'approved' with true or false".to_owned()),
        };
    }
    let ids = members.get("selected_ids").and_then(Value::as_array).ok_or("it has no list 'selected_ids'")?;
    let offered: HashSet<&str> = request.sources.iter().map(|source| source.id.as_str()).collect();
    let (mut answered, mut seen) = (ChannelAnswer { by, ..ChannelAnswer::default() }, HashSet::new());
    for id in ids {
        let id = id.as_str().ok_or("its 'selected_ids' may hold only strings")?;
        // As texts name it.
        let id = id.strip_prefix('@').filter(|plain| !offered.contains(id) && offered.contains(plain)).unwrap_or(id);
        if seen.insert(id) {
            let list = if offered.contains(id) { &mut answered.selected } else { &mut answered.unknown };
            list.push(id.to_owned());
        }
    }
    Ok(answered)
}

/// The beginning of untrusted text, on one line.
pub(super) fn shown(text: &str) -> String {
    one_line(&shortened(text.to_owned(), SHOWN)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::raise::tests::{asking, asking_for_approval};
    use super::*;

    #[test]
    fn only_a_complete_answer_to_this_request_is_accepted() {
        let request = asking("r1", &["a", "b"]);
        for (text, expected) in [
            (r#"{"request_id": "r1", "selected_ids": ["b", "x", "a", "b", "x"]}"#, Ok((vec!["b", "a"], vec!["x"]))),
            (r#"{"request_id": "r1", "selected_ids": [], "more": 1}"#, Ok((vec![], vec![]))),
            (r#"{"request_id": "r1", "selected_ids": ["@a", "a", "@x"]}"#, Ok((vec!["a"], vec!["@x"]))),
            ("\u{feff}{\"request_id\": \"r1\", \"selected_ids\": [\"a\"]}", Ok((vec!["a"], vec![]))),
            (r#"{"request_id": "r2", "selected_ids": ["a"]}"#, Err("answers the request 'r2'")),
            (r#"{"request_id": "r1"}"#, Err("no list 'selected_ids'")),
            (r#"{"request_id": "r1", "approved": true}"#, Err("no list 'selected_ids'")),
            (r#"{"request_id": "r1", "selected_ids": null}"#, Err("no list 'selected_ids'")),
            (r#"{"request_id": "r1", "selected_ids": "a"}"#, Err("no list 'selected_ids'")),
            (r#"{"request_id": "r1", "selected_ids": ["a", 1]}"#, Err("only strings")),
            (r#"{"request_id": 1, "selected_ids": []}"#, Err("not a string")),
            (r#"{"selected_ids": []}"#, Err("no 'request_id'")),
            ("[]", Err("not an object")),
            ("null", Err("not an object")),
        ] {
            match (read(&request, text.as_bytes()), expected) {
                (Ok(answered), Ok((selected, unknown))) => {
                    assert_eq!(
                        (answered.selected, answered.unknown),
                        (strings(&selected), strings(&unknown)),
                        "{text}"
                    );
                }
                (Err(AnswerError::Wrong(why)), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
                (got, expected) => panic!("{text}: {got:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn a_truncated_answer_is_incomplete_at_any_length() {
        let request = asking("r1", &["a"]);
        let whole = r#"{"request_id": "r1", "selected_ids": ["a"]}"#;
        for end in 0..whole.len() {
            let read = read(&request, &whole.as_bytes()[..end]);
            assert!(matches!(read, Err(AnswerError::Incomplete(_))), "{end}: {read:?}");
        }
        assert!(matches!(read(&request, b"\xff"), Err(AnswerError::Incomplete(_))));
    }

    #[test]
    fn approval_must_be_explicit() {
        let request = asking_for_approval("r1");
        for (text, expected) in [
            (r#"{"request_id": "r1", "approved": true}"#, Some(true)),
            (r#"{"request_id": "r1", "approved": false}"#, Some(false)),
            (r#"{"request_id": "r1", "approved": "yes"}"#, None),
            (r#"{"request_id": "r1", "selected_ids": []}"#, None),
        ] {
            assert_eq!(read(&request, text.as_bytes()).ok().map(|answered| answered.approved), expected, "{text}");
        }
    }

    #[test]
    fn quoted_text_is_short_and_escaped() {
        let id = format!("\x1b[2J{}", "x".repeat(500));
        let text = serde_json::json!({"request_id": id, "selected_ids": []}).to_string();
        let Err(AnswerError::Wrong(why)) = read(&asking("r1", &[]), text.as_bytes()) else { panic!() };
        assert!(why.contains("\\x1b[2J") && why.len() < 150, "{why}");
    }

    fn strings(ids: &[&str]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }
}
