//! How every source of a catalog stands, by its place: worked out once for a filter that asks, from the few that are chosen.

use crate::catalog::{Mode, Source};
use crate::engine::Snapshot;
use crate::selection::Role;

use super::query::Word;

/// What is known of chosen and barred sources; all others stand as their entry says.
#[derive(Debug, Default)]
pub struct Standings {
    known: Vec<Known>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    member: Option<Role>,
    excluded: bool,
}

impl Standings {
    /// Of this snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut known = vec![Known::default(); snapshot.catalog.len()];
        for member in snapshot.selection.members() {
            let place = snapshot.catalog.position(member.id.as_str()).and_then(|at| known.get_mut(at));
            if let Some(known) = place {
                known.member = Some(member.role);
            }
        }
        for id in snapshot.selection.excluded() {
            if let Some(known) = snapshot.catalog.position(id).and_then(|at| known.get_mut(at)) {
                known.excluded = true;
            }
        }
        Self { known }
    }

    /// Whether this word says how the source at `at` stands.
    pub fn is(&self, at: usize, source: &Source, word: Word) -> bool {
        let known = self.known.get(at).copied().unwrap_or_default();
        match word {
            Word::Selected => known.member.is_some(),
            Word::Picked => known.member == Some(Role::Picked),
            Word::Pulled => known.member == Some(Role::Transitive),
            Word::Auto => source.mode == Mode::Auto,
            Word::Missing => source.is_missing(),
            Word::Excluded => known.excluded,
            Word::Available => {
                known.member.is_none() && !known.excluded && !source.is_missing() && source.mode != Mode::Auto
            }
            // What is dormant is in no catalog.
            Word::Dormant => false,
        }
    }
}
