//! `selectReferences`: picks sources by id and tag, like `refdesk select`; without either, asks a person.

use serde_json::{Value, json};

use super::elicitation::{Chosen, choose};
use super::{FailedAnswer, ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::reading::MAX_TEXT_BYTES;
use refdesk_desk::{PickStatus, Picker};
use refdesk_enrich::QUOTE_NOTICE;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "selectReferences",
    older: &[],
    title: "Select references",
    description: "Select reference sources by id or tag; what they mention comes with them. With neither, the user is \
                  asked to choose. Then read them with readReference.",
    input: r#"{"type":"object","properties":{
        "ids":{"type":"array","items":{"type":"string"}},
        "filter_tags":{"type":"array","items":{"type":"string"},"description":"Selects every source with any of these tags"}}}"#,
    output: r#"{"type":"object","properties":{"status":{"type":"string"},"selected_count":{"type":"integer"},
        "sources":{"type":"array"},"message":{"type":"string"}},"required":["status","selected_count","message"]}"#,
    example: r#"{"ids": ["api-spec"]}"#,
    effect: ToolEffect::Adds,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let ids = call.arguments.texts("ids")?;
    let tags = call.arguments.texts("filter_tags")?;
    if !ids.is_empty() || !tags.is_empty() {
        return pick(&call, ids, tags, None).await;
    }
    let chosen = choose(&mut call).await?;
    if chosen.ids.is_empty() {
        let answer = |status| empty_answer(status, &chosen.note, &chosen.unknown);
        return Ok(if chosen.unknown.is_empty() {
            ToolAnswer::json(answer("none_selected"))
        } else {
            ToolAnswer::failed(answer("none_matched"))
        });
    }
    pick(&call, chosen.ids.clone(), Vec::new(), Some(chosen)).await
}

/// Picks the sources; `chosen` is set if a person chose them.
async fn pick(call: &ToolCall, ids: Vec<String>, tags: Vec<String>, chosen: Option<Chosen>) -> ToolResult {
    let by = chosen.as_ref().map_or(Picker::Agent, |chosen| chosen.by);
    let (picked, mut json) = match call.handle.ask(&call.session, Request::Pick { ids, tags, by }).await {
        Some(Response::Picked(Ok(picked))) => *picked,
        Some(Response::Picked(Err(refusal))) => return Err(nothing_selected("error", &refusal.to_string())),
        _ => return Err(closed().into()),
    };
    if let Some(Chosen { note, unknown, .. }) = chosen {
        if let Some(Value::String(message)) = json.get_mut("message") {
            message.push_str(&format!("; {note}"));
        }
        if let Some(Value::Array(all)) = json.get_mut("unknown") {
            all.extend(unknown.into_iter().map(Value::String));
        }
    }
    mark(&mut json);
    Ok(if matches!(picked.status, PickStatus::Success | PickStatus::AllSelected) {
        ToolAnswer::json(json)
    } else {
        ToolAnswer::failed(json)
    })
}

/// Marks texts as written by third parties. A text longer than a single read is left out: `readReference` returns it in
/// parts.
fn mark(json: &mut Value) {
    let sources = json.get_mut("sources").and_then(Value::as_array_mut);
    for source in sources.into_iter().flatten().filter_map(Value::as_object_mut) {
        match source.get("content").and_then(Value::as_str).map(str::len) {
            Some(length) if length > MAX_TEXT_BYTES => {
                source.remove("content");
                source.insert("has_content".to_owned(), json!(true));
            }
            Some(_) => drop(source.insert("notice".to_owned(), json!(QUOTE_NOTICE))),
            None => {}
        }
    }
}

pub(crate) fn nothing_selected(status: &str, message: &str) -> FailedAnswer {
    FailedAnswer::Answer(Box::new(ToolAnswer::failed(empty_answer(status, message, &[]))))
}

fn empty_answer(status: &str, message: &str, unknown: &[String]) -> Value {
    json!({"status": status, "selected_count": 0, "transitive_count": 0, "sources": [], "unknown": unknown,
           "missing": [], "message": message})
}
