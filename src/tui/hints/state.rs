//! What the screen remembers of texts that agents get: the prompt with what would be appended to it, and the receipt of
//! what was.

use std::collections::BTreeSet;

use crate::catalog::SourceId;
use crate::engine::Hearer;
use crate::enrich::{Enriched, Findings};
use crate::report::Diagnostic;
use crate::tui::hints::history::PromptHistory;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::WrappedText;

/// Which side of the prompt the hints pane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintsView {
    /// Whom it names, hints at and passes over.
    #[default]
    Matches,
    /// The prompt as it would reach this reader.
    Enriched(Hearer),
}

impl HintsView {
    /// The side after this one.
    pub fn next(self) -> Self {
        match self {
            Self::Matches => Self::Enriched(Hearer::Stranger),
            Self::Enriched(Hearer::Stranger) => Self::Enriched(Hearer::Session),
            Self::Enriched(Hearer::Session) => Self::Matches,
        }
    }
}

/// The prompt as an agent would get it.
#[derive(Debug, Clone, Default)]
pub struct EnrichedView {
    /// Of the newest question.
    pub generation: u64,
    /// The newest answer.
    pub answer: Option<Box<Enriched>>,
    /// What is wrong with what the session was told.
    pub problems: Vec<Diagnostic>,
    /// The same as a page.
    pub text: WrappedText,
    /// The width that the page was made for; `None` where it is to be made anew.
    pub wrapped_for: Option<u16>,
    /// Where in it one is.
    pub scroll: Scroll,
}

/// What the hints pane remembers.
#[derive(Debug, Clone, Default)]
pub struct HintsPane {
    /// The prompt as typed.
    pub prompt: TextField,
    /// Prompts typed before.
    pub history: PromptHistory,
    /// Of the newest question.
    pub generation: u64,
    /// The newest answer, its ranges carried along while the prompt changes.
    pub findings: Findings,
    /// The question that it answers.
    pub answered: u64,
    /// The newest question that was asked because the desk changed, and not the prompt.
    pub refreshed: u64,
    /// The row under the cursor: expansions first, then hints, then who is passed over.
    pub cursor: Cursor,
    /// Sources whose hints this session was given before, or that the prompt itself says: it is not hinted at them again.
    pub sent_before: BTreeSet<SourceId>,
    /// Which side of the prompt is shown.
    pub view: HintsView,
    /// The prompt as an agent would get it.
    pub enriched: EnrichedView,
}

impl HintsPane {
    /// Whether one line up in the prompt leads to a prompt typed before.
    pub fn leads_back(&self) -> bool {
        let before = self.prompt.text().get(..self.prompt.cursor()).unwrap_or_default();
        !before.contains('\n') && self.history.has_older(self.prompt.text())
    }
}
