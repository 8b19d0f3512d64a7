//! `refdesk render`: renders a template with values, and prints or writes the text.

mod batch;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::answer::CommandOutput;
use super::args::{RenderArgs, SyntaxName};
use super::templates::is_same;
use super::text_input::read_stdin;
use refdesk_core::config::expand_home;
use refdesk_desk::{Desk, RenderFailure, RenderRequest, RenderedTemplate, Session, TemplateRef};
use refdesk_files::path::absolute;
use refdesk_files::{read_regular, unreadable};
use refdesk_templates::Syntax;
use refdesk_templates::limits::{TEMPLATE_BYTES, is_too_large};
use refdesk_templates::render::limits::{VALUES_BYTES, values_too_large};
use refdesk_templates::render::values::{exact, parse as parse_values};
use refdesk_text::json::JsonError;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// Names standard input in place of a file.
const STDIN: &str = "-";

/// Renders a template of the index, an inline one, or a file; writes the text if an output path is given; or renders a
/// batch.
pub fn run(desk: &mut Desk, session: &Session, args: &RenderArgs) -> CommandOutput {
    if let Some(given) = &args.batch {
        return batch::run(desk, session, args, given);
    }
    if args.name.is_none() && args.inline.is_none() && args.file.is_none() {
        let fix = "name a template of the selection, or give --inline TEXT, --file FILE or --batch JSON";
        return CommandOutput::usage("nothing to render is given", fix);
    }
    if args.file.as_deref() == Some(Path::new(STDIN)) && args.vars.as_deref() == Some("@-") {
        let message = "--file and --vars both read standard input";
        return CommandOutput::usage(message, "put the template or the values into a file");
    }
    let (values, typed) = match values(desk, args) {
        Ok(values) => values,
        Err(usage) => return usage,
    };
    let mut partials = BTreeMap::new();
    for partial in &args.partials {
        match named("--partial", partial, "write --partial NAME=TEXT") {
            Ok((name, text)) => partials.insert(name.to_owned(), text.to_owned()),
            Err(usage) => return usage,
        };
    }
    let template = match template_ref(desk, args) {
        Ok(template) => template,
        Err(refused) => return refused,
    };
    let (index, mut diagnostics) = desk.settled().templates();
    // A rendering reports the partials that it lacks. What other templates lack, or it was given, does not matter here.
    diagnostics.retain(|problem| problem.code != Code::UnknownTemplate);
    let request = RenderRequest {
        syntax: syntax(args),
        typed,
        html: args.html,
        partials,
        ..RenderRequest::of(template, Some(values))
    };
    let mut answer = match (desk.render(&index, &request), &args.output) {
        (Ok(made), Some(path)) => write::one(desk, session, args, made, path),
        (Ok(made), None) => printed(desk, made),
        (Err(failed), path) => {
            // The failure reports the same problem.
            diagnostics.retain(|problem| !is_same(problem, &failed.error));
            let json = known(&failed, path.as_deref());
            CommandOutput { json, ..CommandOutput::refused(refusal(failed)) }
        }
    };
    answer.diagnostics.splice(..0, diagnostics);
    answer
}

fn printed(desk: &Desk, made: RenderedTemplate) -> CommandOutput {
    let json = json!({"success": true, "rendered": made.text, "template_syntax": made.syntax,
                      "size": made.text.len(), "lines": made.text.lines().count(), "variables_used": made.used,
                      "variables_unused": made.fit.unused, "variables_missing": made.fit.missing,
                      "offered_output": made.offered, "warnings": made.warnings});
    let warnings = warnings(&made, false).collect();
    let is_below = desk.workspace_context().current != desk.workspace();
    let notes = made.offered.map(|path| {
        // It is relative to the workspace, and what is typed is not.
        let offered = expand_home(desk.workspace_context(), &path);
        let typed = if is_below { desk.workspace().join(&*offered).display().to_string() } else { path.clone() };
        format!("the template suggests the output path {path}: --output '{typed}' writes there")
    });
    CommandOutput { diagnostics: warnings, notes: notes.into_iter().collect(), ..CommandOutput::new(json, made.text) }
}

