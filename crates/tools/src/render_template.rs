//! `renderTemplate`: renders a template and returns the text to the agent.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::rendering::{Rendering, facts, note, render};
use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_text::escape::visible;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "renderTemplate",
    older: &[],
    title: "Render a template",
    description: "Render a template with variables and return the text. Give exactly one of template_name, template \
                  (inline text) or template_path.",
    input: r#"{"type":"object","properties":{
        "template_name":{"type":"string"},"template":{"type":"string"},"template_path":{"type":"string"},
        "variables":{"type":["object","string"]},
        "syntax":{"type":"string","enum":["jinja2","mustache","handlebars"]}}}"#,
    output: r#"{"type":"object","properties":{"success":{"type":"boolean"},"rendered":{"type":"string"},
        "error":{"type":"string"}},"required":["success"]}"#,
    example: r#"{"template_name": "Entity.java.tpl", "variables": {"Entity": "Order"}}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

async fn run(mut call: ToolCall) -> ToolResult {
    let rendering = render(&mut call).await?;
    let Rendering { made, .. } = &rendering;
    let mut json = facts(&rendering);
    let text = made.text.clone();
    // The text may be long, and other calls need this thread.
    let shown = tokio::task::spawn_blocking(move || match visible(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(shown) => Some(shown),
    });
    let shown = shown.await.map_err(|_| closed())?;
    if shown.is_some() {
        let warning = "the text has invisible characters: they are escaped here, but renderTemplateToFile writes them \
                       unchanged";
        if let Some(Value::Array(warnings)) = json.get_mut("warnings") {
            warnings.push(json!(warning));
        }
    }
    let shown = shown.as_ref().unwrap_or(&made.text);
    json.insert("rendered".to_owned(), json!(shown));
    if let Some(path) = &made.offered {
        json.insert("offered_output".to_owned(), json!(path));
    }
    note(&call, &rendering, Some(shown)).await;
    let answered = tokio::task::spawn_blocking(move || ToolAnswer::json(Value::Object(json)));
    Ok(answered.await.map_err(|_| closed())?)
}
