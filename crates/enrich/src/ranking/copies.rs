//! Of several sources with the same section, only one gets a hint.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::SourceStates;
use refdesk_index::ScoredSource;

/// Keeps one source per section, and none for sections in `shown`; returns the ids of the others. A source that is about
/// the text by its description stands for all sections of its files.
pub(super) fn remove<'a>(
    semantic_matches: &mut Vec<&'a ScoredSource>,
    shown: impl Iterator<Item = &'a ScoredSource>,
    SourceStates { depth, contains, .. }: SourceStates,
) -> HashSet<&'a str> {
    let shown: Vec<&ScoredSource> = shown.collect();
    let mut innermost: HashMap<(&str, usize), Option<&str>> =
        shown.iter().filter_map(|scored| place(scored)).map(|place| (place, None)).collect();
    for scored in &*semantic_matches {
        let Some(place) = place(scored) else { continue };
        let kept = innermost.entry(place).or_insert(Some(&scored.source));
        if kept.is_some_and(|kept| depth(kept) < depth(&scored.source)) {
            *kept = Some(&scored.source);
        }
    }
    let whole = semantic_matches.iter().chain(&shown).filter(|scored| place(scored).is_none());
    let whole: Vec<&str> = whole.map(|scored| scored.source.as_str()).collect();
    let is_copy = |scored: &mut &ScoredSource| {
        let Some((path, line)) = place(scored) else { return false };
        let is_inside = |id: &&str| depth(id) > depth(&scored.source) && contains(id, path);
        whole.iter().any(is_inside)
            || innermost.get(&(path, line)).is_some_and(|kept| *kept != Some(scored.source.as_str()))
    };
    semantic_matches.extract_if(.., is_copy).map(|scored| scored.source.as_str()).collect()
}

/// The file and line of the best section; `None` for text from the catalog itself and if unknown.
fn place(scored: &ScoredSource) -> Option<(&str, usize)> {
    let section = scored.section.as_ref().filter(|section| section.line > 0 && !section.path.is_empty())?;
    Path::new(&section.path).is_absolute().then_some((section.path.as_str(), section.line))
}
