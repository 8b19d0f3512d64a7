//! Validates lines before they are handled. An invalid line is answered with an error that helps to fix it;
//! `tests/mcp/hostile.rs` has a table of them.

use std::borrow::Cow;
use std::fmt;

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, CompleteRequestParams, CustomRequest, ErrorCode,
    ErrorData, GetMeta, GetPromptRequestParams, InitializeRequestParams, JsonRpcMessage, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, RequestId, SubscribeRequestParams,
};
use serde::Deserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use refdesk_text::escape::one_line;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::shorten::shortened;
use refdesk_text::surrogates::replace_unpaired_surrogates;
use refdesk_tools::json_type;

/// The result of validating a line.
#[derive(Debug)]
pub(crate) enum Validated {
    /// A valid message.
    Message(Box<ClientJsonRpcMessage>),
    /// The error with which to answer an invalid message, and its id.
    Error(Option<RequestId>, ErrorData),
    /// A line that needs no answer.
    Ignored,
}

/// Validates a line. Until a session has started, notifications and responses are ignored; sets `has_begun` once it
/// has.
pub(crate) fn validate(line: &[u8], has_begun: &mut bool) -> Validated {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Validated::Ignored;
    }
    let (value, is_repaired) = match parse(line) {
        Ok(parsed) => parsed,
        Err(error) => {
            let message = match is_too_deep(&error) {
                true => "this line is nested deeper than 127 levels".to_owned(),
                false => format!("this line is not JSON: {error}; send one JSON-RPC message per line"),
            };
            return Validated::Error(id_within(line), ErrorData::parse_error(message, None));
        }
    };
    let members = match value {
        Value::Object(members) => members,
        Value::Array(_) => return invalid(None, "batches are not supported; send each message on its own line"),
        other => return invalid(None, &format!("a message must be an object, not {}", json_type(&other))),
    };
    let id = match envelope(&members, is_repaired) {
        Ok(id) => id,
        Err(refused) => return *refused,
    };
    if let (Some(_), Some(Value::String(method))) = (&id, members.get("method")) {
        // The library supports more methods than this server, and its error for these would be only their name.
        let Some((name, misfit)) = METHODS.iter().find(|(name, _)| name == method) else {
            return Validated::Error(id, no_method(method));
        };
        // The library ignores invalid parameters where they are optional.
        if name.ends_with("/list")
            && let Some(why) = members.get("params").and_then(misfit)
        {
            return Validated::Error(id, unfit(name, &why));
        }
    }
    let message: ClientJsonRpcMessage = match serde_json::from_value(Value::Object(members)) {
        Ok(message) => message,
        Err(error) => return invalid(id, &format!("this is not a message of the protocol: {error}")),
    };
    if !*has_begun {
        match &message {
            JsonRpcMessage::Request(request) if begins(&request.request) => *has_begun = true,
            // The library's error would only name members of `_meta`, which older revisions do not have.
            JsonRpcMessage::Request(request) if needs_session(&request.request) => {
                let message = "this session has not begun: send `initialize` first; since revision 2026-07-28, \
                               describe the client in '_meta' of each request instead";
                return Validated::Error(id, ErrorData::invalid_params(message, None));
            }
            JsonRpcMessage::Request(_) => {}
            _ => return Validated::Ignored,
        }
    }
    match message {
        JsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::CustomRequest(custom) => Validated::Error(Some(request.id), unknown(custom)),
            _ => Validated::Message(Box::new(JsonRpcMessage::Request(request))),
        },
        other => Validated::Message(Box::new(other)),
    }
}

/// Validates the members that every message has; `is_repaired` says that a character of the message was replaced. Returns
/// the id.
fn envelope(members: &Map<String, Value>, is_repaired: bool) -> Result<Option<RequestId>, Box<Validated>> {
    let refused = |id, message: &str| Err(Box::new(invalid(id, message)));
    let id = match id_of(members) {
        // Its sender would not recognize it in the answer.
        Ok(Some(RequestId::String(id))) if is_repaired && id.contains('\u{fffd}') => {
            return refused(None, "'id' contains half a character, an unpaired surrogate; send a valid text");
        }
        Ok(id) => id,
        Err(message) => return refused(None, &message),
    };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(id, "the member 'jsonrpc' must be \"2.0\"");
    }
    match members.get("method") {
        Some(Value::String(_)) => {}
        Some(other) => return refused(id, &format!("'method' must be a string, not {}", json_type(other))),
        None if members.contains_key("result") || members.contains_key("error") => {}
        None => return refused(id, "the member 'method' is missing, for example \"method\": \"tools/list\""),
    }
    match (members.get("params"), &id) {
        (None | Some(Value::Object(_)), _) => Ok(id),
        (Some(other), Some(_)) => {
            let message = format!("'params' must be an object, not {}", json_type(other));
            Err(Box::new(Validated::Error(id, ErrorData::invalid_params(message, None))))
        }
        (Some(_), None) => Err(Box::new(Validated::Ignored)),
    }
}

