//! `get_domain_overview`: the tables and joins of a domain.

use super::ask;
use crate::{ToolCall, ToolEffect, ToolResult, ToolSpec};
use refdesk_desk::DatabaseQuestion;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "get_domain_overview",
    older: &[],
    title: "Get a domain",
    description: "The tables of a business area of a database, and their joins.",
    input: r#"{"type":"object","properties":{"domain":{"type":"string"},"database":{"type":"string"}},"required":["domain"]}"#,
    output: r#"{"type":"object","properties":{"tables":{"type":"array"},"relationships":{"type":"array"},"tokens_used":{"type":"integer"}},
        "required":["tables","tokens_used"]}"#,
    example: r#"{"domain": "sales"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let domain = call.arguments.required("domain")?;
    let database = call.arguments.text("database")?;
    ask(call, DatabaseQuestion::Domain { domain, database }).await
}
