//! Goes to the target of a row.

use std::path::Path;

use super::rows::{JumpRow, JumpTarget};
use crate::tui::catalog::filtered_rows;
use crate::tui::catalog::reading::{self, ReadingGoal};
use crate::tui::feed;
use crate::tui::input::Effect;
use crate::tui::places;
use crate::tui::state::State;
use crate::tui::templates;
use crate::tui::update;
use crate::tui::windows::WindowKind;

pub fn go(state: &mut State, row: JumpRow, effects: &mut Vec<Effect>) {
    state.window = None;
    if !matches!(row.to, JumpTarget::Action(_) | JumpTarget::Problem(_)) {
        places::leave(state);
    }
    match row.to {
        JumpTarget::Source(id) => feed::update::to_source(state, &id),
        JumpTarget::Template(name) => templates::filtered_templates::to_template(state, &name),
        JumpTarget::Heading(document, anchor) => {
            reading::go_to(state, &document, Some(ReadingGoal::Anchor(anchor)), effects);
        }
        JumpTarget::Section(hit) => {
            let path = (!hit.path.is_empty()).then(|| Path::new(&*state.snapshot.workspace).join(&hit.path));
            reading::show(state, &hit.source_id, path, hit.line, effects);
        }
        JumpTarget::Tag(tag, _) => filtered_rows::by_tag(state, &tag),
        JumpTarget::Problem(nth) => {
            state.open(WindowKind::Problems);
            if let Some(open) = &mut state.window {
                open.cursor.at = nth;
            }
        }
        JumpTarget::Notice(nth) => feed::update::to_notice(state, nth),
        JumpTarget::Filter(name) => {
            if let Some(line) = state.named_filters.get(&name).cloned() {
                filtered_rows::by(state, &line);
            }
        }
        JumpTarget::Action(binding) => update::act(state, binding.action, effects),
    }
}
