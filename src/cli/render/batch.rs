//! Renders many templates to many files. Everything is rendered and compared first, and every row that cannot be
//! written is reported; then either all rows are written or none.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::answer::{CommandOutput, object};
use super::super::args::RenderArgs;
use super::write::{PlannedOutput, execute, in_row, not_written, row, scope};
use super::{read_json_argument, refusal};
use crate::cli::fix;
use refdesk_desk::{Desk, NO_PATH, RenderRequest, RenderedTemplate, Session, TemplateRef};
use refdesk_files::output::{Proposal, conflicts};
use refdesk_files::path::absolute;
use refdesk_templates::render::values::exact;
use refdesk_templates::{Syntax, TemplateIndex};
use refdesk_text::json::JsonError;
use refdesk_text::{Code, Error, Fix};

const ROWS: usize = 1000;

/// The most bytes of all texts of a batch, which are in memory at once.
const BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: Option<String>,
    inline: Option<String>,
    file: Option<PathBuf>,
    vars: Option<Value>,
    output: Option<String>,
    syntax: Option<String>,
    #[serde(default)]
    partials: BTreeMap<String, String>,
}

pub(super) fn run(desk: &mut Desk, session: &Session, args: &RenderArgs, given: &str) -> CommandOutput {
    let rows = match rows(desk, args, given) {
        Ok(rows) => rows,
        Err(usage) => return usage,
    };
    let (index, mut diagnostics) = desk.settled().templates();
    // A rendering reports the partials that it lacks. What other templates lack, or it was given, does not matter here.
    diagnostics.retain(|problem| problem.code != Code::UnknownTemplate);
    let mut answer = match prepare(desk, args, &index, &rows) {
        Ok(mut outputs) => {
            let (answer, written) = execute(desk, session, args, &mut outputs);
            let written_row = |(at, output): (usize, &PlannedOutput)| numbered(at, row(output, written.get(at)));
            let json = document(answer.refused.is_empty(), outputs.iter().enumerate().map(written_row).collect());
            CommandOutput { json, ..answer }
        }
        Err(refused) => {
            let refused_row = |(at, json, refusal): &(usize, Map<String, Value>, Error)| {
                let mut json = json.clone();
                json.insert("error".into(), json!(fix::worded(refusal.clone())));
                numbered(*at, json)
            };
            let json = document(false, refused.iter().map(refused_row).collect());
            let refused = refused.into_iter().map(|(at, _, refusal)| in_row(at, refusal)).collect();
            CommandOutput::new(json, "").with_failures(refused)
        }
    };
    if rows.is_empty() {
        answer.text = b"Nothing to write.\n".to_vec();
    }
    answer.diagnostics.splice(..0, diagnostics);
    answer
}

fn document(success: bool, outputs: Vec<Value>) -> Value {
    object([("success", json!(success)), ("outputs", Value::Array(outputs))])
}

/// A row of the answer; rows are counted from 1.
fn numbered(at: usize, members: Map<String, Value>) -> Value {
    let mut row = Map::from_iter([("row".to_owned(), json!(at + 1))]);
    row.extend(members);
    Value::Object(row)
}

/// A failed row: its index, its members, and why.
type FailedRow = (usize, Map<String, Value>, Error);

/// The text and diff of every row, or every failed row.
fn prepare(
    desk: &Desk,
    args: &RenderArgs,
    index: &TemplateIndex,
    rows: &[(RenderRequest, Option<String>)],
) -> Result<Vec<PlannedOutput>, Vec<FailedRow>> {
    let mut outputs: Vec<(usize, PlannedOutput)> = Vec::new();
    let mut failed: Vec<FailedRow> = Vec::new();
    let mut bytes = 0;
    for (at, (request, path)) in rows.iter().enumerate() {
        match output(desk, args, index, request, path.as_deref()) {
            Ok(output) => {
                bytes += output.made.text.len();
                outputs.push((at, output));
            }
            Err((json, refusal)) => failed.push((at, json, refusal)),
        }
        if bytes > BYTES {
            let message = format!("the texts of the batch exceed the limit of {BYTES} bytes (64 MiB)");
            let refusal = Error::new(Code::TooMuch, message, "write them in several batches");
            return Err(vec![(at, Map::new(), not_written(refusal))]);
        }
    }
    let proposals: Vec<&Proposal> = outputs.iter().map(|(_, output)| &output.proposal).collect();
    for (one, other, refused) in conflicts(&proposals) {
        if let (Some((first, _)), Some((at, output))) = (outputs.get(one), outputs.get(other)) {
            let mut refusal = not_written(refused);
            refusal.message.push_str(&format!(" (row {})", first + 1));
            failed.push((*at, row(output, None), refusal));
        }
    }
    failed.sort_by_key(|(at, ..)| *at);
    if failed.is_empty() { Ok(outputs.into_iter().map(|(_, output)| output).collect()) } else { Err(failed) }
}

