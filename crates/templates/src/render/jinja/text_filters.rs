//! String filters that minijinja lacks or that differ from Jinja2's.

#![allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value

use std::borrow::Cow;

use minijinja::value::ValueKind;
use minijinja::{Error, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::arguments::{PythonArguments, RestArguments, check_output_size, failed, must_be_defined, undefined};
use super::lists;
use super::print::{of_text, printed};
use super::text::{self, Wrap};
use super::typed;
use refdesk_text::lines::breaks;

/// The characters that `urlencode` leaves unchanged, in a pair and in a path.
const IN_PAIR: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~');
const IN_PATH: &AsciiSet = &IN_PAIR.remove(b'/');

/// `escape`: as in markupsafe, only once.
///
/// # Errors
///
/// The value is undefined, or the output limit would be exceeded.
pub(crate) fn escape(value: &Value) -> Result<Value, Error> {
    if value.is_safe() { Ok(value.clone()) } else { force_escape(value) }
}

/// `forceescape`: escapes even text that is already escaped.
///
/// # Errors
///
/// See [`escape`].
pub(super) fn force_escape(value: &Value) -> Result<Value, Error> {
    must_be_defined(value)?;
    let text = escaped(&printed(value));
    check_output_size(text.len())?;
    Ok(of_text(text, true))
}

/// A value in the form that text filters use: as printed.
///
/// # Errors
///
/// The value is undefined.
pub(super) fn text(value: &Value) -> Result<Cow<'_, str>, Error> {
    must_be_defined(value)?;
    Ok(printed(value))
}

/// A string escaped for HTML as in markupsafe.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&#34;"),
            c => out.push(c),
        }
    }
    out
}

/// `replace(old, new, count=none)`.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
pub(crate) fn replace(value: &Value, more: RestArguments) -> Result<String, Error> {
    let value = text(value)?;
    let mut args = PythonArguments::new(more);
    let (old, new) = (args.needed("old")?, args.needed("new")?);
    let count = args.number("count", -1)?;
    args.end()?;
    must_be_defined(&old)?;
    must_be_defined(&new)?;
    let (old, new) = (printed(&old).into_owned(), printed(&new).into_owned());
    let times = value.matches(old.as_str()).count();
    check_output_size(value.len().saturating_add(times.saturating_mul(new.len())))?;
    Ok(match usize::try_from(count) {
        Ok(count) => value.replacen(&old, &new, count),
        Err(_) => value.replace(&old, &new),
    })
}

/// `indent(width=4, first=false, blank=false)`; the width may be a string.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
pub(crate) fn indent(value: &Value, more: RestArguments) -> Result<String, Error> {
    let value = text_of(value, "indent")?;
    let mut args = PythonArguments::new(more);
    let width = args.value("width").map_or_else(|| Value::from(4), |width| typed::numeric(&width).into_owned());
    let (first, blank) = (args.flag("first", false)?, args.flag("blank", false)?);
    args.end()?;
    let lines = breaks(value) + 1;
    let indentation = match width.as_str() {
        Some(text) => text.to_owned(),
        None => spaces(i64::try_from(width).map_err(|_| failed("'width' must be a whole number or a string"))?)?,
    };
    check_output_size(value.len().saturating_add(lines.saturating_mul(indentation.len())))?;
    Ok(text::indent(value, &indentation, first, blank))
}

/// The string that a filter requires; Jinja2 converts no other values here.
fn text_of<'v>(value: &'v Value, filter: &str) -> Result<&'v str, Error> {
    match value.as_str() {
        Some(text) => Ok(text),
        None if value.is_undefined() => Err(undefined(value)),
        None => Err(failed(format!("{filter} takes a string, not {}", value.kind()))),
    }
}

/// This many spaces.
///
/// # Errors
///
/// The output limit would be exceeded.
pub(super) fn spaces(count: i64) -> Result<String, Error> {
    let count = usize::try_from(count).unwrap_or_default();
    check_output_size(count)?;
    Ok(" ".repeat(count))
}

