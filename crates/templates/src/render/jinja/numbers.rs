//! The filters `int` and `float`, which parse numbers as Python does and return their default for invalid ones.

#![allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value

use std::borrow::Cow;

use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use refdesk_text::words::is_digit;

use super::arguments::{PythonArguments, RestArguments, failed, undefined};

/// `int(default=0, base=10)`: invalid input gives the default.
///
/// # Errors
///
/// The arguments are invalid, or the number has more digits than can be held.
pub(super) fn int(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let default = args.value("default").unwrap_or_else(|| Value::from(0));
    let base = u32::try_from(args.number("base", 10)?).ok().filter(|base| (2..=36).contains(base) || *base == 0);
    args.end()?;
    let base = base.ok_or_else(|| failed("'base' must be 0 or between 2 and 36"))?;
    let found = match value.kind() {
        ValueKind::Undefined => return Err(undefined(value)),
        ValueKind::Bool => Some(i128::from(value.is_true())),
        ValueKind::Number if value.is_integer() => return Ok(value.clone()),
        ValueKind::Number => held(f64::try_from(value.clone()).ok())?,
        ValueKind::String => match value.as_str().and_then(|text| integer(text, base)) {
            None => held(value.as_str().and_then(decimal))?,
            found => found,
        },
        _ => None,
    };
    Ok(found.map_or(default, |number| i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)))
}

/// A float truncated to an integer; `None` if it has no value.
///
/// # Errors
///
/// It is too large, for which Jinja2 has longer integers.
fn held(number: Option<f64>) -> Result<Option<i128>, Error> {
    let found = number.and_then(whole);
    match number.filter(|number| number.is_finite() && found.is_none()) {
        Some(_) => Err(failed("'int' holds numbers of up to 38 digits, and this one is larger")),
        None => Ok(found),
    }
}

/// A float truncated to an integer.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn whole(number: f64) -> Option<i128> {
    (number.is_finite() && number.abs() < 1e38).then_some(number.trunc() as i128)
}

/// A number as Python's `int` parses it.
fn integer(text: &str, base: u32) -> Option<i128> {
    let text = with_ascii_digits(text.trim());
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let lower = digits.to_lowercase();
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2)];
    let prefixed = prefixes.iter().find(|(prefix, of)| (base == *of || base == 0) && lower.starts_with(prefix));
    let (digits, base) = match prefixed {
        Some((prefix, of)) => (lower.get(prefix.len()..)?, *of),
        None => (lower.as_str(), if base == 0 { 10 } else { base }),
    };
    let underscores = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    if underscores || digits.starts_with(['-', '+']) {
        return None;
    }
    let number = i128::from_str_radix(&digits.replace('_', ""), base).ok()?;
    Some(if negative { -number } else { number })
}

/// The text with the decimal digits of every script replaced by ASCII digits. In Unicode, each script's digits are
/// contiguous from zero to nine.
fn with_ascii_digits(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let ascii = |c: char| {
        if !is_digit(c) {
            return c;
        }
        let before = (0..u32::from(c)).rev().take_while(|code| char::from_u32(*code).is_some_and(is_digit)).count();
        u32::try_from(before % 10).ok().and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)
    };
    Cow::Owned(text.chars().map(ascii).collect())
}

/// A number as Python's `float` parses it.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let text = with_ascii_digits(text.trim());
    if text.starts_with('_') || text.ends_with('_') || text.contains("__") {
        return None;
    }
    text.replace('_', "").parse().ok()
}

/// `float(default=0.0)`: invalid input gives the default.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
pub(super) fn float(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let default = args.value("default").unwrap_or_else(|| Value::from(0.0));
    args.end()?;
    let found = match value.kind() {
        ValueKind::Undefined => return Err(undefined(value)),
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::String => value.as_str().and_then(decimal),
        _ => None,
    };
    Ok(found.map_or(default, Value::from))
}
