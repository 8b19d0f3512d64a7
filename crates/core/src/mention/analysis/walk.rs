//! Paths through the graph: how far away sources are, and the shortest path from one source to another.

use super::Adjacency;
use refdesk_text::number::{narrow, wide};

const UNSEEN: u32 = u32::MAX;

/// The direction in which mentions are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the mentioned sources.
    Mentioned,
    /// To the mentioning sources.
    Mentioning,
}

impl Adjacency {
    /// The positions one step away.
    fn next(&self, at: usize, direction: Direction) -> impl Iterator<Item = usize> + '_ {
        let (mentioned, mentioning) = match direction {
            Direction::Mentioned => (self.mentioned(at), &[][..]),
            Direction::Mentioning => (&[][..], self.mentioning(at)),
        };
        mentioned.iter().map(|edge| wide(edge.to)).chain(mentioning.iter().map(|from| wide(*from)))
    }
}

/// The sources at each distance from this one, which is not included: first those one step away, then two, up to
/// `most`. Each level is in catalog order and not empty.
pub fn levels(adjacency: &Adjacency, from: usize, direction: Direction, most: usize) -> Vec<Vec<usize>> {
    let mut is_seen = vec![false; adjacency.len()];
    is_seen.get_mut(from).into_iter().for_each(|seen| *seen = true);
    let mut levels: Vec<Vec<usize>> = Vec::new();
    let mut last = vec![from];
    while levels.len() < most {
        let mut level = Vec::new();
        for at in last {
            for to in adjacency.next(at, direction) {
                if let Some(seen @ false) = is_seen.get_mut(to) {
                    *seen = true;
                    level.push(to);
                }
            }
        }
        if level.is_empty() {
            break;
        }
        level.sort_unstable();
        levels.push(level.clone());
        last = level;
    }
    levels
}

/// The shortest path of mentions from one source to another, including both; of several, the first in catalog order.
/// `None` if there is no path.
pub fn shortest_path(adjacency: &Adjacency, from: usize, to: usize) -> Option<Vec<usize>> {
    let mut reached_from = vec![UNSEEN; adjacency.len()];
    *reached_from.get_mut(from)? = narrow(from);
    let mut level = vec![from];
    while !level.is_empty() && reached_from.get(to) == Some(&UNSEEN) {
        let mut next = Vec::new();
        for at in level {
            for target in adjacency.next(at, Direction::Mentioned) {
                if let Some(parent @ &mut UNSEEN) = reached_from.get_mut(target) {
                    *parent = narrow(at);
                    next.push(target);
                }
            }
        }
        level = next;
    }
    let mut way = vec![to];
    let mut at = to;
    while at != from {
        at = reached_from.get(at).filter(|parent| **parent != UNSEEN).map(|parent| wide(*parent))?;
        way.push(at);
    }
    way.reverse();
    Some(way)
}
