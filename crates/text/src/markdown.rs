//! Parts of a Markdown text: how much is parsed at a time, and in which code block a part starts.

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

/// The opening line of the code block that is still open at the end of this text, which may itself start within one.
pub fn open_fence(text: &str, fence: Option<&str>) -> Option<String> {
    let mut open = fence.map(str::to_owned);
    for line in text.lines() {
        let line = line.trim_start_matches([' ', '>', '\t']);
        let Some(mark) = line.chars().next().filter(|c| matches!(c, '`' | '~')) else { continue };
        let count = |line: &str| line.chars().take_while(|c| *c == mark).count();
        let len = count(line);
        let rest = line.get(len..).unwrap_or_default();
        match &open {
            None if len >= 3 && !(mark == '`' && rest.contains('`')) => open = Some(line.trim_end().to_owned()),
            Some(fence) if fence.starts_with(mark) && len >= count(fence) && rest.trim().is_empty() => open = None,
            _ => {}
        }
    }
    open
}

/// A text that starts within a code block, with the line that opened the block before it. In a quote or a list, the line
/// that closes the block would not close it without what stands around it, so that goes from the lines of the code.
pub fn with_fence(fence: &str, text: &str) -> String {
    let (mut whole, mut is_open) = (format!("{fence}\n"), true);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start_matches([' ', '>', '\t']);
        if is_open && open_fence(line, Some(fence)).is_none() {
            is_open = false;
            whole.push_str(bare);
        } else if let Some(quoted) = line.trim_start().strip_prefix('>').filter(|_| is_open) {
            whole.push_str(quoted.strip_prefix(' ').unwrap_or(quoted));
        } else {
            whole.push_str(line);
        }
    }
    whole
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

    #[test]
    fn the_code_of_a_quote_or_a_list_ends_where_it_did() {
        for (text, expected) in [
            ("a\n```\nb", "```x\na\n```\nb"),
            ("> a: 1\n>   b: 2\n> ```\n> c\n", "```x\na: 1\n  b: 2\n```\n> c\n"),
            ("    a\n    ```\nb", "```x\n    a\n```\nb"),
            ("a\n", "```x\na\n"),
        ] {
            assert_eq!(with_fence("```x", text), expected);
        }
    }

    #[test]
    fn a_block_of_code_that_is_still_open() {
        for (text, fence, expected) in [
            ("a\n```java\nint x;\n", None, Some("```java")),
            ("a\n```java\nint x;\n```\n", None, None),
            ("a\n````\n```\n", None, Some("````")),
            ("~~~\n```\n", None, Some("~~~")),
            ("```a`b\n", None, None),
            ("```\n# no\n", Some("```sh"), None),
            ("x\n", Some("```sh"), Some("```sh")),
            ("``` no end\n", Some("```sh"), Some("```sh")),
            ("", None, None),
        ] {
            assert_eq!(open_fence(text, fence).as_deref(), expected, "{text:?} in {fence:?}");
        }
    }
}
