//! Claude Code (code.claude.com/docs/en/hooks, /mcp). A project's servers are in a separate file; the user's are in the
//! file that also holds the program's state.

use super::hooks::HookForm;
use super::server::McpServer;
use super::switches::ConnectedPart::{Hooks, Server};
use super::switches::{Consent, SettingValue, Switch, SwitchFile, Switches, WORKSPACE_PLACEHOLDER};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FOLDER: SettingsVariable = SettingsVariable::Folder("CLAUDE_CONFIG_DIR");

/// Rules that deny all tools of the server.
const DENIED: &[&str] = &["mcp__refdesk", "mcp__refdesk__*", "mcp__*"];

pub(super) const CLIENT: Client = Client {
    word: "claude-code",
    name: "Claude Code",
    programs: &["claude"],
    markers: &[".claude", "CLAUDE.md"],
    hooks: Some(super::Hooks {
        places: SettingsPlaces::alike(".claude", &["settings.json"], FOLDER),
        form: HookForm::Group,
        events: &[
            ("SessionStart", None),
            ("SubagentStart", None),
            ("UserPromptSubmit", None),
            ("PostToolUse", Some("^(Read|Grep|Bash|WebFetch|WebSearch|mcp__.*)$")),
        ],
    }),
    server: McpServer::usual(SettingsPlaces {
        project: Some(SettingsPlace::fixed("", &[".mcp.json"])),
        user: SettingsPlace::moved_by("", &[".claude.json"], FOLDER),
    }),
    switches: Switches {
        files: &[
            SwitchFile::project(SettingsPlace::fixed(".claude", &["settings.local.json"])),
            SwitchFile::project(SettingsPlace::fixed(".claude", &["settings.json"])),
            SwitchFile::user(SettingsPlace::moved_by(".claude", &["settings.json"], FOLDER)),
            SwitchFile::user(SettingsPlace::moved_by("", &[".claude.json"], FOLDER)),
        ],
        switches: &[
            Switch::new(Hooks, &["disableAllHooks"], SettingValue::Bool(true)),
            Switch::of_project(Server, &["disabledMcpjsonServers"], SettingValue::Listed),
            Switch::of_project(
                Server,
                &["projects", WORKSPACE_PLACEHOLDER, "disabledMcpjsonServers"],
                SettingValue::Listed,
            ),
            Switch::new(Server, &["projects", WORKSPACE_PLACEHOLDER, "disabledMcpServers"], SettingValue::Listed),
            Switch::new(Server, &["deniedMcpServers"], SettingValue::Listed),
            Switch::new(Server, &["allowedMcpServers"], SettingValue::Unlisted),
            Switch::new(Server, &["permissions", "deny"], SettingValue::ListedAs(DENIED)),
        ],
        consent: Some(Consent {
            part: Server,
            shown_by: &[
                (&["enableAllProjectMcpServers"], SettingValue::Bool(true)),
                (&["enabledMcpjsonServers"], SettingValue::Listed),
                (&["projects", WORKSPACE_PLACEHOLDER, "enabledMcpjsonServers"], SettingValue::Listed),
            ],
            missing: "it will ask whether to start the server",
            fix: "start Claude Code in this folder, and allow the server refdesk",
        }),
    },
    restart: "restart Claude Code",
    then: Some((Server, "allow the server refdesk when it asks")),
};
