//! `listReferences`: the sources of the catalog and their state, with the members of `refdesk list`.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::answer::escape;
use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_core::catalog::{Mode, Source};
use refdesk_desk::engine::Snapshot;
use refdesk_desk::rows::{Members, Rows};
use refdesk_desk::{TagFilter, about_unused_tags};
use refdesk_text::escape::one_line;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "listReferences",
    older: &[],
    title: "List references",
    description: "List the reference sources of this project with tags, cost in tokens and whether they are selected. \
                  Members that would be false or empty are left out.",
    input: r#"{"type":"object","properties":{
        "filter_tags":{"type":"array","items":{"type":"string"},"description":"Only sources with any of these tags"},
        "mode":{"type":"string","enum":["all","auto","selectable"],"default":"all"}}}"#,
    output: r#"{"type":"object","properties":{"sources":{"type":"array"},"total":{"type":"integer"},
        "selected_count":{"type":"integer"},"message":{"type":"string"}},"required":["sources","total","selected_count"]}"#,
    example: r#"{"filter_tags": ["java"], "mode": "selectable"}"#,
    effect: ToolEffect::Reads,
    handler: |call| Box::pin(run(call)),
};

const MODES: [(&str, Option<Mode>); 3] =
    [("all", None), ("auto", Some(Mode::Auto)), ("selectable", Some(Mode::Selectable))];

async fn run(mut call: ToolCall) -> ToolResult {
    let tags = call.arguments.texts("filter_tags")?;
    let mode = call.arguments.word("mode", &MODES)?.flatten();
    let snapshot = call.handle.settled(&call.session).await.ok_or_else(closed)?;
    Ok(ToolAnswer::escaped_json(rows(&snapshot, &tags, mode)))
}

fn rows(snapshot: &Snapshot, tags: &[String], mode: Option<Mode>) -> Value {
    let Snapshot { catalog, selection, .. } = snapshot;
    let rows = Rows { workspace: snapshot.workspace.as_ref().as_ref(), catalog, selection, members: Members::NonEmpty };
    let wanted_tags = TagFilter::new(tags);
    let wanted = |source: &&Source| {
        mode.is_none_or(|mode| source.mode == mode) && (tags.is_empty() || wanted_tags.matches(source))
    };
    let sources: Vec<&Source> = catalog.sources().iter().filter(wanted).collect();
    let selected = sources.iter().filter(|source| selection.contains(source.id.as_str())).count();
    let row = |source: &&Source| {
        let mut row = rows.listed(source, snapshot.tokens.get(source.id.as_str()).copied());
        escape(&mut row);
        row
    };
    // Building a thousand rows takes longer than everything else together.
    let rows: Vec<Value> = sources.par_iter().map(row).collect();
    let (total, selected) = (json!(sources.len()), json!(selected));
    let members = [("sources", Value::Array(rows)), ("total", total), ("selected_count", selected)];
    let message = about_unused_tags(catalog, tags).map(|message| ("message", json!(one_line(&message))));
    // Move the values; `json!` would copy them.
    Value::Object(members.into_iter().chain(message).map(|(name, value)| (name.to_owned(), value)).collect())
}
