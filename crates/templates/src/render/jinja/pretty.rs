//! The filter `pprint`, with the layout of Python's `pprint`: values on one line if they fit, else one item per line,
//! with dicts sorted by key. Unlike in Python, a long string stays on one line.

use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use super::arguments::check_output_size;
use super::groups::is_group;
use super::lists::entries;
use super::print::repr;

/// The most characters of a line.
const WIDTH: usize = 80;

/// Values nested deeper are printed on one line.
const DEPTH: usize = 64;

/// `pprint`.
///
/// # Errors
///
/// The output limit would be exceeded.
pub(super) fn pprint(value: &Value) -> Result<String, Error> {
    if value.is_undefined() {
        return Ok("Undefined".to_owned());
    }
    let mut out = String::new();
    write(&mut out, value, Margins { left: 0, right: 0, depth: 0 })?;
    Ok(out)
}

/// The columns used on the line before and after a value, and its nesting depth.
#[derive(Clone, Copy)]
struct Margins {
    left: usize,
    right: usize,
    depth: usize,
}

fn write(out: &mut String, value: &Value, margins: Margins) -> Result<(), Error> {
    let line = on_one_line(value, margins.depth);
    check_output_size(out.len() + line.len())?;
    let is_short = line.chars().count() + margins.left + margins.right <= WIDTH;
    match value.kind() {
        _ if is_short || margins.depth == DEPTH => out.push_str(&line),
        ValueKind::Map => {
            let entries = sorted(value).into_iter().map(|(key, value)| (format!("{}: ", repr(&key)), value));
            write_items(out, ["{", "}"], entries.collect(), margins)?;
        }
        ValueKind::Seq => {
            let items = value.try_iter()?.map(|item| (String::new(), item)).collect();
            write_items(out, brackets(value), items, margins)?;
        }
        _ => out.push_str(&line),
    }
    Ok(())
}

fn write_items(
    out: &mut String,
    [open, close]: [&str; 2],
    items: Vec<(String, Value)>,
    margins: Margins,
) -> Result<(), Error> {
    out.push_str(open);
    let last = items.len().saturating_sub(1);
    for (at, (key, item)) in items.into_iter().enumerate() {
        if at > 0 {
            out.push_str(",\n");
            out.extend(std::iter::repeat_n(' ', margins.left + 1));
        }
        out.push_str(&key);
        // The last item is followed by the bracket and the text after it, every other item by a comma.
        let right = if at == last { margins.right + close.len() } else { 1 };
        write(out, &item, Margins { left: margins.left + 1 + key.chars().count(), right, depth: margins.depth + 1 })?;
    }
    out.push_str(close);
    Ok(())
}

/// The value as printed within a list, with its dicts sorted. Recurses at most [`DEPTH`] deep.
fn on_one_line(value: &Value, depth: usize) -> String {
    match value.kind() {
        ValueKind::Map if depth < DEPTH => {
            let entry = |(key, value): &(Value, Value)| format!("{}: {}", repr(key), on_one_line(value, depth + 1));
            format!("{{{}}}", sorted(value).iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Seq if depth < DEPTH => match value.try_iter() {
            Ok(items) => {
                let items: Vec<String> = items.map(|item| on_one_line(&item, depth + 1)).collect();
                let [open, close] = brackets(value);
                format!("{open}{}{close}", items.join(", "))
            }
            Err(_) => repr(value),
        },
        _ => repr(value),
    }
}

/// The brackets of a list or tuple. A tuple of one item has a comma.
fn brackets(value: &Value) -> [&'static str; 2] {
    match value.len() {
        _ if !value.is_tuple() && !is_group(value) => ["[", "]"],
        Some(1) => ["(", ",)"],
        _ => ["(", ")"],
    }
}

/// The entries of a dict, sorted by key.
fn sorted(value: &Value) -> Vec<(Value, Value)> {
    let mut entries = entries(value);
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    entries
}
