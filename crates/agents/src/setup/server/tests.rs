//! Typical settings files that list servers, each connected and disconnected: tests what is added, what stays, and that
//! disconnecting restores the file byte for byte.

use super::super::{Client, Disconnected, Record, ServerCommand};
use super::*;

pub(super) fn command(client: &Client) -> ServerCommand {
    client.server.command("refdesk", false)
}

/// Connects; returns the text and the record.
#[track_caller]
pub(super) fn connected(
    text: Option<&str>,
    client: &Client,
    command: &ServerCommand,
    record: Option<&Record>,
) -> (String, Record) {
    match connect_server(text, &client.server, command, record, &|_| true) {
        Ok(Connected::Write { text, record }) => (text, *record),
        other => panic!("{}: {text:?}: {other:?}", client.word),
    }
}

/// The text after disconnecting; `None` if the file is removed.
#[track_caller]
pub(super) fn disconnected(text: &str, client: &Client, record: Option<&Record>) -> Option<String> {
    match disconnect_server(Some(text), &client.server, record, &|_| true) {
        Ok(Disconnected::Write(text)) => Some(text),
        Ok(Disconnected::Remove { .. }) => None,
        other => panic!("{}: {text}: {other:?}", client.word),
    }
}

fn client(word: &str) -> Client {
    Client::from_word(word).unwrap()
}

/// Files of each format; `LIST` stands for the key of the server list.
const JSON: [&str; 10] = [
    "",
    "{}",
    "{}\n",
    "{\"LIST\":{}}",
    "{\n  \"LIST\": {\n    \"other\": { \"command\": \"x\" } // mine\n  }\n}\n",
    "{\r\n\t\"LIST\": {\r\n\t\t\"other\": {},\r\n\t},\r\n\t// after\r\n}\r\n",
    "\u{feff}{\n    \"model\": \"opus\"\n}",
    "// only a comment\n",
    "{\"a\": [1, 2], \"LIST\": {\"b\": {\"command\": \"refdesk\"}}}",
    "/* x */ {\n\n  \"LIST\": {\n    // empty\n  }\n\n}",
];

const TOML: [&str; 10] = [
    "",
    "model = \"gpt\"\n",
    "model = \"gpt\"",
    "# mine\n",
    "[mcp_servers.other]\ncommand = \"x\" # mine\n\n[mcp_servers.other.env]\nA = \"[mcp_servers.refdesk]\"\n",
    "[mcp_servers]\n[mcp_servers.other]\r\ncommand = 'x'\r\n\r\n# end",
    "\u{feff}a = 1\r\n[b]\r\nc = 2\r\n\r\n",
    "mcp_servers.other.command = \"x\"\n",
    "[[list]]\na = 1\n[[list]]\na = 2\n",
    "text = \"\"\"\n[mcp_servers.refdesk]\ncommand = \"x\"\n\"\"\"\n",
];

const YAML: [&str; 13] = [
    "",
    "GOOSE_MODE: auto\n",
    "GOOSE_MODE: auto",
    "# mine\n",
    "extensions:\n  developer:\n    enabled: true # mine\n    args: [\"a\"]\n\nactive: x\n",
    "extensions:\n    developer:\n        enabled: true\n    # last\n",
    "a: 1\r\nextensions: # ours and theirs\r\n  b:\r\n    c: |\r\n      refdesk:\r\n        cmd: x\r\nd: 2\r\n",
    "extensions:\n",
    "extensions:",
    "extensions: {}\n",
    "extensions: {b: {cmd: x}} # flow\n",
    "\u{feff}a: 1\n\"extensions\":\n  b: 1\n",
    "a:\n- extensions:\n    b: 1\n",
];

fn files(client: &Client) -> Vec<String> {
    match client.server.format {
        SettingsFormat::Json => {
            let nested = client.server.keys.last().unwrap();
            JSON.iter().map(|text| text.replace("LIST", nested)).collect()
        }
        SettingsFormat::Toml => TOML.map(str::to_owned).to_vec(),
        SettingsFormat::Yaml => YAML.map(str::to_owned).to_vec(),
    }
}

/// Asserts that every other value is unchanged and that our server has this command.
#[track_caller]
pub(super) fn holds_server(before: Option<&str>, after: &str, client: &Client, command: &ServerCommand) {
    let listed = ListedServer { command: command.clone(), problem: None };
    assert_eq!(listed_server(after, &client.server), Ok(Some(listed)), "{after}");
    let list = |text: &str| List::of(split_mark(Some(text)).1, &client.server).unwrap();
    let keys = client.server.keys;
    assert_eq!(bare(list(before.unwrap_or_default()).value, keys), bare(list(after).value, keys), "{after}");
    assert_eq!(before.unwrap_or_default().starts_with('\u{feff}'), after.starts_with('\u{feff}'), "{after}");
}