/// `truncate(length=255, killwords=false, end='...', leeway=5)`.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
pub(crate) fn truncate(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let length = args.number("length", 255)?;
    let kill_words = args.flag("killwords", false)?;
    let end = args.text("end")?.unwrap_or_else(|| "...".to_owned());
    let leeway = args.number("leeway", 5)?;
    args.end()?;
    match (usize::try_from(length), usize::try_from(leeway)) {
        (Ok(length), Ok(leeway)) if length >= end.chars().count() => match value.len() {
            None if value.is_undefined() => must_be_defined(value).map(|()| value.clone()),
            // As in Jinja2, a list that is short enough is returned unchanged.
            Some(items) if items <= length.saturating_add(leeway) => Ok(value.clone()),
            _ => Ok(Value::from(text::truncate(text_of(value, "truncate")?, length, kill_words, &end, leeway))),
        },
        _ => Err(failed(format!("expected length >= {}, got {length}, and leeway >= 0", end.chars().count()))),
    }
}

/// `wordwrap(width=79, break_long_words=true, wrapstring=none, break_on_hyphens=true)`.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
pub(super) fn wordwrap(value: &Value, more: RestArguments) -> Result<String, Error> {
    let value = text_of(value, "wordwrap")?;
    let mut args = PythonArguments::new(more);
    let width = usize::try_from(args.number("width", 79)?).unwrap_or_default();
    let break_long_words = args.flag("break_long_words", true)?;
    let wrap_string = args.text("wrapstring")?.unwrap_or_else(|| "\n".to_owned());
    let break_on_hyphens = args.flag("break_on_hyphens", true)?;
    args.end()?;
    if width == 0 {
        return Err(failed("'width' must be above 0"));
    }
    let how = Wrap { width, break_long_words, break_on_hyphens };
    let wrapped = text::lines(value, false).into_iter().map(|line| text::wrap(line, &how).join(&wrap_string));
    Ok(wrapped.collect::<Vec<_>>().join(&wrap_string))
}

/// `trim(chars=none)`.
///
/// # Errors
///
/// The arguments are invalid.
pub(super) fn trim(value: &Value, more: RestArguments) -> Result<Value, Error> {
    let mut args = PythonArguments::new(more);
    let chars = args.text("chars")?;
    args.end()?;
    let text = text(value)?;
    let trimmed = chars.map_or_else(|| text.trim(), |chars| text.trim_matches(|c| chars.contains(c)));
    Ok(of_text(trimmed.to_owned(), typed::is_safe(value)))
}

/// `wordcount`.
///
/// # Errors
///
/// The value is undefined.
pub(super) fn wordcount(value: &Value) -> Result<usize, Error> {
    let value = text(value)?;
    let words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
    Ok(words.filter(|word| !word.is_empty()).count())
}

/// `center(width=80)`.
///
/// # Errors
///
/// The arguments are invalid, or the output limit would be exceeded.
pub(super) fn center(value: &Value, more: RestArguments) -> Result<String, Error> {
    let value = text(value)?;
    let mut args = PythonArguments::new(more);
    let width = usize::try_from(args.number("width", 80)?).unwrap_or_default();
    args.end()?;
    check_output_size(width)?;
    let length = value.chars().count();
    let left = text::left_of_center(length, width);
    let right = width.saturating_sub(length).saturating_sub(left);
    Ok(format!("{}{value}{}", " ".repeat(left), " ".repeat(right)))
}

/// `urlencode`: for a string, a dict or pairs.
///
/// # Errors
///
/// The value is invalid, or the output limit would be exceeded.
pub(super) fn urlencode(value: &Value) -> Result<String, Error> {
    must_be_defined(value)?;
    match value.kind() {
        ValueKind::Map => {
            let pairs = lists::entries(value);
            Ok(pairs.iter().map(|(key, value)| pair(key, value)).collect::<Vec<_>>().join("&"))
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let mut pairs = Vec::new();
            for item in value.try_iter()? {
                let (key, value) = lists::pair(&item)?;
                pairs.push(pair(&key, &value));
            }
            Ok(pairs.join("&"))
        }
        _ => Ok(utf8_percent_encode(&printed(value), IN_PATH).to_string()),
    }
}

fn pair(key: &Value, value: &Value) -> String {
    let part = |value: &Value| utf8_percent_encode(&printed(value), IN_PAIR).to_string().replace("%20", "+");
    format!("{}={}", part(key), part(value))
}
