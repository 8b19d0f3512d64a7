//! Commands in a folder that is not a workspace: those that need one report where they looked and what to do, and write
//! nothing there.

use std::path::Path;

use super::answer::CommandOutput;
use super::args::Command;
use refdesk_core::config::{WorkspaceContext, find};
use refdesk_desk::Desk;
use refdesk_files::workspace::mark_of;
use refdesk_text::{Code, Error, Fix};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceNeed {
    /// Nothing: it works in any folder.
    Nothing,
    /// A catalog, wherever it is.
    Catalog,
    /// A workspace to store a selection in.
    Choice,
    /// A workspace to write files to.
    Files,
    /// A folder that is a workspace or may become one.
    NewWorkspace,
}

/// The answer to a command that would write files to a folder that is not a workspace.
pub fn refused(context: &WorkspaceContext, command: &Command) -> Option<CommandOutput> {
    let is_refused = match command.workspace_need() {
        WorkspaceNeed::Files => !context.is_workspace(),
        WorkspaceNeed::NewWorkspace => !context.is_workspace() && is_home(context),
        WorkspaceNeed::Nothing | WorkspaceNeed::Catalog | WorkspaceNeed::Choice => false,
    };
    is_refused.then(|| CommandOutput::refused(nothing_found(context)))
}

/// The command's answer, or a refusal if it found no catalog, or no workspace to store a selection in.
pub fn answer_or_refuse(answer: CommandOutput, desk: &Desk, command: &Command) -> CommandOutput {
    let context = desk.workspace_context();
    let is_refused = match command.workspace_need() {
        WorkspaceNeed::Nothing | WorkspaceNeed::Files | WorkspaceNeed::NewWorkspace => false,
        WorkspaceNeed::Choice => !context.is_workspace(),
        WorkspaceNeed::Catalog => !context.is_workspace() && desk.catalog().is_empty() && desk.config_file().is_none(),
    };
    if is_refused {
        // Without the answer's members, which say that all is well.
        return CommandOutput::refused(nothing_found(context));
    }
    let refused = answer.refused.into_iter().map(|error| with_workable_fix(error, context)).collect();
    CommandOutput { refused, ..answer }
}

/// The error, with another fix if its own would be refused here because no workspace was found.
pub fn with_workable_fix(error: Error, context: &WorkspaceContext) -> Error {
    let needs_workspace = match &error.fix {
        Fix::BuildIndex | Fix::Exclude(_) | Fix::Include(_) | Fix::Pick(_) => true,
        Fix::ListProfiles | Fix::ListTemplates | Fix::ShowVariables(_) => find(context).0.is_none(),
        _ => false,
    };
    if needs_workspace && !context.is_workspace() {
        return Error { fix: no_workspace_fix(context).into(), ..error };
    }
    error
}

/// The error that no workspace was found, with the places that were searched.
pub fn nothing_found(context: &WorkspaceContext) -> Error {
    let from = &context.workspace;
    let home = context.home.as_deref().filter(|home| from.starts_with(home) && from != home);
    let above = if home.is_some() { "or above it in your home folder" } else { "or above it" };
    let home = home.or(is_home(context).then_some(from.as_path()));
    let mark = |home: &Path| mark_of(home).or_else(|| home.join(".git").exists().then_some(".git"));
    let passed = home.and_then(|home| Some(format!("; {} does not count", home.join(mark(home)?).display())));
    let message = format!(
        "no workspace found: there is no .jaato/ or references.json in {} {above}, and no git repository{}",
        from.display(),
        passed.unwrap_or_default()
    );
    Error::new(Code::NoWorkspace, message, no_workspace_fix(context))
}

/// What to do if no workspace was found.
pub fn no_workspace_fix(context: &WorkspaceContext) -> &'static str {
    if is_home(context) {
        "change to the folder of a project, or name one with --workspace"
    } else {
        "`refdesk init` finds the documents in this folder, `refdesk add PATH` adds one; for another folder, change to it or \
         name it with --workspace"
    }
}

/// Whether it is the home folder or above it, which does not become a workspace implicitly because it contains all of a
/// user's files.
fn is_home(context: &WorkspaceContext) -> bool {
    context.home.as_deref().is_some_and(|home| home.starts_with(&context.workspace))
}
