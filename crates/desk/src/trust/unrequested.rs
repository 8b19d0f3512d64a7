//! Addresses, tools and files outside that the workspace adds to every conversation through the selection. They need
//! trust for every agent, unless a person's pick adds them, too; an agent's pick neither adds nor releases them. A
//! person's pick is trust in the addresses and tools that it brings as they are at that time: one that changes, or that
//! a picked document comes to mention, needs trust again.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::{TrustCheck, TrustDecisions, resolved};
use crate::Desk;
use crate::privileged_actions::SourceAudience;
use refdesk_core::catalog::{Catalog, LocalPath, Mode, Source, SourceId, SourceKind};
use refdesk_core::selection::{self, Choice, ExpansionRules, Selection};
use refdesk_files::path::is_within;
use refdesk_files::workspace::WorkspaceReason;
use refdesk_text::Error;

impl Desk {
    /// Whether, since the last call, the selection gained or lost something that needs trust.
    pub(crate) fn take_trust_change(&mut self) -> bool {
        std::mem::take(&mut self.has_trust_change)
    }

    /// Settles the selection if what needs trust can depend on it.
    pub fn settle_for_trust(&mut self) {
        let workspace = resolved(self.workspace());
        if self.catalog.sources().iter().any(|source| may_need_trust(source, &workspace)) {
            self.settle();
        }
    }

    /// Called after selecting: marks an address, a tool or a path outside as untrusted if the workspace adds it to every
    /// conversation, whether directly, by a mention, or by a pick that came with it, and no pick of a person adds it, too.
    /// Returns whether to select again, because the text of a source may no longer be followed, or may be again.
    pub(crate) fn withhold_unrequested(&mut self) -> bool {
        // The demo is refdesk's own.
        if self.workspace_context().reason == WorkspaceReason::Demo {
            return false;
        }
        let workspace = resolved(self.workspace());
        let members = self.selection.members().iter().map(|member| &member.id);
        let may_need = |id: &&SourceId| self.catalog.get(id.as_str()).is_some_and(|it| may_need_trust(it, &workspace));
        let mut unrequested: HashSet<SourceId> = members.filter(may_need).cloned().collect();
        let mut requested = HashSet::new();
        if !unrequested.is_empty() {
            // A person's exclusions do not count: a pick may lift them.
            let brought: Vec<String> = self.brought_picks().into_iter().map(str::to_owned).collect();
            let brought = selection::select(&Choice::of_picks(&brought), &self.catalog, &self.graph, self.rules());
            let asked = self.asked_by_persons(&self.choice, &[]);
            // Without a place to store trust in, a pick is all that a person can say.
            if self.trust_file(&workspace).is_ok() && self.sealer().can_have_key() {
                let is_address = |id: &&SourceId| self.catalog.get(id.as_str()).is_some_and(|it| it.place().is_none());
                let of_persons = unrequested.iter().filter(|id| asked.contains(id.as_str()));
                requested = of_persons.filter(is_address).cloned().collect();
            }
            unrequested.retain(|id| brought.contains(id.as_str()) && !asked.contains(id.as_str()));
        }
        if unrequested == self.unrequested && requested == self.requested {
            return false;
        }
        self.unrequested = unrequested;
        self.requested = requested;
        self.apply_trust()
    }

    /// Trusts the addresses and tools that a person's pick of these sources brings, as they are now; `known` are those that
    /// persons' picks brought before, of which only what is picked itself is trusted again. Returns those that were
    /// withheld.
    ///
    /// # Errors
    /// The trust cannot be stored.
    pub(crate) fn trust_picked(
        &mut self,
        picks: &[SourceId],
        known: &HashSet<SourceId>,
    ) -> Result<Vec<SourceId>, Error> {
        if self.requested.is_empty() {
            return Ok(Vec::new());
        }
        let is_answered = |id: &&SourceId| picks.contains(id) || !known.contains(*id);
        let answered: Vec<SourceId> = self.requested.iter().filter(is_answered).cloned().collect();
        let picked = self.brought_by(picks);
        let check = TrustCheck::new(self);
        let untrusted = |source: &&Source| {
            let action = check.source(source).filter(|_| check.audience(source) == SourceAudience::Picked)?;
            (!check.trusts(&action.hash)).then_some((source.id.clone(), action.hash))
        };
        let brought = answered.iter().filter(|id| picked.contains(id.as_str()));
        let sources = brought.filter_map(|id| self.catalog.get(id.as_str()));
        let (ids, hashes): (Vec<SourceId>, Vec<String>) = sources.filter_map(|source| untrusted(&source)).unzip();
        if !ids.is_empty() {
            self.trust_hashes(hashes)?;
            self.apply_trust();
        }
        Ok(ids)
    }

