//! Constructors for tests.

use crate::about::ScoredSource;

/// Sources with these scores, in this order.
pub fn scored(scores: &[(&str, f32)]) -> Vec<ScoredSource> {
    let one = |(source, score): &(&str, f32)| ScoredSource {
        source: (*source).to_owned(),
        score: *score,
        cosine: *score,
        coverage: 0.0,
        document: 1,
        words: Vec::new(),
        section: None,
        is_incomplete: false,
    };
    scores.iter().map(one).collect()
}
