//! Previews a choice: which sources would enter and leave the selection, and what that costs. The closure is computed
//! as for the choice itself, so the two cannot differ.

use std::collections::{HashMap, HashSet};

use super::Desk;
use super::price::CostChange;
use refdesk_core::catalog::{Mode, Source, SourceId};
use refdesk_core::selection::{Choice, Role, Selection};

/// What picking or excluding a source would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectionPreview {
    /// The id of the source.
    pub id: String,
    /// Picking it, or unpicking it if it is already picked.
    pub toggled: SelectionChange,
    /// Excluding it, or including it if it is already excluded.
    pub excluded: SelectionChange,
    /// The number of exclusions made for its pick, which would be lifted with it.
    pub lifted: usize,
}

/// The difference between two selections, in the order of the selection, including the source itself. Unpicked sources
/// of mode auto are left out, since an agent gets them in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectionChange {
    /// Sources that would enter.
    pub enters: Vec<SourceId>,
    /// Sources that would leave.
    pub leaves: Vec<SourceId>,
    /// The additional cost for an agent. For a single source, `sources` is its price in lists.
    pub cost: CostChange,
    /// Sources that are selected, wait for trust, and would be trusted as they are now by the pick.
    pub trusts: Vec<SourceId>,
}

/// If a pick would add more sources than this, ask first.
const MANY_SOURCES: usize = 10;
/// If a pick would add more tokens than this, ask first.
const MANY_TOKENS: u64 = 10_000;
/// The most exclusions, counted for each pick, that a smaller size of several picks may make.
const MAX_EXCLUSIONS: usize = 10_000;

impl SelectionChange {
    /// Whether changing `asked` would add more than 10,000 tokens, or more than 10 other sources or 10,000 of their
    /// tokens.
    pub fn is_large(&self, asked: &[SourceId], tokens: &HashMap<SourceId, u64>) -> bool {
        let adds = u64::try_from(self.cost.sources).unwrap_or(0);
        adds > MANY_TOKENS
            || [&self.enters, &self.leaves].into_iter().any(|ids| {
                let others = ids.iter().filter(|id| !asked.contains(id));
                let price: u64 = others.clone().filter_map(|id| tokens.get(id.as_str())).sum();
                others.count() > MANY_SOURCES || price > MANY_TOKENS
            })
    }
}

/// Three sizes of a large pick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargePick {
    /// The ids of the sources.
    pub ids: Vec<SourceId>,
    /// The pick with everything it would pull in.
    pub whole: SelectionChange,
    /// The pick with only its direct mentions.
    pub near: SelectionChange,
    /// The pick alone.
    pub alone: SelectionChange,
    /// How many sources `near` and `alone` exclude.
    pub excludes: [usize; 2],
}

/// What can be done with several sources at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkPreview {
    /// The number of sources.
    pub sources: usize,
    /// Picking those that are neither picked, excluded nor missing.
    pub pick: BulkChange,
    /// Unpicking those that are picked.
    pub unpick: BulkChange,
    /// Excluding those that the user has not excluded.
    pub exclude: BulkChange,
    /// Including those that are excluded.
    pub include: BulkChange,
}

/// One change of several sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkChange {
    /// The ids of the sources it applies to.
    pub ids: Vec<SourceId>,
    /// What it would change.
    pub change: SelectionChange,
}

impl Desk {
    /// The three sizes of a large pick; `None` for a smaller one, and for several sources that pull in so much that a smaller
    /// size would exclude too many for each of them.
    pub fn large_pick(&mut self, ids: &[SourceId]) -> Option<LargePick> {
        let whole = self.preview_picks(ids);
        let exclusions = ids.len().saturating_mul(whole.enters.len());
        if !whole.is_large(ids, &self.tokens) || (ids.len() > 1 && exclusions > MAX_EXCLUSIONS) {
            return None;
        }
        Some(self.sizes(ids, whole))
    }

