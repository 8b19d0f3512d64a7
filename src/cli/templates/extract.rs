//! `refdesk templates extract`: templates of documents as files.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::row_with_place;
use crate::cli::answer::Answer;
use crate::desk::Desk;
use crate::session::Written;
use crate::template::{Template, TemplateIndex};
use crate::text::escape::one_line;

/// Writes those of the selection, or those of the documents named.
pub fn run(desk: &Desk, index: &TemplateIndex, files: &[PathBuf]) -> Answer {
    if files.is_empty() {
        let embedded: Vec<&Template> = index.templates.iter().filter(|template| template.block.is_some()).collect();
        return answer(desk, &embedded, desk.write_templates(index));
    }
    let extraction = desk.extract(files);
    let templates: Vec<&Template> = extraction.templates.iter().collect();
    answer(desk, &templates, extraction.done).and_refused(extraction.refused)
}

fn answer(desk: &Desk, templates: &[&Template], done: Written) -> Answer {
    let rows: Vec<Value> = templates.iter().map(|template| row_with_place(desk, template)).collect();
    let Written { written, kept, removed, diagnostics } = done;
    let json = json!({
        "templates": rows,
        "count": rows.len(),
        "written": written,
        "kept": kept,
        "removed": removed,
    });
    let mut text = String::new();
    for (what, names) in [("written", &written), ("kept", &kept), ("removed", &removed)] {
        for name in names {
            text.push_str(&one_line(&format!("{what}: {}/{name}", crate::template::FOLDER)));
            text.push('\n');
        }
    }
    if text.is_empty() && templates.is_empty() {
        text.push_str("No document holds a template.\n");
    }
    Answer { diagnostics, ..Answer::new(json, text) }
}
