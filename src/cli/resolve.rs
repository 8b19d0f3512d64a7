//! `refdesk resolve`: what some sources would pull in on their own.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::answer::{CommandOutput, object};
use super::args::OutputFormat;
use super::{rows, table};
use refdesk_core::catalog::SourceId;
use refdesk_core::mention::Mention;
use refdesk_core::selection::{Role, SelectedSource};
use refdesk_desk::{Closure, Desk};

/// Resolves the known ids; exit code 1 if one is unknown.
pub fn run(desk: &mut Desk, ids: &[String], format: OutputFormat) -> CommandOutput {
    let closure = desk.resolve(ids);
    let refused = desk.unknown_ids(&closure.unknown).into_iter().collect();
    CommandOutput::either(format, || to_json(desk, &closure), || to_text(desk, &closure)).with_failures(refused)
}

fn to_json(desk: &Desk, closure: &Closure) -> Value {
    let members = closure.selection.members();
    let depth: Map<String, Value> = members.iter().map(|member| (member.id.to_string(), json!(member.depth))).collect();
    let transitive = members.iter().filter(|member| member.role == Role::Transitive);
    // If every source mentions every other, there are millions of mentions.
    let mut room = rows::MENTIONS;
    let parents: Map<String, Value> = transitive
        .map(|member| {
            let parents = sorted_parents(member, room.max(1));
            room = room.saturating_sub(parents.len());
            (member.id.to_string(), json!(parents))
        })
        .collect();
    let mut mentions = desk.mentions_among(&closure.selection);
    let listed: Vec<Mention> = mentions.by_ref().take(rows::MENTIONS).collect();
    let mut members = vec![
        ("resolved", json!(members.iter().map(|member| &member.id).collect::<Vec<_>>())),
        ("depth", Value::Object(depth)),
        ("parents", Value::Object(parents)),
    ];
    members.extend(rows::mentions(desk, &listed, mentions.count()));
    members.push(("unknown", json!(closure.unknown)));
    object(members)
}

fn sorted_parents(member: &SelectedSource, most: usize) -> Vec<&SourceId> {
    let mut parents: Vec<&SourceId> = member.parents.iter().take(most).collect();
    parents.sort();
    parents
}

fn to_text(desk: &Desk, closure: &Closure) -> String {
    let members = closure.selection.members();
    let mut children: HashMap<&SourceId, HashSet<&SourceId>> = HashMap::new();
    for member in members {
        member.reason.iter().for_each(|reason| _ = children.entry(reason).or_default().insert(&member.id));
    }
    // Keep only the mention that pulled each source in.
    let mut first: HashMap<SourceId, Mention> = HashMap::new();
    for (reason, children) in children {
        for mention in desk.graph().from_to(reason.as_str(), |to| children.contains(to)) {
            first.entry(mention.to.clone()).or_insert(mention);
        }
    }
    let row = |member: &SelectedSource| {
        let why = first.get(&member.id).map_or_else(String::new, |mention| {
            format!("← {} ({})", mention.from, rows::where_mentioned(desk, mention))
        });
        vec![member.depth.to_string(), member.id.to_string(), why]
    };
    table::table(&members.iter().map(row).collect::<Vec<_>>(), &[2])
}
