//! Cursor (cursor.com/docs/hooks, /docs/mcp). It does not guarantee to start a server in the workspace, but expands
//! `${workspaceFolder}` in a workspace's settings.

use super::hooks::{HookForm, Hooks};
use super::server::{McpServer, ServerForm, SettingsFormat};
use super::switches::ConnectedPart::Server;
use super::switches::Switches;
use super::{Client, SettingsPlace, SettingsPlaces};

pub(super) const CLIENT: Client = Client {
    word: "cursor",
    name: "Cursor",
    programs: &["cursor", "cursor-agent"],
    markers: &[".cursor", ".cursorrules"],
    hooks: Some(Hooks {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed(".cursor", &["hooks.json"])),
            user: SettingsPlace::fixed(".cursor", &["hooks.json"]),
        },
        form: HookForm::Flat,
        // Its `beforeSubmitPrompt` can block a prompt but not add to it.
        events: &[("sessionStart", None), ("postToolUse", Some("^(Shell|Read|Grep|MCP:.*)$")), ("preCompact", None)],
    }),
    server: McpServer {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed(".cursor", &["mcp.json"])),
            user: SettingsPlace::fixed(".cursor", &["mcp.json"]),
        },
        format: SettingsFormat::Json,
        keys: &["mcpServers"],
        other_keys: None,
        form: ServerForm::Plain,
        starts_elsewhere: true,
    },
    switches: Switches::NONE,
    restart: "restart Cursor",
    then: Some((Server, "switch the server refdesk on in its settings")),
};
