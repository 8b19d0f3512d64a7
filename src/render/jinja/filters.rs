//! Filters that minijinja answers otherwise than Jinja2, as Jinja2 answers them (BEHAVIOUR §6). Not yet like it:
//! `filesizeformat`, `xmlattr`, `urlize` and `random` are unknown, `striptags` leaves entities alone, `{% autoescape %}`
//! writes quotes as the engine does, a unary `+` is refused, a loop over `null` inside another block is empty instead of
//! an error, and very large or small floats print as Rust prints them.

use std::borrow::Cow;
use std::cmp::Ordering;

use minijinja::value::{Kwargs, Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::given::{Args, failed, room_for};
use super::json;
use super::text::{self, Wrap};

type More = Rest<ValueOrKwargs>;

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

fn escape(value: Cow<'_, str>) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
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

/// Tags and comments go, white space becomes one blank; entities stay as they are.
fn striptags(value: Cow<'_, str>) -> String {
    let (mut kept, mut rest) = (String::with_capacity(value.len()), &*value);
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        let close = if tag.starts_with("<!--") { "-->" } else { ">" };
        let Some(end) = tag.find(close) else { break };
        kept.push_str(before);
        rest = tag.get(end + close.len()..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn replace(value: Cow<'_, str>, more: More) -> Result<String, Error> {
    let mut args = Args::new(more);
    let (Some(old), Some(new)) = (args.value("old"), args.value("new")) else {
        return Err(ErrorKind::MissingArgument.into());
    };
    let count = args.number("count", -1)?;
    args.end()?;
    let (old, new) = (printed(&old)?, printed(&new)?);
    let times = value.matches(old.as_str()).count();
    room_for(value.len().saturating_add(times.saturating_mul(new.len())))?;
    Ok(match usize::try_from(count) {
        Ok(count) => value.replacen(&old, &new, count),
        Err(_) => value.replace(&old, &new),
    })
}

fn printed(value: &Value) -> Result<String, Error> {
    if value.is_undefined() { Err(ErrorKind::UndefinedError.into()) } else { Ok(value.to_string()) }
}

fn default(value: &Value, more: More) -> Result<Value, Error> {
    let mut args = Args::new(more);
    let other = args.value("default_value").unwrap_or_else(|| Value::from(""));
    let falsy_too = args.flag("boolean", false);
    args.end()?;
    Ok(if value.is_undefined() || (falsy_too && !value.is_true()) { other } else { value.clone() })
}

fn indent(value: Cow<'_, str>, more: More) -> Result<String, Error> {
    let mut args = Args::new(more);
    let width = args.value("width").unwrap_or_else(|| Value::from(4));
    let (first, blank) = (args.flag("first", false), args.flag("blank", false));
    args.end()?;
    let lines = value.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let indentation = match width.as_str() {
        Some(text) => text.to_owned(),
        None => spaces(i64::try_from(width).map_err(|_| failed("'width' must be a whole number or a string"))?)?,
    };
    room_for(value.len().saturating_add(lines.saturating_mul(indentation.len())))?;
    Ok(text::indent(&value, &indentation, first, blank))
}

fn spaces(count: i64) -> Result<String, Error> {
    let count = usize::try_from(count).unwrap_or_default();
    room_for(count)?;
    Ok(" ".repeat(count))
}

fn truncate(value: Cow<'_, str>, more: More) -> Result<String, Error> {
    let mut args = Args::new(more);
    let length = args.number("length", 255)?;
    let kill_words = args.flag("killwords", false);
    let end = args.text("end")?.unwrap_or_else(|| "...".to_owned());
    let leeway = args.number("leeway", 5)?;
    args.end()?;
    match (usize::try_from(length), usize::try_from(leeway)) {
        (Ok(length), Ok(leeway)) if length >= end.chars().count() => {
            Ok(text::truncate(&value, length, kill_words, &end, leeway))
        }
        _ => Err(failed(format!("expected length >= {}, got {length}, and leeway >= 0", end.chars().count()))),
    }
}

fn wordwrap(value: Cow<'_, str>, more: More) -> Result<String, Error> {
    let mut args = Args::new(more);
    let width = usize::try_from(args.number("width", 79)?).unwrap_or_default();
    let break_long_words = args.flag("break_long_words", true);
    let wrap_string = args.text("wrapstring")?.unwrap_or_else(|| "\n".to_owned());
    let break_on_hyphens = args.flag("break_on_hyphens", true);
    args.end()?;
    if width == 0 {
        return Err(failed("'width' must be above 0"));
    }
    let how = Wrap { width, break_long_words, break_on_hyphens };
    let wrapped = text::lines(&value, false).into_iter().map(|line| text::wrap(line, &how).join(&wrap_string));
    Ok(wrapped.collect::<Vec<_>>().join(&wrap_string))
}

fn wordcount(value: Cow<'_, str>) -> usize {
    let mut words = value.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.by_ref().filter(|word| !word.is_empty()).count()
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
    let Some(pairs) = value.as_object().filter(|_| value.kind() == ValueKind::Map).and_then(|map| map.try_iter_pairs())
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

fn int(value: &Value, more: More) -> Result<Value, Error> {
    let mut args = Args::new(more);
    let default = args.value("default").unwrap_or_else(|| Value::from(0));
    let base = u32::try_from(args.number("base", 10)?).ok().filter(|base| (2..=36).contains(base) || *base == 0);
    args.end()?;
    let base = base.ok_or_else(|| failed("'base' must be 0 or between 2 and 36"))?;
    let found = match value.kind() {
        ValueKind::Undefined => return Err(ErrorKind::UndefinedError.into()),
        ValueKind::Bool => Some(i128::from(value.is_true())),
        ValueKind::Number if value.is_integer() => return Ok(value.clone()),
        ValueKind::Number => f64::try_from(value.clone()).ok().and_then(whole),
        ValueKind::String => {
            value.as_str().and_then(|text| integer(text, base).or_else(|| decimal(text).and_then(whole)))
        }
        _ => None,
    };
    Ok(found.map_or(default, |number| i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)))
}

#[allow(clippy::cast_possible_truncation)]
fn whole(number: f64) -> Option<i128> {
    (number.is_finite() && number.abs() < 1e38).then_some(number.trunc() as i128)
}

/// A number as Python's `int` reads it.
fn integer(text: &str, base: u32) -> Option<i128> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
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

/// A number as Python's `float` reads it.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.starts_with('_') || text.ends_with('_') || text.contains("__") {
        return None;
    }
    text.replace('_', "").parse().ok()
}

fn float(value: &Value, more: More) -> Result<Value, Error> {
    let mut args = Args::new(more);
    let default = args.value("default").unwrap_or_else(|| Value::from(0.0));
    args.end()?;
    let found = match value.kind() {
        ValueKind::Undefined => return Err(ErrorKind::UndefinedError.into()),
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::String => value.as_str().and_then(decimal),
        _ => None,
    };
    Ok(found.map_or(default, Value::from))
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

fn center(value: Cow<'_, str>, more: More) -> Result<String, Error> {
    let mut args = Args::new(more);
    let width = usize::try_from(args.number("width", 80)?).unwrap_or_default();
    args.end()?;
    room_for(width)?;
    let length = value.chars().count();
    let left = text::left_of_center(length, width);
    let right = width.saturating_sub(length).saturating_sub(left);
    Ok(format!("{}{value}{}", " ".repeat(left), " ".repeat(right)))
}

fn urlencode(value: &Value) -> Result<String, Error> {
    match value.kind() {
        ValueKind::Undefined => Err(ErrorKind::UndefinedError.into()),
        ValueKind::Map => {
            let pairs = value.as_object().and_then(|map| map.try_iter_pairs()).into_iter().flatten();
            Ok(pairs.map(|(key, value)| pair(&key, &value)).collect::<Vec<_>>().join("&"))
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let mut pairs = Vec::new();
            for item in value.try_iter()? {
                pairs.push(pair(&item.get_item(&Value::from(0))?, &item.get_item(&Value::from(1))?));
            }
            Ok(pairs.join("&"))
        }
        _ => Ok(quoted(&value.to_string(), b"/")),
    }
}

fn pair(key: &Value, value: &Value) -> String {
    let part = |value: &Value| quoted(&value.to_string(), b"").replace("%20", "+");
    format!("{}={}", part(key), part(value))
}

fn quoted(text: &str, safe: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.-~".contains(&byte) || safe.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
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
