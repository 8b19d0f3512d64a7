//! The desk's templates: index, texts and rendering.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use super::Desk;
use super::prepared::Prepared;
use refdesk_templates::render::{RenderJob, partials};
use refdesk_templates::{ExtractedTemplate, Syntax, Template, TemplateIndex, ValueCheck, Variable, check_values};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, Fix};

/// What to render, and with which values.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderRequest {
    /// The template.
    pub what: TemplateRef,
    /// Its language, if given.
    pub syntax: Option<Syntax>,
    /// The values; `None` renders sample values derived from the variables.
    pub values: Option<Value>,
    /// The top-level names of values typed as text: a text that is a number is one where a Jinja2 template needs a number.
    pub typed: BTreeSet<String>,
    /// Escape HTML in Mustache's `{{x}}`.
    pub html: bool,
    /// Mustache partials that take precedence over those of the index, by name.
    pub partials: BTreeMap<String, String>,
    /// Whether to pass `false` for missing values that are only tested.
    pub gives_flags: bool,
}

impl RenderRequest {
    /// The template with this name and these values, or sample values if `None`.
    pub fn named(name: impl Into<String>, values: Option<Value>) -> Self {
        Self::of(TemplateRef::Named(name.into()), values)
    }

    /// This template and these values, or sample values if `None`.
    pub fn of(what: TemplateRef, values: Option<Value>) -> Self {
        let (typed, partials) = (BTreeSet::new(), BTreeMap::new());
        Self { what, syntax: None, values, typed, html: false, partials, gives_flags: false }
    }
}

/// The longest name of a variable in a template of a tool result, in characters.
const MAX_TAKEN_NAME: usize = 64;

/// Whether a variable and its fields have names without blanks, and short ones. Recurses as deep as the tree.
fn is_name(variable: &Variable) -> bool {
    !variable.name.contains(char::is_whitespace)
        && variable.name.chars().nth(MAX_TAKEN_NAME).is_none()
        && variable.fields.iter().all(is_name)
}

/// The template to render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateRef {
    /// The template with this name in the index.
    Named(String),
    /// This text.
    Inline(String),
    /// The content of the file at this absolute path.
    File(PathBuf),
}

/// The result of a rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedTemplate {
    /// The text.
    pub text: String,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
    /// The template's language.
    pub syntax: Syntax,
    /// The names of given values that the template uses, sorted.
    pub used: Vec<String>,
    /// Unused and missing values; empty for sample values.
    pub fit: ValueCheck,
    /// The path in the template's `Output:` line, rendered with the same values.
    pub offered: Option<String>,
}

/// A failed rendering: the reason, and what is known about the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderFailure {
    /// The reason, with the line of the template.
    pub error: Error,
    /// The template's text; empty if it could not be read.
    pub template: String,
    /// Its language, if it could be read.
    pub syntax: Option<Syntax>,
    /// How the given values fit the template, if it could be read.
    pub fit: ValueCheck,
}

impl From<Error> for RenderFailure {
    fn from(error: Error) -> Self {
        Self { error, template: String::new(), syntax: None, fit: ValueCheck::default() }
    }
}

/// A template with everything needed to render it.
struct TemplateToRender {
    text: String,
    syntax: Syntax,
    /// `None` if it cannot be analysed.
    variables: Option<Vec<Variable>>,
    /// A problem that the index reports for it.
    problem: Option<String>,
    /// As for [`Prepared::broken`].
    broken: Option<(Template, String)>,
}

impl Desk {
    /// Every template that can be rendered, and the problems of some.
    pub fn templates(&self) -> (TemplateIndex, Vec<Diagnostic>) {
        refdesk_templates::index(self.index_input(&self.taken()), &self.templates)
    }

    /// The templates in a tool's text, which may come from anywhere: one whose variables are not names does not count,
    /// because they may be sentences for the agent that is told of them.
    pub(super) fn templates_of(&self, text: &str) -> Vec<Template> {
        let mut found = refdesk_templates::of_text(self.index_input(&self.taken()), &self.templates, text);
        found.retain(|template| template.variables.iter().all(is_name));
        found
    }

    /// The templates taken from earlier tool results.
    pub(super) fn taken(&self) -> Vec<ExtractedTemplate> {
        if self.settings().extract_templates { self.store.tool_result_templates() } else { Vec::new() }
    }

    /// The input of the index.
    pub(super) fn index_input<'a>(&'a self, taken: &'a [ExtractedTemplate]) -> refdesk_templates::IndexInput<'a> {
        refdesk_templates::IndexInput {
            workspace: self.workspace(),
            catalog: &self.catalog,
            selection: &self.selection,
            extract: self.settings().extract_templates,
            taken,
            walks: &self.walks,
        }
    }

