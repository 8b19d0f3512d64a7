//! Escapes foreign text in Markdown: it cannot start a heading, a table, a link or a comment, mention a source, hide
//! anything, or end its cell or front matter. An id without `@` is unchanged, because on these pages only links mention
//! other sources.

use std::ffi::OsStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use refdesk_text::escape::{code_span, one_line};

/// A text as one line of prose.
pub(super) fn prose(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let mut out = String::with_capacity(line.len());
    for c in one_line(&line).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // An agent that reads the page must not get the source of an `@id` in it.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    // At the start of a line, a number or sign would start a list, a heading or a rule.
    let is_sign = |c: char| matches!(c, '-' | '+' | '=' | ':');
    if out.starts_with(is_sign) {
        out.insert(0, '\\');
    } else if let Some(end) = out.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)
        && out.get(end..).is_some_and(|rest| rest.starts_with(['.', ')']))
    {
        out.insert(end, '\\');
    }
    out
}

/// A name as code, safe in a cell of a table.
pub fn code(name: &str) -> String {
    let is_blank = one_line(name).trim().is_empty();
    let span = if is_blank { code_span(&format!(" {name} ")) } else { code_span(name) };
    // In a table, even the bar in a code span must be escaped.
    span.replace('|', "\\|")
}

/// A value in front matter, quoted unless it is plain.
pub fn yaml(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let begins_with_letter = value.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_word =
        ["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&value.to_lowercase().as_str());
    if begins_with_letter && !is_word && value.chars().all(is_plain) {
        return value.to_owned();
    }
    // A JSON string is also a YAML string.
    refdesk_text::escape::json(&serde_json::Value::from(value).to_string()).into_owned()
}

/// A path in a link, with every byte that could have another meaning as `%xx`.
pub(crate) fn target(path: impl AsRef<OsStr>) -> String {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');
    percent_encode(path.as_ref().as_encoded_bytes(), PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use refdesk_text::yaml::{RepeatedKeys, read};

    use super::*;

    #[test]
    fn foreign_text_is_only_text() {
        for (text, in_prose, in_code) in [
            ("plain words", "plain words", "`plain words`"),
            ("a|b", "a\\|b", "`a\\|b`"),
            ("<!-- x -->", "&lt;\\!-- x --&gt;", "`<!-- x -->`"),
            ("# not\na heading", "\\# not a heading", "`# not\\na heading`"),
            ("1. not a list", "1\\. not a list", "`1. not a list`"),
            ("- nor this", "\\- nor this", "`- nor this`"),
            ("`code`", "\\`code\\`", "`` `code` ``"),
            ("\u{202e}x\u{1b}[2J", "\\\\u{202e}x\\\\x1b\\[2J", "`\\u{202e}x\\x1b[2J`"),
            ("[a](b)", "\\[a\\](b)", "`[a](b)`"),
            ("ask @retry", "ask &#64;retry", "`ask @retry`"),
        ] {
            assert_eq!((prose(text).as_str(), code(text).as_str()), (in_prose, in_code), "{text:?}");
        }
        assert_eq!(target("a b/é"), "a%20b/%C3%A9");
    }

    proptest! {
        #[test]
        fn front_matter_gives_back_what_was_written(value in "[^\u{0}]{0,20}") {
            let text = format!("a: {}\n", yaml(&value));
            let found = read::<serde_json::Value>(&text, 100, RepeatedKeys::Refused).unwrap();
            prop_assert_eq!(found["a"].as_str(), Some(value.as_str()));
        }

        #[test]
        fn a_cell_stays_a_cell(text in ".{0,30}") {
            for cell in [prose(&text), code(&text)] {
                prop_assert!(!cell.contains('\n'));
                let bytes = cell.as_bytes();
                let bars = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'|');
                for (at, _) in bars {
                    prop_assert_eq!(at.checked_sub(1).and_then(|at| bytes.get(at)), Some(&b'\\'), "{}", cell);
                }
            }
        }
    }
}
