//! Codex (developers.openai.com/codex/hooks, /mcp, /config-reference): hooks are in JSON, servers in TOML. It reads a
//! project's settings only if the project is trusted, and runs a hook only after the user has reviewed it.

use super::hooks::HookForm;
use super::server::{McpServer, SettingsFormat};
use super::switches::ConnectedPart::{Both, Hooks, Server};
use super::switches::{Consent, SettingValue, Switch, SwitchFile, Switches, WORKSPACE_PLACEHOLDER};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FOLDER: SettingsVariable = SettingsVariable::Folder("CODEX_HOME");

const CONFIG: SettingsPlaces = SettingsPlaces::alike(".codex", &["config.toml"], FOLDER);

pub(super) const CLIENT: Client = Client {
    word: "codex",
    name: "Codex",
    programs: &["codex"],
    markers: &[".codex"],
    hooks: Some(super::Hooks {
        places: SettingsPlaces::alike(".codex", &["hooks.json"], FOLDER),
        form: HookForm::Group,
        events: &[
            ("SessionStart", None),
            // Versions without this event ignore it.
            ("SubagentStart", None),
            ("UserPromptSubmit", None),
            ("PostToolUse", Some("^(Bash|mcp__.*)$")),
        ],
    }),
    server: McpServer { format: SettingsFormat::Toml, keys: &["mcp_servers"], ..McpServer::usual(CONFIG) },
    switches: Switches {
        files: &[SwitchFile::project(SettingsPlace::fixed(".codex", &["config.toml"])), SwitchFile::user(CONFIG.user)],
        switches: &[
            Switch::new(Hooks, &["features", "hooks"], SettingValue::Bool(false)),
            Switch::new(Hooks, &["features", "codex_hooks"], SettingValue::Bool(false)),
            Switch::new(Server, &["mcp_servers", "refdesk", "enabled"], SettingValue::Bool(false)),
            Switch::of_project(
                Both,
                &["projects", WORKSPACE_PLACEHOLDER, "trust_level"],
                SettingValue::Text("untrusted"),
            ),
        ],
        consent: Some(Consent {
            part: Both,
            shown_by: &[(&["projects", WORKSPACE_PLACEHOLDER, "trust_level"], SettingValue::Text("trusted"))],
            missing: "it does not read the settings of this workspace until you trust the folder",
            fix: "start Codex in this folder, trust the folder, and review the hooks with /hooks",
        }),
    },
    restart: "restart Codex in a project that it trusts",
    then: Some((Hooks, "review the hooks with /hooks")),
};
