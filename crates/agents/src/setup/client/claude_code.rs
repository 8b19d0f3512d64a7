//! Claude Code (code.claude.com/docs/en/hooks, /mcp). A project's servers are in a file of their own; the user's are in
//! the file that also contains the state of the program.

use super::hooks::{HookForm, Hooks};
use super::server::{McpServer, ServerForm, SettingsFormat};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FOLDER: SettingsVariable = SettingsVariable::Folder("CLAUDE_CONFIG_DIR");

pub(super) const CLIENT: Client = Client {
    word: "claude-code",
    name: "Claude Code",
    programs: &["claude"],
    traces: &[".claude", "CLAUDE.md"],
    hooks: Some(Hooks {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed(".claude", &["settings.json"])),
            user: SettingsPlace::moved_by(".claude", &["settings.json"], FOLDER),
        },
        form: HookForm::Group,
        events: &[
            ("SessionStart", None),
            ("UserPromptSubmit", None),
            ("PostToolUse", Some("^(Read|Grep|Bash|WebFetch|WebSearch|mcp__.*)$")),
        ],
    }),
    server: McpServer {
        places: SettingsPlaces {
            project: Some(SettingsPlace::fixed("", &[".mcp.json"])),
            user: SettingsPlace::moved_by("", &[".claude.json"], FOLDER),
        },
        format: SettingsFormat::Json,
        keys: &["mcpServers"],
        other_keys: None,
        form: ServerForm::Plain,
        starts_elsewhere: false,
    },
    restart: "restart Claude Code, and allow the server refdesk when it asks",
};
