//! `tojson` as Jinja2 gives it: keys sorted, ASCII only, `<`, `>`, `&` and `'` escaped so that it can stand in a page.

use serde_json::Value;

/// Writes a value; `indent` is the white space of one level, and asks for one item a line. Calls itself as deep as the
/// value is, which was bounded when it was read.
pub fn write(value: &Value, indent: Option<&str>, level: usize, out: &mut String) {
    match value {
        Value::String(text) => string(text, out),
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                separate(at, indent, level, out);
                write(item, indent, level + 1, out);
            }
            new_line(indent, level, out);
            out.push(']');
        }
        Value::Object(fields) if !fields.is_empty() => {
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_by(|left, right| left.0.cmp(right.0));
            out.push('{');
            for (at, (name, value)) in sorted.into_iter().enumerate() {
                separate(at, indent, level, out);
                string(name, out);
                out.push_str(": ");
                write(value, indent, level + 1, out);
            }
            new_line(indent, level, out);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn separate(at: usize, indent: Option<&str>, level: usize, out: &mut String) {
    if at > 0 {
        out.push_str(if indent.is_some() { "," } else { ", " });
    }
    new_line(indent, level + 1, out);
}

fn new_line(indent: Option<&str>, level: usize, out: &mut String) {
    if let Some(indent) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n(indent, level));
    }
}

fn string(text: &str, out: &mut String) {
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
            '<' | '>' | '&' | '\'' | '\0'..='\x1f' | '\x7f'.. if c != '\x7f' => {
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
