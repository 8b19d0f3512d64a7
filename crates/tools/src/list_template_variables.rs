//! `listTemplateVariables`: the variables of a template, with the members of `refdesk templates variables`.

use serde_json::Map;

use super::rendering::failure;
use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_desk::rows;
use refdesk_text::{Code, Error};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "listTemplateVariables",
    older: &[],
    title: "List a template's variables",
    description: "Show a template's variables as a tree, their JSON schema, and a skeleton to fill in.",
    input: r#"{"type":"object","properties":{"template_name":{"type":"string"}},"required":["template_name"]}"#,
    output: r#"{"type":"object","properties":{"template_name":{"type":"string"},"variables":{"type":"array"},
        "tree":{"type":"array"},"schema":{"type":"object"},"skeleton":{},"error":{"type":"string"}}}"#,
    example: r#"{"template_name": "Entity.java.tpl"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let name = call.arguments.required("template_name")?;
    let snapshot = call.handle.indexed(&call.session).await.ok_or_else(closed)?;
    let template = snapshot.templates.find(&name).map_err(|error| failure(error, Map::new()))?;
    if let Some(problem) = &template.problem {
        let message = format!("the template '{}' is broken: {problem}", template.name);
        return Err(failure(Error::new(Code::TemplateBroken, message, "fix the template"), Map::new()));
    }
    Ok(ToolAnswer::json(rows::variables(template)))
}
