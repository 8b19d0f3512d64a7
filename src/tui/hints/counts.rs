//! How many sources a prompt brings up, by outcome: the same in the title of the pane and in the folded line. Their sum
//! is the rows of the list and the sources passed over that the list leaves out.

use crate::tui::hints::rows;
use crate::tui::state::State;

/// The matching sources, each counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HintCounts {
    /// The agent gets a hint.
    pub hinted: usize,
    /// The prompt names them.
    pub named: usize,
    /// Selected since they were found: they keep their rows, but get no hint.
    pub selected: usize,
    /// Excluded since.
    pub excluded: usize,
    /// This session got the hint already.
    pub sent_before: usize,
    /// Without a hint.
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

    /// The sources that the agent gets.
    pub fn for_agent(self) -> usize {
        self.named + self.hinted
    }
}
