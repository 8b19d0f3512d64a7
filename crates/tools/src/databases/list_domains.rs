//! `list_domains`: the domains of all databases, or of one.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "list_domains",
    older: &[],
    title: "List domains",
    description: "The databases and their business areas, with their tables.",
    input: r#"{"type":"object","properties":{"database":{"type":"string"}}}"#,
    output: r#"{"type":"object","properties":{"domains":{"type":"array"},"tokens_used":{"type":"integer"}},
        "required":["domains","tokens_used"]}"#,
    example: r#"{"database": "shop"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let database = call.arguments.text("database")?;
    ask(call, DatabaseQuestion::Domains { database }).await
}
