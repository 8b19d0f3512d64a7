//! `refdesk unselect`, `exclude`, `include` and `clear`.

use serde_json::json;

use super::answer::CommandOutput;
use super::fix::arguments;
use super::rows;
use crate::common::cleared_picks::{remaining, still_selected};
use refdesk_core::catalog::{Mode, SourceId};
use refdesk_core::selection::Role;
use refdesk_desk::{Changed, Desk, Session};
use refdesk_text::Error;
use refdesk_text::escape::one_line;

pub fn unselect(desk: &mut Desk, session: &Session, ids: &[String]) -> CommandOutput {
    let done = desk.unpick(session, ids);
    let changed = done.as_ref().map(|changed| changed.changed.clone()).unwrap_or_default();
    let kept = still_selected(desk.catalog(), desk.selection(), changed.iter().map(String::as_str), "@");
    let mut output = answer(done, "unselected", &format!("not selected: {}", named(desk, ids)), &kept);
    // Excluding keeps out only what a mention pulls in.
    let is_pulled_in = |id: &str| desk.selection().member(id).is_some_and(|member| member.role == Role::Transitive);
    let pulled_in: Vec<&str> = kept.iter().map(|(id, _)| *id).filter(|id| is_pulled_in(id)).collect();
    if !pulled_in.is_empty() {
        let them = if pulled_in.len() == 1 { "it" } else { "them" };
        output.notes.push(format!("`refdesk exclude {}` keeps {them} out", arguments(&pulled_in)));
    }
    output
}

pub fn exclude(desk: &mut Desk, session: &Session, ids: &[String]) -> CommandOutput {
    let picks = desk.settled().choice().picks.clone();
    let done = desk.exclude(session, ids);
    let changed = done.as_ref().map(|changed| changed.changed.clone()).unwrap_or_default();
    let mut output = answer(done, "excluded", &format!("already excluded: {}", named(desk, ids)), &[]);
    // A source that is gone cannot be picked again.
    let is_unpicked = |id: &&String| picks.contains(id) && desk.catalog().get(id).is_some();
    let unpicked: Vec<String> = changed.iter().filter(is_unpicked).cloned().collect();
    if !unpicked.is_empty() {
        let (is, them) = if unpicked.len() == 1 { ("is", "it") } else { ("are", "them") };
        let (ids, again) = (rows::first_at_ids(&unpicked), arguments(&unpicked));
        output.notes.push(format!("{ids} {is} no longer picked; `refdesk select {again}` picks {them} again"));
    }
    let is_auto = |id: &&String| desk.catalog().get(id).is_some_and(|source| source.mode == Mode::Auto);
    let autos: Vec<String> = changed.iter().filter(is_auto).cloned().collect();
    if !autos.is_empty() {
        output.notes.push(format!("auto sources stay in the instructions: {}", rows::at_ids(&autos)));
    }
    output
}

pub fn include(desk: &mut Desk, session: &Session, ids: &[String]) -> CommandOutput {
    answer(desk.include(session, ids), "no longer excluded:", &format!("not excluded: {}", named(desk, ids)), &[])
}

/// Removes all picks, and with `all` every exclusion too.
pub fn clear(desk: &mut Desk, session: &Session, all: bool) -> CommandOutput {
    let mut output = answer(desk.clear(session, all), "cleared", "nothing to clear", &[]);
    if output.exit == 0 {
        output.notes = remaining(desk.catalog(), desk.selection(), "@").iter().map(|it| rows::as_note(it)).collect();
    }
    output
}

/// The ids as they are written in the catalog.
fn named(desk: &Desk, ids: &[String]) -> String {
    let known = |id: &String| desk.catalog().find(id).map_or(id.clone(), |source| source.id.to_string());
    rows::at_ids(ids.iter().map(known))
}

/// The answer to a change; `kept` are the unpicked sources that stay selected, each with the reason.
fn answer(done: Result<Changed, Error>, verb: &str, nothing: &str, kept: &[(&str, String)]) -> CommandOutput {
    let changed = match done {
        Ok(changed) => changed,
        Err(refusal) => return CommandOutput::refused(refusal),
    };
    let mut message = match (changed.changed.is_empty(), changed.refused.is_empty()) {
        (false, _) => format!("{verb} {}", rows::at_ids(&changed.changed)),
        (true, true) => nothing.to_owned(),
        (true, false) => changed.refused.iter().map(|refusal| refusal.message.clone()).collect::<Vec<_>>().join("; "),
    };
    let only = changed.changed.len() == 1;
    message.extend(kept.iter().map(|(id, why)| match only {
        true => format!("; it {}", one_line(why)),
        false => format!("; @{} {}", one_line(id), one_line(why)),
    }));
    if !changed.released.is_empty() {
        message.push_str(&format!("; released {}", rows::at_ids(changed.released.iter().map(SourceId::as_str))));
    }
    if !changed.entered.is_empty() {
        message.push_str(&format!("; pulled in {}", rows::at_ids(changed.entered.iter().map(SourceId::as_str))));
    }
    let status = match (changed.refused.is_empty(), changed.changed.is_empty()) {
        (false, _) => "error",
        (true, true) => "unchanged",
        (true, false) => "success",
    };
    let text =
        if changed.changed.is_empty() && !changed.refused.is_empty() { String::new() } else { rows::result(&message) };
    let mut json = json!({
        "status": status,
        "message": message,
        "changed": changed.changed,
        "released": changed.released,
    });
    if let (Some(members), false) = (json.as_object_mut(), changed.entered.is_empty()) {
        members.insert("pulled_in".to_owned(), json!(changed.entered));
    }
    CommandOutput::new(json, text).with_failures(changed.refused)
}
