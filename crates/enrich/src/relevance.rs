//! Weighs hints by relevance to a text: a tag that few sources have is more specific than one that all have (BEHAVIOUR
//! §5, "Budget"). Only used if not all hints fit.

use std::collections::{HashMap, HashSet};

use super::draft::{BlockKind, Draft, DraftEntry, MatchReason};
use refdesk_core::catalog::Catalog;
use refdesk_text::fold::{collapsed, tag_key};

/// Sets the weight of each hint: the sum over its matched tags of ln(1 + sources ÷ sources with that tag).
pub(super) fn weigh(catalog: &Catalog, drafts: &mut [Draft]) {
    let hints = |draft: &&mut Draft| draft.kind == BlockKind::Hint;
    let mut holders: HashMap<String, u32> = HashMap::new();
    for entry in drafts.iter_mut().filter(hints).flat_map(|draft| &draft.entries) {
        holders.extend(tags(entry).map(|tag| (tag, 0)));
    }
    for source in catalog.sources() {
        // A source with two spellings of a tag counts once.
        let own: HashSet<String> = source.tags.iter().map(|tag| key(tag)).collect();
        own.iter().for_each(|tag| {
            if let Some(count) = holders.get_mut(tag) {
                *count += 1;
            }
        });
    }
    let sources = f64::from(u32::try_from(catalog.len()).unwrap_or(u32::MAX));
    let weight = |tag: String| {
        let with_it = holders.get(&tag).copied().unwrap_or(0).max(1);
        (1.0 + sources / f64::from(with_it)).ln()
    };
    for entry in drafts.iter_mut().filter(hints).flat_map(|draft| &mut draft.entries) {
        entry.weight = tags(entry).map(weight).sum();
    }
}

fn tags(entry: &DraftEntry) -> impl Iterator<Item = String> {
    entry.why.iter().filter_map(|why| match why {
        MatchReason::Tag { tag, .. } => Some(key(tag)),
        _ => None,
    })
}

fn key(tag: &str) -> String {
    collapsed(&tag_key(tag))
}
