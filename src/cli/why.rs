//! `refdesk why`: the chain of mentions from a pick to a source.

use serde_json::{Value, json};

use unicode_width::UnicodeWidthStr;

use super::answer::CommandOutput;
use super::output::terminal_width;
use super::table::wrap;
use super::{rows, since};
use refdesk_core::selection::Role;
use refdesk_desk::{Desk, PickLink};
use refdesk_text::Error;
use refdesk_text::escape::one_line;

/// The indent of continuation lines in a text wider than the terminal.
const INDENT: usize = 2;

pub fn run(desk: &mut Desk, id: &str) -> Result<CommandOutput, Error> {
    let desk = &desk.settled();
    let chain = desk.why(id)?;
    let id = desk.catalog().canonical_id(id);
    let json = json!({"id": id, "chain": chain.iter().map(|why| link(desk, why)).collect::<Vec<_>>()});
    Ok(CommandOutput::new(json, to_text(desk, &chain, terminal_width())))
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

/// ` by you, 12:03`, ` by an agent, not confirmed by a person`, or `, preselected`; empty if unknown. For an auto source,
/// what that means.
fn by(why: &PickLink) -> String {
    if why.role == Role::AutoRoot {
        return ": an agent gets it with the instructions".to_owned();
    }
    let unknown = match why {
        PickLink { is_unconfirmed: true, .. } => " by an agent",
        PickLink { preselected: true, .. } => ", preselected",
        _ => "",
    };
    // A person's undo restores an agent's pick.
    let picked = why.picked.as_ref().filter(|picked| !(picked.by_person() && why.is_unconfirmed));
    let by = picked.map_or_else(
        || unknown.to_owned(),
        |picked| {
            let who = if picked.by_person() { "you" } else { &picked.who };
            format!(" by {who}, {}", since::shown(&picked.time, &since::now(), false))
        },
    );
    if why.is_unconfirmed { format!("{by}, not confirmed by a person") } else { by }
}

/// `c ← b (by id, docs/b.md:3) ← a (picked by you, 12:03)`, safe to print. If that is wider than `width`, a line for each
/// source.
pub fn chain_line(desk: &Desk, chain: &[PickLink], width: Option<usize>) -> String {
    let mut links: Vec<String> = chain.iter().take(1).map(|why| why.id.to_string()).collect();
    for why in chain {
        match (why.mentions.first(), links.last_mut()) {
            (Some(mention), _) => {
                links.push(format!("← {} ({})", mention.from, rows::where_mentioned(desk, mention)));
            }
            (None, Some(last)) => last.push_str(&format!(" ({}{})", role(why.role), by(why))),
            (None, None) => {}
        }
    }
    let links: Vec<String> = links.iter().map(|link| one_line(link).into_owned()).collect();
    let line = links.join(" ");
    if width.is_some_and(|width| line.width() > width) { links.join("\n  ") } else { line }
}

/// The chain, then the other mentions of the source.
fn to_text(desk: &Desk, chain: &[PickLink], width: Option<usize>) -> String {
    let mut text = chain_line(desk, chain, width);
    text.push('\n');
    let others = chain.first().map_or(&[][..], |why| why.mentions.get(1..).unwrap_or_default());
    for mention in others {
        let also = format!("also mentioned by {} ({})", mention.from, rows::where_mentioned(desk, mention));
        let lines = wrap(&one_line(&also), width.map_or(usize::MAX, |width| width.saturating_sub(INDENT)));
        text.push_str(&lines.join("\n  "));
        text.push('\n');
    }
    text
}
