//! `tools/list` and `tools/call`: translates tools and their answers to the protocol.

use std::sync::Arc;

use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value};

use super::address::Address;
use super::agent::Connection;
use super::elicit::{ElicitingClient, input_required};
use super::handshake::mark_open;
use super::http::RequestSlot;
use refdesk_desk::Session;
use refdesk_text::{Code, Error};
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::{ToolAnswer, ToolAvailability, ToolEffect, ToolSpec};

/// `tools/list`.
pub(crate) async fn list(handle: &DeskHandle, lasting: Option<&Arc<Connection>>) -> Result<ListToolsResult, ErrorData> {
    let snapshot = handle.opened().await.ok_or_else(closed)?;
    // A client without `initialize` may start with this.
    mark_open(handle, &snapshot, lasting).await;
    Ok(ListToolsResult::with_all_items(refdesk_tools::offered(ToolAvailability::from(&snapshot)).map(tool).collect()))
}

/// `tools/call`.
pub(crate) async fn call(
    handle: &DeskHandle,
    session: Session,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let cancelled = context.ct.clone();
    // Held until the call ends. The other methods hold it with their context.
    let _slot = context.extensions.get::<Parts>().and_then(|head| head.extensions.get::<RequestSlot>()).cloned();
    let elicit = ElicitingClient::new(handle, context, request.input_responses).map(|client| Box::new(client) as _);
    let mut arguments = request.arguments.unwrap_or_default();
    normalize_arguments(&mut arguments);
    tokio::select! {
        answer = refdesk_tools::call(handle, session, &request.name, arguments, elicit) => {
            response(answer.map_err(protocol_error)?)
        }
        // The client gets no response to a cancelled request.
        () = cancelled.cancelled() => Err(closed()),
    }
}

/// Replaces the addresses of sources by their ids, and that of a file by id and path, since a client that lists resources
/// knows them by their addresses; and lists in strings by lists. Some clients write null for an argument that they leave
/// out.
pub fn normalize_arguments(arguments: &mut Map<String, Value>) {
    let given = arguments.get("path").filter(|path| !path.is_null());
    if let Some(Ok(Address { id, path: Some(path) })) = arguments.get("id").and_then(Value::as_str).map(Address::parse)
        && given.is_none_or(|given| *given == path)
    {
        arguments.extend([("id".to_owned(), id.into()), ("path".to_owned(), path.into())]);
    }
    for (name, value) in arguments {
        match name.as_str() {
            "id" => name_by_id(value),
            "ids" | "filter_tags" => {
                *value = refdesk_tools::as_list(value.take());
                let ids = value.as_array_mut().filter(|_| name == "ids");
                ids.into_iter().flatten().for_each(name_by_id);
            }
            _ => {}
        }
    }
}

fn name_by_id(given: &mut Value) {
    if let Some(Ok(Address { id, path: None })) = given.as_str().map(Address::parse) {
        *given = Value::String(id);
    }
}

fn tool(spec: &ToolSpec) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(spec.effect == ToolEffect::Reads)
        .destructive(spec.effect == ToolEffect::Replaces)
        .idempotent(true)
        .open_world(false);
    Tool::new(spec.name, spec.description, spec.input())
        .with_title(spec.title)
        .with_raw_output_schema(Arc::new(spec.output()))
        .with_annotations(annotations)
}

fn response(answer: ToolAnswer) -> Result<CallToolResponse, ErrorData> {
    if let Some(request) = &answer.question {
        return input_required(request).map(Into::into);
    }
    let content = vec![ContentBlock::text(answer.text)];
    let mut result = if answer.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = answer.structured;
    Ok(result.into())
}

/// Converts an error of a call.
fn protocol_error(error: Error) -> ErrorData {
    match error.code {
        Code::InvalidCall => invalid(error.message),
        _ => ErrorData::internal_error(error.message, None),
    }
}

/// The error for parameters that are not valid.
pub(crate) fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

/// The error when the desk is closed because the server is shutting down.
pub(crate) fn closed() -> ErrorData {
    protocol_error(refdesk_tools::closed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_under_six_kilobytes_and_four_more_with_databases() {
        for (has_databases, most) in [(false, 6_000), (true, 10_000)] {
            let offer = ToolAvailability { excluded: &[], has_databases };
            let list = ListToolsResult::with_all_items(refdesk_tools::offered(offer).map(tool).collect());
            let size = serde_json::to_vec(&list).unwrap().len();
            assert!(size < most, "{size} bytes");
        }
    }
}
