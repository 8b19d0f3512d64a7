//! Counts lines incrementally, cuts off front matter, and decodes bytes.

use std::borrow::Cow;
use std::ops::Range;

use crate::report::{Position, PositionIndex};

/// Line numbers for ascending byte offsets; each byte is scanned once.
#[derive(Debug)]
pub struct LineCounter<'a> {
    text: &'a [u8],
    seen: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    /// Starts at line 1 of this text.
    pub fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), seen: 0, line: 1 }
    }

    /// The line, from 1, of byte `offset`. For a smaller offset than the last one, returns the last one's line.
    pub fn line_of(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if offset > self.seen {
            let between = self.text.get(self.seen..offset).unwrap_or_default();
            self.line += breaks(between);
            self.seen = offset;
        }
        self.line
    }
}

/// The text between a `fence` as the first line and the next one, or `...` for `---`, and the byte after that line. If a
/// blank line follows the first one, that is a rule of Markdown, and there is no front matter.
pub fn front_matter(text: &str, fence: &str) -> Option<(Range<usize>, usize)> {
    let mut lines = text.split_inclusive('\n');
    let start = lines.next().filter(|line| line.trim_end() == fence)?.len();
    let mut at = start;
    for line in lines {
        let bare = line.trim_end();
        if bare == fence || (bare == "..." && fence == "---") {
            return Some((start..at, at + line.len()));
        }
        if at == start && bare.is_empty() {
            return None;
        }
        at += line.len();
    }
    None
}

/// The number of line feeds.
pub fn breaks(text: impl AsRef<[u8]>) -> usize {
    memchr::memchr_iter(b'\n', text.as_ref()).count()
}

/// The character and the length of a line that repeats one punctuation mark, as below a title of reStructuredText.
pub fn adornment(line: &str) -> Option<(char, usize)> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 3 && line.chars().all(|char| char == first)).then_some((first, line.len()))
}

/// The text on one line, with every run of white space replaced by one blank.
pub fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Line and column of each of these byte offsets, both from 1, the column in characters. Scans the text once.
pub fn places(text: &str, offsets: &[usize]) -> Vec<(usize, usize)> {
    let index = PositionIndex::new(text);
    let place = |at: &usize| index.position(text, *at);
    offsets.iter().map(place).map(|Position { line, column }| (line, column)).collect()
}

/// Decodes bytes: drops a byte order mark and replaces invalid bytes (BEHAVIOUR §3). The flag is true if this is
/// probably not UTF-8 text: more than a tenth of the bytes were invalid, or it begins with the byte order mark of
/// UTF-16, most of whose bytes are valid UTF-8.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => {
            let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
            (String::from_utf8_lossy(bytes), is_utf16 || invalid * 10 > bytes.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one_and_end_with_line_feeds() {
        let mut lines = LineCounter::new("a\r\nb\n\nc");
        assert_eq!([0, 1, 3, 5, 6, 99].map(|at| lines.line_of(at)), [1, 1, 2, 3, 4, 4]);
    }

    #[test]
    fn places_count_characters_from_one() {
        let text = "aé\nßx\n";
        let expected = [(3, 1), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 2), (3, 1)];
        assert_eq!(places(text, &[8, 0, 1, 3, 4, 6, 6, 99]), expected);
        assert!(places("", &[]).is_empty());
    }

    #[test]
    fn decoding_drops_the_mark_and_reports_invalid_text() {
        for (bytes, text, rubbish) in [
            (b"\xef\xbb\xbfabc".as_slice(), "abc", false),
            (b"plain", "plain", false),
            (b"0123456789\xff", "0123456789\u{fffd}", false),
            (b"ab\xff\xfe", "ab\u{fffd}\u{fffd}", true),
            (b"\xfe\xff\0a\0b\0c\0d\0e\0f\0g\0h\0i\0j", "\u{fffd}\u{fffd}\0a\0b\0c\0d\0e\0f\0g\0h\0i\0j", true),
            (b"", "", false),
        ] {
            assert_eq!(decode(bytes), (Cow::Borrowed(text), rubbish), "{bytes:?}");
        }
    }
}
