//! Appends members to an object or a list, in the layout of the surrounding text. Existing text does not move or
//! change; only a comma after the last member may be inserted.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use super::text::{Container, Layout, begins_line, comma, indent_at, part};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insert {
    /// The byte offset of the insertion.
    pub at: usize,
    pub text: String,
}

/// A member to add; a list element has no name.
pub(super) type Member<'a> = (Option<&'a str>, Value);

/// The insertion that gives a blank text this value.
pub(super) fn whole(text: &str, value: &Value) -> Insert {
    let layout = Layout::of(text, &Container { start: 0, end: 0, members: Vec::new() });
    let at = text.trim_end().len();
    let before = if at == 0 { "" } else { layout.newline };
    let after = if part(text, at, text.len()).contains('\n') { "" } else { layout.newline };
    Insert { at, text: format!("{before}{}{after}", pretty(value, "", &layout)) }
}

/// The insertions that append these members to this container.
pub(super) fn append(text: &str, into: &Container, members: &[Member<'_>], layout: &Layout) -> Vec<Insert> {
    let last = into.members.last().copied();
    // Insert after the last member, its comma, or the last comment.
    let from = last.map_or(into.start, |(_, end)| end);
    let at = from + part(text, from, into.end).trim_end().len();
    let breaks_before_end = part(text, at, into.end).contains('\n');
    let blank = if layout.is_spaced { " " } else { "" };
    let (apart, indent, is_pretty) = match last {
        Some((start, _)) if breaks_before_end => {
            let own_line = begins_line(text, start);
            let indent = indent_at(text, if own_line { start } else { into.start });
            let indent = if own_line { indent.to_owned() } else { format!("{indent}{}", layout.step) };
            (format!("{}{indent}", layout.newline), indent, true)
        }
        // Continue the line of the last member, which may itself span several lines.
        Some((start, end)) => {
            (blank.to_owned(), indent_at(text, end).to_owned(), part(text, start, end).contains('\n'))
        }
        None if layout.is_one_line => (String::new(), String::new(), false),
        None => {
            let indent = format!("{}{}", indent_at(text, into.start), layout.step);
            (format!("{}{indent}", layout.newline), indent, true)
        }
    };
    let printed = |(name, value): &Member<'_>| {
        let value = if is_pretty { pretty(value, &indent, layout) } else { on_one_line(value, layout) };
        match name {
            Some(name) => format!("{}:{blank}{value}", Value::from(*name)),
            None => value,
        }
    };
    let separator = format!(",{}", if apart.contains('\n') { &apart } else { blank });
    let mut added = format!("{apart}{}", members.iter().map(printed).collect::<Vec<_>>().join(&separator));
    let mut inserts = Vec::new();
    match last {
        Some((_, end)) => match comma(text, end, into.end) {
            // Keep a trailing comma if the list had one.
            Some(_) => added.push(','),
            None if at == end => added.insert(0, ','),
            None => inserts.push(Insert { at: end, text: ",".to_owned() }),
        },
        None if is_pretty && !breaks_before_end => {
            added.push_str(layout.newline);
            added.push_str(indent_at(text, into.start));
        }
        None => {}
    }
    inserts.push(Insert { at, text: added });
    inserts
}

/// A value over several lines; the first one is not indented.
pub(super) fn pretty(value: &Value, indent: &str, layout: &Layout) -> String {
    let printed = print(value, PrettyFormatter::with_indent(layout.step.as_bytes()));
    printed.replace('\n', &format!("{}{indent}", layout.newline))
}

fn on_one_line(value: &Value, layout: &Layout) -> String {
    if layout.is_spaced { print(value, Spaced) } else { value.to_string() }
}

fn print(value: &Value, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    // Serializing a value into a `Vec` cannot fail.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Formats on one line, with a space after every comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The text with all insertions, and the start and length of each in the result, ascending.
pub(super) fn apply(text: &str, mut inserts: Vec<Insert>) -> (String, Vec<(usize, usize)>) {
    inserts.sort_by_key(|insert| insert.at);
    let mut whole = String::with_capacity(text.len() + inserts.iter().map(|insert| insert.text.len()).sum::<usize>());
    let (mut at, mut places) = (0, Vec::new());
    for insert in inserts {
        whole.push_str(part(text, at, insert.at));
        places.push((whole.len(), insert.text.len()));
        whole.push_str(&insert.text);
        at = insert.at;
    }
    whole.push_str(part(text, at, text.len()));
    (whole, places)
}
