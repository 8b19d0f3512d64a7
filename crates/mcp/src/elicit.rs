//! Asks the client's user for a choice of sources (elicitation), with a list of checkboxes if the client supports that,
//! otherwise with a line of text. Up to 2025-11-25 the server asks; since 2026-07-28 the client asks and repeats the
//! call with the reply.

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ErrorData,
    InputRequest, InputRequiredResult, InputResponses, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, ServiceError};
use serde_json::{Value, json};

use refdesk_desk::channel::{ChannelAnswer, NoAnswer, Request, Wait};
use refdesk_text::escape::one_line;
use refdesk_text::{Code, Error};
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::{Elicit, Elicitation, UserReply};

/// The key of the question in the client's reply.
const NAME: &str = "references";

/// The form's field.
const FIELD: &str = "ids";

/// With more sources than this, ids are typed instead of ticked.
const TICKED: usize = 100;

/// The most characters of a source's name in the form.
const TITLE: usize = 80;

/// A client whose user can be asked.
#[derive(Debug)]
pub(crate) struct ElicitingClient {
    handle: DeskHandle,
    context: RequestContext<RoleServer>,
    revision: ProtocolVersion,
    /// The reply, if this is a repeated call.
    reply: Option<Value>,
}

impl ElicitingClient {
    /// The client that sent this request; `None` if it cannot ask its user.
    pub(crate) fn new(
        handle: &DeskHandle,
        context: RequestContext<RoleServer>,
        replies: Option<InputResponses>,
    ) -> Option<Self> {
        let elicitation = context.client_capabilities()?.elicitation?;
        // A client that names neither form nor URL supports forms.
        if elicitation.form.is_none() && elicitation.url.is_some() {
            return None;
        }
        let revision = context.protocol_version()?;
        let reply = replies.and_then(|mut replies| replies.remove(NAME));
        Some(Self { handle: handle.clone(), context, revision, reply })
    }

    /// Asks, and withdraws the question if the reply is not needed any more.
    async fn ask(self, request: Request, wait: Wait) -> UserReply {
        let ticks = self.revision.as_str() >= ProtocolVersion::V_2025_11_25.as_str();
        let question = ServerRequest::ElicitRequest(ElicitRequest::new(form(&request, ticks).map_err(unreadable)?));
        let asked = self.context.peer.send_cancellable_request(question, PeerRequestOptions::no_options()).await;
        let mut asked = asked.map_err(unreadable)?;
        // In a separate task, so that the question is withdrawn even if the call is dropped.
        let asked = tokio::spawn(async move {
            let (why, reason) = tokio::select! {
                reply = &mut asked.rx => return match reply {
                    Ok(Ok(ClientResult::ElicitResult(result))) => parse_reply(&request, &result),
                    Ok(Ok(_)) => Err(unreadable("it answers another request")),
                    Ok(Err(ServiceError::McpError(error))) => {
                        Err(no_answer(format!("the client refused to ask its user: {}", one_line(&error.message))))
                    }
                    Ok(Err(error)) => Err(unreadable(error)),
                    Err(_) => Err(unreadable("the connection ended")),
                },
                () = tokio::time::sleep(wait.left()) => (NoAnswer::TimedOut, "no answer in time"),
                () = self.context.ct.cancelled() => (NoAnswer::Cancelled, "the call was cancelled"),
                () = self.handle.shutdown_begun() => (NoAnswer::Cancelled, "the server is shutting down"),
            };
            // Fails if the client has disconnected.
            let _ = asked.cancel(Some(reason.to_owned())).await;
            Err(why)
        });
        asked.await.unwrap_or_else(|error| Err(unreadable(error)))
    }
}

impl Elicit for ElicitingClient {
    fn elicit(self: Box<Self>, request: &Request, wait: &Wait) -> Elicitation {
        if self.revision.as_str() < ProtocolVersion::V_2026_07_28.as_str() {
            return Elicitation::Asking(Box::pin(self.ask(request.clone(), wait.clone())));
        }
        match self.reply {
            None => Elicitation::RepeatCall,
            Some(reply) => Elicitation::Replied(
                serde_json::from_value(reply)
                    .map_err(|_| unreadable("it is not an object with 'action' and 'content'"))
                    .and_then(|reply| parse_reply(request, &reply)),
            ),
        }
    }
}

/// Makes the client ask its user and repeat the call.
pub(crate) fn input_required(request: &Request) -> Result<InputRequiredResult, ErrorData> {
    let form = form(request, true).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let question = InputRequest::Elicitation(ElicitRequest::new(form));
    Ok(InputRequiredResult::from_input_requests(BTreeMap::from([(NAME.to_owned(), question)])))
}

fn unreadable(why: impl std::fmt::Display) -> NoAnswer {
    no_answer(format!("the client's answer cannot be read: {why}"))
}