/// The warnings of a rendering as diagnostics; a text that is taken for something else with the option to write instead,
/// which a batch does not take.
fn warnings(made: &RenderedTemplate, is_batch: bool) -> impl Iterator<Item = Diagnostic> {
    made.warnings.iter().map(move |warning| {
        let misread = made.fit.misread.iter().find(|misread| misread.sentence == *warning);
        let json = misread.filter(|misread| !misread.path.contains(['.', '['])).and_then(|misread| {
            let [name, json] = [&misread.path, misread.json.as_ref()?].map(|word| shell_words::quote(word));
            Some(format!("write --var {name}:={json}"))
        });
        let fix = json.filter(|_| !is_batch);
        Diagnostic::warning(Code::Render, warning.as_str()).fix(fix.unwrap_or_default())
    })
}

fn refusal(failed: RenderFailure) -> Error {
    match failed.error.code {
        Code::Render => Error { message: format!("Template render error: {}", failed.error.message), ..failed.error },
        _ => failed.error,
    }
}

/// The JSON members that are known in spite of the failure.
fn known(failed: &RenderFailure, path: Option<&str>) -> Value {
    let mut json = Map::from_iter([("success".to_owned(), json!(false))]);
    if let Some(path) = path {
        json.insert("output_path".into(), json!(path));
    }
    if let Some(syntax) = failed.syntax {
        json.insert("template_syntax".into(), json!(syntax));
        json.insert("line".into(), json!(failed.error.line));
        json.insert("variables_unused".into(), json!(failed.fit.unused));
        json.insert("variables_missing".into(), json!(failed.fit.missing));
    }
    Value::Object(json)
}

fn template_ref(desk: &Desk, args: &RenderArgs) -> Result<TemplateRef, CommandOutput> {
    Ok(match (&args.inline, &args.file) {
        (Some(inline), _) => TemplateRef::Inline(inline.clone()),
        (None, Some(file)) if file == Path::new(STDIN) => template_on_stdin()?,
        (None, Some(file)) => TemplateRef::File(absolute(&desk.workspace_context().current, file)),
        (None, None) => TemplateRef::Named(args.name.clone().unwrap_or_default()),
    })
}

fn syntax(args: &RenderArgs) -> Option<Syntax> {
    args.syntax.map(|name| match name {
        SyntaxName::Jinja2 => Syntax::Jinja2,
        SyntaxName::Mustache => Syntax::Mustache,
        SyntaxName::Handlebars => Syntax::Handlebars,
    })
}

/// The values: the document of `--vars`, overridden by each `--var`; and the names of those given as text.
fn values(desk: &Desk, args: &RenderArgs) -> Result<(Value, BTreeSet<String>), CommandOutput> {
    let json_hint = "write a JSON object, for example --vars '{\"name\": \"Ada\"}'";
    let mut values = match args.vars.as_deref() {
        None => Value::Object(Map::new()),
        Some(given) => {
            let text = read_json_argument(desk, "--vars", given)?;
            let is_file = absolute(&desk.workspace_context().current, Path::new(given)).is_file();
            let named = given.strip_prefix('@');
            parse_values(&text).map_err(|wrong| {
                let fix = match named {
                    _ if wrong.code != Code::JsonSyntax => wrong.fix,
                    Some(STDIN) => "write a JSON object to standard input".into(),
                    Some(file) => format!("write a JSON object in {file}").into(),
                    None if is_file => format!("write --vars @{given} to read the file").into(),
                    None => json_hint.into(),
                };
                let place = named.map_or_else(String::new, |file| format!(" @{file}"));
                CommandOutput::usage(format!("--vars{place}: {}", wrong.message), fix)
            })?
        }
    };
    let mut typed = BTreeSet::new();
    for given in &args.var {
        let (key, value) = named("--var", given, "write --var name=text or name:=JSON")?;
        let (key, value) = match key.strip_suffix(':') {
            None => {
                typed.insert(key.to_owned());
                (key, Value::from(value))
            }
            Some(key) => {
                typed.remove(key);
                let parsed = serde_json::from_str(value);
                let wrong = |message: String| CommandOutput::usage(message, json_value_fix(key, value));
                exact(value).map_err(|why| wrong(format!("--var '{key}': {why}")))?;
                let not_json = |why| format!("--var '{given}' is not JSON: {}", JsonError::of(value, &why));
                (key, parsed.map_err(|why| wrong(not_json(why)))?)
            }
        };
        match &mut values {
            Value::Object(members) => members.insert(key.to_owned(), value),
            _ => return Err(CommandOutput::usage("--var needs --vars to be an object", json_hint)),
        };
    }
    Ok((values, typed))
}

