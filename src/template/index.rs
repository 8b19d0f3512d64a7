//! The template index: which templates a selection brings, what each is called, and what it asks for (BEHAVIOUR §6). A
//! pure function of the files, the catalog and the selection; nothing is written.

use std::collections::HashMap;
use std::path::Path;

use super::discover::{Found, discover};
use super::name::{Parts, full_name, names};
use super::{Origin, Syntax, Template, TemplateIndex, analyse, overrides, read};
use crate::catalog::{Catalog, SourceId};
use crate::disk;
use crate::disk::path::display;
use crate::report::Diagnostic;
use crate::selection::Selection;

/// Every template of the desk, sorted by name, and what is wrong with some. One that does not parse stays, with its
/// problem; one whose file is unreadable or no text is left out.
pub fn index(workspace: &Path, catalog: &Catalog, selection: &Selection) -> (TemplateIndex, Vec<Diagnostic>) {
    let (found, mut diagnostics) = discover(workspace, catalog, selection);
    let (settled, complaints) = overrides::load(workspace);
    diagnostics.extend(complaints);
    let mut readable = Vec::with_capacity(found.len());
    for found in found {
        match read::text_of(&found.path) {
            Ok(text) => readable.push((found, text)),
            Err(message) => {
                let place = display(workspace, &found.path);
                let diagnostic = Diagnostic::error("template-unreadable", format!("template {place} {message}"));
                diagnostics.push(of_source(diagnostic.in_file(place), &found));
            }
        }
    }
    let paths: Vec<String> = readable.iter().map(|(found, _)| found.path.to_string_lossy().into_owned()).collect();
    let parts: Vec<Parts<'_>> = readable
        .iter()
        .zip(&paths)
        .map(|((found, _), path)| Parts {
            source: found.source.as_ref().map(SourceId::as_str),
            within: &found.within,
            root: &found.root,
            path,
        })
        .collect();
    let names = names(&parts);
    let mut templates: Vec<Template> = Vec::with_capacity(names.len());
    for ((found, text), name) in readable.into_iter().zip(names) {
        templates.push(template(workspace, found, &text, name, &settled, &mut diagnostics));
    }
    templates.sort_by(|left, right| left.name.cmp(&right.name));
    (TemplateIndex { templates }, diagnostics)
}

fn template(
    workspace: &Path,
    found: Found,
    text: &read::Text,
    name: String,
    settled: &HashMap<String, Syntax>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Template {
    let full = full_name(found.source.as_ref().map(SourceId::as_str), &found.within);
    let said = settled.get(&name).or_else(|| settled.get(&full)).copied();
    let analysis = match text {
        read::Text::Whole(text) => analyse(text, said),
        read::Text::TooLarge => read::too_large_to_analyse(said),
    };
    let place = display(workspace, &found.path);
    if let Some(ambiguity) = analysis.ambiguous {
        let (syntax, other) = (analysis.syntax.word(), ambiguity.other.word());
        let message = format!("template '{name}' is taken for {syntax}, and has signs of {other}");
        let hint = format!(r#"settle it in {}: {{"{name}": "{syntax}"}}"#, overrides::FILE);
        let diagnostic = Diagnostic::warning("template-ambiguous", message).in_file(place.clone()).hint(hint);
        diagnostics.push(of_source(diagnostic.at_line(ambiguity.line), &found));
    }
    if let Some(problem) = &analysis.problem {
        let message = format!("template '{name}' does not parse: {}", problem.message);
        let mut diagnostic = Diagnostic::warning("template-broken", message).in_file(place);
        diagnostic.line = problem.line;
        diagnostics.push(of_source(diagnostic, &found));
    }
    // A file that went away since it was read has none.
    let stamp = disk::stamp(&found.path).unwrap_or_default();
    Template {
        stamp,
        name,
        origin: Origin::Standalone,
        syntax: analysis.syntax,
        variables: analysis.variables,
        problem: analysis.problem.map(|problem| problem.message),
        path: found.path,
        source: found.source,
        within: found.within,
    }
}

fn of_source(diagnostic: Diagnostic, found: &Found) -> Diagnostic {
    match &found.source {
        Some(source) => diagnostic.about(source.as_str()),
        None => diagnostic,
    }
}
