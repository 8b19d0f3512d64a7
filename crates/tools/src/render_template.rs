//! `renderTemplate`: a template and its values to text, for the agent alone.

use std::borrow::Cow;

use rmcp::model::{CallToolResponse, ErrorData};
use serde_json::{Value, json};

use super::rendering::{Failed, Rendering, either, facts, note, render};
use super::{About, Call, Effect, answer, closed};
use refdesk_text::escape::visible;

/// What is told of it.
pub const ABOUT: About = About {
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
        "warnings":{"type":"array","items":{"type":"string"}},
        "error":{"type":"string"},"status":{"type":"string"}},"required":["success"]}"#,
    example: r#"{"template_name": "Entity.java.tpl", "variables": {"Entity": "Order"}}"#,
    effect: Effect::Reads,
};

/// Renders.
pub async fn call(mut call: Call) -> Result<CallToolResponse, ErrorData> {
    either(text(&mut call).await)
}

async fn text(call: &mut Call) -> Result<CallToolResponse, Failed> {
    let rendering = render(call).await?;
    let Rendering { made, .. } = &rendering;
    let mut json = facts(&rendering);
    let text = made.text.clone();
    // It may be long, and others wait for this thread.
    let shown = tokio::task::spawn_blocking(move || match visible(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(shown) => Some(shown),
    });
    let shown = shown.await.map_err(|_| closed())?;
    if shown.is_some() {
        let warning = "the text has characters that cannot be seen: here they are printed escaped, renderTemplateToFile \
                       writes them as they are";
        if let Some(Value::Array(warnings)) = json.get_mut("warnings") {
            warnings.push(json!(warning));
        }
    }
    let shown = shown.as_ref().unwrap_or(&made.text);
    json.insert("rendered".to_owned(), json!(shown));
    if let Some(path) = &made.offered {
        json.insert("offered_output".to_owned(), json!(path));
    }
    note(call, &rendering, Some(shown)).await;
    let answered = tokio::task::spawn_blocking(move || answer::done(Value::Object(json)));
    Ok(answered.await.map_err(|_| closed())?)
}
