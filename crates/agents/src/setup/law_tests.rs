//! Property: for any settings file, disconnecting after connecting restores its bytes.

use proptest::prelude::*;

use super::plan::disconnect;
use super::table_tests::{command, connected, disconnected, holds_entries, hook_words, value};
use super::*;

/// Anything allowed between two tokens.
fn trivia() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        2 => Just("\n  ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just("\n\n".to_owned()),
        1 => Just("// , ] }\n".to_owned()),
        1 => Just("/* , */".to_owned()),
    ];
    one.boxed()
}

/// A list or an object of these members, with trivia between them and perhaps a trailing comma.
fn container(open: char, close: char, members: impl Strategy<Value = Vec<String>>) -> impl Strategy<Value = String> {
    (members, prop::collection::vec(trivia(), 12), any::<bool>()).prop_map(move |(members, trivia, ends_in_comma)| {
        let mut text = format!("{open}{}", trivia[0]);
        for (at, member) in members.iter().enumerate() {
            let comma = if at + 1 < members.len() || ends_in_comma { "," } else { "" };
            text.push_str(&format!("{member}{}{comma}{}", trivia[1 + 2 * at], trivia[2 + 2 * at]));
        }
        text.push(close);
        text
    })
}

fn entry() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "1",
        "\"x\"",
        "{}",
        r#"{"hooks": [{"type": "command", "command": "other"}]}"#,
        "{\n      \"hooks\": [\n        { \"command\": \"refdesk hook nobody\" } // mine\n      ]\n    }",
        r#"{"command": "x"}"#,
    ])
    .prop_map(str::to_owned)
}

fn list() -> impl Strategy<Value = String> {
    container('[', ']', prop::collection::vec(entry(), 0..3))
}

/// An object with a subset of these keys, each once, in this order.
fn object(
    keys: &'static [&'static str],
    member: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = String> {
    let keys = prop::sample::subsequence(keys, 0..=keys.len().min(4)).prop_shuffle();
    let named = (keys, prop::collection::vec((trivia(), member), 4)).prop_map(|(keys, members)| {
        let member = |(key, (trivia, member)): (&&str, &(String, String))| format!("\"{key}\":{trivia}{member}");
        keys.iter().zip(&members).map(member).collect::<Vec<_>>()
    });
    container('{', '}', named)
}

fn hooks() -> impl Strategy<Value = String> {
    const EVENTS: &[&str] = &[
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "BeforeAgent",
        "AfterTool",
        "sessionStart",
        "postToolUse",
        "Stop",
    ];
    object(EVENTS, list().boxed())
}