    /// The template with this name, and its text from its file or block.
    ///
    /// # Errors
    /// No template matches, several match, or its file cannot be read.
    pub fn template<'a>(&self, index: &'a TemplateIndex, name: &str) -> Result<(&'a Template, String), Error> {
        let named = index.templates.iter().find(|template| template.name == name);
        let template = match named {
            Some(template) => template,
            None => self.below_source(index, name)?.map_or_else(|| index.find(name), Ok)?,
        };
        let text = template.text().map_err(|error| {
            let message = format!("{} {error}", self.workspace_context().display(&template.path));
            Error::new(Code::TemplateUnreadable, message, self.template_fix(template, error.line))
        })?;
        Ok((template, text))
    }

    /// The text of the template with this name, as a partial; `None` if the selection has none.
    ///
    /// # Errors
    /// Several templates match.
    pub fn partial(&self, index: &TemplateIndex, name: &str) -> Result<Option<String>, Error> {
        self.template(index, name).map_or_else(
            |_| index.find_if_any(name).map(|_| None),
            |(template, text)| Ok((!template.is_taken).then_some(text)),
        )
    }

    /// The fix for a template that cannot be used because of its text.
    pub fn template_fix(&self, template: &Template, line: Option<usize>) -> Fix {
        let (file, at) = template.place(line.unwrap_or(1));
        let file = self.workspace_context().display(file);
        let has_line = line.is_some() || template.block.is_some();
        template.correction(&if has_line { format!("{file}:{at}") } else { file }).into()
    }

    /// The template at `<source id>/<path within it>`, even if it belongs to a nested source. An id may contain a slash, so
    /// several may be there.
    fn below_source<'a>(&self, index: &'a TemplateIndex, name: &str) -> Result<Option<&'a Template>, Error> {
        let selected = self.catalog.sources().iter().filter(|source| self.selection.contains(source.id.as_str()));
        let files = selected.filter_map(|source| {
            let within = name.strip_prefix(source.id.as_str())?.strip_prefix('/')?;
            Some(source.place()?.resolved.join(within))
        });
        let files: Vec<PathBuf> = files.collect();
        let is_there = |it: &&Template| it.block.is_none() && files.contains(&it.root.join(&it.within));
        let fitting = if files.is_empty() { Vec::new() } else { index.templates.iter().filter(is_there).collect() };
        TemplateIndex::single(name, &fitting)
    }

    /// Renders a template; Mustache partials are taken from the request, then from the index.
    ///
    /// # Errors
    /// The template does not exist or does not render.
    pub fn render(&self, index: &TemplateIndex, request: &RenderRequest) -> Result<RenderedTemplate, RenderFailure> {
        self.prepare(index, request)?.render(&self.options.renderer)
    }

    /// Looks up and reads everything a rendering needs.
    ///
    /// # Errors
    /// The template does not exist or cannot be read.
    pub fn prepare(&self, index: &TemplateIndex, request: &RenderRequest) -> Result<Prepared, RenderFailure> {
        let TemplateToRender { text, syntax, variables, problem, broken } = self.source(index, request)?;
        let find = |name: &str| self.partial(index, name);
        let partials = match syntax {
            Syntax::Mustache => partials::gather(&text, &request.partials, &find),
            Syntax::Jinja2 | Syntax::Handlebars => Ok(BTreeMap::new()),
        };
        let (partials, too_much) = match partials {
            Ok(partials) => (partials, None),
            Err(error) => (BTreeMap::new(), Some(error)),
        };
        // Not always those of the index: the request may have partials of its own.
        let variables = if partials.is_empty() { variables } else { partials::variables(&text, &partials).ok() };
        let sample = || refdesk_templates::sample(variables.as_deref().unwrap_or_default());
        let mut values = request.values.clone().unwrap_or_else(sample);
        let check = |variables: &Vec<Variable>| check_values(variables, &values, &request.typed, syntax);
        let mut fit = variables.as_ref().map(check).unwrap_or_default();
        if !fit.unused.is_empty() && refdesk_templates::uses_root(&text, syntax, &partials) {
            fit.use_all(&values);
        }
        let used = fit.used.iter().cloned().collect();
        if request.gives_flags {
            refdesk_templates::give_flags(&text, syntax, &mut values);
        }
        // A problem from the index counts even if rendering succeeds.
        let problem = too_much.or_else(|| problem.map(|message| Error::new(Code::Render, message, "")));
        let name = match &request.what {
            TemplateRef::Named(name) => Some(name.clone()),
            TemplateRef::Inline(_) | TemplateRef::File(_) => None,
        };
        let typed = request.typed.clone();
        let job = RenderJob { html: request.html, typed, partials, ..RenderJob::new(text, syntax, values) };
        Ok(Prepared { name, broken, job, problem, used, fit })
    }

    fn source(&self, index: &TemplateIndex, request: &RenderRequest) -> Result<TemplateToRender, RenderFailure> {
        let text = match &request.what {
            TemplateRef::Inline(text) => text.clone(),
            TemplateRef::File(path) => read_file(path)?,
            TemplateRef::Named(name) => {
                let (template, text) = self.template(index, name)?;
                // Asking for its language settles a doubt about it.
                let is_settled = |syntax| {
                    template.problem.is_some() && refdesk_templates::analyse(&text, Some(syntax)).problem.is_none()
                };
                if request.syntax.is_none_or(|syntax| syntax == template.syntax && !is_settled(syntax)) {
                    let Template { syntax, variables, problem, .. } = template;
                    let (variables, problem) = (problem.is_none().then(|| variables.clone()), problem.clone());
                    let file = || self.workspace_context().display(template.place(1).0);
                    let broken = problem.as_ref().map(|_| (template.clone(), file()));
                    return Ok(TemplateToRender { text, syntax: *syntax, variables, problem, broken });
                }
                text
            }
        };
        let analysis = refdesk_templates::analyse(&text, request.syntax);
        // Rendering reports its problems.
        let variables = analysis.problem.is_none().then_some(analysis.variables);
        Ok(TemplateToRender { text, syntax: analysis.syntax, variables, problem: None, broken: None })
    }
}

fn read_file(path: &std::path::Path) -> Result<String, Error> {
    if !path.exists() {
        let message = format!("Template file not found: {}", path.display());
        return Err(Error::new(Code::NoSuchFile, message, "the path is relative to the current folder"));
    }
    refdesk_templates::read(path).map_err(|error| {
        let fix = if path.is_dir() { "name a file in it".to_owned() } else { error.fix(&path.display().to_string()) };
        Error::new(Code::TemplateUnreadable, format!("{} {error}", path.display()), fix)
    })
}
