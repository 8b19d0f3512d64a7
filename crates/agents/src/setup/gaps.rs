//! Finds what the hooks in a settings file miss: events without an entry of ours, and entries for fewer tools than
//! ours. A different timeout or name still works and is not a gap.

use serde_json::Value;

use super::client::Client;
use super::command::NAME;
use super::entries::Entry;

/// An event that does not reach us in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookGap {
    /// The agent's name for the event.
    pub event: &'static str,
    /// How much of it is missing.
    pub kind: HookGapKind,
}

/// How much of an event is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookGapKind {
    /// All of it: there is no entry.
    Missing,
    /// All of it: the entry's pattern matches none of the tools.
    NoTool,
    /// Part of it: the pattern matches only some of the tools, or the event should have no pattern.
    OtherPattern,
}

/// The gaps in the entries that run refdesk for this agent, in the order in which connecting adds the events.
pub(super) fn gaps(found: &[Entry<'_, '_>], client: &Client) -> Vec<HookGap> {
    let gap = |(event, entry): (&'static str, Value)| {
        let kinds = found.iter().filter(|ours| ours.event == event).map(|ours| narrowed(ours, &entry));
        // With several entries, the one that covers the most counts.
        let kind = kinds.min_by_key(|kind| kind.map_or(0, |kind| 1 + u8::from(kind == HookGapKind::NoTool)));
        kind.unwrap_or(Some(HookGapKind::Missing)).map(|kind| HookGap { event, kind })
    };
    client.entries(NAME).into_iter().filter_map(gap).collect()
}

/// What this entry's pattern misses of the wanted one.
fn narrowed(ours: &Entry<'_, '_>, wanted: &Value) -> Option<HookGapKind> {
    let alone = ours.alone();
    let pattern = alone.get("matcher").and_then(Value::as_str).unwrap_or_default();
    if ["", "*", ".*"].contains(&pattern) {
        return None;
    }
    let wanted = wanted.get("matcher").and_then(Value::as_str).unwrap_or_default();
    let is_of_name = |c: char| c.is_alphanumeric() || "_:".contains(c);
    let tools: Vec<&str> = wanted.split(|c| !is_of_name(c)).filter(|tool| !tool.is_empty()).collect();
    let there = tools.iter().filter(|tool| pattern.contains(**tool)).count();
    match there {
        0 if !tools.is_empty() => Some(HookGapKind::NoTool),
        _ if there == tools.len() && there > 0 => None,
        _ => Some(HookGapKind::OtherPattern),
    }
}

#[cfg(test)]
mod tests {
    use super::HookGapKind::{Missing, NoTool, OtherPattern};
    use super::*;
    use crate::setup::plan::{Connected, connect};
    use crate::setup::{HookSettings, write_command};

    #[test]
    fn gaps_left_by_an_edit_of_the_entries() {
        for (agent, from, to, expected) in [
            ("claude-code", "", "", &[][..]),
            ("claude-code", "\"timeout\": 10", "\"timeout\": 30", &[]),
            ("claude-code", "UserPromptSubmit", "UserPromptSubmitt", &[("UserPromptSubmit", Missing)]),
            ("claude-code", "refdesk hook", "refdsk hook", &ALL.map(|event| (event, Missing))),
            ("claude-code", "^(Read|Grep|Bash|WebFetch|WebSearch|mcp__.*)$", "^Nope$", &[("PostToolUse", NoTool)]),
            ("claude-code", "^(Read|Grep|Bash|WebFetch|WebSearch|mcp__.*)$", "*", &[]),
            ("claude-code", "^(Read|Grep|", "^(Edit|Read|Grep|", &[]),
            ("claude-code", "^(Read|Grep|", "^(", &[("PostToolUse", OtherPattern)]),
            (
                "claude-code",
                "\"SessionStart\": [\n      {",
                "\"SessionStart\": [\n      {\"matcher\": \"startup\",",
                &[("SessionStart", OtherPattern)],
            ),
            ("gemini-cli", "BeforeAgent", "BeforeAgents", &[("BeforeAgent", Missing)]),
            ("cursor", "MCP:.*", "Write", &[("postToolUse", OtherPattern)]),
        ] {
            let client = Client::from_word(agent).unwrap();
            let Ok(Connected::Write { text, .. }) =
                connect(None, &client, &write_command(NAME, agent, true), None, &|_| true)
            else {
                panic!("{agent}");
            };
            assert!(text.contains(from), "{text}");
            let HookSettings { gaps, .. } = HookSettings::read(&text.replace(from, to), &client).unwrap();
            let gaps: Vec<_> = gaps.iter().map(|gap| (gap.event, gap.kind)).collect();
            assert_eq!(gaps, expected, "{agent}: {from} -> {to}");
        }
    }

    const ALL: [&str; 4] = ["SessionStart", "SubagentStart", "UserPromptSubmit", "PostToolUse"];

    #[test]
    fn the_widest_of_several_entries_counts() {
        let client = Client::from_word("cursor").unwrap();
        let entry = |pattern: &str| format!(r#"{{"command": "refdesk hook cursor", "matcher": "{pattern}"}}"#);
        for (patterns, expected) in [
            (&["x", "*"][..], None),
            (&["x", "Read"], Some(OtherPattern)),
            (&["x", "y"], Some(NoTool)),
            (&[], Some(Missing)),
        ] {
            let list = patterns.iter().map(|pattern| entry(pattern)).collect::<Vec<_>>().join(",");
            let text = format!(r#"{{"hooks": {{"postToolUse": [{list}]}}}}"#);
            let HookSettings { gaps, .. } = HookSettings::read(&text, &client).unwrap();
            let gap = gaps.iter().find(|gap| gap.event == "postToolUse").map(|gap| gap.kind);
            assert_eq!(gap, expected, "{patterns:?}");
        }
    }
}