/// A settings file: an object in which some keys hold hooks.
fn settings() -> impl Strategy<Value = String> {
    let with = |key: &'static str| {
        (object(&["model", "version", "env"], Just("1".to_owned()).boxed()), hooks(), trivia()).prop_map(
            move |(top, hooks, trivia)| {
                let comma = if value(&top).unwrap().as_object().unwrap().is_empty() { "" } else { "," };
                top.replacen('{', &format!("{{\"{key}\":{trivia}{hooks}{comma}"), 1)
            },
        )
    };
    let top = prop_oneof![3 => with("hooks").boxed(), 1 => with("other").boxed(), 1 => Just(String::new()).boxed()];
    (prop::bool::weighted(0.1), trivia(), top, trivia())
        .prop_map(|(mark, before, top, after)| format!("{}{before}{top}{after}", if mark { "\u{feff}" } else { "" }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn disconnecting_restores_the_bytes(
        before in prop_oneof![9 => settings().prop_map(Some), 1 => Just(None)],
        agent in prop::sample::select(hook_words()),
    ) {
        let client = Client::from_word(agent).unwrap();
        let command = command(&client);
        let before = before.as_deref();
        let (after, record) = connected(before, &client, &command, None);
        holds_entries(before, &after, &client, &command);
        let left = disconnected(&after, &client, Some(&record));
        prop_assert_eq!(left.as_deref(), before);
    }

    /// Handwritten entries that run refdesk are replaced, and disconnecting restores them: byte for byte, or by value
    /// if the file was edited since.
    #[test]
    fn handwritten_entries_are_restored(
        before in settings(),
        agent in prop::sample::select(hook_words()),
        is_edited in any::<bool>(),
    ) {
        let client = Client::from_word(agent).unwrap();
        let before = before.replace("refdesk hook nobody", &format!("refdesk --desk x hook {agent}"));
        let (after, mut record) = connected(Some(&before), &client, &command(&client), None);
        if is_edited {
            record.hash.clear();
        }
        let left = disconnected(&after, &client, Some(&record)).expect("the file stays");
        if is_edited {
            prop_assert_eq!(left.matches("--desk x").count(), before.matches("--desk x").count(), "{}", left);
        } else {
            prop_assert_eq!(left, before);
        }
    }

    /// With or without a record, our entries are removed and no other value changes.
    #[test]
    fn removing_our_entries_changes_nothing_else(
        before in settings(),
        agent in prop::sample::select(hook_words()),
        remembered in any::<bool>(),
    ) {
        let client = Client::from_word(agent).unwrap();
        let (after, mut record) = connected(Some(&before), &client, &command(&client), None);
        // As after an edit: the recorded positions no longer apply.
        record.hash.clear();
        let left = disconnected(&after, &client, remembered.then_some(&record));
        let left = left.expect("a file that was there stays");
        prop_assert_eq!(disconnect(Some(&left), &client, None, &|_| true), Ok(Disconnected::Nothing));
        prop_assert_eq!(bare(&left, remembered), bare(&before, remembered), "{}", after);
        prop_assert_eq!(comments(&left), comments(&before), "{}", left);
    }

    /// A repository may ship a record. Whatever it contains, neither disconnecting nor connecting again removes
    /// anything that is not ours.
    #[test]
    fn a_forged_record_removes_only_our_entries(
        before in settings(),
        agent in prop::sample::select(hook_words()),
        ranges in prop::collection::vec((0_usize..2000, prop_oneof![9 => 0_usize..2000, 1 => Just(usize::MAX)]), 0..4),
        how in 0..4,
        again in any::<bool>(),
    ) {
        let client = Client::from_word(agent).unwrap();
        let (mut after, honest) = connected(Some(&before), &client, &command(&client), None);
        let body = after.trim_start_matches('\u{feff}');
        let mut forged = Record {
            added: match how {
                0 => ranges,
                // The whole text, everything from some byte on, and slightly more than our entries.
                1 => vec![(0, body.len())],
                2 => ranges.iter().take(1).map(|(at, _)| (*at, body.len().saturating_sub(*at))).collect(),
                _ => honest.added.iter().map(|(at, length)| (at.saturating_sub(ranges.len()), length + 2 * ranges.len())).collect(),
            },
            created: true,
            folders: usize::MAX,
            ..honest
        };
        forged.made.extend(["", "version", "hooks", "hooks/Stop", "hooks/SessionStart", "hooks/AfterTool"].map(str::to_owned));
        if again {
            let moved = write_command("/opt/refdesk", agent, true);
            (after, forged) = connected(Some(&after), &client, &moved, Some(&forged));
        }
        let left = disconnected(&after, &client, Some(&forged));
        // A file is removed only if everything in it is ours.
        let left = left.unwrap_or_default();
        prop_assert_eq!(bare(&left, false), bare(&before, false), "{}", after);
        prop_assert_eq!(comments(&left), comments(&before), "{}", left);
    }
}

/// The text's value without the parts that only a record can attribute: empty events and `hooks`, and the version.
fn bare(text: &str, remembered: bool) -> serde_json::Value {
    let mut value = value(text).unwrap_or_else(|| serde_json::json!({}));
    let members = value.as_object_mut().unwrap();
    let hooks = members.get_mut("hooks").and_then(serde_json::Value::as_object_mut);
    let is_bare = hooks.is_none_or(|hooks| {
        if !remembered {
            hooks.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        }
        hooks.is_empty()
    });
    if !remembered && is_bare {
        members.remove("hooks");
    }
    // Other hooks need the version, and without a record its origin is unknown.
    if !remembered || !is_bare {
        members.remove("version");
    }
    value
}

fn comments(text: &str) -> [usize; 3] {
    ["// ,", "/* ,", "// mine"].map(|comment| text.matches(comment).count())
}
