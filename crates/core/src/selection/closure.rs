//! The closure: the selection that results from picks, exclusions and a mention graph (BEHAVIOUR §4). It is computed
//! from scratch each time, so unpicking, undo and reload need no separate code.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::{Choice, MAX_TRANSITIVE_DEPTH, Parents, Role, SelectedSource, Selection};
use crate::catalog::{Catalog, Mode, SourceId};
use crate::mention::{Mention, MentionGraph, Positions};
use refdesk_text::number::{narrow, wide};

/// The workspace settings that decide what is pulled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpansionRules {
    /// Whether mentions pull sources in (`transitive_injection`).
    pub transitive: bool,
    /// Whether auto sources are roots (`transitive_from_auto`).
    pub from_auto: bool,
}

impl Default for ExpansionRules {
    fn default() -> Self {
        Self { transitive: true, from_auto: false }
    }
}

/// Computes the selection from the texts scanned so far.
pub fn select(choice: &Choice, catalog: &Catalog, graph: &MentionGraph, rules: ExpansionRules) -> Selection {
    let mut positions = Positions::new(catalog);
    let mut reached = reach(choice, catalog, graph, rules, &mut positions);
    record_parents(&mut reached, graph, &mut positions);
    reached.selection(choice)
}

/// The [`unscanned`] sources of the resulting selection, computed without parents, which are not needed while documents
/// are still being read.
pub fn wanted(choice: &Choice, catalog: &Catalog, graph: &MentionGraph, rules: ExpansionRules) -> Vec<SourceId> {
    unscanned_of(&reach(choice, catalog, graph, rules, &mut Positions::new(catalog)).members, graph, rules)
}

/// The selected sources and their depths, without parents.
struct Reached {
    members: Vec<SelectedSource>,
    /// The position of each member in the catalog.
    places: Vec<usize>,
    /// For each source of the catalog, its index in `members`.
    member_at: Vec<Option<u32>>,
    dormant: Vec<String>,
}

impl Reached {
    fn selection(self, choice: &Choice) -> Selection {
        let Self { members, dormant, .. } = self;
        Selection::new(members, dormant, choice.exclusions.clone())
    }

    /// Adds the source at this position, unless it is already a member.
    fn add(&mut self, place: usize, id: &SourceId, depth: usize, role: Role) {
        let Some(known @ None) = self.member_at.get_mut(place) else { return };
        *known = Some(narrow(self.members.len()));
        self.places.push(place);
        self.members.push(SelectedSource { id: id.clone(), depth, role, parents: Parents::default(), reason: None });
    }
}

fn reach(
    choice: &Choice,
    catalog: &Catalog,
    graph: &MentionGraph,
    rules: ExpansionRules,
    positions: &mut Positions,
) -> Reached {
    let mut is_excluded = vec![false; catalog.len()];
    for place in choice.exclusions.iter().filter_map(|id| catalog.position(id)) {
        is_excluded.get_mut(place).into_iter().for_each(|excluded| *excluded = true);
    }
    let mut reached = roots(choice, catalog, &is_excluded, rules);
    let (mut level, mut seen) = (0..reached.members.len(), is_excluded);
    for place in &reached.places {
        seen.get_mut(*place).into_iter().for_each(|seen| *seen = true);
    }
    for depth in 1..=MAX_TRANSITIVE_DEPTH {
        if !rules.transitive || level.is_empty() {
            break;
        }
        let mut next: Vec<usize> = Vec::new();
        for member in reached.members.get(level.clone()).unwrap_or_default() {
            positions.each(graph, member.id.as_str(), |place| {
                if let Some(seen @ false) = seen.get_mut(place) {
                    *seen = true;
                    next.push(place);
                }
            });
        }
        next.sort_unstable();
        for place in next {
            if let Some(source) = catalog.sources().get(place) {
                reached.add(place, &source.id, depth, Role::Transitive);
            }
        }
        level = level.end..reached.members.len();
    }
    reached
}

/// The selected sources whose texts are needed but not in the graph. Scan them and select again until none is left.
pub fn unscanned(selection: &Selection, graph: &MentionGraph, rules: ExpansionRules) -> Vec<SourceId> {
    unscanned_of(&selection.members, graph, rules)
}

fn unscanned_of(members: &[SelectedSource], graph: &MentionGraph, rules: ExpansionRules) -> Vec<SourceId> {
    if !rules.transitive {
        return Vec::new();
    }
    let wanted =
        |member: &&SelectedSource| member.depth < MAX_TRANSITIVE_DEPTH && !graph.is_scanned(member.id.as_str());
    members.iter().filter(wanted).map(|member| member.id.clone()).collect()
}

