//! Typical settings files, each connected and disconnected for every agent: tests what is added, what stays, and that
//! disconnecting restores the file byte for byte.

use serde_json::Value;

use super::entries::ours;
use super::plan::{Connected, connect, disconnect};
use super::text::parse;
use super::*;
use refdesk_text::Error;

const COMMAND: &str = "refdesk hook claude-code";

fn client(word: &str) -> Client {
    Client::from_word(word).unwrap()
}

pub(super) fn hook_words() -> Vec<&'static str> {
    Client::all().filter(|client| client.hooks.is_some()).map(|client| client.word).collect()
}

pub(super) fn command(client: &Client) -> String {
    write_command(NAME, client.word, true)
}

/// The value of the text as the agent's own parser would read it.
pub(super) fn value(text: &str) -> Option<Value> {
    parse(text.trim_start_matches('\u{feff}')).unwrap().map(Value::from)
}

/// Connects; returns the text and the record.
#[track_caller]
pub(super) fn connected(
    text: Option<&str>,
    client: &Client,
    command: &str,
    record: Option<&Record>,
) -> (String, Record) {
    match connect(text, client, command, record, &|_| true) {
        Ok(Connected::Write { text, record }) => (text, *record),
        other => panic!("{text:?}: {other:?}"),
    }
}

/// The text after disconnecting; `None` if the file is removed.
#[track_caller]
pub(super) fn disconnected(text: &str, client: &Client, record: Option<&Record>) -> Option<String> {
    match disconnect(Some(text), client, record, &|_| true) {
        Ok(Disconnected::Write(text)) => Some(text),
        Ok(Disconnected::Remove { .. }) => None,
        other => panic!("{text}: {other:?}"),
    }
}

/// Asserts that each wanted entry is present once and that nothing else changed.
#[track_caller]
pub(super) fn holds_entries(before: Option<&str>, after: &str, client: &Client, command: &str) {
    let is_mark = after.starts_with('\u{feff}');
    assert_eq!(is_mark, before.is_some_and(|before| before.starts_with('\u{feff}')), "{after}");
    let body = after.trim_start_matches('\u{feff}');
    let Some(jsonc_parser::ast::Value::Object(root)) = parse(body).unwrap() else { panic!("{after}") };
    let found = ours(&root, client.word);
    let found: Vec<_> = found.iter().map(|entry| (entry.event.to_owned(), entry.alone())).collect();
    let mut wanted: Vec<_> =
        client.entries(command).into_iter().map(|(event, entry)| (event.to_owned(), entry)).collect();
    wanted.sort_by_key(|(event, _)| found.iter().position(|(found, _)| found == event));
    assert_eq!(found, wanted, "{after}");
    // All earlier content is still there, in its order.
    let mut now = value(after).unwrap();
    let was = before.and_then(value).unwrap_or_else(|| serde_json::json!({}));
    let members = now.as_object_mut().unwrap();
    let hooks = members.get_mut("hooks").unwrap().as_object_mut().unwrap();
    for (event, entry) in &wanted {
        let list = hooks.get_mut(event).unwrap().as_array_mut().unwrap();
        list.retain(|other| other != entry);
        if list.is_empty() && was.pointer(&format!("/hooks/{event}")).is_none() {
            hooks.remove(event);
        }
    }
    if hooks.is_empty() && was.get("hooks").is_none() {
        members.remove("hooks");
    }
    if let Some((version, _)) = client.version()
        && was.get(version).is_none()
    {
        members.remove(version);
    }
    assert_eq!(now, was, "{after}");
}