    /// The three sizes of any pick; `None` if one of its sources does not exist, or if all are missing and cannot be picked.
    pub(crate) fn pick_sizes(&mut self, ids: &[SourceId]) -> Option<LargePick> {
        let mut sources = ids.iter().map(|id| self.catalog.get(id.as_str()));
        if sources.clone().any(|source| source.is_none())
            || sources.all(|source| source.is_some_and(Source::is_missing))
        {
            return None;
        }
        let whole = self.preview_picks(ids);
        Some(self.sizes(ids, whole))
    }

    fn sizes(&mut self, ids: &[SourceId], whole: SelectionChange) -> LargePick {
        let [(near, beyond), (alone, others)] = [1, 0].map(|depth| self.follow_within(ids, depth));
        LargePick { ids: ids.to_vec(), whole, near, alone, excludes: [beyond, others] }
    }

    /// What a pick limited to mentions up to this depth would change, and how many sources it would exclude.
    fn follow_within(&mut self, ids: &[SourceId], depth: usize) -> (SelectionChange, usize) {
        let too_far = self.beyond_depth(ids, depth);
        let change = self.follows(ids, |choice| {
            let picked = pick_all(choice, ids);
            for (id, too_far) in ids.iter().flat_map(|id| too_far.iter().map(move |too_far| (id, too_far))) {
                choice.exclude_for(id.as_str(), too_far.as_str());
            }
            picked
        });
        (change, too_far.len())
    }

    /// The sources to exclude so that a pick pulls in nothing more than `depth` mentions away.
    pub(super) fn beyond_depth(&mut self, ids: &[SourceId], depth: usize) -> Vec<SourceId> {
        let mut choice = self.choice.clone();
        pick_all(&mut choice, ids);
        let mut too_far = Vec::new();
        loop {
            let after = self.select_with(&choice);
            let enters = |id: &SourceId| !self.selection.contains(id.as_str());
            let far = after.members().iter().filter(|member| member.depth > depth && enters(&member.id));
            // Exclude those just beyond the limit; what only they mention then stays out, too.
            let Some(nearest) = far.clone().map(|member| member.depth).min() else { return too_far };
            let ids: Vec<SourceId> =
                far.filter(|member| member.depth == nearest).map(|member| member.id.clone()).collect();
            for id in &ids {
                choice.exclude(id.as_str());
            }
            too_far.extend(ids);
        }
    }

    /// Sources that are already excluded for other picks, and must stay excluded for this one if those picks are
    /// removed.
    pub(super) fn shared_exclusions(&mut self, ids: &[SourceId], depth: usize) -> Vec<SourceId> {
        let exclusions = self.choice.exclusions.iter();
        let by_person = exclusions.filter(|id| self.choice.is_excluded_by_user(id)).cloned().collect();
        let picks = ids.iter().map(ToString::to_string).collect();
        let alone = Choice { picks, exclusions: by_person, ..Choice::default() };
        let after = self.select_with(&alone);
        let far = after.members().iter().filter(|member| member.depth > depth).map(|member| &member.id);
        far.filter(|id| self.choice.exclusions.iter().any(|exclusion| exclusion == id.as_str())).cloned().collect()
    }

    /// What picking or excluding this source would change. Like the other previews, reads the documents this depends
    /// on.
    pub fn preview_selection(&mut self, id: &str) -> SelectionPreview {
        let is_picked = self.choice.picks.iter().any(|pick| pick == id);
        let is_excluded = self.choice.exclusions.iter().any(|excluded| excluded == id);
        let toggled = match is_picked {
            true => self.follows(&[], |choice| choice.unpick(id)),
            false => self.preview_picks(&[id.into()]),
        };
        let barred = self.follows(&[], |choice| if is_excluded { choice.include(id) } else { choice.exclude(id) });
        let mut unpicked = self.choice.clone();
        unpicked.unpick(id);
        let lifted = self.choice.exclusions.len().saturating_sub(unpicked.exclusions.len());
        SelectionPreview { id: id.to_owned(), toggled, excluded: barred, lifted }
    }

