//! Globals of every Jinja2 template: `range`, `joiner`, `namespace`, `dict`, and `self`, which prints as in Jinja2;
//! `cycler` and `lipsum` are refused. The functions have the names that the translation uses in calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;
use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, ValueKind, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::arguments::{PythonArguments, failed, undefined};
use super::lists::pair;
use super::mutable::mutable;
use super::typed;
use crate::jinja::{FUNCTIONS, REFUSED_FUNCTIONS};

pub(crate) fn install(engine: &mut Environment<'static>) {
    for (name, _) in FUNCTIONS {
        engine.remove_global(name);
    }
    engine.add_function("__range__", |bounds: Rest<Value>| range(&bounds.0));
    engine.add_function("__joiner__", |more: Rest<ValueOrKwargs>| -> Result<Value, Error> {
        let mut args = PythonArguments::new(more);
        let separator = args.text("sep")?.unwrap_or_else(|| ", ".to_owned());
        args.end()?;
        Ok(Value::from_object(Joiner { separator, used: AtomicBool::new(false) }))
    });
    engine.add_function("__dict__", |more: Rest<ValueOrKwargs>| mutable(&dict(more.into_values())?));
    engine.add_function("__namespace__", |more: Rest<ValueOrKwargs>| {
        minijinja::functions::namespace(Some(dict(more.into_values())?.into()))
    });
    for (name, instead) in REFUSED_FUNCTIONS {
        engine.add_function(format!("__{name}__"), move |_: Rest<ValueOrKwargs>| -> Result<Value, Error> {
            Err(failed(format!("'{name}' is not supported: {instead}")))
        });
    }
    engine.add_global("self", "<TemplateReference None>");
}

/// `range(…)`: the engine treats an undefined or null bound as not given.
fn range(bounds: &[Value]) -> Result<Value, Error> {
    let bounds: Vec<Value> = bounds.iter().map(|bound| typed::numeric(bound).into_owned()).collect();
    for bound in &bounds {
        match bound.kind() {
            ValueKind::Undefined => return Err(undefined(bound)),
            ValueKind::None => return Err(failed("'range' takes whole numbers, not null")),
            _ if isize::try_from(bound.clone()).is_ok() => {}
            ValueKind::Number => return Err(failed(format!("'range' takes whole numbers, not {bound}"))),
            kind => return Err(failed(format!("'range' takes whole numbers, not {kind}"))),
        }
    }
    let (lower, upper, step) = from_args(&bounds)?;
    minijinja::functions::range(lower, upper, step)
}

/// `dict(…)`: from a dict or from pairs, with additional fields by name.
///
/// # Errors
///
/// The argument is neither.
pub(super) fn dict(mut places: Vec<Value>) -> Result<Value, Error> {
    let last_is_named = places.last().is_some_and(Value::is_kwargs);
    let named = if last_is_named { places.pop().map(Kwargs::try_from).transpose()? } else { None };
    if places.len() > 1 {
        return Err(ErrorKind::TooManyArguments.into());
    }
    let named = named.unwrap_or_else(|| std::iter::empty::<(String, Value)>().collect());
    let of = match places.pop() {
        Some(list) if matches!(list.kind(), ValueKind::Seq | ValueKind::Iterable) => {
            let pairs = list.try_iter()?.map(|item| pair(&item)).collect::<Result<IndexMap<Value, Value>, Error>>()?;
            Some(Value::from_object(pairs))
        }
        of => of,
    };
    minijinja::functions::dict(of, named)
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
