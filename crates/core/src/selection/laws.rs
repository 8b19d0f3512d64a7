//! Property tests of the closure over random graphs, and a table of examples (BEHAVIOUR §4).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Choice, ExpansionRules, MAX_TRANSITIVE_DEPTH, Role, Selection, select};
use crate::catalog::testing::inline;
use crate::catalog::{Catalog, Mode, SourceId};
use crate::mention::{Mention, MentionGraph, MentionKind};

fn name(at: usize) -> String {
    format!("s{at:02}")
}

/// A catalog of `size` sources with these mentions.
fn world(size: usize, edges: &[(usize, usize)]) -> (Catalog, MentionGraph) {
    let catalog = Catalog::new((0..size).map(|at| inline(&name(at), "")).collect());
    let mut graph = MentionGraph::default();
    let file: Arc<Path> = Arc::from(Path::new("/ws/x"));
    for from in 0..size {
        let targets = edges.iter().filter(|(a, b)| *a == from && a != b);
        let mention = |(_, to): &(usize, usize)| Mention {
            from: name(from).into(),
            to: name(*to).into(),
            via: MentionKind::Id,
            file: file.clone(),
            line: 1,
        };
        graph.insert(name(from).into(), targets.map(mention).collect());
    }
    (catalog, graph)
}

fn choice(picks: &[usize], exclusions: &[usize]) -> Choice {
    let mut choice = Choice::default();
    for at in exclusions {
        choice.exclude(&name(*at));
    }
    for at in picks.iter().filter(|at| !exclusions.contains(at)) {
        choice.pick(&name(*at));
    }
    choice
}

fn ids(selection: &Selection) -> Vec<&str> {
    selection.members().iter().map(|member| member.id.as_str()).collect()
}

fn set(selection: &Selection) -> BTreeSet<&str> {
    ids(selection).into_iter().collect()
}

#[test]
fn order_is_picks_then_levels_in_catalog_order() {
    let (catalog, graph) = world(6, &[(4, 3), (4, 1), (2, 0), (1, 5)]);
    let selection = select(&choice(&[4, 2], &[]), &catalog, &graph, ExpansionRules::default());
    assert_eq!(ids(&selection), ["s04", "s02", "s00", "s01", "s03", "s05"]);
    let depths: Vec<usize> = selection.members().iter().map(|member| member.depth).collect();
    assert_eq!(depths, [0, 0, 1, 1, 1, 2]);
}

#[test]
fn a_chain_is_followed_to_depth_ten() {
    let edges: Vec<_> = (0..15).map(|at| (at, at + 1)).collect();
    let (catalog, graph) = world(16, &edges);
    let selection = select(&choice(&[0], &[]), &catalog, &graph, ExpansionRules::default());
    assert_eq!(selection.members().len(), 1 + MAX_TRANSITIVE_DEPTH);
    assert_eq!(selection.members().last().map(|member| member.id.as_str()), Some("s10"));
}

#[test]
fn cycles_end_and_parents_may_be_deeper() {
    let (catalog, graph) = world(4, &[(0, 1), (1, 2), (2, 0), (2, 1), (3, 3)]);
    let selection = select(&choice(&[0], &[]), &catalog, &graph, ExpansionRules::default());
    assert_eq!(ids(&selection), ["s00", "s01", "s02"]);
    let one = selection.member("s01").unwrap();
    assert_eq!(one.parents, ["s00", "s02"].map(SourceId::from));
    assert_eq!(one.reason, Some("s00".into()));
    assert!(selection.member("s00").unwrap().parents.is_empty(), "a pick needs no reason");
}

#[test]
fn the_reason_is_the_least_deep_parent_first_in_the_catalog() {
    // s03 is mentioned by s00 (depth 2), s01 and s02 (depth 1).
    let (catalog, graph) = world(6, &[(5, 1), (5, 2), (1, 0), (0, 3), (2, 3), (1, 3)]);
    let selection = select(&choice(&[5], &[]), &catalog, &graph, ExpansionRules::default());
    let three = selection.member("s03").unwrap();
    assert_eq!(three.parents, ["s00", "s01", "s02"].map(SourceId::from));
    assert_eq!(three.reason, Some("s01".into()));
}

