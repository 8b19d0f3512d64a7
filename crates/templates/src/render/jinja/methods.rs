//! Methods of Python's strings, lists and dicts: those of minijinja's `pycompat`, and those it lacks. Methods that
//! modify a value work on lists and dicts created by the template ([`mutable`]); given values cannot be modified.

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::arguments::{PythonArguments, check_output_size, failed, must_be_defined};
use super::str_format::str_format;
use super::{mutable, slices, text, typed};
use crate::jinja::MUTATING_METHODS;

/// The method that a subscript is translated to if values were typed.
const ITEM: &str = "__item__";

/// Calls a method that the engine does not have.
///
/// # Errors
///
/// There is no such method, or its arguments are invalid.
pub(crate) fn call(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    if method == slices::METHOD {
        return slices::slice(value, args);
    }
    if let (ITEM, [key]) = (method, args) {
        must_be_defined(value)?;
        must_be_defined(key)?;
        return typed::item(value, key);
    }
    let own = match value.as_str() {
        Some(text) if method == "format" => return str_format(text, value.is_safe(), args),
        Some(text) => of_text(text, method, args)?,
        None => of_others(value, method, args)?,
    };
    match own {
        Some(answer) => Ok(answer),
        None => unknown_method_callback(state, value, method, args),
    }
}

fn of_text(text: &str, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let mut args = PythonArguments::of(args.to_vec());
    let answer =
        match method {
            "zfill" => zfill(text, width(&mut args)?)?,
            "center" | "ljust" | "rjust" => pad(text, method, &mut args)?,
            "removeprefix" => {
                let prefix = needed(&mut args, "prefix")?;
                Value::from(text.strip_prefix(prefix.as_str()).unwrap_or(text))
            }
            "removesuffix" => {
                let suffix = needed(&mut args, "suffix")?;
                Value::from(if suffix.is_empty() { text } else { text.strip_suffix(suffix.as_str()).unwrap_or(text) })
            }
            "swapcase" => Value::from(text.chars().map(swapped).collect::<String>()),
            // These are the only letters that case folding changes and lower-casing does not.
            "casefold" => Value::from(text.to_lowercase().replace('ß', "ss").replace('ς', "σ")),
            "title" => Value::from(text::python_title(text)),
            "capitalize" => Value::from(text::python_capitalize(text)),
            "expandtabs" => Value::from(expand_tabs(text, args.number("tabsize", 8)?)?),
            "istitle" => Value::from(text == text::python_title(text) && text.chars().any(char::is_alphabetic)),
            "isdecimal" => all(text, |c| c.is_ascii_digit() || text::digit(c)),
            "isdigit" => all(text, |c| {
                c.is_ascii_digit() || text::digit(c) || matches!(c, '²' | '³' | '¹' | '⁰'..='⁹' | '₀'..='₉')
            }),
            "isprintable" => Value::from(text.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace()))),
            "isidentifier" => {
                let first = text.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic());
                Value::from(first && text.chars().all(|c| c == '_' || c.is_alphanumeric()))
            }
            "find" | "rfind" | "count" | "startswith" | "endswith" if args.is_bounded() => {
                bounded(text, method, &mut args)?
            }
            "split" => {
                let separator = args.text("sep")?;
                split(text, separator.as_deref(), args.number("maxsplit", -1)?)?
            }
            "replace" => {
                let (old, new) = (needed(&mut args, "old")?, needed(&mut args, "new")?);
                let count = usize::try_from(args.number("count", -1)?).unwrap_or(usize::MAX);
                let times = text.matches(old.as_str()).count().min(count);
                check_output_size(text.len().saturating_add(times.saturating_mul(new.len())))?;
                Value::from(text.replacen(&old, &new, count))
            }
            "partition" | "rpartition" => {
                let separator = needed(&mut args, "sep")?;
                if separator.is_empty() {
                    return Err(failed("empty separator"));
                }
                partition(text, &separator, method == "rpartition")
            }
            "rsplit" => {
                let separator = args.text("sep")?;
                rsplit(text, separator.as_deref(), args.number("maxsplit", -1)?)?
            }
            "index" | "rindex" if args.is_bounded() => {
                let found = bounded(text, if method == "index" { "find" } else { "rfind" }, &mut args)?;
                if found == Value::from(-1) {
                    return Err(failed("substring not found"));
                }
                found
            }
            "index" | "rindex" => {
                let sought = needed(&mut args, "sub")?;
                let found = if method == "index" { text.find(&sought) } else { text.rfind(&sought) };
                let before = found.and_then(|at| text.get(..at)).ok_or_else(|| failed("substring not found"))?;
                Value::from(before.chars().count())
            }
            "join" => {
                let list = args.needed("iterable")?;
                must_be_defined(&list)?;
                let mut parts = Vec::new();
                for (at, item) in list.try_iter()?.enumerate() {
                    let part = item.as_str().map(str::to_owned);
                    parts.push(part.ok_or_else(|| {
                        failed(format!("sequence item {at}: expected a string, found {}", item.kind()))
                    })?);
                }
                check_output_size(parts.iter().map(|part| part.len() + text.len()).sum())?;
                Value::from(parts.join(text))
            }
            "splitlines" => list_of(text::lines(text, args.flag("keepends", false)?)),
            _ => return Ok(None),
        };
    args.end()?;
    Ok(Some(answer))
}

