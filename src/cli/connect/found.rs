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
}

/// The agents that are installed, or configured in this workspace or by this user, and that have settings of a
/// workspace or, `for_user`, of their user.
pub(super) fn found(desk: &Desk, for_user: bool) -> Vec<FoundAgent> {
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
    let has_settings = |client: &Client| for_user || client.server.places.project.is_some();
    let found = Client::all().filter(has_settings).map(|client| FoundAgent { evidence: evidence(&client), client });
    found.filter(|agent| !agent.evidence.is_empty()).collect()
}
