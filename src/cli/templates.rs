//! `refdesk templates`: the templates of the selection, their text and their variables.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::TemplatesCommand;
use super::table;
use refdesk_desk::{Desk, Session, rows as desk_rows};
use refdesk_templates::{Template, TemplateIndex, ValueType, Variable, VariableKind};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

pub(super) mod extract;
pub(super) mod validate;

/// Runs the subcommand; without one, lists.
pub fn run(desk: &mut Desk, session: &Session, command: Option<&TemplatesCommand>) -> CommandOutput {
    let desk = &desk.settled();
    let (index, diagnostics) = desk.templates();
    let answer = match command {
        None => list(desk, &index, None),
        Some(TemplatesCommand::List { pattern }) => list(desk, &index, pattern.as_deref()),
        Some(TemplatesCommand::Show { name }) => show(desk, &index, name),
        Some(TemplatesCommand::Variables { name }) => variables(desk, &index, name),
        Some(TemplatesCommand::Extract { files }) => extract::run(desk, session, &index, files),
        // The answer already consists of the problems.
        Some(TemplatesCommand::Validate { file: None }) => return validate::index(&index, diagnostics),
        Some(TemplatesCommand::Validate { file: Some(file) }) => return validate::file(desk, &index, file),
    };
    let mut diagnostics = [diagnostics, answer.diagnostics].concat();
    // The failure reports the same problem.
    diagnostics.retain(|problem| !answer.refused.iter().any(|error| is_same(problem, error)));
    CommandOutput { diagnostics, ..answer }
}

/// Whether a failure reports the same problem of a template as a diagnostic does.
pub(super) fn is_same(problem: &Diagnostic, error: &Error) -> bool {
    let is_of_file = problem.file.as_ref().is_some_and(|file| error.message.starts_with(file.as_str()));
    problem.message.ends_with(&error.message) || (problem.code == error.code && is_of_file)
}

fn list(desk: &Desk, index: &TemplateIndex, pattern: Option<&str>) -> CommandOutput {
    let fits = match desk_rows::name_filter(pattern) {
        Ok(fits) => fits,
        Err(error) => return CommandOutput::usage(format!("--pattern: {}", error.message), error.fix),
    };
    let templates: Vec<&Template> = index.templates.iter().filter(|template| fits(&template.name)).collect();
    let listed: Vec<Value> = templates.iter().map(|template| row(desk, template)).collect();
    let json = json!({"templates": listed, "count": templates.len()});
    if templates.is_empty() {
        if pattern.is_some() && !index.templates.is_empty() {
            return CommandOutput::new(json, "No template name matches the pattern.\n");
        }
        if !index.unreadable.is_empty() {
            return CommandOutput::new(json, "The selection has no templates that can be read.\n");
        }
        // The text form of other lists repeats names, so commands are offered in a note.
        let notes = vec!["`refdesk select ID` picks a source with templates".to_owned()];
        return CommandOutput { notes, ..CommandOutput::new(json, "The selection has no templates.\n") };
    }
    let cells = |template: &&Template| {
        let variables = refdesk_templates::names(&template.variables).join(", ");
        let syntax = if template.problem.is_some() { "broken" } else { template.syntax.word() };
        vec![template.name.clone(), syntax.to_owned(), variables]
    };
    CommandOutput::new(json, table::table(&templates.iter().map(cells).collect::<Vec<_>>(), &[2]))
}

fn row(desk: &Desk, template: &Template) -> Value {
    Value::Object(desk_rows::template(desk.workspace(), template))
}

/// Like [`row`], with the position in the document.
fn row_with_place(desk: &Desk, template: &Template) -> Value {
    let mut row = row(desk, template);
    if let (Value::Object(members), Some(block)) = (&mut row, &template.block) {
        members.insert("document".into(), json!(desk.workspace_context().display(&block.document)));
        members.insert("line".into(), json!(block.line));
    }
    row
}

fn show(desk: &Desk, index: &TemplateIndex, name: &str) -> CommandOutput {
    match desk.template(index, name) {
        Ok((template, text)) => {
            let mut json = row_with_place(desk, template);
            if let Value::Object(members) = &mut json {
                members.insert("text".into(), json!(text));
            }
            CommandOutput::new(json, text)
        }
        Err(refusal) => CommandOutput { json: json!({"name": name}), ..CommandOutput::refused(refusal) },
    }
}

fn variables(desk: &Desk, index: &TemplateIndex, name: &str) -> CommandOutput {
    let known = json!({"template_name": name});
    let template = match desk.template(index, name) {
        Ok((template, _)) => template,
        Err(refusal) => return CommandOutput { json: known, ..CommandOutput::refused(refusal) },
    };
    if let Some(problem) = &template.problem {
        let refusal = Error::new(Code::TemplateBroken, problem.clone(), desk.template_fix(template, None));
        let known = json!({"template_name": template.name, "syntax": template.syntax});
        return CommandOutput { json: known, ..CommandOutput::refused(refusal) };
    }
    let json = desk_rows::variables(template);
    let skeleton = refdesk_templates::skeleton(&template.variables);
    let mut text = format!("{} ({})\n", one_line(&template.name), template.syntax.word());
    write_tree(&mut text, &template.variables);
    text.push_str(&format!(
        "\nJSON schema:\n{}\n",
        visible(&refdesk_templates::schema(&template.variables).to_string())
    ));
    // In a shell, single-quoted text is literal even across lines; only single quotes in it need escaping.
    let document = serde_json::to_string_pretty(&skeleton).unwrap_or_else(|_| skeleton.to_string());
    let quoted = document.replace('\'', r"'\''");
    text.push_str(&format!("\nTo fill in:\n--vars '{}'\n", visible(&quoted)));
    CommandOutput::new(json, text)
}

/// The tree, one line per variable; fields are indented below their parent.
fn write_tree(text: &mut String, variables: &[Variable]) {
    let mut open: Vec<(&Variable, usize)> = variables.iter().rev().map(|variable| (variable, 1)).collect();
    while let Some((variable, depth)) = open.pop() {
        let kind = match (variable.kind, variable.value_type) {
            (VariableKind::Scalar, ValueType::Number) => "  number",
            (VariableKind::Scalar, _) => "",
            (VariableKind::Flag, _) => "  yes or no",
            (VariableKind::List, _) if !variable.fields.is_empty() => "  list, each item with",
            (VariableKind::List, ValueType::Number) => "  list of numbers",
            (VariableKind::List, ValueType::Unpacked(_)) => "  list of lists",
            (VariableKind::List, _) => "  list of values",
            (VariableKind::Object, _) if variable.fields.is_empty() => "  names and values",
            (VariableKind::Object, _) => "  with",
        };
        let optional = if variable.optional { "  (optional)" } else { "" };
        text.push_str(&format!("{}{}{kind}{optional}\n", "  ".repeat(depth), one_line(&variable.name)));
        open.extend(variable.fields.iter().rev().map(|field| (field, depth + 1)));
    }
}
