//! A choice asked for through the agent's own client (elicitation): as a list to tick where the client knows such, else as a line
//! of text. Until 2025-11-25 the server asks, from 2026-07-28 on the client does and calls again with the answer.

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Value, json};

use super::{crowded, patience};
use crate::Call;
use refdesk_desk::channel::{self, Answered, Request, Unanswered, Way};
use refdesk_desk::engine::Task;
use refdesk_text::escape::one_line;

/// What the question is called in the client's answer.
const NAME: &str = "references";

/// The field of the form.
const FIELD: &str = "ids";

/// More sources than this are not ticked off but typed.
const TICKED: usize = 100;

/// Characters of a source's name in the form.
const TITLE: usize = 80;

/// How a client can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// It knows lists to tick.
    Ticks,
    /// It knows lines of text.
    Types,
    /// It asks by itself and calls again.
    Returns,
}

/// What came of asking.
#[derive(Debug)]
pub enum Came {
    /// An answer, or why there is none.
    Back(Result<Answered, Unanswered>),
    /// The client is to ask.
    Required(Box<InputRequiredResult>),
}

/// How this client can be asked, if it can.
pub fn ability(context: &RequestContext<RoleServer>) -> Option<Ability> {
    let able = context.client_capabilities()?.elicitation?;
    // One that says nothing of forms knows nothing but forms.
    let knows_forms = able.form.is_some() || able.url.is_none();
    if !knows_forms {
        return None;
    }
    let version = context.protocol_version()?;
    Some(match version.as_str() {
        version if version >= ProtocolVersion::V_2026_07_28.as_str() => Ability::Returns,
        version if version >= ProtocolVersion::V_2025_11_25.as_str() => Ability::Ticks,
        _ => Ability::Types,
    })
}

/// Asks.
pub async fn ask(call: &mut Call, ability: Ability, request: &Request, way: &Way) -> Came {
    let ticks = ability != Ability::Types && request.sources.len() <= TICKED;
    let Some(params) = form(request, ticks) else { return Came::Back(Err(Unanswered::TimedOut)) };
    let asked = channel::asked(request);
    let came = if ability == Ability::Returns {
        let Some(response) = call.responses.take().and_then(|mut responses| responses.remove(NAME)) else {
            let question = InputRequest::Elicitation(ElicitRequest::new(params));
            let required = InputRequiredResult::from_input_requests(BTreeMap::from([(NAME.to_owned(), question)]));
            return Came::Required(Box::new(required));
        };
        match serde_json::from_value(response) {
            Ok(result) => understood(request, &result),
            Err(error) => Err(unreadable(&error.to_string())),
        }
    } else {
        let Some(_place) = call.front.place(&call.agent.session) else { return Came::Back(Err(crowded())) };
        put(call, params, request, way).await
    };
    let answered = channel::answered(request, &came);
    for receipt in [asked, answered] {
        // A journal that cannot be written is among the diagnostics.
        let _ = call.front.ask(&call.agent, Task::Note(Box::new(receipt))).await;
    }
    Came::Back(came)
}

/// Puts the question to a client that has it answered meanwhile, and takes it back where nobody waits for the answer any more.
async fn put(call: &Call, params: ElicitRequestParams, request: &Request, way: &Way) -> Result<Answered, Unanswered> {
    let question = ServerRequest::ElicitRequest(ElicitRequest::new(params));
    let asked = call.context.peer.send_cancellable_request(question, PeerRequestOptions::no_options()).await;
    let mut asked = asked.map_err(|error| unreadable(&error.to_string()))?;
    let (why, reason) = tokio::select! {
        came = &mut asked.rx => return match came {
            Ok(Ok(ClientResult::ElicitResult(result))) => understood(request, &result),
            Ok(Ok(_)) => Err(unreadable("it is the answer to something else")),
            Ok(Err(error)) => Err(unreadable(&error.to_string())),
            Err(_) => Err(unreadable("the connection ended")),
        },
        () = tokio::time::sleep(patience(request, way).left()) => (Unanswered::TimedOut, "nobody answered in time"),
        () = call.context.ct.cancelled() => (Unanswered::GivenUp, "the call was taken back"),
        () = call.front.left() => (Unanswered::GivenUp, "the server ends"),
    };
    // A client that is gone has nobody to take it back from.
    let _ = asked.cancel(Some(reason.to_owned())).await;
    Err(why)
}

fn unreadable(why: &str) -> Unanswered {
    let message = format!("the client gave no answer that can be read: {why}");
    let hint = "name ids yourself: listReferences has them";
    Unanswered::Failed { code: "no-answer", message, hint: hint.to_owned() }
}

/// The form.
fn form(request: &Request, ticks: bool) -> Option<ElicitRequestParams> {
    let mut message = one_line(&request.context).into_owned();
    let title = |name: &str| one_line(name).chars().take(TITLE).collect::<String>();
    let field = if ticks {
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
        json!({"type": "string", "title": "References", "description": "Ids, separated by commas; nothing for none"})
    };
    let requested_schema: ElicitationSchema =
        serde_json::from_value(json!({"type": "object", "properties": {FIELD: field}})).ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// What the person said. Whoever declines chose nothing; whoever dismisses the question did not answer it.
fn understood(request: &Request, result: &ElicitResult) -> Result<Answered, Unanswered> {
    let by = Some("the user of the client".to_owned());
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline => return Ok(Answered { by, ..Answered::default() }),
        _ => return Err(Unanswered::GivenUp),
    }
    let said = result.content.as_ref().and_then(|content| content.get(FIELD));
    // Nothing chosen is no field, or an empty one; another field is no answer to the form.
    let is_empty = |content: &Value| content.as_object().is_some_and(serde_json::Map::is_empty);
    if said.is_none() && result.content.as_ref().is_some_and(|content| !content.is_null() && !is_empty(content)) {
        return Err(unreadable(&format!("it has no '{FIELD}'")));
    }
    let is_offered = |id: &str| request.sources.iter().any(|source| source.id == id);
    let said: Vec<String> = match said {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(ids)) if ids.iter().all(Value::is_string) => {
            ids.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        // An id may hold a comma.
        Some(Value::String(id)) if is_offered(id.trim()) => vec![id.trim().to_owned()],
        Some(Value::String(ids)) => {
            ids.split(',').map(|id| id.trim().trim_start_matches('@').to_owned()).filter(|id| !id.is_empty()).collect()
        }
        Some(_) => return Err(unreadable(&format!("'{FIELD}' is no list of ids"))),
    };
    let (selected, unknown) = said.into_iter().partition(|id| is_offered(id));
    Ok(Answered { selected, unknown, approved: false, by })
}
