//! `get_join_path`: how two tables can be joined.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_join_path",
    older: &[],
    title: "Find joins between tables",
    description: "How to join two tables: up to three paths with SQL, over keys first, then inferred joins.",
    input: r#"{"type":"object","properties":{"source_table":{"type":"string"},"target_table":{"type":"string"},
        "max_hops":{"type":"integer","default":6}},"required":["source_table","target_table"]}"#,
    output: r#"{"type":"object","properties":{"paths":{"type":"array"},"tokens_used":{"type":"integer"}},
        "required":["paths","tokens_used"]}"#,
    example: r#"{"source_table": "customer", "target_table": "product"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let source = call.arguments.required("source_table")?;
    let target = call.arguments.required("target_table")?;
    let hops = call.arguments.number("max_hops", 1, 6)?.and_then(|hops| usize::try_from(hops).ok());
    ask(call, DatabaseQuestion::Path { source, target, hops }).await
}
