//! What both tools that render have in common: which template is meant, the rendering itself, away from everybody who waits for
//! the desk, and what is told of it.

use std::path::PathBuf;

use rmcp::model::{CallToolResponse, ErrorData};
use serde_json::{Map, Value, json};

use super::{Call, answer, closed, fitting};
use refdesk_desk::engine::{Outcome, Task};
use refdesk_desk::session::{self, Receipt};
use refdesk_desk::{Made, Request, Unrendered, What};
use refdesk_files::name::sha256_hex;
use refdesk_templates::{Named, Syntax};
use refdesk_text::Error;

/// Characters of a difference that an agent is shown.
const DIFF: usize = 16 * 1024;

/// A template that was rendered.
#[derive(Debug)]
pub struct Rendering {
    /// The name or path that it was asked for by.
    pub name: Option<String>,
    /// Whether nothing in the text comes from the agent: neither the template nor any value.
    is_from_workspace: bool,
    /// What came of it.
    pub made: Made,
    /// Of its text, which may be long: what the journal knows it by, and how many lines it has.
    hash: String,
    lines: usize,
}

/// Why there is none: an answer, or the protocol's own error.
#[derive(Debug)]
pub enum Failed {
    /// An answer that the agent can act on.
    Answer(Box<CallToolResponse>),
    /// A call that makes no sense.
    Protocol(ErrorData),
}

impl From<ErrorData> for Failed {
    fn from(error: ErrorData) -> Self {
        Self::Protocol(error)
    }
}

/// The answer to a call, whatever became of it.
pub fn either(outcome: Result<CallToolResponse, Failed>) -> Result<CallToolResponse, ErrorData> {
    match outcome {
        Ok(response) => Ok(response),
        Err(Failed::Answer(response)) => Ok(*response),
        Err(Failed::Protocol(error)) => Err(error),
    }
}

/// A rendering that failed, in the words that agents know.
pub fn failure(refusal: &Error, known: Map<String, Value>) -> Failed {
    let mut json = Map::from_iter([
        ("success".to_owned(), json!(false)),
        ("error".to_owned(), json!(refusal.message)),
        ("status".to_owned(), json!(refusal.code)),
    ]);
    if !refusal.hint.is_empty() {
        json.insert("hint".to_owned(), json!(refusal.hint));
    }
    json.extend(known);
    Failed::Answer(Box::new(answer::failed(Value::Object(json))))
}

/// A difference as an agent is shown it.
pub fn shown_diff(diff: &str) -> String {
    if diff.len() <= DIFF {
        return diff.to_owned();
    }
    let mut end = DIFF;
    while !diff.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n… {} more bytes\n", diff.get(..end).unwrap_or_default(), diff.len() - end)
}

/// Renders what the arguments name.
pub async fn render(call: &mut Call) -> Result<Rendering, Failed> {
    let arguments = &mut call.arguments;
    let named = arguments.text("template_name")?;
    let inline = arguments.text("template")?;
    let path = arguments.text("template_path")?;
    let syntax = arguments.word("syntax", &SYNTAXES)?;
    let values = arguments.values("variables")?;
    let (what, name) = match (named, inline, path) {
        (Some(name), None, None) => (What::Named(name.clone()), Some(name)),
        (None, Some(text), None) => (What::Inline(text), None),
        (None, None, Some(path)) => (What::Inline(read(call, &path).await?), Some(path)),
        _ => {
            let hint = "or 'template_name', a name of listExtractedTemplates: exactly one of the three";
            let refusal = Error::new("which-template", "Must provide either 'template' or 'template_path'", hint);
            return Err(failure(&refusal, Map::new()));
        }
    };
    let has_values = values.as_object().is_some_and(|values| !values.is_empty());
    let is_from_workspace = name.is_some() && !has_values;
    let request =
        Request { what, syntax, values: Some(values), html: false, partials: std::collections::BTreeMap::new() };
    let prepared = match call.front.ask(&call.agent, Task::Prepare(Box::new(request))).await {
        Some(Outcome::Prepared(Ok(prepared))) => *prepared,
        Some(Outcome::Prepared(Err(unrendered))) => return Err(unrendered_failure(unrendered)),
        _ => return Err(closed().into()),
    };
    let renderer = call.front.renderer();
    let rendered = tokio::task::spawn_blocking(move || {
        let made = prepared.render(&renderer)?;
        let (hash, lines) = (sha256_hex(made.text.as_bytes()), made.text.lines().count());
        Ok(Rendering { name, is_from_workspace, made, hash, lines })
    });
    rendered.await.map_err(|_| closed())?.map_err(unrendered_failure)
}

