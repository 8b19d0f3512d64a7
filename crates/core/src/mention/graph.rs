//! The mention graph. If every document mentions every source, there are millions of mentions, so each takes eight
//! bytes here and becomes a [`Mention`] only on request.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::{Mention, MentionKind};
use crate::catalog::{Catalog, SourceId};
use refdesk_text::number::{narrow, wide};

/// All mentions found so far, grouped by the source whose text contains them, in order of file and line.
///
/// A source that was not scanned is absent; a scanned source without mentions is present and empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MentionGraph {
    /// Shared, so that copying a graph to change one source is cheap.
    by_source: HashMap<SourceId, Arc<Mentions>>,
}

/// The mentions in the text of one source, in order of file and line.
#[derive(Debug, Clone, Default)]
pub struct Mentions {
    /// The ids that `to` indexes; shared by all sources scanned with the same catalog.
    ids: Arc<[SourceId]>,
    places: Vec<MentionPosition>,
    /// Each file with the end of its range in `places`.
    files: Vec<(Arc<Path>, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MentionPosition {
    to: u32,
    /// Twice the line, plus one for [`MentionKind::Path`].
    line_and_via: u32,
}

impl MentionPosition {
    fn line(self) -> usize {
        wide(self.line_and_via >> 1)
    }

    fn via(self) -> MentionKind {
        if self.line_and_via & 1 == 0 { MentionKind::Id } else { MentionKind::Path }
    }
}

impl Mentions {
    /// An empty list; targets are positions in `ids`.
    pub fn new(ids: Arc<[SourceId]>) -> Self {
        Self { ids, places: Vec::new(), files: Vec::new() }
    }

    /// Adds a mention in this file, at a line counted from 1. Add all mentions of a file before those of the next.
    pub fn push(&mut self, to: u32, via: MentionKind, file: &Arc<Path>, line: u32) {
        let line_and_via = line.min(u32::MAX >> 1) << 1 | u32::from(via == MentionKind::Path);
        self.places.push(MentionPosition { to, line_and_via });
        let end = self.places.len();
        match self.files.last_mut() {
            Some((last, last_end)) if last == file => *last_end = end,
            _ => self.files.push((file.clone(), end)),
        }
    }

    /// Releases unused memory after the last push.
    pub fn shrink(&mut self) {
        self.places.shrink_to_fit();
        self.files.shrink_to_fit();
    }

    /// The number of mentions.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no mentions.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The target of each mention.
    pub fn targets(&self) -> impl Iterator<Item = &SourceId> {
        self.places.iter().filter_map(|place| self.ids.get(wide(place.to)))
    }

    /// The mentions of targets that `wanted` accepts; `from` is the source that contains them.
    fn of<'a>(
        &'a self,
        from: &'a SourceId,
        wanted: impl Fn(&SourceId) -> bool + 'a,
    ) -> impl Iterator<Item = Mention> + 'a {
        let starts = std::iter::once(0).chain(self.files.iter().map(|(_, end)| *end));
        let of_files = starts.zip(&self.files).flat_map(|(start, (file, end))| {
            self.places.get(start..*end).unwrap_or_default().iter().map(move |place| (file, place))
        });
        of_files.filter_map(move |(file, place)| {
            let to = self.ids.get(wide(place.to)).filter(|to| wanted(to))?;
            Some(Mention {
                from: from.clone(),
                to: to.clone(),
                via: place.via(),
                file: file.clone(),
                line: place.line(),
            })
        })
    }

    fn nth(&self, from: &SourceId, nth: usize) -> Option<Mention> {
        let place = self.places.get(nth)?;
        let (file, _) = self.files.get(self.files.partition_point(|(_, end)| *end <= nth))?;
        let to = self.ids.get(wide(place.to))?.clone();
        Some(Mention { from: from.clone(), to, via: place.via(), file: file.clone(), line: place.line() })
    }

    /// Whether both use the same list of ids.
    fn has_ids_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.ids, &other.ids)
    }
}