/// Validates a message of another transport, whose library accepts some invalid ones and rejects the others without
/// saying why. `None` if its envelope is valid, if it is not an object, or if no answer is expected.
pub(crate) fn invalid_envelope(body: &[u8], is_repaired: bool) -> Option<(Option<RequestId>, ErrorData)> {
    let members: Map<String, Value> = serde_json::from_slice(body).ok()?;
    match *envelope(&members, is_repaired).err()? {
        Validated::Error(id, error) => Some((id, error)),
        Validated::Message(_) | Validated::Ignored => None,
    }
}

/// Parses JSON, treating unpaired surrogate escapes as replacement characters; also returns whether there were any.
fn parse(json: &[u8]) -> Result<(Value, bool), serde_json::Error> {
    serde_json::from_slice(json).map(|value| (value, false)).or_else(|error| match repaired(json) {
        Some(repaired) => Ok((serde_json::from_str(&repaired)?, true)),
        None => Err(error),
    })
}

/// Whether JSON could not be parsed because of its depth. The parser tells this only in words; its limit is 127 levels.
pub(crate) fn is_too_deep(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("recursion limit exceeded")
}

/// The same JSON without unpaired surrogate escapes; `None` if it has none.
pub(crate) fn repaired(json: &[u8]) -> Option<String> {
    match replace_unpaired_surrogates(std::str::from_utf8(json).ok()?) {
        Cow::Owned(repaired) => Some(repaired),
        Cow::Borrowed(_) => None,
    }
}

/// The id of a request in a line that cannot be parsed, if it is readable: without an answer to its id, the client
/// would wait forever. `None` if the line may be a response to one of our own requests.
pub(crate) fn id_within(line: &[u8]) -> Option<RequestId> {
    struct Members(Map<String, Value>);

    impl<'de> Visitor<'de> for &mut Members {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(name) = map.next_key::<String>()? {
                let value = match name.as_str() {
                    "id" => map.next_value()?,
                    // Skip any value, even one that does not fit our types, such as a number out of range.
                    _ => map.next_value::<IgnoredAny>().map(|_| Value::Null)?,
                };
                if matches!(name.as_str(), "id" | "result" | "error") {
                    self.0.insert(name, value);
                }
            }
            Ok(())
        }
    }

    let mut members = Members(Map::new());
    let mut json = serde_json::Deserializer::from_slice(line);
    // What was read before the error counts.
    let _ = json.deserialize_map(&mut members);
    let is_answer = ["result", "error"].iter().any(|name| members.0.contains_key(*name));
    if is_answer { None } else { id_of(&members.0).ok().flatten() }
}

/// Whether this request needs a session and does not say that it is of a revision without any.
fn needs_session(request: &ClientRequest) -> bool {
    let is_free = matches!(
        request,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) | ClientRequest::CustomRequest(_)
    );
    !is_free && request.get_meta().protocol_version().is_none()
}

/// Whether a session starts with this request.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) | ClientRequest::CustomRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.protocol_version().is_some() && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

fn invalid(id: Option<RequestId>, message: &str) -> Validated {
    Validated::Error(id, ErrorData::invalid_request(one_line(message).into_owned(), None))
}

fn id_of(members: &Map<String, Value>) -> Result<Option<RequestId>, String> {
    match members.get("id") {
        None => Ok(None),
        Some(Value::String(id)) => Ok(Some(RequestId::String(id.as_str().into()))),
        Some(Value::Number(id)) if id.is_i64() => Ok(id.as_i64().map(RequestId::Number)),
        // An error about an unreadable message has no id.
        Some(Value::Null) if members.contains_key("error") => Ok(None),
        Some(Value::Number(id)) if id.is_u64() => Err(format!("'id' is too large: the largest is {}", i64::MAX)),
        Some(other) => Err(format!(
            "'id' must be a string or a whole number, not {}; leave it out of a notification",
            json_type(other)
        )),
    }
}

