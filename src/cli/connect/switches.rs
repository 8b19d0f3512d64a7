//! Settings of an agent that switch off our entries.

use super::settings_file;
use refdesk_agents::setup::{Client, SwitchPaths, SwitchProblem, SwitchText};
use refdesk_desk::Desk;
use refdesk_files::path::lossy;

/// The settings, of the user or the workspace, that keep our entries from working; `parts` says whether there are hooks
/// and a server.
pub(in crate::cli) fn find(desk: &Desk, client: &Client, for_user: bool, parts: (bool, bool)) -> Vec<SwitchProblem> {
    if parts == (false, false) {
        return Vec::new();
    }
    let read = |file: &refdesk_agents::setup::SwitchFile| {
        let settings = settings_file::at(desk, &file.place, file.for_user).ok()?;
        let text = settings.read().ok().flatten()?;
        Some(SwitchText { shown: settings.shown, text })
    };
    let texts: Vec<SwitchText> = client.switches.files.iter().filter_map(read).collect();
    let workspace = desk.workspace();
    let repository = workspace.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    let named = std::iter::once(workspace).chain(repository.filter(|folder| *folder != workspace));
    let paths =
        SwitchPaths { workspace: named.map(lossy).collect(), above: workspace.ancestors().map(lossy).collect() };
    client.switch_problems(&texts, for_user, parts, &paths)
}
