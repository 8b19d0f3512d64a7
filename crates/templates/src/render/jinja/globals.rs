//! Globals of every Jinja2 template: `joiner`, `namespace`, and `self`, which prints as in Jinja2. `range` and `dict` are
//! the engine's; `cycler` and `lipsum` are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::arguments::{PythonArguments, failed};

pub(crate) fn install(engine: &mut Environment<'static>) {
    engine.add_function("joiner", |more: Rest<ValueOrKwargs>| -> Result<Value, Error> {
        let mut args = PythonArguments::new(more);
        let separator = args.text("sep")?.unwrap_or_else(|| ", ".to_owned());
        args.end()?;
        Ok(Value::from_object(Joiner { separator, used: AtomicBool::new(false) }))
    });
    engine.add_function("namespace", |more: Rest<ValueOrKwargs>| -> Result<Value, Error> {
        let mut places = more.into_values();
        let last_is_named = places.last().is_some_and(Value::is_kwargs);
        let named = if last_is_named { places.pop().map(Kwargs::try_from).transpose()? } else { None };
        if places.len() > 1 {
            return Err(ErrorKind::TooManyArguments.into());
        }
        let named = named.unwrap_or_else(|| std::iter::empty::<(String, Value)>().collect());
        let fields = minijinja::functions::dict(places.pop(), named)?;
        minijinja::functions::namespace(Some(fields.into()))
    });
    for (name, instead) in [("cycler", "use loop.cycle in a loop"), ("lipsum", "a template cannot generate text")] {
        engine.add_function(name, move |_: Rest<ValueOrKwargs>| -> Result<Value, Error> {
            Err(failed(format!("'{name}' is not supported: {instead}")))
        });
    }
    engine.add_global("self", "<TemplateReference None>");
}

/// Prints nothing on the first call, then its separator.
#[derive(Debug)]
struct Joiner {
    separator: String,
    used: AtomicBool,
}

impl Object for Joiner {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, _: &[Value]) -> Result<Value, Error> {
        let first = !self.used.swap(true, Ordering::Relaxed);
        Ok(Value::from(if first { "" } else { self.separator.as_str() }))
    }
}
