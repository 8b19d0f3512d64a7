//! Codex (developers.openai.com/codex/hooks, /mcp, /config-reference): hooks are in JSON, servers in TOML. It reads both
//! of a project only if that is trusted, and runs a hook only after its user has reviewed it.

use super::hooks::{HookForm, Hooks};
use super::server::{McpServer, ServerForm, SettingsFormat};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FOLDER: SettingsVariable = SettingsVariable::Folder("CODEX_HOME");

pub(super) const CLIENT: Client = Client {
    word: "codex",
    name: "Codex",
    programs: &["codex"],
    traces: &[".codex"],
    hooks: Some(Hooks {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed(".codex", &["hooks.json"])),
            user: SettingsPlace::moved_by(".codex", &["hooks.json"], FOLDER),
        },
        form: HookForm::Group,
        events: &[("SessionStart", None), ("UserPromptSubmit", None), ("PostToolUse", Some("^(Bash|mcp__.*)$"))],
    }),
    server: McpServer {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed(".codex", &["config.toml"])),
            user: SettingsPlace::moved_by(".codex", &["config.toml"], FOLDER),
        },
        format: SettingsFormat::Toml,
        keys: &["mcp_servers"],
        other_keys: None,
        form: ServerForm::Plain,
        starts_elsewhere: false,
    },
    restart: "restart Codex, trust the project, and review the hooks with /hooks",
};
