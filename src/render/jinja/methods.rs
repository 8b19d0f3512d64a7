//! Methods of Python's strings, lists and dicts that templates call: those of minijinja's `pycompat`, and the ones it
//! lacks. Methods that change a value are not here; a template makes text and leaves its values alone.

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::filters::room_for_widths;
use super::given::{Args, failed, room_for};
use super::text;

/// Answers a method that the engine itself does not have.
///
/// # Errors
///
/// There is no such method, or its arguments do not fit.
pub fn call(state: &mut State, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    let own = match value.as_str() {
        Some(text) => of_text(text, method, args)?,
        None => of_others(value, method, args)?,
    };
    match own {
        Some(answer) => Ok(answer),
        None => unknown_method_callback(state, value, method, args),
    }
}

fn of_text(text: &str, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let mut args = Args::of(args.to_vec());
    let answer = match method {
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
        "casefold" => Value::from(text.to_lowercase()),
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
        "index" | "rindex" => {
            let sought = needed(&mut args, "sub")?;
            let found = if method == "index" { text.find(&sought) } else { text.rfind(&sought) };
            let before = found.and_then(|at| text.get(..at)).ok_or_else(|| failed("substring not found"))?;
            Value::from(before.chars().count())
        }
        "splitlines" => Value::from_iter(text::lines(text, args.flag("keepends", false))),
        "format" => {
            room_for_widths(text)?;
            return Ok(None);
        }
        _ => return Ok(None),
    };
    args.end()?;
    Ok(Some(answer))
}

fn of_others(value: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let is_list = matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
    match (method, args) {
        ("index", [sought]) if is_list => {
            let found = value.try_iter()?.position(|item| item == *sought);
            found.map(|at| Some(Value::from(at))).ok_or_else(|| failed(format!("{sought} is not in list")))
        }
        ("copy", []) if is_list || value.kind() == ValueKind::Map => Ok(Some(value.clone())),
        _ => Ok(None),
    }
}

fn needed(args: &mut Args, name: &str) -> Result<String, Error> {
    args.text(name)?.ok_or_else(|| ErrorKind::MissingArgument.into())
}

fn width(args: &mut Args) -> Result<usize, Error> {
    let width = args.number("width", i64::MIN)?;
    if width == i64::MIN {
        return Err(ErrorKind::MissingArgument.into());
    }
    let width = usize::try_from(width).unwrap_or_default();
    room_for(width)?;
    Ok(width)
}

fn zfill(text: &str, width: usize) -> Result<Value, Error> {
    let zeros = "0".repeat(width.saturating_sub(text.chars().count()));
    Ok(Value::from(match text.chars().next().filter(|c| matches!(c, '+' | '-')) {
        Some(sign) => format!("{sign}{zeros}{}", text.get(1..).unwrap_or_default()),
        None => format!("{zeros}{text}"),
    }))
}

fn pad(text: &str, method: &str, args: &mut Args) -> Result<Value, Error> {
    let width = width(args)?;
    let fill = args.text("fillchar")?.unwrap_or_else(|| " ".to_owned());
    if fill.chars().count() != 1 {
        return Err(failed("the fill character must be exactly one character long"));
    }
    room_for(width.saturating_mul(fill.len()))?;
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
    Ok(Value::from_iter(parts))
}