impl PartialEq for Mentions {
    fn eq(&self, other: &Self) -> bool {
        let same_targets = || {
            if self.has_ids_of(other) { self.places == other.places } else { self.targets().eq(other.targets()) }
        };
        let lines = |mentions: &Self| mentions.places.iter().map(|place| place.line_and_via).collect::<Vec<_>>();
        self.files == other.files
            && self.places.len() == other.places.len()
            && same_targets()
            && (self.has_ids_of(other) || lines(self) == lines(other))
    }
}

impl Eq for Mentions {}

impl FromIterator<Mention> for Mentions {
    fn from_iter<M: IntoIterator<Item = Mention>>(mentions: M) -> Self {
        let mentions: Vec<Mention> = mentions.into_iter().collect();
        let mut ids: Vec<SourceId> = mentions.iter().map(|mention| mention.to.clone()).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut made = Self::new(ids.into());
        for Mention { to, via, file, line, .. } in mentions {
            let Ok(at) = made.ids.binary_search(&to) else { continue };
            made.push(narrow(at), via, &file, narrow(line));
        }
        made
    }
}

impl From<Vec<Mention>> for Mentions {
    fn from(mentions: Vec<Mention>) -> Self {
        mentions.into_iter().collect()
    }
}

impl MentionGraph {
    /// An empty graph with room for this many sources.
    pub fn with_capacity(sources: usize) -> Self {
        Self { by_source: HashMap::with_capacity(sources) }
    }

    /// Sets the mentions of `from`, replacing the previous ones.
    pub fn insert(&mut self, from: SourceId, mentions: Mentions) {
        self.by_source.insert(from, Arc::new(mentions));
    }

    /// Forgets this source, as if it had not been scanned.
    pub fn remove(&mut self, from: &SourceId) {
        self.by_source.remove(from);
    }

    /// Like [`MentionGraph::insert`], but shares equal mentions with `other`. Mentions with another list of ids are not
    /// shared, because they would keep that list in memory.
    pub fn insert_like(&mut self, from: SourceId, mentions: Mentions, other: &Self) {
        match other.by_source.get_key_value(&from) {
            Some((from, same)) if same.has_ids_of(&mentions) && **same == mentions => {
                self.by_source.insert(from.clone(), same.clone())
            }
            _ => self.by_source.insert(from, Arc::new(mentions)),
        };
    }

    /// The number of scanned sources.
    pub fn len(&self) -> usize {
        self.by_source.len()
    }

    /// Whether no source was scanned.
    pub fn is_empty(&self) -> bool {
        self.by_source.is_empty()
    }

    /// Whether this source was scanned.
    pub fn is_scanned(&self, id: &str) -> bool {
        self.by_source.contains_key(id)
    }

    /// The mentions in this source's text; none if it was not scanned.
    pub fn from(&self, id: &str) -> impl Iterator<Item = Mention> {
        self.from_to(id, |_| true)
    }

    /// Like [`MentionGraph::from`], for targets that `wanted` accepts.
    pub fn from_to<'a>(&'a self, id: &str, wanted: impl Fn(&SourceId) -> bool + 'a) -> impl Iterator<Item = Mention> {
        let known = self.by_source.get_key_value(id);
        known.map(|(from, mentions)| mentions.of(from, wanted)).into_iter().flatten()
    }

    /// The mention with this number in this source's text, from 0.
    pub fn nth(&self, id: &str, nth: usize) -> Option<Mention> {
        let (from, mentions) = self.by_source.get_key_value(id)?;
        mentions.nth(from, nth)
    }

    /// The target of each mention in this source's text; cheaper than [`MentionGraph::from`].
    pub fn targets(&self, id: &str) -> impl Iterator<Item = &SourceId> {
        self.by_source.get(id).into_iter().flat_map(|mentions| mentions.targets())
    }
}

/// Maps the targets of a graph to positions in a catalog. Each id is looked up only once.
#[derive(Debug)]
pub(crate) struct Positions<'c> {
    catalog: &'c Catalog,
    /// For each list of ids, the positions found so far.
    known: Vec<(Arc<[SourceId]>, Vec<u32>)>,
}

const UNKNOWN: u32 = u32::MAX;
const NOT_IN_CATALOG: u32 = u32::MAX - 1;

