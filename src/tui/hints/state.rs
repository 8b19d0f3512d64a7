//! The state of the hints pane.

use std::collections::BTreeSet;

use crate::tui::hints::history::PromptHistory;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::WrappedText;
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Audience;
use refdesk_enrich::{Enriched, Findings};
use refdesk_text::report::Diagnostic;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintsView {
    #[default]
    Matches,
    /// The enriched prompt for this audience.
    Enriched(Audience),
}

impl HintsView {
    pub fn next(self) -> Self {
        match self {
            Self::Matches => Self::Enriched(Audience::NewSession),
            Self::Enriched(Audience::NewSession) => Self::Enriched(Audience::ThisSession),
            Self::Enriched(Audience::ThisSession) => Self::Matches,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct EnrichedView {
    pub answer: Option<Box<Enriched>>,
    /// Problems with the session's memory.
    pub problems: Vec<Diagnostic>,
    /// The answer, wrapped for display.
    pub text: WrappedText,
    /// The width that `text` is wrapped for; `None` if it is outdated.
    pub wrapped_for: Option<u16>,
    pub scroll: Scroll,
}

#[derive(Debug, Clone, Default)]
pub struct HintsPane {
    pub prompt: TextField,
    pub history: PromptHistory,
    /// The latest answer; edits of the prompt shift its ranges.
    pub findings: Findings,
    /// Whether it answers the latest question.
    pub is_answered: bool,
    /// Whether the latest question repeats the prompt of the visible rows because of a snapshot.
    pub is_refresh: bool,
    /// Whether the latest answer was given before all documents were read.
    pub is_early: bool,
    /// The row under the cursor, counted over expansions, hints and sources passed over.
    pub cursor: Cursor,
    /// Sources without a hint because this session has seen it or the prompt mentions them.
    pub sent_before: BTreeSet<SourceId>,
    pub view: HintsView,
    pub enriched: EnrichedView,
}

impl HintsPane {
    /// Whether Up in the prompt field recalls an older prompt.
    pub fn recalls_prompt(&self) -> bool {
        let before = self.prompt.text().get(..self.prompt.cursor()).unwrap_or_default();
        !before.contains('\n') && self.history.has_older(self.prompt.text())
    }
}
