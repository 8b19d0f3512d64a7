//! Makes untrusted text safe to show: invisible characters are escaped, and a value inside a block can neither end that
//! block nor forge another (BEHAVIOUR §5). Borrows if nothing needs escaping.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_properties::UnicodeEmoji;

/// The line that opens and closes the blocks of an enrichment.
pub const RULE: &str = "---";

/// Whether a character is invisible or changes how its neighbours are displayed: control characters other than line
/// break and tab, line separators, and every code point that Unicode lets a font ignore
/// (`Default_Ignorable_Code_Point`): bidirectional controls, zero-width characters, variation selectors, tag
/// characters, and those reserved for more of them.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{feff}' => true,
        '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => c.is_control(),
    }
}

/// Whether `c` requests the emoji form of the character before it, as in `⚠️` and `1️⃣`: one selector after an emoji,
/// or between a digit, `#` or `*` and a keycap.
pub fn is_emoji_selector(before: Option<char>, c: char, next: Option<char>) -> bool {
    let is_key = |before| next == Some('\u{20e3}') && matches!(before, '0'..='9' | '#' | '*');
    c == '\u{fe0f}' && before.is_some_and(|before| is_emoji(before) || is_key(before))
}

/// Whether `c`, after the text `before`, joins two emoji into one, as in a family: a single joiner after an emoji with
/// or without a selector or skin tone.
pub fn is_emoji_joiner(before: &str, c: char, next: Option<char>) -> bool {
    if c != '\u{200d}' || !next.is_some_and(|next| is_emoji(next) && !is_skin_tone(next) && !is_flag_letter(next)) {
        return false;
    }
    let mut before = before.chars().rev();
    let joined = match before.next() {
        Some('\u{fe0f}') => before.next(),
        last => last,
    };
    joined.is_some_and(|joined| is_emoji(joined) && !is_flag_letter(joined))
}

fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Whether a character is an emoji; digits, `#` and `*` are not.
pub(crate) fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

/// The text with every hidden character printed escaped: `\x1b` below U+0080, `\u{202e}` above. Keeps line breaks (CRLF
/// too), tabs, and what [`is_emoji_selector`] and [`is_emoji_joiner`] allow.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Fast path: almost every text is plain ASCII.
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    escaped(text, |c, next| match c {
        '\r' if next == Some('\n') => CharForm::AsIs,
        c if is_hidden(c) => CharForm::Escaped,
        _ => CharForm::AsIs,
    })
}

/// [`visible`] for a single-line field: line breaks and tabs become `\n`, `\r` and `\t`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    // Fast path: ids are printed by the million, and nearly all are ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    escaped(text, |c, _| match c {
        '\n' => CharForm::As("\\n"),
        '\r' => CharForm::As("\\r"),
        '\t' => CharForm::As("\\t"),
        c if is_hidden(c) => CharForm::Escaped,
        _ => CharForm::AsIs,
    })
}

/// [`one_line`] as Markdown code, with fences longer than any run of backticks in it.
pub fn code_span(text: &str) -> String {
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One blank at each end is not displayed.
    let around = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{around}{text}{around}{fence}")
}

