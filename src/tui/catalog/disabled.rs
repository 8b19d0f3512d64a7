//! Why an action of the reader is disabled.

use crate::tui::action::{Action, KeyContext};
use crate::tui::catalog::{reading, walking};
use crate::tui::state::State;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    let trail = &state.catalog.reading.trail;
    match action {
        Action::FollowLink => walking::no_way(state),
        Action::NextLink | Action::PreviousLink if !walking::has_links(state) => {
            Some("this document has no links".to_owned())
        }
        Action::GoBack if !trail.can_go_back() => Some("no link was followed yet".to_owned()),
        Action::GoForward if !trail.can_go_forward() => {
            let key = state.key_in(KeyContext::Details, Action::GoBack);
            Some(format!("you have not gone back yet: {key} goes back"))
        }
        Action::FrontMatter if !reading::has_front_matter(state) => {
            Some("this document has no front matter".to_owned())
        }
        _ => None,
    }
}
