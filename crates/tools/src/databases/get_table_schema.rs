//! `get_table_schema`: the contents of a table's page.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_table_schema",
    older: &[],
    title: "Get a table",
    description: "Get a table: meaning, columns, keys, joins. include_samples adds what is known of values. Names may be table, schema.table or database.schema.table.",
    input: r#"{"type":"object","properties":{"table":{"type":"string"},"include_samples":{"type":"boolean"}},"required":["table"]}"#,
    output: r#"{"type":"object","properties":{"table":{"type":"string"},"columns":{"type":"array"},"tokens_used":{"type":"integer"}},
        "required":["table","tokens_used"]}"#,
    example: r#"{"table": "sales.orders"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let table = call.arguments.required("table")?;
    let samples = call.arguments.flag("include_samples")?;
    ask(call, DatabaseQuestion::Schema { table, samples }).await
}
