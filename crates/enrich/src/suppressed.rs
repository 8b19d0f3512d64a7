//! Explains why a hint is missing from an enriched text: others are more likely to be meant, the session already
//! received it, it did not fit, or the text already contains it. Derived from the result itself, so that explanation
//! and result always agree.

use super::{BlockKind, Enriched, ItemReceipt, Level, WhyNot};
use refdesk_core::catalog::SourceId;

/// The sources that match by tag or meaning but have no hint in `enriched`: those with tags in catalog order, then the
/// others. `all` is the result for the same text with `repeat` and without a limit.
pub fn suppressed_hints(enriched: &Enriched, all: &Enriched) -> Vec<(SourceId, WhyNot)> {
    let tagged = enriched.metadata.tag_matched_references.iter().map(|(id, _)| id);
    let by_meaning = enriched.metadata.semantic_matched_references.iter().map(|(id, _)| id);
    let why = |id: &SourceId| {
        let why = match (hint(enriched, id), hint(all, id)) {
            (Some(ItemReceipt { rejected: Some(why), .. }), _) | (_, Some(ItemReceipt { rejected: Some(why), .. })) => {
                WhyNot::Rejected(*why)
            }
            (Some(ItemReceipt { level: Level::Count, .. }), _) => WhyNot::NoRoom,
            (Some(_), _) => return None,
            (None, Some(_)) => WhyNot::AlreadySent,
            (None, None) => WhyNot::AlreadyInText,
        };
        Some((id.clone(), why))
    };
    tagged.chain(by_meaning).filter_map(why).collect()
}

fn hint<'e>(enriched: &'e Enriched, id: &SourceId) -> Option<&'e ItemReceipt> {
    enriched.items.iter().find(|item| item.block == BlockKind::Hint && item.about == id.as_str())
}
