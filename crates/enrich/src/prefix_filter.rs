//! Filters words by their first letters and digits, up to eight at once, which rules out nearly every word of a text.
//! The automaton checks the rest.

use refdesk_text::number::wide;

/// Accepts every word that begins like one of the given words, and at most one in sixteen of all others.
#[derive(Debug)]
pub(crate) struct PrefixFilter {
    bits: Vec<u64>,
    shift: u32,
}

/// The ASCII letters and digits at the beginning of a word, at most eight, folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordPrefix {
    bytes: u64,
    /// Whether it ends before a non-ASCII character, which may fold to a letter.
    pub(crate) is_open: bool,
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

impl WordPrefix {
    /// The prefix of the text from byte `at` on.
    pub(crate) fn at(text: &[u8], at: usize) -> Self {
        let rest = text.get(at..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(whole) => u64::from_le_bytes(*whole),
            None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        let lower = word | between(word, b'A', b'Z') >> 2;
        let counts = between(lower, b'a', b'z') | between(lower, b'0', b'9');
        let ends = !counts & HIGH;
        if ends == 0 {
            return Self { bytes: lower, is_open: false };
        }
        // The lowest set bit is the highest bit of the first byte that is not part of the prefix.
        let below = (ends & ends.wrapping_neg()) - 1;
        Self { bytes: lower & (below >> 7), is_open: word & ends & ends.wrapping_neg() != 0 }
    }

    /// Its number of letters and digits.
    pub(crate) fn len(self) -> usize {
        8 - wide(self.bytes.leading_zeros()) / 8
    }

    /// Whether the word may go on after it.
    pub(crate) fn is_full(self) -> bool {
        self.len() == 8
    }
}

/// The highest bit of each byte in the range from `first` to `last`, two ASCII characters.
fn between(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !HIGH;
    let from = low + ONES * u64::from(0x80 - first);
    let beyond = low + ONES * u64::from(0x7f - last);
    from & !beyond & !word & HIGH
}

impl PrefixFilter {
    /// A filter for words with these prefixes.
    pub(crate) fn new(prefixes: impl ExactSizeIterator<Item = WordPrefix>) -> Self {
        let size = prefixes.len().saturating_mul(16).next_power_of_two().max(1024);
        let mut heads = Self { bits: vec![0; size / 64], shift: 64 - size.trailing_zeros() };
        for head in prefixes.filter(|prefix| prefix.len() > 0) {
            let (at, bit) = heads.spot(head);
            if let Some(bits) = heads.bits.get_mut(at) {
                *bits |= bit;
            }
        }
        heads
    }

    /// Whether one of the words may have this prefix.
    pub(crate) fn may_hold(&self, head: WordPrefix) -> bool {
        let (at, bit) = self.spot(head);
        self.bits.get(at).is_some_and(|bits| bits & bit != 0)
    }

    /// Index in `bits`, and the bit there.
    fn spot(&self, head: WordPrefix) -> (usize, u64) {
        // Fibonacci hashing: the upper bits of a product with 2^64 divided by the golden ratio.
        let hash = head.bytes.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift;
        (usize::try_from(hash >> 6).unwrap_or(usize::MAX), 1 << (hash & 63))
    }
}

/// Finds positions at which one of some words may begin.
#[derive(Debug)]
pub(crate) struct PrefixPositions {
    kinds: [u8; 256],
    heads: PrefixFilter,
}

/// A byte that cannot precede a whole word.
const FORBIDS: u8 = 1;
/// A byte that can begin a word; if only this bit is set, the prefix must match too.
const BEGINS: u8 = 2;
/// A byte that can begin a word with any prefix.
const ALONE: u8 = 4 | BEGINS;
/// The number of bytes checked together.
const BLOCK: usize = 64;

impl PrefixPositions {
    /// A filter for these words, which are folded and do not begin with a separator.
    pub(crate) fn new(words: &[&[u8]]) -> Self {
        let mut kinds = [0u8; 256];
        let mut mark = |byte: u8, kind: u8| {
            if let Some(kinds) = kinds.get_mut(usize::from(byte)) {
                *kinds |= kind;
            }
        };
        for byte in (0..=0x7f).filter(|byte: &u8| byte.is_ascii_alphanumeric() || b"./\\".contains(byte)) {
            mark(byte, FORBIDS);
        }
        for first in words.iter().filter_map(|word| word.first().copied()) {
            match first {
                b'a'..=b'z' | b'0'..=b'9' => {
                    mark(first, BEGINS);
                    mark(first.to_ascii_uppercase(), BEGINS);
                }
                ..0x80 => mark(first, ALONE),
                _ => (0xc2..=0xf4).for_each(|byte| mark(byte, ALONE)),
            }
            // First bytes of other characters that fold to one of these: the Kelvin sign and the long s.
            match first {
                b'k' => mark(0xe2, ALONE),
                b's' => mark(0xc5, ALONE),
                _ => {}
            }
        }
        Self { kinds, heads: PrefixFilter::new(words.iter().map(|word| WordPrefix::at(word, 0))) }
    }

