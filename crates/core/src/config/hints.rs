//! The `hints` object: how hints are chosen if the workspace has a search index (SEARCH S3.3).

use super::fields::Fields;
use super::keys;

/// How hints are chosen if there is a search index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HintSettings {
    /// The most hints for a text.
    pub max: usize,
    /// Whether to hint at sources by meaning, without a tag.
    pub semantic: bool,
    /// The score that a source needs for a hint; computed for this catalog if not given.
    pub threshold: Option<f32>,
    /// Whether to order tag hints by score, and to leave out unlikely ones.
    pub tag_filter: bool,
    /// Whether a source gets a hint if several texts of a conversation match it, each too weakly on its own.
    pub conversation: bool,
}

impl Default for HintSettings {
    fn default() -> Self {
        Self { max: 5, semantic: true, threshold: None, tag_filter: true, conversation: false }
    }
}

pub(super) fn read(fields: &mut Fields<'_>) -> HintSettings {
    let default = HintSettings::default();
    fields.warn_unknown(keys::HINTS);
    let max = fields.typed("max", "a whole number above 0", |value| value.as_u64().filter(|max| *max > 0));
    // Scores are from -1 to 1.3; more digits than a 32-bit number has make no difference.
    let threshold = fields
        .typed("threshold", "a number from 0 to 2", |value| value.as_f64().filter(|score| (0.0..=2.0).contains(score)));
    HintSettings {
        max: max.and_then(|max| usize::try_from(max).ok()).unwrap_or(default.max),
        semantic: fields.flag("semantic", default.semantic),
        threshold: threshold.map(|score| score as f32),
        tag_filter: fields.flag("tag_filter", default.tag_filter),
        conversation: fields.flag("conversation", default.conversation),
    }
}
