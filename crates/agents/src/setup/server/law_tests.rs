//! Properties: for any settings file, disconnecting restores its bytes, and nothing else ever changes.

use proptest::prelude::*;

use super::super::Client;
use super::tests::{command, disconnected, holds_server};
use super::*;

/// A line of TOML, at the top level or in a table, with anything around it.
fn toml_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# a comment"),
        Just(""),
        Just("  # indented"),
        Just("text = \"\"\"\n[mcp_servers.refdesk]\n\"\"\""),
        Just("list = [\n  1, # one\n  2,\n]"),
        Just("inline = { command = \"refdesk\", args = [\"mcp\"] }"),
        Just("\"quoted key\" = 'literal [x]'"),
    ];
    let table = prop_oneof![
        Just("[a]"),
        Just("[mcp_servers]"),
        Just("[mcp_servers.other]"),
        Just("[mcp_servers.\"refdesk 2\".env]"),
        Just("[ mcp_servers . third ] # mine"),
        Just("[[array]]"),
    ];
    let section = (table, prop::collection::vec(line.clone(), 0..4));
    let whole = (prop::collection::vec(line, 0..4), prop::collection::vec(section, 0..4), any::<(bool, bool, bool)>());
    whole.prop_map(|(top, sections, (crlf, mark, ends))| {
        let mut lines: Vec<String> = top.into_iter().map(str::to_owned).collect();
        for (head, inner) in sections {
            lines.push(head.to_owned());
            lines.extend(inner.into_iter().map(str::to_owned));
        }
        let newline = if crlf { "\r\n" } else { "\n" };
        let text = lines.join("\n").replace('\n', newline);
        format!("{}{text}{}", if mark { "\u{feff}" } else { "" }, if ends { newline } else { "" })
    })
}

/// YAML with or without extensions, in any indentation.
fn yaml_text() -> impl Strategy<Value = String> {
    let top = prop_oneof![
        Just("a: 1"),
        Just("# a comment"),
        Just(""),
        Just("b:\n  - extensions: 1\n  - refdesk"),
        Just("c: |\n  extensions:\n    refdesk:\n      cmd: x"),
        Just("'d e': {f: [1, 2]}"),
    ];
    let child = prop_oneof![
        Just("x:\n++enabled: true"),
        Just("# between"),
        Just(""),
        Just("y:\n++# deep\n++args:\n++++- \"refdesk:\"\n++cmd: z # mine"),
        Just("refdesk2: {cmd: refdesk}"),
    ];
    let list = (
        prop_oneof![Just("extensions:"), Just("extensions: # mine"), Just("\"extensions\" :")],
        prop::collection::vec(child, 0..4),
        1..5_usize,
    );
    let tops = || prop::collection::vec(top.clone(), 0..3);
    (tops(), prop::option::of(list), tops(), any::<(bool, bool)>()).prop_map(|(before, list, after, (crlf, ends))| {
        let mut lines: Vec<String> = before.into_iter().map(str::to_owned).collect();
        if let Some((head, children, indent)) = list {
            lines.push(head.to_owned());
            let indented =
                |line: &str| if line.is_empty() { String::new() } else { format!("{}{line}", " ".repeat(indent)) };
            for child in children {
                lines.extend(child.replace('+', " ").split('\n').map(indented));
            }
        }
        lines.extend(after.into_iter().map(str::to_owned));
        let newline = if crlf { "\r\n" } else { "\n" };
        format!("{}{}", lines.join("\n").replace('\n', newline), if ends { newline } else { "" })
    })
}

/// JSON with servers.
fn json_text() -> impl Strategy<Value = String> {
    let server =
        prop_oneof![Just("{}"), Just("{\"command\": \"refdesk\"}"), Just("1"), Just("{ \"a\": [1, 2,], } // x\n")];
    let gap = || prop_oneof![Just(""), Just(" "), Just("\n  "), Just("\r\n\t"), Just("// , }\n"), Just("/* , */")];
    let servers = prop::collection::vec((prop_oneof![Just("a"), Just("b")], server, gap(), gap()), 0..2);
    (servers, gap(), gap(), gap(), any::<(bool, bool, bool)>()).prop_map(
        |(servers, g1, g2, g3, (has_list, mark, comma))| {
            let members: Vec<String> = servers
                .iter()
                .enumerate()
                .map(|(at, (name, server, a, b))| format!("{a}\"{name}{at}\":{b}{server}"))
                .collect();
            let comma = if comma && !members.is_empty() { "," } else { "" };
            let list =
                if has_list { format!(", \"LIST\":{g2}{{{}{comma}{g3}}}", members.join(",")) } else { String::new() };
            format!("{}{g1}{{\"model\": 1{list}{g2}}}{g3}", if mark { "\u{feff}" } else { "" })
        },
    )
}

