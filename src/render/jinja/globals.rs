//! Names that every Jinja2 template has: `joiner`, and `self`, which prints as Jinja2 prints it. `range`, `dict` and
//! `namespace` are the engine's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minijinja::value::{Object, Rest, ValueOrKwargs};
use minijinja::{Environment, Error, State, Value};

use super::given::Args;

/// Adds them.
pub fn install(engine: &mut Environment<'static>) {
    engine.add_function("joiner", |more: Rest<ValueOrKwargs>| -> Result<Value, Error> {
        let mut args = Args::new(more);
        let separator = args.text("sep")?.unwrap_or_else(|| ", ".to_owned());
        args.end()?;
        Ok(Value::from_object(Joiner { separator, used: AtomicBool::new(false) }))
    });
    engine.add_global("self", "<TemplateReference None>");
}

/// Prints nothing when first called, and its separator from then on.
#[derive(Debug)]
struct Joiner {
    separator: String,
    used: AtomicBool,
}

impl Object for Joiner {
    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, _: &[Value]) -> Result<Value, Error> {
        let first = !self.used.swap(true, Ordering::Relaxed);
        Ok(Value::from(if first { "" } else { self.separator.as_str() }))
    }
}
