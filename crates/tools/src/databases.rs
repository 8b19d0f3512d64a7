//! The tools for documented databases. All of them ask the desk and answer from the pages. The agent gets only pages
//! its session may read; other tables are named, with how to select them.

mod table;

pub(crate) use table::TOOLS;

use serde_json::{Value, json};

use super::answer::escape;
use super::read_reference::framed;
use super::{ToolAnswer, ToolCall, ToolResult, advice, closed, select_references};
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::session::{JournalEvent, Receipt};
use refdesk_desk::{DatabaseAnswer, DatabaseQuestion};
use refdesk_enrich::QUOTE_NOTICE;
use refdesk_text::{Error, tokens};

/// What the frame of an answer says that it holds.
const ABOUT: &str = "From the pages of databases";

/// Asks the desk, and journals what the agent reads.
async fn ask(call: ToolCall, question: DatabaseQuestion) -> ToolResult {
    let excluded = call.handle.opened().await.ok_or_else(closed)?.exclude_tools;
    let request = Request::AskDatabases(Box::new(question));
    let Some(Response::AboutDatabases(found)) = call.handle.ask_index(&call.session, request).await else {
        return Err(closed().into());
    };
    let DatabaseAnswer { mut json, quoted, select, problem } = *found?;
    let hint = (!select.is_empty()).then(|| how_to_select(&select, &excluded));
    if let Some(problem) = problem {
        let near = problem.fix.worded(&|fix| advice(fix, &excluded));
        let fix: Vec<String> = [near].into_iter().filter(|near| !near.is_empty()).chain(hint).collect();
        let refused = Error { fix: fix.join("; ").into(), ..problem };
        let text = refused.to_string();
        note_read(&call, quoted, text.len(), tokens::of_prose(text.len() as u64)).await;
        return Err(refused.into());
    }
    prune(&mut json);
    if let (Some(members), Some(hint)) = (json.as_object_mut(), hint) {
        members.insert("hint".to_owned(), json!(hint));
    }
    escape(&mut json);
    let (body, tokens) = with_tokens(&mut json);
    note_read(&call, quoted, body.len(), tokens).await;
    if let Some(members) = json.as_object_mut() {
        members.insert("notice".to_owned(), json!(QUOTE_NOTICE));
    }
    Ok(ToolAnswer::with_text(json, &framed(ABOUT, &body)))
}

/// Journals which pages of these sources were quoted.
async fn note_read(call: &ToolCall, quoted: Vec<String>, bytes: usize, tokens: u64) {
    if quoted.is_empty() {
        return;
    }
    let receipt = Receipt {
        tool: Some(call.arguments.tool_name().to_owned()),
        about: quoted,
        bytes,
        tokens: usize::try_from(tokens).unwrap_or(usize::MAX),
        ..Receipt::new(JournalEvent::Read)
    };
    // A failure to write the journal is reported as a diagnostic.
    let _ = call.handle.ask(&call.session, Request::NoteRead(Box::new(receipt))).await;
}

/// Adds the token count of the text to the answer; returns the text without its frame.
fn with_tokens(json: &mut Value) -> (String, u64) {
    let frame = framed(ABOUT, "").len();
    let used = tokens::of_prose((json.to_string().len() + frame) as u64);
    if let Some(members) = json.as_object_mut() {
        members.insert("tokens_used".to_owned(), json!(used));
    }
    (json.to_string(), used)
}

/// How the agent can get pages that its session may not read.
fn how_to_select(ids: &[String], excluded: &[String]) -> String {
    let what = "tables that are not selected are given by name and one line only";
    if select_references::SPEC.is_excluded(excluded) {
        return format!("{what}. Ask the user for more, or do without");
    }
    format!("{what}. For more, select their sources: selectReferences with ids {}", json!(ids))
}

/// Removes null and empty members, which only cost tokens.
fn prune(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(prune);
            members.retain(|name, value| match value {
                Value::Null => false,
                Value::String(text) => !text.is_empty(),
                // Keep lists that are the answer itself.
                Value::Array(items) => !items.is_empty() || LISTS.contains(&name.as_str()),
                _ => true,
            });
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

/// Lists that are included even if empty.
const LISTS: [&str; 5] = ["tables", "paths", "domains", "relationships", "usage"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_and_empty_members_are_left_out() {
        let mut value =
            json!({"a": null, "b": "", "c": [], "tables": [], "d": {"e": false, "f": null}, "g": [{"h": ""}]});
        prune(&mut value);
        assert_eq!(value, json!({"tables": [], "d": {"e": false}, "g": [{}]}));
    }

    #[test]
    fn the_tokens_are_those_of_the_text() {
        for size in [0, 10, 1_000] {
            let mut value = json!({"tables": ["x".repeat(size)], "tokens_used": 7});
            let (body, used) = with_tokens(&mut value);
            let text = framed(ABOUT, &body);
            assert!(used.abs_diff(tokens::of_prose(text.len() as u64)) <= 2, "{size}: {used}");
        }
    }
}
