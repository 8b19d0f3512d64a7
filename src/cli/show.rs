//! `refdesk show`: everything about one source.

use crate::common::source_words::address;
use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::{rows, why};
use refdesk_core::catalog::{Mode, PathState, Source, SourceKind};
use refdesk_core::mention::Mention;
use refdesk_desk::Desk;
use refdesk_text::escape::{one_line, visible};
use refdesk_text::tokens::grouped;

/// The most mentions listed for people.
const LISTED: usize = 8;

pub fn run(desk: &mut Desk, id: &str) -> CommandOutput {
    desk.read_all();
    let settled = desk.settled();
    let Some(source) = settled.catalog().find(id) else {
        return CommandOutput::refused(desk.unknown_id(id));
    };
    let budget = refdesk_files::walk::WalkBudget::default();
    let tokens = settled.tokens(source, &budget);
    let id = source.id.as_str();
    let mentions: Vec<Mention> = settled.graph().from(id).collect();
    let others = settled.catalog().sources().iter();
    let mentioned_by: Vec<Mention> =
        others.flat_map(|other| settled.graph().from_to(other.id.as_str(), |to| to.as_str() == id)).collect();
    let chain = settled.why(id).ok();
    let spot = settled.definition(id).ok();
    let defined = settled.workspace_context().display(&source.origin.file);
    let mut json = settled.rows().listed(source, tokens);
    let mention = |mention: &Mention| rows::mention(&settled, mention);
    if let Value::Object(members) = &mut json {
        let line = spot.as_ref().map(|spot| spot.line);
        members.insert("defined_in".to_owned(), json!({"file": defined, "line": line}));
        members.insert("entry".to_owned(), settled.written_entry(source).unwrap_or_default());
        members.insert("waits_for_trust".to_owned(), json!(source.is_untrusted()));
        members.insert("mentions".to_owned(), mentions.iter().map(mention).collect());
        members.insert("mentioned_by".to_owned(), mentioned_by.iter().map(mention).collect());
        let chain = chain.as_ref().map(|chain| chain.iter().map(|why| why::link(&settled, why)).collect::<Vec<_>>());
        members.insert("chain".to_owned(), json!(chain.unwrap_or_default()));
    }
    let mut lines = vec![
        ("defined in", format!("{defined}{}", spot.map_or_else(String::new, |spot| format!(":{}", spot.line)))),
        (source.kind.word(), place(&settled, source)),
        ("mode", source.mode.word().to_owned()),
        ("tags", if source.tags.is_empty() { "none".to_owned() } else { source.tags.join(", ") }),
    ];
    if let Some(tokens) = tokens {
        lines.push(("tokens", format!("~{}", grouped(tokens))));
    }
    lines.push((
        "selected",
        match &chain {
            Some(chain) => why::chain_line(&settled, chain, None),
            None if settled.choice().exclusions.iter().any(|excluded| excluded == id) => match source.mode {
                Mode::Auto => "no: excluded; as an auto source it stays in the instructions".to_owned(),
                Mode::Selectable => "no: excluded".to_owned(),
            },
            None => "no".to_owned(),
        },
    ));
    let mut text = format!("{}  {}\n", one_line(id), one_line(&source.name));
    if !source.description.trim().is_empty() {
        text.push_str(&format!("  {}\n", one_line(&source.description)));
    }
    for (key, value) in lines {
        text.push_str(&format!("  {key:12}  {}\n", one_line(&value)));
    }
    let by = |mention: &Mention| rows::where_mentioned(&settled, mention);
    text.push_str(&listed("mentions", mentions.iter().map(|it| format!("{} ({})", it.to, by(it)))));
    text.push_str(&listed("mentioned by", mentioned_by.iter().map(|it| format!("{} ({})", it.from, by(it)))));
    if let SourceKind::Inline { content } = &source.kind {
        text.push_str(&format!("\n{}\n", visible(content).trim_end_matches('\n')));
    }
    CommandOutput::new(json, text)
}

fn place(desk: &Desk, source: &Source) -> String {
    match &source.kind {
        SourceKind::Local(place) => {
            let path = desk.workspace_context().display(&place.path);
            match place.state {
                PathState::File => path,
                PathState::Directory => format!("{path}/"),
                PathState::Missing => format!("{path}: missing"),
                PathState::Untrusted => format!("{path}: outside the workspace, waits for trust (refdesk trust)"),
                PathState::Special => format!("{path}: not read, it is not a regular file"),
                PathState::Reserved => format!("{path}: not read, it belongs to git or to refdesk itself"),
            }
        }
        SourceKind::Withheld(kind) => format!("{}: waits for trust (refdesk trust)", address(kind)),
        SourceKind::Url { .. } | SourceKind::Mcp { .. } => address(&source.kind),
        SourceKind::Inline { content } => format!("{} bytes in the entry", content.len()),
    }
}

fn listed(key: &str, rows: impl ExactSizeIterator<Item = String>) -> String {
    let more = rows.len().saturating_sub(LISTED);
    let mut text = String::new();
    for (at, row) in rows.take(LISTED).enumerate() {
        let key = if at == 0 { key } else { "" };
        text.push_str(&format!("  {key:12}  {}\n", one_line(&row)));
    }
    if more > 0 {
        text.push_str(&format!("  {:12}  and {more} more: --json lists them all\n", ""));
    }
    text
}
