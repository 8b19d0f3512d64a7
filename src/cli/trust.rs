//! `refdesk trust`: what the configuration of the workspace would do outside it, shown before it is trusted.

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::TrustCommand;
use super::output::ask;
use crate::common::trust_question;
use refdesk_desk::{Desk, PrivilegedAction, PrivilegedActionKind, RevokedTrust, Session};
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

const NOTHING: &str = "Nothing in this workspace needs your trust.\n";
const TOO_LONG: &str = "Nothing can be trusted as it is: it would take too long to read.\n";

/// Runs the subcommand; without one, shows what is not trusted and asks.
pub fn run(desk: &mut Desk, session: &Session, command: Option<&TrustCommand>) -> CommandOutput {
    // Sources of the selection may need trust too.
    desk.settle_for_trust();
    let (mut waiting, count) = desk.actions_with_profiles();
    let trusted = waiting.split_off(count);
    let is_too_long = desk.waiting().iter().any(|problem| problem.code == Code::TooLong);
    let mut answer = match command {
        _ if is_too_long && waiting.is_empty() && trusted.is_empty() => {
            CommandOutput::new(document("success", &trusted, &waiting), TOO_LONG)
        }
        Some(TrustCommand::List) => list(&trusted, &waiting),
        Some(TrustCommand::Revoke) => revoke(desk, &trusted, &waiting),
        None => trust(desk, &trusted, &waiting),
    };
    // Template files outside the workspace depend on trust.
    if desk.has_stale_trust() {
        desk.reload();
        let (index, _) = desk.settled().templates();
        answer.diagnostics.extend(desk.write_templates(session, &index).diagnostics);
    }
    // The file that stores trust may be damaged.
    answer.diagnostics.extend(desk.waiting().into_iter().filter(|problem| problem.code != Code::Untrusted));
    answer
}

fn list(trusted: &[PrivilegedAction], waiting: &[PrivilegedAction]) -> CommandOutput {
    let mut text = String::new();
    for (title, actions) in [("Trusted:", trusted), ("Waiting for your trust:", waiting)] {
        if !actions.is_empty() {
            text.push_str(&format!("{title}\n{}", sentences(actions)));
        }
    }
    if text.is_empty() {
        text.push_str("Nothing in this workspace's configuration reaches outside it, so nothing needs your trust.\n");
    }
    CommandOutput::new(document("success", trusted, waiting), text)
}

fn revoke(desk: &Desk, trusted: &[PrivilegedAction], waiting: &[PrivilegedAction]) -> CommandOutput {
    match desk.revoke() {
        Ok(RevokedTrust { actions, sections, still_indexed }) => {
            let text = revoked(actions.len(), sections);
            let status = if still_indexed.is_some() { "error" } else { "success" };
            let output = CommandOutput::new(document(status, &[], &[&actions, waiting].concat()), text);
            output.with_failures(still_indexed.into_iter().collect())
        }
        Err(refusal) => CommandOutput::new(document("error", trusted, waiting), "").with_failures(vec![refusal]),
    }
}

fn revoked(count: usize, sections: usize) -> String {
    let mut text = match count {
        0 => "Nothing was trusted.\n".to_owned(),
        count => format!("Revoked trust in {}.\n", counted(count, "setting")),
    };
    if sections > 0 {
        text.push_str(&format!("Removed {} from the search index.\n", counted(sections, "section")));
    }
    text
}

fn trust(desk: &Desk, trusted: &[PrivilegedAction], waiting: &[PrivilegedAction]) -> CommandOutput {
    if waiting.is_empty() {
        return CommandOutput::new(document("success", trusted, waiting), NOTHING);
    }
    let count = counted(waiting.len(), "setting");
    let shown = format!(
        "Waiting for your trust, in {}:\n{}",
        one_line(&desk.workspace().to_string_lossy()),
        sentences(waiting)
    );
    // No option can replace the question, because an agent with a shell could use it too.
    match ask(&shown, &format!("Trust {}?", trust_question::settings(waiting))) {
        Some(true) => {}
        Some(false) => {
            // A user's no is not an error, but programs get the reason why nothing was trusted.
            let mut json = document("error", trusted, waiting);
            if let Value::Object(members) = &mut json {
                members.insert("error".to_owned(), json!(Error::new(Code::NotApproved, "nothing was trusted", "")));
            }
            return CommandOutput { exit: 1, ..CommandOutput::new(json, "Nothing was trusted.\n") };
        }
        None => {
            let hint = "run `refdesk trust` at a terminal, or open the full screen";
            let refusal = Error::new(Code::NotApproved, "not a terminal, so nothing was trusted", hint);
            return CommandOutput::new(document("error", trusted, waiting), shown).with_failures(vec![refusal]);
        }
    }
    match desk.trust(waiting) {
        Ok(()) => {
            let what = if waiting.len() == 1 { "it" } else { "any of them" };
            let text = format!("Trusted {count}; refdesk asks again if {what} changes.\n");
            CommandOutput::new(document("success", &[trusted, waiting].concat(), &[]), text)
        }
        Err(refusal) => CommandOutput::new(document("error", trusted, waiting), "").with_failures(vec![refusal]),
    }
}

pub fn document(status: &str, trusted: &[PrivilegedAction], waiting: &[PrivilegedAction]) -> Value {
    let rows = |actions: &[PrivilegedAction]| actions.iter().map(row).collect::<Vec<_>>();
    json!({"status": status, "trusted": rows(trusted), "untrusted": rows(waiting)})
}

fn row(action: &PrivilegedAction) -> Value {
    let source = match &action.about {
        PrivilegedActionKind::Source(id) => Some(id.as_str()),
        _ => None,
    };
    let (kind, what) = (action.about.word(), &action.what);
    json!({"kind": kind, "what": what, "file": action.file, "line": action.line, "source_id": source, "hash": action.hash})
}

/// Each action, and on a separate line where it is configured, so that a terminal does not break the path.
fn sentences(actions: &[PrivilegedAction]) -> String {
    let line = |PrivilegedAction { what, file, line, .. }: &PrivilegedAction| {
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        format!("- {}\n  {}{line}\n", one_line(what), one_line(file))
    };
    actions.iter().map(line).collect()
}
