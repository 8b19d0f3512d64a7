//! Simulates an enrichment: what would be sent, and what would be left out; nothing is remembered (BEHAVIOUR §5).

use super::{EnrichMode, Session, Settled};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{BlockKind, Budget, EnrichRequest, Enriched, ItemReceipt, Level, WhyNot, suppressed_hints};
use refdesk_text::report::Diagnostic;

/// What would be appended to a text, and what would be left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// What would be appended.
    pub said: Enriched,
    /// What is left out, or shortened to a line, because the session was sent it before; in full.
    pub told_before: Vec<ItemReceipt>,
    /// Sources that get no hint although their tags are in the text, and why; in catalog order.
    pub withheld: Vec<(SourceId, WhyNot)>,
}

impl Simulated {
    /// What does not fit the budget.
    pub fn left_out(&self) -> impl Iterator<Item = &ItemReceipt> {
        self.said.items.iter().filter(|item| item.level == Level::Count)
    }
}

impl Settled<'_> {
    /// What [`Settled::enrich`] would append for the session; changes nothing.
    pub fn simulate(&self, session: &Session, asked: &EnrichRequest) -> (Simulated, Vec<Diagnostic>) {
        let (said, problems) = self.enrich(session, asked, EnrichMode::DryRun);
        let whole = EnrichRequest { repeat: true, budget: Budget::default(), ..*asked };
        let (all, _) = self.enrich(session, &whole, EnrichMode::DryRun);
        let withheld = suppressed_hints(&said, &all);
        let told_before = all.items.into_iter().filter(|item| is_told(&said, item)).collect();
        (Simulated { said, told_before, withheld }, problems)
    }
}

/// Whether an item is left out, or only referred to.
fn is_told(said: &Enriched, item: &ItemReceipt) -> bool {
    let same = |other: &&ItemReceipt| (other.block, &other.about) == (item.block, &item.about);
    match said.items.iter().find(same) {
        Some(said) => item.block == BlockKind::Expansion && said.is_given_above(),
        None => true,
    }
}
