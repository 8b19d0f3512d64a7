//! Mentions in answers, and ids in sentences.

use serde_json::{Value, json};

use refdesk_core::catalog::SourceId;
use refdesk_core::mention::Mention;
use refdesk_desk::Desk;
use refdesk_text::escape::one_line;
use refdesk_text::names;
use refdesk_text::words::{capitalized, uncapitalized};

pub fn mention(desk: &Desk, mention: &Mention) -> Value {
    json!({
        "from": mention.from,
        "to": mention.to,
        "via": mention.via,
        "file": desk.workspace_context().display(&mention.file),
        "line": mention.line,
    })
}

/// The most mentions listed with their places: nested folders contain the mentions of all files below them, and for
/// documents that all mention each other, the number grows quadratically.
pub const MENTIONS: usize = 100_000;

/// The members of an answer that list mentions; `more` are not listed.
pub fn mentions(desk: &Desk, listed: &[Mention], more: usize) -> impl Iterator<Item = (&'static str, Value)> {
    let listed = listed.iter().map(|it| mention(desk, it)).collect();
    let more = (more > 0).then(|| ("more_mentions", json!(more)));
    std::iter::once(("mentions", Value::Array(listed))).chain(more)
}

/// The position of a mention, for people: `by id, docs/a.md:3`.
pub fn where_mentioned(desk: &Desk, mention: &Mention) -> String {
    format!("by {}, {}:{}", mention.via.word(), desk.workspace_context().display(&mention.file), mention.line)
}

/// Turns a sentence into a note, to be printed after `note: `.
pub fn as_note(sentence: &str) -> String {
    uncapitalized(sentence.trim_end_matches('.'))
}

/// What a command did, as a line: a sentence with a capital and a full stop.
pub fn result(done: &str) -> String {
    format!("{}.\n", capitalized(&one_line(done)))
}

/// Known ids in a sentence: `@a, @b`.
pub fn at_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    ids.into_iter().map(|id| format!("@{}", one_line(id.as_ref()))).collect::<Vec<_>>().join(", ")
}

/// The first of many known ids in a sentence: `@a, @b and 3 more`.
pub fn first_at_ids(ids: &[String]) -> String {
    names::first_of(ids.iter().map(|id| format!("@{}", one_line(id))), MAX_LISTED)
}

/// Ids in a list: `a, b`.
pub fn join(ids: &[SourceId]) -> String {
    ids.iter().map(|id| one_line(id.as_str()).into_owned()).collect::<Vec<_>>().join(", ")
}

/// The most ids listed in a sentence; programs get all.
const MAX_LISTED: usize = 10;

/// The first of many ids that the catalog does not have, each in quotation marks: `'a', 'b' and 3 more`.
pub fn first_of(ids: &[String]) -> String {
    names::first_of(ids.iter().map(|id| format!("'{}'", one_line(id))), MAX_LISTED)
}
