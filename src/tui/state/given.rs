//! What the screen remembers of texts that agents get: the prompt with what would be appended to it, and the receipt of
//! what was.

use crate::engine::Hearer;
use crate::enrich::Enriched;
use crate::report::Diagnostic;
use crate::session::Line;
use crate::tui::motion::Scroll;
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
    pub enriched: Option<Box<Enriched>>,
    /// What is wrong with what the session was told.
    pub problems: Vec<Diagnostic>,
    /// The same as a page.
    pub page: WrappedText,
    /// The width that the page was made for; `None` where it is to be made anew.
    pub paged: Option<u16>,
    /// Where in it one is.
    pub scroll: Scroll,
}

/// A receipt that was opened.
#[derive(Debug, Clone, Default)]
pub struct ReceiptWindow {
    /// Of the newest question.
    pub generation: u64,
    /// The line of the journal, or why it is not to be had; `None` until it came.
    pub line: Option<Result<Box<Line>, String>>,
    /// The same as a page.
    pub page: WrappedText,
    /// The width that the page was made for; `None` where it is to be made anew.
    pub paged: Option<u16>,
}
