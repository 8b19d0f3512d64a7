//! Everything wrong with a workspace: what `check` prints, and what a screen counts.

use super::Desk;
use refdesk_text::Code;
use refdesk_text::report::{Diagnostic, add_new};

/// Problems found apart from reading the catalog and its documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProblemParts<'a> {
    /// Of the selection's templates.
    pub templates: &'a [Diagnostic],
    /// Of the workspace's profiles: [`Desk::profile_problems`].
    pub profiles: &'a [Diagnostic],
    /// Of what is not trusted yet: [`Desk::waiting`].
    pub trust: &'a [Diagnostic],
    /// Sources that only a pick brings up: [`Desk::unfindable_sources`].
    pub unfindable_sources: &'a [Diagnostic],
}

impl Desk {
    /// All problems of this workspace, including these, errors first. All documents must have been read.
    pub fn problems(&self, parts: ProblemParts<'_>) -> Vec<Diagnostic> {
        let mut found = self.diagnostics();
        // Everything else that is missing is a consequence.
        if let Some(gone) = found.iter().find(|problem| problem.code == Code::NoWorkspace) {
            return vec![gone.clone()];
        }
        add_new(&mut found, self.databases().1);
        add_new(&mut found, parts.templates);
        add_new(&mut found, parts.profiles);
        found.extend(parts.trust.iter().chain(parts.unfindable_sources).cloned());
        found.sort_by_key(|problem| !problem.is_error());
        found
    }
}
