//! Jinja2's strings and raw blocks: where they end in a text that may not be Jinja2, and escapes that the engine lacks.

use super::edits::SourceEdit;

/// The byte after the `{% endraw %}` of a raw block that begins at byte `at`.
pub(crate) fn end_of_raw(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let start = at + rest.find("{%")?;
        let inside = text.get(start + 2..)?;
        let word = inside.strip_prefix(['-', '+']).unwrap_or(inside).trim_start();
        if let Some(after) = word.strip_prefix("endraw") {
            let after = after.trim_start();
            let after = after.strip_prefix(['-', '+']).unwrap_or(after);
            if let Some(after) = after.strip_prefix("%}") {
                return Some(text.len() - after.len());
            }
        }
        at = start + 2;
    }
}

/// The length in bytes of the string literal at the start of `rest`, quotes included.
pub(crate) fn end_of_string(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The edits for the string literal from byte `start` to `end`. In Python, `\/` is kept as it is, and the engine lacks
/// `\a`, `\v`, `\U`, and the backslash that joins two lines: there, the literal becomes two, which count as one string.
pub(super) fn escapes(text: &str, start: usize, end: usize) -> Vec<SourceEdit> {
    let (mut edits, mut at) = (Vec::new(), start);
    while let Some(found) = text.get(at..end).and_then(|rest| rest.find('\\')) {
        at += found;
        let escape = text.get(at + 1..end).unwrap_or_default();
        let long = escape.strip_prefix('U').and_then(|rest| u32::from_str_radix(rest.get(..8)?, 16).ok());
        match (escape.chars().next(), long.and_then(char::from_u32)) {
            (Some('/'), _) => edits.push(SourceEdit::insert(at, "\\")),
            (Some('a'), _) => edits.push(SourceEdit::replace_bytes(at, 2, "\\x07")),
            (Some('v'), _) => edits.push(SourceEdit::replace_bytes(at, 2, "\\x0b")),
            (Some('\n' | '\r'), _) => {
                let quote = text.get(start..=start).unwrap_or_default();
                let line_break = if escape.starts_with("\r\n") { 2 } else { 1 };
                edits.push(SourceEdit::replace_bytes(at, 1, quote.to_owned()));
                edits.push(SourceEdit::insert(at + 1 + line_break, quote.to_owned()));
            }
            // Quotes and line breaks are ASCII, and would end the string or add a line.
            (Some('U'), Some(c)) if !c.is_ascii() => edits.push(SourceEdit::replace_bytes(at, 10, c.to_string())),
            _ => {}
        }
        at += 1 + escape.chars().next().map_or(0, char::len_utf8);
    }
    edits
}
