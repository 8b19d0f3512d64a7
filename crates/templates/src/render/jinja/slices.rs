//! Slices as Python cuts them: `x[from:to:step]`, which reaches us as a method (`template::jinja`). A list stays a
//! list, so that it can be added to, and a turned round one may be empty: the engine knows neither.

use minijinja::value::{Tuple, ValueKind};
use minijinja::{Error, Value};

use super::arguments::{failed, undefined};

/// The name under which the reader writes a slice.
pub const METHOD: &str = "__slice__";

/// The items, or the characters, from one place to another.
///
/// # Errors
///
/// What is to be cut has no places, or a bound is no whole number.
pub fn slice(value: &Value, bounds: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        let cut: String = cut(&text.chars().collect::<Vec<char>>(), bounds)?.into_iter().collect();
        return Ok(if value.is_safe() { Value::from_safe_string(cut) } else { Value::from(cut) });
    }
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            let items = cut(&value.try_iter()?.collect::<Vec<Value>>(), bounds)?;
            Ok(if value.is_tuple() { Value::from(Tuple::from(items)) } else { Value::from(items) })
        }
        ValueKind::Undefined => Err(undefined(value)),
        ValueKind::None => Err(failed("null cannot be sliced")),
        kind => Err(failed(format!("a {kind} cannot be sliced"))),
    }
}

fn cut<T: Clone>(items: &[T], bounds: &[Value]) -> Result<Vec<T>, Error> {
    let bound = |at: usize| bounds.get(at).map_or(Ok(None), whole);
    let step = bound(2)?.unwrap_or(1);
    let length = i128::try_from(items.len()).unwrap_or(i128::MAX);
    // Behind the last one either way: a bound may stand there too.
    let (first, last) = match step {
        0 => return Err(failed("slice step cannot be zero")),
        1.. => (0, length),
        _ => (length - 1, -1),
    };
    let place = |given: Option<i128>, left_out: i128| {
        let (low, high) = (first.min(last), first.max(last));
        given.map_or(left_out, |given| if given < 0 { given.saturating_add(length) } else { given }.clamp(low, high))
    };
    let (mut at, end) = (place(bound(0)?, first), place(bound(1)?, last));
    let mut out = Vec::new();
    while if step > 0 { at < end } else { at > end } {
        out.extend(usize::try_from(at).ok().and_then(|at| items.get(at)).cloned());
        at = at.saturating_add(step);
    }
    Ok(out)
}

/// A bound; `None` where it is left out.
fn whole(value: &Value) -> Result<Option<i128>, Error> {
    match value.kind() {
        ValueKind::None => Ok(None),
        ValueKind::Bool => Ok(Some(i128::from(value.is_true()))),
        ValueKind::Number if value.is_integer() => {
            // Further away than any list is long.
            Ok(Some(i128::try_from(value.clone()).unwrap_or(i128::MAX)))
        }
        ValueKind::Undefined => Err(undefined(value)),
        kind => Err(failed(format!("a slice goes from whole number to whole number, not to a {kind}"))),
    }
}
