//! opencode (opencode.ai/docs/config, /docs/mcp-servers): a server. Its hooks are plugins in JavaScript, not commands.
//! Version 2 lists servers one level deeper and still reads the list of version 1.

use super::server::{McpServer, ServerForm, SettingsFormat};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FILES: &[&str] = &["opencode.json", "opencode.jsonc"];

pub(super) const CLIENT: Client = Client {
    word: "opencode",
    name: "opencode",
    programs: &["opencode"],
    traces: &["opencode.json", "opencode.jsonc", ".opencode"],
    hooks: None,
    server: McpServer {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed("", FILES)),
            user: SettingsPlace::moved_by(
                ".config/opencode",
                FILES,
                SettingsVariable::Below("XDG_CONFIG_HOME", "opencode"),
            ),
        },
        format: SettingsFormat::Json,
        keys: &["mcp"],
        other_keys: Some(&["mcp", "servers"]),
        form: ServerForm::List,
        starts_elsewhere: false,
    },
    restart: "restart opencode",
};