    /// The first position from `from` on at which a whole word may begin. Classifies a whole block at a time without
    /// branches: words are short, so a branch at the end of each would be mispredicted.
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let kind = |byte: u8| self.kinds.get(usize::from(byte)).copied().unwrap_or_default();
        let before = from.checked_sub(1).and_then(|last| text.get(last)).map_or(0, |byte| kind(*byte));
        let mut carried = u64::from(before & FORBIDS);
        for (block, bytes) in text.get(from..)?.chunks(BLOCK).enumerate() {
            let (mut forbid, mut begin) = (0u64, 0u64);
            for byte in bytes.iter().rev() {
                let kind = kind(*byte);
                forbid = forbid << 1 | u64::from(kind & FORBIDS);
                begin = begin << 1 | u64::from(kind >> 1 & 1);
            }
            let mut places = begin & !(forbid << 1 | carried);
            carried = forbid >> (BLOCK - 1);
            while places != 0 {
                let at = from + block * BLOCK + usize::try_from(places.trailing_zeros()).unwrap_or(0);
                places &= places - 1;
                let head = WordPrefix::at(text, at);
                let is_alone = || text.get(at).is_some_and(|byte| kind(*byte) & ALONE == ALONE);
                if self.heads.may_hold(head) || head.is_open || is_alone() {
                    return Some(at);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_text() {
        for (text, head, is_open) in [
            ("abc", "abc", false),
            ("aBc9 x", "abc9", false),
            ("ABCDEFGHIJ", "abcdefgh", false),
            ("c++", "c", false),
            (".net", "", false),
            ("", "", false),
            ("az09AZ@[", "az09az", false),
            ("caf\u{e9}", "caf", true),
            ("\u{212a}x", "", true),
            ("abcdefgh\u{e9}", "abcdefgh", false),
            ("`{/:x", "", false),
        ] {
            let found = WordPrefix::at(text.as_bytes(), 0);
            assert_eq!((found.bytes, found.is_open), (WordPrefix::at(head.as_bytes(), 0).bytes, is_open), "{text}");
            let mut bytes = [0; 8];
            bytes[..head.len()].copy_from_slice(head.as_bytes());
            assert_eq!(found.bytes.to_le_bytes(), bytes, "{text}");
        }
        for byte in 0..=u8::MAX {
            let counts = WordPrefix::at(&[byte], 0).bytes != 0;
            assert_eq!(counts, byte.is_ascii_alphanumeric(), "{byte}");
        }
    }

    #[test]
    fn where_a_word_may_begin() {
        let words: [&[u8]; 5] = [b"java", b"c++", b".net", "été".as_bytes(), b"kelvin"];
        let beginnings = PrefixPositions::new(&words);
        for (text, places) in [
            ("use Java", vec![4]),
            ("ajava xc++", vec![]),
            ("x.java /java \\java -java", vec![20]),
            ("x.net .NET", vec![6]),
            ("Été", vec![0]),
            ("\u{212a}elvin", vec![0]),
            ("jav\u{e9}", vec![0]),
        ] {
            let mut found = Vec::new();
            let mut from = 0;
            while let Some(place) = beginnings.next(text.as_bytes(), from) {
                found.push(place);
                from = place + 1;
            }
            found.retain(|at| text.is_char_boundary(*at));
            found.dedup();
            for place in &places {
                assert!(found.contains(place), "{text}: {found:?}");
            }
            if text.is_ascii() {
                assert_eq!(found, places, "{text}");
            }
        }
    }
}
