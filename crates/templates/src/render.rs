//! Renders a template with values (BEHAVIOUR §6): Jinja2 with minijinja and corrections, Mustache with our own
//! evaluator, Handlebars with the crate of that name. Nothing here reads a file. Untrusted templates are rendered by a
//! worker, a separate process that can be killed ([`Renderer`]).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Syntax;
use refdesk_text::Error;

mod compiled;
mod handlebars;
mod handlebars_dialect;
mod handlebars_helpers;
mod handlebars_parts;
#[cfg(test)]
mod handlebars_tests;
mod jinja;
#[cfg(test)]
mod language_tests;
pub mod limits;
mod mustache;
mod mustache_context;
pub mod partials;
mod renderer;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tree_law_tests;
pub mod values;
pub mod worker;

pub(crate) use handlebars::unsupported;

pub use compiled::{CompiledTemplate, Texts};
pub(crate) use jinja::knows as knows_jinja;
pub use renderer::Renderer;

/// The result of a rendering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Warnings, one sentence each.
    pub warnings: Vec<String>,
}

/// One rendering with all its inputs, so that a separate process can perform it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RenderJob {
    /// The text of the template's file.
    pub text: String,
    /// Its language.
    pub syntax: Syntax,
    /// An object; for Mustache any value.
    pub values: Value,
    /// The top-level names of values typed as text, in which a text that is a number is one where Jinja2 computes.
    pub typed: BTreeSet<String>,
    /// Whether to escape HTML in the `{{x}}` of Mustache and Handlebars.
    pub html: bool,
    /// Every partial that a Mustache template can reach, by name; [`partials::gather`] finds them.
    pub partials: BTreeMap<String, String>,
}

impl RenderJob {
    /// A job without escaping and partials.
    pub fn new(text: impl Into<String>, syntax: Syntax, values: Value) -> Self {
        let (typed, partials) = (BTreeSet::new(), BTreeMap::new());
        Self { text: text.into(), syntax, values, typed, html: false, partials }
    }
}

/// Renders a template in this process. Use [`Renderer`] for templates that are not trusted.
///
/// # Errors
///
/// The template does not parse, uses an undefined value (Jinja2, Handlebars), does something invalid, or exceeds a limit.
/// The line is that of the file.
pub fn render(job: &RenderJob) -> Result<Rendered, Error> {
    CompiledTemplate::new(&Texts::of(job)?)?.render(&job.values, job.html)
}
