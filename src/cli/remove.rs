//! `refdesk remove`: takes sources out of the catalog, after showing what that changes.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::RemoveArgs;
use super::output::{ask, ask_to_leave, declined, unasked};
use super::rows;
use refdesk_core::catalog::SourceId;
use refdesk_desk::{Desk, Removal, Session};
use refdesk_files::output::Proposal;
use refdesk_text::Error;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;

/// The most mentions listed for people.
const LISTED: usize = 10;

pub fn document(status: &str, removed: &[SourceId], files: &[&str], diff: &str, mentions: &[Value]) -> Value {
    json!({"status": status, "removed": removed, "files": files, "diff": diff, "mentions": mentions})
}

/// Shows, asks and removes.
pub fn run(desk: &mut Desk, session: &Session, args: &RemoveArgs) -> CommandOutput {
    let removal = match desk.propose_removal(&args.ids, &ask_to_leave) {
        Ok(removal) => removal,
        Err(refusal) => return CommandOutput::refused(refusal),
    };
    let mentioned = mentioned(desk, &removal);
    let proposals = || removal.files.iter().chain(&removal.rewritten);
    let diff: String = proposals().map(|proposal| proposal.diff.unified()).collect();
    let json = |status: &str, removed: &[SourceId]| {
        let files = proposals().map(|proposal| proposal.shown.as_str()).collect::<Vec<_>>();
        let mentions: Vec<Value> = removal.mentions.iter().map(|mention| rows::mention(desk, mention)).collect();
        document(status, removed, &files, &diff, &mentions)
    };
    let (done, refused) = (json("success", &removal.ids), json("error", &[]));
    let refuse = |refusal: Error, text: &str| CommandOutput {
        json: refused.clone(),
        text: text.as_bytes().to_vec(),
        ..CommandOutput::refused(refusal)
    };
    if !args.yes {
        let shown: String = proposals().map(|proposal| proposal.diff.shown()).collect();
        let shown = mentioned.iter().fold(shown, |shown, line| format!("{shown}{line}\n"));
        match ask(&shown, &question(&removal)) {
            Some(true) => {}
            Some(false) => return refuse(declined(), ""),
            None => return CommandOutput { notes: mentioned, ..refuse(unasked(), &diff) },
        }
    }
    if let Err(refusal) = desk.remove_sources(session, &removal) {
        return refuse(refusal, "");
    }
    let mut text = format!("removed {}\n", rows::join(&removal.ids));
    for id in &removal.ids {
        if let Some(other) = desk.catalog().get(id.as_str()) {
            let file = desk.workspace_context().display(&other.origin.file);
            text.push_str(&one_line(&format!("{id} is still in the catalog: {file} defines it too")));
            text.push('\n');
        }
        if desk.settings().preselected.iter().any(|preselected| preselected == id.as_str()) {
            text.push_str(&one_line(&format!("{id} is still in 'preselected' of the configuration")));
            text.push('\n');
        }
    }
    let notes = if args.yes { mentioned } else { Vec::new() };
    CommandOutput { notes, ..CommandOutput::new(done, text) }
}

fn question(removal: &Removal) -> String {
    let file = |proposal: &Proposal| proposal.shown.clone();
    let removed: Vec<String> = removal.files.iter().map(file).collect();
    let changed: Vec<String> = removal.rewritten.iter().map(file).collect();
    match (removed.as_slice(), changed.as_slice()) {
        ([], changed) => format!("Change {}?", changed.join(", ")),
        (removed, []) => format!("Remove {}?", removed.join(", ")),
        (removed, changed) => format!("Remove {} and change {}?", removed.join(", "), changed.join(", ")),
    }
}

/// Where other sources mention these, a line each.
fn mentioned(desk: &Desk, removal: &Removal) -> Vec<String> {
    let line = |mention| {
        let place = rows::where_mentioned(desk, mention);
        one_line(&format!("{} mentions {} ({place})", mention.from, mention.to)).into_owned()
    };
    let mut lines: Vec<String> = removal.mentions.iter().take(LISTED).map(line).collect();
    if let Some(more) = removal.mentions.len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(format!("and {} more", counted(more, "mention")));
    }
    lines
}
