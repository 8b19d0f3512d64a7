//! How many sources a prompt matches, by outcome, for the pane's title and the folded line. They add up to
//! the rows of the list plus the passed-over sources that the list omits.

use crate::tui::hints::rows;
use crate::tui::state::State;

/// The matching sources; each is counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HintCounts {
    /// An agent gets a hint.
    pub hinted: usize,
    /// The prompt mentions them.
    pub named: usize,
    /// Selected after they matched: they keep their rows, but get no hint.
    pub selected: usize,
    /// Excluded after they matched.
    pub excluded: usize,
    /// This session has already received the hint.
    pub sent_before: usize,
    /// Passed over without a hint.
    pub passed: usize,
}

impl HintCounts {
    pub fn of(state: &State) -> Self {
        let findings = &state.hints.findings;
        let selection = &state.snapshot.selection;
        let named = findings.expansions.len();
        let passed = rows::passed(findings) + findings.more;
        let mut counts = Self { named, passed, ..Self::default() };
        for id in findings.hints.iter().map(|hint| &hint.id).chain(rows::by_meaning(findings).map(|it| &it.id)) {
            let count = if selection.contains(id.as_str()) {
                &mut counts.selected
            } else if selection.is_excluded(id.as_str()) {
                &mut counts.excluded
            } else if state.hints.sent_before.contains(id) {
                &mut counts.sent_before
            } else {
                &mut counts.hinted
            };
            *count += 1;
        }
        counts
    }

    /// The number of sources that reach the agent.
    pub fn for_agent(self) -> usize {
        self.named + self.hinted
    }
}
