//! String functions of Python that Rust's standard library lacks or that behave differently there: lines, padding,
//! wrapping and truncating. Pure functions; the filters and methods that use them are in other files.

/// The lines of a text as `str.splitlines` splits them.
pub(crate) fn lines(text: &str, keep_ends: bool) -> Vec<&str> {
    let is_break =
        |c: char| matches!(c, '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(is_break) {
        let (line, after) = rest.split_at(at);
        let length = if after.starts_with("\r\n") { 2 } else { after.chars().next().map_or(0, char::len_utf8) };
        lines.push(if keep_ends { rest.get(..at + length).unwrap_or(line) } else { line });
        rest = after.get(length..).unwrap_or_default();
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// Like the filter `indent`: keeps one final line break, and indents blank lines only if `blank` is set.
pub(crate) fn indent(text: &str, indentation: &str, first: bool, blank: bool) -> String {
    let text = format!("{text}\n");
    let mut out = String::with_capacity(text.len());
    for (at, line) in lines(&text, false).into_iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let wanted = if at == 0 { first } else { blank || !line.is_empty() };
        if wanted {
            out.push_str(indentation);
        }
        out.push_str(line);
    }
    out
}

/// Whether a character is a decimal digit of any script.
pub(super) fn digit(c: char) -> bool {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
    c.general_category() == GeneralCategory::DecimalNumber
}

/// Appends a letter in title case: `ß` is `Ss`, `ǆ` is `ǅ`.
fn push_title(out: &mut String, c: char) {
    match c {
        'Ǆ' | 'ǅ' | 'ǆ' => out.push('ǅ'),
        'Ǉ' | 'ǈ' | 'ǉ' => out.push('ǈ'),
        'Ǌ' | 'ǋ' | 'ǌ' => out.push('ǋ'),
        'Ǳ' | 'ǲ' | 'ǳ' => out.push('ǲ'),
        c => {
            let mut upper = c.to_uppercase();
            out.extend(upper.next());
            upper.for_each(|rest| out.extend(rest.to_lowercase()));
        }
    }
}

/// Like `str.capitalize`.
pub(super) fn python_capitalize(text: &str) -> String {
    let (mut out, mut characters) = (String::with_capacity(text.len()), text.chars());
    characters.by_ref().take(1).for_each(|first| push_title(&mut out, first));
    out.push_str(&characters.as_str().to_lowercase());
    out
}

/// Like `str.title`: a word begins after any character that is not a letter.
pub(super) fn python_title(text: &str) -> String {
    let mut in_word = false;
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if in_word {
            out.extend(c.to_lowercase());
        } else {
            push_title(&mut out, c);
        }
        in_word = c.is_alphabetic();
        out
    })
}

/// The number of characters that `str.center` puts to the left of a text of `length`.
pub(super) fn left_of_center(length: usize, width: usize) -> usize {
    let pad = width.saturating_sub(length);
    pad / 2 + (pad & width & 1)
}

pub(crate) fn truncate(text: &str, length: usize, kill_words: bool, end: &str, leeway: usize) -> String {
    let count = text.chars().count();
    if count <= length.saturating_add(leeway) {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length.saturating_sub(end.chars().count())).collect();
    let kept =
        if kill_words { kept.as_str() } else { kept.rsplit_once(' ').map_or(kept.as_str(), |(before, _)| before) };
    format!("{kept}{end}")
}

pub(crate) struct Wrap {
    /// Characters per line.
    pub width: usize,
    /// Whether words longer than a line are split.
    pub break_long_words: bool,
    /// Whether words may be split after hyphens.
    pub break_on_hyphens: bool,
}