#[test]
fn connecting_adds_the_server_and_disconnecting_restores_the_bytes() {
    for client in Client::all() {
        let files = files(&client);
        for before in files.iter().map(|text| Some(text.as_str())).chain([None]) {
            let command = command(&client);
            let (after, record) = connected(before, &client, &command, None);
            holds_server(before, &after, &client, &command);
            assert!(record.describes(&after));
            assert_eq!(
                connect_server(Some(&after), &client.server, &command, Some(&record), &|_| true),
                Ok(Connected::Already)
            );
            assert_eq!(disconnected(&after, &client, Some(&record)).as_deref(), before, "{}: {after}", client.word);
            if let Some(before) = before {
                assert_eq!(disconnect_server(Some(before), &client.server, None, &|_| true), Ok(Disconnected::Nothing));
            }
            // Another path replaces our entry, and disconnecting still restores the file.
            let moved = client.server.command("/opt/the \"tools\"/refdesk", true);
            let (again, record) = connected(Some(&after), &client, &moved, Some(&record));
            holds_server(before, &again, &client, &moved);
            assert_eq!(disconnected(&again, &client, Some(&record)).as_deref(), before, "{}: {again}", client.word);
        }
    }
}

#[test]
fn without_a_record_only_our_entry_is_removed() {
    for client in Client::all() {
        for before in files(&client) {
            let (after, mut record) = connected(Some(&before), &client, &command(&client), None);
            let without = disconnect_server(Some(&after), &client.server, None, &|_| true);
            // As after an edit.
            record.hash.clear();
            let edited = disconnect_server(Some(&after), &client.server, Some(&record), &|_| true);
            for left in [without, edited] {
                let left = match left {
                    Ok(Disconnected::Write(left)) => left,
                    // A list on one line cannot be edited without its record.
                    Err(error) if before.contains(": {") && client.word == "goose" => {
                        assert!(error.message.contains("cannot be removed without changing"), "{error}");
                        continue;
                    }
                    other => panic!("{after}: {other:?}"),
                };
                let list = |text: &str| List::of(split_mark(Some(text)).1, &client.server).unwrap();
                let keys = client.server.keys;
                assert_eq!(bare(list(&left).value, keys), bare(list(&before).value, keys), "{before}\n{after}\n{left}");
                assert!(list(&left).entry().is_none(), "{left}");
                let comments =
                    |text: &str| ["mine", "last", "ours and", "empty", "# end"].map(|it| text.matches(it).count());
                assert_eq!(comments(&left), comments(&before), "{left}");
            }
        }
    }
}

#[test]
fn the_entry_written_for_each_agent() {
    for (word, expected) in [
        (
            "claude-code",
            "{\n  \"mcpServers\": {\n    \"refdesk\": {\n      \"command\": \"refdesk\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
        ),
        (
            "cursor",
            "{\n  \"mcpServers\": {\n    \"refdesk\": {\n      \"command\": \"refdesk\",\n      \"args\": [\n        \"--workspace\",\n        \"${workspaceFolder}\",\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
        ),
        ("codex", "[mcp_servers.refdesk]\ncommand = \"refdesk\"\nargs = [\"mcp\"]\n"),
        (
            "vscode",
            "{\n  \"servers\": {\n    \"refdesk\": {\n      \"type\": \"stdio\",\n      \"command\": \"refdesk\",\n      \"args\": [\n        \"--workspace\",\n        \"${workspaceFolder}\",\n        \"mcp\"\n      ]\n    }\n  }\n}\n",
        ),
        (
            "opencode",
            "{\n  \"mcp\": {\n    \"refdesk\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"refdesk\",\n        \"mcp\"\n      ],\n      \"enabled\": true\n    }\n  }\n}\n",
        ),
        (
            "goose",
            "extensions:\n  refdesk:\n    enabled: true\n    type: stdio\n    name: refdesk\n    description: \"References of the workspace\"\n    cmd: refdesk\n    args: [\"mcp\"]\n    timeout: 300\n",
        ),
    ] {
        let client = client(word);
        assert_eq!(connected(None, &client, &command(&client), None).0, expected, "{word}");
    }
}

