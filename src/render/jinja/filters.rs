//! Filters that minijinja answers otherwise than Jinja2, as Jinja2 answers them (BEHAVIOUR §6). Not yet like it:
//! `filesizeformat`, `xmlattr`, `urlize` and `random` are unknown, `striptags` leaves entities alone, `{% autoescape %}`
//! writes quotes as the engine does, a unary `+` is refused, a loop over `null` inside another block is empty instead of
//! an error, and very large or small floats print as Rust prints them.

#![allow(clippy::needless_pass_by_value)] // the engine hands arguments over by value

use std::cmp::Ordering;

use minijinja::value::{DynObject, Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::given::{Args, More, failed, room_for};
use super::json;
use super::numbers::{float, int};
use super::text_filters::{
    center, escape, indent, replace, spaces, striptags, truncate, urlencode, wordcount, wordwrap,
};

/// Puts them in the place of the engine's own.
pub fn install(engine: &mut Environment<'static>) {
    engine.add_filter("replace", replace);
    engine.add_filter("default", default);
    engine.add_filter("d", default);
    engine.add_filter("indent", indent);
    engine.add_filter("truncate", truncate);
    engine.add_filter("wordwrap", wordwrap);
    engine.add_filter("wordcount", wordcount);
    engine.add_filter("dictsort", dictsort);
    engine.add_filter("int", int);
    engine.add_filter("float", float);
    engine.add_filter("tojson", tojson);
    engine.add_filter("center", center);
    engine.add_filter("urlencode", urlencode);
    engine.add_filter("format", format_percent);
    engine.add_filter("escape", escape);
    engine.add_filter("e", escape);
    engine.add_filter("forceescape", escape);
    engine.add_filter("striptags", striptags);
    engine.add_filter("sort", |state: &State, value: Value, more: More| {
        minijinja::filters::sort(state, value, by_name(more, &["reverse", "case_sensitive", "attribute"])?)
    });
    engine.add_filter("unique", |state: &State, value: Value, more: More| {
        minijinja::filters::unique(state, value, by_name(more, &["case_sensitive", "attribute"])?)
    });
    engine.add_filter("min", |state: &State, value: Value, more: More| {
        minijinja::filters::min(state, value, by_name(more, &["case_sensitive", "attribute"])?)
    });
    engine.add_filter("max", |state: &State, value: Value, more: More| {
        minijinja::filters::max(state, value, by_name(more, &["case_sensitive", "attribute"])?)
    });
}

/// The engine takes by name alone what Jinja2 takes by place too.
fn by_name(more: More, names: &[&str]) -> Result<Kwargs, Error> {
    let mut args = Args::new(more);
    let given: Vec<(String, Value)> =
        names.iter().filter_map(|name| args.value(name).map(|value| ((*name).to_owned(), value))).collect();
    args.end()?;
    Ok(given.into_iter().collect())
}

fn default(value: &Value, more: More) -> Result<Value, Error> {
    let mut args = Args::new(more);
    let other = args.value("default_value").unwrap_or_else(|| Value::from(""));
    let falsy_too = args.flag("boolean", false);
    args.end()?;
    Ok(if value.is_undefined() || (falsy_too && !value.is_true()) { other } else { value.clone() })
}

fn dictsort(value: &Value, more: More) -> Result<Value, Error> {
    let mut args = Args::new(more);
    let case_sensitive = args.flag("case_sensitive", false);
    let by = args.text("by")?.unwrap_or_else(|| "key".to_owned());
    let reverse = args.flag("reverse", false);
    args.end()?;
    if !matches!(by.as_str(), "key" | "value") {
        return Err(failed("you can only sort by either 'key' or 'value'"));
    }
    let Some(pairs) = value.as_object().filter(|_| value.kind() == ValueKind::Map).and_then(DynObject::try_iter_pairs)
    else {
        return Err(failed(format!("dictsort takes a dict, not {}", value.kind())));
    };
    let mut pairs: Vec<(Value, Value)> = pairs.collect();
    let sorted_by = |pair: &(Value, Value)| if by == "key" { pair.0.clone() } else { pair.1.clone() };
    pairs.sort_by(|left, right| {
        let order = compare(&sorted_by(left), &sorted_by(right), case_sensitive);
        if reverse { order.reverse() } else { order }
    });
    Ok(pairs.into_iter().map(Value::from).collect())
}

fn compare(left: &Value, right: &Value, case_sensitive: bool) -> Ordering {
    match (left.as_str(), right.as_str()) {
        (Some(left), Some(right)) if !case_sensitive => left.to_lowercase().cmp(&right.to_lowercase()),
        _ => left.cmp(right),
    }
}

fn tojson(value: &Value, more: More) -> Result<String, Error> {
    let mut args = Args::new(more);
    let indent = args.value("indent").filter(|indent| !indent.is_none());
    args.end()?;
    if value.is_undefined() {
        return Err(ErrorKind::UndefinedError.into());
    }
    let indent = match indent {
        None => None,
        Some(value) => match value.as_str() {
            Some(text) => Some(text.to_owned()),
            None if value.kind() == ValueKind::Bool => Some(spaces(i64::from(value.is_true()))?),
            None => Some(spaces(i64::try_from(value).map_err(|_| failed("'indent' must be a whole number"))?)?),
        },
    };
    if indent.as_ref().is_some_and(|indent| indent.len() > 64) {
        return Err(failed("'indent' must be at most 64 characters"));
    }
    let value = serde_json::to_value(value).map_err(|error| failed(format!("cannot be written as JSON: {error}")))?;
    let mut out = String::new();
    json::write(&value, indent.as_deref(), 0, &mut out);
    Ok(out)
}

fn format_percent(state: &mut State, value: &Value, args: More) -> Result<Value, Error> {
    if let Some(format) = value.as_str() {
        room_for_widths(format)?;
    }
    for arg in &*args {
        if format_takes_widths(value)
            && i64::try_from(Value::from(arg.clone())).is_ok_and(|width| width.unsigned_abs() > 1_000_000)
        {
            return Err(failed("a width taken from a value may be 1000000 at most"));
        }
    }
    minijinja::filters::format(state, value, args)
}

fn format_takes_widths(format: &Value) -> bool {
    format.as_str().is_some_and(|format| format.contains('*'))
}

/// The widths and precisions a format string asks for.
///
/// # Errors
///
/// Together they would pass the output limit.
pub fn room_for_widths(format: &str) -> Result<(), Error> {
    let numbers = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() > 3);
    let width = |digits: &str| digits.parse::<usize>().unwrap_or(usize::MAX);
    room_for(numbers.map(width).fold(0, usize::saturating_add))
}
