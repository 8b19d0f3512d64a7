//! `refdesk why`: the chain of mentions from a pick to a source.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::{rows, since};
use refdesk_core::selection::Role;
use refdesk_desk::{Desk, PickLink};
use refdesk_text::Error;

pub fn run(desk: &mut Desk, id: &str) -> Result<CommandOutput, Error> {
    let desk = &desk.settled();
    let chain = desk.why(id)?;
    let id = desk.catalog().canonical_id(id);
    let json = json!({"id": id, "chain": chain.iter().map(|why| link(desk, why)).collect::<Vec<_>>()});
    Ok(CommandOutput::new(json, to_text(desk, &chain)))
}

pub fn link(desk: &Desk, why: &PickLink) -> Value {
    let mentions: Vec<Value> = why.mentions.iter().map(|mention| rows::mention(desk, mention)).collect();
    let picked = why.picked.as_ref().map(|picked| json!({"by": picked.who, "at": picked.time}));
    json!({"id": why.id, "role": role(why.role), "mentions": mentions, "picked": picked})
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Picked => "picked",
        Role::AutoRoot => "auto",
        Role::Transitive => "transitive",
    }
}

/// ` by you, 12:03`, or `, preselected`; empty if unknown.
fn by(why: &PickLink) -> String {
    let preselected = || if why.preselected { ", preselected".to_owned() } else { String::new() };
    why.picked.as_ref().map_or_else(preselected, |picked| {
        let who = if picked.by_person { "you" } else { &picked.who };
        format!(" by {who}, {}", since::shown(&picked.time, &since::now(), false))
    })
}

/// `c ← b (by id, docs/b.md:3) ← a (picked by you, 12:03)`, then the other mentions of the source.
pub fn to_text(desk: &Desk, chain: &[PickLink]) -> String {
    let mut line = String::new();
    for (at, why) in chain.iter().enumerate() {
        if at == 0 {
            line.push_str(why.id.as_str());
        }
        match why.mentions.first() {
            Some(mention) => {
                line.push_str(&format!(" ← {} ({})", mention.from, rows::where_mentioned(desk, mention)));
            }
            None => line.push_str(&format!(" ({}{})", role(why.role), by(why))),
        }
    }
    let others = chain.first().map_or(&[][..], |why| why.mentions.get(1..).unwrap_or_default());
    let mut text = refdesk_text::escape::one_line(&line).into_owned();
    text.push('\n');
    for mention in others {
        let also = format!("also mentioned by {} ({})", mention.from, rows::where_mentioned(desk, mention));
        text.push_str(&refdesk_text::escape::one_line(&also));
        text.push('\n');
    }
    text
}