    /// What picking all these sources together would change.
    pub(crate) fn preview_picks(&mut self, ids: &[SourceId]) -> SelectionChange {
        self.follows(ids, |choice| pick_all(choice, ids))
    }

    /// What can be done with all these sources. A source of mode auto cannot be picked, and can be excluded only if it
    /// pulls in others, because an agent gets it in any case.
    pub(crate) fn preview_bulk(&mut self, ids: &[SourceId]) -> BulkPreview {
        let [picks, exclusions] = [&self.choice.picks, &self.choice.exclusions]
            .map(|ids| ids.iter().map(String::as_str).collect::<HashSet<_>>());
        let is_picked = |id: &SourceId| picks.contains(id.as_str());
        let is_excluded = |id: &SourceId| exclusions.contains(id.as_str());
        let of = |wanted: &dyn Fn(&SourceId) -> bool| ids.iter().filter(|id| wanted(id)).cloned().collect::<Vec<_>>();
        let source = |id: &SourceId| self.catalog.get(id.as_str());
        let is_auto = |id: &SourceId| source(id).is_some_and(|source| source.mode == Mode::Auto);
        let is_there = |id: &SourceId| source(id).is_some_and(|source| !source.is_missing());
        let pick = of(&|id| is_there(id) && !is_auto(id) && !is_picked(id) && !is_excluded(id));
        let has_effect = |id: &SourceId| !is_auto(id) || self.selection.contains(id.as_str());
        // An exclusion for a pick ends with that pick, so it can still be made the user's own.
        let is_own = |id: &SourceId| self.choice.is_excluded_by_user(id.as_str());
        let exclude = of(&|id| source(id).is_some() && has_effect(id) && !is_own(id));
        let (unpick, include) = (of(&is_picked), of(&is_excluded));
        BulkPreview {
            sources: ids.len(),
            pick: BulkChange { change: self.preview_picks(&pick), ids: pick },
            unpick: self.bulk_change(unpick, Choice::unpick),
            exclude: self.bulk_change(exclude, Choice::exclude),
            include: self.bulk_change(include, Choice::include),
        }
    }

    fn bulk_change(&mut self, ids: Vec<SourceId>, each: fn(&mut Choice, &str) -> bool) -> BulkChange {
        let change =
            self.follows(&[], |choice| ids.iter().fold(false, |changed, id| each(choice, id.as_str()) | changed));
        BulkChange { ids, change }
    }

    /// The selection that this choice results in.
    fn select_with(&mut self, choice: &Choice) -> Selection {
        self.closure(choice, self.rules(), Self::load_documents)
    }

    /// What this change of the choice results in; `picks` are those that a person makes with it.
    fn follows(&mut self, picks: &[SourceId], change: impl FnOnce(&mut Choice) -> bool) -> SelectionChange {
        self.settle();
        let mut choice = self.choice.clone();
        if !change(&mut choice) {
            return SelectionChange { trusts: self.would_trust(picks, &choice), ..SelectionChange::default() };
        }
        let after = self.select_with(&choice);
        let only_in = |one: &Selection, other: &Selection| -> Vec<SourceId> {
            let is_auto = |id: &SourceId| self.catalog.get(id.as_str()).is_some_and(|it| it.mode == Mode::Auto);
            let members = one.members().iter().filter(|it| it.role == Role::Picked || !is_auto(&it.id));
            members.map(|member| &member.id).filter(|id| !other.contains(id.as_str())).cloned().collect()
        };
        let (enters, leaves) = (only_in(&after, &self.selection), only_in(&self.selection, &after));
        let cost = self.cost_change(&self.selection, &after);
        SelectionChange { cost, enters, leaves, trusts: self.would_trust(picks, &choice) }
    }
}

/// Picks all of these sources; whether that changed anything.
fn pick_all(choice: &mut Choice, ids: &[SourceId]) -> bool {
    ids.iter().fold(false, |changed, id| choice.pick(id.as_str()) | changed)
}
