//! `refdesk render`: a template and values to text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::args::{RenderArgs, SyntaxName};
use crate::desk::{Desk, Refusal, Request, What};
use crate::disk::path::absolute;
use crate::disk::read_regular;
use crate::render::limits::{VALUES_BYTES, values_too_large};
use crate::render::values::parse as parse_values;
use crate::report::Diagnostic;
use crate::template::Syntax;

/// Renders a template of the index, one given inline, or one of a file.
pub fn run(desk: &mut Desk, args: &RenderArgs) -> Answer {
    let values = match values(desk, args) {
        Ok(values) => values,
        Err(usage) => return usage,
    };
    let mut partials = BTreeMap::new();
    for partial in &args.partials {
        match partial.split_once('=') {
            Some((name, text)) => partials.insert(name.to_owned(), text.to_owned()),
            None => return Answer::usage(format!("--partial '{partial}' has no '='"), "write --partial NAME=TEXT"),
        };
    }
    desk.settle();
    let (index, mut diagnostics) = desk.templates();
    let request =
        Request { what: what(desk, args), syntax: syntax(args), values: Some(values), html: args.html, partials };
    match desk.render(&index, &request) {
        Ok(made) => {
            let json = json!({"success": true, "rendered": made.text, "template_syntax": made.syntax,
                              "size": made.text.len(), "lines": made.text.lines().count(),
                              "variables_used": made.used, "warnings": made.warnings});
            diagnostics.extend(made.warnings.into_iter().map(|warning| Diagnostic::warning("render", warning)));
            Answer { diagnostics, ..Answer::new(json, made.text) }
        }
        Err(failed) => {
            let message = match failed.code {
                "render" => format!("Template render error: {}", failed.error.message),
                _ => failed.error.message,
            };
            let mut json = json!({"success": false});
            if let (Some(syntax), Value::Object(members)) = (failed.syntax, &mut json) {
                members.insert("template_syntax".into(), json!(syntax));
                members.insert("line".into(), json!(failed.error.line));
            }
            Answer { json, diagnostics, ..Answer::refused(Refusal::new(failed.code, message, failed.hint)) }
        }
    }
}

fn what(desk: &Desk, args: &RenderArgs) -> What {
    match (&args.inline, &args.file) {
        (Some(inline), _) => What::Inline(inline.clone()),
        (None, Some(file)) => What::File(absolute(&desk.around().current, file)),
        (None, None) => What::Named(args.name.clone().unwrap_or_default()),
    }
}

fn syntax(args: &RenderArgs) -> Option<Syntax> {
    args.syntax.map(|name| match name {
        SyntaxName::Jinja2 => Syntax::Jinja2,
        SyntaxName::Mustache => Syntax::Mustache,
        SyntaxName::Handlebars => Syntax::Handlebars,
    })
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
            parse_values(&text).map_err(|wrong| Answer::usage(format!("--vars: {wrong}"), json_hint))?
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
    let (bytes, more) = read_regular(path, VALUES_BYTES as u64).map_err(|error| usage(error.to_string()))?;
    if more {
        return Err(usage(values_too_large()));
    }
    String::from_utf8(bytes).map_err(|_| usage("it is not UTF-8".to_owned()))
}
