//! Gemini CLI (`docs/hooks`, `docs/tools/mcp-server.md` of `google-gemini/gemini-cli`): hooks and servers are in one file.

use super::hooks::{HookForm, Hooks};
use super::server::{McpServer, ServerForm, SettingsFormat};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const PLACES: SettingsPlaces = SettingsPlaces {
    project: Some(SettingsPlace::fixed(".gemini", &["settings.json"])),
    user: SettingsPlace::moved_by(".gemini", &["settings.json"], SettingsVariable::Home("GEMINI_CLI_HOME")),
};

pub(super) const CLIENT: Client = Client {
    word: "gemini-cli",
    name: "Gemini CLI",
    programs: &["gemini"],
    traces: &[".gemini", "GEMINI.md"],
    hooks: Some(Hooks {
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
            // What was given before is then gone.
            ("PreCompress", None),
        ],
    }),
    server: McpServer {
        places: PLACES,
        format: SettingsFormat::Json,
        keys: &["mcpServers"],
        other_keys: None,
        form: ServerForm::Plain,
        starts_elsewhere: false,
    },
    restart: "restart Gemini CLI, in a folder that it trusts",
};
