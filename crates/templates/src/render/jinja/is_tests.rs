//! The tests after `is` that compare, compute or search, and `in`: they refuse what Python's operators refuse, where
//! the engine returns false.

use minijinja::value::{Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::arguments::{failed, is_missing, must_be_defined};
use super::operators::{COMPARISONS, modulo, order};
use super::typed;

pub(crate) fn install(engine: &mut Environment<'static>) {
    for (sign, accepts, filter, tests) in COMPARISONS {
        let compare = move |left: &Value, right: &Value| order(left, right, sign).map(accepts);
        engine.add_filter(filter, compare);
        for test in tests {
            engine.add_test(*test, compare);
        }
    }
    for (is_equal, filter, tests) in [(true, "__eq__", &["eq", "equalto", "=="][..]), (false, "__ne__", &["ne", "!="])]
    {
        // Names were checked before, so the error is about a larger expression, which it quotes.
        engine.add_filter(filter, move |left: &Value, right: &Value| match is_missing(left) || is_missing(right) {
            true => Err(Error::from(ErrorKind::UndefinedError)),
            false => Ok(typed::equal(left, right) == is_equal),
        });
        for test in tests {
            engine.add_test(*test, move |left: &Value, right: &Value| {
                must_be_defined(left)?;
                must_be_defined(right)?;
                Ok::<_, Error>(typed::equal(left, right) == is_equal)
            });
        }
    }
    engine.add_test("even", |value: &Value| rest_is(value, &Value::from(2), 0));
    engine.add_test("odd", |value: &Value| rest_is(value, &Value::from(2), 1));
    engine.add_test("divisibleby", |value: &Value, divisor: &Value| rest_is(value, divisor, 0));
    engine.add_test("in", is_in);
    engine.add_filter("__chain__", chain);
    // The operators behave like the test.
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
    must_be_defined(value)?;
    match value.kind() {
        ValueKind::Seq | ValueKind::Map => Err(failed(format!("a {} is not a name", value.kind()))),
        _ => Ok(value.as_str()),
    }
}

fn rest_is(value: &Value, divisor: &Value, rest: i64) -> Result<bool, Error> {
    Ok(modulo(value, divisor)? == Value::from(rest))
}

/// `a < b == c`: compares each value with the next, up to the first comparison that is false.
fn chain(state: &State, first: Value, more: Rest<Value>) -> Result<bool, Error> {
    let (mut left, mut more) = (first, more.0.into_iter());
    while let (Some(sign), Some(right)) = (more.next(), more.next()) {
        if !holds(state, &left, sign.as_str().unwrap_or_default(), &right)? {
            return Ok(false);
        }
        left = right;
    }
    Ok(true)
}

fn holds(state: &State, left: &Value, sign: &str, right: &Value) -> Result<bool, Error> {
    must_be_defined(left)?;
    must_be_defined(right)?;
    match sign {
        "==" => Ok(typed::equal(left, right)),
        "!=" => Ok(!typed::equal(left, right)),
        "in" => is_in(state, left, right),
        "not in" => is_in(state, left, right).map(|found| !found),
        _ => {
            let ordering = order(left, right, sign)?;
            Ok(COMPARISONS.iter().any(|(known, accepts, ..)| *known == sign && accepts(ordering)))
        }
    }
}

fn is_in(state: &State, value: &Value, container: &Value) -> Result<bool, Error> {
    must_be_defined(value)?;
    must_be_defined(container)?;
    if container.is_undefined() {
        return Ok(false);
    }
    let is_container = match container.as_str() {
        Some(_) => value.as_str().is_some(),
        None => container.as_object().is_some(),
    };
    if !is_container {
        return Err(failed(format!("'in' does not work on {} and {}", value.kind(), container.kind())));
    }
    if container.kind() == ValueKind::Seq {
        for item in container.try_iter()? {
            must_be_defined(&item)?;
            if typed::equal(&item, value) {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    minijinja::tests::is_in(state, value, container)
}
