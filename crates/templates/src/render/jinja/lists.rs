//! Filters that accept a list as Jinja2 does: null is not one, and a dict is the list of its keys.

#![allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value

use std::borrow::Cow;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, State, Value};

use super::arguments::{RestArguments, failed, undefined};

pub(crate) fn install(engine: &mut Environment<'static>) {
    engine.add_filter("reverse", reverse);
    engine.add_filter("last", |value: Value| match value.kind() {
        ValueKind::Map => Ok(items(&value)?.pop().unwrap_or_default()),
        _ => minijinja::filters::last(value),
    });
    engine.add_filter("list", |state: &State, value: Value| {
        must_be_list(&value)?;
        minijinja::filters::list(state, value)
    });
    engine.add_filter("select", |state: &mut State, list: Value, test: Option<Cow<'_, str>>, args: RestArguments| {
        match is_empty_list(&list) {
            true => Ok(Vec::new()),
            false => minijinja::filters::select(state, list, test, args),
        }
    });
    engine.add_filter("reject", |state: &mut State, list: Value, test: Option<Cow<'_, str>>, args: RestArguments| {
        match is_empty_list(&list) {
            true => Ok(Vec::new()),
            false => minijinja::filters::reject(state, list, test, args),
        }
    });
    engine.add_filter("map", |state: &mut State, list: Value, args: RestArguments| match is_empty_list(&list) {
        true => Ok(Vec::new()),
        false => minijinja::filters::map(state, list, args),
    });
    engine.add_filter("slice", |state: &State, value: Value, slices: usize, fill: Option<Value>| {
        must_be_list(&value)?;
        minijinja::filters::slice(state, value, slices, fill)
    });
    engine.add_filter("batch", |state: &State, value: Value, size: usize, fill: Option<Value>| {
        must_be_list(&value)?;
        minijinja::filters::batch(state, value, size, fill)
    });
}

/// Whether `map`, `select` and `reject` treat this as an empty list, like all false values: `0`, `false`, null.
pub(super) fn is_empty_list(value: &Value) -> bool {
    !value.is_undefined() && !value.is_true()
}

/// Refuses null and undefined values, which the engine treats as an empty list.
///
/// # Errors
///
/// The value is one of them.
pub(super) fn must_be_list(value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined => Err(undefined(value)),
        ValueKind::None => Err(failed("null is not a list")),
        _ => Ok(()),
    }
}

/// The items of a list, the keys of a dict, or the characters of a string.
///
/// # Errors
///
/// It has none.
pub(super) fn items(value: &Value) -> Result<Vec<Value>, Error> {
    match value.as_str() {
        Some(text) => Ok(text.chars().map(Value::from).collect()),
        None => Ok(value.try_iter()?.collect()),
    }
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

fn reverse(value: Value) -> Result<Value, Error> {
    must_be_list(&value)?;
    match value.kind() {
        ValueKind::Map => {
            let mut keys = items(&value)?;
            keys.reverse();
            Ok(Value::from(keys))
        }
        _ => minijinja::filters::reverse(&value),
    }
}