fn no_answer(message: String) -> NoAnswer {
    NoAnswer::Failed(Error::new(Code::NoAnswer, message, ""))
}

/// The form: a list of checkboxes if `ticks` and the list is not too long.
fn form(request: &Request, ticks: bool) -> serde_json::Result<ElicitRequestParams> {
    let mut message = one_line(&request.context).into_owned();
    let title = |name: &str| one_line(name).chars().take(TITLE).collect::<String>();
    let field = if ticks && request.sources.len() <= TICKED {
        let options: Vec<Value> =
            request.sources.iter().map(|it| json!({"const": it.id, "title": title(&it.name)})).collect();
        json!({"type": "array", "title": "References", "items": {"anyOf": options}})
    } else {
        message.push_str(":\n");
        for source in request.sources.iter().take(TICKED) {
            message.push_str(&format!("- {}: {}\n", one_line(&source.id), title(&source.name)));
        }
        if let Some(more) = request.sources.len().checked_sub(TICKED).filter(|more| *more > 0) {
            message.push_str(&format!("… and {more} more\n"));
        }
        json!({"type": "string", "title": "References", "description": "Ids, separated by commas; empty for none"})
    };
    let requested_schema: ElicitationSchema =
        serde_json::from_value(json!({"type": "object", "properties": {FIELD: field}}))?;
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// Parses the reply. Declining chooses nothing; dismissing the form is no answer.
fn parse_reply(request: &Request, result: &ElicitResult) -> UserReply {
    let by = Some("the user of the client".to_owned());
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return Ok(ChannelAnswer { by, ..ChannelAnswer::default() }),
        _ => return Err(no_answer("the user of the client closed the question without an answer".to_owned())),
    }
    let chosen = result.content.as_ref().and_then(|content| content.get(FIELD));
    // An empty choice has no field or an empty one; other fields do not belong to this form.
    let is_empty = |content: &Value| content.as_object().is_some_and(serde_json::Map::is_empty);
    if chosen.is_none() && result.content.as_ref().is_some_and(|content| !content.is_null() && !is_empty(content)) {
        return Err(unreadable(format!("it has no '{FIELD}'")));
    }
    let is_offered = |id: &str| request.sources.iter().any(|source| source.id == id);
    let chosen: Vec<String> = match chosen {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => {
            ids.iter().filter_map(Value::as_str).map(|id| without_mark(id, is_offered).to_owned()).collect()
        }
        Some(Value::String(text)) => typed_ids(text, is_offered).into_iter().map(str::to_owned).collect(),
        Some(_) => return Err(unreadable(format!("'{FIELD}' is not a list of ids"))),
    };
    let (selected, unknown) = chosen.into_iter().partition(|id| is_offered(id));
    Ok(ChannelAnswer { selected, unknown, by, ..ChannelAnswer::default() })
}

/// The ids in a line that a person typed, separated by commas, semicolons or line breaks, or by blanks if each word is an
/// id that was offered; an id may contain any of these. The word `none` chooses nothing.
fn typed_ids(text: &str, is_offered: impl Fn(&str) -> bool + Copy) -> Vec<&str> {
    let id = |text| without_mark(text, is_offered);
    let text = text.trim();
    if is_offered(id(text)) {
        return vec![id(text)];
    }
    if text.eq_ignore_ascii_case("none") {
        return Vec::new();
    }
    let parts = text.split([',', ';', '\n', '\r']).map(str::trim).filter(|part| !part.is_empty());
    let ids = parts.flat_map(|part| {
        let words: Vec<&str> = part.split_whitespace().map(id).collect();
        if !is_offered(id(part)) && words.iter().all(|word| is_offered(word)) { words } else { vec![id(part)] }
    });
    ids.collect()
}

/// The id without the `@` with which texts name it.
fn without_mark(id: &str, is_offered: impl Fn(&str) -> bool) -> &str {
    let id = id.trim();
    if is_offered(id) { id } else { id.strip_prefix('@').unwrap_or(id) }
}

#[cfg(test)]
mod tests {
    use super::typed_ids;

    #[test]
    fn ids_are_typed_in_several_ways() {
        let is_offered = |id: &str| ["a", "b-c", "with blank", "x,y", "@at"].contains(&id);
        for (text, expected) in [
            ("", &[][..]),
            (" none ", &[]),
            ("a", &["a"]),
            ("@a, b-c", &["a", "b-c"]),
            ("a b-c", &["a", "b-c"]),
            ("a\nb-c;with blank", &["a", "b-c", "with blank"]),
            ("x,y", &["x,y"]),
            ("@at @a", &["@at", "a"]),
            ("a nobody", &["a nobody"]),
            ("a,, nobody", &["a", "nobody"]),
        ] {
            assert_eq!(typed_ids(text, is_offered), expected, "{text:?}");
        }
    }
}
