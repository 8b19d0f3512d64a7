//! Looks up positions of many offsets in one text without counting from its beginning each time.

use super::Position;
use crate::shorten::beginning;

/// Bytes between two checkpoints, which is the most that one lookup counts.
const STRIDE: usize = 4_096;

/// Line starts, and the number of characters before each checkpoint. Without checkpoints, each lookup in a file with a
/// single line and many problems would count from the beginning.
#[derive(Debug)]
pub struct PositionIndex {
    line_starts: Vec<usize>,
    /// The characters before byte `n × STRIDE`.
    characters: Vec<usize>,
}

impl PositionIndex {
    /// Scans the text once.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let line_starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1)).collect();
        let mut characters = Vec::with_capacity(bytes.len() / STRIDE + 1);
        let mut before = 0;
        for part in bytes.chunks(STRIDE) {
            characters.push(before);
            before += starts(part);
        }
        // The end of a text that exactly fills its last block.
        characters.push(before);
        Self { line_starts, characters }
    }

    /// The position of byte `offset` of the same text; an offset past the end or inside a character is rounded down.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = beginning(text, offset).len();
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or_default();
        Position { line, column: self.before(text, offset).saturating_sub(self.before(text, start)) + 1 }
    }

    /// The number of characters before this byte.
    fn before(&self, text: &str, offset: usize) -> usize {
        let at = offset / STRIDE;
        let counted = self.characters.get(at).copied().unwrap_or_default();
        counted + starts(text.as_bytes().get(at * STRIDE..offset).unwrap_or_default())
    }
}

/// The number of characters that begin in these bytes.
fn starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !matches!(**byte, 0x80..0xc0)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_equals_the_counted_one() {
        let texts = [
            String::new(),
            "a\n\nbé\u{1f600}x\n".to_owned(),
            "ä\u{1f600}".repeat(STRIDE),
            format!("{}\n{}", "é".repeat(STRIDE / 2), "\n".repeat(STRIDE)),
        ];
        for text in texts {
            let index = PositionIndex::new(&text);
            let near_ends = (0..40)
                .flat_map(|at| [at, at + STRIDE - 20, at + 2 * STRIDE - 20, (text.len() + 20).saturating_sub(at)]);
            for offset in near_ends {
                assert_eq!(index.position(&text, offset), Position::of(&text, offset), "{offset} of {}", text.len());
            }
        }
    }
}
