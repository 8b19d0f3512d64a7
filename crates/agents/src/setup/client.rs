//! The supported agents, one file each, following their public documentation: where each keeps its settings, which of
//! its hooks to use, and how it starts a server.

mod claude_code;
mod codex;
mod cursor;
mod gemini_cli;
mod goose;
mod hooks;
mod opencode;
mod server;
mod switches;
mod vscode;

pub use hooks::Hooks;
pub use server::{McpServer, ServerCommand};
pub(super) use server::{SERVER, SettingsFormat, foreign_keys, switched_off};
use switches::ConnectedPart;
pub use switches::{SwitchFile, SwitchPaths, SwitchProblem, SwitchText, Switches};

use refdesk_text::nearest::nearest;
use serde_json::Value;

/// All agents, in display order.
const CLIENTS: [Client; 7] = [
    claude_code::CLIENT,
    gemini_cli::CLIENT,
    codex::CLIENT,
    cursor::CLIENT,
    vscode::CLIENT,
    opencode::CLIENT,
    goose::CLIENT,
];

/// An agent: how to detect it, and what to write where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// The name used in `refdesk connect`.
    pub word: &'static str,
    /// The product name.
    pub name: &'static str,
    /// The names of its program on `PATH`.
    pub programs: &'static [&'static str],
    /// Files and folders in a workspace that show the agent is used there.
    pub markers: &'static [&'static str],
    /// Its hooks; `None` if refdesk cannot answer any.
    pub hooks: Option<Hooks>,
    /// How it starts a server.
    pub server: McpServer,
    /// Settings outside our entries that can disable them.
    pub switches: Switches,
    /// How to make the agent reload its settings.
    restart: &'static str,
    /// A further step once this part is connected.
    then: Option<(ConnectedPart, &'static str)>,
}

/// The settings files of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingsPlaces {
    /// In the workspace; `None` if the agent reads none there.
    pub project: Option<SettingsPlace>,
    /// In the home folder.
    pub user: SettingsPlace,
}

/// The location of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingsPlace {
    /// Its folder, relative to the workspace or the home folder; may be empty.
    pub folder: &'static str,
    /// Its possible names. The first one that exists is used, else the first.
    pub files: &'static [&'static str],
    /// The environment variable that moves it.
    pub moved: SettingsVariable,
}

/// How an environment variable moves a user's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsVariable {
    /// There is no such variable.
    Never,
    /// The variable is the settings folder.
    Folder(&'static str),
    /// The variable replaces the home folder.
    Home(&'static str),
    /// The variable is a folder that contains the settings folder, at this path.
    Below(&'static str, &'static str),
}

impl Client {
    /// The agent with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        CLIENTS.into_iter().find(|client| client.word == word)
    }

    /// Guesses which agent a name means: by its program, its product name, a prefix, or one of these with a typo.
    pub fn named_like(word: &str) -> Option<Self> {
        let plain = |name: &str| name.to_lowercase().replace([' ', '_'], "-");
        let wanted = plain(word);
        let is_program = |client: &Self| client.programs.iter().any(|program| plain(program) == wanted);
        let begins = |client: &Self| {
            !wanted.is_empty() && [client.word, client.name].iter().any(|name| plain(name).starts_with(&wanted))
        };
        let near = |client: &Self| {
            let first = client.word.split('-').next();
            nearest(&wanted, client.programs.iter().copied().chain([client.word]).chain(first)).is_some()
        };
        Self::all().find(is_program).or_else(|| Self::all().find(begins)).or_else(|| Self::all().find(near))
    }

    /// Every agent.
    pub fn all() -> impl Iterator<Item = Self> {
        CLIENTS.into_iter()
    }

    /// The names of all agents.
    pub fn words() -> impl Iterator<Item = &'static str> {
        CLIENTS.iter().map(|client| client.word)
    }

    /// The folder in the home folder that exists if the user has configured the agent.
    pub fn user_folder(&self) -> SettingsPlace {
        self.hooks.map_or(self.server.places.user, |hooks| hooks.places.user)
    }

    /// How to make the agent use these parts; `parts` says whether hooks and a server are connected.
    pub fn restart(&self, parts: (bool, bool)) -> String {
        match self.then {
            Some((part, then)) if part.is_among(parts) => format!("{}, and {then}", self.restart),
            _ => self.restart.to_owned(),
        }
    }

    /// The entries that make the agent run this command, each with its event.
    pub(super) fn entries(&self, command: &str) -> Vec<(&'static str, Value)> {
        self.hooks.map(|hooks| hooks.entries(command)).unwrap_or_default()
    }

    /// A further top-level member that the hooks file requires.
    pub(super) fn version(&self) -> Option<(&'static str, Value)> {
        self.hooks.and_then(|hooks| hooks.version())
    }
}

impl SettingsPlaces {
    /// The same files in the workspace and in the home folder, where a variable may move them.
    const fn alike(folder: &'static str, files: &'static [&'static str], moved: SettingsVariable) -> Self {
        Self { project: Some(SettingsPlace::fixed(folder, files)), user: SettingsPlace::moved_by(folder, files, moved) }
    }
}

impl SettingsPlace {
    const fn fixed(folder: &'static str, files: &'static [&'static str]) -> Self {
        Self { folder, files, moved: SettingsVariable::Never }
    }

    const fn moved_by(folder: &'static str, files: &'static [&'static str], moved: SettingsVariable) -> Self {
        Self { folder, files, moved }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_for_an_agent() {
        for (word, expected) in [
            ("claude", Some("claude-code")),
            ("Claude Code", Some("claude-code")),
            ("claude_code", Some("claude-code")),
            ("gemini", Some("gemini-cli")),
            ("code", Some("vscode")),
            ("VS Code", Some("vscode")),
            ("cursor-agent", Some("cursor")),
            ("open", Some("opencode")),
            ("cluade", Some("claude-code")),
            ("claude-cod", Some("claude-code")),
            ("gemni", Some("gemini-cli")),
            ("vscod", Some("vscode")),
            ("aider", None),
            ("", None),
        ] {
            assert_eq!(Client::named_like(word).map(|client| client.word), expected, "{word}");
        }
    }

    #[test]
    fn only_what_a_part_needs_is_asked_for() {
        for (word, parts, expected) in [
            ("claude-code", (true, true), "restart Claude Code, and allow the server refdesk when it asks"),
            ("claude-code", (true, false), "restart Claude Code"),
            ("codex", (false, true), "restart Codex in a project that it trusts"),
            ("codex", (true, false), "restart Codex in a project that it trusts, and review the hooks with /hooks"),
            ("opencode", (false, true), "restart opencode"),
        ] {
            assert_eq!(Client::from_word(word).unwrap().restart(parts), expected, "{word} {parts:?}");
        }
    }

    #[test]
    fn names_are_unique_and_every_agent_can_be_found() {
        let words: Vec<&str> = Client::words().collect();
        let unique: std::collections::BTreeSet<_> = words.iter().collect();
        assert_eq!(unique.len(), words.len());
        for client in Client::all() {
            assert_eq!(Client::from_word(client.word), Some(client));
            assert!(!client.programs.is_empty() && !client.markers.is_empty(), "{}", client.word);
            let places = client.hooks.iter().map(|hooks| hooks.places).chain([client.server.places]);
            for place in places.flat_map(|places| places.project.into_iter().chain([places.user])) {
                assert!(!place.files.is_empty(), "{}", client.word);
            }
        }
    }
}
