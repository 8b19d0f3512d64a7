//! Templates: the list, the preview, its diff against the file, and the write after `yes`.

use std::path::Path;

use refdesk_desk::engine::Request;
use refdesk_desk::{RenderFailure, RenderPreview};
use refdesk_files::output::{PriorContent, Proposal, WriteFailure, WrittenFile};
use refdesk_templates::{Template, ValueType, VariableKind, holds_sample};
use refdesk_text::nearest::nearest;

use super::lists::{NumberedRow, Pages, Target, list, read, target};
use super::state::{InputOutcome, InputOwner, Pending, PlainState, Question};
use super::words::{counted, invalid_filter, names, sentence};
use crate::common::filter::{Haystack, Query, apply};
use crate::common::values::{self, FormRow, TypedValues};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewFor {
    Reading,
    Comparing,
    Writing,
}

/// Lists the templates that match this filter, or all.
pub fn show(state: &mut PlainState, filter: &str, turn: &mut InputOutcome) {
    let index = state.snapshot.templates.clone();
    if index.templates.is_empty() {
        return turn.print("No selected source has templates.");
    }
    let query = Query::parse(filter);
    if let Some(fault) = &query.fault {
        turn.print(invalid_filter(fault));
        return list(state, Vec::new(), turn);
    }
    let haystack = Haystack::of_templates(&index, &state.snapshot.catalog);
    let kept = apply(&state.snapshot, &haystack, query, None).rows;
    let all = counted(index.templates.len(), "template");
    match (filter, kept.len()) {
        ("", _) => turn.print(format!("{all}.")),
        (_, some) => turn.print(format!("{some} of {all} match {filter}.")),
    }
    let rows = kept.iter().filter_map(|at| index.templates.get(*at)).map(row).collect();
    list(state, rows, turn);
}

pub fn row(template: &Template) -> NumberedRow {
    NumberedRow::new(Target::Template(template.name.clone()), words(template))
}

/// `Entity.java.tpl, mustache, 3 variables, from java-service.`
fn words(template: &Template) -> String {
    let from = template.source.as_ref().map_or_else(|| "the workspace".to_owned(), ToString::to_string);
    let problem = template.problem.as_ref().map(|_| " It has an error.").unwrap_or_default();
    let variables = counted(template.variables.len(), "variable");
    format!("{}, {}, {variables}, from {from}.{problem}", template.name, template.syntax.word())
}

/// The template for an argument: a number of the list or a name; without an argument, the template used last.
///
/// # Errors
/// There is no such template; the sentence for the user.
pub fn template(state: &mut PlainState, given: &str) -> Result<Template, String> {
    let by_number = given.parse().ok().and_then(|number| target(state, number));
    let name = match (by_number, given, &state.template) {
        (Some(Target::Template(name)), ..) => name.clone(),
        (_, "", Some(name)) => name.clone(),
        (_, "", None) => {
            return Err("Which template? Type templates for a list, and give a number or a name.".to_owned());
        }
        _ => given.to_owned(),
    };
    by_name(state, &name)
}

/// The template of this name.
///
/// # Errors
/// There is no such template; the sentence for the user.
pub fn by_name(state: &mut PlainState, name: &str) -> Result<Template, String> {
    let found = state.snapshot.templates.templates.iter().find(|template| template.name == name).cloned();
    let found = found.ok_or_else(|| format!("There is no template {name}. Type templates for a list."))?;
    state.template = Some(found.name.clone());
    Ok(found)
}

pub fn show_one(template: &Template, turn: &mut InputOutcome) {
    turn.print(words(template));
    if let Some(problem) = &template.problem {
        turn.print(format!("Its error: {}", sentence(problem)));
    }
    for variable in &template.variables {
        let kind = match variable.kind {
            VariableKind::Scalar if variable.value_type == ValueType::Number => "a number",
            VariableKind::Scalar => "a string",
            VariableKind::Flag => "yes or no",
            VariableKind::List => "a list",
            VariableKind::Object => "an object",
        };
        let fields = match variable.fields.as_slice() {
            [] => String::new(),
            fields => format!(" with {}", names(fields.iter().map(|field| field.name.as_str()))),
        };
        let optional = if variable.optional { ", optional" } else { "" };
        turn.print(format!("Variable {}: {kind}{fields}{optional}.", variable.name));
    }
    turn.print("Type values to be asked for them, preview to read the result, difference to compare it, or write.");
}