fn settings(client: Client) -> BoxedStrategy<String> {
    match client.server.format {
        SettingsFormat::Toml => toml_text().boxed(),
        SettingsFormat::Yaml => yaml_text().boxed(),
        SettingsFormat::Json => json_text().prop_map(move |text| text.replace("LIST", client.server.keys[0])).boxed(),
    }
}

fn agent_and_settings() -> impl Strategy<Value = (Client, String)> {
    let clients: Vec<Client> = Client::all().collect();
    prop::sample::select(clients).prop_flat_map(|client| (Just(client), settings(client)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn disconnecting_restores_the_bytes((client, before) in agent_and_settings()) {
        // Some files are rejected, for example those with a duplicate key.
        if let Ok(Connected::Write { text: after, record }) =
            connect_server(Some(&before), &client.server, &command(&client), None, &|_| true)
        {
            holds_server(Some(&before), &after, &client, &command(&client));
            let left = disconnected(&after, &client, Some(&record));
            prop_assert_eq!(left.as_deref(), Some(before.as_str()));
        }
    }

    /// Without a usable record, our entry is removed or the file is rejected; no other value and no comment changes.
    #[test]
    fn removing_our_entry_changes_nothing_else(
        (client, before) in agent_and_settings(),
        remembered in any::<bool>(),
    ) {
        let Ok(Connected::Write { text: after, mut record }) =
            connect_server(Some(&before), &client.server, &command(&client), None, &|_| true) else { return Ok(()) };
        record.hash.clear();
        let left = disconnect_server(Some(&after), &client.server, remembered.then_some(&record), &|_| true);
        if let Ok(Disconnected::Write(left)) = left {
            let list = |text: &str| List::of(split_mark(Some(text)).1, &client.server).unwrap();
            let keys = client.server.keys;
            prop_assert_eq!(bare(list(&left).value, keys), bare(list(&before).value, keys), "{}", after);
            prop_assert!(list(&left).entry().is_none());
            let comments = |text: &str| ["# ", "// ", "/* ,"].map(|comment| text.matches(comment).count());
            prop_assert_eq!(comments(&left), comments(&before), "{}", left);
        } else {
            prop_assert!(left.is_err(), "{:?}", left);
        }
    }

    /// A repository may ship a record. Whatever it contains, only our entry is removed.
    #[test]
    fn a_forged_record_removes_only_our_entry(
        (client, before) in agent_and_settings(),
        ranges in prop::collection::vec((0_usize..300, 0_usize..300), 0..4),
    ) {
        let Ok(Connected::Write { text: after, record }) =
            connect_server(Some(&before), &client.server, &command(&client), None, &|_| true) else { return Ok(()) };
        let forged = Record { added: ranges, created: true, folders: usize::MAX, ..*record };
        let left = match disconnect_server(Some(&after), &client.server, Some(&forged), &|_| true) {
            Ok(Disconnected::Write(left)) => left,
            Ok(Disconnected::Remove { .. }) => String::new(),
            Ok(Disconnected::Nothing) => after.clone(),
            Err(_) => return Ok(()),
        };
        let list = |text: &str| List::of(split_mark(Some(text)).1, &client.server).unwrap();
        let keys = client.server.keys;
        prop_assert_eq!(bare(list(&left).value, keys), bare(list(&before).value, keys), "{}", after);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-z:{}\\[\\]\"' \\n#=.-]{0,80}", at in 0..7_usize) {
        let client = Client::all().nth(at).unwrap();
        let connected = connect_server(Some(&text), &client.server, &command(&client), None, &|_| true);
        if let Ok(Connected::Write { text: after, record }) = connected {
            prop_assert_eq!(disconnected(&after, &client, Some(&record)), Some(text));
        }
    }
}