/// Why parameters do not fit a method; `None` if they do.
type ParameterCheck = fn(&Value) -> Option<String>;

/// The methods of this server, each with a check of its parameters.
const METHODS: &[(&str, ParameterCheck)] = &[
    ("initialize", misfit::<InitializeRequestParams>),
    ("ping", nothing),
    ("server/discover", lacks_meta),
    ("tools/list", misfit::<PaginatedRequestParams>),
    ("tools/call", misfit::<CallToolRequestParams>),
    ("resources/list", misfit::<PaginatedRequestParams>),
    ("resources/templates/list", misfit::<PaginatedRequestParams>),
    ("resources/read", misfit::<ReadResourceRequestParams>),
    ("resources/subscribe", misfit::<SubscribeRequestParams>),
    ("resources/unsubscribe", misfit::<SubscribeRequestParams>),
    ("prompts/list", misfit::<PaginatedRequestParams>),
    ("prompts/get", misfit::<GetPromptRequestParams>),
    ("completion/complete", misfit::<CompleteRequestParams>),
    ("subscriptions/listen", lacks_meta),
];

/// The error for a request that the library could not parse: an unknown method or invalid parameters.
pub(crate) fn unknown(request: &CustomRequest) -> ErrorData {
    let params = request.params.clone().unwrap_or_else(|| Value::Object(Map::new()));
    match METHODS.iter().find(|(name, _)| *name == request.method) {
        Some((_, misfit)) => {
            let why = misfit(&params).unwrap_or_else(|| "they do not match this method".to_owned());
            unfit(&request.method, &why)
        }
        None => no_method(&request.method),
    }
}

/// The most characters of a name repeated in an error.
const NAME: usize = 200;

fn no_method(method: &str) -> ErrorData {
    let near = did_you_mean(method, METHODS.iter().map(|(name, _)| *name));
    let near = near.map(|near| format!("; {near}")).unwrap_or_default();
    let message = format!("there is no method '{}'{near}", one_line(&shortened(method.to_owned(), NAME)));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn unfit(method: &str, why: &str) -> ErrorData {
    ErrorData::invalid_params(format!("the params of {method} cannot be read: {}", one_line(why)), None)
}

fn misfit<T: DeserializeOwned>(params: &Value) -> Option<String> {
    T::deserialize(params).err().map(|error| error.to_string())
}

/// Since 2026-07-28, every request describes its client.
fn lacks_meta(params: &Value) -> Option<String> {
    let wanted = ["protocolVersion", "clientCapabilities"].map(|name| format!("io.modelcontextprotocol/{name}"));
    let lacks = |name: &&String| params.pointer("/_meta").is_none_or(|meta| meta.get(name.as_str()).is_none());
    let missing: Vec<&str> = wanted.iter().filter(lacks).map(String::as_str).collect();
    (!missing.is_empty()).then(|| format!("'_meta' lacks {}", missing.join(" and ")))
}

fn nothing(_: &Value) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_json_is_answered_if_its_id_can_be_read() {
        let number = |id| Some(RequestId::Number(id));
        for (line, expected) in [
            (r#"{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": 1e999}}"#, number(7)),
            (r#"{"params": {"a": [1e999, -1e999]}, "method": "ping", "id": 7}"#, number(7)),
            (r#"{"id": "a\u00e9", "params": {"a": 1e999}}"#, Some(RequestId::String("aé".into()))),
            (r#"{"id": 7, "method": "ping", "params": {"a": tru}}"#, number(7)),
            (r#"{"id": 7, "method": "ping""#, number(7)),
            (r#"{"method": "ping", "params": {"id": 8, "a": }"#, None),
            (r#"{"id": 1e999, "method": "ping"}"#, None),
            (r#"{"id": 7, "result": {"a": 1e999}}"#, None),
            (r#"{"error": {"a": 1e999}, "id": 7}"#, None),
            ("garbage", None),
            ("", None),
        ] {
            assert_eq!(id_within(line.as_bytes()), expected, "{line}");
        }
        let deep = format!(r#"{{"id": 7, "method": "ping", "params": {}"#, "[".repeat(100_000));
        assert_eq!(id_within(deep.as_bytes()), number(7));
    }

    #[test]
    fn half_a_character_is_replaced() {
        let call = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "cut \ud83d"}}"#;
        let Validated::Message(message) = validate(call.as_bytes(), &mut true) else { panic!("it is a message") };
        assert!(serde_json::to_string(&message).unwrap().contains("cut \u{fffd}"));
    }
}
