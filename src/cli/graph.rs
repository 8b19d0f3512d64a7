//! `refdesk graph`: all mentions of the catalog, for people, Graphviz and Mermaid, and as a picture.

mod svg;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::answer::{CommandOutput, object};
use crate::cli::args::{GraphArgs, OutputFormat};
use crate::cli::{rows, table};
use refdesk_core::catalog::Source;
use refdesk_core::mention::Mention;
use refdesk_desk::Desk;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;

/// The most mentions listed with their places: nested folders have the mentions of all files below them.
const MENTIONS: usize = 100_000;

pub fn run(desk: &mut Desk, args: &GraphArgs, format: OutputFormat) -> CommandOutput {
    desk.read_all();
    let desk = &*desk;
    let sources = desk.catalog().sources();
    let mentions: Vec<Mention> = sources.iter().flat_map(|source| desk.graph().from(source.id.as_str())).collect();
    let node = |source: &Source| {
        json!({"id": source.id, "name": source.name, "type": source.kind.word(), "mode": source.mode.word(),
               "selected": desk.selection().contains(source.id.as_str()), "exists": !source.is_missing()})
    };
    let (listed, more) = (mentions.get(..MENTIONS).unwrap_or(&mentions), mentions.len().saturating_sub(MENTIONS));
    let to_json = || {
        let listed = listed.iter().map(|mention| rows::mention(desk, mention));
        let more = (more > 0).then(|| ("more_mentions", json!(more)));
        let members =
            [("nodes", Value::Array(sources.iter().map(node).collect())), ("mentions", Value::Array(listed.collect()))];
        object(members.into_iter().chain(more))
    };
    let to_text = || match args {
        GraphArgs { dot: true, .. } => dot(desk, &mentions),
        GraphArgs { mermaid: true, .. } => mermaid(desk, &mentions),
        GraphArgs { svg: true, .. } => svg::print(desk),
        _ => to_text(desk, listed, more),
    };
    CommandOutput::either(format, to_json, to_text)
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

/// Each pair once.
fn edges(mentions: &[Mention]) -> Vec<(&str, &str)> {
    let mut edges: Vec<(&str, &str)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for mention in mentions {
        let edge = (mention.from.as_str(), mention.to.as_str());
        if seen.insert(edge) {
            edges.push(edge);
        }
    }
    edges
}

fn dot(desk: &Desk, mentions: &[Mention]) -> String {
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
    for (from, to) in edges(mentions) {
        out.push_str(&format!("  {} -> {};\n", quote(from), quote(to)));
    }
    out + "}\n"
}

/// Mermaid allows few characters in names, so nodes are numbered and have their ids as labels.
fn mermaid(desk: &Desk, mentions: &[Mention]) -> String {
    let sources = desk.catalog().sources().iter();
    let numbers: BTreeMap<&str, usize> = sources.enumerate().map(|(at, source)| (source.id.as_str(), at)).collect();
    let label = |text: &str| one_line(text).replace('&', "&amp;").replace('"', "&quot;");
    let mut out = String::from("graph LR\n");
    for source in desk.catalog().sources() {
        let id = source.id.as_str();
        let number = numbers.get(id).copied().unwrap_or_default();
        out.push_str(&format!("  n{number}[\"{}\"]\n", label(id)));
    }
    for (from, to) in edges(mentions) {
        if let (Some(from), Some(to)) = (numbers.get(from), numbers.get(to)) {
            out.push_str(&format!("  n{from} --> n{to}\n"));
        }
    }
    out
}
