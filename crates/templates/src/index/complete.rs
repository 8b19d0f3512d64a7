//! Completes templates with their analyses, and reports what is wrong with them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::discover::{DiscoveredFile, of_source};
use crate::error::moved_by;
use crate::render::partials;
use crate::standalone::Standalone;
use crate::{
    Analysis, Syntax, Template, TemplateIndex, TemplateOrigin, UnreadableTemplate, Variable, analyse, limits, overrides,
};
use refdesk_files::Stamp;
use refdesk_files::path::display;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// A template with its name only.
pub(super) fn bare(name: String, origin: TemplateOrigin) -> Template {
    Template {
        name,
        origin,
        syntax: Syntax::Jinja2,
        variables: Vec::new(),
        uses_partials: false,
        problem: None,
        path: PathBuf::new(),
        source: None,
        within: String::new(),
        root: Path::new("").into(),
        stamp: Stamp::default(),
        block: None,
        is_taken: false,
    }
}

/// The template in a file; `None` if the file is not one.
pub(super) fn file(
    workspace: &Path,
    file: &Standalone,
    name: String,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Template> {
    let analysis = file.analysis.as_ref().as_ref().ok()?;
    let (source, within) = (file.found.source.clone(), file.found.within.clone());
    let (path, root, stamp) = (file.found.path.to_path_buf(), file.found.resolved.clone(), file.stamp);
    let is_taken = file.found.is_taken;
    let origin = if is_taken { TemplateOrigin::Embedded } else { TemplateOrigin::Standalone };
    let bare = Template { path, source, within, root, stamp, is_taken, ..bare(name, origin) };
    Some(filled(workspace, bare, analysis, diagnostics))
}

/// The template in a code block, analysed again if its language is set.
pub(super) fn block(
    workspace: &Path,
    template: Template,
    settled: Option<Syntax>,
    analyses: &HashMap<&str, &Analysis>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Template> {
    let own = template.block.as_ref()?;
    let reanalysed = settled.map(|syntax| analyse(&own.text, Some(syntax)));
    let analysis = reanalysed.as_ref().or_else(|| analyses.get(own.hash.as_str()).copied())?;
    Some(filled(workspace, template, analysis, diagnostics))
}

/// A file that cannot be read, if it cannot, and the same as a diagnostic. One from a tool result is not found by name.
pub(super) fn unreadable(workspace: &Path, file: &Standalone) -> Option<(Option<UnreadableTemplate>, Diagnostic)> {
    let problem = file.analysis.as_ref().as_ref().err()?;
    let DiscoveredFile { source, within, is_taken, .. } = &file.found;
    let place = display(workspace, &file.found.path);
    let fix = problem.fix(&place);
    let error = Error::new(Code::TemplateUnreadable, format!("{place} {problem}"), fix.as_str());
    let (source, within) = (source.clone(), within.clone());
    let unreadable = (!is_taken).then_some(UnreadableTemplate { source, within, problem: error });
    let diagnostic = Diagnostic::error(Code::TemplateUnreadable, format!("the template {problem}")).in_file(place);
    let diagnostic = Diagnostic { line: problem.line, ..diagnostic.fix(fix) };
    Some((unreadable, of_source(diagnostic, file.found.source.as_ref())))
}

/// Completes the template with its analysis; adds its problems with their lines in the file or document.
pub(super) fn filled(
    workspace: &Path,
    template: Template,
    analysis: &Analysis,
    diagnostics: &mut Vec<Diagnostic>,
) -> Template {
    let template = Template { syntax: analysis.syntax, ..template };
    let (name, syntax) = (&template.name, analysis.syntax);
    let mut report = |diagnostic, line| diagnostics.push(at_place(workspace, &template, diagnostic, line));
    if let Some(ambiguity) = analysis.ambiguous {
        let (is, other) = (syntax.word(), ambiguity.other.word());
        let message = format!("template '{name}' is read as {is}, but could also be {other}");
        let hint = format!(r#"set its language in {}: {{"{name}": "{is}"}}"#, overrides::FILE);
        report(Diagnostic::warning(Code::TemplateAmbiguous, message).fix(hint), Some(ambiguity.line));
    }
    // What is unknown is reported below.
    let is_unparsed = |problem: &&Error| !analysis.unknown.contains(problem);
    if let Some(problem) = analysis.problem.as_ref().filter(is_unparsed) {
        let (message, fix) = if problem.code == Code::TooLarge {
            let message = format!("template '{name}' {}, so it is not used", limits::is_too_large());
            (message, limits::SPLIT.to_owned())
        } else {
            let (file, at) = template.place(problem.line.unwrap_or(1));
            let line = if problem.line.is_some() { format!(":{at}") } else { String::new() };
            let fix = template.correction(&format!("{}{line}", display(workspace, file)));
            // It parses, but may be of another language.
            let is_of_go = problem.code == Code::TemplateAmbiguous;
            let what = if is_of_go { "" } else { " does not parse" };
            (format!("template '{name}'{what}: {}", problem.message), fix)
        };
        report(Diagnostic::warning(Code::TemplateBroken, message).fix(fix), problem.line);
    }
    for unknown in &analysis.unknown {
        report(Diagnostic::warning(Code::TemplateBroken, sentence(&template, unknown)), unknown.line);
    }
    let problem = analysis.problem.as_ref().map(|problem| problem.message.clone());
    let (variables, uses_partials) = (analysis.variables.clone(), analysis.uses_partials);
    Template { variables, uses_partials, problem, ..template }
}

/// The diagnostic with its place: a line of the template's file or document.
fn at_place(workspace: &Path, template: &Template, diagnostic: Diagnostic, line: Option<usize>) -> Diagnostic {
    let (file, at) = template.place(line.unwrap_or(1));
    let mut diagnostic = diagnostic.in_file(display(workspace, file));
    diagnostic.line = (line.is_some() || template.block.is_some()).then_some(at);
    of_source(diagnostic, template.source.as_ref())
}

/// What is wrong with a template, with the lines of its file or document.
fn sentence(template: &Template, error: &Error) -> String {
    let first = template.block.as_ref().map_or(1, |block| block.line);
    format!("template '{}': {}", template.name, moved_by(error.clone(), first.saturating_sub(1)).message)
}

/// Adds the variables of partials, which are other templates of the index, to the templates that use them, and reports
/// the partials that the index lacks.
pub(super) fn add_partials(workspace: &Path, index: &mut TemplateIndex, diagnostics: &mut Vec<Diagnostic>) {
    let texts: RefCell<HashMap<String, Result<Option<String>, Error>>> = RefCell::default();
    let text_of = |name: &str| {
        let found = index.find_if_any(name)?.filter(|template| !template.is_taken);
        Ok(found.and_then(|template| template.text().ok()))
    };
    let find = |name: &str| texts.borrow_mut().entry(name.to_owned()).or_insert_with(|| text_of(name)).clone();
    let with_partials = |template: &Template| {
        let text = if template.uses_partials { template.text().ok()? } else { return None };
        partials::variables(&text, &partials::gather(&text, &BTreeMap::new(), &find).ok()?).ok()
    };
    let all: Vec<Option<Vec<Variable>>> = index.templates.iter().map(with_partials).collect();
    let of_selection = index.templates.iter().filter(|template| !template.is_taken);
    let names = of_selection.map(|template| template.name.as_str());
    for template in index.templates.iter().filter(|template| template.uses_partials) {
        let text = template.text().unwrap_or_default();
        diagnostics.extend(partials::unknown(&text, &find, &names).into_iter().map(|unknown| {
            let diagnostic = Diagnostic::warning(Code::UnknownTemplate, sentence(template, &unknown));
            at_place(workspace, template, diagnostic.fix(partials::FIX), unknown.line)
        }));
    }
    for (template, variables) in index.templates.iter_mut().zip(all) {
        template.variables = variables.unwrap_or_else(|| std::mem::take(&mut template.variables));
    }
}
