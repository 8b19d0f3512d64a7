//! Numbers that a person typed: they print as they were typed, and are numbers where a template computes with them or
//! compares them with numbers. They are strings with the engine's mark for safe text, which changes nothing about how a
//! number prints and stays with it in variables, lists and dicts.

use std::borrow::Cow;

use minijinja::value::{Serde, ValueKind};
use minijinja::{Error, Value};
use serde_json::Value as Json;

use super::operators::Operator;
use super::print::printed;
use crate::variables::number_in;

/// A typed value, with every number in it marked. Recurses as deep as the value, which is bounded.
pub(super) fn marked(value: &Json) -> Value {
    match value {
        Json::String(text) if number_in(text).is_some() => Value::from_safe_string(text.clone()),
        Json::Array(items) => items.iter().map(marked).collect(),
        Json::Object(fields) => Value::from_pairs(fields.iter().map(|(name, value)| (name.clone(), marked(value)))),
        other => Value::from(Serde(other)),
    }
}

/// The number that was typed; `None` for other values, numbers included.
pub(super) fn number_of(value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|_| value.is_safe())?;
    number_in(text).map(|number| Value::from(Serde(number)))
}

/// The number that was typed, or else the value itself.
pub(super) fn numeric(value: &Value) -> Cow<'_, Value> {
    number_of(value).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// What counts as true or false in place of the value: a typed zero is false, like a number.
pub(super) fn truth(value: &Value) -> Cow<'_, Value> {
    number_of(value).filter(|number| !number.is_true()).map_or(Cow::Borrowed(value), Cow::Owned)
}

/// What decides the order of values: numbers if all of them are numbers or were typed as such, else the values themselves.
pub(super) fn in_order(keys: Vec<Value>) -> Vec<Value> {
    let numbers: Vec<Value> = keys.iter().map(|key| numeric(key).into_owned()).collect();
    if numbers.iter().all(Value::is_number) { numbers } else { keys }
}

/// `value[key]`: a typed number is an index of a list, and a key of a dict as a text or as a number.
pub(super) fn item(value: &Value, key: &Value) -> Result<Value, Error> {
    let found = value.get_item(key)?;
    match number_of(key).filter(|_| found.is_undefined()) {
        Some(number) => value.get_item(&number),
        None => Ok(found),
    }
}

/// An operator within a sum. A number computed from a typed one counts as typed, so that a text joins it in `n + 1 + 'px'`.
pub(super) fn within_sum(operator: Operator, left: &Value, right: &Value) -> Result<Value, Error> {
    let result = operator(left, right)?;
    if !result.is_number() || (number_of(left).is_none() && number_of(right).is_none()) {
        return Ok(result);
    }
    let text = printed(&result);
    let is_same = number_in(&text).is_some_and(|number| Value::from(Serde(number)) == result);
    Ok(if is_same { Value::from_safe_string(text.into_owned()) } else { result })
}

/// The string that a value is, unless it is a typed number.
pub(super) fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|_| number_of(value).is_none())
}

/// Whether a string must not be escaped, which says nothing of a typed number.
pub(super) fn is_safe(value: &Value) -> bool {
    value.is_safe() && number_of(value).is_none()
}

/// Two values as numbers, if at least one was typed and both are numbers.
pub(super) fn as_numbers(left: &Value, right: &Value) -> Option<(Value, Value)> {
    match (number_of(left), number_of(right)) {
        (Some(left), Some(right)) => Some((left, right)),
        (Some(left), None) if right.kind() == ValueKind::Number => Some((left, right.clone())),
        (None, Some(right)) if left.kind() == ValueKind::Number => Some((left.clone(), right)),
        _ => None,
    }
}

/// `==`: a typed number equals a number; two typed ones are equal if they were typed in the same way, because `1.10` and
/// `1.1` may be versions.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    left == right
        || (left.as_str().is_none() || right.as_str().is_none())
            && as_numbers(left, right).is_some_and(|(left, right)| left == right)
        || are_equal_lists(left, right)
}

/// Two lists or two tuples whose items are [`equal`]. Recurses as deep as the values, which the worker's stack bounds.
fn are_equal_lists(left: &Value, right: &Value) -> bool {
    let are_lists =
        [left, right].iter().all(|value| value.kind() == ValueKind::Seq) && left.is_tuple() == right.is_tuple();
    let (true, Ok(left), Ok(right)) = (are_lists && left.len() == right.len(), left.try_iter(), right.try_iter())
    else {
        return false;
    };
    left.zip(right).all(|(left, right)| equal(&left, &right))
}
