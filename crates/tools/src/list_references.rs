//! `listReferences`: the sources of the catalog and their state, with the members of `refdesk list`.

use std::time::Duration;

use rayon::prelude::*;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::answer::escape;
use super::{ToolAnswer, ToolCall, ToolEffect, ToolResult, ToolSpec, closed};
use refdesk_core::catalog::{Mode, Source};
use refdesk_desk::engine::Snapshot;
use refdesk_desk::rows::{Members, Rows};
use refdesk_desk::{TagFilter, about_unused_tags};
use refdesk_text::escape::one_line;
use refdesk_text::tokens::grouped;

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

/// How long to wait for the costs of all sources. Without them, an agent would take sources for free.
const COSTS_WAIT: Duration = Duration::from_secs(8);

async fn run(mut call: ToolCall) -> ToolResult {
    let tags = call.arguments.texts("filter_tags")?;
    let mode = call.arguments.word("mode", &MODES)?.flatten();
    let mut snapshot = call.handle.settled(&call.session).await.ok_or_else(closed)?;
    if snapshot.loading.is_some() {
        let mut snapshots = call.handle.snapshots();
        let is_read = snapshots.wait_for(|snapshot| snapshot.loading.is_none());
        // After that time, or if the desk ends, what is known has to do.
        if let Ok(Ok(read)) = timeout(COSTS_WAIT, is_read).await {
            snapshot = read.clone();
        }
    }
    Ok(ToolAnswer::escaped_json(rows(&snapshot, &tags, mode)))
}

fn rows(snapshot: &Snapshot, tags: &[String], mode: Option<Mode>) -> Value {
    let Snapshot { catalog, selection, graph, .. } = snapshot;
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
    let unread = sources.iter().filter(|source| snapshot.loading.is_some() && !graph.is_scanned(source.id.as_str()));
    let messages: Vec<String> =
        about_unused_tags(catalog, tags).into_iter().chain(about_unknown_costs(unread.count())).collect();
    let message = (!messages.is_empty()).then(|| ("message", json!(one_line(&messages.join("; ")))));
    // Move the values; `json!` would copy them.
    Value::Object(members.into_iter().chain(message).map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A message that the costs of this many sources are not known yet; `None` for 0.
fn about_unknown_costs(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("the cost of 1 source is not known yet".to_owned()),
        _ => Some(format!("the costs of {} sources are not known yet", grouped(count))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use refdesk_core::catalog::Catalog;
    use refdesk_core::catalog::testing::inline;
    use refdesk_core::mention::{MentionGraph, Mentions};
    use refdesk_desk::engine::Loading;

    #[test]
    fn costs_that_are_not_known_yet_are_reported() {
        let cases: [(&[&str], &[&str], Option<&str>); 4] = [
            (&[], &[], Some("the costs of 2 sources are not known yet")),
            (&["a"], &[], Some("the cost of 1 source is not known yet")),
            (&["a", "b"], &[], None),
            (&[], &["x"], Some("no source has the tag 'x'")),
        ];
        for (read, tags, expected) in cases {
            let mut graph = MentionGraph::default();
            for id in read {
                graph.insert((*id).into(), Mentions::default());
            }
            let catalog = Arc::new(Catalog::new(vec![inline("a", ""), inline("b", "")]));
            let loading = (read.len() < 2).then_some(Loading { done: read.len(), total: 2 });
            let snapshot = Snapshot { catalog, graph: Arc::new(graph), loading, ..Snapshot::default() };
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            let answer = rows(&snapshot, &tags, None);
            assert_eq!(answer["message"].as_str(), expected, "{read:?}");
        }
    }
}
