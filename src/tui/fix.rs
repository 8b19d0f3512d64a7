//! Describes how to fix an error in terms of the screen's keys.

use crate::common::SHOWN_ON_PURPOSE;
use crate::tui::action::{Action, KeyContext};
use crate::tui::state::State;
use crate::tui::widgets::cells;
use refdesk_text::{Error, Fix};

/// The fix in the screen's terms; `None` to use its own text.
pub fn words(state: &State, fix: &Fix) -> Option<String> {
    Some(match fix {
        // Without a workspace there is no place for an index.
        Fix::BuildIndex if !state.snapshot.is_workspace => return words(state, &Fix::AddSources),
        Fix::AddSources => format!("{} helps to make a catalog", state.key(Action::Welcome)),
        Fix::Reload => format!("press {} to read everything again", state.key(Action::Reload)),
        Fix::ListProfiles => format!("{} shows the profiles", state.key(Action::Profiles)),
        Fix::ShowProblems => format!("{} shows where it is defined", state.key(Action::Problems)),
        Fix::Trust => format!("{} shows what waits for your trust", state.key(Action::Trust)),
        Fix::FindMoved if state.launched.is_demo => SHOWN_ON_PURPOSE.into(),
        Fix::FindMoved => format!(
            "correct the path, remove the source, or press {}, then {}, to find where the file moved",
            state.key(Action::Welcome),
            state.key_in(KeyContext::Welcome, Action::Discover)
        ),
        Fix::ShowKnown(id) => format!("{} {} goes to it", state.key(Action::Jump), cells::clean(id)),
        Fix::BuildIndex => "build it with `refdesk index`".into(),
        Fix::RewritePaths => "run `refdesk check --fix` to rewrite the path".into(),
        Fix::AddTarget => "add it with `refdesk add`; until then it stays a plain link".into(),
        _ => return None,
    })
}

/// The error and what to do about it, in one sentence.
pub fn sentence(state: &State, error: &Error) -> String {
    if error.fix.is_none() {
        return error.message.clone();
    }
    format!("{}: {}", error.message, error.fix.worded(&|fix| words(state, fix)))
}
