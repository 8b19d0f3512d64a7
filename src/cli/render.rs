//! `refdesk render`: a template and values to text.

use std::collections::HashMap;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::args::{RenderArgs, SyntaxName};
use crate::desk::{Desk, Refusal};
use crate::disk::path::absolute;
use crate::disk::read_regular;
use crate::render;
use crate::template::{self, Syntax, TemplateIndex};

/// Values are read whole up to this many bytes.
const VALUES_LIMIT: u64 = 64 * 1024 * 1024;

/// Renders a template of the index, one given inline, or one of a file.
pub fn run(desk: &mut Desk, args: &RenderArgs) -> Answer {
    let values = match values(desk, args) {
        Ok(values) => values,
        Err(usage) => return usage,
    };
    let mut partials = HashMap::new();
    for partial in &args.partials {
        match partial.split_once('=') {
            Some((name, text)) => partials.insert(name.to_owned(), text.to_owned()),
            None => return Answer::usage(format!("--partial '{partial}' has no '='"), "write --partial NAME=TEXT"),
        };
    }
    desk.settle();
    let (index, diagnostics) = desk.templates();
    let settled = args.syntax.map(|name| match name {
        SyntaxName::Jinja2 => Syntax::Jinja2,
        SyntaxName::Mustache => Syntax::Mustache,
    });
    let (text, syntax) = match text(desk, &index, args, settled) {
        Ok(found) => found,
        Err(refusal) => {
            return Answer { json: json!({"success": false}), diagnostics, ..Answer::refused(refusal) };
        }
    };
    let options = render::Options { html: args.html, partials, lookup: None };
    match desk.render(&index, &text, syntax, &values, &options) {
        Ok(rendered) => {
            let json = json!({"success": true, "rendered": rendered.text, "template_syntax": syntax,
                              "size": rendered.text.len(), "lines": rendered.text.lines().count(),
                              "warnings": rendered.warnings});
            let warn = |warning: &String| crate::report::Diagnostic::warning("render", warning.clone());
            let mut diagnostics = diagnostics;
            diagnostics.extend(rendered.warnings.iter().map(warn));
            Answer { diagnostics, ..Answer::new(json, rendered.text) }
        }
        Err(error) => {
            let hint = match &args.name {
                Some(name) => format!("`refdesk templates variables {name}` shows what it asks for"),
                None => String::new(),
            };
            let refusal = Refusal::new("render", format!("Template render error: {}", error.message), hint);
            let json = json!({"success": false, "template_syntax": syntax, "line": error.line});
            Answer { json, diagnostics, ..Answer::refused(refusal) }
        }
    }
}

fn text(
    desk: &Desk,
    index: &TemplateIndex,
    args: &RenderArgs,
    settled: Option<Syntax>,
) -> Result<(String, Syntax), Refusal> {
    let detected = |text: String| {
        let syntax = settled.unwrap_or_else(|| template::detect(&text).syntax);
        (text, syntax)
    };
    if let Some(inline) = &args.inline {
        return Ok(detected(inline.clone()));
    }
    if let Some(file) = &args.file {
        let path = absolute(&desk.around().current, file);
        if !path.exists() {
            let message = format!("Template file not found: {}", path.display());
            return Err(Refusal::new("no-such-file", message, "--file is relative to the current folder"));
        }
        let text = template::read(&path).map_err(|error| {
            Refusal::new("template-unreadable", format!("{} {error}", path.display()), "mend the file")
        })?;
        return Ok(detected(text));
    }
    let (template, text) = desk.template(index, args.name.as_deref().unwrap_or_default())?;
    let syntax = settled.unwrap_or(template.syntax);
    Ok((text, syntax))
}

/// The values: the document of `--vars`, then each `--var` on top of it.
fn values(desk: &Desk, args: &RenderArgs) -> Result<Value, Answer> {
    let json_hint = "write a JSON object, for example --vars '{\"name\": \"Ada\"}'";
    let mut values = match args.vars.as_deref() {
        None => Value::Object(Map::new()),
        Some(given) => {
            let text = match given.strip_prefix('@') {
                None => given.to_owned(),
                Some(file) => read_values(&absolute(&desk.around().current, &PathBuf::from(file)))?,
            };
            serde_json::from_str(text.trim_start_matches('\u{feff}'))
                .map_err(|error| Answer::usage(format!("--vars is no JSON: {error}"), json_hint))?
        }
    };
    for given in &args.var {
        let Some((key, value)) = given.split_once('=') else {
            return Err(Answer::usage(format!("--var '{given}' has no '='"), "write --var name=text or name:=JSON"));
        };
        let (key, value) = match key.strip_suffix(':') {
            None => (key, Value::from(value)),
            Some(key) => {
                let parsed = serde_json::from_str(value);
                let hint = "behind := stands JSON, for example --var 'fields:=[\"id\"]'";
                (key, parsed.map_err(|error| Answer::usage(format!("--var '{given}' is no JSON: {error}"), hint))?)
            }
        };
        match &mut values {
            Value::Object(members) => members.insert(key.to_owned(), value),
            _ => return Err(Answer::usage("--var needs --vars to be an object", json_hint)),
        };
    }
    Ok(values)
}

fn read_values(path: &std::path::Path) -> Result<String, Answer> {
    let hint = "@FILE is relative to the current folder";
    let usage = |what: String| Answer::usage(format!("--vars @{}: {what}", path.display()), hint);
    let (bytes, more) = read_regular(path, VALUES_LIMIT).map_err(|error| usage(error.to_string()))?;
    if more {
        return Err(usage(format!("it has more than {} MiB", VALUES_LIMIT / (1024 * 1024))));
    }
    String::from_utf8(bytes).map_err(|_| usage("it is not UTF-8".to_owned()))
}
