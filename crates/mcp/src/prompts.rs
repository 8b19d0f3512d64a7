//! Templates as MCP prompts. Arguments of a prompt are strings, so only templates whose variables are all strings and
//! flags are prompts.

use std::collections::HashMap;

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, PaginatedRequestParams, Prompt, PromptArgument,
    PromptMessage, Role,
};
use serde_json::{Map, Value};

use super::paging::{Page, after, page};
use super::tools::{closed, invalid};
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_desk::{RenderFailure, RenderRequest, Session};
use refdesk_templates::{Template, TemplateIndex, ValueType, Variable, VariableKind};
use refdesk_text::escape::one_line;
use refdesk_text::nearest::{did_you_mean, nearest};
use refdesk_tools::handle::DeskHandle;
use refdesk_tools::receipts;

/// Whether a template is a prompt: it has no problem, and all its variables are strings or flags.
fn is_prompt(template: &Template) -> bool {
    let is_plain = |variable: &Variable| matches!(variable.kind, VariableKind::Scalar | VariableKind::Flag);
    template.problem.is_none() && template.variables.iter().all(is_plain)
}

/// The prompts among these templates, sorted by name.
pub(crate) fn prompts(index: &TemplateIndex) -> impl Iterator<Item = Prompt> {
    index.of_selection().filter(|template| is_prompt(template)).map(prompt)
}

/// `prompts/list`.
pub(crate) async fn list(
    handle: &DeskHandle,
    session: &Session,
    request: Option<PaginatedRequestParams>,
) -> Result<ListPromptsResult, ErrorData> {
    let snapshot = handle.indexed(session).await.ok_or_else(closed)?;
    let from = after("prompts", request.as_ref())?;
    // Sorted by name, so that added and removed templates do not shift the pages.
    let rest = prompts(&snapshot.templates).filter(|prompt| from.is_none_or(|from| prompt.name.as_str() > from));
    let Page { entries, next } = page("prompts", rest, |prompt| prompt.name.clone());
    Ok(ListPromptsResult { next_cursor: next, ..ListPromptsResult::with_all_items(entries) })
}

/// `prompts/get`: the rendered template as a user message.
pub(crate) async fn get(
    handle: &DeskHandle,
    session: &Session,
    asked: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let snapshot = handle.indexed(session).await.ok_or_else(closed)?;
    let template = find(&snapshot.templates, &asked.name)?;
    let arguments = asked.arguments.unwrap_or_default();
    let has_arguments = !arguments.is_empty();
    let values = values(template, arguments)?;
    let texts = values.as_object().into_iter().flatten().filter(|(_, value)| value.is_string());
    let typed = texts.map(|(name, _)| name.clone()).collect();
    let name = template.name.clone();
    let description = description(template);
    let request = Box::new(RenderRequest { typed, ..RenderRequest::named(&name, Some(values)) });
    let prepared = match handle.ask(session, Request::Prepare(request)).await {
        Some(Response::Prepared(prepared)) => prepared.map_err(|unrendered| render_error(&name, &unrendered))?,
        _ => return Err(closed()),
    };
    let made = handle.render(move |renderer| prepared.render(renderer)).await.ok_or_else(closed)?;
    let made = made.map_err(|unrendered| render_error(&name, &unrendered))?;
    // The text contains the arguments, and text written by a client is not stored.
    let journalled = if has_arguments { receipts::with_hash } else { receipts::with_text };
    let receipt = Receipt {
        about: vec![name],
        tool: Some("prompts/get".to_owned()),
        ..journalled(JournalEvent::Rendered, &made.text)
    };
    handle.note(session, receipt).await;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, made.text)]).with_description(description))
}

/// The prompt with this name, plain or escaped as in `prompts/list`.
pub(crate) fn find<'i>(index: &'i TemplateIndex, name: &str) -> Result<&'i Template, ErrorData> {
    let exact = index.of_selection().find(|template| template.name == name);
    match exact.or_else(|| index.of_selection().find(|template| one_line(&template.name) == name)) {
        Some(template) if is_prompt(template) => Ok(template),
        Some(template) => {
            let (what, instead) = match &template.problem {
                Some(problem) => (format!("cannot be read: {}", one_line(problem)), "fix the template"),
                None => ("needs lists or objects, which a prompt does not accept".to_owned(), "use renderTemplate"),
            };
            Err(invalid(format!("the template '{}' {what}; {instead}", one_line(name))))
        }
        None => {
            let known = index.of_selection().filter(|template| is_prompt(template)).map(|it| it.name.as_str());
            let advice =
                did_you_mean(name, known).unwrap_or_else(|| "prompts/list lists those of the selection".to_owned());
            Err(invalid(format!("no prompt is named '{}'; {advice}", shown(name))))
        }
    }
}

