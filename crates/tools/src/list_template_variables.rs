//! `listTemplateVariables`: what a template asks for, as `refdesk templates variables` tells it.

use rmcp::model::{CallToolResponse, ErrorData};

use super::{About, Call, Effect, answer, closed};
use refdesk_desk::rows;
use refdesk_text::Error;

/// What is told of it.
pub const ABOUT: About = About {
    name: "listTemplateVariables",
    older: &[],
    title: "List a template's variables",
    description: "Show what a template asks for: a tree of its variables, their JSON schema, and a skeleton to fill in.",
    input: r#"{"type":"object","properties":{"template_name":{"type":"string"}},"required":["template_name"]}"#,
    output: r#"{"type":"object","properties":{"template_name":{"type":"string"},"syntax":{"type":"string"},
        "variables":{"type":"array","items":{"type":"string"}},"count":{"type":"integer"},"tree":{"type":"array"},
        "schema":{"type":"object"},"skeleton":{}},"required":["template_name","variables","count"]}"#,
    example: r#"{"template_name": "Entity.java.tpl"}"#,
    effect: Effect::Reads,
};

/// Tells it.
pub async fn call(mut call: Call) -> Result<CallToolResponse, ErrorData> {
    let name = call.arguments.needed("template_name")?;
    let snapshot = call.front.indexed(&call.agent).await.ok_or_else(closed)?;
    let template = match snapshot.templates.find(&name) {
        Ok(template) => template,
        Err(error) => {
            let hint = "listExtractedTemplates shows the templates of the selection";
            return Ok(answer::refused(&Error::new("unknown-template", error.to_string(), hint)));
        }
    };
    if let Some(problem) = &template.problem {
        let message = format!("the template '{}' is broken: {problem}", template.name);
        return Ok(answer::refused(&Error::new("template-broken", message, "mend the template")));
    }
    Ok(answer::done(rows::variables(template)))
}
