//! Laws of the computations over random graphs, against the plain definitions, and a few examples.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Adjacency, ClosureWeight, Direction, GraphAnalysis, SourceWeight, levels, shortest_path, weights};
use crate::catalog::testing::inline;
use crate::catalog::{Catalog, Mode, SourceId};
use crate::mention::{Mention, MentionGraph, MentionKind};
use crate::selection::{Choice, ExpansionRules, Role, select};

type Edges = Vec<(usize, usize)>;

fn name(at: usize) -> String {
    format!("s{at:03}")
}

/// A catalog of `size` sources with these mentions; the line of a mention is its number.
fn world(size: usize, edges: &[(usize, usize)]) -> (Arc<Catalog>, Arc<MentionGraph>) {
    let catalog = Catalog::new((0..size).map(|at| inline(&name(at), "")).collect());
    let mut graph = MentionGraph::default();
    for from in 0..size {
        let targets = edges.iter().filter(|(a, _)| *a == from).enumerate();
        let mention = |(nth, (_, to)): (usize, &(usize, usize))| Mention {
            from: name(from).into(),
            to: name(*to).into(),
            via: MentionKind::Id,
            file: Arc::from(Path::new(if nth < 3 { "/ws/a" } else { "/ws/b" })),
            line: nth + 1,
        };
        graph.insert(name(from).into(), targets.map(mention).collect());
    }
    (Arc::new(catalog), Arc::new(graph))
}

fn adjacency(size: usize, edges: &[(usize, usize)]) -> Adjacency {
    let (catalog, graph) = world(size, edges);
    Adjacency::of(&catalog, &graph)
}

/// The distance from each source to each other, if it is at most `depth` steps.
fn reaches(size: usize, edges: &[(usize, usize)], depth: usize) -> Vec<Vec<Option<usize>>> {
    let from = |start: usize| {
        let mut distance = vec![None; size];
        distance[start] = Some(0);
        for step in 1..=depth {
            for (from, to) in edges {
                if distance[*from] == Some(step - 1) && distance[*to].is_none() {
                    distance[*to] = Some(step);
                }
            }
        }
        distance
    };
    (0..size).map(from).collect()
}

#[test]
fn examples_of_cycles() {
    for (size, edges, cycles) in [
        (3, vec![(0, 1), (1, 2)], vec![]),
        (3, vec![(0, 0), (1, 1)], vec![]),
        (5, vec![(3, 4), (4, 3), (0, 1), (1, 2), (2, 0), (2, 3)], vec![vec![0, 1, 2], vec![3, 4]]),
        (4, vec![(0, 1), (1, 0), (1, 2), (2, 1), (2, 3)], vec![vec![0, 1, 2]]),
    ] {
        assert_eq!(super::cycles(&adjacency(size, &edges)), cycles, "{edges:?}");
    }
    let long = 5_000;
    let ring: Edges = (0..long).map(|at| (at, (at + 1) % long)).collect();
    let (catalog, mut graph) =
        (Catalog::new((0..long).map(|at| inline(&name(at), "")).collect()), MentionGraph::default());
    let file: Arc<Path> = Arc::from(Path::new("/ws/a"));
    let mention =
        |to: usize| Mention { from: "".into(), to: name(to).into(), via: MentionKind::Id, file: file.clone(), line: 1 };
    ring.iter().for_each(|(from, to)| graph.insert(name(*from).into(), std::iter::once(mention(*to)).collect()));
    assert_eq!(super::cycles(&Adjacency::of(&catalog, &graph)).len(), 1, "a cycle as long as the catalog");
}

#[test]
fn examples_of_ways() {
    let edges = vec![(0, 1), (1, 2), (2, 3), (0, 4), (4, 3), (3, 0)];
    for (from, to, way) in [
        (0, 3, Some(vec![0, 4, 3])),
        (3, 2, Some(vec![3, 0, 1, 2])),
        (1, 1, Some(vec![1])),
        (0, 5, None),
        (9, 0, None),
        (0, 9, None),
    ] {
        assert_eq!(shortest_path(&adjacency(6, &edges), from, to), way, "{from} to {to}");
    }
}

