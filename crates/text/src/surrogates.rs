//! Repairs JSON with unpaired surrogates: a program that truncates a text by UTF-16 code units may cut a surrogate pair
//! in half, and its escape is then invalid. A parser refuses such a document, although only one character is lost.

use std::borrow::Cow;

/// The same JSON with `\ufffd` for every unpaired surrogate escape.
pub fn replace_unpaired_surrogates(json: &str) -> Cow<'_, str> {
    let mut repaired = String::new();
    let (mut rest, mut copied) = (json, 0);
    while let Some(found) = rest.find('\\') {
        let at = json.len() - rest.len() + found;
        // A backslash escapes the next character, so skip both.
        let after = |from: usize, count: usize| json.get(from..from + count);
        let unit = |from: usize| {
            let digits = after(from, 2).filter(|it| *it == "\\u").and_then(|_| after(from + 2, 4))?;
            u16::from_str_radix(digits, 16).ok()
        };
        let length = match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                repaired.push_str(json.get(copied..at).unwrap_or_default());
                repaired.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            _ => 1 + json.get(at + 1..).and_then(|it| it.chars().next()).map_or(0, char::len_utf8),
        };
        rest = json.get(at + length..).unwrap_or_default();
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    repaired.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unpaired_surrogates_are_replaced() {
        for (json, expected) in [
            (r#""plain ü \n \u00e9 \\ \" \ud83d\ude00""#, r#""plain ü \n \u00e9 \\ \" \ud83d\ude00""#),
            (r#""cut \ud83d""#, r#""cut \ufffd""#),
            (r#""cut \ude00 on""#, r#""cut \ufffd on""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""no escape: \\ud83d""#, r#""no escape: \\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\", "\"\\"),
            ("\"\\ü", "\"\\ü"),
        ] {
            assert_eq!(replace_unpaired_surrogates(json), expected, "{json}");
        }
    }
}
