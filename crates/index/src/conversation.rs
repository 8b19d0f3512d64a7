//! Finds what several texts of a conversation have in common, even if none of them matches it clearly (SEARCH S3.7).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::about::ScoredSource;
use crate::vector::Vector;

/// The most texts of a conversation that count, including the current one.
pub const MAX_TEXTS: usize = 8;

/// A text points at up to this many of its best sources that reach this share of the threshold.
const POINTED_AT: usize = 2;
const SHARE: f32 = 0.6;

/// Each text counts half as much as the one after it.
const DECAY: f32 = 0.5;

/// The sum of the scores must reach this multiple of the threshold. If lower, texts about nothing would add up.
const FACTOR: f32 = 1.3;

/// The part of an earlier text of a conversation that later ones need. The text itself is not kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EarlierText {
    /// The model that computed the vector.
    pub model: String,
    /// Its informative words that occur in a document, in lower case.
    pub words: Vec<String>,
    /// The number of further words, which are in no document.
    #[serde(default)]
    pub absent: usize,
    /// Its vector.
    pub vector: Vector,
}

// A scale is never NaN.
impl Eq for EarlierText {}

/// A source that several texts point at.
#[derive(Debug, Clone, PartialEq)]
pub struct RecurringSource {
    /// The source's id.
    pub source: String,
    /// The sum of its scores for these texts: the current one in full, each earlier one half as much as the next.
    pub sum: f32,
}

/// The source that the current text and earlier ones (latest first) point at most; `None` if the current text matches
/// it anyway, or no source reaches the threshold.
pub(crate) fn recurring(
    current: &[ScoredSource],
    earlier: &[Vec<ScoredSource>],
    threshold: f32,
) -> Option<RecurringSource> {
    let mut sums: HashMap<&str, (f32, usize)> = HashMap::new();
    let mut weight = 1.0;
    for scored in std::iter::once(current).chain(earlier.iter().map(Vec::as_slice)).take(MAX_TEXTS) {
        for it in scored.iter().take(POINTED_AT).filter(|it| it.score >= SHARE * threshold) {
            let (sum, texts) = sums.entry(&it.source).or_default();
            *sum += weight * it.score;
            *texts += 1;
        }
        weight *= DECAY;
    }
    let is_new = |it: &&ScoredSource| it.score >= SHARE * threshold && it.score < threshold;
    let candidates = current.iter().take(POINTED_AT).filter(is_new).filter_map(|it| {
        let (sum, texts) = *sums.get(it.source.as_str())?;
        (texts > 1 && sum >= FACTOR * threshold).then(|| RecurringSource { source: it.source.clone(), sum })
    });
    candidates.max_by(|one, other| one.sum.total_cmp(&other.sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scored;

    #[test]
    fn several_texts_below_the_threshold_add_up() {
        for (current, earlier, expected) in [
            (&[("a", 0.45)][..], &[&[("a", 0.45)][..]][..], Some("a")),
            // One text is not enough.
            (&[("a", 0.49)], &[], None),
            // Two weak texts are not enough, either.
            (&[("a", 0.35)], &[&[("a", 0.35)]], None),
            (&[("a", 0.35)], &[&[("a", 0.45)], &[("a", 0.45)]], Some("a")),
            // The text gets a hint without the conversation.
            (&[("a", 0.51)], &[&[("a", 0.6)]], None),
            // The current text must point to it, too.
            (&[("b", 0.45), ("c", 0.4), ("a", 0.38)], &[&[("a", 0.6)], &[("a", 0.6)]], None),
            (&[("a", 0.2)], &[&[("a", 0.6)], &[("a", 0.6)]], None),
            // An old text has little weight.
            (&[("a", 0.45)], &[&[("x", 0.1)], &[("x", 0.1)], &[("a", 0.45)]], None),
            (&[("a", 0.45), ("b", 0.44)], &[&[("b", 0.49)], &[("a", 0.49), ("b", 0.3)]], Some("b")),
        ] {
            let earlier: Vec<Vec<ScoredSource>> = earlier.iter().map(|text| scored(text)).collect();
            let found = recurring(&scored(current), &earlier, 0.5).map(|found| found.source);
            assert_eq!(found.as_deref(), expected, "{current:?} {earlier:?}");
        }
    }
}