#[test]
fn the_first_mention_of_an_edge_is_found_in_its_file() {
    let (catalog, graph) = world(4, &[(0, 1), (0, 2), (0, 1), (0, 3), (0, 3)]);
    let adjacency = Adjacency::of(&catalog, &graph);
    let at = |to| {
        let mention = adjacency.first_mention(&catalog, &graph, 0, to)?;
        Some((mention.to.to_string(), mention.file.display().to_string(), mention.line, adjacency.edge(0, to)?.count))
    };
    assert_eq!(at(1), Some((name(1), "/ws/a".to_owned(), 1, 2)));
    assert_eq!(at(2), Some((name(2), "/ws/a".to_owned(), 2, 1)));
    assert_eq!(at(3), Some((name(3), "/ws/b".to_owned(), 4, 2)));
    assert_eq!((at(0), adjacency.mentioning(3)), (None, &[0][..]));
}

#[test]
fn auto_sources_are_not_counted_but_followed() {
    let (catalog, graph) = world(4, &[(0, 1), (1, 2), (2, 3)]);
    let mut sources: Vec<_> = catalog.sources().iter().cloned().collect();
    sources[1].mode = Mode::Auto;
    let tokens: HashMap<SourceId, u64> = (0..4).map(|at| (name(at).into(), 10 << at)).collect();
    let of = |exclusions: &[String], rules| {
        let catalog = Arc::new(Catalog::new(sources.clone()));
        GraphAnalysis::of(catalog, graph.clone(), &tokens, exclusions, rules).weights
    };
    let weight = |sources, tokens| ClosureWeight { sources, tokens };
    let all = [weight(2, 120), weight(2, 120), weight(1, 80), weight(0, 0)];
    assert_eq!(of(&[], ExpansionRules::default()), all);
    let [_, _, third, last] = all;
    let excluded = [weight(0, 0), weight(0, 0), third, last];
    assert_eq!(of(&[name(2)], ExpansionRules::default()), excluded, "but its own pick brings what it mentions");
    let off = ExpansionRules { transitive: false, ..ExpansionRules::default() };
    assert_eq!(of(&[], off), [ClosureWeight::default(); 4]);
}

const SIZE: usize = 14;

fn graphs() -> impl Strategy<Value = Edges> {
    prop::collection::vec((0..SIZE, 0..SIZE), 0..40)
}

