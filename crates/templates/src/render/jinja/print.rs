//! Prints values. Floats are printed as in Python, and `{% autoescape %}` escapes like `|e`; everything else, including
//! floats within a list, is printed by the engine.

use std::borrow::Cow;

use minijinja::value::{ObjectRepr, ValueKind};
use minijinja::{AutoEscape, Error, Output, State, Value};

use super::arguments::{is_missing, undefined};
use super::text_filters::escaped;
use crate::variables::number_in;

/// Prints the value of a `{{ … }}`.
///
/// # Errors
///
/// The value is undefined, or the output is full.
pub(crate) fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let is_escaped = !matches!(state.auto_escape(), AutoEscape::None) && !value.is_safe() && !value.is_undefined();
    match float_of(value) {
        Some(number) => out.write_str(&float(number)).map_err(Error::from),
        None if value.as_object().is_some()
            && let Some(gone) = missing_within(value) =>
        {
            Err(undefined(&gone))
        }
        None if is_escaped => out.write_str(&escaped(&printed(value))).map_err(Error::from),
        None => minijinja::escape_formatter(out, state, value),
    }
}

/// The most values searched for undefined ones in a printed list or dict.
const MAX_VISITED: usize = 10_000;

/// An undefined value in a list or dict.
fn missing_within(value: &Value) -> Option<Value> {
    let mut open = vec![value.clone()];
    for _ in 0..MAX_VISITED {
        let value = open.pop()?;
        if is_missing(&value) {
            return Some(value);
        }
        let Some(object) = value.as_object() else { continue };
        match object.repr() {
            ObjectRepr::Map => open.extend(object.try_iter_pairs()?.map(|(_, value)| value).take(MAX_VISITED)),
            ObjectRepr::Seq => open.extend(object.try_iter()?.take(MAX_VISITED)),
            _ => {}
        }
    }
    None
}

pub(crate) fn printed(value: &Value) -> Cow<'_, str> {
    match (value.as_str(), float_of(value)) {
        (Some(text), _) => Cow::Borrowed(text),
        (None, Some(number)) => Cow::Owned(float(number)),
        (None, None) => Cow::Owned(value.to_string()),
    }
}

pub(super) fn float_of(value: &Value) -> Option<f64> {
    let is_float = value.kind() == ValueKind::Number && !value.is_integer();
    if is_float { f64::try_from(value.clone()).ok() } else { None }
}

/// A string that filters do not escape again if it is safe. The text of a number has nothing to escape, and would count as
/// [typed](super::typed).
pub(super) fn of_text(text: String, is_safe: bool) -> Value {
    if is_safe && number_in(&text).is_none() { Value::from_safe_string(text) } else { Value::from(text) }
}

/// A value as printed within a list: strings in quotes.
pub(super) fn repr(value: &Value) -> String {
    if let Some(number) = float_of(value) {
        return float(number);
    }
    let list = Value::from(vec![value.clone()]).to_string();
    list.get(1..list.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// A float as Python's `repr` writes it: the shortest digits that round-trip, with an exponent below 1e-4 and from 1e16.
pub(super) fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let short = format!("{number:e}");
        let (digits, exponent) = short.split_once('e').unwrap_or((&short, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    let plain = number.to_string();
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_python_prints_them() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(float(number), text);
        }
    }
}
