//! Asks before all picks are cleared, and shows what would leave the selection.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Handled, TextPage, Window, paragraphs, text_columns};
use crate::common::cleared_picks::remaining;
use crate::tui::action::Action;
use crate::tui::disabled::disabled;
use crate::tui::input::Effect;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::WrappedText;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{Role, SelectedSource};
use refdesk_desk::engine::Request;

pub struct Clear;

const COLUMNS: u16 = 64;

impl Window for Clear {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        Some(TextPage::new("Clear", ThemeRole::Warning, COLUMNS, Cow::Owned(text(state))))
    }

    fn disabled(&self, state: &State) -> Option<String> {
        // Another process may have cleared the selection in the meantime.
        disabled(state, Action::Clear)
    }

    fn confirm(&self, state: &mut State, effects: &mut Vec<Effect>) -> Handled {
        state.window = None;
        effects.push(Effect::Ask(Request::Clear));
        Handled::Consumed
    }
}

fn text(state: &State) -> WrappedText {
    let columns = COLUMNS.min(state.layout().body.width);
    let staying = remaining(&state.snapshot.catalog, &state.snapshot.selection, "@");
    let lines = std::iter::once((question(state), ThemeRole::Text));
    paragraphs(lines.chain(staying.into_iter().map(|line| (line, ThemeRole::Infra))), text_columns(columns))
}

/// `Clear 3 picks? This releases 7 sources they pulled in, and saves ~12,400 tokens.`
fn question(state: &State) -> String {
    let dormant = state.snapshot.selection.dormant().len();
    let picks = picks(state).len();
    let leaving = leaving(state);
    let pulled_in = leaving.iter().filter(|member| member.role == Role::Transitive).count();
    let price = |member: &&SelectedSource| state.snapshot.tokens.get(member.id.as_str());
    let tokens: u64 = leaving.iter().filter_map(price).sum();
    let they = if picks == 1 { "it" } else { "they" };
    let mut effects = Vec::new();
    if pulled_in > 0 {
        effects.push(format!("releases {} {they} pulled in", cells::counted(pulled_in, "source")));
    }
    if tokens > 0 {
        effects.push(format!("saves {}, besides those of the instructions", cells::in_tokens(tokens)));
    }
    let mut question = format!("Clear {}?", cells::counted(picks, "pick"));
    if !effects.is_empty() {
        question.push_str(&format!(" This {}.", effects.join(", and ")));
    }
    if dormant > 0 {
        let are = if dormant == 1 { "is" } else { "are" };
        question.push_str(&format!(" {} of the picks {are} no longer in the catalog.", cells::grouped(dormant)));
    }
    question
}

/// All picks, including those that are no longer in the catalog.
pub fn picks(state: &State) -> Vec<SourceId> {
    let selection = &state.snapshot.selection;
    let picked = selection.members().iter().filter(|member| member.role == Role::Picked).map(|member| &member.id);
    picked.cloned().chain(selection.dormant().iter().map(|id| SourceId::from(id.as_str()))).collect()
}

/// The sources that would leave. Auto sources stay in the instructions even if they were picked; those that
/// count as picks keep what they pull in.
fn leaving(state: &State) -> Vec<&SelectedSource> {
    let (members, graph) = (state.snapshot.selection.members(), &state.snapshot.graph);
    let auto = members.iter().filter(|member| member.role == Role::AutoRoot);
    let mut staying: HashSet<&SourceId> = auto.map(|member| &member.id).collect();
    loop {
        let is_pulled_in = |member: &SelectedSource| match member.role {
            Role::Transitive => member.parents.iter().any(|parent| staying.contains(parent)),
            // A pick has no parents, even if other sources mention it.
            _ => staying.iter().any(|from| graph.from_to(from.as_str(), |to| *to == member.id).next().is_some()),
        };
        let stays_too = |member: &&SelectedSource| !staying.contains(&member.id) && is_pulled_in(member);
        let more: Vec<&SourceId> = members.iter().filter(stays_too).map(|member| &member.id).collect();
        if more.is_empty() {
            break;
        }
        staying.extend(more);
    }
    let leaving = members.iter().filter(|member| !staying.contains(&member.id));
    leaving.filter(|member| !source_state::is_auto(&state.snapshot, member.id.as_str())).collect()
}