proptest! {
    #[test]
    fn an_edge_is_there_in_both_directions(edges in graphs()) {
        let adjacency = adjacency(SIZE, &edges);
        for from in 0..SIZE {
            for to in 0..SIZE {
                let count = edges.iter().filter(|edge| **edge == (from, to) && from != to).count();
                prop_assert_eq!(adjacency.edge(from, to).map_or(0, |edge| edge.count as usize), count);
                prop_assert_eq!(adjacency.mentioning(to).contains(&(from as u32)), count > 0);
            }
        }
    }

    #[test]
    fn sources_are_in_a_cycle_together_if_each_reaches_the_other(edges in graphs()) {
        let cycles = super::cycles(&adjacency(SIZE, &edges));
        let reaches = reaches(SIZE, &edges, SIZE);
        for (one, other) in (0..SIZE).flat_map(|one| (0..SIZE).map(move |other| (one, other))) {
            let together = cycles.iter().any(|cycle| cycle.contains(&one) && cycle.contains(&other));
            let is_there_and_back = reaches[one][other].is_some() && reaches[other][one].is_some();
            prop_assert!(one == other || together == is_there_and_back, "{one} and {other}");
        }
        prop_assert!(cycles.iter().map(Vec::len).sum::<usize>() <= SIZE, "no source is in two");
    }

    #[test]
    fn levels_and_ways_are_shortest(edges in graphs(), from in 0..SIZE) {
        let adjacency = adjacency(SIZE, &edges);
        let reaches = reaches(SIZE, &edges, SIZE);
        let there = levels(&adjacency, from, Direction::Mentioned, SIZE);
        let back = levels(&adjacency, from, Direction::Mentioning, SIZE);
        for other in (0..SIZE).filter(|other| *other != from) {
            let level = |levels: &[Vec<usize>]| levels.iter().position(|level| level.contains(&other)).map(|at| at + 1);
            prop_assert_eq!(level(&there), reaches[from][other]);
            prop_assert_eq!(level(&back), reaches[other][from]);
            let way = shortest_path(&adjacency, from, other);
            prop_assert_eq!(way.as_ref().map(|way| way.len() - 1), reaches[from][other]);
            for step in way.unwrap_or_default().windows(2) {
                prop_assert!(edges.contains(&(step[0], step[1])));
            }
        }
    }

    #[test]
    fn a_weight_is_that_of_the_selection_of_one_pick(
        edges in graphs(), excluded in prop::collection::vec(0..SIZE, 0..4),
        prices in prop::collection::vec(prop::option::of(0..5000u64), SIZE),
    ) {
        let (catalog, graph) = world(SIZE, &edges);
        let tokens: HashMap<SourceId, u64> =
            prices.iter().enumerate().filter_map(|(at, price)| Some((name(at).into(), (*price)?))).collect();
        let exclusions: Vec<String> = excluded.iter().map(|at| name(*at)).collect();
        let rules = ExpansionRules::default();
        let found = GraphAnalysis::of(catalog.clone(), graph.clone(), &tokens, &exclusions, rules);
        for at in 0..SIZE {
            let mut choice = Choice { exclusions: exclusions.clone(), ..Choice::default() };
            choice.pick(&name(at));
            let selection = select(&choice, &catalog, &graph, rules);
            let brought = || selection.members().iter().filter(|member| member.role == Role::Transitive);
            let tokens: u64 = brought().filter_map(|member| tokens.get(&member.id)).sum();
            // Picking an excluded source lifts its exclusion, which matters only to itself.
            let expected = ClosureWeight { sources: u32::try_from(brought().count()).unwrap(), tokens };
            prop_assert_eq!(found.weights[at], expected, "{}", name(at));
        }
    }

    #[test]
    fn every_mention_leads_to_a_later_layer_unless_it_closes_a_cycle(edges in graphs()) {
        let adjacency = adjacency(SIZE, &edges);
        let layers = super::layers(&adjacency);
        let mut placed: Vec<usize> = layers.iter().flatten().copied().collect();
        placed.sort_unstable();
        let connected = |at: &usize| !adjacency.mentioned(*at).is_empty() || !adjacency.mentioning(*at).is_empty();
        prop_assert_eq!(placed, (0..SIZE).filter(connected).collect::<Vec<_>>());
        prop_assert!(layers.iter().all(|layer| !layer.is_empty()));
        let cycles = super::cycles(&adjacency);
        let layer = |at: usize| layers.iter().position(|layer| layer.contains(&at));
        for (from, to) in edges.iter().filter(|(from, to)| from != to) {
            let closes = cycles.iter().any(|cycle| cycle.contains(from) && cycle.contains(to));
            prop_assert!(closes || layer(*from) < layer(*to), "{from} to {to}: {layers:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    #[test]
    fn weights_do_not_depend_on_blocks(edges in prop::collection::vec((0..1300usize, 0..1300usize), 0..2500), depth in 0..11usize) {
        let size = 1300;
        let adjacency = adjacency(size, &edges);
        let price = |at: usize| 3 + at as u64 % 7;
        let sources: Vec<SourceWeight> =
            (0..size).map(|at| SourceWeight { tokens: price(at), counts: true, excluded: false }).collect();
        let found = weights(&adjacency, &sources, depth);
        for at in (0..size).step_by(97) {
            let reached: Vec<usize> =
                levels(&adjacency, at, Direction::Mentioned, depth).into_iter().flatten().collect();
            let tokens = reached.iter().map(|at| price(*at)).sum();
            prop_assert_eq!(found[at], ClosureWeight { sources: u32::try_from(reached.len()).unwrap(), tokens });
        }
    }
}

#[test]
fn hubs_are_mentioned_by_three_and_the_most_of_a_tenth_or_ten() {
    let star = |hub: usize, by: std::ops::Range<usize>| by.map(move |from| (from, hub));
    for (size, edges, expected) in [
        (9, star(0, 3..5).collect::<Edges>(), vec![]),
        (9, star(0, 3..6).chain(star(1, 3..7)).collect(), vec![1, 0]),
        (9, [(3, 0), (3, 0), (3, 0), (4, 0)].to_vec(), vec![]),
        (60, (0..15).flat_map(|hub| star(hub, 20..40)).collect(), (0..10).collect()),
        (200, (0..50).flat_map(|hub| star(hub, 60..63 + hub)).collect(), (30..50).rev().collect()),
    ] {
        let (catalog, graph) = world(size, &edges);
        let analysis = GraphAnalysis::of(catalog, graph, &HashMap::new(), &[], ExpansionRules::default());
        assert_eq!(analysis.hubs(), expected, "{edges:?}");
    }
}
