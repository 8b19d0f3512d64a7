//! What a rendering would change on disk, and changing it: proposed first, written when somebody approved.

use super::{Desk, Made, Refusal, Request, Unrendered};
use crate::output::{self, Proposal, Refused, Scope, Unwritten, Written};
use crate::template::TemplateIndex;

/// A rendering, and what it would change where somebody knows a path for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text.
    pub made: Made,
    /// `None` where there is no path, neither asked for nor offered by the template.
    pub proposal: Option<Result<Proposal, Refusal>>,
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self::new(refused.code, refused.message, refused.hint)
    }
}

impl Desk {
    /// Renders, and compares with the file at `path`, else at the path that the template offers.
    ///
    /// # Errors
    /// As [`Desk::render`].
    pub fn show(&self, index: &TemplateIndex, request: &Request, path: Option<&str>) -> Result<Shown, Unrendered> {
        let made = self.render(index, request)?;
        let path = path.map(str::to_owned).or_else(|| made.offered.clone());
        let proposal = path.map(|path| self.propose(&path, &made.text, Scope::Workspace));
        Ok(Shown { made, proposal })
    }

    /// What writing this text to this path (relative to the current folder) would change; nothing is touched.
    ///
    /// # Errors
    /// Nothing may be written there.
    pub fn propose(&self, path: &str, text: &str, scope: Scope) -> Result<Proposal, Refusal> {
        output::propose(self.workspace(), &self.around().current, path, text, scope).map_err(Refusal::from)
    }

    /// Writes what was proposed and approved: all of it or, when anything goes wrong, nothing.
    ///
    /// # Errors
    /// A file has changed since it was proposed, or cannot be written.
    pub fn write(&self, proposals: &[Proposal]) -> Result<Vec<Written>, Unwritten> {
        output::write(self.workspace(), proposals)
    }
}