#[test]
fn a_handwritten_server_counts_and_another_program_with_our_name_is_refused() {
    let claude = client("claude-code");
    let by_hand = r#"{"mcpServers": {"refdesk": {"type": "stdio", "command": "refdesk", "args": ["mcp"], "env": {}}}}"#;
    assert_eq!(
        connect_server(Some(by_hand), &claude.server, &command(&claude), None, &|_| true),
        Ok(Connected::Already)
    );
    assert_eq!(disconnected(by_hand, &claude, None).as_deref(), Some("{}"));
    for (word, text, place) in [
        ("claude-code", "{\n  \"mcpServers\": {\n    \"refdesk\": {\"command\": \"docker\"}\n  }\n}", "3:5"),
        ("claude-code", "{\"refdesk\": 1, \"mcpServers\": {\"refdesk\": {\"command\": \"docker\"}}}", "1:31"),
        (
            "claude-code",
            "{\"mcpServers\": {\"refdesk\": {\"command\": \"refdesk\", \"args\": [\"mcp\"], \"disabled\": true}}}",
            "1:17",
        ),
        ("codex", "\n[mcp_servers.refdesk]\nurl = \"http://127.0.0.1\"\n", "2:14"),
        ("codex", "a = \"refdesk\"\nmcp_servers.refdesk.url = \"http://127.0.0.1\"\n", "2:13"),
        ("goose", "extensions:\n  refdesk:\n    enabled: false\n    cmd: refdesk\n    args: [mcp]\n", "2:3"),
    ] {
        let client = client(word);
        let error = connect_server(Some(text), &client.server, &command(&client), None, &|_| true).unwrap_err();
        assert_eq!(error.code, Code::EntryTaken, "{error}");
        assert!(error.message.starts_with(&format!("{place}: ")), "{error}");
        assert_eq!(disconnect_server(Some(text), &client.server, None, &|_| true), Ok(Disconnected::Nothing), "{text}");
    }
}

#[test]
fn a_handwritten_entry_is_replaced_and_restored() {
    let is_own = |program: &str| program == "refdesk";
    for (word, before) in [
        ("claude-code", "{\"mcpServers\":{\"refdesk\":{\"command\":\"/opt/refdesk\",\"args\":[\"mcp\"]}}}\n"),
        (
            "claude-code",
            "{\n  \"mcpServers\": {\n    \"refdesk\": { // mine\n      \"command\": \"refdesk\",\n      \"args\": [\"--desk\", \"x\", \"mcp\"]\n    },\n    \"b\": {}\n  }\n}",
        ),
        ("codex", "model = \"x\"\n\n[mcp_servers.refdesk]\ncommand = \"/opt/refdesk\" # mine\nargs = [\"mcp\"]\n"),
        (
            "codex",
            "[mcp_servers.refdesk]\r\ncommand = '/opt/refdesk'\r\nargs = ['mcp']\r\ntool_timeout_sec = 9\r\n[b]\r\n",
        ),
        ("vscode", "{\"servers\":{\"refdesk\":{\"command\":\"/opt/refdesk\",\"args\":[\"mcp\"]}}}\n"),
        ("opencode", "{\"mcp\":{\"refdesk\":{\"type\":\"local\",\"command\":[\"/opt/refdesk\",\"mcp\"]}}}\n"),
        ("goose", "extensions:\n  refdesk:\n    cmd: /opt/refdesk # mine\n    args:\n    - mcp\n  b: {}\n"),
    ] {
        let client = client(word);
        assert_eq!(
            disconnect_server(Some(before), &client.server, None, &is_own),
            Ok(Disconnected::Nothing),
            "{before}"
        );
        let wanted = command(&client);
        let Ok(Connected::Write { text: after, record }) =
            connect_server(Some(before), &client.server, &wanted, None, &is_own)
        else {
            panic!("{before}");
        };
        holds_server(Some(before), &after, &client, &wanted);
        let restored = Disconnected::Write(before.to_owned());
        let left = disconnect_server(Some(&after), &client.server, Some(&record), &is_own);
        assert_eq!(left.as_ref(), Ok(&restored), "{after}");
        // After connecting with another command, the same entry is restored.
        let moved = client.server.command("/new/refdesk", true);
        let (again, second) = connected(Some(&after), &client, &moved, Some(&record));
        let left = disconnect_server(Some(&again), &client.server, Some(&second), &is_own);
        assert_eq!(left.as_ref(), Ok(&restored), "{again}");
        // If the file was edited since, the entry is restored as a new one.
        for (text, record) in [(after, *record), (again, second)] {
            let edited = format!("{text}\n");
            let Ok(Disconnected::Write(left)) =
                disconnect_server(Some(&edited), &client.server, Some(&record), &is_own)
            else {
                panic!("{edited}");
            };
            let value = |text: &str| List::of(text, &client.server).unwrap().value;
            assert_eq!(value(&left), value(before), "{left}");
        }
    }
}

