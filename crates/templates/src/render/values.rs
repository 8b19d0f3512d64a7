//! External values: JSON that is measured before it is parsed, because a short text can take much memory.

use serde_json::Value;

use super::limits::{VALUES_BYTES, VALUES_COUNT, VALUES_DEPTH, too_many_values, values_too_deep, values_too_large};
use crate::error::template_error;
use refdesk_text::json::JsonError;
use refdesk_text::{Code, Error};

/// Parses values given as JSON text; skips a byte order mark.
///
/// # Errors
///
/// The text exceeds a limit, or is not JSON ([`Code::JsonSyntax`]); then the fix is left to the caller.
pub fn parse(text: &str) -> Result<Value, Error> {
    let text = text.trim_start_matches('\u{feff}');
    if text.len() > VALUES_BYTES {
        return Err(Error::new(Code::TooLarge, values_too_large(), FEWER));
    }
    let (count, depth) = measure(text);
    check_measure(count, depth)?;
    let values = serde_json::from_str(text)
        .map_err(|error| format!("the values are not JSON: {}", JsonError::of(text, &error)))
        .map_err(|message| Error::new(Code::JsonSyntax, message, ""))?;
    exact(text).map_err(|message| Error::new(Code::TooLarge, message, "correct the number"))?;
    Ok(values)
}

/// What to do about values that exceed a limit.
const FEWER: &str = "leave out what the template does not use";

/// Checks that every integer in a JSON text keeps all its digits when parsed.
///
/// # Errors
///
/// One would not; the message contains it.
pub fn exact(text: &str) -> Result<(), String> {
    let Some(number) = rounded(text) else { return Ok(()) };
    let start: String = number.chars().take(40).collect();
    Err(format!("the number {start} exceeds the limit of 64 bits and would be rounded; write it as a string"))
}

/// The first integer of a JSON text that the parser would turn into a float with other digits.
fn rounded(text: &str) -> Option<&str> {
    let (mut inside, mut escaped, mut from) = (false, false, None);
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        let is_in_number = !inside && (byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'));
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ => {}
        }
        if is_in_number {
            from = from.or(Some(at));
        } else if let Some(number) = from.take().and_then(|from| text.get(from..at))
            && number.bytes().skip_while(|byte| *byte == b'-').all(|byte| byte.is_ascii_digit())
            && number.bytes().any(|byte| byte.is_ascii_digit())
            && number.parse::<i64>().is_err()
            && number.parse::<u64>().is_err()
        {
            return Some(number);
        }
    }
    None
}

/// A lower bound of the number of values in a JSON text, and their depth, computed from its punctuation outside
/// strings.
fn measure(text: &str) -> (usize, usize) {
    let (mut count, mut depth, mut deepest) = (1_usize, 0_usize, 0_usize);
    let (mut inside, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ if inside => {}
            b'[' | b'{' => {
                count += 1;
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => count += 1,
            _ => {}
        }
    }
    (count, deepest)
}

fn check_measure(count: usize, depth: usize) -> Result<(), Error> {
    let exceeded = match () {
        () if count > VALUES_COUNT => too_many_values(),
        () if depth > VALUES_DEPTH => values_too_deep(),
        () => return Ok(()),
    };
    Err(Error { fix: FEWER.into(), ..template_error(None, exceeded) })
}

/// Checks that values from another source may be rendered.
///
/// # Errors
///
/// They exceed a limit.
pub fn check(values: &Value) -> Result<(), Error> {
    let (mut open, mut count) = (vec![(values, 0)], 0);
    while let Some((value, depth)) = open.pop() {
        count += 1;
        check_measure(count, depth)?;
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_measured_before_they_are_read() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for (text, expected) in [
            ("\u{feff}{\"a\": [1, {}]}".to_owned(), "read"),
            ("{\"a\": \"[[,,\\\"[\"}".to_owned(), "read"),
            (nested(VALUES_DEPTH), "read"),
            (nested(VALUES_DEPTH + 1), "the values nest deeper than the limit of 100"),
            (format!("[{}1]", "1,".repeat(VALUES_COUNT - 2)), "read"),
            (format!("[{}1]", "1,".repeat(VALUES_COUNT)), "the values exceed the limit of 250000 items"),
            (format!("\"{}\"", "x".repeat(VALUES_BYTES)), "the values exceed the limit of 16777216 bytes (16 MiB)"),
            ("[18446744073709551615, -9223372036854775808, 1e30, 123456789012345678901.5, 12]".to_owned(), "read"),
            ("{\"1\\\"123456789012345678901\": \"123456789012345678901\"}".to_owned(), "read"),
            (
                "{\"a\": [-9223372036854775809]}".to_owned(),
                "the number -9223372036854775809 exceeds the limit of 64 bits and would be rounded; write it as a string",
            ),
            (
                "18446744073709551616".to_owned(),
                "the number 18446744073709551616 exceeds the limit of 64 bits and would be rounded; write it as a string",
            ),
            ("{".to_owned(), "the values are not JSON: an object is not closed at line 1 column 1"),
        ] {
            let outcome = match parse(&text) {
                Ok(values) => check(&values).map_or_else(|error| error.message, |()| "read".to_owned()),
                Err(error) => error.message,
            };
            assert_eq!(outcome, expected, "{}", text.get(..40).unwrap_or(&text));
        }
    }
}
