//! Python's slices: `x[from:to:step]`, translated to a method (`template::jinja`). A slice of a list is a list, so that `+`
//! works on it, and a reversed slice may be empty; the engine supports neither.

use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use super::arguments::{failed, undefined};
use super::operators::of_items;
use super::print::of_text;
use super::typed;

/// The method name that the translation uses.
pub(super) const METHOD: &str = "__slice__";

/// The items or characters of a slice.
///
/// # Errors
///
/// The value cannot be sliced, or a bound is not an integer.
pub(crate) fn slice(value: &Value, bounds: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        let cut: String = cut(&text.chars().collect::<Vec<char>>(), bounds)?.into_iter().collect();
        return Ok(of_text(cut, typed::is_safe(value)));
    }
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            let items = cut(&value.try_iter()?.collect::<Vec<Value>>(), bounds)?;
            Ok(of_items(items, value.is_tuple()))
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
    // A bound may also be one past the last item, in either direction.
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

/// A bound of a slice; `None` if omitted.
fn whole(value: &Value) -> Result<Option<i128>, Error> {
    let value = &*typed::numeric(value);
    match value.kind() {
        ValueKind::None => Ok(None),
        ValueKind::Bool => Ok(Some(i128::from(value.is_true()))),
        ValueKind::Number if value.is_integer() => {
            // Too large for any list.
            Ok(Some(i128::try_from(value.clone()).unwrap_or(i128::MAX)))
        }
        ValueKind::Undefined => Err(undefined(value)),
        kind => Err(failed(format!("slice bounds must be whole numbers, not a {kind}"))),
    }
}
