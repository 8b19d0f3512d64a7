//! The tools that agents can call, over any transport: one file per tool, with its specification and its handler, and a
//! table of those for databases. The list is short and always in the same order, because every client keeps it in its
//! model's context.

mod answer;
mod arguments;
mod databases;
mod elicitation;
pub mod handle;
pub mod introduction;
mod list_extracted_templates;
mod list_references;
mod list_template_variables;
mod read_reference;
pub mod receipts;
mod render_template;
mod render_template_to_file;
mod rendering;
mod search_documents;
mod select_references;
mod template_file;
pub mod visible;

pub use answer::ToolAnswer;
pub use arguments::{as_list, json_type};
pub use elicitation::{Elicit, Elicitation, UserReply};
pub use read_reference::delimited;

use std::path::Path;
use std::pin::Pin;

use serde_json::{Map, Value};

use self::answer::FailedAnswer;
use self::arguments::ToolArguments;
use self::handle::DeskHandle;
use refdesk_desk::Session;
use refdesk_desk::engine::Snapshot;
use refdesk_text::escape::one_line;
use refdesk_text::nearest::{did_you_mean, suggestion};
use refdesk_text::shorten::shortened;
use refdesk_text::{Code, Error, Fix};

/// A tool.
#[derive(Debug)]
pub struct ToolSpec {
    /// The name in the list.
    pub name: &'static str,
    /// Unlisted aliases.
    pub older: &'static [&'static str],
    /// The display name.
    pub title: &'static str,
    /// What it is for; every word of it takes up context in every model.
    pub description: &'static str,
    /// The JSON schema of the arguments.
    input: &'static str,
    /// The JSON schema of the structured answer.
    output: &'static str,
    /// Example arguments, shown after an invalid call.
    example: &'static str,
    /// What it may change.
    pub effect: ToolEffect,
    handler: fn(ToolCall) -> Pin<Box<dyn Future<Output = ToolResult> + Send>>,
}

type ToolResult = Result<ToolAnswer, FailedAnswer>;

/// What a tool may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Nothing.
    Reads,
    /// Adds to the selection; repeating the call adds nothing more.
    Adds,
    /// May replace a file.
    Replaces,
}

/// Every tool, in list order.
const TOOLS: [&ToolSpec; 8] = [
    &select_references::SPEC,
    &list_references::SPEC,
    &read_reference::SPEC,
    &search_documents::SPEC,
    &render_template::SPEC,
    &render_template_to_file::SPEC,
    &list_extracted_templates::SPEC,
    &list_template_variables::SPEC,
];

/// Determines which tools are offered.
#[derive(Debug, Clone, Copy)]
pub struct ToolAvailability<'a> {
    /// The names of hidden tools.
    pub excluded: &'a [String],
    /// Whether databases are documented.
    pub has_databases: bool,
}

impl<'a> From<&'a Snapshot> for ToolAvailability<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self { excluded: &snapshot.exclude_tools, has_databases: snapshot.has_databases }
    }
}

#[derive(Debug)]
struct ToolCall {
    handle: DeskHandle,
    session: Session,
    /// Arguments that the handler has not taken yet.
    arguments: ToolArguments,
    /// Asks the client's user, if the transport can.
    elicit: Option<Box<dyn Elicit>>,
}

impl ToolSpec {
    /// The JSON schema of the arguments.
    pub fn input(&self) -> Map<String, Value> {
        schema(self.input)
    }

    /// The JSON schema of the structured answer.
    pub fn output(&self) -> Map<String, Value> {
        schema(self.output)
    }

    fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.older.contains(&name)
    }

    /// Whether `exclude_tools` contains one of its names.
    fn is_excluded(&self, excluded: &[String]) -> bool {
        excluded.iter().any(|name| self.answers_to(name))
    }
}

