//! Shared by both rendering tools: chooses the template, renders it on another thread, and describes the result.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{FailedAnswer, ToolAnswer, ToolCall, closed};
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::session::{self, Receipt};
use refdesk_desk::{RenderFailure, RenderRequest, RenderedTemplate, TemplateRef};
use refdesk_files::name::sha256_hex;
use refdesk_templates::{NamedValue, Syntax};
use refdesk_text::shorten::{beginning, shortened};
use refdesk_text::{Code, Error, Fix};

/// The most bytes of a diff shown to an agent.
const DIFF: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct Rendering {
    /// The name or path given by the agent.
    pub name: Option<String>,
    /// Whether the agent wrote neither the template nor any value.
    is_from_workspace: bool,
    pub made: RenderedTemplate,
    /// The hash of the text, for the journal.
    hash: String,
    lines: usize,
}

/// A failed rendering, with the details known so far.
pub(crate) fn failure(error: Error, known: Map<String, Value>) -> FailedAnswer {
    FailedAnswer::Rendering(Box::new((error, known)))
}

/// The answer for a failed rendering, with the error's fix expressed in terms of tools.
pub(crate) fn failed(error: &Error, known: Map<String, Value>) -> ToolAnswer {
    let mut json = Map::from_iter([
        ("success".to_owned(), json!(false)),
        ("error".to_owned(), json!(error.message)),
        ("status".to_owned(), json!(error.code)),
    ]);
    if !error.fix.is_none() {
        json.insert("hint".to_owned(), json!(error.fix));
    }
    json.extend(known);
    ToolAnswer::failed(Value::Object(json))
}

/// Truncates a diff to the length shown to an agent.
pub(crate) fn cut_diff(diff: &str) -> String {
    if diff.len() <= DIFF {
        return diff.to_owned();
    }
    let shown = beginning(diff, DIFF);
    format!("{shown}\n… {} more bytes\n", diff.len() - shown.len())
}

pub(crate) async fn render(call: &mut ToolCall) -> Result<Rendering, FailedAnswer> {
    let arguments = &mut call.arguments;
    let named = arguments.text("template_name")?;
    let inline = arguments.text("template")?;
    let path = arguments.text("template_path")?;
    let syntax = arguments.word("syntax", &Syntax::ALL.map(|syntax| (syntax.word(), syntax)))?;
    let values = arguments.values("variables").map_err(|error| failure(error, Map::new()))?;
    let (what, name) = match (named, inline, path) {
        (Some(name), None, None) => (TemplateRef::Named(name.clone()), Some(name)),
        (None, Some(text), None) => (TemplateRef::Inline(text), None),
        (None, None, Some(path)) => (TemplateRef::Inline(read(call, &path).await?), Some(path)),
        _ => {
            let fix = Fix::All(vec!["or 'template_name'; exactly one of the three".into(), Fix::ListTemplates]);
            let refusal = Error::new(Code::WhichTemplate, "Must provide either 'template' or 'template_path'", fix);
            return Err(failure(refusal, Map::new()));
        }
    };
    let has_values = values.as_object().is_some_and(|values| !values.is_empty());
    let is_from_workspace = name.is_some() && !has_values;
    let request = RenderRequest { syntax, ..RenderRequest::of(what, Some(values)) };
    let prepared = match call.handle.ask(&call.session, Request::Prepare(Box::new(request))).await {
        Some(Response::Prepared(Ok(prepared))) => *prepared,
        Some(Response::Prepared(Err(unrendered))) => return Err(unrendered_failure(unrendered)),
        _ => return Err(closed().into()),
    };
    let rendered = call.handle.render(move |renderer| {
        let made = prepared.render(renderer)?;
        let (hash, lines) = (sha256_hex(made.text.as_bytes()), made.text.lines().count());
        Ok(Rendering { name, is_from_workspace, made, hash, lines })
    });
    rendered.await.ok_or_else(closed)?.map_err(unrendered_failure)
}

fn unrendered_failure(failed: RenderFailure) -> FailedAnswer {
    let mut error = failed.error;
    if error.code == Code::Render {
        error.message.insert_str(0, "Template render error: ");
    }
    let mut known = Map::new();
    if let Some(syntax) = failed.syntax {
        known.insert("template_syntax".to_owned(), json!(syntax));
        known.insert("line".to_owned(), json!(error.line));
        known.insert("variables_unused".to_owned(), json!(named(&failed.fit.unused)));
        known.insert("variables_missing".to_owned(), json!(named(&failed.fit.missing)));
    }
    failure(error, known)
}

/// Members of the answer that describe the rendered text.
pub(crate) fn facts(Rendering { made, lines, .. }: &Rendering) -> Map<String, Value> {
    Map::from_iter([
        ("success".to_owned(), json!(true)),
        ("size".to_owned(), json!(made.text.len())),
        ("lines".to_owned(), json!(lines)),
        ("variables_used".to_owned(), json!(shorten_lines(&made.used))),
        ("template_syntax".to_owned(), json!(made.syntax)),
        ("warnings".to_owned(), json!(shorten_lines(&made.warnings))),
    ])
}

/// The most names or warnings in an answer.
const LISTED: usize = 1_000;

/// The most characters of each.
const LONGEST: usize = 1_000;

/// Limits these lines, which repeat names from the agent's own template and values.
fn shorten_lines(lines: &[String]) -> Vec<String> {
    lines.iter().take(LISTED).map(|line| shortened(line.clone(), LONGEST)).collect()
}

fn named(values: &[NamedValue]) -> Vec<NamedValue> {
    let brief = |name: &String| shortened(name.clone(), LONGEST);
    values.iter().map(|it| NamedValue { path: brief(&it.path), nearest: it.nearest.as_ref().map(brief) }).collect()
}

async fn read(call: &ToolCall, path: &str) -> Result<String, FailedAnswer> {
    let (snapshot, access) = call.handle.readable(&call.session).await.ok_or_else(closed)?;
    let workspace = PathBuf::from(&*snapshot.workspace);
    let path = path.to_owned();
    let text =
        tokio::task::spawn_blocking(move || super::template_file::read(&workspace, &snapshot.catalog, &access, &path))
            .await;
    text.map_err(|_| closed())?.map_err(|refusal| failure(refusal, Map::new()))
}

/// Journals a rendering. `text` is the text the agent got, which is stored only if the agent wrote neither the template
/// nor any value.
pub(crate) async fn note(call: &ToolCall, rendering: &Rendering, text: Option<&str>) {
    let bytes = rendering.made.text.len();
    let receipt = Receipt {
        tool: Some(call.arguments.tool_name().to_owned()),
        about: rendering.name.iter().cloned().collect(),
        bytes,
        tokens: usize::try_from(refdesk_text::tokens::of_prose(bytes as u64)).unwrap_or(usize::MAX),
        hash: Some(rendering.hash.clone()),
        text: text.filter(|_| rendering.is_from_workspace).map(str::to_owned),
        ..Receipt::new(session::JournalEvent::Rendered)
    };
    // A failure to write the journal is reported as a diagnostic.
    call.handle.note(&call.session, receipt).await;
}
