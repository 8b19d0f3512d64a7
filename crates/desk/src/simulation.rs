//! Simulates an enrichment: what would be sent, and what would be left out. Nothing is remembered (BEHAVIOUR §5).

use super::places::FolderCache;
use super::{CompleteDesk, EnrichMode, Session};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{
    BlockKind, Budget, Considered, EnrichContext, EnrichRequest, Enriched, ItemReceipt, Level, WhyNot, considered,
    suppressed_hints,
};
use refdesk_text::report::Diagnostic;

/// How many of the best-scoring sources are explained.
pub(super) const MAX_CONSIDERED: usize = 10;

/// What would be appended to a text, and what would be left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulation {
    /// What would be appended.
    pub enriched: Enriched,
    /// What is left out, or shortened to a line, because the session was already sent it in full.
    pub sent_before: Vec<ItemReceipt>,
    /// Sources that match but get no hint, and why: those with tags in the text in catalog order, then the others.
    pub suppressed: Vec<(SourceId, WhyNot)>,
    /// The best-scoring sources, and whether each is hinted at; `None` without an index.
    pub considered: Option<Vec<Considered>>,
    /// Whether the explained source changed since it was indexed.
    pub has_changed: bool,
}

impl Simulation {
    /// What does not fit the budget, or is less likely to be meant.
    pub fn left_out(&self) -> impl Iterator<Item = &ItemReceipt> {
        self.enriched.items.iter().filter(|item| item.level == Level::Count)
    }
}

impl CompleteDesk<'_> {
    /// What [`CompleteDesk::enrich`] would append for the session. Changes nothing.
    pub fn simulate(&self, session: &Session, asked: &EnrichRequest) -> (Simulation, Vec<Diagnostic>) {
        self.simulate_with(session, asked, None)
    }

    /// Like [`Self::simulate`], but considers the source `explained` even if its score is not among the best.
    pub(super) fn simulate_with(
        &self,
        session: &Session,
        asked: &EnrichRequest,
        explained: Option<&str>,
    ) -> (Simulation, Vec<Diagnostic>) {
        // Only a simulation has the time to look at every file. A failure is reported with the text's topics.
        let changed = self.index().ok().flatten().and_then(|index| self.changed_files(&index).ok()).unwrap_or(0);
        let earlier = self.earlier_prompts(session, asked);
        let (about, doubts) = self.about_with(self.settings().hints, asked, &earlier, explained, changed);
        let (enriched, mut problems) = self.enrich_about(session, asked, EnrichMode::DryRun, about.as_ref());
        problems.extend(doubts);
        let whole = EnrichRequest { repeat: true, budget: Budget::default(), ..*asked };
        let (all, _) = self.enrich_about(session, &whole, EnrichMode::DryRun, about.as_ref());
        let suppressed = suppressed_hints(&enriched, &all);
        let considered = about.as_ref().map(|about| {
            let look = FolderCache::new(self);
            let ctx = EnrichContext { about: Some(about), ..look.context() };
            let is_wanted = |rank: usize, id: &str| rank < MAX_CONSIDERED || explained == Some(id);
            considered(&ctx, asked.text, &suppressed, is_wanted)
        });
        let sent_before = all.items.into_iter().filter(|item| is_suppressed(&enriched, item)).collect();
        let has_changed = about.is_some_and(|about| about.changed.iter().any(|id| explained == Some(id)));
        (Simulation { enriched, sent_before, suppressed, considered, has_changed }, problems)
    }
}

/// Whether an item is left out, or only referred to.
fn is_suppressed(said: &Enriched, item: &ItemReceipt) -> bool {
    let same = |other: &&ItemReceipt| (other.block, &other.about) == (item.block, &item.about);
    match said.items.iter().find(same) {
        _ if item.level == Level::Count => false,
        Some(said) => item.block == BlockKind::Expansion && said.is_given_above(),
        None => true,
    }
}
