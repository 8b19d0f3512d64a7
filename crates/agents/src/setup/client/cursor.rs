//! Cursor (cursor.com/docs/hooks, /docs/mcp). It does not guarantee to start a server in the workspace, but expands
//! `${workspaceFolder}` in a workspace's settings.

use super::hooks::{HookForm, Hooks};
use super::server::McpServer;
use super::switches::ConnectedPart::Server;
use super::switches::Switches;
use super::{Client, SettingsPlaces, SettingsVariable};

pub(super) const CLIENT: Client = Client {
    word: "cursor",
    name: "Cursor",
    programs: &["cursor", "cursor-agent"],
    markers: &[".cursor", ".cursorrules"],
    hooks: Some(Hooks {
        places: SettingsPlaces::alike(".cursor", &["hooks.json"], SettingsVariable::Never),
        form: HookForm::Flat,
        // Its `beforeSubmitPrompt` can block a prompt but not add to it.
        events: &[("sessionStart", None), ("postToolUse", Some("^(Shell|Read|Grep|MCP:.*)$")), ("preCompact", None)],
    }),
    server: McpServer {
        starts_elsewhere: true,
        ..McpServer::usual(SettingsPlaces::alike(".cursor", &["mcp.json"], SettingsVariable::Never))
    },
    switches: Switches::NONE,
    restart: "restart Cursor",
    then: Some((Server, "switch the server refdesk on in its settings")),
};
