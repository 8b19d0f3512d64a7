//! What a row is about where rows are no sources: a notice of the feed, a finding of the problems window. Where its keys lead
//! is decided here once; the captions say it, `disabled` says why not, `update` goes there.

use crate::catalog::{Kind, SourceId};
use crate::desk::Spot;
use crate::engine::Holds;
use crate::mention::Mention;
use crate::report::Diagnostic;
use crate::selection::{Role, reasons};

use super::pane::Pane;
use super::state::{Overlay, State};

/// Where a row leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowTarget {
    /// To a source of the catalog.
    Source(SourceId),
    /// To a place in a file.
    File(Spot),
    /// To what was given, as this line of the journal keeps it.
    Receipt(u64),
}

/// Why there is no row.
pub const QUIET: &str = "nothing has happened yet";

/// The finding under the cursor of the problems window.
pub fn finding(state: &State) -> Option<&Diagnostic> {
    match state.overlay {
        Some(Overlay::Problems(cursor)) => state.snapshot.diagnostics.get(cursor.at),
        _ => None,
    }
}

/// Where the row leads: of the feed to what was given; to its source; of the feed, where it has none, to its file.
pub fn way(state: &State) -> Result<RowTarget, String> {
    let (source, place) = if let Some(Overlay::Problems(_)) = state.overlay {
        let finding = finding(state).ok_or_else(nothing_wrong)?;
        (finding.source_id.as_deref(), None)
    } else {
        let Some(notice) = state.feed.current() else {
            let is_quiet = state.feed.notices.is_empty();
            return Err(if is_quiet { QUIET } else { "no row has these words: / Esc shows all again" }.to_owned());
        };
        if let Some(receipt) = notice.receipt.filter(|receipt| receipt.holds == Holds::Text) {
            return Ok(RowTarget::Receipt(receipt.number));
        }
        (notice.subject.as_ref().map(SourceId::as_str), notice.place.clone())
    };
    match (source, place) {
        (Some(id), _) if state.snapshot.catalog.get(id).is_some() => Ok(RowTarget::Source(id.into())),
        (_, Some(place)) => Ok(RowTarget::File(place)),
        (Some(id), None) => Err(format!("@{id} is gone from the catalog")),
        (None, None) => Err("this is about no single source".to_owned()),
    }
}

/// The place in a file that the row names.
pub fn place(state: &State) -> Result<Spot, String> {
    if let Some(Overlay::Problems(_)) = state.overlay {
        let finding = finding(state).ok_or_else(nothing_wrong)?;
        return state.snapshot.spot(finding).ok_or_else(|| "this is wrong in no single file".to_owned());
    }
    let place = state.feed.current().and_then(|notice| notice.place.clone());
    place.ok_or_else(|| "this row names no file".to_owned())
}

fn nothing_wrong() -> String {
    "nothing is wrong with this workspace".to_owned()
}

/// What `file:line` is copied of the finding under the cursor, as it is printed.
pub fn printed(state: &State) -> Option<String> {
    let finding = finding(state)?;
    let file = finding.file.as_ref()?;
    Some(finding.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
}

/// The mention that pulls the source under the cursor of the selection in; of several the first.
pub fn mention(state: &State) -> Result<Mention, String> {
    let Some(id) = state.subject(Pane::Selection) else {
        return Err("there is no source under the cursor".to_owned());
    };
    let selection = &state.snapshot.selection;
    match selection.member(id) {
        Some(member) if member.role == Role::Transitive => {}
        Some(member) if member.role == Role::Picked => {
            return Err(format!("@{id} is picked: no mention brought it in"));
        }
        _ => return Err(format!("@{id} is not pulled in: no mention brings it")),
    }
    let first = reasons(selection, &state.snapshot.graph, id).next();
    first.ok_or_else(|| format!("what mentions @{id} is still being read"))
}

/// Where a mention stands, unless in a content that the catalog keeps: its lines are not those of the file.
pub fn in_file(state: &State, mention: &Mention) -> Option<Spot> {
    let parent = state.snapshot.catalog.get(mention.from.as_str())?;
    let spot = || Spot { path: mention.file.to_path_buf(), line: mention.line };
    (!matches!(parent.kind, Kind::Inline { .. })).then(spot)
}
