//! `refdesk resolve`: what some sources would come to by themselves.

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::rows;
use crate::desk::{Closure, Desk};
use crate::selection::{Member, Role};

/// Resolves the ids that are known; exit code 1 where one is not.
pub fn run(desk: &mut Desk, ids: &[String]) -> Answer {
    let closure = desk.resolve(ids);
    let members = closure.selection.members();
    let depth: Map<String, Value> = members.iter().map(|member| (member.id.to_string(), json!(member.depth))).collect();
    let transitive = members.iter().filter(|member| member.role == Role::Transitive);
    let parents: Map<String, Value> =
        transitive.map(|member| (member.id.to_string(), sorted_parents(member))).collect();
    let mentions: Vec<Value> = closure.mentions.iter().map(|mention| rows::mention(desk, mention)).collect();
    let json = json!({
        "resolved": members.iter().map(|member| &member.id).collect::<Vec<_>>(),
        "depth": depth,
        "parents": parents,
        "mentions": mentions,
        "unknown": closure.unknown,
    });
    let refused = closure.unknown.iter().map(|id| desk.unknown_id(id)).collect();
    Answer::new(json, in_words(desk, &closure)).and_refused(refused)
}

fn sorted_parents(member: &Member) -> Value {
    let mut parents = member.parents.clone();
    parents.sort();
    json!(parents)
}

fn in_words(desk: &Desk, closure: &Closure) -> String {
    let row = |member: &Member| {
        let reason = member.reason.as_ref().and_then(|reason| {
            let mut mentions = closure.mentions.iter();
            mentions.find(|mention| mention.from == *reason && mention.to == member.id)
        });
        let why = reason.map_or_else(String::new, |mention| {
            format!("← {} ({})", mention.from, rows::where_mentioned(desk, mention))
        });
        vec![member.depth.to_string(), member.id.to_string(), why]
    };
    let members = closure.selection.members();
    rows::table(&members.iter().map(row).collect::<Vec<_>>())
}
