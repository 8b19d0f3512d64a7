//! Finds the agents that are installed or configured here.

use super::super::environment;
use super::settings_file::user_folder;
use refdesk_agents::setup::Client;
use refdesk_desk::Desk;

/// An agent and the evidence that it is used.
pub(super) struct FoundAgent {
    pub client: Client,
    pub evidence: Vec<String>,
}

impl FoundAgent {
    /// The evidence as a note; `None` if the user named the agent.
    pub fn note(&self) -> Option<String> {
        let evidence = self.evidence.join(", ");
        (!evidence.is_empty()).then(|| format!("found {}: {evidence}", self.client.name))
    }

    /// Whether it has settings of a workspace or, `for_user`, of its user.
    pub fn has_settings(&self, for_user: bool) -> bool {
        for_user || self.client.server.places.project.is_some()
    }

    /// For an agent without settings of a workspace: what was found, and the command that connects it.
    pub fn only_for_user(&self) -> (String, String) {
        let note = self.note().unwrap_or_default();
        let fix = format!("`refdesk connect {} --user`", self.client.word);
        (format!("{note}; it has no workspace settings, only your own"), fix)
    }
}

/// The agents that are installed, or configured in this workspace or by this user.
pub(super) fn found(desk: &Desk) -> Vec<FoundAgent> {
    let home = environment::home();
    let evidence = |client: &Client| {
        let programs = client.programs.iter().filter(|name| environment::on_path(name).is_some());
        let programs = programs.map(|name| format!("{name} is on PATH"));
        let is_there = |trace: &&&str| desk.workspace().join(trace).symlink_metadata().is_ok();
        let markers = client.markers.iter().filter(is_there).map(|trace| format!("{trace} is in this workspace"));
        let folder = home.as_ref().map(|home| user_folder(desk, &client.user_folder(), home));
        let folder = folder.filter(|folder| folder.is_dir()).map(|folder| environment::with_tilde(&folder));
        let folder = folder.map(|folder| format!("{folder} exists"));
        programs.chain(markers).chain(folder).collect::<Vec<_>>()
    };
    let found = Client::all().map(|client| FoundAgent { evidence: evidence(&client), client });
    found.filter(|agent| !agent.evidence.is_empty()).collect()
}
