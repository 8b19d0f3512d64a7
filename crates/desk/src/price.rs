//! What the instructions and a prompt cost a session that was sent nothing before.

use super::Desk;
use crate::{EnrichMode, Session};
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_text::tokens::of_prose;

/// Estimated tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    /// Of the instructions.
    pub instructions: u64,
    /// Of the prompt and what is appended to it.
    pub prompt: u64,
}

impl Desk {
    /// The price of the instructions and of this prompt.
    pub fn price(&mut self, session: &Session, prompt: &str) -> Price {
        let desk = self.settled();
        let asked = EnrichRequest { repeat: true, ..EnrichRequest::new(TextKind::Prompt, prompt) };
        let (enriched, _) = desk.enrich(session, &asked, EnrichMode::DryRun);
        let added = u64::try_from(enriched.tokens()).unwrap_or(u64::MAX);
        Price { instructions: price_of(&desk.instructions()), prompt: price_of(prompt).saturating_add(added) }
    }

    /// The price of the instructions.
    pub(crate) fn instructions_price(&mut self) -> u64 {
        price_of(&self.settled().instructions())
    }
}

fn price_of(text: &str) -> u64 {
    of_prose(u64::try_from(text.len()).unwrap_or(u64::MAX))
}
