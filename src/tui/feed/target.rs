//! What a row of the feed, a problem or a mention points to. Captions, `disabled` and `update` use it.

use refdesk_core::catalog::{SourceId, SourceKind};
use refdesk_core::mention::Mention;
use refdesk_core::selection::{Role, reasons};
use refdesk_desk::FileLine;
use refdesk_text::report::Diagnostic;

use crate::tui::action::{Action, KeyContext};
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::windows::WindowKind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowTarget {
    Source(SourceId),
    File(FileLine),
    /// The receipt in this journal line.
    Receipt(u64),
}

pub const QUIET: &str = "nothing has happened yet";

/// The problem under the cursor of the problems window.
pub fn problem(state: &State) -> Option<&Diagnostic> {
    let open = state.window.filter(|open| open.kind == WindowKind::Problems)?;
    state.problems().get(open.cursor.at).copied()
}

fn in_problems(state: &State) -> bool {
    state.open_window() == Some(WindowKind::Problems)
}

/// The target of the focused row: of the problem under the cursor if that window is open, otherwise of the feed's row.
pub fn of_row(state: &State) -> Result<RowTarget, String> {
    if in_problems(state) {
        let problem = problem(state).ok_or_else(nothing_wrong)?;
        return source_or_file(state, problem.source_id.as_deref(), None);
    }
    of_feed(state)
}

/// The target of the feed's row, even if a window covers it: its receipt, else its source, else its file.
pub fn of_feed(state: &State) -> Result<RowTarget, String> {
    let Some(notice) = state.feed.current() else {
        let is_quiet = state.feed.notices.is_empty();
        return Err(if is_quiet {
            QUIET.to_owned()
        } else {
            format!("no row matches: {} shows all again", state.key_in(KeyContext::Feed, Action::Back))
        });
    };
    if let Some(receipt) = notice.receipt.filter(|receipt| receipt.has_text) {
        return Ok(RowTarget::Receipt(receipt.number));
    }
    source_or_file(state, notice.subject.as_ref().map(SourceId::as_str), notice.place.clone())
}

fn source_or_file(state: &State, source: Option<&str>, place: Option<FileLine>) -> Result<RowTarget, String> {
    match (source, place) {
        (Some(id), _) if state.snapshot.catalog.get(id).is_some() => Ok(RowTarget::Source(id.into())),
        (_, Some(place)) => Ok(RowTarget::File(place)),
        (Some(id), None) => Err(format!("@{id} is no longer in the catalog")),
        (None, None) => Err("this row has no single source to go to".to_owned()),
    }
}

/// The place in a file that the row refers to.
pub fn place(state: &State) -> Result<FileLine, String> {
    if in_problems(state) {
        let problem = problem(state).ok_or_else(nothing_wrong)?;
        return state.snapshot.spot(problem).ok_or_else(|| "this problem is not in a single file".to_owned());
    }
    let place = state.feed.current().and_then(|notice| notice.place.clone());
    place.ok_or_else(|| "this row has no file".to_owned())
}

fn nothing_wrong() -> String {
    "there are no problems in this workspace".to_owned()
}

/// `file:line` of the problem under the cursor, for copying.
pub fn printed(state: &State) -> Option<String> {
    let problem = problem(state)?;
    let file = problem.file.as_ref()?;
    Some(problem.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")))
}

/// The first mention that pulls in the source under the cursor of the selection.
pub fn mention(state: &State) -> Result<Mention, String> {
    let Some(id) = state.subject(Pane::Selection) else {
        return Err("there is no source under the cursor".to_owned());
    };
    let selection = &state.snapshot.selection;
    match selection.member(id) {
        Some(member) if member.role == Role::Transitive => {}
        Some(member) if member.role == Role::Picked => {
            return Err(format!("@{id} is a pick: no mention pulled it in"));
        }
        _ => return Err(format!("@{id} is not pulled in by any mention")),
    }
    let first = reasons(selection, &state.snapshot.graph, id).next();
    first.ok_or_else(|| format!("the mentions of @{id} are still being read"))
}

/// The place of a mention, except in inline content, whose line numbers are not those of the file.
pub fn in_file(state: &State, mention: &Mention) -> Option<FileLine> {
    let parent = state.snapshot.catalog.get(mention.from.as_str())?;
    let spot = || FileLine { path: mention.file.to_path_buf(), line: mention.line };
    (!matches!(parent.kind, SourceKind::Inline { .. })).then(spot)
}
