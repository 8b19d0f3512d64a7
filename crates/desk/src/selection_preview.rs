//! Previews a choice: which sources would enter and leave the selection, and what that costs. The closure is the same
//! as for the choice itself, so the two cannot differ.

use super::Desk;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{self, Choice, Selection};

/// What picking or excluding a source would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectionPreview {
    /// The id of the source.
    pub id: String,
    /// Picking it, or unpicking it if it is picked.
    pub toggled: SelectionChange,
    /// Excluding it, or including it if it is excluded.
    pub barred: SelectionChange,
}

/// A difference between two selections, in the order of the selection, including the source itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectionChange {
    /// Sources that would enter.
    pub enters: Vec<SourceId>,
    /// Sources that would leave.
    pub leaves: Vec<SourceId>,
    /// Estimated tokens of those that would enter, as far as known.
    pub tokens_in: u64,
    /// Estimated tokens of those that would leave.
    pub tokens_out: u64,
}

impl Desk {
    /// What picking or excluding this source would change, as far as documents were read.
    pub fn preview_selection(&self, id: &str) -> SelectionPreview {
        let is_picked = self.choice.picks.iter().any(|pick| pick == id);
        let is_excluded = self.choice.exclusions.iter().any(|excluded| excluded == id);
        let toggled = self.follows(|choice| if is_picked { choice.unpick(id) } else { choice.pick(id) });
        let barred = self.follows(|choice| if is_excluded { choice.include(id) } else { choice.exclude(id) });
        SelectionPreview { id: id.to_owned(), toggled, barred }
    }

    /// What picking all these at once would change.
    pub fn preview_picks(&self, ids: &[SourceId]) -> SelectionChange {
        self.follows(|choice| ids.iter().fold(false, |changed, id| choice.pick(id.as_str()) | changed))
    }

    fn follows(&self, change: impl FnOnce(&mut Choice) -> bool) -> SelectionChange {
        let mut choice = self.choice.clone();
        if !change(&mut choice) {
            return SelectionChange::default();
        }
        let after = selection::select(&choice, &self.catalog, &self.graph, self.rules());
        let only_in = |one: &Selection, other: &Selection| -> Vec<SourceId> {
            let ids = one.members().iter().map(|member| &member.id);
            ids.filter(|id| !other.contains(id.as_str())).cloned().collect()
        };
        let tokens = |ids: &[SourceId]| ids.iter().filter_map(|id| self.tokens.get(id.as_str())).sum();
        let (enters, leaves) = (only_in(&after, &self.selection), only_in(&self.selection, &after));
        SelectionChange { tokens_in: tokens(&enters), tokens_out: tokens(&leaves), enters, leaves }
    }
}
