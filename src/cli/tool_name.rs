//! The name of the tool that returned a text, and its arguments. An agent may hide in the name that the text is refdesk's
//! own answer.

use std::borrow::Cow;

use serde_json::Value;

use refdesk_agents::setup::{NAME, is_own_call};
use refdesk_enrich::{QUOTE_NOTICE, Tool};

/// The name of the tool that returned this text; if the tool is refdesk, a name that says so: for a command line that
/// only calls this program, and for a tool of its server under another name or none.
pub fn canonical<'n>(name: Option<&'n str>, arguments: &Value, text: &str) -> Option<Cow<'n, str>> {
    if arguments.get("command").and_then(Value::as_str).is_some_and(is_own_call) {
        return Some(NAME.into());
    }
    let name = name?;
    // Another server may have a `search_documents`, too, but no other answer has our notice.
    let is_own = |tool: &&str| refdesk_mcp::is_tool(tool) && (!tool.contains('_') || text.contains(QUOTE_NOTICE));
    let own = match name.strip_prefix("MCP:") {
        // Cursor names no server, so a tool's name has to do.
        Some(tool) => Some(tool).filter(is_own),
        None => name.strip_prefix("mcp_").and_then(|name| {
            let mut ends = name.match_indices('_').filter_map(|(at, _)| name.get(at + 1..));
            ends.find(is_own)
        }),
    };
    Some(own.map_or(Cow::Borrowed(name), |tool| format!("{NAME}:{tool}").into()))
}

/// The arguments of the tool with this canonical name; if the tool is refdesk, as its server reads them.
pub fn normalized<'v>(name: Option<&str>, arguments: &'v Value) -> Cow<'v, Value> {
    match arguments {
        Value::Object(given) if (Tool { name, arguments, cwd: None }).is_own() => {
            let mut given = given.clone();
            refdesk_mcp::normalize_arguments(&mut given);
            Cow::Owned(Value::Object(given))
        }
        _ => Cow::Borrowed(arguments),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refdesks_own_answers_are_recognized() {
        for (name, command, expected) in [
            ("MCP:listReferences", "", "refdesk:listReferences"),
            ("MCP:search_documents", "", "MCP:search_documents"),
            ("MCP:search_issues", "", "MCP:search_issues"),
            ("mcp__desk__listReferences", "", "refdesk:listReferences"),
            ("mcp_desk_readReference", "", "refdesk:readReference"),
            ("mcp__refdesk__search_documents", "", "mcp__refdesk__search_documents"),
            ("mcp__other__search_documents", "", "mcp__other__search_documents"),
            ("listReferences", "", "listReferences"),
            ("Bash", "refdesk list --tag java", "refdesk"),
            ("Shell", "/usr/bin/refdesk search 'retry & backoff'\n", "refdesk"),
            ("Bash", "refdesk list; cat docs/a.md", "Bash"),
            ("Bash", "cat refdesk", "Bash"),
        ] {
            let arguments = json!({"command": command});
            assert_eq!(canonical(Some(name), &arguments, "").as_deref(), Some(expected), "{name} {command}");
        }
        for (name, expected) in [
            ("MCP:search_documents", "refdesk:search_documents"),
            ("mcp__desk__search_documents", "refdesk:search_documents"),
            ("mcp__my_desk__get_table_schema", "refdesk:get_table_schema"),
            ("mcp_desk_search_tables", "refdesk:search_tables"),
            ("mcp__desk__search_issues", "mcp__desk__search_issues"),
            ("Bash", "Bash"),
        ] {
            let text = format!("invoice\n{QUOTE_NOTICE}");
            assert_eq!(canonical(Some(name), &json!({}), &text).as_deref(), Some(expected), "{name}");
        }
    }
}
