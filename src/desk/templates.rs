//! Templates as the desk sees them: which there are, what they say, what they come to.

use serde_json::Value;

use super::{Desk, Refusal};
use crate::render::{self, RenderError, Rendered};
use crate::report::Diagnostic;
use crate::template::{self, Syntax, Template, TemplateIndex};

impl Desk {
    /// Every template that the selection brings, and what is wrong with some.
    pub fn templates(&self) -> (TemplateIndex, Vec<Diagnostic>) {
        template::index(self.workspace(), &self.catalog, &self.selection)
    }

    /// The template of this name, with its text as it stands in its file.
    ///
    /// # Errors
    /// No template fits, several do, or its file cannot be read.
    pub fn template<'a>(&self, index: &'a TemplateIndex, name: &str) -> Result<(&'a Template, String), Refusal> {
        let hint = "`refdesk templates` shows the templates of the selection";
        let template = index.find(name).map_err(|error| Refusal::new("unknown-template", error.to_string(), hint))?;
        let text = template::read(&template.path).map_err(|error| {
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
    /// No such template, or as [`render::render`].
    pub fn preview(&self, index: &TemplateIndex, name: &str, values: Option<&Value>) -> Result<Rendered, RenderError> {
        let (template, text) =
            self.template(index, name).map_err(|refusal| RenderError { message: refusal.message, line: None })?;
        if let Some(problem) = &template.problem {
            return Err(RenderError { message: problem.clone(), line: None });
        }
        let sample = template::sample(&template.variables);
        self.render(index, &text, template.syntax, values.unwrap_or(&sample), &render::Options::default())
    }
}