impl<'c> Positions<'c> {
    pub(crate) fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, known: Vec::new() }
    }

    /// Calls `report` with the position of each mention's target in this source's text, if it is in the catalog.
    pub(crate) fn each(&mut self, graph: &MentionGraph, id: &str, mut report: impl FnMut(usize)) {
        self.each_with_number(graph, id, |_, position| report(position));
    }

    /// Like [`Self::each`], with the number of each mention, from 0.
    pub(super) fn each_with_number(&mut self, graph: &MentionGraph, id: &str, mut report: impl FnMut(usize, usize)) {
        let Some(mentions) = graph.by_source.get(id).filter(|mentions| !mentions.is_empty()) else { return };
        let known = self.known.iter().rposition(|(ids, _)| Arc::ptr_eq(ids, &mentions.ids)).unwrap_or_else(|| {
            self.known.push((mentions.ids.clone(), vec![UNKNOWN; mentions.ids.len()]));
            self.known.len() - 1
        });
        let Some((ids, positions)) = self.known.get_mut(known) else { return };
        for (nth, place) in mentions.places.iter().enumerate() {
            let Some(position) = positions.get_mut(wide(place.to)) else { continue };
            if *position == UNKNOWN {
                let id = ids.get(wide(place.to)).map_or("", SourceId::as_str);
                *position = self.catalog.position(id).map_or(NOT_IN_CATALOG, narrow);
            }
            if *position != NOT_IN_CATALOG {
                report(nth, wide(*position));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::inline;

    fn mention(to: &str, via: MentionKind, file: &str, line: usize) -> Mention {
        Mention { from: "from".into(), to: to.into(), via, file: Arc::from(Path::new(file)), line }
    }

    fn some() -> Vec<Mention> {
        vec![
            mention("b", MentionKind::Id, "/w/1", 1),
            mention("a", MentionKind::Path, "/w/1", 1),
            mention("b", MentionKind::Path, "/w/2", 7),
            mention("b", MentionKind::Id, "/w/3", 2),
        ]
    }

    #[test]
    fn inserted_mentions_are_returned() {
        let mut graph = MentionGraph::default();
        graph.insert("from".into(), some().into());
        assert_eq!(graph.from("from").collect::<Vec<_>>(), some());
        assert_eq!(graph.from_to("from", |to| to.as_str() == "a").collect::<Vec<_>>(), some()[1..2]);
        assert_eq!(graph.from("other").count(), 0);
        let catalog = Catalog::new(vec![inline("x", ""), inline("b", "")]);
        let mut found = Vec::new();
        Positions::new(&catalog).each(&graph, "from", |at| found.push(at));
        assert_eq!(found, [1, 1, 1]);
    }

    #[test]
    fn equal_mentions_may_number_their_ids_differently() {
        let one = Mentions::from(some());
        let ids: Arc<[SourceId]> = ["b", "x", "a"].map(SourceId::from).into();
        let mut other = Mentions::new(ids.clone());
        for (to, via, file, line) in [
            (0, MentionKind::Id, "/w/1", 1),
            (2, MentionKind::Path, "/w/1", 1),
            (0, MentionKind::Path, "/w/2", 7),
            (0, MentionKind::Id, "/w/3", 2),
        ] {
            other.push(to, via, &Arc::from(Path::new(file)), line);
        }
        assert_eq!(one, other);
        for at in 0..some().len() {
            for changed in [
                mention("c", some()[at].via, "/w/1", 1),
                Mention { line: 70, ..some()[at].clone() },
                Mention {
                    via: if some()[at].via == MentionKind::Id { MentionKind::Path } else { MentionKind::Id },
                    ..some()[at].clone()
                },
                Mention { file: Path::new("/w/0").into(), ..some()[at].clone() },
            ] {
                let mut mentions = some();
                mentions[at] = changed;
                assert_ne!(Mentions::from(mentions), other);
            }
        }
        let mut graph = MentionGraph::default();
        graph.insert("from".into(), other.clone());
        let mut next = MentionGraph::default();
        next.insert_like("from".into(), other, &graph);
        assert!(Arc::ptr_eq(&graph.by_source["from"], &next.by_source["from"]));
        assert_eq!(graph, next);
    }
}
