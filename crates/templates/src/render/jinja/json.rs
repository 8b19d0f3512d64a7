//! `tojson` as in Jinja2: keys are sorted, the output is ASCII, and `<`, `>`, `&` and `'` are escaped, so that it is
//! safe in HTML.
//!
//! Values are written while they are visited, up to the output limit: thirty lists that each contain the previous one
//! twice take a few hundred bytes in memory and a billion items in JSON.

use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use super::arguments::{check_output_size, failed, undefined};
use super::lists::entries;
use super::print::{float, float_of};

/// A value as JSON; `indent` is the white space per level, with one item per line.
///
/// # Errors
///
/// JSON cannot represent a part of the value, or the output limit would be exceeded.
pub(crate) fn write(value: &Value, indent: Option<&str>) -> Result<String, Error> {
    let mut writer = JsonWriter { indent, out: String::new() };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct JsonWriter<'a> {
    indent: Option<&'a str>,
    out: String,
}

impl JsonWriter<'_> {
    /// Recurses as deep as the value; the worker's stack bounds that.
    fn value(&mut self, value: &Value, level: usize) -> Result<(), Error> {
        check_output_size(self.out.len())?;
        match value.kind() {
            ValueKind::Undefined => return Err(undefined(value)),
            ValueKind::String => self.string(&value.to_string()),
            ValueKind::Seq | ValueKind::Iterable => {
                self.out.push('[');
                let mut is_empty = true;
                for item in value.try_iter()? {
                    self.separate(is_empty, level);
                    is_empty = false;
                    self.value(&item, level + 1)?;
                }
                self.close(is_empty, level, ']');
            }
            ValueKind::Map => {
                let mut pairs = entries(value);
                // Python sorts the keys before it converts them to strings.
                let are_numbers = pairs.iter().all(|(name, _)| name.is_number() || name.kind() == ValueKind::Bool);
                if are_numbers {
                    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
                }
                let mut fields = pairs
                    .into_iter()
                    .map(|(name, value)| Ok((key(&name)?, value)))
                    .collect::<Result<Vec<_>, Error>>()?;
                if !are_numbers {
                    fields.sort_by(|left, right| left.0.cmp(&right.0));
                }
                self.out.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    self.separate(at == 0, level);
                    self.string(name);
                    self.out.push_str(": ");
                    self.value(value, level + 1)?;
                }
                self.close(fields.is_empty(), level, '}');
            }
            _ => self.out.push_str(&scalar(value)?),
        }
        Ok(())
    }

    fn separate(&mut self, is_first: bool, level: usize) {
        if !is_first {
            self.out.push_str(if self.indent.is_some() { "," } else { ", " });
        }
        self.new_line(level + 1);
    }

    fn close(&mut self, is_empty: bool, level: usize, bracket: char) {
        if !is_empty {
            self.new_line(level);
        }
        self.out.push(bracket);
    }

    fn new_line(&mut self, level: usize) {
        if let Some(indent) = self.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(indent, level));
        }
    }

    fn string(&mut self, text: &str) {
        let out = &mut self.out;
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\x08' => out.push_str("\\b"),
                '\x0c' => out.push_str("\\f"),
                '<' | '>' | '&' | '\'' | '\0'..='\x1f' | '\x7f'.. => {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}

fn scalar(value: &Value) -> Result<String, Error> {
    if let Some(number) = float_of(value).filter(|number| number.is_finite()) {
        return Ok(float(number));
    }
    serde_json::to_value(value).map(|json| json.to_string()).map_err(|error| not_json(&error.to_string()))
}

/// The key of a field. JSON keys are strings, so numbers and booleans are converted.
fn key(name: &Value) -> Result<String, Error> {
    match name.kind() {
        ValueKind::String => Ok(name.to_string()),
        ValueKind::Number | ValueKind::Bool => scalar(name),
        _ => Err(not_json("key must be a string")),
    }
}

fn not_json(why: &str) -> Error {
    failed(format!("cannot be written as JSON: {why}"))
}
