//! The closure: what picks and exclusions come to over a mention graph (BEHAVIOUR §4). Everything is computed anew each
//! time; that is what makes unpicking, undo and reload the same thing as picking.

use std::collections::{HashMap, HashSet};

use super::{Choice, MAX_TRANSITIVE_DEPTH, Member, Role, Selection};
use crate::catalog::{Catalog, Mode, SourceId};
use crate::mention::{Mention, MentionGraph};

/// What a workspace's settings say about pulling in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Whether mentions pull in at all (`transitive_injection`).
    pub transitive: bool,
    /// Whether auto sources are roots (`transitive_from_auto`).
    pub from_auto: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { transitive: true, from_auto: false }
    }
}

/// The selection that follows, as far as the graph knows the texts.
pub fn select(choice: &Choice, catalog: &Catalog, graph: &MentionGraph, rules: Rules) -> Selection {
    let Reached { mut members, dormant, depth_of } = reach(choice, catalog, graph, rules);
    name_parents(&mut members, catalog, graph, &depth_of);
    Selection::new(members, dormant, choice.exclusions.clone())
}

/// The same without who pulls in whom: for whoever compares many choices and asks only what each comes to.
pub fn reached(choice: &Choice, catalog: &Catalog, graph: &MentionGraph, rules: Rules) -> Selection {
    let Reached { members, dormant, .. } = reach(choice, catalog, graph, rules);
    Selection::new(members, dormant, choice.exclusions.clone())
}

/// What [`unscanned`] says of the selection that follows, without making it: while documents are read for it, nobody asks
/// who pulls in whom.
pub fn wanted(choice: &Choice, catalog: &Catalog, graph: &MentionGraph, rules: Rules) -> Vec<SourceId> {
    unscanned_of(&reach(choice, catalog, graph, rules).members, graph, rules)
}

/// Who is selected and how deep, without parents yet.
struct Reached {
    members: Vec<Member>,
    dormant: Vec<String>,
    depth_of: HashMap<SourceId, usize>,
}

fn reach(choice: &Choice, catalog: &Catalog, graph: &MentionGraph, rules: Rules) -> Reached {
    let excluded: HashSet<&str> = choice.exclusions.iter().map(String::as_str).collect();
    let (mut members, dormant) = roots(choice, catalog, &excluded, rules);
    let mut depth_of: HashMap<SourceId, usize> = members.iter().map(|member| (member.id.clone(), 0)).collect();
    let mut level: Vec<SourceId> = members.iter().map(|member| member.id.clone()).collect();
    for depth in 1..=MAX_TRANSITIVE_DEPTH {
        if !rules.transitive || level.is_empty() {
            break;
        }
        let mut next: Vec<(usize, SourceId)> = Vec::new();
        for mention in level.iter().flat_map(|id| graph.from(id.as_str())) {
            let Some(position) = catalog.position(mention.to.as_str()) else { continue };
            if !excluded.contains(mention.to.as_str()) && !depth_of.contains_key(&mention.to) {
                depth_of.insert(mention.to.clone(), depth);
                next.push((position, mention.to.clone()));
            }
        }
        next.sort_unstable();
        level = next.into_iter().map(|(_, id)| id).collect();
        members.extend(level.iter().map(|id| member(id.clone(), depth, Role::Transitive)));
    }
    Reached { members, dormant, depth_of }
}

/// The selected sources whose text the closure wants and the graph does not have: scan them and select again, until there
/// are none.
pub fn unscanned(selection: &Selection, graph: &MentionGraph, rules: Rules) -> Vec<SourceId> {
    unscanned_of(&selection.members, graph, rules)
}

fn unscanned_of(members: &[Member], graph: &MentionGraph, rules: Rules) -> Vec<SourceId> {
    if !rules.transitive {
        return Vec::new();
    }
    let wanted = |member: &&Member| member.depth < MAX_TRANSITIVE_DEPTH && !graph.is_scanned(member.id.as_str());
    members.iter().filter(wanted).map(|member| member.id.clone()).collect()
}

/// The mentions that pull `to` in: those in the text of its parents, in the order of `parents`.
pub fn reasons<'a>(selection: &'a Selection, graph: &'a MentionGraph, to: &str) -> Vec<&'a Mention> {
    let Some(member) = selection.member(to) else { return Vec::new() };
    let from = member.parents.iter().flat_map(|parent| graph.from(parent.as_str()));
    from.filter(|mention| mention.to.as_str() == to).collect()
}

fn roots(choice: &Choice, catalog: &Catalog, excluded: &HashSet<&str>, rules: Rules) -> (Vec<Member>, Vec<String>) {
    let mut members: Vec<Member> = Vec::new();
    let mut dormant = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for pick in choice.picks.iter().filter(|pick| !excluded.contains(pick.as_str())) {
        if !seen.insert(pick) {
            continue;
        }
        match catalog.get(pick) {
            Some(source) => members.push(member(source.id.clone(), 0, Role::Picked)),
            None => dormant.push(pick.clone()),
        }
    }
    if rules.from_auto {
        let auto = catalog.sources().iter().filter(|source| source.mode == Mode::Auto);
        let new = auto.filter(|source| !seen.contains(source.id.as_str()) && !excluded.contains(source.id.as_str()));
        members.extend(new.map(|source| member(source.id.clone(), 0, Role::AutoRoot)));
    }
    (members, dormant)
}

fn member(id: SourceId, depth: usize, role: Role) -> Member {
    Member { id, depth, role, parents: Vec::new(), reason: None }
}

/// Parents are all selected and scanned sources that mention a member, deeper ones too; the reason is the least deep of
/// them, first in catalog order.
fn name_parents(members: &mut [Member], catalog: &Catalog, graph: &MentionGraph, depth_of: &HashMap<SourceId, usize>) {
    let mut parents: HashMap<&SourceId, Vec<(usize, &SourceId)>> = HashMap::new();
    let mut in_order: Vec<(usize, &SourceId, usize)> = depth_of
        .iter()
        .filter(|(_, depth)| **depth < MAX_TRANSITIVE_DEPTH)
        .filter_map(|(id, depth)| Some((catalog.position(id.as_str())?, id, *depth)))
        .collect();
    in_order.sort_unstable();
    for (_, parent, depth) in in_order {
        let mut named: HashSet<&SourceId> = HashSet::new();
        for mention in graph.from(parent.as_str()) {
            if named.insert(&mention.to) {
                parents.entry(&mention.to).or_default().push((depth, parent));
            }
        }
    }
    for member in members.iter_mut().filter(|member| member.role == Role::Transitive) {
        if let Some(parents) = parents.get(&member.id) {
            member.parents = parents.iter().map(|(_, id)| (*id).clone()).collect();
            // `min_by_key` gives the first of equal ones, and the list is in catalog order.
            member.reason = parents.iter().min_by_key(|(depth, _)| *depth).map(|(_, id)| (*id).clone());
        }
    }
}
