//! Why an action of the reader is disabled.

use crate::tui::action::Action;
use crate::tui::catalog::{reading, walking};
use crate::tui::state::State;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    match action {
        Action::FollowLink => walking::no_way(state),
        Action::NextLink | Action::PreviousLink if !walking::has_links(state) => {
            Some("this document has no links".to_owned())
        }
        Action::FrontMatter if !reading::has_front_matter(state) => {
            Some("this document has no front matter".to_owned())
        }
        _ => None,
    }
}