fn of_others(value: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let is_list = matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
    if let ("get" | "pop" | "setdefault" | "index" | "count" | "remove", [sought, ..]) = (method, args) {
        must_be_defined(sought)?;
    }
    let is_field = || !value.get_attr(method).is_ok_and(|field| field.is_undefined());
    if MUTATING_METHODS.contains(&method) && (is_list || !is_field()) {
        let (what, copy) = if is_list { ("list", "values|list") } else { ("dict", "dict(values)") };
        let refused =
            || format!("'{method}' would change a {what} that is not the template's own; copy it first: {copy}");
        return mutable::call(value, method, args).ok_or_else(|| failed(refused()))?.map(Some);
    }
    match (method, args) {
        ("get", [key, default]) if value.kind() == ValueKind::Map => {
            let number = || typed::number_of(key).and_then(|number| value.as_object()?.get_value(&number));
            let found = value.as_object().and_then(|dict| dict.get_value(key)).or_else(number);
            Ok(Some(found.unwrap_or_else(|| default.clone())))
        }
        ("index", [sought]) if is_list => {
            let found = value.try_iter()?.position(|item| typed::equal(&item, sought));
            found.map(|at| Some(Value::from(at))).ok_or_else(|| failed(format!("{sought} is not in list")))
        }
        ("count", [sought]) if is_list => {
            Ok(Some(Value::from(value.try_iter()?.filter(|item| typed::equal(item, sought)).count())))
        }
        ("is_integer", []) if value.is_number() => {
            let whole = value.is_integer() || f64::try_from(value.clone()).is_ok_and(|number| number.fract() == 0.0);
            Ok(Some(Value::from(whole)))
        }
        ("copy", []) if is_list || value.kind() == ValueKind::Map => mutable::mutable(value).map(Some),
        _ => Ok(None),
    }
}

fn needed(args: &mut PythonArguments, name: &str) -> Result<String, Error> {
    args.text(name)?.ok_or_else(|| ErrorKind::MissingArgument.into())
}

fn width(args: &mut PythonArguments) -> Result<usize, Error> {
    let width = args.number("width", i64::MIN)?;
    if width == i64::MIN {
        return Err(ErrorKind::MissingArgument.into());
    }
    let width = usize::try_from(width).unwrap_or_default();
    check_output_size(width)?;
    Ok(width)
}

fn all(text: &str, is: impl Fn(char) -> bool) -> Value {
    Value::from(!text.is_empty() && text.chars().all(is))
}

