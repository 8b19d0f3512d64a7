//! The state of a source at the desk, which lists show as a mark before its id.

use super::{Role, Selection};
use crate::catalog::{Catalog, Mode};

/// The state of a source at the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SelectionState {
    /// Picked by a person or an agent.
    Picked,
    /// Pulled in by a selected source.
    Transitive,
    /// Neither picked, pulled in nor excluded.
    Available,
    /// Its path does not exist; takes precedence over the other states.
    Missing,
    /// Always in the instructions.
    Auto,
    /// Excluded from being pulled in.
    Excluded,
    /// Picked, but no longer in the catalog.
    Dormant,
}

impl SelectionState {
    /// All states, in the order of the legend.
    pub const ALL: [Self; 7] =
        [Self::Picked, Self::Transitive, Self::Available, Self::Missing, Self::Auto, Self::Excluded, Self::Dormant];

    /// The state of the source with this id.
    pub fn of(catalog: &Catalog, selection: &Selection, id: &str) -> Self {
        let excluded = selection.is_excluded(id);
        let Some(source) = catalog.get(id) else {
            return if excluded { Self::Excluded } else { Self::Dormant };
        };
        match selection.member(id).map(|member| member.role) {
            Some(_) if source.is_missing() => Self::Missing,
            Some(Role::Picked) => Self::Picked,
            Some(Role::AutoRoot) => Self::Auto,
            // An agent gets it anyway, so being mentioned adds nothing.
            Some(Role::Transitive) if source.mode == Mode::Auto => Self::Auto,
            Some(Role::Transitive) => Self::Transitive,
            None if excluded => Self::Excluded,
            None if source.is_missing() => Self::Missing,
            None if source.mode == Mode::Auto => Self::Auto,
            None => Self::Available,
        }
    }

    /// The mark for terminals that show Unicode.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Picked => "●",
            Self::Transitive => "◐",
            Self::Available => "○",
            Self::Missing => "✕",
            Self::Auto => "◆",
            Self::Excluded => "⊘",
            Self::Dormant => "◌",
        }
    }

    /// The mark for terminals that show only ASCII.
    pub fn ascii_mark(self) -> &'static str {
        match self {
            Self::Picked => "*",
            Self::Transitive => "+",
            Self::Available => "o",
            Self::Missing => "x",
            Self::Auto => "A",
            Self::Excluded => "-",
            Self::Dormant => "?",
        }
    }

    /// A description for the legend.
    pub fn words(self) -> &'static str {
        match self {
            Self::Picked => "picked",
            Self::Transitive => "pulled in",
            Self::Available => "available",
            Self::Missing => "missing",
            Self::Auto => "auto: always in the instructions",
            Self::Excluded => "excluded",
            Self::Dormant => "dormant: picked, gone from the catalog",
        }
    }
}
