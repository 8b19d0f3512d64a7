//! Templates as the desk sees them: which there are, what they say, what they come to.

use serde_json::Value;

use super::{Desk, Refusal};
use crate::render::{self, RenderError, Rendered};
use crate::report::Diagnostic;
use crate::template::{self, Syntax, Template, TemplateIndex};

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

    /// Renders a template's text; partials of Mustache come from the options, then from the index.
    ///
    /// # Errors
    /// As [`render::render`].
    pub fn render(
        &self,
        index: &TemplateIndex,
        text: &str,
        syntax: Syntax,
        values: &Value,
        options: &render::Options<'_>,
    ) -> Result<Rendered, RenderError> {
        let lookup = |name: &str| self.template(index, name).ok().map(|(_, text)| text);
        let options = render::Options { lookup: Some(&lookup), ..options.clone() };
        render::render(text, syntax, values, &options)
    }

    /// Renders the template of this name, with sample values where none are given.
    ///
    /// # Errors
    /// No such template, or as [`render::render`]; with the template's text, to show the error at its line.
    pub fn preview(&self, index: &TemplateIndex, name: &str, values: Option<&Value>) -> Result<Rendered, Unrendered> {
        let (template, text) = self.template(index, name).map_err(|refusal| Unrendered {
            error: RenderError { message: refusal.message, line: None },
            template: String::new(),
        })?;
        let sample = template::sample(&template.variables);
        let values = values.unwrap_or(&sample);
        let rendered = self.render(index, &text, template.syntax, values, &render::Options::default());
        let outcome = match (rendered, &template.problem) {
            // What the index found wrong, where rendering did not mind.
            (Ok(_), Some(problem)) => Err(RenderError { message: problem.clone(), line: None }),
            (outcome, _) => outcome,
        };
        outcome.map_err(|error| Unrendered { error, template: text })
    }
}

/// A template that did not render.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrendered {
    /// Why not, and at which line.
    pub error: RenderError,
    /// The template's text; empty where it could not be read.
    pub template: String,
}
