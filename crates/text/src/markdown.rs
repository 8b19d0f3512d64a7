//! How much of a Markdown text is parsed at a time.

/// The most signs (line breaks and punctuation) parsed at a time. Each can become a node of the parser's tree, which
/// takes about a hundred bytes, and the whole tree is in memory at once.
pub const SIGNS: usize = 2_000_000;

/// The beginning of a text, in whole lines, with at most [`SIGNS`] signs.
pub fn parsable(text: &str) -> &str {
    let mut signs = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n' || byte.is_ascii_punctuation());
    let Some((end, _)) = signs.nth(SIGNS) else { return text };
    let head = text.get(..end).unwrap_or_default();
    head.get(..head.rfind('\n').map_or(0, |at| at + 1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_with_few_signs_are_parsable() {
        let long = format!("{}\n", "- ".repeat(SIGNS - 1));
        for (text, expected) in [
            ("one\ntwo".to_owned(), 7),
            (long.clone(), long.len()),
            (format!("{long}word"), long.len() + 4),
            (format!("{long}word."), long.len()),
            (format!("word {long}\n"), long.len() + 5),
            ("[".repeat(SIGNS), SIGNS),
            ("[".repeat(SIGNS + 1), 0),
        ] {
            assert_eq!(parsable(&text).len(), expected);
        }
    }
}
