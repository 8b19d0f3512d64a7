//! Names that every Jinja2 template has: `joiner`, `cycler`, `namespace`, and `self`, which prints as Jinja2 prints it.
//! `range` and `dict` are the engine's; `lipsum` is refused, since a template gives the same text every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Rest, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::given::{Args, failed};

/// Adds them.
pub fn install(engine: &mut Environment<'static>) {
    engine.add_function("joiner", |more: Rest<ValueOrKwargs>| -> Result<Value, Error> {
        let mut args = Args::new(more);
        let separator = args.text("sep")?.unwrap_or_else(|| ", ".to_owned());
        args.end()?;
        Ok(Value::from_object(Joiner { separator, used: AtomicBool::new(false) }))
    });
    engine.add_function("cycler", |items: Rest<Value>| -> Result<Value, Error> {
        if items.is_empty() {
            return Err(failed("cycler takes at least one item"));
        }
        Ok(Value::from_object(Cycler { items: items.0, at: AtomicUsize::new(0) }))
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
    engine.add_function("lipsum", |_: Rest<ValueOrKwargs>| -> Result<Value, Error> {
        Err(failed("'lipsum' is not supported: a template gives the same text every time"))
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
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, _: &[Value]) -> Result<Value, Error> {
        let first = !self.used.swap(true, Ordering::Relaxed);
        Ok(Value::from(if first { "" } else { self.separator.as_str() }))
    }
}

/// Goes round its items, one with each `next()`.
#[derive(Debug)]
struct Cycler {
    items: Vec<Value>,
    at: AtomicUsize,
}

impl Cycler {
    fn current(&self) -> Value {
        self.items.get(self.at.load(Ordering::Relaxed)).cloned().unwrap_or_default()
    }
}

impl Object for Cycler {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        (key.as_str() == Some("current")).then(|| self.current())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }

    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, method: &str, args: &[Value]) -> Result<Value, Error> {
        match (method, args) {
            ("next", []) => {
                let current = self.current();
                let next = self.at.load(Ordering::Relaxed) + 1;
                self.at.store(if next < self.items.len() { next } else { 0 }, Ordering::Relaxed);
                Ok(current)
            }
            ("reset", []) => {
                self.at.store(0, Ordering::Relaxed);
                Ok(Value::from(()))
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }
}