/// The mentions in its parents' texts that pull `to` in, in the order of `parents`.
pub fn reasons<'a>(
    selection: &'a Selection,
    graph: &'a MentionGraph,
    to: &'a str,
) -> impl Iterator<Item = Mention> + 'a {
    let parents = selection.member(to).into_iter().flat_map(|member| member.parents.iter());
    parents.flat_map(move |parent| graph.from_to(parent.as_str(), move |target| target.as_str() == to))
}

fn roots(choice: &Choice, catalog: &Catalog, is_excluded: &[bool], rules: ExpansionRules) -> Reached {
    let member_at = vec![None; catalog.len()];
    let mut reached = Reached { members: Vec::new(), places: Vec::new(), member_at, dormant: Vec::new() };
    let is_free = |place: usize| is_excluded.get(place) == Some(&false);
    let mut dormant: HashSet<&str> = choice.exclusions.iter().map(String::as_str).collect();
    for pick in &choice.picks {
        match catalog.position(pick).and_then(|place| Some((place, catalog.sources().get(place)?))) {
            Some((place, source)) if is_free(place) => reached.add(place, &source.id, 0, Role::Picked),
            Some(_) => {}
            // A dormant pick, listed once; it cannot be excluded.
            None if dormant.insert(pick) => reached.dormant.push(pick.clone()),
            None => {}
        }
    }
    if rules.from_auto {
        for (place, source) in catalog.sources().iter().enumerate() {
            if source.mode == Mode::Auto && is_free(place) {
                reached.add(place, &source.id, 0, Role::AutoRoot);
            }
        }
    }
    reached
}

/// Sets parents and reasons. The parents of a member are all selected and scanned sources that mention it, even deeper
/// ones. Its reason is the parent with the least depth, then the first in catalog order.
fn record_parents(reached: &mut Reached, graph: &MentionGraph, positions: &mut Positions) {
    let Reached { members, places, member_at, .. } = reached;
    let mut in_order: Vec<usize> = (0..members.len()).collect();
    in_order.retain(|at| members.get(*at).is_some_and(|member| member.depth < MAX_TRANSITIVE_DEPTH));
    in_order.sort_unstable_by_key(|at| places.get(*at));
    let is_transitive = |at: usize| members.get(at).is_some_and(|member| member.role == Role::Transitive);
    // Reports each pair of parent and child once, in the order of the parents; a child is an index in `members`.
    let mut each_pair = |report: &mut dyn FnMut(usize, usize)| {
        let mut last_parent = vec![None; members.len()];
        for parent in &in_order {
            let Some(id) = members.get(*parent).map(|member| member.id.as_str()) else { continue };
            positions.each(graph, id, |place| {
                let Some(child) = member_at.get(place).copied().flatten().map(wide) else { return };
                if let Some(last) = last_parent.get_mut(child).filter(|last| **last != Some(*parent)) {
                    *last = Some(*parent);
                    if is_transitive(child) {
                        report(*parent, child);
                    }
                }
            });
        }
    };
    // Count first, so that all parents fit in one list.
    let mut counts = vec![0usize; members.len()];
    each_pair(&mut |_, child| counts.get_mut(child).into_iter().for_each(|count| *count += 1));
    let mut next = 0;
    let ranges: Vec<Range<usize>> = counts
        .iter()
        .map(|count| {
            next += count;
            next - count..next
        })
        .collect();
    let mut all = vec![0; next];
    let mut free: Vec<usize> = ranges.iter().map(|range| range.start).collect();
    each_pair(&mut |parent, child| {
        let place = free.get_mut(child).and_then(|free| {
            *free += 1;
            all.get_mut(*free - 1)
        });
        place.into_iter().for_each(|place| *place = narrow(parent));
    });
    let ids: Arc<[SourceId]> = members.iter().map(|member| member.id.clone()).collect();
    let depths: Vec<usize> = members.iter().map(|member| member.depth).collect();
    let all: Arc<[u32]> = all.into();
    for (member, range) in members.iter_mut().zip(ranges).filter(|(_, range)| !range.is_empty()) {
        // `min_by_key` returns the first of several minima, and the parents are in catalog order.
        let parents = all.get(range.clone()).unwrap_or_default().iter().map(|parent| wide(*parent));
        let reason = parents.min_by_key(|parent| depths.get(*parent));
        member.reason = reason.and_then(|parent| ids.get(parent)).cloned();
        member.parents = Parents::new(ids.clone(), all.clone(), range);
    }
}
