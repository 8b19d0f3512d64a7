//! Notices about sources: documents whose length changed; entries that were added, removed or changed, or whose file
//! appeared or disappeared.

use std::sync::Arc;

use super::words::{SHOWN, at};
use super::{Actor, Notice, Topic};
use crate::engine::Snapshot;
use refdesk_core::catalog::{Source, SourceId};
use refdesk_text::tokens::grouped;

/// Documents whose length changed, and their new cost.
pub(super) fn documents(before: &Snapshot, after: &Snapshot) -> Vec<Notice> {
    if Arc::ptr_eq(&before.tokens, &after.tokens) {
        return Vec::new();
    }
    let changed = after.catalog.sources().iter().filter_map(|source| {
        let (was, is) = (before.tokens.get(&source.id)?, after.tokens.get(&source.id)?);
        (was != is).then_some((&source.id, *was, *is))
    });
    let changed: Vec<(&SourceId, u64, u64)> = changed.collect();
    match changed.as_slice() {
        [(first, ..), ..] if changed.len() > SHOWN => {
            let named = at(changed.iter().map(|(id, ..)| id));
            let text = format!("{} documents changed: {named}", changed.len());
            vec![Notice::new(Actor::Files, Topic::Document, text).about(first).of(changed.len())]
        }
        _ => changed
            .iter()
            .map(|(id, was, is)| {
                let reason = format!("~{} to ~{} tokens", grouped(*was), grouped(*is));
                Notice::new(Actor::Files, Topic::Document, format!("@{id} changed")).about(id).because(reason)
            })
            .collect(),
    }
}

/// Sources that were added, removed or changed, or whose file appeared or disappeared. Dormant picks are reported with
/// the selection.
pub(super) fn sources(before: &Snapshot, after: &Snapshot) -> Vec<Notice> {
    let in_both = || after.catalog.sources().iter().filter_map(|is| Some((before.catalog.get(is.id.as_str())?, is)));
    let missing = |source: &Source| source.is_missing();
    let is_other = |was: &Source, is: &Source| {
        let facts = |of: &Source| (of.name.clone(), of.description.clone(), of.tags.clone(), of.mode, of.kind.word());
        facts(was) != facts(is) || of_path(was) != of_path(is)
    };
    let groups: [(&str, Vec<&SourceId>); 5] = [
        ("New in the catalog", absent(after, before)),
        ("Gone from the catalog", absent(before, after)),
        ("Changed in the catalog", in_both().filter(|(was, is)| is_other(was, is)).map(|(_, is)| &is.id).collect()),
        ("Found again", in_both().filter(|(was, is)| missing(was) && !missing(is)).map(|(_, is)| &is.id).collect()),
        ("Now missing", in_both().filter(|(was, is)| !missing(was) && missing(is)).map(|(_, is)| &is.id).collect()),
    ];
    let reported = groups.into_iter().filter_map(|(what, ids)| {
        let first = *ids.first()?;
        Some(Notice::new(Actor::Files, Topic::Catalog, format!("{what}: {}", at(&ids))).about(first).of(ids.len()))
    });
    reported.collect()
}

fn of_path(source: &Source) -> Option<&str> {
    source.place().map(|place| place.written.as_str())
}

/// Sources of one snapshot that are not in the other, unless the other has a dormant pick of them.
fn absent<'a>(of: &'a Snapshot, without: &Snapshot) -> Vec<&'a SourceId> {
    let sources = of.catalog.sources().iter().map(|source| &source.id);
    let sources = sources.filter(|id| without.catalog.get(id.as_str()).is_none());
    sources.filter(|id| !super::selection::dormancy_changed(of, without, id.as_str())).collect()
}
