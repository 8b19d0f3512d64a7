//! Filters that accept a list as Jinja2 does: null is not a list, and a dict is the list of its keys.

#![allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value

use std::borrow::Cow;

use minijinja::value::{DynObject, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::arguments::{PythonArguments, RestArguments, failed, is_missing, must_be_defined};
use super::mutable::mutable;

type TestFilter = fn(&mut State, Value, Option<Cow<'_, str>>, RestArguments) -> Result<Vec<Value>, Error>;

/// The filters that test items, with the engine's implementation.
const TESTING: [(&str, TestFilter); 2] =
    [("select", minijinja::filters::select), ("reject", minijinja::filters::reject)];

pub(crate) fn install(engine: &mut Environment<'static>) {
    engine.add_filter("reverse", reverse);
    engine.add_filter("last", |value: Value| match value.kind() {
        ValueKind::Map | ValueKind::Undefined => {
            must_be_defined(&value)?;
            Ok(items(&value)?.pop().unwrap_or_default())
        }
        _ => minijinja::filters::last(value),
    });
    for name in ["length", "count"] {
        engine.add_filter(name, |value: &Value| {
            must_be_defined(value)?;
            if value.is_undefined() { Ok(0) } else { minijinja::filters::length(value) }
        });
    }
    engine.add_filter("first", |value: &Value| {
        must_be_defined(value)?;
        if value.is_undefined() { Ok(Value::UNDEFINED) } else { minijinja::filters::first(value) }
    });
    engine.add_filter("list", |state: &State, value: Value| {
        must_be_list(&value)?;
        minijinja::filters::list(state, value).and_then(|list| mutable(&list))
    });
    for (name, engines) in TESTING {
        engine.add_filter(
            name,
            move |state: &mut State, list: Value, test: Option<Cow<'_, str>>, args: RestArguments| match is_empty_list(
                &list,
            ) {
                true => Ok(Vec::new()),
                false => must_be_test(state, test.as_deref()).and_then(|()| engines(state, list, test, args)),
            },
        );
    }
    engine.add_filter("map", map);
    engine.add_filter("slice", |state: &State, value: Value, more: RestArguments| {
        let (slices, fill) = parts(&value, more, "slices")?;
        minijinja::filters::slice(state, value, slices, fill)
    });
    engine.add_filter("batch", |state: &State, value: Value, more: RestArguments| {
        let (size, fill) = parts(&value, more, "linecount")?;
        minijinja::filters::batch(state, value, size, fill)
    });
}

/// Whether `map`, `select` and `reject` treat this as an empty list, like all false values: `0`, `false`, null.
pub(super) fn is_empty_list(value: &Value) -> bool {
    !is_missing(value) && !value.is_true()
}

/// Refuses null and undefined values, which the engine treats as empty lists.
///
/// # Errors
///
/// The value is one of them.
pub(super) fn must_be_list(value: &Value) -> Result<(), Error> {
    if value.is_none() { Err(failed("null is not a list")) } else { must_be_defined(value) }
}

/// Checks that a test given by name exists; the engine's error lacks the name.
///
/// # Errors
///
/// It does not.
pub(super) fn must_be_test(state: &State, test: Option<&str>) -> Result<(), Error> {
    match test.filter(|test| !minijinja::tests::is_test(state, test)) {
        Some(test) => Err(Error::new(ErrorKind::UnknownTest, format!("test {test} is unknown"))),
        None => Ok(()),
    }
}

/// The items of a list, the keys of a dict, or the characters of a string.
///
/// # Errors
///
/// The value has no items.
pub(super) fn items(value: &Value) -> Result<Vec<Value>, Error> {
    match value.as_str() {
        Some(text) => Ok(text.chars().map(Value::from).collect()),
        None => Ok(value.try_iter()?.collect()),
    }
}

/// The keys and values of a dict; none for other values.
pub(super) fn entries(value: &Value) -> Vec<(Value, Value)> {
    value.as_object().and_then(DynObject::try_iter_pairs).into_iter().flatten().collect()
}

/// The two items of a pair.
///
/// # Errors
///
/// There are more or fewer items.
pub(super) fn pair(value: &Value) -> Result<(Value, Value), Error> {
    let items = items(value).unwrap_or_default();
    <[Value; 2]>::try_from(items)
        .map(|[first, second]| (first, second))
        .map_err(|_| failed(format!("{value} is not a pair")))
}

/// The arguments of `slice` and `batch`, after checking that the value is a list.
fn parts(list: &Value, more: RestArguments, name: &str) -> Result<(usize, Option<Value>), Error> {
    let mut args = PythonArguments::new(more);
    let count = args.number(name, 0)?;
    let fill = args.some("fill_with");
    args.end()?;
    must_be_list(list)?;
    let count = usize::try_from(count).ok().filter(|count| *count > 0);
    Ok((count.ok_or_else(|| failed(format!("'{name}' must be above 0")))?, fill))
}

/// `map(filter, …)`: passes all other arguments on to the filter, also the named ones, which the engine drops.
fn map(state: &mut State, list: Value, args: RestArguments) -> Result<Vec<Value>, Error> {
    if is_empty_list(&list) {
        return Ok(Vec::new());
    }
    if args.0.first().is_none_or(|first| first.is_kwargs()) {
        return minijinja::filters::map(state, list, args);
    }
    must_be_defined(&list)?;
    let args = args.into_values();
    let (filter, args) = args.split_first().ok_or(ErrorKind::MissingArgument)?;
    must_be_defined(filter)?;
    let filter = filter.as_str().ok_or_else(|| failed("'map' takes the name of a filter"))?;
    if !minijinja::tests::is_filter(state, filter) {
        return Err(Error::new(ErrorKind::UnknownFilter, format!("filter {filter} is unknown")));
    }
    let call = |item: Value| {
        let args: Vec<Value> = std::iter::once(item).chain(args.iter().cloned()).collect();
        state.apply_filter(filter, &args)
    };
    items(&list)?.into_iter().map(call).collect()
}

fn reverse(value: Value) -> Result<Value, Error> {
    must_be_list(&value)?;
    match value.kind() {
        ValueKind::Map | ValueKind::Undefined => {
            let mut keys = items(&value)?;
            keys.reverse();
            Ok(Value::from(keys))
        }
        _ => minijinja::filters::reverse(&value),
    }
}
