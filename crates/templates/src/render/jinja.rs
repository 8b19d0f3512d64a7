//! Jinja2, rendered by minijinja: strict about undefined values, final line breaks kept, one template at a time. Where a
//! minijinja filter or method differs from Jinja2's, ours replaces it ([`filters`], [`methods`]).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Template, UndefinedBehavior, Value};

use super::Rendered;
use super::limits::{FUEL, LimitedBytes, OUTPUT_BYTES, output_too_large};
use crate::error::template_error;
use crate::jinja::{FUNCTIONS, NameKind, REFUSED_FUNCTIONS, from_engine};
use refdesk_text::Error;

mod arguments;
mod explain;
mod filters;
mod globals;
mod groups;
mod is_tests;
mod json;
mod lists;
mod markup;
mod methods;
mod mutable;
mod numbers;
mod operators;
mod percent;
mod pretty;
mod print;
mod slices;
mod str_format;
mod text;
mod text_filters;
mod typed;

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(engine);

fn engine() -> Environment<'static> {
    let mut engine = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
        engine.set_syntax(syntax);
    }
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_auto_escape_callback(|_| AutoEscape::None);
    engine.set_fuel(Some(FUEL));
    // Without debug mode, an error contains neither name nor position of the undefined value.
    engine.set_debug(true);
    engine.remove_global("debug");
    engine.set_unknown_method_callback(methods::call);
    engine.set_formatter(print::print);
    filters::install(&mut engine);
    lists::install(&mut engine);
    is_tests::install(&mut engine);
    operators::install(&mut engine);
    globals::install(&mut engine);
    engine
}

/// Whether the engine has this filter, test or function.
pub(crate) fn knows(kind: NameKind, name: &str) -> bool {
    let state = ENGINE.empty_state();
    match kind {
        NameKind::Filter => minijinja::tests::is_filter(&state, name),
        NameKind::Test => minijinja::tests::is_test(&state, name),
        // A recursive loop is called like a function.
        NameKind::Function => {
            let is_refused = REFUSED_FUNCTIONS.iter().any(|(refused, _)| *refused == name);
            name == "loop" || (!is_refused && FUNCTIONS.iter().any(|(function, _)| *function == name))
        }
    }
}

pub(super) struct CompiledJinja<'t> {
    translated: &'t str,
    typed: &'t BTreeSet<String>,
    template: Template<'t, 't>,
}

impl<'t> CompiledJinja<'t> {
    /// Parses a template translated by [`crate::jinja::for_engine`]; its line numbers are those of the text. The values
    /// with these top-level names were `typed`.
    ///
    /// # Errors
    ///
    /// The engine rejects it.
    pub(super) fn new(translated: &'t str, typed: &'t BTreeSet<String>) -> Result<Self, Error> {
        let template = ENGINE.template_from_str(translated).map_err(|error| from_engine(&error))?;
        Ok(Self { translated, typed, template })
    }

    /// Renders the template.
    ///
    /// # Errors
    ///
    /// A required value is undefined, an operation fails, or a limit is exceeded.
    pub(super) fn render(&self, values: &serde_json::Value) -> Result<Rendered, Error> {
        let serde_json::Value::Object(fields) = values else {
            let message = "the values of a Jinja2 template must be an object".to_owned();
            return Err(template_error(None, message));
        };
        let mut out = LimitedBytes::new(Vec::new(), OUTPUT_BYTES);
        let value = |(name, value): (&String, &serde_json::Value)| {
            let is_typed = self.typed.contains(name);
            (name.clone(), if is_typed { typed::marked(value) } else { Value::from(Serde(value)) })
        };
        let values = match self.typed.is_empty() {
            true => Value::from(Serde(fields)),
            false => Value::from_pairs(fields.iter().map(value)),
        };
        let outcome = self.template.render_captured_to(values, &mut out);
        if out.is_full {
            return Err(template_error(None, output_too_large()));
        }
        if let Err(error) = outcome {
            return Err(explain::explain(&error, self.translated, fields));
        }
        match String::from_utf8(out.bytes) {
            Ok(text) => Ok(Rendered { text, warnings: Vec::new() }),
            Err(_) => Err(template_error(None, "the output is not UTF-8 text".to_owned())),
        }
    }
}
