//! Creates a catalog from a scan of the repository, in three windows: the proposals to tick, the diff of
//! writing them, and what agents would get from then on.

mod difference;
mod list;
mod written;

use std::collections::BTreeSet;

use super::WindowKind;
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::state::State;
use refdesk_desk::engine::{CatalogWritten, Request};
use refdesk_desk::{CatalogChange, CatalogLayout, Discovery, ProposedSource};
use refdesk_files::output::{Proposal, WriteFailure};
use refdesk_text::Error;

pub use difference::CatalogDifference;
pub use list::DiscoveryList;
pub use written::CatalogSummary;

/// The state of these windows.
#[derive(Debug, Clone, Default)]
pub struct CatalogDraft {
    /// The proposals, or why the repository is not read; `None` until the answer arrives.
    pub found: Option<Result<Box<Discovery>, String>>,
    /// The number of listed proposals; the others are folded into one row.
    pub listed: usize,
    /// Indices of the ticked proposals.
    pub ticked: BTreeSet<usize>,
    /// The ticked proposals in the last question to the engine.
    pub change: CatalogChange,
    /// What writing them would change, or why they cannot be written; `None` until the answer arrives.
    pub proposed: Option<Result<Vec<Proposal>, String>>,
    /// Whether a write was requested.
    pub is_asked: bool,
    pub written: Option<CatalogWritten>,
}

impl CatalogDraft {
    /// The result of the scan, if there is one.
    pub fn found(&self) -> Option<&Discovery> {
        self.found.as_ref()?.as_deref().ok()
    }
}

/// Opens the window and scans the repository again.
pub fn open(state: &mut State, effects: &mut Vec<Effect>) {
    state.draft = CatalogDraft::default();
    state.open(WindowKind::Discovery);
    effects.push(Effect::Ask(Request::Discover(Vec::new())));
}

pub fn discovered(state: &mut State, found: Result<Box<Discovery>, Error>) {
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            state.draft.found = Some(Err(fix::sentence(state, &error)));
            return;
        }
    };
    let ticked = found.new.iter().enumerate().filter(|(_, source)| source.is_ticked);
    state.draft.ticked = ticked.map(|(nth, _)| nth).collect();
    state.draft.listed = found.listed(!state.snapshot.catalog.is_empty());
    state.draft.found = Some(Ok(found));
}

/// Asks what writing the ticked proposals would change.
fn propose(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(found) = state.draft.found() else { return };
    let new = state.draft.ticked.iter().filter_map(|nth| found.new.get(*nth).cloned()).collect();
    let is_declined = |(nth, source): &(usize, &ProposedSource)| source.is_ticked && !state.draft.ticked.contains(nth);
    let declined = found.new.iter().enumerate().filter(is_declined).map(|(_, source)| source.place.clone()).collect();
    let change = CatalogChange { new, moved: found.moved.clone(), layout: CatalogLayout::default(), declined };
    state.draft.proposed = None;
    state.draft.change = change.clone();
    state.open(WindowKind::CatalogDifference);
    effects.push(Effect::Ask(Request::ProposeCatalog(Box::new(change))));
}

pub fn proposed(state: &mut State, proposed: Result<Vec<Proposal>, Error>) {
    state.draft.proposed = Some(proposed.map_err(|error| fix::sentence(state, &error)));
}

pub fn written(state: &mut State, written: Result<CatalogWritten, WriteFailure>) {
    state.draft.is_asked = false;
    match written {
        Ok(written) => {
            state.draft.written = Some(written);
            state.open(WindowKind::CatalogSummary);
        }
        Err(failure) => {
            state.fail(fix::sentence(state, &failure.refused));
            if !failure.current.is_empty() {
                state.draft.proposed = Some(Ok(failure.current));
            }
        }
    }
}