/// Wraps one line like `textwrap.wrap`.
pub(crate) fn wrap(line: &str, how: &Wrap) -> Vec<String> {
    let mut chunks: Vec<String> = chunks(line, how.break_on_hyphens);
    chunks.reverse();
    let mut lines: Vec<String> = Vec::new();
    while !chunks.is_empty() {
        if !lines.is_empty() && chunks.last().is_some_and(|chunk| chunk.trim().is_empty()) {
            chunks.pop();
        }
        let (mut current, mut length): (Vec<String>, usize) = (Vec::new(), 0);
        while let Some(chunk) = chunks.pop() {
            let count = chunk.chars().count();
            if length + count > how.width {
                chunks.push(chunk);
                break;
            }
            length += count;
            current.push(chunk);
        }
        if let Some(chunk) = chunks.pop() {
            let too_long = chunk.chars().count() > how.width;
            if too_long && how.break_long_words {
                // As in Python, a cut of zero characters still ends the line and keeps the space before the word.
                let cut = long_word_cut(&chunk, how.width.saturating_sub(length), how.break_on_hyphens);
                current.push(chunk.chars().take(cut).collect());
                chunks.push(chunk.chars().skip(cut).collect());
            } else if too_long && current.is_empty() {
                current.push(chunk);
            } else {
                chunks.push(chunk);
            }
        }
        if current.last().is_some_and(|chunk| chunk.trim().is_empty()) {
            current.pop();
        }
        if !current.is_empty() {
            lines.push(current.concat());
        }
    }
    lines
}

/// The number of characters of a word longer than a line that go into the `space` left on this one.
fn long_word_cut(word: &str, space: usize, hyphens: bool) -> usize {
    let head: Vec<char> = word.chars().take(space).collect();
    match head.iter().rposition(|c| *c == '-').filter(|_| hyphens) {
        Some(at) if head.iter().take(at).any(|c| *c != '-') => at + 1,
        _ => space,
    }
}

/// Words and the white space between them; words are split after hyphens between letters.
fn chunks(line: &str, hyphens: bool) -> Vec<String> {
    let (mut chunks, mut current): (Vec<String>, String) = (Vec::new(), String::new());
    let characters: Vec<char> = line.chars().collect();
    let is_letter = |at: usize| characters.get(at).is_some_and(|c| c.is_alphabetic() || *c == '_');
    for (at, c) in characters.iter().enumerate() {
        let blank_before = current.chars().next_back().map(char::is_whitespace);
        if blank_before.is_some_and(|before| before != c.is_whitespace()) {
            chunks.push(std::mem::take(&mut current));
        }
        current.push(*c);
        let between = *c == '-' && at > 0 && is_letter(at - 1) && is_letter(at + 1) && is_letter(at + 2);
        if hyphens && between {
            chunks.push(std::mem::take(&mut current));
        }
    }
    if !current.is_empty() {
        chunks.push(current);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_as_python_cuts_them() {
        for (text, plain) in [
            ("", vec![]),
            ("a", vec!["a"]),
            ("a\n", vec!["a"]),
            ("a\r\nb\rc\n\nd", vec!["a", "b", "c", "", "d"]),
            ("a\u{2028}b", vec!["a", "b"]),
        ] {
            assert_eq!(lines(text, false), plain, "{text:?}");
            assert_eq!(lines(text, true).concat(), text, "{text:?}");
        }
    }

    #[test]
    fn wrapping_and_truncating() {
        let how = Wrap { width: 6, break_long_words: true, break_on_hyphens: true };
        for (line, expected) in [
            ("aa bb cc", vec!["aa bb", "cc"]),
            ("abcdefgh ij", vec!["abcdef", "gh ij"]),
            ("well-known x", vec!["well-", "known", "x"]),
            ("  lead", vec!["  lead"]),
        ] {
            assert_eq!(wrap(line, &how), expected, "{line}");
        }
        assert_eq!(truncate("foo bar baz qux", 9, false, "...", 0), "foo...");
        assert_eq!(truncate("foo bar baz qux", 9, true, "...", 0), "foo ba...");
        assert_eq!(truncate("foo bar", 5, false, "...", 5), "foo bar");
    }
}
