//! `search_documents`: finds sections of the documents by words and by meaning. The agent gets the text only of sources
//! its session may read; the others are named, with how to select them.

use serde_json::{Value, json};

use super::read_reference::framed;
use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, advise, closed};
use refdesk_desk::engine::{Request, Response};
use refdesk_desk::{SEARCH_LIMIT, SearchAnswer, SearchHit, SearchReader, SearchRequest};
use refdesk_enrich::QUOTE_NOTICE;
use refdesk_text::shorten::shortened;
use refdesk_text::{Error, Fix, tokens};

/// What the frame of an answer says that it holds.
const ABOUT: &str = "Sections that were found";

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "search_documents",
    older: &[],
    title: "Search references",
    description: "Search all references by words and meaning. Quotes the best sections, or says how to select them.",
    input: r#"{"type":"object","properties":{"query":{"type":"string"},
        "limit":{"type":"integer","minimum":1,"maximum":100,"default":10},
        "max_tokens":{"type":"integer","minimum":0,"default":2000}},"required":["query"]}"#,
    output: r#"{"type":"object","properties":{"hits":{"type":"array"},"notice":{"type":"string"}},
        "required":["hits","notice"]}"#,
    example: r#"{"query": "how do I retry a payment", "max_tokens": 1000}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

/// The most characters of the query repeated in the answer, which do not count as its tokens.
const ECHOED: usize = 100;

const MAX_HITS: u64 = 100;

/// The default token limit of an answer.
const MAX_TOKENS: u64 = 2_000;

async fn run(mut call: ToolCall) -> ToolResult {
    let query = call.arguments.required("query")?;
    let limit = call.arguments.number("limit", 1, MAX_HITS)?;
    let most = call.arguments.number("max_tokens", 0, u64::MAX)?.unwrap_or(MAX_TOKENS);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(SEARCH_LIMIT);
    let request = SearchRequest { limit, ..SearchRequest::new(query, SearchReader::Agent) };
    let excluded = call.handle.opened().await.ok_or_else(closed)?.exclude_tools;
    let Some(Response::Found(found)) = call.handle.ask_index(&call.session, Request::Search(Box::new(request))).await
    else {
        return Err(closed().into());
    };
    let mut found = *found?;
    found.query = shortened(found.query, ECHOED);
    let answer = fitted(&found, most, &excluded);
    let given = in_both_forms(&answer, &excluded);
    // Its tokens are those of the longer form, too.
    let json = given.structured.as_ref().map_or(0, |json| json.to_string().len());
    let receipt = answer.receipt(call.arguments.tool_name(), given.text.len().max(json));
    // A failure to write the journal is reported as a diagnostic.
    let _ = call.handle.ask(&call.session, Request::NoteRead(Box::new(receipt))).await;
    Ok(given)
}

/// The answer shortened to this many tokens, in the longer of its two forms: some clients pass on the text, others the
/// JSON. Its notes also count, and so does the note about what does not fit.
fn fitted(whole: &SearchAnswer, most: u64, excluded: &[String]) -> SearchAnswer {
    let around = |answer: &SearchAnswer| {
        let text = framed(ABOUT, "").len() + notes(answer).len();
        let json = as_json(&SearchAnswer { hits: Vec::new(), ..answer.clone() }, excluded).to_string();
        tokens::of_prose(text.max(json.len()) as u64)
    };
    let mut frame = around(whole);
    loop {
        let mut answer = whole.clone();
        answer.fit(Some(most), frame, |hit| {
            let (text, json) = (as_text(hit, excluded), hit_as_json(hit, excluded).to_string());
            text.len().max(json.len() + ",".len())
        });
        match around(&answer) {
            needed if needed > frame => frame = needed,
            _ => return answer,
        }
    }
}

fn in_both_forms(answer: &SearchAnswer, excluded: &[String]) -> ToolAnswer {
    let hits: Vec<String> = answer.hits.iter().map(|hit| as_text(hit, excluded)).collect();
    let mut text = match hits.as_slice() {
        [] if answer.explains_no_hits => String::new(),
        [] => "No section found.\n".to_owned(),
        _ => framed(ABOUT, &hits.concat()),
    };
    text.push_str(&notes(answer));
    ToolAnswer::with_text(as_json(answer, excluded), &text)
}

fn as_json(answer: &SearchAnswer, excluded: &[String]) -> Value {
    let mut json = json!(answer);
    let hits = answer.hits.iter().map(|hit| hit_as_json(hit, excluded)).collect();
    if let Some(members) = json.as_object_mut() {
        members.insert("notice".to_owned(), json!(QUOTE_NOTICE));
        members.insert("hits".to_owned(), hits);
    }
    json
}

fn hit_as_json(hit: &SearchHit, excluded: &[String]) -> Value {
    let mut json = json!(hit);
    if let (Some(members), Some(fix)) = (json.as_object_mut(), fix(hit, excluded)) {
        members.insert("hint".to_owned(), json!(fix));
    }
    json
}

/// The notes as lines.
fn notes(answer: &SearchAnswer) -> String {
    answer.notes.iter().map(|note| format!("{note}\n")).collect()
}

/// A hit for the agent. If the agent may not read it, says how to select it instead of quoting it.
fn as_text(hit: &SearchHit, excluded: &[String]) -> String {
    let mut text = hit.to_text();
    if let Some(fix) = fix(hit, excluded) {
        let state = if matches!(hit.fix, Fix::Pick(_)) { "not selected" } else { "cannot be read" };
        text.push_str(&format!("    {state}: {fix}\n"));
    }
    text
}

fn fix(hit: &SearchHit, excluded: &[String]) -> Option<String> {
    if hit.fix.is_none() {
        return None;
    }
    let error = advise(Error::new(refdesk_text::Code::NotSelected, "", hit.fix.clone()), excluded);
    Some(error.fix.to_string())
}
