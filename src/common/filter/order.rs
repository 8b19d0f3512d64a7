//! The sort orders of the catalog and the selection. Each is a stable permutation of the catalog.

use std::cmp::Reverse;

use refdesk_core::catalog::ShortText;
use refdesk_core::selection::SelectionState;
use refdesk_desk::engine::Snapshot;

refdesk_text::worded_enum! {
    #[derive(Default)]
    pub enum Order {
        /// The catalog's own order; with a text filter, the best match first.
        #[default]
        Catalog = "catalog",
        Id = "id",
        Name = "name",
        Kind = "type",
        Mode = "mode",
        /// By all tags; sources without tags last.
        Tags = "tags",
        /// The most tokens first; unknown last.
        Tokens = "tokens",
        /// Selected first, unavailable last.
        State = "state",
    }
}

impl Order {
    /// The next order in the cycle: the catalog's own, the columns from left to right, then the state.
    pub fn next(self) -> Self {
        let after = Self::ALL.into_iter().skip_while(|it| *it != self).nth(1);
        after.unwrap_or_default()
    }

    /// The message after sorting.
    pub fn sentence(self) -> String {
        match self {
            Self::Catalog => "In catalog order".to_owned(),
            _ => format!("Sorted by {}", self.word()),
        }
    }

    /// The catalog's indices in this order; `None` for its own.
    pub fn sequence(self, snapshot: &Snapshot) -> Option<Vec<usize>> {
        let sources = snapshot.catalog.sources();
        let id = |at: &usize| sources.get(*at).map_or("", |source| source.id.as_str());
        let mut sequence: Vec<usize> = (0..sources.len()).collect();
        match self {
            Self::Catalog => return None,
            Self::Id => sequence.sort_by(|one, other| id(one).cmp(id(other))),
            Self::Name => sequence.sort_by_cached_key(|at| sources.get(*at).map(|source| source.name.to_lowercase())),
            Self::Mode => sequence.sort_by_key(|at| sources.get(*at).map(|source| source.mode.word())),
            Self::Tags => sequence.sort_by_cached_key(|at| {
                let tags = sources.get(*at).map_or(&[][..], |source| &source.tags);
                (tags.is_empty(), tags.iter().map(ShortText::to_lowercase).collect::<Vec<_>>())
            }),
            Self::Kind => sequence.sort_by_key(|at| sources.get(*at).map(|source| source.kind.word())),
            Self::Tokens => sequence.sort_by_cached_key(|at| Reverse(snapshot.tokens.get(id(at)).copied())),
            Self::State => {
                sequence
                    .sort_by_cached_key(|at| rank(SelectionState::of(&snapshot.catalog, &snapshot.selection, id(at))));
            }
        }
        Some(sequence)
    }
}

fn rank(state: SelectionState) -> u8 {
    match state {
        SelectionState::Picked => 0,
        SelectionState::Transitive => 1,
        SelectionState::Auto => 2,
        SelectionState::Available => 3,
        SelectionState::Excluded => 4,
        SelectionState::Missing => 5,
        SelectionState::Dormant => 6,
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    use super::*;

    #[test]
    fn orders() {
        let snapshot = fixture::snapshot();
        for (order, first) in [
            (Order::Id, ["circuit-breaker", "error-handling", "java-service"]),
            (Order::Name, ["circuit-breaker", "error-handling", "java-service"]),
            (Order::Kind, ["error-handling", "team-conventions", "circuit-breaker"]),
            (Order::Mode, ["team-conventions", "circuit-breaker", "retry-pattern"]),
            (Order::Tags, ["payments-api", "error-handling", "legacy-errors"]),
            (Order::Tokens, ["java-service", "release-notes", "retry-pattern"]),
            (Order::State, ["circuit-breaker", "retry-pattern", "timeouts"]),
        ] {
            let sequence = order.sequence(&snapshot).unwrap();
            let sources = snapshot.catalog.sources();
            let ids: Vec<&str> = sequence.iter().map(|at| sources[*at].id.as_str()).collect();
            assert_eq!(ids[..3], first, "{order:?}");
            let mut sorted = sequence;
            sorted.sort_unstable();
            assert_eq!(sorted, (0..snapshot.catalog.len()).collect::<Vec<_>>(), "a permutation");
        }
        assert_eq!(Order::Catalog.sequence(&snapshot), None);
        let mut order = Order::Catalog;
        for _ in 0..Order::ALL.len() {
            order = order.next();
        }
        assert_eq!(order, Order::Catalog);
    }
}