const FILES: &[&str] = &[
    "",
    "\n",
    "  \n\n",
    "\u{feff}",
    "{}",
    "{}\n",
    "{ }",
    "{\n}",
    "{\r\n}\r\n",
    "\u{feff}{}\r\n",
    "// nothing yet\n",
    "/* nothing yet */",
    "{ // nothing yet\n}\n",
    "{ /* nothing yet */ }",
    "{\n  // nothing yet\n}\n",
    "{\"hooks\":{}}",
    "{\"hooks\": { }}\n",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n  \"hooks\": {\n    // none yet\n  }\n}\n",
    "{\"model\":\"opus\"}",
    "{\"model\": \"opus\", \"n\": [1, 2]}",
    "{\n  \"model\": \"opus\"\n}",
    "{\n    \"model\": \"opus\",\n    \"env\": {\"A\": \"1\"}\n}\n",
    "{\n\t\"model\": \"opus\"\n}\n",
    "{\r\n  \"model\": \"opus\"\r\n}\r\n",
    "\u{feff}{\r\n\t\"model\": \"ö\u{1f600}\",\r\n}\r\n",
    "{\n  \"model\": \"opus\", // the big one\n}\n",
    "{\n  \"model\": \"opus\" // the big one\n}\n",
    "{\n  \"model\": \"opus\" /* , */ ,\n  /* the end */\n}\n",
    "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(git diff:*)\"\n    ],\n    \"deny\": []\n  },\n  \"env\": {}\n}\n",
    "{ \"a\": 1\n, \"b\": 2\n}",
    "{\n\"a\": 1,\n\"b\": 2\n}\n",
    "{\"a\": 1,\n \"b\": 2}\n",
    // Hooks that are not ours: in events we use and in others, on separate lines or not.
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit|Write\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }]\n      }\n    ]\n  },\n  \"model\": \"opus\"\n}\n",
    "{\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"UserPromptSubmit\": [\n    ],\n    \"sessionStart\": [ ]\n  }\n}\n",
    "{\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}],\"sessionStart\":[{\"command\":\"a\"}]}}",
    "{\n  \"hooks\": { \"SessionStart\": [{\n    \"hooks\": [{ \"type\": \"command\", \"command\": \"a\" }]\n  }], \"AfterTool\": [ // mine\n    { \"hooks\": [] }, // last\n  ] }\n}\n",
    "{\n  \"hooks\": {\n    \"SessionStart\": [\n      { \"hooks\": [] } // x\n      // y\n    ], // z\n    /* w */\n  }\n}\n",
    // Values of an unexpected type elsewhere in the file.
    "{\n  \"hooks\": {\n    \"PreToolUse\": \"none\",\n    \"SessionStart\": [1, \"x\", null, [], {\"hooks\": 3}, {\"command\": 4}]\n  }\n}\n",
    "{\"hooks\": {\"other\": {}}, \"disableAllHooks\": true}\n",
    // A duplicate key that does not affect us.
    "{\n  \"env\": {\"A\": 1, \"A\": 2},\n  \"model\": \"a\",\n  \"model\": \"b\"\n}\n",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"postToolUse\": [\n      { \"command\": \"./x.sh\" }\n    ]\n  }\n}\n",
    // Our entry for another agent.
    "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"refdesk hook other\"}]}]}}",
    "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"refdesk hook claude-code | tee x\"}]}]}}",
    "{\"a\": {\"b\": {\"c\": {\"d\": {\"e\": [[[[{\"f\": {}}]]]]}}}}}",
];

#[test]
fn every_file_takes_the_entries_and_is_restored_exactly() {
    for word in hook_words() {
        let client = client(word);
        let command = command(&client);
        for before in std::iter::once(None).chain(FILES.iter().copied().map(Some)) {
            let (after, record) = connected(before, &client, &command, None);
            holds_entries(before, &after, &client, &command);
            assert_eq!(
                connect(Some(&after), &client, &command, Some(&record), &|_| true),
                Ok(Connected::Already),
                "{after}"
            );
            assert_eq!(disconnected(&after, &client, Some(&record)).as_deref(), before, "{word}: {after}");
            if let Some(before) = before {
                assert_eq!(disconnect(Some(before), &client, None, &|_| true), Ok(Disconnected::Nothing), "{before}");
            }
            // Another path or other options replace our entries, and disconnecting still restores the file.
            let moved = write_command("/opt/the tools/refdesk", word, true);
            let (again, record) = connected(Some(&after), &client, &moved, Some(&record));
            holds_entries(before, &again, &client, &moved);
            assert_eq!(disconnected(&again, &client, Some(&record)).as_deref(), before, "{word}: {again}");
        }
    }
}

#[test]
fn without_a_record_only_our_entries_are_removed() {
    for word in hook_words() {
        let client = client(word);
        for before in FILES {
            let (after, _) = connected(Some(before), &client, &command(&client), None);
            let left = disconnected(&after, &client, None).unwrap();
            let mut was = value(before).unwrap_or_else(|| serde_json::json!({}));
            let mut is = value(&left).unwrap();
            // It is unknown whether an empty list or object was there before.
            for value in [&mut was, &mut is] {
                let Some(hooks) = value.get_mut("hooks").and_then(Value::as_object_mut) else { continue };
                hooks.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
                if hooks.is_empty() {
                    value.as_object_mut().unwrap().remove("hooks");
                }
            }
            if let Some((version, value)) = client.version() {
                was.as_object_mut().unwrap().entry(version).or_insert(value);
            }
            assert_eq!(is, was, "{word}: {before}\n{after}\n{left}");
        }
    }
}

