//! What agents may call: one file a tool, which says what it is for, what it takes and what it answers. The list is short and
//! always in the same order, since every client keeps it in front of its model.

mod answer;
pub mod arguments;
mod asking;
pub mod front;
pub mod journalled;
mod list_extracted_templates;
mod list_references;
mod list_template_variables;
mod read_reference;
mod render_template;
mod render_template_to_file;
mod rendering;
mod select_references;
pub mod shelf;
mod template_file;

pub use read_reference::marked;

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, JsonObject, ListToolsResult, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use self::arguments::Arguments;
use self::front::Front;
use refdesk_desk::Agent;
use refdesk_text::Error;
use refdesk_text::escape::one_line;
use refdesk_text::nearest::did_you_mean;

/// What is told of a tool.
#[derive(Debug)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// Names that it answers to without being listed.
    pub older: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// What it is for; every word of it is in front of every model.
    pub description: &'static str,
    /// The JSON schema of its arguments.
    pub input: &'static str,
    /// The JSON schema of its structured answer.
    pub output: &'static str,
    /// An example of its arguments, for whoever got them wrong.
    pub example: &'static str,
    /// What it does to the world.
    pub effect: Effect,
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Reads,
    /// It adds to what is selected; a second time nothing more.
    Adds,
    /// It may replace a file.
    Replaces,
}

/// Every tool, in the order of the list.
pub const TOOLS: [&About; 7] = [
    &select_references::ABOUT,
    &list_references::ABOUT,
    &read_reference::ABOUT,
    &render_template::ABOUT,
    &render_template_to_file::ABOUT,
    &list_extracted_templates::ABOUT,
    &list_template_variables::ABOUT,
];

/// A call that found its tool.
#[derive(Debug)]
pub struct Call {
    /// The desk.
    pub front: Front,
    /// Who calls.
    pub agent: Agent,
    /// With what, as far as it is not taken yet.
    pub arguments: Arguments,
    /// What a person answered through the client, where this call is a second one.
    pub responses: Option<rmcp::model::InputResponses>,
    /// The rest of the request.
    pub context: RequestContext<RoleServer>,
}

impl About {
    fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.older.contains(&name)
    }

    /// Whether somebody took it away, by whichever of its names.
    fn is_excluded(&self, excluded: &[String]) -> bool {
        excluded.iter().any(|name| self.answers_to(name))
    }

    fn tool(&self) -> Tool {
        let reads = self.effect == Effect::Reads;
        let annotations = ToolAnnotations::new()
            .read_only(reads)
            .destructive(self.effect == Effect::Replaces)
            .idempotent(true)
            .open_world(false);
        Tool::new(self.name, self.description, schema(self.input))
            .with_title(self.title)
            .with_raw_output_schema(schema(self.output))
            .with_annotations(annotations)
    }
}

/// A schema that stands in this room as text; a test reads every one.
fn schema(text: &str) -> Arc<JsonObject> {
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Arc::new(members),
        _ => Arc::default(),
    }
}

/// The tools that are offered.
pub async fn list(front: &Front) -> Result<ListToolsResult, ErrorData> {
    let excluded = front.opened().await.ok_or_else(closed)?.exclude_tools;
    let offered = TOOLS.iter().filter(|about| !about.is_excluded(&excluded));
    Ok(ListToolsResult::with_all_items(offered.map(|about| about.tool()).collect()))
}

/// Calls one.
pub async fn call(
    front: &Front,
    agent: Agent,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let excluded = front.opened().await.ok_or_else(closed)?.exclude_tools;
    let about = find(&request.name, &excluded)?;
    let arguments = Arguments::read(about, request.arguments)?;
    let call = Call { front: front.clone(), agent, arguments, responses: request.input_responses, context };
    match about.name {
        "selectReferences" => select_references::call(call).await,
        "listReferences" => list_references::call(call).await,
        "readReference" => read_reference::call(call).await,
        "renderTemplate" => render_template::call(call).await,
        "renderTemplateToFile" => render_template_to_file::call(call).await,
        "listExtractedTemplates" => list_extracted_templates::call(call).await,
        _ => list_template_variables::call(call).await,
    }
}