/// Words a fix for a row, whose values are in its `vars`.
fn words(advice: &Fix) -> Option<String> {
    match advice {
        Fix::GiveFalsy { name, json } => {
            Some(format!("'{name}' is only tested: leave it out with {}: {json} in \"vars\" of the row", json!(name)))
        }
        Fix::GiveJson { name, json } => Some(format!("write {}: {json} in \"vars\" of the row", json!(name))),
        Fix::GiveValue => Some("give it a value in \"vars\" of the row".to_owned()),
        other => fix::words(other),
    }
}

fn output(
    desk: &Desk,
    args: &RenderArgs,
    index: &TemplateIndex,
    request: &RenderRequest,
    path: Option<&str>,
) -> Result<PlannedOutput, (Map<String, Value>, Error)> {
    let known = |path: Option<&str>| Map::from_iter([("output_path".to_owned(), json!(path))]);
    let mut made: RenderedTemplate = desk.render(index, request).map_err(|failed| {
        let refusal = refusal(failed);
        let fix = refusal.fix.worded(&words).into();
        (known(path), Error { fix, ..refusal })
    })?;
    let Some(shown) = path.or(made.offered.as_deref()) else {
        let why = made.warnings.iter().find_map(|warning| warning.strip_prefix(NO_PATH));
        let message = match why {
            Some(why) => format!("no output path is given, and the one in the template cannot be filled in: {why}"),
            None => "no output path is given, and the template suggests none".to_owned(),
        };
        return Err((known(None), not_written(Error::new(Code::NoOutputPath, message, "add \"output\" to the row"))));
    };
    let proposed = match path {
        Some(path) => desk.propose(path, &made.text, scope(args)),
        None => desk.propose_offered(shown, &made.text, scope(args)),
    };
    let proposal = proposed.map_err(|refusal| (known(Some(shown)), not_written(refusal)))?;
    made.warnings.extend(proposal.diff.note.clone());
    Ok(PlannedOutput { made, proposal })
}

fn rows(desk: &Desk, args: &RenderArgs, given: &str) -> Result<Vec<(RenderRequest, Option<String>)>, CommandOutput> {
    let usage = |message: String, fix: &str| CommandOutput::usage(format!("--batch: {message}"), fix);
    let not_a_list = |message: String| {
        usage(
            message,
            "write a JSON list, for example --batch '[{\"name\": \"x.tpl\", \"vars\": {}, \"output\": \"x\"}]'",
        )
    };
    let text = read_json_argument(desk, "--batch", given)?;
    let text = text.trim_start_matches('\u{feff}');
    let rows: Vec<Value> = serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => not_a_list("it is not a JSON list".to_owned()),
        _ => not_a_list(format!("it is not JSON: {}", JsonError::of(text, &error))),
    })?;
    exact(text).map_err(|message| usage(message, "correct it"))?;
    if rows.len() > ROWS {
        let message = format!("--batch: it has {} rows, more than the limit of {ROWS}", rows.len());
        return Err(CommandOutput::usage(message, "split it"));
    }
    let request = |(at, row): (usize, Value)| {
        let usage = |message: String| usage(format!("row {}: {message}", at + 1), "correct the row");
        // `serde_json` also parses a list as a struct, with its items as members in order.
        let row: Map<String, Value> =
            serde_json::from_value(row).map_err(|_| usage("it is not a JSON object".to_owned()))?;
        let row: Row = serde_json::from_value(row.into()).map_err(|error| usage(error.to_string()))?;
        let what = match (row.name, row.inline, row.file) {
            (Some(name), None, None) => TemplateRef::Named(name),
            (None, Some(text), None) => TemplateRef::Inline(text),
            (None, None, Some(file)) => TemplateRef::File(absolute(&desk.workspace_context().current, &file)),
            _ => return Err(usage("it must have exactly one of 'name', 'inline' and 'file'".to_owned())),
        };
        let syntax = match row.syntax {
            None => None,
            Some(word) => {
                let known = Syntax::named(&word);
                Some(known.ok_or_else(|| {
                    usage(format!("'{word}' is not a template syntax; use jinja2, mustache or handlebars"))
                })?)
            }
        };
        let values = Some(row.vars.unwrap_or_else(|| Value::Object(Map::new())));
        let (html, partials) = (args.html, row.partials);
        let request = RenderRequest { syntax, html, partials, gives_flags: true, ..RenderRequest::of(what, values) };
        Ok((request, row.output))
    };
    rows.into_iter().enumerate().map(request).collect()
}
