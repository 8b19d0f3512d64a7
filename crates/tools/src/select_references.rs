//! `selectReferences`: picks sources by id and tag, as `refdesk select` does; with neither a person is asked.

use rmcp::model::{CallToolResponse, ErrorData};
use serde_json::{Value, json};

use super::read_reference::NOTICE;
use super::{About, Call, Effect, answer, closed};
use crate::asking::{self, Answer, Chosen};
use refdesk_desk::engine::{Outcome, Selected, Task};
use refdesk_desk::reading::GIVEN;

/// What is told of it.
pub const ABOUT: About = About {
    name: "selectReferences",
    older: &[],
    title: "Select references",
    description: "Select reference sources by id or tag; what they mention comes with them. With neither, the user is \
                  asked to choose. Then read them with readReference.",
    input: r#"{"type":"object","properties":{
        "ids":{"type":"array","items":{"type":"string"}},
        "filter_tags":{"type":"array","items":{"type":"string"},"description":"Selects every source with any of these tags"}}}"#,
    output: r#"{"type":"object","properties":{"status":{"type":"string"},"selected_count":{"type":"integer"},
        "transitive_count":{"type":"integer"},"sources":{"type":"array","items":{"type":"object"}},
        "unknown":{"type":"array"},"missing":{"type":"array"},"message":{"type":"string"}},
        "required":["status","selected_count","message"]}"#,
    example: r#"{"ids": ["api-spec"]}"#,
    effect: Effect::Adds,
};

/// Picks them.
pub async fn call(mut call: Call) -> Result<CallToolResponse, ErrorData> {
    let ids = call.arguments.texts("ids")?;
    let tags = call.arguments.texts("filter_tags")?;
    if !ids.is_empty() || !tags.is_empty() {
        return pick(&call, ids, tags, None).await;
    }
    match asking::ask(&mut call).await? {
        Answer::Chosen(chosen) if chosen.ids.is_empty() => {
            let mut json = nothing("success", &chosen.note);
            if let Some(members) = json.as_object_mut() {
                members.insert("unknown".to_owned(), json!(chosen.unknown));
            }
            Ok(answer::done(json))
        }
        Answer::Chosen(chosen) => pick(&call, chosen.ids.clone(), Vec::new(), Some(chosen)).await,
        Answer::Nothing(message) => Ok(answer::failed(nothing("no_sources", &message))),
        Answer::Refused(refusal) => {
            let words = if refusal.hint.is_empty() { "" } else { "; " };
            Ok(answer::failed(nothing("error", &format!("{}{words}{}", refusal.message, refusal.hint))))
        }
        Answer::Required(required) => Ok((*required).into()),
    }
}

/// Picks them; `chosen` where a person has chosen them.
async fn pick(
    call: &Call,
    ids: Vec<String>,
    tags: Vec<String>,
    chosen: Option<Chosen>,
) -> Result<CallToolResponse, ErrorData> {
    let task = Task::Select { ids, tags };
    let selected = match call.front.ask(&call.agent, task).await {
        Some(Outcome::Selected(Ok(selected))) => *selected,
        Some(Outcome::Selected(Err(refusal))) => return Ok(answer::failed(nothing("error", &refusal.to_string()))),
        _ => return Err(closed()),
    };
    let Selected { is_met, answer: mut json } = selected;
    if let Some(Chosen { note, unknown, .. }) = chosen {
        if let Some(Value::String(message)) = json.get_mut("message") {
            message.push_str(&format!("; {note}"));
        }
        if let Some(Value::Array(all)) = json.get_mut("unknown") {
            all.extend(unknown.into_iter().map(Value::String));
        }
    }
    mark(&mut json);
    Ok(if is_met { answer::done(json) } else { answer::failed(json) })
}

/// Says of texts in it whose they are; one that is longer than a reading is had by `readReference`, in parts.
fn mark(json: &mut Value) {
    let sources = json.get_mut("sources").and_then(Value::as_array_mut);
    for source in sources.into_iter().flatten().filter_map(Value::as_object_mut) {
        match source.get("content").and_then(Value::as_str).map(str::len) {
            Some(length) if length > GIVEN => {
                source.remove("content");
                source.insert("has_content".to_owned(), json!(true));
            }
            Some(_) => drop(source.insert("notice".to_owned(), json!(NOTICE))),
            None => {}
        }
    }
}

/// An answer where nothing was picked.
fn nothing(status: &str, message: &str) -> Value {
    json!({"status": status, "selected_count": 0, "transitive_count": 0, "sources": [], "unknown": [],
                       "missing": [], "message": message})
}
