//! `refdesk remove`: removes sources from the catalog, after showing the consequences.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::RemoveArgs;
use super::output::{ask, ask_to_leave, declined, unasked};
use super::rows;
use refdesk_core::catalog::SourceId;
use refdesk_desk::{Desk, Removal, RemovedSources, Session};
use refdesk_files::output::Proposal;
use refdesk_text::Error;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;

/// The most mentions listed for people.
const LISTED: usize = 10;

pub fn document(status: &str, removed: &[SourceId], files: &[&str], diff: &str, mentions: &[Value]) -> Value {
    json!({"status": status, "removed": removed, "files": files, "diff": diff, "mentions": mentions})
}

/// What would be removed, and its description, which is unavailable after the removal.
struct Shown {
    removal: Removal,
    mentioned: Vec<String>,
    mentions: Vec<Value>,
}

impl Shown {
    fn of(desk: &mut Desk, ids: &[String]) -> Result<Self, Error> {
        let removal = desk.propose_removal(ids, &ask_to_leave)?;
        let mentioned = mentioned(desk, &removal);
        let mentions = removal.mentions.iter().map(|mention| rows::mention(desk, mention)).collect();
        Ok(Self { removal, mentioned, mentions })
    }

    fn diff(&self, ids: &[SourceId]) -> String {
        self.removal.proposals(ids).map(|proposal| proposal.diff.unified()).collect()
    }

    /// The answer about the changes for these of the sources.
    fn json(&self, status: &str, removed: &[SourceId], ids: &[SourceId]) -> Value {
        let files: Vec<&str> = self.removal.proposals(ids).map(|proposal| proposal.shown.as_str()).collect();
        let mentions =
            self.removal.mentions.iter().zip(&self.mentions).filter(|(mention, _)| ids.contains(&mention.to));
        let mentions: Vec<Value> = mentions.map(|(_, shown)| shown.clone()).collect();
        document(status, removed, &files, &self.diff(ids), &mentions)
    }

    fn refuse(&self, refusal: Error, text: &str) -> CommandOutput {
        let text = text.as_bytes().to_vec();
        CommandOutput { json: self.json("error", &[], &self.removal.ids), text, ..CommandOutput::refused(refusal) }
    }
}

/// Shows, asks and removes.
pub fn run(desk: &mut Desk, session: &Session, args: &RemoveArgs) -> CommandOutput {
    if args.yes {
        return without_asking(desk, session, &args.ids);
    }
    let shown = match Shown::of(desk, &args.ids) {
        Ok(shown) => shown,
        Err(refusal) => return CommandOutput::refused(refusal),
    };
    let text: String = shown.removal.proposals(&shown.removal.ids).map(|proposal| proposal.diff.shown()).collect();
    let text = shown.mentioned.iter().fold(text, |text, line| format!("{text}{line}\n"));
    match ask(&text, &question(&shown.removal)) {
        Some(true) => {}
        Some(false) => return shown.refuse(declined("removed"), ""),
        None => {
            let answer = shown.refuse(unasked("removed"), &shown.diff(&shown.removal.ids));
            return CommandOutput { notes: shown.mentioned, ..answer };
        }
    }
    match desk.remove_sources(session, &shown.removal) {
        Ok(done) => removed(desk, &shown, done),
        Err(refusal) => shown.refuse(refusal, ""),
    }
}

/// Removes without asking; starts over if a file changes in the meantime.
fn without_asking(desk: &mut Desk, session: &Session, ids: &[String]) -> CommandOutput {
    let mut last: Option<Shown> = None;
    let done = desk.repeat_if_changed(|desk| {
        let shown = last.insert(Shown::of(desk, ids)?);
        desk.remove_sources(session, &shown.removal)
    });
    match (done, last) {
        (Ok(done), Some(shown)) => CommandOutput { notes: shown.mentioned.clone(), ..removed(desk, &shown, done) },
        (Err(refusal), Some(shown)) => shown.refuse(refusal, ""),
        (done, None) => done.map_or_else(CommandOutput::refused, |_| CommandOutput::default()),
    }
}

fn removed(desk: &Desk, shown: &Shown, RemovedSources { ids, failed }: RemovedSources) -> CommandOutput {
    let mut text = rows::result(&format!("removed {}", rows::at_ids(ids.iter().map(SourceId::as_str))));
    for id in &ids {
        if let Some(other) = desk.catalog().get(id.as_str()) {
            let file = desk.workspace_context().display(&other.origin.file);
            text.push_str(&rows::result(&format!("@{id} is still in the catalog: {file} also defines it")));
        }
        if desk.settings().preselected.iter().any(|preselected| preselected == id.as_str()) {
            text.push_str(&rows::result(&format!("@{id} is still in 'preselected' of the configuration")));
        }
    }
    let status = if failed.is_empty() { "success" } else { "error" };
    CommandOutput::new(shown.json(status, &ids, &ids), text).with_failures(failed)
}

fn question(removal: &Removal) -> String {
    let file = |proposal: &Proposal| proposal.shown.clone();
    let removed: Vec<String> = removal.files.iter().map(|(_, proposal)| file(proposal)).collect();
    let changed: Vec<String> = removal.rewritten.iter().map(file).collect();
    match (removed.as_slice(), changed.as_slice()) {
        ([], changed) => format!("Change {}?", changed.join(", ")),
        (removed, []) => format!("Remove {}?", removed.join(", ")),
        (removed, changed) => format!("Remove {} and change {}?", removed.join(", "), changed.join(", ")),
    }
}

/// Where other sources mention these, one line each.
fn mentioned(desk: &Desk, removal: &Removal) -> Vec<String> {
    let line = |mention| {
        let place = rows::where_mentioned(desk, mention);
        one_line(&format!("@{} mentions @{} ({place})", mention.from, mention.to)).into_owned()
    };
    let mut lines: Vec<String> = removal.mentions.iter().take(LISTED).map(line).collect();
    if let Some(more) = removal.mentions.len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(format!("and {} more", counted(more, "mention")));
    }
    lines
}
