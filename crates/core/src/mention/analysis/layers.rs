//! Layers for drawing the graph: mentions lead from left to right, except those that close a cycle. Within a layer,
//! sources are placed near those they are connected to, so that fewer lines cross (Sugiyama, Tagawa and Toda 1981).

use super::Adjacency;
use refdesk_text::number::wide;

/// Number of passes, forward and back, that improve the order within the layers.
const SWEEPS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    /// Its mentions are being followed.
    Open,
    Done,
}

/// The sources with mentions in either direction, in layers from left to right, each from top to bottom.
pub fn layers(adjacency: &Adjacency) -> Vec<Vec<usize>> {
    let (order, is_back) = without_cycles(adjacency);
    let mut layer_of = vec![0; adjacency.len()];
    for at in order {
        let own = layer_of.get(at).copied().unwrap_or(0);
        for edge in adjacency.mentioned(at).iter().filter(|edge| !is_back(at, wide(edge.to))) {
            if let Some(layer) = layer_of.get_mut(wide(edge.to)) {
                *layer = (*layer).max(own + 1);
            }
        }
    }
    let mut layers: Vec<Vec<usize>> = Vec::new();
    for (at, layer) in layer_of.iter().enumerate() {
        if adjacency.mentioned(at).is_empty() && adjacency.mentioning(at).is_empty() {
            continue;
        }
        if layers.len() <= *layer {
            layers.resize_with(*layer + 1, Vec::new);
        }
        layers.get_mut(*layer).into_iter().for_each(|layer| layer.push(at));
    }
    for sweep in 0..SWEEPS {
        arrange(adjacency, &mut layers, sweep % 2 == 0);
    }
    layers
}

/// A topological order of the sources (each precedes those it mentions), and the mentions ignored to make one possible.
fn without_cycles(adjacency: &Adjacency) -> (Vec<usize>, impl Fn(usize, usize) -> bool) {
    let len = adjacency.len();
    let mut visits = vec![VisitState::New; len];
    let mut back: Vec<(usize, usize)> = Vec::new();
    let mut order = Vec::with_capacity(len);
    // Sources that nothing mentions are leftmost.
    let (roots, others): (Vec<usize>, Vec<usize>) = (0..len).partition(|at| adjacency.mentioning(*at).is_empty());
    for root in roots.into_iter().chain(others) {
        if visits.get(root) != Some(&VisitState::New) {
            continue;
        }
        let mut open = vec![(root, 0)];
        visits.get_mut(root).into_iter().for_each(|visit| *visit = VisitState::Open);
        while let Some((at, next)) = open.last_mut() {
            let at = *at;
            let Some(to) = adjacency.mentioned(at).get(*next).map(|edge| wide(edge.to)) else {
                open.pop();
                visits.get_mut(at).into_iter().for_each(|visit| *visit = VisitState::Done);
                order.push(at);
                continue;
            };
            *next += 1;
            match visits.get_mut(to) {
                Some(visit @ &mut VisitState::New) => {
                    *visit = VisitState::Open;
                    open.push((to, 0));
                }
                Some(VisitState::Open) => back.push((at, to)),
                _ => {}
            }
        }
    }
    order.reverse();
    back.sort_unstable();
    (order, move |from, to| back.binary_search(&(from, to)).is_ok())
}

/// Orders each layer by the mean position of the connected sources in the layers before it, or in those after it.
fn arrange(adjacency: &Adjacency, layers: &mut [Vec<usize>], forward: bool) {
    let mut positions = vec![0.0_f64; adjacency.len()];
    let place = |positions: &mut Vec<f64>, layer: &[usize]| {
        let middle = (layer.len() as f64 - 1.0) / 2.0;
        for (nth, at) in layer.iter().enumerate() {
            positions.get_mut(*at).into_iter().for_each(|position| *position = nth as f64 - middle);
        }
    };
    layers.iter().for_each(|layer| place(&mut positions, layer));
    let mut order: Vec<&mut Vec<usize>> = layers.iter_mut().collect();
    if !forward {
        order.reverse();
    }
    for layer in order {
        let mean = |at: usize| {
            let near: Vec<usize> = if forward {
                adjacency.mentioning(at).iter().map(|from| wide(*from)).collect()
            } else {
                adjacency.mentioned(at).iter().map(|edge| wide(edge.to)).collect()
            };
            let own = positions.get(at).copied().unwrap_or(0.0);
            if near.is_empty() {
                return own;
            }
            near.iter().filter_map(|at| positions.get(*at)).sum::<f64>() / near.len() as f64
        };
        let mut placed: Vec<(f64, usize)> = layer.iter().map(|at| (mean(*at), *at)).collect();
        placed.sort_by(|one, other| one.0.total_cmp(&other.0));
        *layer = placed.into_iter().map(|(_, at)| at).collect();
        place(&mut positions, layer);
    }
}
