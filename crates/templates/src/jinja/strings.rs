//! Finds the end of Jinja2 strings and raw blocks, to detect the language of a text that may not be Jinja2.

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
