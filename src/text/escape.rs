//! Text from outside on its way to a screen or an agent: what does not print, or prints to deceive, is shown as an escape.

use std::borrow::Cow;

/// `text` with control, bidirectional, zero-width and tag characters escaped (`\x1b`, `\u{202e}`) and tabs as spaces.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '\t' {
            shown.push_str("    ");
        } else if hides(c) {
            let code = u32::from(c);
            if code < 0x100 {
                shown.push_str(&format!("\\x{code:02x}"));
            } else {
                shown.push_str(&format!("\\u{{{code:x}}}"));
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_hides_is_shown() {
        for (text, shown) in [
            ("plain é 日本 👍", "plain é 日本 👍"),
            ("a\tb", "a    b"),
            ("\x1b[31m", "\\x1b[31m"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{200b}b", "a\\u{200b}b"),
            ("\u{e0041}", "\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }
}
