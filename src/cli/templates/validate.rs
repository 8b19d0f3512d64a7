//! `refdesk templates validate`: problems in the templates of the selection, in one file, or in the code blocks of one
//! document. What other commands report as warnings are errors here.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::cli::answer::CommandOutput;
use crate::cli::fix;
use crate::cli::output::lines;
use refdesk_desk::Desk;
use refdesk_files::path::absolute;
use refdesk_templates::render::partials;
use refdesk_templates::{Template, TemplateIndex};
use refdesk_text::report::{Diagnostic, Severity};
use refdesk_text::{Code, Error};

/// Checks every template of the selection.
pub fn index(index: &TemplateIndex, found: Vec<Diagnostic>) -> CommandOutput {
    answer(Map::new(), found, index.templates.len())
}

/// The answer if no template was checked. The other members for one file depend on its content.
pub fn nothing(file: Option<&Path>) -> Value {
    let members = file.map(|file| ("file".to_owned(), json!(file.to_string_lossy())));
    document(false, &[], &[], 0, members.into_iter().collect())
}

fn document(
    valid: bool,
    errors: &[Diagnostic],
    warnings: &[Diagnostic],
    judged: usize,
    mut members: Map<String, Value>,
) -> Value {
    let mut json = json!({"valid": valid, "errors": fix::all(errors), "warnings": fix::all(warnings), "count": judged});
    if let Value::Object(all) = &mut json {
        all.append(&mut members);
    }
    json
}

pub fn file(desk: &Desk, index: &TemplateIndex, file: &Path) -> CommandOutput {
    let path = absolute(&desk.workspace_context().current, file);
    let place = desk.workspace_context().display(&path);
    let known = json!({"valid": false, "errors": [], "warnings": [], "file": place});
    if !path.is_file() {
        let what = if path.is_dir() { "is a folder" } else { "does not exist" };
        let refusal = Error::new(
            Code::NoSuchFile,
            format!("{} {what}", path.display()),
            "FILE is relative to the current folder",
        );
        return CommandOutput { json: known, ..CommandOutput::refused(refusal) };
    }
    let mut members = Map::new();
    members.insert("file".into(), json!(place));
    if refdesk_templates::is_markdown(path.as_os_str()) {
        let (templates, rejected, mut found) = desk.blocks(&path);
        let unfit = rejected.into_iter().map(|it| {
            let message = format!("the code block is not a template: {}", it.problem.message);
            let line = it.problem.line.unwrap_or(it.line);
            Diagnostic::error(Code::TemplateBroken, message)
                .in_file(&*place)
                .at_line(line)
                .fix(format!("correct {place}:{line}"))
        });
        found.extend(unfit);
        found.sort_by_key(|it| it.line);
        let row = |template: &Template| {
            json!({"name": template.name, "syntax": template.syntax, "line": template.place(1).1,
                   "variables": refdesk_templates::names(&template.variables)})
        };
        members.insert("templates".into(), templates.iter().map(row).collect());
        return answer(members, found, templates.len());
    }
    let text = match refdesk_templates::read(&path) {
        Ok(text) => text,
        Err(problem) => {
            let error = Diagnostic::error(Code::TemplateUnreadable, format!("the template {problem}"));
            let error = error.in_file(&*place).fix(problem.fix(&place));
            return answer(members, vec![Diagnostic { line: problem.line, ..error }], 1);
        }
    };
    let analysis = refdesk_templates::analyse(&text, None);
    members.insert("syntax".into(), json!(analysis.syntax));
    members.insert("variables".into(), json!(refdesk_templates::names(&analysis.variables)));
    let mut found = Vec::new();
    if let Some(ambiguity) = analysis.ambiguous {
        let (is, other) = (analysis.syntax.word(), ambiguity.other.word());
        let message = format!("it is read as {is}, but could also be {other}");
        found.push(Diagnostic::warning(Code::TemplateAmbiguous, message).in_file(&*place).at_line(ambiguity.line));
    }
    // An unknown name that every rendering reaches is a problem, too.
    let problem = analysis.problem.filter(|problem| !analysis.unknown.contains(problem));
    for problem in problem.into_iter().chain(analysis.unknown) {
        let error = Diagnostic::error(Code::TemplateBroken, problem.message).in_file(&*place);
        let error = Diagnostic { line: problem.line, ..error };
        let fix = format!("correct {}", error.place());
        found.push(error.fix(fix));
    }
    if analysis.uses_partials {
        let find = |name: &str| desk.partial(index, name);
        let names = index.templates.iter().map(|template| template.name.as_str());
        found.extend(partials::unknown(&text, &find, &names).into_iter().map(|unknown| {
            let warning = Diagnostic::warning(Code::UnknownTemplate, unknown.message).in_file(&*place);
            Diagnostic { line: unknown.line, ..warning.fix(partials::FIX) }
        }));
    }
    answer(members, found, 1)
}

fn answer(members: Map<String, Value>, found: Vec<Diagnostic>, judged: usize) -> CommandOutput {
    let severe = found.into_iter().map(|it| match it.code {
        Code::TemplateBroken => Diagnostic { severity: Severity::Error, ..it },
        _ => it,
    });
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) = severe.partition(Diagnostic::is_error);
    let mut text = lines(errors.iter().chain(&warnings));
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let (wrong, odd) = (counted(errors.len(), "error"), counted(warnings.len(), "warning"));
    text.push_str(&format!("{}: {wrong}, {odd}\n", counted(judged, "template")));
    let valid = errors.is_empty();
    let json = document(valid, &errors, &warnings, judged, members);
    CommandOutput { exit: u8::from(!valid), ..CommandOutput::new(json, text) }
}
