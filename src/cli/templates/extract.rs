//! `refdesk templates extract`: writes templates embedded in documents to files.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::row_with_place;
use crate::cli::answer::CommandOutput;
use refdesk_core::catalog::SourceId;
use refdesk_desk::session::Written;
use refdesk_desk::{CompleteDesk, Desk, Session};
use refdesk_templates::{Template, TemplateIndex};
use refdesk_text::escape::one_line;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// Writes the templates of the selection, or of the given documents.
pub fn run(desk: &CompleteDesk<'_>, session: &Session, index: &TemplateIndex, files: &[PathBuf]) -> CommandOutput {
    if files.is_empty() {
        // Templates that need trust are neither written nor reported as written.
        let readable = desk.readable(index);
        let embedded: Vec<&Template> = readable.templates.iter().filter(|template| template.block.is_some()).collect();
        let mut done = desk.write_templates(session, index);
        let members: Vec<SourceId> = desk.selection().members().iter().map(|member| member.id.clone()).collect();
        done.diagnostics.extend(desk.unreadable_warning(session, &members));
        return answer(desk, &embedded, done);
    }
    let extraction = desk.extract(session, files);
    let templates: Vec<&Template> = extraction.templates.iter().collect();
    answer(desk, &templates, extraction.done).with_failures(extraction.refused)
}

pub fn document(rows: &[Value], written: &[String], kept: &[String], removed: &[String]) -> Value {
    json!({"templates": rows, "count": rows.len(), "written": written, "kept": kept, "removed": removed})
}

fn answer(desk: &Desk, templates: &[&Template], done: Written) -> CommandOutput {
    let rows: Vec<Value> = templates.iter().map(|template| row_with_place(desk, template)).collect();
    let Written { written, kept, removed, superseded, mut diagnostics } = done;
    if superseded {
        let message = "another process changed the selection in the meantime; nothing was written";
        diagnostics.push(Diagnostic::warning(Code::ChosenMeanwhile, message).fix("run it again"));
    }
    let (failed, diagnostics): (Vec<_>, Vec<_>) = diagnostics
        .into_iter()
        .partition(|problem| matches!(problem.code, Code::TemplatesNotWritten | Code::TemplatesFolder));
    let failed: Vec<Error> =
        failed.into_iter().map(|problem| Error::new(problem.code, problem.message, problem.fix)).collect();
    let json = document(&rows, &written, &kept, &removed);
    let mut text = String::new();
    for (did, names) in [("Wrote", &written), ("Kept", &kept), ("Removed", &removed)] {
        for name in names {
            text.push_str(&format!("{did} {}/{}.\n", refdesk_templates::FOLDER, one_line(name)));
        }
    }
    if text.is_empty() && templates.is_empty() && failed.is_empty() {
        text.push_str("No document contains a template.\n");
    }
    CommandOutput { diagnostics, ..CommandOutput::new(json, text) }.with_failures(failed)
}
