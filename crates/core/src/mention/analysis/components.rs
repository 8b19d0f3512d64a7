//! Cycles: the strongly connected components with more than one source (Tarjan 1972). Iterative, because a chain of
//! mentions may be as long as the catalog.

use super::Adjacency;
use refdesk_text::number::wide;

const UNSEEN: u32 = u32::MAX;

/// A source whose mentions are being followed.
struct OpenSource {
    at: usize,
    next: usize,
}

struct Search<'a> {
    adjacency: &'a Adjacency,
    /// The order in which the sources were first reached.
    reached: Vec<u32>,
    /// The earliest source still on the stack that is reachable from each source.
    lowest: Vec<u32>,
    is_stacked: Vec<bool>,
    stack: Vec<usize>,
    count: u32,
    found: Vec<Vec<usize>>,
}

/// Groups of sources that mention each other, directly or through others: largest first, each in catalog order.
pub(super) fn cycles(adjacency: &Adjacency) -> Vec<Vec<usize>> {
    let len = adjacency.len();
    let mut search = Search {
        adjacency,
        reached: vec![UNSEEN; len],
        lowest: vec![UNSEEN; len],
        is_stacked: vec![false; len],
        stack: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for at in 0..len {
        if search.reached.get(at) == Some(&UNSEEN) {
            search.from(at);
        }
    }
    let mut found = search.found;
    found.iter_mut().for_each(|cycle| cycle.sort_unstable());
    found.sort_unstable_by_key(|cycle| (std::cmp::Reverse(cycle.len()), cycle.first().copied()));
    found
}

impl Search<'_> {
    fn from(&mut self, at: usize) {
        let mut open = vec![self.enter(at)];
        while let Some(OpenSource { at, next }) = open.last_mut() {
            let at = *at;
            match self.adjacency.mentioned(at).get(*next).map(|edge| wide(edge.to)) {
                Some(to) => {
                    *next += 1;
                    if self.reached.get(to) == Some(&UNSEEN) {
                        let entered = self.enter(to);
                        open.push(entered);
                    } else if self.is_stacked.get(to) == Some(&true) {
                        self.lower(at, self.reached.get(to).copied());
                    }
                }
                None => {
                    open.pop();
                    self.leave(at);
                    if let Some(parent) = open.last() {
                        self.lower(parent.at, self.lowest.get(at).copied());
                    }
                }
            }
        }
    }

    fn enter(&mut self, at: usize) -> OpenSource {
        for numbers in [&mut self.reached, &mut self.lowest] {
            numbers.get_mut(at).into_iter().for_each(|number| *number = self.count);
        }
        self.is_stacked.get_mut(at).into_iter().for_each(|is| *is = true);
        self.stack.push(at);
        self.count = self.count.saturating_add(1);
        OpenSource { at, next: 0 }
    }

    fn lower(&mut self, at: usize, to: Option<u32>) {
        if let (Some(lowest), Some(to)) = (self.lowest.get_mut(at), to) {
            *lowest = (*lowest).min(to);
        }
    }

    /// Pops the component off the stack if this source is its root.
    fn leave(&mut self, at: usize) {
        if self.lowest.get(at) != self.reached.get(at) {
            return;
        }
        let start = self.stack.iter().rposition(|stacked| *stacked == at).unwrap_or(0);
        let component = self.stack.split_off(start);
        for at in &component {
            self.is_stacked.get_mut(*at).into_iter().for_each(|is| *is = false);
        }
        if component.len() > 1 {
            self.found.push(component);
        }
    }
}