/// What to do about a value after `:=` that is not JSON: most are texts that need no `:`.
fn json_value_fix(key: &str, value: &str) -> String {
    let is_meant_as_json = value.trim().is_empty() || value.trim_start().starts_with(['[', '{', '"']);
    let text = if is_meant_as_json { "name=text".to_owned() } else { format!("{key}={value}") };
    let text = shell_words::quote(&text).into_owned();
    format!(":= takes JSON, for example --var 'fields:=[\"id\"]'; for a text write --var {text}")
}

/// Splits NAME=VALUE.
fn named<'g>(option: &str, given: &'g str, hint: &str) -> Result<(&'g str, &'g str), CommandOutput> {
    let usage = |lacks: &str| CommandOutput::usage(format!("{option} '{given}' has no {lacks}"), hint);
    let (name, value) = given.split_once('=').ok_or_else(|| usage("'='"))?;
    if matches!(name, "" | ":") { Err(usage("name before '='")) } else { Ok((name, value)) }
}

/// JSON from an option, or the text of the file that `@FILE` names, or of standard input for `@-`.
fn read_json_argument(desk: &Desk, option: &str, given: &str) -> Result<String, CommandOutput> {
    let Some(file) = given.strip_prefix('@') else { return Ok(given.to_owned()) };
    let path = absolute(&desk.workspace_context().current, Path::new(file));
    let limit = VALUES_BYTES as u64;
    let (shown, read) = match file {
        STDIN => ("standard input".to_owned(), read_stdin(limit)),
        _ => (path.display().to_string(), read_regular(&path, limit)),
    };
    let usage = |message: String, fix: &str| CommandOutput::usage(format!("{option}: {message}"), fix);
    let (bytes, more) = read.map_err(|error| {
        let fix = match error.kind() {
            io::ErrorKind::NotFound => "@FILE is relative to the current folder",
            io::ErrorKind::PermissionDenied => "allow this user to read it",
            _ => "name a regular file, or write @- to read standard input",
        };
        usage(unreadable(&shown, &error), fix)
    })?;
    if more {
        return Err(usage(format!("{shown}: {}", values_too_large()), "leave out what the templates do not use"));
    }
    String::from_utf8(bytes).map_err(|_| usage(format!("{shown}: it is not UTF-8"), "save it as UTF-8"))
}

/// The template on standard input.
fn template_on_stdin() -> Result<TemplateRef, CommandOutput> {
    let refused = |why: &str, fix: &str| {
        CommandOutput::refused(Error::new(Code::TemplateUnreadable, format!("standard input {why}"), fix))
    };
    let (bytes, more) = read_stdin(TEMPLATE_BYTES as u64)
        .map_err(|error| refused(&format!("cannot be read: {error}"), "name a file with --file FILE"))?;
    if more {
        return Err(refused(&is_too_large(), "split the template"));
    }
    String::from_utf8(bytes).map(TemplateRef::Inline).map_err(|_| refused("is not UTF-8", "write it as UTF-8"))
}