fn expand_tabs(text: &str, size: i64) -> Result<String, Error> {
    let size = usize::try_from(size).unwrap_or_default();
    check_output_size(text.len().saturating_add(text.matches('\t').count().saturating_mul(size)))?;
    let (mut out, mut column) = (String::with_capacity(text.len()), 0_usize);
    for c in text.chars() {
        match c {
            '\t' => {
                let blanks = column.checked_rem(size).map_or(0, |past| size - past);
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            c => {
                out.push(c);
                column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(out)
}

/// A search within `text[start:end]`.
fn bounded(text: &str, method: &str, args: &mut PythonArguments) -> Result<Value, Error> {
    let sought = needed(args, "sub")?;
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let place = |at: i64| usize::try_from(if at < 0 { at + length } else { at }.clamp(0, length)).unwrap_or_default();
    let start = args.number("start", 0)?;
    let (from, to) = (place(start), place(args.number("end", length)?));
    let part: String = text.chars().take(to).skip(from).collect();
    let before = |at: Option<usize>| at.and_then(|at| part.get(..at)).map(|before| before.chars().count() + from);
    // An empty string is not found after the end.
    let inside = start <= length && from <= to;
    let found = |at: Option<usize>| {
        Value::from(before(at).filter(|_| inside).and_then(|at| i64::try_from(at).ok()).unwrap_or(-1))
    };
    Ok(match method {
        "find" => found(part.find(&sought)),
        "rfind" => found(part.rfind(&sought)),
        "count" => Value::from(if inside { part.matches(sought.as_str()).count() } else { 0 }),
        "startswith" => Value::from(inside && part.starts_with(&sought)),
        _ => Value::from(inside && part.ends_with(&sought)),
    })
}

fn list_of<T: Into<Value>>(parts: impl IntoIterator<Item = T>) -> Value {
    mutable::new_list(parts.into_iter().map(Into::into).collect())
}

fn split(text: &str, separator: Option<&str>, limit: i64) -> Result<Value, Error> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    match separator {
        Some("") => Err(failed("empty separator")),
        Some(separator) => Ok(list_of(text.splitn(limit.saturating_add(1), separator))),
        None => {
            let (mut parts, mut rest) = (Vec::new(), text.trim_start());
            while !rest.is_empty() {
                let end = if parts.len() < limit { rest.find(char::is_whitespace) } else { None };
                let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
                parts.push(part);
                rest = after.trim_start();
            }
            Ok(list_of(parts))
        }
    }
}

fn zfill(text: &str, width: usize) -> Result<Value, Error> {
    let zeros = "0".repeat(width.saturating_sub(text.chars().count()));
    Ok(Value::from(match text.chars().next().filter(|c| matches!(c, '+' | '-')) {
        Some(sign) => format!("{sign}{zeros}{}", text.get(1..).unwrap_or_default()),
        None => format!("{zeros}{text}"),
    }))
}

fn pad(text: &str, method: &str, args: &mut PythonArguments) -> Result<Value, Error> {
    let width = width(args)?;
    let fill = args.text("fillchar")?.unwrap_or_else(|| " ".to_owned());
    if fill.chars().count() != 1 {
        return Err(failed("the fill character must be exactly one character long"));
    }
    check_output_size(width.saturating_mul(fill.len()))?;
    let length = text.chars().count();
    let space = width.saturating_sub(length);
    let left = match method {
        "ljust" => 0,
        "rjust" => space,
        _ => text::left_of_center(length, width),
    };
    Ok(Value::from(format!("{}{text}{}", fill.repeat(left), fill.repeat(space.saturating_sub(left)))))
}

fn swapped(c: char) -> String {
    if c.is_uppercase() { c.to_lowercase().collect() } else { c.to_uppercase().collect() }
}

fn partition(text: &str, separator: &str, from_right: bool) -> Value {
    let cut = if from_right { text.rsplit_once(separator) } else { text.split_once(separator) };
    let parts = match cut {
        Some((before, after)) => [before, separator, after],
        None if from_right => ["", "", text],
        None => [text, "", ""],
    };
    Value::from(minijinja::value::Tuple::from(parts.map(Value::from)))
}

fn rsplit(text: &str, separator: Option<&str>, limit: i64) -> Result<Value, Error> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut parts: Vec<&str> = match separator {
        Some("") => return Err(failed("empty separator")),
        Some(separator) => text.rsplitn(limit.saturating_add(1), separator).collect(),
        None => {
            let (mut parts, mut rest) = (Vec::new(), text.trim_end());
            while !rest.is_empty() {
                match rest.rsplit_once(char::is_whitespace).filter(|_| parts.len() < limit) {
                    Some((before, last)) => {
                        parts.push(last);
                        rest = before.trim_end();
                    }
                    None => {
                        parts.push(if parts.len() < limit { rest.trim_start() } else { rest });
                        break;
                    }
                }
            }
            parts
        }
    };
    parts.reverse();
    Ok(list_of(parts))
}
