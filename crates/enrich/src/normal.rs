//! Normalises a text for the tag search: folds case, and replaces each run of separators with one canonical byte. This
//! happens character by character during the search and only narrows the candidates, which are verified in the original
//! text.

use std::ops::Range;

use refdesk_text::fold::{fold, is_separator};

/// What one separator of a tag matches: one `-`, one `_`, or white space with at most one line break.
pub(crate) const ONE: u8 = b' ';
/// Several separators in a row, or white space with several line breaks.
pub(crate) const MANY: u8 = b'\n';

/// In [`TABLE`]: a separator, which needs more checks. No ASCII byte folds to this value.
const SEPARATOR: u8 = 0xff;

/// The normalised form of each byte below 0x80.
const TABLE: [u8; 128] = table();

/// The normalised form of one character, or of one run of separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Folded {
    bytes: [u8; 4],
    len: u8,
    /// Byte offset in the text at which it ends.
    pub(crate) end: usize,
}

impl Folded {
    /// Normalises the character or run that begins at byte `at`; `None` at the end of the text.
    #[inline]
    pub(crate) fn at(text: &str, at: usize) -> Option<Self> {
        let byte = *text.as_bytes().get(at)?;
        match TABLE.get(usize::from(byte)).copied() {
            Some(SEPARATOR) => Some(Self::separators(text, at)),
            Some(folded) => Some(Self::byte(folded, at + 1)),
            None => {
                let c = text.get(at..)?.chars().next()?;
                if is_separator(c) {
                    return Some(Self::separators(text, at));
                }
                let mut bytes = [0; 4];
                let len = fold(c).encode_utf8(&mut bytes).len();
                Some(Self { bytes, len: u8::try_from(len).unwrap_or(4), end: at + c.len_utf8() })
            }
        }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    fn byte(byte: u8, end: usize) -> Self {
        Self { bytes: [byte, 0, 0, 0], len: 1, end }
    }

    fn separators(text: &str, at: usize) -> Self {
        let bytes = text.as_bytes();
        let next = bytes.get(at + 1).copied().unwrap_or(b'.');
        let alone = next < 0x80 && TABLE.get(usize::from(next)) != Some(&SEPARATOR);
        if alone && bytes.get(at).is_some_and(u8::is_ascii) {
            return Self::byte(ONE, at + 1);
        }
        let pieces = SeparatorRun::at(text, at);
        Self::byte(if pieces.counts.contains(&1) { ONE } else { MANY }, pieces.end)
    }
}

const fn table() -> [u8; 128] {
    let mut table = [0; 128];
    let mut byte = 0u8;
    while byte < 128 {
        // ASCII white space as defined by Unicode: unlike `is_ascii_whitespace` it includes the vertical tab.
        let separates = matches!(byte, b'-' | b'_' | b' ' | b'\t'..=b'\r');
        #[allow(clippy::indexing_slicing)] // evaluated while compiling, where an error would show
        {
            table[byte as usize] = if separates { SEPARATOR } else { byte.to_ascii_lowercase() };
        }
        byte += 1;
    }
    table
}

/// A run of separators in a text, and how many separators in a tag it can match.
pub(crate) struct SeparatorRun {
    /// Byte offset at which the run ends.
    pub(crate) end: usize,
    /// The number of separators in a tag that the whole run can match, from fewest to most.
    pub(crate) counts: std::ops::RangeInclusive<usize>,
}

impl SeparatorRun {
    /// The whole run that starts at byte `at`.
    pub(crate) fn at(text: &str, at: usize) -> Self {
        let mut tally = SeparatorCount::default();
        let mut end = at;
        for (range, c) in separators_from(text, at) {
            tally.add(c, follows_carriage_return(text, range.start));
            end = range.end;
        }
        Self { end, counts: tally.fewest..=tally.most }
    }
}

/// The consecutive separators from byte `at` on, each with its byte range.
pub(crate) fn separators_from(text: &str, at: usize) -> impl Iterator<Item = (Range<usize>, char)> + '_ {
    let rest = text.get(at..).unwrap_or_default();
    rest.char_indices().take_while(|(_, c)| is_separator(*c)).map(move |(i, c)| (at + i..at + i + c.len_utf8(), c))
}

/// The consecutive separators before byte `at`, nearest first, each with its byte range.
pub(crate) fn separators_before(text: &str, at: usize) -> impl Iterator<Item = (Range<usize>, char)> + '_ {
    let before = text.get(..at).unwrap_or_default();
    before.char_indices().rev().take_while(|(_, c)| is_separator(*c)).map(|(i, c)| (i..i + c.len_utf8(), c))
}

/// Whether the character at byte `at` is the second half of a CRLF.
pub(crate) fn follows_carriage_return(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.ends_with('\r'))
}

/// Counts how many separators in a tag a growing run of separators can match.
#[derive(Default)]
pub(crate) struct SeparatorCount {
    /// The fewest separators that match the run.
    pub(crate) fewest: usize,
    /// The most separators that match the run.
    pub(crate) most: usize,
    /// Line breaks in the current white space; `None` outside white space.
    breaks: Option<usize>,
}

impl SeparatorCount {
    /// Adds a separator at either end. With `joined`, it forms one line break with the `\r` before it.
    pub(crate) fn add(&mut self, c: char, joined: bool) {
        self.most += 1;
        if matches!(c, '-' | '_') {
            self.fewest += 1;
            self.breaks = None;
            return;
        }
        let is_break = match c {
            '\n' => !joined,
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => true,
            _ => false,
        };
        let before = self.breaks.map_or(0, |breaks| breaks.max(1));
        let breaks = self.breaks.unwrap_or(0) + usize::from(is_break);
        self.fewest += breaks.max(1) - before;
        self.breaks = Some(breaks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> Vec<u8> {
        let mut at = 0;
        let next = || {
            let folded = Folded::at(text, at)?;
            at = folded.end;
            Some(folded)
        };
        std::iter::from_fn(next).flat_map(|folded| folded.bytes().to_vec()).collect()
    }

    #[test]
    fn text_is_folded_and_separators_merged() {
        let text = "Ab-C_d  E\u{a0}\n f\n\ng \u{212a}É--x";
        assert_eq!(String::from_utf8(folded(text)).unwrap(), "ab c d e f\ng ké\nx");
    }

    #[test]
    fn how_many_separators_a_run_matches() {
        for (run, fewest, most) in [
            (" ", 1, 1),
            ("   ", 1, 3),
            ("\n", 1, 1),
            ("\r\n", 1, 2),
            (" \n ", 1, 3),
            ("\n\n", 2, 2),
            ("\r\n\r\n", 2, 4),
            ("\r\r", 2, 2),
            ("\u{a0}\u{2028}", 1, 2),
            ("-", 1, 1),
            ("--", 2, 2),
            (" - ", 3, 3),
            (" \n\n_", 3, 4),
        ] {
            let pieces = SeparatorRun::at(run, 0);
            assert_eq!((pieces.end, pieces.counts), (run.len(), fewest..=most), "{run:?}");
        }
    }

    #[test]
    fn control_characters_stay_unchanged() {
        assert_eq!(folded("a\0b\x1bc"), b"a\0b\x1bc");
    }
}