#[test]
fn later_changes_by_others_stay() {
    let client = client("claude-code");
    let edit = |before: Option<&str>, from: &str, to: &str| {
        let (after, record) = connected(before, &client, COMMAND, None);
        let edited = after.replacen(from, to, 1);
        assert_ne!(edited, after);
        disconnected(&edited, &client, Some(&record))
    };
    // Another key in a file we created: the file stays, with only that key.
    assert_eq!(edit(None, "{\n", "{\n  \"model\": \"opus\",\n").as_deref(), Some("{\n  \"model\": \"opus\"\n}\n"));
    assert_eq!(edit(None, "\n}\n", ",\n  \"model\": \"opus\"\n}\n").as_deref(), Some("{\n  \"model\": \"opus\"\n}\n"));
    // Changed line breaks or white space do not keep the file.
    assert_eq!(edit(None, "\n}\n", "\n}\n\n"), None);
    // A comment counts as other content.
    assert_eq!(edit(None, "{\n", "{\n  // mine\n").as_deref(), Some("{\n  // mine\n}\n"));
    // A hook that is not ours in an event we created, and in a group of ours.
    let other = "{\n        \"hooks\": []\n      }";
    let left =
        edit(None, "\"SessionStart\": [\n      ", &format!("\"SessionStart\": [\n      {other},\n      ")).unwrap();
    assert_eq!(left, format!("{{\n  \"hooks\": {{\n    \"SessionStart\": [\n      {other}\n    ]\n  }}\n}}\n"));
    let left =
        edit(None, "\"hooks\": [\n          {", "\"hooks\": [\n          {\"command\": \"x\"},\n          {").unwrap();
    assert_eq!(value(&left).unwrap(), serde_json::json!({"hooks": {"SessionStart": [{"hooks": [{"command": "x"}]}]}}));
    // A container that was empty before is empty again, even if the file has other additions.
    let left = edit(Some("{\n  \"hooks\": {}\n}\n"), "{\n", "{\n  \"model\": \"opus\",\n").unwrap();
    assert_eq!(left, "{\n  \"model\": \"opus\",\n  \"hooks\": {}\n}\n");
    // Only some of our entries are left.
    let left = edit(Some("{\"a\": 1}"), "hook claude-code", "hook claude-code --repeat").unwrap();
    assert_eq!(left, "{\"a\": 1}");
}

#[test]
fn a_created_file_with_additions_by_others_stays_after_reconnecting() {
    const MINE: &str = "\"permissions\": { \"deny\": [\"Read(.env)\"] }";
    for word in hook_words() {
        let client = client(word);
        let (made, first) = connected(None, &client, &command(&client), None);
        for edited in [
            made.replacen("{\n", &format!("{{\n  {MINE},\n"), 1),
            made.replacen("{\n", "{\n  // mine\n", 1),
            made.replacen("\"hooks\": {\n", "\"hooks\": {\n    \"Other\": [{\"command\": \"mine\"}],\n", 1),
        ] {
            let moved = write_command("/opt/refdesk", word, true);
            // Connects twice more with other commands.
            let (again, second) = connected(Some(&edited), &client, &moved, Some(&first));
            let (third, record) = connected(Some(&again), &client, &command(&client), Some(&second));
            for (text, record) in [(&again, &second), (&third, &record)] {
                assert!(!record.created && record.folders == 0, "{word}: {record:?}");
                let left = disconnected(text, &client, Some(record)).expect("the file stays");
                let is_there = ["Read(.env)", "// mine", "\"mine\""].iter().any(|mine| left.contains(mine));
                assert!(is_there && !left.contains("refdesk"), "{word}: {left}");
            }
        }
        // Without other additions the file is removed, however often it was connected.
        let (again, record) = connected(Some(&made), &client, &write_command("/opt/refdesk", word, true), Some(&first));
        assert_eq!(disconnected(&again, &client, Some(&record)), None, "{word}");
    }
}

#[test]
fn a_wrong_record_removes_only_our_entries() {
    let client = client("claude-code");
    let text = "{\n  \"permissions\": { \"deny\": [\"Read(.env)\"] } // mine\n}\n";
    let (after, honest) = connected(Some(text), &client, COMMAND, None);
    let (_, of_another) = connected(Some("{\"model\": \"opus\"}"), &client, COMMAND, None);
    let end = after.len();
    for added in [
        of_another.added,
        vec![],
        vec![(0, end)],
        vec![(2, end - 4)],
        vec![(0, usize::MAX)],
        vec![(usize::MAX, usize::MAX)],
        vec![(end + 1, 1)],
        vec![(5, 5), (5, 5)],
        vec![(50, 5), (5, 5)],
    ] {
        let forged = Record { added, created: true, ..honest.clone() };
        let left = disconnected(&after, &client, Some(&forged));
        assert_eq!(left.as_deref(), Some(text), "{:?}", forged.added);
    }
}

