//! Gemini CLI (`docs/hooks`, `docs/tools/mcp-server.md` of `google-gemini/gemini-cli`): hooks and servers are in one file.

use super::hooks::HookForm;
use super::server::McpServer;
use super::switches::ConnectedPart::{Both, Hooks, Server};
use super::switches::{Consent, SettingValue, Switch, SwitchFile, Switches, WORKSPACE_PLACEHOLDER};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const HOME: SettingsVariable = SettingsVariable::Home("GEMINI_CLI_HOME");

const PLACES: SettingsPlaces = SettingsPlaces::alike(".gemini", &["settings.json"], HOME);

pub(super) const CLIENT: Client = Client {
    word: "gemini-cli",
    name: "Gemini CLI",
    programs: &["gemini"],
    markers: &[".gemini", "GEMINI.md"],
    hooks: Some(super::Hooks {
        places: PLACES,
        form: HookForm::NamedGroup,
        events: &[
            ("SessionStart", None),
            ("BeforeAgent", None),
            (
                "AfterTool",
                Some(
                    "^(read_file|read_many_files|grep_search|search_file_content|run_shell_command|web_fetch|google_web_search|mcp_.*)$",
                ),
            ),
            // Compression drops the context given before.
            ("PreCompress", None),
        ],
    }),
    server: McpServer::usual(PLACES),
    switches: Switches {
        files: &[
            SwitchFile::project(SettingsPlace::fixed(".gemini", &["settings.json"])),
            SwitchFile::user(PLACES.user),
            SwitchFile::user(SettingsPlace::moved_by(".gemini", &["mcp-server-enablement.json"], HOME)),
            SwitchFile::user(SettingsPlace::moved_by(".gemini", &["trustedFolders.json"], HOME)),
        ],
        switches: &[
            Switch::new(Hooks, &["hooksConfig", "enabled"], SettingValue::Bool(false)),
            Switch::new(Hooks, &["hooksConfig", "disabled"], SettingValue::Listed),
            Switch::new(Server, &["mcp", "excluded"], SettingValue::Listed),
            Switch::new(Server, &["mcp", "allowed"], SettingValue::Unlisted),
            Switch::new(Server, &["refdesk", "enabled"], SettingValue::Bool(false)),
            Switch::of_project(Both, &[WORKSPACE_PLACEHOLDER], SettingValue::Text("DO_NOT_TRUST")),
        ],
        consent: Some(Consent {
            part: Both,
            shown_by: &[
                (&[WORKSPACE_PLACEHOLDER], SettingValue::Text("TRUST_FOLDER")),
                (&[WORKSPACE_PLACEHOLDER], SettingValue::Text("TRUST_PARENT")),
                (&["security", "folderTrust", "enabled"], SettingValue::Bool(false)),
            ],
            missing: "it does not read the settings of this workspace until you trust the folder",
            fix: "start Gemini CLI in this folder, and trust the folder",
        }),
    },
    restart: "restart Gemini CLI, in a folder that it trusts",
    then: None,
};
