//! What is selected and why. The state is two lists, picks and exclusions; everything here is a pure function of them,
//! the catalog and the mention graph (BEHAVIOUR §4).

mod access;
mod choice;
mod closure;
mod excluded;
mod history;
#[cfg(test)]
mod laws;
mod parents;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use access::Access;
pub use closure::{ExpansionRules, reasons, select, unscanned, wanted};
pub use excluded::ExcludedFiles;
pub use history::{History, StepName, UndoOutcome};
pub use parents::Parents;
pub use state::SelectionState;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::catalog::{Mode, Source, SourceId};

/// A source at this depth is selected but not scanned.
pub const MAX_TRANSITIVE_DEPTH: usize = 10;

/// What people and agents chose on a desk: picks and exclusions.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Choice {
    /// Ids picked, in the order they were picked, each once.
    pub picks: Vec<String>,
    /// Ids excluded from being pulled in, in the order they were excluded, each once.
    pub exclusions: Vec<String>,
    /// By pick, the exclusions made for a pick that should not pull in everything; removed together with the pick. All
    /// other exclusions were made by a person and stay.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "or_none")]
    pub excluded_for: BTreeMap<String, BTreeSet<String>>,
}

/// Treats values of another type as empty: of a selection from another program, only picks and exclusions are used.
fn or_none<'de, D: serde::Deserializer<'de>>(value: D) -> Result<BTreeMap<String, BTreeSet<String>>, D::Error> {
    let value = <serde_json::Value as serde::Deserialize>::deserialize(value)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// How a member came into the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A person or an agent picked it.
    Picked,
    /// Mode auto, and the workspace treats auto sources as roots (`transitive_from_auto`).
    AutoRoot,
    /// A selected source mentions it.
    Transitive,
}

/// One selected source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedSource {
    /// Its id.
    pub id: SourceId,
    /// 0 for roots, otherwise the length of the shortest chain of mentions from a root.
    pub depth: usize,
    /// How it came in.
    pub role: Role,
    /// Every selected and scanned source that mentions it, in catalog order; empty unless the member is transitive.
    pub parents: Parents,
    /// The parent shown as the reason: the one with the least depth, then the first in catalog order.
    pub reason: Option<SourceId>,
}

/// The result of picks and exclusions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// In the order of `resolved`: roots in pick order, then depth 1, 2, … each in catalog order.
    members: Vec<SelectedSource>,
    index: HashMap<SourceId, usize>,
    /// Picks that are not in the catalog. They are kept and apply again when the source returns.
    dormant: Vec<String>,
    /// Exclusions in force.
    excluded: Vec<String>,
}

impl Selection {
    /// A selection of these members, in the order of `resolved`.
    pub fn new(members: Vec<SelectedSource>, dormant: Vec<String>, excluded: Vec<String>) -> Self {
        let index = members.iter().enumerate().map(|(at, member)| (member.id.clone(), at)).collect();
        Self { members, index, dormant, excluded }
    }

    /// The selected sources in the order of `resolved`.
    pub fn members(&self) -> &[SelectedSource] {
        &self.members
    }

    /// The member with this id, if it is selected.
    pub fn member(&self, id: &str) -> Option<&SelectedSource> {
        self.index.get(id).and_then(|at| self.members.get(*at))
    }

    /// Whether this source is selected, picked or pulled in.
    pub fn contains(&self, id: &str) -> bool {
        self.index.contains_key(id)
    }

    /// Whether this source was picked.
    pub fn is_picked(&self, id: &str) -> bool {
        self.member(id).is_some_and(|member| member.role == Role::Picked)
    }

    /// Whether this source counts as picked or pulled in. An auto source that is only mentioned does not: agents get it
    /// anyway.
    pub fn counts(&self, source: &Source) -> bool {
        let id = source.id.as_str();
        if source.mode == Mode::Auto { self.is_picked(id) } else { self.contains(id) }
    }

    /// Whether this source is excluded.
    pub fn is_excluded(&self, id: &str) -> bool {
        self.excluded.iter().any(|excluded| excluded == id)
    }

    /// The selection without the members that `is_wanted` rejects.
    #[must_use]
    pub fn only(&self, is_wanted: impl Fn(&SourceId) -> bool) -> Self {
        let members: Vec<SelectedSource> =
            self.members.iter().filter(|member| is_wanted(&member.id)).cloned().collect();
        let index = members.iter().enumerate().map(|(at, member)| (member.id.clone(), at)).collect();
        Self { members, index, dormant: self.dormant.clone(), excluded: self.excluded.clone() }
    }

    /// Picks whose source is not in the catalog.
    pub fn dormant(&self) -> &[String] {
        &self.dormant
    }

    /// The exclusions in force, in the order they were made.
    pub fn excluded(&self) -> &[String] {
        &self.excluded
    }
}