#[test]
fn an_older_entry_is_replaced_and_others_in_its_group_stay() {
    let client = client("claude-code");
    let old = r#"{
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [
        { "type": "command", "command": "mine" },
        { "type": "command", "command": "/old/refdesk --desk x hook claude-code" }
      ] }
    ],
    "PreToolUse": [{ "hooks": [{ "type": "command", "command": "refdesk hook claude-code" }] }]
  }
}
"#;
    let (new, record) = connected(Some(old), &client, COMMAND, None);
    let is = value(&new).unwrap();
    assert_eq!(new.matches("refdesk").count(), 4, "{new}");
    assert_eq!(is["hooks"]["SessionStart"][0]["hooks"], serde_json::json!([{"type": "command", "command": "mine"}]));
    assert!(is["hooks"].get("PreToolUse").is_none(), "{new}");
    assert_eq!(disconnected(&new, &client, Some(&record)).as_deref(), Some(old));
    // In a file that was edited since, they are restored as new entries.
    let edited = new.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1);
    let left = value(&disconnected(&edited, &client, Some(&record)).unwrap()).unwrap();
    let hooks = |event: &str| left["hooks"][event].as_array().unwrap().clone();
    assert_eq!(hooks("SessionStart").len(), 2, "{left}");
    assert_eq!(hooks("SessionStart")[1]["hooks"][0]["command"], "/old/refdesk --desk x hook claude-code");
    assert_eq!(hooks("PreToolUse"), value(old).unwrap()["hooks"]["PreToolUse"].as_array().unwrap().clone());
    assert_eq!((left["model"].as_str(), left["hooks"].get("PostToolUse")), (Some("opus"), None));
}

/// `connect` would not write this entry, so a person wrote it.
#[test]
fn without_a_record_an_entry_that_connect_would_not_write_stays() {
    let client = client("claude-code");
    let entry = |event: &str, command: &str, rest: &str| {
        format!(
            "{{\"hooks\": {{\"{event}\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"{rest}}}]}}]}}}}"
        )
    };
    for (event, command, rest, stays) in [
        ("SessionStart", "refdesk hook claude-code --mcp", ", \"timeout\": 10", false),
        ("SessionStart", "/opt/refdesk hook claude-code --no-mcp", ", \"timeout\": 10", false),
        ("SessionStart", "refdesk hook claude-code", ", \"timeout\": 10", false),
        ("SessionStart", "refdesk hook claude-code --mcp", ", \"timeout\": 99", true),
        ("SessionStart", "refdesk hook claude-code --mcp", "", true),
        ("SessionStart", "refdesk  hook claude-code --mcp", ", \"timeout\": 10", true),
        ("SessionStart", "refdesk hook claude-code --repeat", ", \"timeout\": 10", true),
        ("SessionStart", "A=b refdesk hook claude-code --mcp", ", \"timeout\": 10", true),
        ("SessionStart", "/else/refdesk hook claude-code --mcp", ", \"timeout\": 10", true),
        ("Stop", "refdesk hook claude-code --mcp", ", \"timeout\": 10", true),
    ] {
        let text = entry(event, command, rest);
        let is_own = |program: &str| !program.starts_with("/else");
        let left = match disconnect(Some(&text), &client, None, &is_own).unwrap() {
            Disconnected::Nothing => None,
            Disconnected::Write(left) => Some(left),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(left.as_deref(), (!stays).then_some("{}"), "{text}");
        // Connecting replaces it, and so does connecting with another path.
        let (after, record) = connected(Some(&text), &client, &self::command(&client), None);
        let expected = if stays || command.starts_with('/') { text.as_str() } else { "{}" };
        assert_eq!(disconnected(&after, &client, Some(&record)).as_deref(), Some(expected), "{after}");
    }
}

