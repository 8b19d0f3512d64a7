//! Of several sources with the same section, only one gets a hint.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use refdesk_index::ScoredSource;

/// Keeps one source per section, and none for sections in `shown`; returns the ids of the others.
pub(super) fn remove<'a>(
    semantic_matches: &mut Vec<&'a ScoredSource>,
    shown: impl Iterator<Item = &'a ScoredSource>,
    depth: &dyn Fn(&str) -> usize,
) -> HashSet<&'a str> {
    let mut innermost: HashMap<(&str, usize), Option<&str>> =
        shown.filter_map(place).map(|place| (place, None)).collect();
    for scored in &*semantic_matches {
        let Some(place) = place(scored) else { continue };
        let kept = innermost.entry(place).or_insert(Some(&scored.source));
        if kept.is_some_and(|kept| depth(kept) < depth(&scored.source)) {
            *kept = Some(&scored.source);
        }
    }
    let is_copy = |scored: &mut &ScoredSource| {
        let kept = place(scored).and_then(|place| innermost.get(&place));
        kept.is_some_and(|kept| *kept != Some(scored.source.as_str()))
    };
    semantic_matches.extract_if(.., is_copy).map(|scored| scored.source.as_str()).collect()
}

/// The file and line of the best section; `None` for text from the catalog itself and if unknown.
fn place(scored: &ScoredSource) -> Option<(&str, usize)> {
    let section = scored.section.as_ref().filter(|section| section.line > 0 && !section.path.is_empty())?;
    Path::new(&section.path).is_absolute().then_some((section.path.as_str(), section.line))
}