/// The tool of this name, if it is offered.
fn find(name: &str, excluded: &[String]) -> Result<&'static About, ErrorData> {
    let offered = |about: &&&'static About| !about.is_excluded(excluded);
    if let Some(about) = TOOLS.iter().find(|about| about.answers_to(name)) {
        if offered(&about) {
            return Ok(about);
        }
        let message = format!(
            "the tool '{name}' is not offered here: 'exclude_tools' of the configuration or of the profile takes it away"
        );
        return Err(ErrorData::invalid_params(message, None));
    }
    let names = || TOOLS.iter().filter(offered).map(|about| about.name);
    let near = did_you_mean(name, names()).map(|near| format!(" ({near})")).unwrap_or_default();
    let known = names().collect::<Vec<_>>().join(", ");
    let message = format!("there is no tool '{}'{near}; there are: {known}", one_line(name));
    Err(ErrorData::invalid_params(message, None))
}

/// A refusal for an agent of whom some tools are kept: it is not sent to one of these.
pub fn fitting(refusal: Error, excluded: &[String]) -> Error {
    let sends_there = |about: &&About| about.is_excluded(excluded) && refusal.hint.contains(about.name);
    if !TOOLS.iter().any(sends_there) {
        return refusal;
    }
    Error { hint: "ask the user for it, or do without".to_owned(), ..refusal }
}

/// Whether a tool answers to this name.
pub fn is_tool(name: &str) -> bool {
    TOOLS.iter().any(|about| about.answers_to(name))
}

/// The desk is closed, since the server is about to end.
pub fn closed() -> ErrorData {
    ErrorData::internal_error("the server is about to end", None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_short_and_its_schemas_can_be_read() {
        for about in TOOLS {
            assert!(about.description.len() < 300, "{}: {}", about.name, about.description.len());
            for schema in [about.input, about.output] {
                let value: Value = serde_json::from_str(schema).unwrap();
                assert_eq!(value["type"], "object", "{}", about.name);
            }
            let input: Value = serde_json::from_str(about.input).unwrap();
            let example: Value = serde_json::from_str(about.example).unwrap();
            for name in example.as_object().unwrap().keys() {
                assert!(input["properties"].get(name).is_some(), "{}: {name}", about.name);
            }
        }
    }

    #[test]
    fn all_of_it_is_under_six_kilobytes() {
        let list = ListToolsResult::with_all_items(TOOLS.iter().map(|about| about.tool()).collect());
        let size = serde_json::to_vec(&list).unwrap().len();
        assert!(size < 6000, "{size} bytes");
    }

    #[test]
    fn older_names_answer_and_excluded_ones_do_not() {
        let excluded = |name: &str| vec![name.to_owned()];
        for (name, without, expected) in [
            ("selectReferences", vec![], Ok("selectReferences")),
            ("writeFileFromTemplate", vec![], Ok("renderTemplateToFile")),
            ("listAvailableTemplates", vec![], Ok("listExtractedTemplates")),
            ("listTemplates", vec![], Ok("listExtractedTemplates")),
            ("listTemplates", excluded("listExtractedTemplates"), Err("is not offered here")),
            ("listExtractedTemplates", excluded("listTemplates"), Err("is not offered here")),
            ("selectReference", vec![], Err("did you mean 'selectReferences'?")),
            ("selectReference", excluded("selectReferences"), Err("there are: listReferences, readReference")),
            ("a\u{1b}\n", vec![], Err("there is no tool 'a\\x1b\\n'")),
        ] {
            match (find(name, &without), expected) {
                (Ok(about), Ok(expected)) => assert_eq!(about.name, expected),
                (Err(error), Err(words)) => assert!(error.message.contains(words), "{name}: {}", error.message),
                (other, _) => panic!("{name}: {other:?}"),
            }
        }
    }
}