#[test]
fn a_file_that_would_need_a_guess_is_refused() {
    let client = client("claude-code");
    let deep = "[".repeat(100_000);
    let many =
        format!("{{\"hooks\": {{\"X\": [{}]}}}}", ["{\"command\": \"refdesk hook claude-code\"}"; 257].join(","));
    for (text, code, line, column) in [
        ("{", "unparsable", 1, 1),
        ("{\n  \"a\": 1,\n  \"b\" 2\n}", "unparsable", 3, 7),
        ("{\"a\": 1 \"b\": 2}", "unparsable", 1, 8),
        ("{'a': 1}", "unparsable", 1, 2),
        ("{a: 1}", "unparsable", 1, 2),
        ("{} {}", "unparsable", 1, 4),
        ("{\"a\": }", "unparsable", 1, 7),
        ("{\"ä\": /* x }", "unparsable", 1, 7),
        ("\u{feff}{\"a\" 1}", "unparsable", 1, 6),
        ("hooks = 1", "unparsable", 1, 1),
        (&deep, "unparsable", 1, 513),
        (&many, "too-many", 1, 17),
        ("[]", "wrong-type", 1, 1),
        ("[{\"hooks\": {}}]", "wrong-type", 1, 1),
        ("\n \"x\"", "wrong-type", 2, 2),
        ("null", "wrong-type", 1, 1),
        ("{\"hooks\": []}", "wrong-type", 1, 11),
        ("{\"hooks\": null}", "wrong-type", 1, 11),
        ("{\n  \"hooks\": {\n    \"SessionStart\": {}\n  }\n}", "wrong-type", 3, 21),
        ("{\"hooks\": {\"PostToolUse\": \"x\"}}", "wrong-type", 1, 27),
        ("{\"hooks\": {},\n \"hooks\": {}}", "duplicate-key", 2, 2),
        ("{\"hooks\": {\"SessionStart\": [],\n\"SessionStart\": []}}", "duplicate-key", 2, 1),
    ] {
        let Error { code: reported, message, .. } = connect(Some(text), &client, COMMAND, None, &|_| true).unwrap_err();
        assert_eq!(reported.as_str(), code, "{text:.60}: {message}");
        assert!(message.starts_with(&format!("{line}:{column}: ")), "{text:.60}: {message}");
        let taken = disconnect(Some(text), &client, None, &|_| true);
        assert_eq!(taken.is_err(), matches!(code, "unparsable" | "too-many"), "{text:.60}");
    }
}

#[test]
fn additions_follow_the_layout_of_the_file() {
    let client = client("cursor");
    let shown = |before: &str| connected(Some(before), &client, "refdesk hook cursor", None).0;
    assert_eq!(
        shown("{\"version\":1}"),
        "{\"version\":1,\"hooks\":{\"sessionStart\":[{\"command\":\"refdesk hook cursor\",\"timeout\":10}],\"postToolUse\":\
         [{\"matcher\":\"^(Shell|Read|Grep|MCP:.*)$\",\"command\":\"refdesk hook cursor\",\"timeout\":10}],\
         \"preCompact\":[{\"command\":\"refdesk hook cursor\",\"timeout\":10}]}}"
    );
    assert_eq!(
        shown(
            "{\r\n\t\"version\": 1,\r\n\t\"hooks\": {\r\n\t\t\"sessionStart\": [\r\n\t\t\t1,\r\n\t\t],\r\n\t\t\"postToolUse\": [2] // x\r\n\t}\r\n}\r\n"
        ),
        "{\r\n\t\"version\": 1,\r\n\t\"hooks\": {\r\n\t\t\"sessionStart\": [\r\n\t\t\t1,\r\n\t\t\t{\r\n\t\t\t\t\"command\": \"refdesk hook cursor\",\
         \r\n\t\t\t\t\"timeout\": 10\r\n\t\t\t},\r\n\t\t],\r\n\t\t\"postToolUse\": [2, {\"matcher\": \"^(Shell|Read|Grep|MCP:.*)$\", \
         \"command\": \"refdesk hook cursor\", \"timeout\": 10}], // x\r\n\t\t\"preCompact\": [\r\n\t\t\t{\r\n\t\t\t\t\"command\": \"refdesk hook cursor\",\r\n\t\t\t\t\"timeout\": 10\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n"
    );
    assert_eq!(
        shown("{\n    \"version\": 1, // one\n    \"hooks\": {}\n}"),
        "{\n    \"version\": 1, // one\n    \"hooks\": {\n        \"sessionStart\": [\n            {\n                \"command\": \
         \"refdesk hook cursor\",\n                \"timeout\": 10\n            }\n        ],\n        \"postToolUse\": [\n            \
         {\n                \"matcher\": \"^(Shell|Read|Grep|MCP:.*)$\",\n                \"command\": \"refdesk hook cursor\",\n\
         \u{20}               \"timeout\": 10\n            }\n        ],\n        \"preCompact\": [\n            {\n                \"command\": \
         \"refdesk hook cursor\",\n                \"timeout\": 10\n            }\n        ]\n    }\n}"
    );
}