#[test]
fn an_entry_of_ours_with_keys_that_change_the_command_is_refused() {
    let json = |list: &str, rest: &str| {
        format!("{{\"{list}\": {{\"refdesk\": {{\"command\": \"refdesk\", \"args\": [\"mcp\"], {rest}}}}}}}")
    };
    let (stays, off) =
        ("connect does not write, so the agent would not run the server as it is tried out here", "is switched off: ");
    for (word, text, reported) in [
        ("claude-code", json("mcpServers", "\"env\": {\"HOME\": \"/x\"}"), Ok("`env`")),
        ("claude-code", json("mcpServers", "\"cwd\": \"/\", \"headers\": {\"a\": 1}"), Ok("`cwd` and `headers`")),
        ("claude-code", json("mcpServers", "\"type\": \"http\""), Ok("`type`")),
        ("claude-code", json("mcpServers", "\"disabled\": true"), Err("`disabled` is true")),
        ("claude-code", json("mcpServers", "\"disabled\": \"yes\""), Ok("`disabled`")),
        ("cursor", json("mcpServers", "\"envFile\": \".env\""), Ok("`envFile`")),
        (
            "vscode",
            json("servers", "\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"e\": 1"),
            Ok("`a`, `b`, `c`, `d` and 1 more"),
        ),
        (
            "opencode",
            "{\"mcp\": {\"refdesk\": {\"command\": [\"refdesk\", \"mcp\"], \"environment\": {\"A\": \"b\"}}}}"
                .to_owned(),
            Ok("`environment`"),
        ),
        (
            "codex",
            "[mcp_servers.refdesk]\ncommand = \"refdesk\"\nargs = [\"mcp\"]\n[mcp_servers.refdesk.env]\nA = \"b\"\n"
                .to_owned(),
            Ok("`env`"),
        ),
        (
            "codex",
            "[mcp_servers.refdesk]\ncommand = \"refdesk\"\nargs = [\"mcp\"]\ndisabled_tools = [\"listReferences\"]\n"
                .to_owned(),
            Ok("`disabled_tools`"),
        ),
        (
            "goose",
            "extensions:\n  refdesk:\n    cmd: refdesk\n    args: [mcp]\n    envs: {A: b}\n".to_owned(),
            Ok("`envs`"),
        ),
        (
            "goose",
            "extensions:\n  refdesk:\n    cmd: refdesk\n    args: [mcp]\n    enabled: false\n".to_owned(),
            Err("`enabled` is false"),
        ),
    ] {
        let client = client(word);
        let found = listed_server(&text, &client.server).unwrap().unwrap().problem.unwrap();
        let expected = match reported {
            Ok(keys) => format!(" has {keys}, which {stays}"),
            Err(how) => format!(" {off}{how}"),
        };
        assert!(found.message.ends_with(&expected), "{word}: {}", found.message);
        let error = connect_server(Some(&text), &client.server, &command(&client), None, &|_| true).unwrap_err();
        assert_eq!((error.code, error.message.ends_with(&found.message)), (Code::EntryTaken, true), "{error}");
    }
    // Keys that agents add when they rewrite the entry, and keys that people add without changing the command.
    let goose = "extensions:\n  refdesk:\n    enabled: true\n    type: stdio\n    name: refdesk\n    cmd: refdesk\n    args: [mcp]\n    envs: {}\n    env_keys: []\n    timeout: 300\n    bundled: null\n";
    let codex = "[mcp_servers.refdesk]\ncommand = \"refdesk\"\nargs = [\"mcp\"]\nstartup_timeout_sec = 20\ntool_timeout_sec = 60.5\nrequired = true\n";
    for (word, text) in
        [("goose", goose), ("codex", codex), ("gemini-cli", &json("mcpServers", "\"trust\": true, \"timeout\": 9000"))]
    {
        let client = client(word);
        assert_eq!(
            connect_server(Some(text), &client.server, &command(&client), None, &|_| true),
            Ok(Connected::Already)
        );
    }
}

#[test]
fn version_2_of_opencode_lists_servers_one_level_deeper() {
    let client = client("opencode");
    let before = "{\n  \"mcp\": {\n    \"servers\": {\n      \"other\": {\"type\": \"local\"}\n    }\n  }\n}\n";
    let (after, record) = connected(Some(before), &client, &command(&client), None);
    let value = json::value(&after).unwrap().unwrap();
    assert!(value.pointer("/mcp/servers/refdesk").is_some(), "{after}");
    assert_eq!(disconnected(&after, &client, Some(&record)).as_deref(), Some(before));
    // In version 1, a server may have that name.
    let before = "{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"x\"]}}}";
    let (after, _) = connected(Some(before), &client, &command(&client), None);
    assert!(json::value(&after).unwrap().unwrap().pointer("/mcp/refdesk").is_some(), "{after}");
}

