//! What stands on the shelf of an agent: the sources that are auto or selected and not missing, each with why, which says how
//! much it matters. Whether one may be read is decided where it is read.

use refdesk_core::catalog::{Kind, Mode, Source, Standing};
use refdesk_core::selection::Role;
use refdesk_desk::engine::Snapshot;
use refdesk_text::tokens;

/// Why a source is on the shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Its mode is auto.
    Auto,
    /// A person or an agent picked it.
    Picked,
    /// So many mentions away from one of these.
    PulledIn(usize),
}

impl Why {
    /// Of this source; `None` where it is not on the shelf.
    pub fn of(snapshot: &Snapshot, source: &Source) -> Option<Self> {
        if source.is_missing() {
            return None;
        }
        match snapshot.selection.member(source.id.as_str()) {
            Some(member) if member.role == Role::Picked => Some(Self::Picked),
            _ if source.mode == Mode::Auto => Some(Self::Auto),
            Some(member) => Some(Self::PulledIn(member.depth)),
            None => None,
        }
    }

    /// From 0 to 1, as the protocol has it: 1 is what should not be left out, and what is pulled in matters less the farther
    /// away it is (at most ten mentions).
    pub fn priority(self) -> f32 {
        match self {
            Self::Auto => 1.0,
            Self::Picked => 0.9,
            Self::PulledIn(depth) => {
                let depth = u8::try_from(depth.clamp(1, 10)).unwrap_or(10);
                f32::from(90 - 8 * depth) / 100.0
            }
        }
    }
}

/// What is on the shelf, in catalog order.
pub fn on_shelf(snapshot: &Snapshot) -> impl Iterator<Item = (&Source, Why)> {
    snapshot.catalog.sources().iter().filter_map(|source| Some((source, Why::of(snapshot, source)?)))
}

/// What a source costs in estimated tokens, as far as that is known without looking at the disk.
pub fn price(snapshot: &Snapshot, source: &Source) -> Option<u64> {
    let known = snapshot.tokens.get(source.id.as_str()).copied();
    known.or_else(|| match &source.kind {
        Kind::Inline { content } => Some(tokens::of_prose(content.len() as u64)),
        Kind::Local(place) if place.standing == Standing::File => Some(tokens::of_file(&place.path, place.size)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearer_matters_more() {
        let ladder: Vec<f32> =
            [Why::Auto, Why::Picked].into_iter().chain((1..=10).map(Why::PulledIn)).map(Why::priority).collect();
        assert!(ladder.windows(2).all(|pair| pair[0] > pair[1]), "{ladder:?}");
        assert!(ladder.iter().all(|priority| (0.0..=1.0).contains(priority)), "{ladder:?}");
    }
}
