//! Templates as the desk sees them: which there are, what they say, what they come to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::{Desk, Refusal};
use crate::render::{Job, RenderError, Rendered, partials};
use crate::report::Diagnostic;
use crate::template::fit::{Fit, fit};
use crate::template::{self, Syntax, Template, TemplateIndex, Variable};

/// What is to be rendered with what.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The template.
    pub what: What,
    /// Its language, where somebody said so.
    pub syntax: Option<Syntax>,
    /// The values; `None` renders with sample values made from the variable tree.
    pub values: Option<Value>,
    /// Escape HTML in Mustache's `{{x}}`.
    pub html: bool,
    /// Partials of Mustache that go before those of the index: name and text.
    pub partials: BTreeMap<String, String>,
}

impl Request {
    /// The template of this name with these values, or with sample values.
    pub fn named(name: impl Into<String>, values: Option<Value>) -> Self {
        Self { what: What::Named(name.into()), syntax: None, values, html: false, partials: BTreeMap::new() }
    }
}

/// Which template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The one of this name in the index.
    Named(String),
    /// This text.
    Inline(String),
    /// What this file says; an absolute path.
    File(PathBuf),
}

/// What a request came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The text.
    pub text: String,
    /// What somebody should look at, one sentence each.
    pub warnings: Vec<String>,
    /// The template's language.
    pub syntax: Syntax,
    /// Names that the template asks for and that were given, sorted.
    pub used: Vec<String>,
    /// Where the template's own `Output:` line wants the text to go, rendered with the same values.
    pub offered: Option<String>,
}

/// A request that came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrendered {
    /// A stable name for programs: `unknown-template`, `no-such-file`, `template-unreadable`, `render`.
    pub code: &'static str,
    /// Why, and at which line.
    pub error: RenderError,
    /// What to do; may be empty.
    pub hint: String,
    /// The template's text; empty where it could not be read.
    pub template: String,
    /// Its language, where it could be read.
    pub syntax: Option<Syntax>,
}

impl From<Refusal> for Unrendered {
    fn from(refusal: Refusal) -> Self {
        let error = RenderError { message: refusal.message, line: None };
        Self { code: refusal.code, error, hint: refusal.hint, template: String::new(), syntax: None }
    }
}

/// A template that was found: enough to render it.
struct Source {
    text: String,
    syntax: Syntax,
    variables: Vec<Variable>,
    /// What the index found wrong with it.
    problem: Option<String>,
}

impl Desk {
    /// Every template that the selection brings, and what is wrong with some.
    pub fn templates(&self) -> (TemplateIndex, Vec<Diagnostic>) {
        template::index(self.asked(), &self.templates)
    }