/// A JSON document with every hidden character in its strings escaped as `\uXXXX`, which keeps its value.
pub fn json(document: &str) -> Cow<'_, str> {
    let Some(first) = document.find(is_hidden) else { return Cow::Borrowed(document) };
    let (plain, rest) = document.split_at(first);
    let mut out = plain.to_owned();
    for c in rest.chars() {
        if !is_hidden(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    Cow::Owned(out)
}

enum CharForm {
    AsIs,
    As(&'static str),
    Escaped,
}

/// Escapes each character as `shown` decides for it and the next one.
fn escaped(text: &str, shown: impl Fn(char, Option<char>) -> CharForm) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut before, mut copied) = (None, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_of_emoji =
            || is_emoji_selector(before, c, next) || is_emoji_joiner(text.get(..at).unwrap_or_default(), c, next);
        let printed = if is_of_emoji() { CharForm::AsIs } else { shown(c, next) };
        before = Some(c);
        if matches!(printed, CharForm::AsIs) {
            continue;
        }
        out.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + c.len_utf8();
        match printed {
            CharForm::As(word) => out.push_str(word),
            _ => push_escaped(&mut out, c),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// [`visible`] for a multi-line value inside a block: a line that is only `---` becomes `\---`, so that it can neither
/// end the block nor open another (§5).
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

/// Whether a line is only `---`, ignoring trailing blanks, tabs and the line break.
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
            ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}"),
            (
                "x\u{fe0f}1\u{fe0f} 1\u{fe0f}\u{20e3}",
                "x\\u{fe0f}1\\u{fe0f} 1\u{fe0f}\u{20e3}",
                "x\\u{fe0f}1\\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            ("⚠\u{fe0e}\u{e0100}", "⚠\\u{fe0e}\\u{e0100}", "⚠\\u{fe0e}\\u{e0100}"),
            ("no\u{a0}break", "no\u{a0}break", "no\u{a0}break"),
            ("👩\u{200d}👩\u{200d}👧!", "👩\u{200d}👩\u{200d}👧!", "👩\u{200d}👩\u{200d}👧!"),
            (
                "❤\u{fe0f}\u{200d}🔥 👩🏽\u{200d}💻",
                "❤\u{fe0f}\u{200d}🔥 👩🏽\u{200d}💻",
                "❤\u{fe0f}\u{200d}🔥 👩🏽\u{200d}💻",
            ),
            ("a\u{200d}b", "a\\u{200d}b", "a\\u{200d}b"),
            ("a\u{200d}👧", "a\\u{200d}👧", "a\\u{200d}👧"),
            ("👩\u{200d}b", "👩\\u{200d}b", "👩\\u{200d}b"),
            ("👩\u{200d}", "👩\\u{200d}", "👩\\u{200d}"),
            ("👩\u{200d}\u{200d}👧", "👩\\u{200d}\\u{200d}👧", "👩\\u{200d}\\u{200d}👧"),
            ("x\u{fe0f}\u{200d}👧", "x\\u{fe0f}\\u{200d}👧", "x\\u{fe0f}\\u{200d}👧"),
            ("👩\u{200d}🏽", "👩\\u{200d}🏽", "👩\\u{200d}🏽"),
            ("🇩\u{200d}🇪", "🇩\\u{200d}🇪", "🇩\\u{200d}🇪"),
            ("1\u{200d}2", "1\\u{200d}2", "1\\u{200d}2"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
            assert_eq!(one_line(text), line, "{text:?}");
        }
    }

    /// Every code point that Unicode 17 calls `Default_Ignorable_Code_Point`, and others that move or hide text.
    #[test]
    fn ignorable_code_points_are_escaped() {
        for range in [
            0xad..=0xad,
            0x34f..=0x34f,
            0x61c..=0x61c,
            0x115f..=0x1160,
            0x17b4..=0x17b5,
            0x180b..=0x180f,
            0x200b..=0x200f,
            0x2028..=0x202e,
            0x2060..=0x206f,
            0x3164..=0x3164,
            0xfe00..=0xfe0f,
            0xfeff..=0xfeff,
            0xffa0..=0xffa0,
            0xfff0..=0xfffb,
            0x1bca0..=0x1bca3,
            0x1d173..=0x1d17a,
            0xe0000..=0xe0fff,
            0x0..=0x8,
            0xb..=0x1f,
            0x7f..=0x9f,
        ] {
            for c in range.filter_map(char::from_u32) {
                assert!(is_hidden(c), "U+{:04X}", u32::from(c));
                for text in [format!("a{c}b"), format!("{c}"), format!("日{c}{c}")] {
                    for shown in [visible(&text), one_line(&text), block_value(&text)] {
                        assert!(!shown.contains(c), "{text:?} as {shown:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_backtick_does_not_end_code() {
        for (text, code) in [
            ("", "``"),
            ("a/b.md", "`a/b.md`"),
            ("a\nb\u{202e}", "`a\\nb\\u{202e}`"),
            ("a` **Access**: b", "``a` **Access**: b``"),
            ("`a``", "``` `a`` ```"),
        ] {
            assert_eq!(code_span(text), code, "{text:?}");
        }
    }

    #[test]
    fn json_hides_nothing_and_keeps_its_value() {
        for (text, shown) in [
            ("plain é日本", "plain é日本"),
            ("a\u{7f}\u{9b}2J", "a\\u007f\\u009b2J"),
            ("\u{202e}x\u{e0041}", "\\u202ex\\udb40\\udc41"),
            ("⚠\u{fe0f}\n\u{1b}\"", "⚠\\ufe0f\\n\\u001b\\\""),
        ] {
            let document = serde_json::json!({ text: [text] });
            let written = document.to_string();
            let printed = json(&written);
            assert_eq!(printed, format!(r#"{{"{shown}":["{shown}"]}}"#));
            assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), document);
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
    fn unchanged_text_is_borrowed() {
        for text in ["", "plain\n text", "é a --- b\r?".trim_end_matches("\r?")] {
            assert!(matches!(visible(text), Cow::Borrowed(_)));
            assert!(matches!(block_value(text), Cow::Borrowed(_)));
        }
        assert!(matches!(one_line("plain"), Cow::Borrowed(_)));
    }
}