#[test]
fn a_file_that_would_need_a_guess_is_refused() {
    for (word, text, code, place) in [
        ("claude-code", "{", "unparsable", "1:1: "),
        ("claude-code", "[]", "wrong-type", "1:1: "),
        ("claude-code", "{\n\"mcpServers\": []}", "wrong-type", "2:15: "),
        ("claude-code", "{\"mcpServers\": {},\n \"mcpServers\": {}}", "duplicate-key", "2:2: "),
        ("codex", "a = \n", "unparsable", "1:5: "),
        ("codex", "a = 1\na = 2\n", "unparsable", "2:1: "),
        ("codex", "a = 1\nmcp_servers = { other = { command = \"x\" } }\n", "wrong-type", "2:1: "),
        ("codex", "mcp_servers = 1\n", "wrong-type", "1:1: "),
        ("goose", "a: [\n", "unparsable", ""),
        ("goose", "\ta: 1\n", "unparsable", "1:"),
        ("goose", "- a\n", "unparsable", ""),
        ("goose", "a: 1\nextensions: x\n", "wrong-type", "2:1: "),
        ("goose", "extensions:\n- a\n", "wrong-type", "1:1: "),
        ("goose", "a: 1\n...\n", "wrong-type", "1:1: "),
    ] {
        let client = client(word);
        let error = connect_server(Some(text), &client.server, &command(&client), None, &|_| true).unwrap_err();
        assert!(error.message.starts_with(place), "{text:?}: {error}");
        assert!([code, "wrong-type"].contains(&error.code.as_str()), "{text:?}: {error}");
    }
}

#[test]
fn hooks_and_a_server_in_one_file_are_added_and_removed_together() {
    use super::super::{ConnectedFile, PartCommand, SettingsPart, connect_file, disconnect_file, write_command};
    let client = client("gemini-cli");
    let hooks =
        |program: &str| SettingsPart { client, command: PartCommand::Hooks(write_command(program, client.word, true)) };
    let server = || SettingsPart { client, command: PartCommand::Server(command(&client)) };
    for before in JSON.iter().map(|text| text.replace("LIST", "mcpServers")).map(Some).chain([None]) {
        let text = before.as_deref();
        let both = [(hooks("refdesk"), None), (server(), None)];
        let Ok(ConnectedFile::Write { text: after, records }) = connect_file(text, &both, &|_| true) else {
            panic!("{text:?}")
        };
        let [Some(first), Some(second)] = records.as_slice() else { panic!("{records:?}") };
        let known = [(hooks("refdesk"), Some(first)), (server(), Some(second))];
        assert_eq!(connect_file(Some(&after), &known, &|_| true), Ok(ConnectedFile::Already));
        let left = |found: Result<Disconnected, Error>| match found.unwrap() {
            Disconnected::Write(text) => Some(text),
            Disconnected::Remove { .. } => None,
            Disconnected::Nothing => panic!("{after}"),
        };
        assert_eq!(left(disconnect_file(Some(&after), &known, &|_| true)), before, "{after}");
        // The path changes only in the hooks.
        let moved = [(hooks("/opt/refdesk"), Some(first)), (server(), Some(second))];
        let Ok(ConnectedFile::Write { text: again, records }) = connect_file(Some(&after), &moved, &|_| true) else {
            panic!()
        };
        let [Some(first), Some(second)] = records.as_slice() else { panic!("{records:?}") };
        let moved = [(hooks("/opt/refdesk"), Some(first)), (server(), Some(second))];
        assert_eq!(left(disconnect_file(Some(&again), &moved, &|_| true)), before, "{again}");
        // One after the other, in either order.
        for order in [[0, 1], [1, 0]] {
            let parts = [hooks("refdesk"), server()];
            let (mut now, mut records) = (before.clone(), vec![None, None]);
            for at in order {
                let one = [(parts[at].clone(), None)];
                let Ok(ConnectedFile::Write { text, records: new }) = connect_file(now.as_deref(), &one, &|_| true)
                else {
                    panic!()
                };
                now = Some(text);
                records[at] = new.into_iter().next().flatten();
            }
            let known: Vec<_> = parts.iter().cloned().zip(records.iter().map(Option::as_ref)).collect();
            assert_eq!(left(disconnect_file(now.as_deref(), &known, &|_| true)), before, "{now:?}");
        }
    }
}
