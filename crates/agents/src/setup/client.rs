//! The agents that can be connected: where each keeps its settings and which of its hooks are worth a call. One table, by
//! the public documentation of each; what a hook answers is the business of `hook`.

use serde_json::{Map, Value, json};

/// A hook that takes longer is given up by the agent. It takes milliseconds; only a machine in distress gets there.
const SECONDS: u64 = 10;

/// An agent, seen from its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// As it is written behind `refdesk connect`.
    pub word: &'static str,
    /// The folder of its settings, in the workspace and in the home folder.
    pub folder: &'static str,
    /// The file in it.
    pub file: &'static str,
    /// The environment variable that puts the settings of the user elsewhere.
    pub moved: Moved,
    /// What an entry looks like.
    form: Form,
    /// The hooks that the desk answers, and which tools' results it wants to hear of.
    hooks: &'static [(&'static str, Option<&'static str>)],
}

/// Where an environment variable puts the settings of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// Nowhere: there is none.
    Never,
    /// It names the folder itself.
    Folder(&'static str),
    /// It names what takes the place of the home folder.
    Home(&'static str),
}

/// What an entry looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A matcher and a list of commands, with a time limit in seconds.
    Group,
    /// The same with a name for the command and the limit in milliseconds.
    NamedGroup,
    /// The command itself, with its matcher beside it; the file names its version.
    Flat,
}

/// Tools that bring text the conversation did not hold: files, what commands print, pages, foreign servers. What only lists
/// paths (`Glob`) holds no tag, since a tag is none inside a path; what edits repeats the agent's own words.
const CLIENTS: [Client; 4] = [
    Client {
        word: "claude-code",
        folder: ".claude",
        file: "settings.json",
        moved: Moved::Folder("CLAUDE_CONFIG_DIR"),
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
        moved: Moved::Home("GEMINI_CLI_HOME"),
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
            // What was told before is gone then.
            ("PreCompress", None),
        ],
    },
    Client {
        word: "codex",
        folder: ".codex",
        file: "hooks.json",
        moved: Moved::Folder("CODEX_HOME"),
        form: Form::Group,
        hooks: &[("SessionStart", None), ("UserPromptSubmit", None), ("PostToolUse", Some("^(Bash|mcp__.*)$"))],
    },
    Client {
        word: "cursor",
        folder: ".cursor",
        file: "hooks.json",
        moved: Moved::Never,
        form: Form::Flat,
        // Its `beforeSubmitPrompt` can stop a prompt and add nothing to it.
        hooks: &[("sessionStart", None), ("postToolUse", Some("^(Shell|Read|Grep|MCP:.*)$")), ("preCompact", None)],
    },
];

impl Client {
    /// The agent of this name.
    pub fn from_word(word: &str) -> Option<Self> {
        CLIENTS.into_iter().find(|client| client.word == word)
    }

    /// The names of all.
    pub fn words() -> impl Iterator<Item = &'static str> {
        CLIENTS.iter().map(|client| client.word)
    }

    /// The entries that let it call this command, with the event each belongs to.
    pub(super) fn entries(&self, command: &str) -> Vec<(&'static str, Value)> {
        self.hooks.iter().map(|(event, matcher)| (*event, self.entry(command, *matcher))).collect()
    }

    /// What else the file must say at its top.
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
