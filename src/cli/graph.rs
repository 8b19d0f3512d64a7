//! `refdesk graph`: all mentions of the catalog, as text, Graphviz, Mermaid or a picture.

mod svg;

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::cli::answer::{CommandOutput, object};
use crate::cli::args::{GraphArgs, OutputFormat};
use crate::cli::rows::{self, MENTIONS};
use crate::cli::table;
use refdesk_core::catalog::{PathState, Source, SourceId};
use refdesk_core::mention::Mention;
use refdesk_desk::Desk;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;

pub fn run(desk: &mut Desk, args: &GraphArgs, format: OutputFormat) -> CommandOutput {
    desk.read_all();
    let desk = &*desk;
    let sources = desk.catalog().sources();
    // Iterate instead of collecting: if every source mentions every other, the mentions do not fit in memory.
    let mentions = || sources.iter().flat_map(|source| desk.graph().from(source.id.as_str()));
    let node = |source: &Source| {
        // Whether something stands outside is not told before trust.
        let is_known = source.place().is_none_or(|place| place.state != PathState::Untrusted);
        let exists = is_known.then(|| !source.is_missing());
        json!({"id": source.id, "name": source.name, "type": source.kind.word(), "mode": source.mode.word(),
               "selected": desk.selection().contains(source.id.as_str()), "exists": exists})
    };
    let listed = || -> Vec<Mention> { mentions().take(MENTIONS).collect() };
    let more = || mentions().skip(MENTIONS).count();
    let to_json = || {
        let nodes = ("nodes", Value::Array(sources.iter().map(node).collect()));
        object(std::iter::once(nodes).chain(rows::mentions(desk, &listed(), more())))
    };
    let mut notes = Vec::new();
    let to_text = || match args {
        GraphArgs { dot: true, .. } => dot(desk),
        GraphArgs { mermaid: true, .. } => mermaid(desk),
        GraphArgs { svg: true, .. } => {
            let (picture, left_out) = svg::print(desk);
            let arrows = counted(left_out, "more arrow");
            notes.extend(
                (left_out > 0)
                    .then(|| format!("the picture leaves {arrows} out; `refdesk graph --dot` has all of them")),
            );
            picture
        }
        _ => to_text(desk, &listed(), more()),
    };
    let output = CommandOutput::either(format, to_json, to_text);
    CommandOutput { notes, ..output }
}

fn to_text(desk: &Desk, mentions: &[Mention], more: usize) -> String {
    if mentions.is_empty() {
        return "No source mentions another. A document mentions a source with its id, as in [[retry-pattern]], or with a link to \
                its file.\n"
            .to_owned();
    }
    let row = |mention: &Mention| {
        vec![
            mention.from.to_string(),
            format!("→ {}", mention.to),
            format!("({})", rows::where_mentioned(desk, mention)),
        ]
    };
    let mut text = table::table(&mentions.iter().map(row).collect::<Vec<_>>(), &[2]);
    if more > 0 {
        let more = counted(more, "more mention");
        text.push_str(&format!("\n+ {more}: `refdesk graph --dot` has each pair of sources\n"));
    }
    text
}

/// Each pair of a source and a source it mentions, once.
fn edges(desk: &Desk) -> impl Iterator<Item = (&str, SourceId)> {
    desk.catalog().sources().iter().flat_map(|source| {
        let (from, mut seen) = (source.id.as_str(), HashSet::new());
        let targets = desk.graph().from(from).map(|mention| mention.to);
        targets.filter(move |to| seen.insert(to.clone())).map(move |to| (from, to))
    })
}

fn dot(desk: &Desk) -> String {
    let quote = |text: &str| format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::from("digraph references {\n  rankdir=LR;\n  node [shape=box];\n");
    for source in desk.catalog().sources() {
        let style = match (desk.selection().contains(source.id.as_str()), source.is_missing()) {
            (_, true) => " [style=dashed]",
            (true, false) => " [style=filled]",
            (false, false) => "",
        };
        out.push_str(&format!("  {}{style};\n", quote(source.id.as_str())));
    }
    for (from, to) in edges(desk) {
        out.push_str(&format!("  {} -> {};\n", quote(from), quote(to.as_str())));
    }
    out + "}\n"
}

/// Mermaid allows few characters in names, so nodes are numbered and have their ids as labels.
fn mermaid(desk: &Desk) -> String {
    let sources = desk.catalog().sources().iter();
    let numbers: BTreeMap<&str, usize> = sources.enumerate().map(|(at, source)| (source.id.as_str(), at)).collect();
    let label = |text: &str| one_line(text).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let mut out = String::from("graph LR\n");
    for source in desk.catalog().sources() {
        let id = source.id.as_str();
        let number = numbers.get(id).copied().unwrap_or_default();
        out.push_str(&format!("  n{number}[\"{}\"]\n", label(id)));
    }
    for (from, to) in edges(desk) {
        if let (Some(from), Some(to)) = (numbers.get(from), numbers.get(to.as_str())) {
            out.push_str(&format!("  n{from} --> n{to}\n"));
        }
    }
    out
}
