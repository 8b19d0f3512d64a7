//! The tests after `is` that compare, compute or search, and `in`: they refuse what Python's operators refuse, while
//! the engine answers with false.

use std::cmp::Ordering;

use minijinja::value::ValueKind;
use minijinja::{Environment, Error, State, Value};

use super::arguments::{failed, undefined};
use super::operators::{modulo, order};

pub(crate) fn install(engine: &mut Environment<'static>) {
    for name in ["lt", "lessthan", "<"] {
        engine.add_test(name, |left: &Value, right: &Value| order(left, right, "<").map(Ordering::is_lt));
    }
    for name in ["le", "<="] {
        engine.add_test(name, |left: &Value, right: &Value| order(left, right, "<=").map(Ordering::is_le));
    }
    for name in ["gt", "greaterthan", ">"] {
        engine.add_test(name, |left: &Value, right: &Value| order(left, right, ">").map(Ordering::is_gt));
    }
    for name in ["ge", ">="] {
        engine.add_test(name, |left: &Value, right: &Value| order(left, right, ">=").map(Ordering::is_ge));
    }
    engine.add_test("even", |value: &Value| rest_is(value, &Value::from(2), 0));
    engine.add_test("odd", |value: &Value| rest_is(value, &Value::from(2), 1));
    engine.add_test("divisibleby", |value: &Value, divisor: &Value| rest_is(value, divisor, 0));
    engine.add_test("in", is_in);
    // The operators work like the test.
    engine.add_filter("__in__", is_in);
    engine.add_filter("__not_in__", |state: &State, value: &Value, container: &Value| {
        is_in(state, value, container).map(|found| !found)
    });
    engine.add_test("filter", |state: &State, value: &Value| {
        name(value).map(|name| name.is_some_and(|name| minijinja::tests::is_filter(state, name)))
    });
    engine.add_test("test", |state: &State, value: &Value| {
        name(value).map(|name| name.is_some_and(|name| minijinja::tests::is_test(state, name)))
    });
    engine.add_test("iterable", |value: &Value| {
        matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Map | ValueKind::Iterable)
    });
}

/// The name of the filter or test to look up; `None` if it is not a name. Looking up a list or a dict is an error.
fn name(value: &Value) -> Result<Option<&str>, Error> {
    match value.kind() {
        ValueKind::Undefined => Err(undefined(value)),
        ValueKind::Seq | ValueKind::Map => Err(failed(format!("a {} is not a name", value.kind()))),
        _ => Ok(value.as_str()),
    }
}

fn rest_is(value: &Value, divisor: &Value, rest: i64) -> Result<bool, Error> {
    Ok(modulo(value, divisor)? == Value::from(rest))
}

fn is_in(state: &State, value: &Value, container: &Value) -> Result<bool, Error> {
    if container.is_undefined() {
        return Err(undefined(container));
    }
    let is_container = match container.as_str() {
        Some(_) => value.as_str().is_some(),
        None => container.as_object().is_some(),
    };
    if !is_container {
        return Err(failed(format!("'in' does not work on {} and {}", value.kind(), container.kind())));
    }
    minijinja::tests::is_in(state, value, container)
}
