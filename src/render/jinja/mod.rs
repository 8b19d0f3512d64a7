//! Jinja2, rendered by minijinja: strict about what is undefined, final line breaks kept, one template at a time. Where
//! minijinja answers a filter or method otherwise than Jinja2 does, ours stand in its place ([`filters`], [`methods`]).

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Enumerator, Object, Serde};
use minijinja::{AutoEscape, Environment, Template, UndefinedBehavior, Value};

use super::limits::{FUEL, OUTPUT_BYTES, output_too_large};
use super::{RenderError, Rendered};
use crate::template::{JinjaChecks, check_jinja, from_engine};

mod explain;
mod filters;
mod given;
mod globals;
mod json;
mod methods;
mod numbers;
mod text;
mod text_filters;

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(engine);

fn engine() -> Environment<'static> {
    let mut engine = Environment::new();
    if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
        engine.set_syntax(syntax);
    }
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_auto_escape_callback(|_| AutoEscape::None);
    engine.set_fuel(Some(FUEL));
    // Without it an error knows neither the name nor the place of what was undefined.
    engine.set_debug(true);
    engine.remove_global("debug");
    engine.set_unknown_method_callback(methods::call);
    filters::install(&mut engine);
    globals::install(&mut engine);
    engine
}

/// A template, read.
pub struct Compiled<'t> {
    text: &'t str,
    checks: JinjaChecks,
    template: Template<'t, 't>,
}

impl<'t> Compiled<'t> {
    /// Reads a template; its line numbers are those of `text`.
    ///
    /// # Errors
    ///
    /// It does not parse, or passes a limit.
    pub fn new(text: &'t str) -> Result<Self, RenderError> {
        let checks = check_jinja(text)?;
        let template = ENGINE.template_from_str(text).map_err(|error| RenderError::from(from_engine(&error)))?;
        Ok(Self { text, checks, template })
    }

    /// Renders it.
    ///
    /// # Errors
    ///
    /// Something it needs is undefined, an operation fails, or a limit is passed.
    pub fn render(&self, values: &serde_json::Value) -> Result<Rendered, RenderError> {
        let serde_json::Value::Object(fields) = values else {
            let message = "a Jinja2 template takes an object: names and what they stand for".to_owned();
            return Err(RenderError { message, line: None });
        };
        if let Some((name, line)) = self.checks.loop_over_null(values) {
            let message = format!("'{name}' is null and cannot be looped over at line {line}");
            return Err(RenderError { message, line: Some(line) });
        }
        let given = Arc::new(Given { fields: Value::from(Serde(fields)), missing: Mutex::default() });
        let mut out = Limited::default();
        let outcome = self.template.render_captured_to(Value::from_dyn_object(given.clone()), &mut out);
        if out.full {
            return Err(RenderError { message: output_too_large(), line: None });
        }
        if let Err(error) = outcome {
            return Err(explain::explain(&error, self.text, fields));
        }
        let missing = given.missing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, line)) = self.checks.first_demanded(&missing) {
            return Err(explain::undefined(name, Some(line), fields));
        }
        match String::from_utf8(out.bytes) {
            Ok(text) => Ok(Rendered { text, warnings: Vec::new() }),
            Err(_) => Err(RenderError { message: "the output is not UTF-8 text".to_owned(), line: None }),
        }
    }
}

/// The values given, which also remember what was asked for in vain: the engine lets a comparison with an undefined value
/// pass where Jinja2 does not.
#[derive(Debug)]
struct Given {
    fields: Value,
    missing: Mutex<BTreeSet<String>>,
}

impl Object for Given {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        match self.fields.get_attr(name) {
            Ok(value) if !value.is_undefined() => Some(value),
            _ => {
                self.missing.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
                None
            }
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match self.fields.try_iter() {
            Ok(names) => Enumerator::Values(names.collect()),
            Err(_) => Enumerator::Empty,
        }
    }
}

/// Text up to the output limit.
#[derive(Default)]
struct Limited {
    bytes: Vec<u8>,
    full: bool,
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > OUTPUT_BYTES {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
