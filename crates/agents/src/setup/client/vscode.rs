//! VS Code with Copilot (code.visualstudio.com/docs/copilot/reference/mcp-configuration): a server. It does not
//! guarantee to start the server in the workspace, but expands `${workspaceFolder}`.

use super::Switches;
use super::server::{McpServer, ServerForm};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FILES: &[&str] = &["mcp.json"];

/// The folder of the default profile.
const USER: SettingsPlace = if cfg!(target_os = "macos") {
    SettingsPlace::fixed("Library/Application Support/Code/User", FILES)
} else {
    SettingsPlace::moved_by(".config/Code/User", FILES, SettingsVariable::Below("XDG_CONFIG_HOME", "Code/User"))
};

pub(super) const CLIENT: Client = Client {
    word: "vscode",
    name: "VS Code",
    programs: &["code"],
    markers: &[".vscode"],
    hooks: None,
    server: McpServer {
        keys: &["servers"],
        form: ServerForm::Typed,
        starts_elsewhere: true,
        ..McpServer::usual(SettingsPlaces { project: Some(SettingsPlace::fixed(".vscode", FILES)), user: USER })
    },
    switches: Switches::NONE,
    restart: "start the server refdesk in VS Code (command \"MCP: List Servers\")",
    then: None,
};
