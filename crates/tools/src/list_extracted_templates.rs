//! `listExtractedTemplates`: the templates of the selection, with the members of `refdesk templates list`.

use serde_json::{Value, json};

use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_desk::rows;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "listExtractedTemplates",
    older: &["listAvailableTemplates", "listTemplates"],
    title: "List templates",
    description: "List the templates in the selected references, with the names of their variables.",
    input: r#"{"type":"object","properties":{
        "pattern":{"type":"string","description":"Only names that match: * is any characters, ? is one"}}}"#,
    output: r#"{"type":"object","properties":{"templates":{"type":"array"},"count":{"type":"integer"}},
        "required":["templates","count"]}"#,
    example: r#"{"pattern": "*.java.tpl"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let pattern = call.arguments.text("pattern")?;
    let snapshot = call.handle.indexed(&call.session).await.ok_or_else(closed)?;
    let workspace = snapshot.workspace.as_ref().as_ref();
    let all = snapshot.templates.templates.iter();
    let wanted = all.filter(|it| pattern.as_deref().is_none_or(|pattern| rows::fits(pattern, &it.name)));
    let listed: Vec<Value> = wanted.map(|template| Value::Object(rows::template(workspace, template))).collect();
    let count = listed.len();
    Ok(ToolAnswer::json(json!({"templates": listed, "count": count})))
}
