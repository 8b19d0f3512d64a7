//! Why an action of the reader is disabled.

use crate::tui::action::Action;
use crate::tui::catalog::{link_walk, reading};
use crate::tui::state::State;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    match action {
        Action::FollowLink => link_walk::no_way(state),
        Action::NextLink | Action::PreviousLink if !link_walk::has_links(state) => {
            Some("this document has no links".to_owned())
        }
        Action::FrontMatter if !reading::has_front_matter(state) => {
            Some("this document has no front matter".to_owned())
        }
        _ => None,
    }
}
