//! Lines that mark a file as generated. A template copied from a generated file still has this marker, often with
//! placeholders of another tool. These lines are removed before the template is parsed (BEHAVIOUR §6); line numbers
//! remain those of the file.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use refdesk_text::lines::breaks;

static MARKER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t/*#]*@generated\b[^\r\n]*(?:\r\n|\n|\r|\z)").ok());

/// A template without its `@generated` lines, with the mapping back to the lines of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stripped<'a> {
    /// The remaining text; borrowed if nothing was removed.
    pub text: Cow<'a, str>,
    /// Lines of the file that were removed, from 1, ascending.
    removed: Vec<usize>,
}

impl Stripped<'_> {
    /// Maps a line of [`Stripped::text`] to the line of the file; both from 1.
    pub(crate) fn file_line(&self, line: usize) -> usize {
        let mut answer = line;
        for removed in &self.removed {
            if *removed <= answer {
                answer += 1;
            } else {
                break;
            }
        }
        answer
    }
}

/// Removes the lines that match `(?m)^[ \t/*#]*@generated\b[^\r
/// ]*`, including their line break, and a byte order mark at the start.
pub(crate) fn strip(text: &str) -> Stripped<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let marker = MARKER.as_ref().filter(|_| text.contains("@generated"));
    let Some(marker) = marker else { return Stripped { text: Cow::Borrowed(text), removed: Vec::new() } };
    let (mut kept, mut removed, mut end, mut line) = (String::new(), Vec::new(), 0, 1);
    for found in marker.find_iter(text) {
        let between = text.get(end..found.start()).unwrap_or_default();
        line += breaks(between);
        kept.push_str(between);
        removed.push(line);
        line += breaks(found.as_str());
        end = found.end();
    }
    if removed.is_empty() {
        return Stripped { text: Cow::Borrowed(text), removed };
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    Stripped { text: Cow::Owned(kept), removed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marker_lines_go_and_line_numbers_stay() {
        for (text, kept, lines) in [
            ("a\nb\n", "a\nb\n", vec![1, 2]),
            ("/**\n * @generated {{x}} v{{y}}\n */\nclass A {}\n", "/**\n */\nclass A {}\n", vec![1, 3, 4]),
            ("# @generated x\r\nkey: 1\r\n", "key: 1\r\n", vec![2]),
            ("// @generated\n// @generated\nz", "z", vec![3]),
            ("a\n# @generated", "a\n", vec![1, 3]),
            ("text @generated {{ kept }}\n", "text @generated {{ kept }}\n", vec![1]),
            ("@generatedness\n", "@generatedness\n", vec![1]),
            ("\u{feff}# @generated\na", "a", vec![2]),
            ("a\n@generated\nb\n@generated\nc\nd", "a\nb\nc\nd", vec![1, 3, 5, 6]),
        ] {
            let stripped = strip(text);
            assert_eq!(stripped.text, kept, "{text:?}");
            for (at, line) in lines.iter().enumerate() {
                assert_eq!(stripped.file_line(at + 1), *line, "{text:?} line {}", at + 1);
            }
        }
    }
}
