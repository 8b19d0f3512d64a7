//! A template parsed once and rendered any number of times: the part of a rendering that does not depend on the values.
//! For every engine, line numbers are mapped to the file here, and long messages are truncated.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::{RenderJob, Rendered, handlebars, jinja, mustache, values};
use crate::error::{in_file, template_error};
use crate::jinja::for_engine;
use crate::limits::{TEMPLATE_BYTES, too_large};
use crate::{Stripped, Syntax, strip};
use refdesk_text::Error;

/// The warning if a Jinja2 template is to be escaped.
const UNESCAPED: &str = "escaping for HTML has no effect on a Jinja2 template, which escapes only where it says so: write \
    {{ x|e }} or {% autoescape true %}";

/// The texts of a job without their `@generated` lines.
#[derive(Debug)]
pub struct Texts<'j> {
    syntax: Syntax,
    main: Stripped<'j>,
    /// The main text translated for the Jinja2 engine; for other languages, the text itself.
    engines: Cow<'j, str>,
    typed: &'j BTreeSet<String>,
    partials: Vec<(&'j str, Stripped<'j>)>,
}

impl<'j> Texts<'j> {
    /// Prepares the texts of a job.
    ///
    /// # Errors
    ///
    /// The template is too large, or does not parse (Jinja2).
    pub fn of(job: &'j RenderJob) -> Result<Self, Error> {
        if job.text.len() > TEMPLATE_BYTES {
            return Err(template_error(None, too_large()));
        }
        let partials = job.partials.iter().map(|(name, text)| (name.as_str(), strip(text))).collect();
        let main = strip(&job.text);
        let engines = match job.syntax {
            Syntax::Jinja2 => {
                for_engine(&main.text, !job.typed.is_empty()).map(Cow::Owned).map_err(|error| in_file(error, &main))?
            }
            Syntax::Mustache | Syntax::Handlebars => main.text.clone(),
        };
        Ok(Self { syntax: job.syntax, main, engines, typed: &job.typed, partials })
    }
}

/// A parsed template, ready to render.
pub struct CompiledTemplate<'t> {
    main: &'t Stripped<'t>,
    engine: CompiledEngine<'t>,
}

enum CompiledEngine<'t> {
    Jinja2(jinja::CompiledJinja<'t>),
    Mustache(mustache::CompiledMustache<'t>),
    Handlebars(Box<handlebars::CompiledHandlebars>),
}

impl<'t> CompiledTemplate<'t> {
    /// Parses the template.
    ///
    /// # Errors
    ///
    /// It does not parse or exceeds a limit.
    pub fn new(texts: &'t Texts<'_>) -> Result<Self, Error> {
        let main = &texts.main;
        let engine = match texts.syntax {
            Syntax::Jinja2 => jinja::CompiledJinja::new(&texts.engines, texts.typed).map(CompiledEngine::Jinja2),
            Syntax::Mustache => {
                let partials = texts.partials.iter().map(|(name, stripped)| (*name, stripped.text.as_ref()));
                mustache::CompiledMustache::new(&texts.engines, partials).map(CompiledEngine::Mustache)
            }
            Syntax::Handlebars => handlebars::CompiledHandlebars::new(&texts.engines)
                .map(|compiled| CompiledEngine::Handlebars(Box::new(compiled))),
        };
        engine.map(|engine| Self { main, engine }).map_err(|error| in_file(error, main))
    }

    /// Renders the template.
    ///
    /// # Errors
    ///
    /// See [`super::render`].
    pub fn render(&self, values: &Value, html: bool) -> Result<Rendered, Error> {
        values::check(values)?;
        let rendered = match &self.engine {
            CompiledEngine::Jinja2(template) => template.render(values),
            CompiledEngine::Mustache(template) => template.render(values, html),
            CompiledEngine::Handlebars(template) => template.render(values, html),
        };
        let Rendered { text, mut warnings } = rendered.map_err(|error| in_file(error, self.main))?;
        if html && matches!(self.engine, CompiledEngine::Jinja2(_)) && !self.main.text.contains("autoescape") {
            warnings.push(UNESCAPED.to_owned());
        }
        for warning in &mut warnings {
            // The line numbers in a warning are mapped like those in an error.
            let moved = in_file(template_error(1, std::mem::take(warning)), self.main);
            *warning = moved.message;
        }
        Ok(Rendered { text, warnings })
    }
}
