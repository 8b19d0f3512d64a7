//! goose (`documentation/docs/guides/config-files.md` of `aaif-goose/goose`): a server, which it calls an extension. It
//! has no workspace settings.

use super::Switches;
use super::server::{McpServer, ServerForm, SettingsFormat};
use super::{Client, SettingsPlace, SettingsPlaces, SettingsVariable};

const FILES: &[&str] = &["config.yaml"];

const USER: SettingsPlace =
    SettingsPlace::moved_by(".config/goose", FILES, SettingsVariable::Below("XDG_CONFIG_HOME", "goose"));

pub(super) const CLIENT: Client = Client {
    word: "goose",
    name: "goose",
    programs: &["goose"],
    markers: &[".goosehints", ".goose"],
    hooks: None,
    server: McpServer {
        format: SettingsFormat::Yaml,
        keys: &["extensions"],
        form: ServerForm::Extension,
        ..McpServer::usual(SettingsPlaces { project: None, user: USER })
    },
    switches: Switches::NONE,
    restart: "start a new session of goose in this folder",
    then: None,
};
