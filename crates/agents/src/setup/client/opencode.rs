//! opencode (opencode.ai/docs/config, /docs/mcp-servers): a server. Its hooks are plugins in JavaScript, not commands.
//! Version 2 nests the list of servers one level deeper, and still reads that of version 1.

use super::server::{McpServer, ServerForm};
use super::switches::ConnectedPart::Server;
use super::switches::{SettingValue, Switch, SwitchFile, Switches};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FILES: &[&str] = &["opencode.json", "opencode.jsonc"];

const USER: SettingsPlace =
    SettingsPlace::moved_by(".config/opencode", FILES, SettingsVariable::Below("XDG_CONFIG_HOME", "opencode"));

pub(super) const CLIENT: Client = Client {
    word: "opencode",
    name: "opencode",
    programs: &["opencode"],
    markers: &["opencode.json", "opencode.jsonc", ".opencode"],
    hooks: None,
    server: McpServer {
        keys: &["mcp"],
        other_keys: Some(&["mcp", "servers"]),
        form: ServerForm::List,
        ..McpServer::usual(SettingsPlaces { project: Some(SettingsPlace::fixed("", FILES)), user: USER })
    },
    switches: Switches {
        files: &[
            SwitchFile::project(SettingsPlace::fixed(".opencode", FILES)),
            SwitchFile::project(SettingsPlace::fixed("", FILES)),
            SwitchFile::user(USER),
        ],
        switches: &[
            Switch::new(Server, &["mcp", "refdesk", "enabled"], SettingValue::Bool(false)),
            Switch::new(Server, &["mcp", "servers", "refdesk", "enabled"], SettingValue::Bool(false)),
            Switch::new(Server, &["tools", "refdesk*"], SettingValue::Bool(false)),
            Switch::new(Server, &["tools", "refdesk_*"], SettingValue::Bool(false)),
        ],
        consent: None,
    },
    restart: "restart opencode",
    then: None,
};