fn prompt(template: &Template) -> Prompt {
    let arguments: Vec<PromptArgument> = template.variables.iter().map(argument).collect();
    Prompt::new(one_line(&template.name), Some(description(template)), (!arguments.is_empty()).then_some(arguments))
}

fn description(template: &Template) -> String {
    let source = template.source.as_ref().map(|id| format!(" of @{}", one_line(id.as_str()))).unwrap_or_default();
    format!("The {} template {}{source}", template.syntax.word(), one_line(&template.name))
}

fn argument(variable: &Variable) -> PromptArgument {
    let about = match (variable.kind, variable.value_type) {
        (VariableKind::Flag, _) => "true or false",
        (_, ValueType::Number) => "a number",
        _ => "a string",
    };
    let optional = if variable.optional && variable.kind != VariableKind::Flag { ", may be left out" } else { "" };
    let about = format!("{about}{optional}");
    PromptArgument::new(one_line(&variable.name)).with_description(about).with_required(!variable.optional)
}

/// Values for the template: strings, and booleans for flags. Argument names may be escaped as in `prompts/list`.
fn values(template: &Template, given: Map<String, Value>) -> Result<Value, ErrorData> {
    let own = |name: String| names_of(template).find(|own| one_line(own) == name).map_or(name.clone(), str::to_owned);
    let given: Map<String, Value> = given.into_iter().map(|(name, value)| (own(name), value)).collect();
    let known: HashMap<&str, &Variable> =
        template.variables.iter().map(|variable| (variable.name.as_str(), variable)).collect();
    let missing: Vec<&str> = template
        .variables
        .iter()
        .filter(|variable| !variable.optional && !given.contains_key(&variable.name))
        .map(|variable| variable.name.as_str())
        .collect();
    let mut stray: Vec<&str> = given.keys().map(String::as_str).filter(|name| !known.contains_key(name)).collect();
    stray.sort_unstable();
    if !missing.is_empty() || !stray.is_empty() {
        return Err(unfit(template, &missing, &stray));
    }
    // A missing flag is false; a strict engine would reject an undefined one.
    let flags = template.variables.iter().filter(|variable| variable.kind == VariableKind::Flag);
    let mut values: Map<String, Value> = flags.map(|flag| (flag.name.clone(), Value::Bool(false))).collect();
    for (name, value) in given {
        let is_flag = known.get(name.as_str()).is_some_and(|variable| variable.kind == VariableKind::Flag);
        let value = match value {
            Value::String(text) if is_flag && text.eq_ignore_ascii_case("true") => Value::Bool(true),
            Value::String(text) if is_flag && (text.is_empty() || text.eq_ignore_ascii_case("false")) => {
                Value::Bool(false)
            }
            Value::String(text) if is_flag => {
                let (name, text) = (one_line(&name), shown(&text));
                return Err(invalid(format!("the argument '{name}' must be 'true' or 'false', not '{text}'")));
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(invalid(format!("the argument '{}' must be a string", one_line(&name))));
            }
            other => other,
        };
        values.insert(name, value);
    }
    Ok(Value::Object(values))
}

/// The beginning of what a client sent, for an error.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(200).collect();
    one_line(&text).into_owned()
}

/// The error for missing and unknown arguments.
fn unfit(template: &Template, missing: &[&str], stray: &[&str]) -> ErrorData {
    let names =
        |names: &[&str]| names.iter().map(|name| format!("'{}'", one_line(name))).collect::<Vec<_>>().join(", ");
    let mut sentences = Vec::new();
    if !missing.is_empty() {
        sentences.push(format!("missing: {}", names(missing)));
    }
    for name in stray {
        let of =
            if missing.is_empty() { nearest(name, names_of(template)) } else { nearest(name, missing.iter().copied()) };
        let suggestion = of.map(|of| format!(" (did you mean '{}'?)", one_line(of))).unwrap_or_default();
        sentences.push(format!("unknown argument: '{}'{suggestion}", shown(name)));
    }
    let all: Vec<&str> = names_of(template).collect();
    let all = if all.is_empty() { "it takes none".to_owned() } else { format!("it takes {}", names(&all)) };
    let (name, sentences) = (one_line(&template.name), sentences.join("; "));
    invalid(format!("invalid arguments for the prompt '{name}': {sentences}; {all}"))
}

fn names_of(template: &Template) -> impl Iterator<Item = &str> {
    template.variables.iter().map(|variable| variable.name.as_str())
}

/// The error for a template that does not render.
fn render_error(name: &str, unrendered: &RenderFailure) -> ErrorData {
    let hint = if unrendered.error.fix.is_none() {
        String::new()
    } else {
        format!("; {}", unrendered.error.fix.worded(&|fix| refdesk_tools::advice(fix, &[])))
    };
    let message = one_line(&unrendered.error.message);
    invalid(format!("the prompt '{}' does not render: {message}{}", one_line(name), one_line(&hint)))
}
