//! Text from outside, made safe to show: what cannot be seen is printed escaped, and a value inside a block can neither
//! end that block nor forge another (BEHAVIOUR §5). Everything borrows where there is nothing to do.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The line that opens and closes the blocks of an enrichment.
pub const RULE: &str = "---";

/// Whether a character cannot be seen or changes how its neighbours are shown: controls other than line break and tab,
/// bidirectional controls, zero-width and other invisible format characters, line separators and tag characters.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{feff}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

/// The text with every hidden character printed escaped: `\x1b` below U+0080, `\u{202e}` above. Line breaks (CRLF too)
/// and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Nearly every text is of these alone, and byte by byte that is seen many times sooner.
    let is_plain = text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'));
    if is_plain || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_line = c == '\r' && chars.peek() == Some(&'\n');
        if is_hidden(c) && !ends_line { push_escaped(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// [`visible`] for a field that has one line: line breaks and tabs are printed `\n`, `\r`, `\t`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) || matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => push_escaped(&mut out, c),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// [`visible`] for a value of several lines inside a block: a line of it that is only `---` is printed `\---`, so that
/// it can neither end the block nor open another (§5).
pub fn block_value(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if !shown.contains(RULE) || !shown.lines().any(is_rule) {
        return shown;
    }
    let mut out = String::with_capacity(shown.len() + 8);
    for line in shown.split_inclusive('\n') {
        if is_rule(line) {
            out.push('\\');
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// Whether a line is only `---`; blanks, tabs and its line break behind it do not count.
pub fn is_rule(line: &str) -> bool {
    line.strip_prefix(RULE).is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')))
}

fn push_escaped(out: &mut String, c: char) {
    // Writing to a String cannot fail.
    let _ =
        if c.is_ascii() { write!(out, "\\x{:02x}", u32::from(c)) } else { write!(out, "\\u{{{:x}}}", u32::from(c)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_printed_escaped() {
        for (text, shown, line) in [
            ("plain", "plain", "plain"),
            ("a\nb\tc", "a\nb\tc", "a\\nb\\tc"),
            ("a\r\nb", "a\r\nb", "a\\r\\nb"),
            ("a\rb", "a\\x0db", "a\\rb"),
            ("\x1b[31m", "\\x1b[31m", "\\x1b[31m"),
            ("\x7f\0", "\\x7f\\x00", "\\x7f\\x00"),
            ("\u{9b}", "\\u{9b}", "\\u{9b}"),
            ("\u{202e}abc\u{2066}", "\\u{202e}abc\\u{2066}", "\\u{202e}abc\\u{2066}"),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}", "a\\u{200b}b\\u{feff}"),
            ("\u{e0041}\u{e007f}", "\\u{e0041}\\u{e007f}", "\\u{e0041}\\u{e007f}"),
            ("\u{2028}", "\\u{2028}", "\\u{2028}"),
            ("é日本 ➡️", "é日本 ➡️", "é日本 ➡️"),
            ("no\u{a0}break", "no\u{a0}break", "no\u{a0}break"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }

    #[test]
    fn a_value_cannot_end_its_block() {
        for (value, shown) in [
            ("---", "\\---"),
            ("a\n---\nb", "a\n\\---\nb"),
            ("a\n---", "a\n\\---"),
            ("---\r\n--- \n----\n ---\n--- x", "\\---\r\n\\--- \n----\n ---\n--- x"),
            ("a --- b", "a --- b"),
            ("\\---", "\\---"),
            ("-\u{200b}--", "-\\u{200b}--"),
        ] {
            assert_eq!(block_value(value), shown, "{value:?}");
        }
    }

    #[test]
    fn nothing_to_do_borrows() {
        for text in ["", "plain\n text", "é a --- b\r?".trim_end_matches("\r?")] {
            assert!(matches!(visible(text), Cow::Borrowed(_)));
            assert!(matches!(block_value(text), Cow::Borrowed(_)));
        }
        assert!(matches!(one_line("plain"), Cow::Borrowed(_)));
    }
}
