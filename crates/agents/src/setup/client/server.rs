//! How an agent's settings list a server: the entry, its place in the file, and the command in an entry.

use std::path::Path;

use serde_json::{Value, json};

use super::super::command::is_named;
use super::SettingsPlaces;

/// The name of our entry.
pub(in crate::setup) const SERVER: &str = "refdesk";

/// The variable that the agent expands to the workspace folder.
pub(in crate::setup) const WORKSPACE_FOLDER: &str = "${workspaceFolder}";

/// Where an agent lists its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpServer {
    /// The settings files.
    pub places: SettingsPlaces,
    pub(in crate::setup) format: SettingsFormat,
    /// The path of keys to the list of servers.
    pub(in crate::setup) keys: &'static [&'static str],
    /// An alternative path, used in files that have it.
    pub(in crate::setup) other_keys: Option<&'static [&'static str]>,
    pub(super) form: ServerForm,
    /// Whether the agent starts a workspace's server elsewhere, so that its command must name the folder.
    pub(super) starts_elsewhere: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::setup) enum SettingsFormat {
    /// JSON with comments.
    Json,
    Toml,
    Yaml,
}

/// The format of a server's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerForm {
    /// `command` and `args`.
    Plain,
    /// Like `Plain`, with the type `stdio`.
    Typed,
    /// One list of the program and its arguments, with the type `local`.
    List,
    /// An extension of goose.
    Extension,
}

/// The command that starts a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program: a name on `PATH`, or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl ServerCommand {
    /// The program, then its arguments.
    pub fn words(&self) -> Vec<&str> {
        std::iter::once(self.program.as_str()).chain(self.args.iter().map(String::as_str)).collect()
    }

    /// The same command with the agent's workspace variable expanded.
    #[must_use]
    pub(crate) fn in_workspace(&self, workspace: &str) -> Self {
        let replaced = |word: &String| word.replace(WORKSPACE_FOLDER, workspace);
        Self { program: replaced(&self.program), args: self.args.iter().map(replaced).collect() }
    }

    /// Whether it starts refdesk's server, from any path and with any options.
    pub(in crate::setup) fn is_ours(&self) -> bool {
        is_named(Path::new(&self.program)) && self.args.iter().any(|word| word == "mcp")
    }
}

impl McpServer {
    /// A server as most agents list it.
    pub(super) const fn usual(places: SettingsPlaces) -> Self {
        Self {
            places,
            format: SettingsFormat::Json,
            keys: &["mcpServers"],
            other_keys: None,
            form: ServerForm::Plain,
            starts_elsewhere: false,
        }
    }

    /// The command to write into this agent's settings; `for_user` if these are the user's own.
    pub fn command(&self, program: &str, for_user: bool) -> ServerCommand {
        let names_workspace = self.starts_elsewhere && !for_user;
        let workspace: &[&str] = if names_workspace { &["--workspace", WORKSPACE_FOLDER] } else { &[] };
        let args = workspace.iter().chain(&["mcp"]).map(|word| (*word).to_owned()).collect();
        ServerCommand { program: program.to_owned(), args }
    }

    /// The entry that runs this command.
    pub(in crate::setup) fn entry(&self, command: &ServerCommand) -> Value {
        let ServerCommand { program, args } = command;
        match self.form {
            ServerForm::Plain => json!({"command": program, "args": args}),
            ServerForm::Typed => json!({"type": "stdio", "command": program, "args": args}),
            ServerForm::List => json!({"type": "local", "command": command.words(), "enabled": true}),
            ServerForm::Extension => json!({
                "enabled": true, "type": "stdio", "name": SERVER, "description": "References of the workspace",
                "cmd": program, "args": args, "timeout": 300,
            }),
        }
    }

    /// Whether `connect` would write this entry for this command. Agents that rewrite the entry add its type and empty
    /// keys, which are ignored.
    pub(in crate::setup) fn is_written(&self, entry: &Value, command: &ServerCommand) -> bool {
        let is_command = |for_user| *command == self.command(&command.program, for_user);
        let written = self.entry(command);
        let has_all = written.as_object().into_iter().flatten().all(|(key, value)| entry.get(key) == Some(value));
        let kind = |key: &str, value: &Value| key == "type" && value == "stdio" && self.form == ServerForm::Plain;
        let others = foreign_keys(entry, |key, value| written.get(key).is_some() || kind(key, value));
        (is_command(true) || is_command(false)) && has_all && others.is_empty()
    }

    /// The command in an entry; `None` if it starts no program or is disabled.
    pub(in crate::setup) fn command_of(&self, entry: &Value) -> Option<ServerCommand> {
        if switched_off(entry).is_some() { None } else { self.listed_command(entry) }
    }

    /// The command in an entry, even in a disabled one.
    pub(in crate::setup) fn listed_command(&self, entry: &Value) -> Option<ServerCommand> {
        let strings = |value: Option<&Value>| -> Option<Vec<String>> {
            value.map_or(Some(Vec::new()), |value| {
                value.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
            })
        };
        let (program, args) = match self.form {
            ServerForm::Plain | ServerForm::Typed => ("command", "args"),
            ServerForm::Extension => ("cmd", "args"),
            ServerForm::List => {
                let mut words = strings(entry.get("command"))?.into_iter();
                return Some(ServerCommand { program: words.next()?, args: words.collect() });
            }
        };
        Some(ServerCommand { program: entry.get(program)?.as_str()?.to_owned(), args: strings(entry.get(args))? })
    }

    /// The keys of an entry that change what is started or how, and that we do not write.
    pub(in crate::setup) fn foreign_keys(&self, entry: &Value) -> Vec<String> {
        let kind = if self.form == ServerForm::List { "local" } else { "stdio" };
        let (program, args) = match self.form {
            ServerForm::Plain | ServerForm::Typed => ("command", "args"),
            ServerForm::List => ("command", "command"),
            ServerForm::Extension => ("cmd", "args"),
        };
        foreign_keys(entry, |key, value| match key {
            "type" => value == kind,
            "enabled" => *value == json!(true),
            "disabled" => *value == json!(false),
            "name" | "description" => value.is_string(),
            // Timeouts, and whether the agent asks the user before it calls a tool.
            "timeout" | "startup_timeout_sec" | "startup_timeout_ms" | "tool_timeout_sec" => value.is_number(),
            "trust" | "required" => value.is_boolean(),
            _ => key == program || key == args,
        })
    }
}

/// The key that disables an entry, with its value.
pub(in crate::setup) fn switched_off(entry: &Value) -> Option<&'static str> {
    let is_set = |key: &str, off: bool| entry.get(key).and_then(Value::as_bool) == Some(off);
    match () {
        () if is_set("enabled", false) => Some("`enabled` is false"),
        () if is_set("disabled", true) => Some("`disabled` is true"),
        () => None,
    }
}

/// The keys of an object that are not ours; empty keys, which agents add when they rewrite an entry, do not count.
pub(in crate::setup) fn foreign_keys(object: &Value, is_ours: impl Fn(&str, &Value) -> bool) -> Vec<String> {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    let members = object.as_object().into_iter().flatten();
    members.filter(|(key, value)| !is_empty(value) && !is_ours(key, value)).map(|(key, _)| key.clone()).collect()
}
