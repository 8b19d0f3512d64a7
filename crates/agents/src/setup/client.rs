//! The agents that can be connected: where each keeps its settings and which of its hooks to use. One table, from the
//! public documentation of each; `hook` answers them.

use serde_json::{Map, Value, json};

/// Timeout after which the agent gives up a hook. It takes milliseconds; only an overloaded machine reaches the
/// timeout.
const SECONDS: u64 = 10;

/// An agent's settings file and hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// The name used in `refdesk connect`.
    pub word: &'static str,
    /// The folder of its settings, in the workspace or in the home folder.
    pub folder: &'static str,
    /// The name of the file in it.
    pub file: &'static str,
    /// The environment variable that moves the user's settings.
    pub moved: SettingsVariable,
    /// The format of an entry.
    form: Form,
    /// The hooks that refdesk answers, with the pattern of tools whose results it needs.
    hooks: &'static [(&'static str, Option<&'static str>)],
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
}

/// The format of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A matcher and a list of commands, with a time limit in seconds.
    Group,
    /// The same with a name for the command, and the limit in milliseconds.
    NamedGroup,
    /// The command itself, next to its matcher; the file has a version.
    Flat,
}

/// Uses tools that bring new text into the conversation: files, command output, pages, MCP servers. Tools that only
/// list paths (`Glob`) are left out, since tags do not match inside paths; so are edits, which repeat the agent's own
/// words.
const CLIENTS: [Client; 4] = [
    Client {
        word: "claude-code",
        folder: ".claude",
        file: "settings.json",
        moved: SettingsVariable::Folder("CLAUDE_CONFIG_DIR"),
        form: Form::Group,
        hooks: &[
            ("SessionStart", None),
            ("UserPromptSubmit", None),
            ("PostToolUse", Some("^(Read|Grep|Bash|WebFetch|WebSearch|mcp__.*)$")),
        ],
    },
    Client {
        word: "gemini-cli",
        folder: ".gemini",
        file: "settings.json",
        moved: SettingsVariable::Home("GEMINI_CLI_HOME"),
        form: Form::NamedGroup,
        hooks: &[
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
    },
    Client {
        word: "codex",
        folder: ".codex",
        file: "hooks.json",
        moved: SettingsVariable::Folder("CODEX_HOME"),
        form: Form::Group,
        hooks: &[("SessionStart", None), ("UserPromptSubmit", None), ("PostToolUse", Some("^(Bash|mcp__.*)$"))],
    },
    Client {
        word: "cursor",
        folder: ".cursor",
        file: "hooks.json",
        moved: SettingsVariable::Never,
        form: Form::Flat,
        // Its `beforeSubmitPrompt` can block a prompt but not add to it.
        hooks: &[("sessionStart", None), ("postToolUse", Some("^(Shell|Read|Grep|MCP:.*)$")), ("preCompact", None)],
    },
];

impl Client {
    /// The agent with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        CLIENTS.into_iter().find(|client| client.word == word)
    }

    /// The names of all agents.
    pub fn words() -> impl Iterator<Item = &'static str> {
        CLIENTS.iter().map(|client| client.word)
    }

    /// The entries that make it run this command, each with its event.
    pub(super) fn entries(&self, command: &str) -> Vec<(&'static str, Value)> {
        self.hooks.iter().map(|(event, matcher)| (*event, self.entry(command, *matcher))).collect()
    }

    /// Another top-level member that the file needs.
    pub(super) fn version(&self) -> Option<(&'static str, Value)> {
        (self.form == Form::Flat).then(|| ("version", json!(1)))
    }

    fn entry(&self, command: &str, matcher: Option<&str>) -> Value {
        let handler = match self.form {
            Form::Group => json!({"type": "command", "command": command, "timeout": SECONDS}),
            Form::NamedGroup => {
                json!({"name": "refdesk", "type": "command", "command": command, "timeout": SECONDS * 1000})
            }
            Form::Flat => json!({"command": command, "timeout": SECONDS}),
        };
        let mut entry = Map::new();
        if let Some(matcher) = matcher {
            entry.insert("matcher".into(), json!(matcher));
        }
        match (self.form, handler) {
            (Form::Flat, Value::Object(handler)) => entry.extend(handler),
            (_, handler) => {
                entry.insert("hooks".into(), json!([handler]));
            }
        }
        Value::Object(entry)
    }
}