const SYNTAXES: [(&str, Syntax); 3] =
    [("jinja2", Syntax::Jinja2), ("mustache", Syntax::Mustache), ("handlebars", Syntax::Handlebars)];

fn unrendered_failure(failed: Unrendered) -> Failed {
    let message = match failed.code {
        "render" => format!("Template render error: {}", failed.error.message),
        _ => failed.error.message,
    };
    // What a person would call at a terminal an agent calls by its own name.
    let hint = failed.hint.replace("`refdesk templates variables ", "`listTemplateVariables ");
    let hint = hint.replace("`refdesk templates`", "`listExtractedTemplates`");
    let mut known = Map::new();
    if let Some(syntax) = failed.syntax {
        known.insert("template_syntax".to_owned(), json!(syntax));
        known.insert("line".to_owned(), json!(failed.error.line));
        known.insert("variables_unused".to_owned(), named(&failed.fit.unused));
        known.insert("variables_missing".to_owned(), named(&failed.fit.missing));
    }
    failure(&Error::new(failed.code, message, hint), known)
}

fn named(values: &[Named]) -> Value {
    values.iter().map(|named| json!({"name": named.path, "nearest": named.nearest})).collect()
}

/// What is told of a text that was made.
pub fn facts(Rendering { made, lines, .. }: &Rendering) -> Map<String, Value> {
    Map::from_iter([
        ("success".to_owned(), json!(true)),
        ("size".to_owned(), json!(made.text.len())),
        ("lines".to_owned(), json!(lines)),
        ("variables_used".to_owned(), json!(made.used)),
        ("template_syntax".to_owned(), json!(made.syntax)),
        ("warnings".to_owned(), json!(made.warnings)),
    ])
}

/// The text of a template file: below `.templates/` of the workspace, or of what the session may read.
async fn read(call: &Call, path: &str) -> Result<String, Failed> {
    let (snapshot, access) = call.front.readable(&call.agent).await.ok_or_else(closed)?;
    let (workspace, excluded) = (PathBuf::from(&*snapshot.workspace), snapshot.exclude_tools);
    let path = path.to_owned();
    let text = tokio::task::spawn_blocking(move || super::template_file::read(&workspace, &access, &path)).await;
    text.map_err(|_| closed())?.map_err(|refusal| failure(&fitting(refusal, &excluded), Map::new()))
}

/// Puts a rendering into the journal. `text` is what the agent was given; it is kept only if the agent wrote none of it, since
/// a rendered text holds the template and its values.
pub async fn note(call: &Call, rendering: &Rendering, text: Option<&str>) {
    let bytes = rendering.made.text.len();
    let receipt = Receipt {
        tool: Some(call.arguments.tool().to_owned()),
        about: rendering.name.iter().cloned().collect(),
        bytes,
        tokens: usize::try_from(refdesk_text::tokens::of_prose(bytes as u64)).unwrap_or(usize::MAX),
        hash: Some(rendering.hash.clone()),
        text: text.filter(|_| rendering.is_from_workspace).map(str::to_owned),
        ..Receipt::new(session::What::Rendered)
    };
    // A journal that cannot be written is among the diagnostics.
    let _ = call.front.ask(&call.agent, Task::Note(Box::new(receipt))).await;
}
