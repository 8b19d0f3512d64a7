//! `listExtractedTemplates`: the templates that the selection brings, as `refdesk templates list` tells it.

use rmcp::model::{CallToolResponse, ErrorData};
use serde_json::{Value, json};

use super::{About, Call, Effect, answer, closed};
use refdesk_desk::rows;

/// What is told of it.
pub const ABOUT: About = About {
    name: "listExtractedTemplates",
    older: &["listAvailableTemplates", "listTemplates"],
    title: "List templates",
    description: "List the templates that the selected references bring, with the names of their variables.",
    input: r#"{"type":"object","properties":{
        "pattern":{"type":"string","description":"Only names that fit: * and ? stand for characters"}}}"#,
    output: r#"{"type":"object","properties":{
        "templates":{"type":"array","items":{"type":"object","required":["name","syntax","variables"]}},
        "count":{"type":"integer"}},"required":["templates","count"]}"#,
    example: r#"{"pattern": "*.java.tpl"}"#,
    effect: Effect::Reads,
};

/// Lists them.
pub async fn call(mut call: Call) -> Result<CallToolResponse, ErrorData> {
    let pattern = call.arguments.text("pattern")?;
    let snapshot = call.front.indexed(&call.agent).await.ok_or_else(closed)?;
    let workspace = snapshot.workspace.as_ref().as_ref();
    let all = snapshot.templates.templates.iter();
    let wanted = all.filter(|it| pattern.as_deref().is_none_or(|pattern| rows::fits(pattern, &it.name)));
    let listed: Vec<Value> = wanted.map(|template| Value::Object(rows::template(workspace, template))).collect();
    let count = listed.len();
    Ok(answer::done(json!({"templates": listed, "count": count})))
}