/// Requests the rendering of a template with the values typed so far.
pub fn preview(state: &mut PlainState, template: &Template, is_for: PreviewFor, turn: &mut InputOutcome) {
    let given = state.saved.values.get(&template.name).cloned().unwrap_or_default();
    let (values, typed) = (Some(given.over_sample(&template.variables)), given.names_of_texts());
    let path = state.paths.get(&template.name).cloned();
    state.pending = Some(Pending::Rendering(is_for));
    turn.ask(Request::Preview { template: template.name.clone(), values, typed, path });
}

pub fn rendered(
    state: &mut PlainState,
    is_for: PreviewFor,
    name: &str,
    outcome: Result<RenderPreview, RenderFailure>,
    turn: &mut InputOutcome,
) {
    let shown = match outcome {
        Ok(shown) => shown,
        Err(failure) => {
            turn.print(format!("{name} does not render."));
            if let Some(line) = failure.error.line {
                turn.print(format!("The error is in line {line} of the template."));
            }
            turn.print_error(&failure.error);
            print_samples(state, name, turn);
            if state.saved.values.contains_key(name) {
                turn.print(format!("Type values to change what was typed, or reset {name} to forget it."));
            }
            return;
        }
    };
    let RenderPreview { made, proposal } = shown;
    made.warnings.iter().for_each(|warning| turn.print(format!("Warning: {}", sentence(warning))));
    let samples = print_samples(state, name, turn);
    match (is_for, proposal) {
        (PreviewFor::Reading, _) => {
            let lines: Vec<String> = made.text.lines().map(str::to_owned).collect();
            turn.print(format!("{name} renders to {}.", counted(lines.len(), "line")));
            read(state, Pages { title: "the preview".to_owned(), lines, ..Pages::default() }, turn);
        }
        (PreviewFor::Comparing, None) => {
            turn.print("The template suggests no file to compare with. Type write to give a path.");
        }
        (PreviewFor::Writing, None) => ask_path(state, name, turn),
        (_, Some(Err(refusal))) => {
            state.paths.remove(name);
            turn.print_error(&refusal);
        }
        (PreviewFor::Comparing, Some(Ok(proposal))) => {
            turn.print(effect(&proposal));
            let lines = proposal.diff.shown().lines().map(str::to_owned).collect();
            read(state, Pages { title: "the difference".to_owned(), lines, ..Pages::default() }, turn);
        }
        (PreviewFor::Writing, Some(Ok(proposal)))
            if samples
                .iter()
                .any(|row| row.is_unmarked_sample() || holds_sample(&made.text) || holds_sample(&proposal.shown)) =>
        {
            turn.print(format!("Nothing was written to {}.", proposal.shown));
            turn.print("Type values to be asked for them, then write again.");
        }
        (PreviewFor::Writing, Some(Ok(proposal))) => ask_write(state, proposal, turn),
    }
}

/// Prints `2 values are not given: basePackage and fields 1 name.` Returns their rows.
fn print_samples(state: &PlainState, name: &str, turn: &mut InputOutcome) -> Vec<FormRow> {
    let Some(template) = state.snapshot.templates.templates.iter().find(|template| template.name == name) else {
        return Vec::new();
    };
    let nothing = TypedValues::default();
    let mut samples = values::rows(&template.variables, state.saved.values.get(name).unwrap_or(&nothing));
    samples.retain(FormRow::is_sample);
    let places: Vec<String> = samples.iter().map(|row| values::place(&row.way)).collect();
    let shown = names(places.iter().map(String::as_str));
    match samples.len() {
        0 => {}
        1 => turn.print(format!("1 value is not given: {shown}.")),
        some => turn.print(format!("{some} values are not given: {shown}.")),
    }
    samples
}

