//! `listExtractedTemplates`: the templates of the selection, with the members of `refdesk templates list`.

use serde_json::{Map, Value, json};

use super::rendering::failure;
use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_desk::rows;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "listExtractedTemplates",
    older: &["listAvailableTemplates", "listTemplates"],
    title: "List templates",
    description: "List the templates in the selected references, with the names of their variables.",
    input: r#"{"type":"object","properties":{
        "pattern":{"type":"string","description":"Only names that match this glob"}}}"#,
    output: r#"{"type":"object","properties":{"templates":{"type":"array"},"count":{"type":"integer"},
        "error":{"type":"string"}}}"#,
    example: r#"{"pattern": "*.java.tpl"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let pattern = call.arguments.text("pattern")?;
    let fits = rows::name_filter(pattern.as_deref()).map_err(|error| failure(error, Map::new()))?;
    let snapshot = call.handle.indexed(&call.session).await.ok_or_else(closed)?;
    let workspace = snapshot.workspace.as_ref().as_ref();
    let wanted = snapshot.templates.of_selection().filter(|it| fits(&it.name));
    let listed: Vec<Value> = wanted.map(|template| Value::Object(rows::template(workspace, template))).collect();
    let count = listed.len();
    Ok(ToolAnswer::json(json!({"templates": listed, "count": count})))
}