#[test]
fn exclusions_block_mentions_and_auto_sources_are_not_roots() {
    let (catalog, graph) = world(4, &[(0, 1), (1, 2), (3, 2)]);
    let selection = select(&choice(&[0], &[1]), &catalog, &graph, ExpansionRules::default());
    assert_eq!(ids(&selection), ["s00"]);
    let off = ExpansionRules { transitive: false, ..ExpansionRules::default() };
    assert_eq!(ids(&select(&choice(&[0], &[]), &catalog, &graph, off)), ["s00"]);

    let mut sources = catalog.sources().iter().cloned().collect::<Vec<_>>();
    sources[3].mode = Mode::Auto;
    let catalog = Catalog::new(sources);
    assert_eq!(ids(&select(&choice(&[0], &[1]), &catalog, &graph, ExpansionRules::default())), ["s00"]);
    let from_auto = ExpansionRules { from_auto: true, ..ExpansionRules::default() };
    let selection = select(&choice(&[0], &[1]), &catalog, &graph, from_auto);
    assert_eq!(ids(&selection), ["s00", "s03", "s02"]);
    assert_eq!(selection.member("s03").unwrap().role, Role::AutoRoot);
}

#[test]
fn a_pick_without_a_source_is_dormant() {
    let (catalog, graph) = world(1, &[]);
    let choice = Choice { picks: vec!["gone".into(), "s00".into()], ..Choice::default() };
    let selection = select(&choice, &catalog, &graph, ExpansionRules::default());
    assert_eq!((ids(&selection), selection.dormant()), (vec!["s00"], &["gone".to_owned()][..]));
}

const SIZE: usize = 14;

fn graphs() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..SIZE, 0..SIZE), 0..40)
}

fn some() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..SIZE, 0..6)
}

proptest! {
    #[test]
    fn the_set_does_not_depend_on_the_order_of_picks(edges in graphs(), picks in some(), excluded in some()) {
        let (catalog, graph) = world(SIZE, &edges);
        let forth = select(&choice(&picks, &excluded), &catalog, &graph, ExpansionRules::default());
        let back: Vec<usize> = picks.iter().rev().copied().collect();
        let back = select(&choice(&back, &excluded), &catalog, &graph, ExpansionRules::default());
        prop_assert_eq!(set(&forth), set(&back));
    }

    #[test]
    fn another_pick_never_removes_a_source(edges in graphs(), picks in some(), more in 0..SIZE, excluded in some()) {
        let (catalog, graph) = world(SIZE, &edges);
        let fewer = select(&choice(&picks, &excluded), &catalog, &graph, ExpansionRules::default());
        let all: Vec<usize> = picks.iter().copied().chain([more]).collect();
        let all = select(&choice(&all, &excluded), &catalog, &graph, ExpansionRules::default());
        prop_assert!(set(&fewer).is_subset(&set(&all)));
    }

    #[test]
    fn unpick_after_pick_is_identity(edges in graphs(), picks in some(), more in 0..SIZE) {
        prop_assume!(!picks.contains(&more));
        let (catalog, graph) = world(SIZE, &edges);
        let before = choice(&picks, &[]);
        let mut after = before.clone();
        after.pick(&name(more));
        after.unpick(&name(more));
        prop_assert_eq!(&before, &after);
        let rules = ExpansionRules::default();
        prop_assert_eq!(select(&before, &catalog, &graph, rules), select(&after, &catalog, &graph, rules));
    }

    #[test]
    fn every_transitive_member_has_a_reason_one_level_up_and_is_not_excluded(
        edges in graphs(), picks in some(), excluded in some(),
    ) {
        let (catalog, graph) = world(SIZE, &edges);
        let selection = select(&choice(&picks, &excluded), &catalog, &graph, ExpansionRules::default());
        for member in selection.members() {
            prop_assert!(!selection.is_excluded(member.id.as_str()));
            if member.role == Role::Transitive {
                let reason = selection.member(member.reason.as_ref().unwrap().as_str()).unwrap();
                prop_assert_eq!(reason.depth + 1, member.depth);
                prop_assert!(member.parents.iter().any(|parent| *parent == reason.id));
            }
        }
    }
}