/// Parses a schema of this crate; a test parses all of them.
fn schema(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The tools that are not excluded.
pub fn offered(offer: ToolAvailability<'_>) -> impl Iterator<Item = &'static ToolSpec> {
    let of_databases = databases::TOOLS.into_iter().filter(move |_| offer.has_databases);
    TOOLS.into_iter().chain(of_databases).filter(move |tool| !tool.is_excluded(offer.excluded))
}

/// Calls a tool. To cancel the call, drop the future: a question to a person is cancelled; a change already requested
/// is still made.
///
/// # Errors
/// The call itself is invalid ([`Code::InvalidCall`]), or the desk is closed. A tool that fails returns an answer that
/// says so.
pub async fn call(
    handle: &DeskHandle,
    session: Session,
    name: &str,
    arguments: Map<String, Value>,
    elicit: Option<Box<dyn Elicit>>,
) -> Result<ToolAnswer, Error> {
    let snapshot = handle.opened().await.ok_or_else(closed)?;
    let tool = find(name, ToolAvailability::from(&snapshot)).map_err(brief)?;
    let excluded = snapshot.exclude_tools;
    let arguments = ToolArguments::new(tool, arguments).map_err(brief)?;
    // What the desk remembers of a folder that is gone would only mislead.
    let folder = &*snapshot.workspace;
    let is_gone = !folder.contains(char::REPLACEMENT_CHARACTER) && !Path::new(folder).is_dir();
    if is_gone {
        let message = format!("the folder of the workspace is gone: {folder}");
        return Ok(ToolAnswer::error(&brief(Error::new(Code::NoWorkspace, message, GONE))));
    }
    match (tool.handler)(ToolCall { handle: handle.clone(), session, arguments, elicit }).await {
        Ok(answer) => Ok(answer),
        Err(FailedAnswer::Answer(answer)) => Ok(*answer),
        Err(FailedAnswer::Error(error)) if [Code::InvalidCall, Code::Closed].contains(&error.code) => Err(brief(error)),
        Err(FailedAnswer::Error(error)) => Ok(ToolAnswer::error(&brief(advise(error, &excluded)))),
        Err(FailedAnswer::Rendering(failed)) => Ok(rendering::failed(&brief(advise(failed.0, &excluded)), failed.1)),
    }
}

const GONE: &str = "ask the user to open the workspace where it is now: its folder was moved or deleted";

/// The most characters of an error. It repeats what the agent wrote, and the agent would have to read all of that
/// again.
const MESSAGE: usize = 4_000;

fn brief(error: Error) -> Error {
    let words = error.fix.to_string();
    let fix = if words.len() > MESSAGE { Fix::from(shortened(words, MESSAGE)) } else { error.fix };
    Error { message: shortened(error.message, MESSAGE), fix, ..error }
}

/// The offered tool with this name.
fn find(name: &str, offer: ToolAvailability<'_>) -> Result<&'static ToolSpec, Error> {
    if let Some(tool) = offered(offer).find(|tool| tool.answers_to(name)) {
        return Ok(tool);
    }
    if !offer.has_databases && databases::TOOLS.iter().any(|tool| tool.answers_to(name)) {
        return Err(invalid_call(format!(
            "the tool '{name}' is for documented databases, and this workspace has none, or the profile leaves them out: \
             ask the user to run `refdesk db document`, or do without"
        )));
    }
    if is_tool(name) {
        return Err(invalid_call(format!(
            "the tool '{name}' is not offered here: 'exclude_tools' in the configuration or profile excludes it"
        )));
    }
    let names = || offered(offer).map(|tool| tool.name);
    let near = suggestion(name, names());
    let known = names().collect::<Vec<_>>().join(", ");
    Err(invalid_call(format!("there is no tool '{}'{near}; the tools are: {known}", one_line(name))))
}

/// The error, with its fix expressed in terms of tools.
pub fn advise(error: Error, excluded: &[String]) -> Error {
    error.worded(&|fix| advice(fix, excluded))
}

/// A fix as a tool call; `None` if its own text is suitable. Does not mention an excluded tool.
pub fn advice(fix: &Fix, excluded: &[String]) -> Option<String> {
    let (tool, words) = match fix {
        Fix::ListSources => (&list_references::SPEC, "listReferences shows all ids".to_owned()),
        Fix::Pick(id) => (&select_references::SPEC, format!("call selectReferences with ids [\"{id}\"] first")),
        Fix::ListTemplates => {
            (&list_extracted_templates::SPEC, "listExtractedTemplates shows the templates of the selection".to_owned())
        }
        Fix::ShowVariables(name) => {
            (&list_template_variables::SPEC, format!("listTemplateVariables with {name} shows what it asks for"))
        }
        Fix::FindColumn(name) => {
            let [search_tables, ..] = databases::TOOLS;
            (search_tables, format!("search_tables with query {} looks for similar ones", Value::from(name.as_str())))
        }
        Fix::MoreJoins(joins) => return Some(format!("pass \"max_hops\": {joins}")),
        // Only a person can allow other paths.
        Fix::AllowOutside => return Some("choose a path inside the workspace".to_owned()),
        Fix::Overwrite => return Some("pass \"overwrite\": true to replace it".to_owned()),
        Fix::Trust => return Some("ask the user to review it with `refdesk trust`".to_owned()),
        Fix::AddSources => return Some("ask the user to run `refdesk init`".to_owned()),
        Fix::BuildIndex => return Some("ask the user to run `refdesk index`".to_owned()),
        // The profile is a person's choice.
        Fix::ListProfiles => return Some("ask the user for it, or do without".to_owned()),
        Fix::OpenScreen => return Some("ask the user to open `refdesk` in this workspace, then ask again".to_owned()),
        _ => return None,
    };
    Some(if tool.is_excluded(excluded) { "ask the user for it, or do without".to_owned() } else { words })
}

/// Whether a tool has this name.
pub fn is_tool(name: &str) -> bool {
    TOOLS.iter().chain(&databases::TOOLS).any(|tool| tool.answers_to(name))
}

/// What to write instead of a name that no tool has: the nearest name, as a question, or else all names.
pub fn tool_fix(name: &str) -> Option<Fix> {
    if is_tool(name) {
        return None;
    }
    let all = TOOLS.iter().chain(&databases::TOOLS).map(|tool| tool.name);
    let known = || format!("the tools are: {}", all.clone().collect::<Vec<_>>().join(", "));
    Some(did_you_mean(name, all.clone()).unwrap_or_else(known).into())
}

fn invalid_call(message: String) -> Error {
    Error::new(Code::InvalidCall, message, "")
}

/// The error when the desk is closed because the server is shutting down.
pub fn closed() -> Error {
    Error::new(Code::Closed, "the server is shutting down", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_short_and_its_schemas_can_be_read() {
        for tool in TOOLS.into_iter().chain(databases::TOOLS) {
            assert!(tool.description.len() < 300, "{}: {}", tool.name, tool.description.len());
            for schema in [tool.input, tool.output] {
                let value: Value = serde_json::from_str(schema).unwrap();
                assert_eq!(value["type"], "object", "{}", tool.name);
            }
            let input: Value = serde_json::from_str(tool.input).unwrap();
            let example: Value = serde_json::from_str(tool.example).unwrap();
            for name in example.as_object().unwrap().keys() {
                assert!(input["properties"].get(name).is_some(), "{}: {name}", tool.name);
            }
            for (name, property) in input["properties"].as_object().unwrap() {
                let has = |limit: &str| property[limit].is_u64() || property["type"] != "integer";
                assert!(has("minimum") && (has("maximum") || name == "max_tokens"), "{}: {name}", tool.name);
            }
        }
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
            ("selectReference", excluded("selectReferences"), Err("the tools are: listReferences, readReference")),
            ("get_join_path", vec![], Err("is for documented databases, and this workspace has none")),
            ("a\u{1b}\n", vec![], Err("there is no tool 'a\\x1b\\n'")),
        ] {
            match (find(name, ToolAvailability { excluded: &without, has_databases: false }), expected) {
                (Ok(tool), Ok(expected)) => assert_eq!(tool.name, expected),
                (Err(error), Err(words)) => assert!(error.message.contains(words), "{name}: {}", error.message),
                (other, _) => panic!("{name}: {other:?}"),
            }
        }
    }
}
