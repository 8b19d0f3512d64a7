//! The state of every source, by index. Computed once for a filter that needs it.

use refdesk_core::catalog::{Mode, Source};
use refdesk_core::selection::Role;
use refdesk_desk::engine::Snapshot;

use crate::common::filter::query::StatusWord;

/// Members and exclusions; every other source's state follows from its catalog entry.
#[derive(Debug, Default)]
pub struct SourceStates {
    known: Vec<Membership>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Membership {
    member: Option<Role>,
    excluded: bool,
}

impl SourceStates {
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut known = vec![Membership::default(); snapshot.catalog.len()];
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

    /// Whether this word describes the state of the source at `at`.
    pub fn is(&self, at: usize, source: &Source, word: StatusWord) -> bool {
        let known = self.known.get(at).copied().unwrap_or_default();
        match word {
            StatusWord::Selected => known.member.is_some(),
            StatusWord::Picked => known.member == Some(Role::Picked),
            StatusWord::Pulled => known.member == Some(Role::Transitive),
            StatusWord::Auto => source.mode == Mode::Auto,
            StatusWord::Missing => source.is_missing(),
            StatusWord::Untrusted => source.is_untrusted(),
            StatusWord::Excluded => known.excluded,
            StatusWord::Available => {
                known.member.is_none() && !known.excluded && !source.is_missing() && source.mode != Mode::Auto
            }
            // Dormant picks are not in the catalog.
            StatusWord::Dormant => false,
        }
    }
}