/// `New file src/Entity.java, changes +43 −0.`
fn effect(proposal: &Proposal) -> String {
    if proposal.is_unchanged() {
        return format!("The file {} already has this text.", proposal.shown);
    }
    let what = match proposal.before {
        PriorContent::Nothing => "This is a new file",
        PriorContent::File { .. } => "This OVERWRITES the file",
    };
    let lines = counted(proposal.text.lines().count(), "line");
    format!("{what} {}, {lines}, changes {}.", proposal.shown, proposal.diff.summary())
}

fn ask_path(state: &mut PlainState, name: &str, turn: &mut InputOutcome) {
    turn.print("Type the path of the file, relative to the workspace, or an empty line to write nothing.");
    state.question = Some(Question::Path(name.to_owned()));
}

/// Handles the typed output path.
pub fn path(state: &mut PlainState, name: &str, path: &str, turn: &mut InputOutcome) {
    if path.is_empty() {
        return turn.print("Nothing was written.");
    }
    state.paths.insert(name.to_owned(), path.to_owned());
    if let Some(template) = turn.ok_or_print(by_name(state, name)) {
        preview(state, &template, PreviewFor::Writing, turn);
    }
}

/// Starts writing a template: to this path, the one used last, or the one that the template suggests.
pub fn write(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    let names = || state.snapshot.templates.templates.iter().map(|template| template.name.as_str());
    let is_template = names().any(|name| name == given);
    let is_path = given.starts_with("./");
    let is_number = given.parse::<usize>().is_ok();
    // A template is usually written to its name without the template suffix.
    let is_like = |name: &&str| Path::new(name).extension() == Path::new(given).extension();
    if let Some(near) = nearest(given, names()).filter(|near| !is_template && !is_path && is_like(near)) {
        turn.print(format!("There is no template {given}. Did you mean {near}?"));
        return turn.print(format!("Type write ./{given} to write to a file of this name."));
    }
    let (which, to) = if is_template || is_number || given.is_empty() { (given, "") } else { ("", given) };
    let Some(template) = turn.ok_or_print(template(state, which)) else { return };
    if !to.is_empty() {
        state.paths.insert(template.name.clone(), to.to_owned());
    }
    preview(state, &template, PreviewFor::Writing, turn);
}

/// Prints the whole diff, and asks.
fn ask_write(state: &mut PlainState, proposal: Proposal, turn: &mut InputOutcome) {
    turn.print(effect(&proposal));
    if proposal.is_unchanged() {
        return;
    }
    if let Some(note) = &proposal.diff.note {
        turn.print(format!("Note: {}", sentence(note)));
    }
    proposal.diff.shown().lines().for_each(|line| turn.print(line));
    turn.print("Type yes to write it, or no to write nothing.");
    state.question = Some(Question::Write(Box::new(proposal)));
}

pub fn write_now(state: &mut PlainState, proposal: Box<Proposal>, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Write);
    let reason = match state.input_owner {
        InputOwner::Person => String::new(),
        InputOwner::Script => "a script at the plain interface".to_owned(),
    };
    turn.ask(Request::Write { proposal, reason });
}

/// Handles the result of the write. If the file changed in the meantime, prints the new diff.
pub fn written(state: &mut PlainState, outcome: Result<WrittenFile, WriteFailure>, turn: &mut InputOutcome) {
    match outcome {
        Ok(WrittenFile { shown, bytes, lines }) => {
            turn.print(format!("Wrote {shown}: {}, {}.", counted(lines, "line"), counted(bytes, "byte")));
        }
        Err(WriteFailure { refused, current }) => {
            turn.print_error(&refused);
            turn.print("Nothing was written.");
            if let Some(now) = current.into_iter().next() {
                turn.print("This is the difference now.");
                ask_write(state, now, turn);
            }
        }
    }
}
