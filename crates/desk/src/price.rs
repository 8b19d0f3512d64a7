//! Estimates what an agent's content costs: for the current selection, for a possible one, and for a profile's. A
//! change has two prices: that of the sources it adds, as lists show it, and that of the sources together with their
//! part of the instructions.

use std::collections::HashMap;

use super::Desk;
use super::places::FolderCache;
use crate::{EnrichMode, Session};
use refdesk_core::catalog::{Catalog, Mode, Source, SourceId, SourceKind};
use refdesk_core::selection::Selection;
use refdesk_enrich::{Budget, EnrichContext, EnrichRequest, HintAction, TextKind};
use refdesk_text::tokens::of_prose;

/// Estimated tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    /// The price of the instructions.
    pub instructions: u64,
    /// The price of the prompt and what is appended to it.
    pub prompt: u64,
}

/// The estimated tokens of everything an agent gets: the selection, the sources of mode auto, and the instructions.
pub(crate) fn agent_tokens<'a>(
    catalog: &'a Catalog,
    selection: &'a Selection,
    instructions: u64,
    price: impl Fn(&Source) -> Option<u64>,
) -> u64 {
    let given = agent_sources(catalog, selection).filter(|source| is_outside_instructions(source, instructions));
    given.filter_map(price).fold(instructions, u64::saturating_add)
}

/// The sources an agent gets, without duplicates.
pub(crate) fn agent_sources<'a>(catalog: &'a Catalog, selection: &'a Selection) -> impl Iterator<Item = &'a Source> {
    let autos = catalog.sources().iter().filter(|source| source.mode == Mode::Auto);
    let selected = selection.members().iter().filter_map(|member| catalog.get(member.id.as_str()));
    selected.chain(autos.filter(move |source| !selection.contains(source.id.as_str())))
}

/// The estimated tokens of the sources an agent gets, at the prices shown in lists.
pub(crate) fn source_tokens(catalog: &Catalog, selection: &Selection, tokens: &HashMap<SourceId, u64>) -> u64 {
    agent_sources(catalog, selection).filter_map(|source| tokens.get(source.id.as_str()).copied()).sum()
}

/// Whether a source is outside the instructions, which include inline sources.
pub(crate) fn is_outside_instructions(source: &Source, instructions: u64) -> bool {
    instructions == 0 || !matches!(source.kind, SourceKind::Inline { .. })
}

/// The additional cost for an agent after a change, in estimated tokens; negative if it saves some.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CostChange {
    /// For the sources, each at the price shown in lists.
    pub sources: i64,
    /// For the sources and their part of the instructions.
    pub total: i64,
}

impl CostChange {
    /// The difference between two pairs of estimates: for the sources alone, and with the instructions.
    pub(crate) fn between(before: (u64, u64), after: (u64, u64)) -> Self {
        Self { sources: token_difference(before.0, after.0), total: token_difference(before.1, after.1) }
    }
}

fn token_difference(before: u64, after: u64) -> i64 {
    let magnitude = i64::try_from(before.abs_diff(after)).unwrap_or(i64::MAX);
    if after < before { -magnitude } else { magnitude }
}

/// Prices what agents would get from a catalog under several selections; each folder is walked only once.
pub(crate) struct Pricing<'a> {
    look: FolderCache<'a>,
    catalog: &'a Catalog,
    tokens: &'a HashMap<SourceId, u64>,
}

impl<'a> Pricing<'a> {
    pub fn new(desk: &'a Desk) -> Self {
        Self::of(desk, &desk.catalog, &desk.tokens)
    }

    /// Prices another catalog.
    pub fn of(desk: &'a Desk, catalog: &'a Catalog, tokens: &'a HashMap<SourceId, u64>) -> Self {
        Self { look: FolderCache::new(desk), catalog, tokens }
    }

    /// The estimated tokens of the sources alone, and of everything an agent would get.
    fn costs(&self, selection: &Selection) -> (u64, u64) {
        (source_tokens(self.catalog, selection, self.tokens), self.of_selection(selection))
    }

    /// The estimated tokens of everything an agent would get with this selection.
    pub(crate) fn of_selection(&self, selection: &Selection) -> u64 {
        self.without_hints(selection, self.look.context().exclude_hints)
    }

    /// The same for an agent that may lack the tool for selecting.
    pub(crate) fn without_hints(&self, selection: &Selection, exclude_hints: bool) -> u64 {
        let ctx = EnrichContext { catalog: self.catalog, selection, exclude_hints, ..self.look.context() };
        let instructions = price_of_start(&ctx);
        let price = |source: &Source| self.tokens.get(source.id.as_str()).copied();
        agent_tokens(self.catalog, selection, instructions, price)
    }
}

impl Desk {
    /// The cost of changing from one selection to the other.
    pub(crate) fn cost_change(&self, before: &Selection, after: &Selection) -> CostChange {
        if before == after {
            return CostChange::default();
        }
        let pricing = Pricing::new(self);
        CostChange::between(pricing.costs(before), pricing.costs(after))
    }

    /// The two estimates of this selection that [`CostChange::between`] compares.
    pub(crate) fn costs(&self, selection: &Selection) -> (u64, u64) {
        Pricing::new(self).costs(selection)
    }

    /// The price of the instructions and this prompt.
    pub fn price(&mut self, session: &Session, prompt: &str) -> Price {
        let desk = self.settled();
        let asked = EnrichRequest { repeat: true, ..EnrichRequest::new(TextKind::Prompt, prompt) };
        let (enriched, _) = desk.enrich(session, &asked, EnrichMode::DryRun);
        let added = u64::try_from(enriched.tokens()).unwrap_or(u64::MAX);
        Price { instructions: desk.instructions_price(), prompt: price_of(prompt).saturating_add(added) }
    }

    /// The price of what an agent is sent at the start of a conversation, whatever it was sent before: the instructions
    /// and the list of templates.
    pub(crate) fn instructions_price(&self) -> u64 {
        price_of_start(&FolderCache::new(self).context())
    }
}

fn price_of_start(ctx: &EnrichContext) -> u64 {
    price_of(&refdesk_enrich::start(ctx, Budget::default(), HintAction::Select, None).text)
}

fn price_of(text: &str) -> u64 {
    of_prose(u64::try_from(text.len()).unwrap_or(u64::MAX))
}
