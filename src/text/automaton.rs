//! Many strings looked for in one pass. One place decides what kind of automaton that takes, since the kind that is
//! fastest to ask is not always affordable to build.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// The longest pattern, in bytes, that the builder may choose freely for. For every state a table is filled by walking back
/// through all shorter ones, which for one id of ten thousand equal letters takes minutes.
const LONGEST_FOR_TABLE: usize = 256;

/// An automaton over these patterns, for overlapping matches; `None` where they are too large for one (several gigabytes).
pub fn of<P: AsRef<[u8]>>(patterns: &[P]) -> Option<AhoCorasick> {
    let longest = patterns.iter().map(|pattern| pattern.as_ref().len()).max().unwrap_or(0);
    let kind = (longest > LONGEST_FOR_TABLE).then_some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().match_kind(MatchKind::Standard).kind(kind).build(patterns).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_any_length_is_found() {
        for length in [1, LONGEST_FOR_TABLE, LONGEST_FOR_TABLE + 1, 30_000] {
            let pattern = "x".repeat(length);
            let text = format!("a {pattern} b");
            let found = of(&[&pattern])
                .unwrap()
                .find_overlapping_iter(&text)
                .map(|hit| (hit.start(), hit.end()))
                .collect::<Vec<_>>();
            assert_eq!(found, [(2, length + 2)], "{length}");
        }
    }
}
