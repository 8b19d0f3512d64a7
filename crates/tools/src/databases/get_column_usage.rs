//! `get_column_usage`: the tables that have a column.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_column_usage",
    older: &[],
    title: "Find a column",
    description: "All tables with a column of this name: its type, meaning and keys there.",
    input: r#"{"type":"object","properties":{"column_name":{"type":"string"},"database":{"type":"string"},"domain":{"type":"string"}},"required":["column_name"]}"#,
    output: r#"{"type":"object","properties":{"usage":{"type":"array"},"tokens_used":{"type":"integer"}},
        "required":["usage","tokens_used"]}"#,
    example: r#"{"column_name": "customer_id"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let column = call.arguments.required("column_name")?;
    let (database, domain) = (call.arguments.text("database")?, call.arguments.text("domain")?);
    ask(call, DatabaseQuestion::Usage { column, database, domain }).await
}
