//! Addresses and tools that the workspace adds to every conversation through the selection. They need trust, unlike
//! those that a pick made here adds.

use std::collections::HashSet;
use std::sync::Arc;

use super::TrustDecisions;
use crate::Desk;
use refdesk_core::catalog::{Catalog, Source, SourceId, SourceKind};
use refdesk_core::selection::{self, ExpansionRules};
use refdesk_files::workspace::WorkspaceReason;

impl Desk {
    /// Whether, since the last call, the selection gained or lost something that needs trust.
    pub(crate) fn take_trust_change(&mut self) -> bool {
        std::mem::take(&mut self.has_trust_change)
    }

    /// Settles the selection if what needs trust can depend on it.
    pub fn settle_for_trust(&mut self) {
        if self.catalog.sources().iter().any(reaches_out) {
            self.settle();
        }
    }

    /// Called after selecting: marks an address or tool as untrusted if the workspace adds it to every conversation,
    /// whether directly, by a mention, or by a pick that came with it.
    pub(crate) fn withhold_unrequested(&mut self) {
        // The demo is refdesk's own.
        if self.workspace_context().reason == WorkspaceReason::Demo {
            return;
        }
        let members = self.selection.members().iter().map(|member| &member.id);
        let mut unrequested: HashSet<SourceId> =
            members.filter(|id| self.catalog.get(id.as_str()).is_some_and(reaches_out)).cloned().collect();
        if !unrequested.is_empty() {
            let brought: HashSet<&str> =
                self.preselected_ids().chain(self.taken_over.iter().map(String::as_str)).collect();
            let mut asked = self.choice.clone();
            asked.picks.retain(|id| !brought.contains(id.as_str()));
            let rules = ExpansionRules { from_auto: false, ..self.rules() };
            let asked = selection::select(&asked, &self.catalog, &self.graph, rules);
            unrequested.retain(|id| !asked.contains(id.as_str()));
        }
        if unrequested == self.unrequested {
            return;
        }
        self.unrequested = unrequested;
        self.has_trust_change = true;
        let (mut decided, mut problems) = (TrustDecisions::new(), Vec::new());
        let catalog = self.without_untrusted(Catalog::clone(&self.catalog), &mut decided, &mut problems);
        let known: HashSet<String> = self.decided.iter().map(|(hash, _)| hash.clone()).collect();
        self.decided.extend(decided.into_iter().filter(|(hash, _)| !known.contains(hash)));
        if catalog != *self.catalog {
            self.catalog = Arc::new(catalog);
        }
    }
}

/// Whether it is an address or a tool.
fn reaches_out(source: &Source) -> bool {
    matches!(source.kind.with_trust(), SourceKind::Url { .. } | SourceKind::Mcp { .. })
}
