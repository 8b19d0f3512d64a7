//! Explains why a hint for a matching tag is missing from an enriched text: the session already got it, there was no
//! room, or the text contains it. Derived from the result itself, so that the two always agree.

use super::{BlockKind, Enriched, Level, WhyNot};
use refdesk_core::catalog::SourceId;

/// The sources with matching tags that `enriched` has no hint for, in catalog order. `all` is the same text enriched with
/// `repeat` and without a limit.
pub fn suppressed_hints(enriched: &Enriched, all: &Enriched) -> Vec<(SourceId, WhyNot)> {
    let level = |enriched: &Enriched, id: &SourceId| {
        let hints = enriched.items.iter().filter(|item| item.block == BlockKind::Hint);
        hints.filter(|item| item.about == id.as_str()).map(|item| item.level).next()
    };
    let why = |(id, _): &(SourceId, Vec<String>)| match (level(enriched, id), level(all, id)) {
        (Some(Level::Full | Level::Brief), _) => None,
        (Some(Level::Count), _) => Some((id.clone(), WhyNot::NoRoom)),
        (None, Some(_)) => Some((id.clone(), WhyNot::Told)),
        (None, None) => Some((id.clone(), WhyNot::Stands)),
    };
    enriched.metadata.tag_matched_references.iter().filter_map(why).collect()
}
