//! `search_tables`: tables by words and by meaning.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "search_tables",
    older: &[],
    title: "Search tables",
    description: "Find database tables by words and meaning, also by those of their columns and joins.",
    input: r#"{"type":"object","properties":{"query":{"type":"string"},"database":{"type":"string"},"domain":{"type":"string"},
        "limit":{"type":"integer","minimum":1,"maximum":20,"default":5}},"required":["query"]}"#,
    output: r#"{"type":"object","properties":{"tables":{"type":"array"},"tokens_used":{"type":"integer"}},
        "required":["tables","tokens_used"]}"#,
    example: r#"{"query": "what was paid", "limit": 3}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

/// The default and the largest number of tables.
const DEFAULT: u64 = 5;
const MAX: u64 = 20;

async fn run(mut call: ToolCall) -> ToolResult {
    let query = call.arguments.required("query")?;
    let (database, domain) = (call.arguments.text("database")?, call.arguments.text("domain")?);
    let limit = call.arguments.number("limit", 1, MAX)?.unwrap_or(DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    ask(call, DatabaseQuestion::Tables { query, database, domain, limit }).await
}