    /// What the index is built of.
    pub(super) fn asked(&self) -> template::Asked<'_> {
        template::Asked {
            workspace: self.workspace(),
            catalog: &self.catalog,
            selection: &self.selection,
            extract: self.settings().extract_templates,
        }
    }

    /// The template of this name, with its text as it stands in its file or block.
    ///
    /// # Errors
    /// No template fits, several do, or its file cannot be read.
    pub fn template<'a>(&self, index: &'a TemplateIndex, name: &str) -> Result<(&'a Template, String), Refusal> {
        let hint = "`refdesk templates` shows the templates of the selection";
        let template = index.find(name).map_err(|error| Refusal::new("unknown-template", error.to_string(), hint))?;
        let text = template.text().map_err(|error| {
            let message = format!("{} {error}", self.around().display(&template.path));
            Refusal::new("template-unreadable", message, "mend the file")
        })?;
        Ok((template, text))
    }

    /// Renders; partials of Mustache come from the request, then from the index.
    ///
    /// # Errors
    /// There is no such template, or it does not render.
    pub fn render(&self, index: &TemplateIndex, request: &Request) -> Result<Made, Unrendered> {
        let Source { text, syntax, variables, problem } = self.source(index, request)?;
        let values = request.values.clone().unwrap_or_else(|| template::sample(&variables));
        let mut used = template::names(&variables);
        used.retain(|name| values.get(name).is_some());
        let fit = fit(&variables, &values);
        let find = |name: &str| self.template(index, name).ok().map(|(_, text)| text);
        let gathered = match syntax {
            Syntax::Mustache => partials::gather(&text, &request.partials, &find),
            Syntax::Jinja2 | Syntax::Handlebars => Ok(BTreeMap::new()),
        };
        // At the line where it stands, which an error names.
        let offers = template::output_line(&text).map(|(line, path)| format!("{}{path}", "\n".repeat(line - 1)));
        let outcome = gathered.and_then(|partials| {
            let job = Job { html: request.html, partials, ..Job::new(text.as_str(), syntax, values) };
            let rendered = self.options.renderer.render(&job)?;
            match problem {
                // What the index found wrong, where rendering did not mind.
                Some(message) => Err(RenderError { message, line: None }),
                None => Ok((rendered, job)),
            }
        });
        match outcome {
            Ok((Rendered { text, mut warnings }, job)) => {
                // What the rendering met itself it has said.
                let is_said = |path: &str| warnings.iter().any(|warning| warning.contains(&format!("'{path}'")));
                let missing = fit.missing.into_iter().filter(|named| !is_said(&named.path)).collect();
                warnings.extend(Fit { unused: fit.unused, missing }.sentences());
                let offered = offers.and_then(|path| match self.filled_in(path, job) {
                    Ok(path) => Some(path),
                    Err(why) => {
                        warnings.push(format!("no output path is offered: {why}"));
                        None
                    }
                });
                Ok(Made { text, warnings, syntax, used, offered })
            }
            Err(error) => {
                let hint = match &request.what {
                    What::Named(name) => format!("`refdesk templates variables {name}` shows what it asks for"),
                    What::Inline(_) | What::File(_) => String::new(),
                };
                let hint = if error.message.contains("undefined") { also_missing(&fit, &error, hint) } else { hint };
                Err(Unrendered { code: "render", error, hint, template: text, syntax: Some(syntax) })
            }
        }
    }

    /// The path of an `Output:` line with the values of the job filled in; `Err` is why there is none, a part of a sentence.
    /// A path with a hole in it leads anywhere: it is not offered.
    fn filled_in(&self, path: String, job: Job) -> Result<String, String> {
        let job = Job { text: path, html: false, ..job };
        let Rendered { text, warnings } = self.options.renderer.render(&job).map_err(|error| error.message)?;
        match warnings.into_iter().next() {
            Some(warning) => Err(warning),
            None => Ok(text.trim_start_matches('\n').to_owned()),
        }
    }

    fn source(&self, index: &TemplateIndex, request: &Request) -> Result<Source, Unrendered> {
        let text = match &request.what {
            What::Inline(text) => text.clone(),
            What::File(path) => read_file(path)?,
            What::Named(name) => {
                let (template, text) = self.template(index, name)?;
                if request.syntax.is_none_or(|syntax| syntax == template.syntax) {
                    let Template { syntax, variables, problem, .. } = template;
                    let (variables, problem) = (variables.clone(), problem.clone());
                    return Ok(Source { text, syntax: *syntax, variables, problem });
                }
                text
            }
        };
        let analysis = template::analyse(&text, request.syntax);
        // What is wrong with it the rendering says itself.
        Ok(Source { text, syntax: analysis.syntax, variables: analysis.variables, problem: None })
    }
}

/// The hint to an undefined name, which says what else is missing: one error after another would tell it slowly.
fn also_missing(fit: &Fit, error: &RenderError, hint: String) -> String {
    let others = fit.missing.iter().map(|named| format!("'{}'", named.path));
    let others: Vec<String> = others.filter(|name| !error.message.contains(name.as_str())).collect();
    match others.as_slice() {
        [] => hint,
        _ if hint.is_empty() => format!("also missing: {}", others.join(", ")),
        _ => format!("also missing: {}; {hint}", others.join(", ")),
    }
}

fn read_file(path: &std::path::Path) -> Result<String, Refusal> {
    if !path.exists() {
        let message = format!("Template file not found: {}", path.display());
        return Err(Refusal::new("no-such-file", message, "--file is relative to the current folder"));
    }
    template::read(path)
        .map_err(|error| Refusal::new("template-unreadable", format!("{} {error}", path.display()), "mend the file"))
}