    /// The selected sources that [`Self::trust_picked`] would trust if a person made these picks, which result in this
    /// choice.
    pub(crate) fn would_trust(&self, picks: &[SourceId], choice: &Choice) -> Vec<SourceId> {
        if picks.is_empty() {
            return Vec::new();
        }
        let members = self.selection.members().iter().map(|member| &member.id);
        let waits = |id: &&SourceId| {
            self.catalog.get(id.as_str()).is_some_and(|source| source.is_untrusted() && source.place().is_none())
        };
        let mut waiting: Vec<SourceId> = members.filter(waits).cloned().collect();
        if !waiting.is_empty() {
            let (picked, asked) = (self.brought_by(picks), self.asked_by_persons(choice, picks));
            // What the workspace itself gives to every agent needs more than a pick.
            let is_for_all = |id: &SourceId| {
                self.catalog.get(id.as_str()).is_some_and(|source| source.mode == Mode::Auto)
                    || self.preselected_ids().any(|preselected| preselected == id.as_str())
            };
            let is_answered = |id: &SourceId| picks.contains(id) || !self.requested.contains(id);
            let is_brought = |id: &SourceId| picked.contains(id.as_str()) && asked.contains(id.as_str());
            waiting.retain(|id| is_brought(id) && is_answered(id) && !is_for_all(id));
        }
        waiting
    }

    /// What the picks of persons in this choice select; a person makes those in `made` now.
    fn asked_by_persons(&self, choice: &Choice, made: &[SourceId]) -> Selection {
        let (unconfirmed, mut asked) = (self.unconfirmed_of(choice), choice.clone());
        asked.picks.retain(|id| !unconfirmed.contains(id) || made.iter().any(|made| made.as_str() == id));
        let rules = ExpansionRules { from_auto: false, ..self.rules() };
        selection::select(&asked, &self.catalog, &self.graph, rules)
    }

    /// What these picks alone select.
    fn brought_by(&self, picks: &[SourceId]) -> Selection {
        let picks: Vec<String> = picks.iter().map(ToString::to_string).collect();
        let rules = ExpansionRules { from_auto: false, ..self.rules() };
        selection::select(&Choice::of_picks(&picks), &self.catalog, &self.graph, rules)
    }

    /// Marks in the catalog what needs trust, with the selection as it is. Returns whether to select again.
    fn apply_trust(&mut self) -> bool {
        self.has_trust_change = true;
        let (mut decided, mut problems) = (TrustDecisions::new(), Vec::new());
        // Those that are still unrequested are withheld again.
        let withheld = std::mem::take(&mut self.withheld);
        let is_withheld = |source: &Arc<Source>| self.catalog.get(source.id.as_str()).is_some_and(Source::is_untrusted);
        let restored = withheld.into_iter().filter(is_withheld);
        let restored = restored.filter_map(|source| Some((self.catalog.position(source.id.as_str())?, source)));
        let before = Catalog::clone(&self.catalog).with(restored.collect());
        let catalog = self.without_untrusted(before.clone(), &mut decided, &mut problems);
        let known: HashSet<String> = self.decided.iter().map(|(hash, _)| hash.clone()).collect();
        self.decided.extend(decided.into_iter().filter(|(hash, _)| !known.contains(hash)));
        // The local sources whose trust differs, as they are in the first catalog.
        let differing = |before: &Catalog, now: &Catalog| -> Vec<Arc<Source>> {
            let pairs = before.sources().iter().zip(now.sources());
            let differ = |(before, now): &(&Source, &Source)| {
                before.place().is_some() && before.is_untrusted() != now.is_untrusted()
            };
            pairs.filter(differ).map(|(before, _)| Arc::new(before.clone())).collect()
        };
        self.withheld = differing(&before, &catalog);
        let changed = differing(&self.catalog, &catalog);
        if catalog != *self.catalog {
            self.catalog = Arc::new(catalog);
        }
        self.forget_documents(&changed);
        !changed.is_empty()
    }

    /// Forgets what was read of these sources, so that it is read again if it may be.
    fn forget_documents(&mut self, sources: &[Arc<Source>]) {
        if sources.is_empty() {
            return;
        }
        let (graph, tokens) = (Arc::make_mut(&mut self.graph), Arc::make_mut(&mut self.tokens));
        for source in sources {
            graph.remove(&source.id);
            tokens.remove(&source.id);
            self.documents.remove(&source.id);
        }
        self.contents.forget();
        self.templates.invalidate();
        if let Some(library) = self.library.get_mut() {
            library.adopt(&self.catalog);
        }
    }
}

/// Whether it is an address, a tool or a path outside the workspace.
fn may_need_trust(source: &Source, workspace: &Path) -> bool {
    match source.kind.with_trust() {
        SourceKind::Url { .. } | SourceKind::Mcp { .. } => true,
        SourceKind::Local(LocalPath { resolved, .. }) => !is_within(resolved, workspace),
        _ => false,
    }
}
