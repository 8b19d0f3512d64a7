//! `get_common_relationships`: the most important joins.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_common_relationships",
    older: &[],
    title: "List the main joins",
    description: "The joins of the tables that most others are joined with.",
    input: r#"{"type":"object","properties":{"database":{"type":"string"},"domain":{"type":"string"},
        "limit":{"type":"integer","minimum":1,"maximum":100,"default":20}}}"#,
    output: r#"{"type":"object","properties":{"relationships":{"type":"array"},"total":{"type":"integer"},"tokens_used":{"type":"integer"}},
        "required":["relationships","tokens_used"]}"#,
    example: r#"{"domain": "sales", "limit": 10}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

/// The default and the largest number of joins.
const DEFAULT: u64 = 20;
const MAX: u64 = 100;

async fn run(mut call: ToolCall) -> ToolResult {
    let (database, domain) = (call.arguments.text("database")?, call.arguments.text("domain")?);
    let limit = call.arguments.number("limit", 1, MAX)?.unwrap_or(DEFAULT);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    ask(call, DatabaseQuestion::Relationships { database, domain, limit }).await
}
