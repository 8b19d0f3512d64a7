//! Lines of a text: counting them as one goes, and decoding bytes into a text in the first place.

use std::borrow::Cow;

/// Tells the line of ascending byte offsets; each byte of the text is looked at once.
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

    /// The line, from 1, of byte `offset`. Offsets below one asked for before give that one's line.
    pub fn line_of(&mut self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        if offset > self.seen {
            let between = self.text.get(self.seen..offset).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', between).count();
            self.seen = offset;
        }
        self.line
    }
}

/// Bytes as text: a byte order mark goes, invalid bytes are replaced (BEHAVIOUR §3). The flag tells that more than a tenth
/// of the bytes were invalid: most likely this is no text.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => {
            let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
            (String::from_utf8_lossy(bytes), invalid * 10 > bytes.len())
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
    fn decoding_is_harmless_to_marks_and_says_when_it_is_no_text() {
        for (bytes, text, rubbish) in [
            (b"\xef\xbb\xbfabc".as_slice(), "abc", false),
            (b"plain", "plain", false),
            (b"0123456789\xff", "0123456789\u{fffd}", false),
            (b"ab\xff\xfe", "ab\u{fffd}\u{fffd}", true),
            (b"", "", false),
        ] {
            assert_eq!(decode(bytes), (Cow::Borrowed(text), rubbish), "{bytes:?}");
        }
    }
}
