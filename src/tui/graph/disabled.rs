//! Why an action is disabled in the graph.

use super::{GraphTab, update};
use crate::tui::action::Action;
use crate::tui::state::State;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    let graph = &state.graph;
    let is = |tab| graph.tab == tab;
    match action {
        Action::NextLevel | Action::PreviousLevel if !is(GraphTab::Neighbours) => {
            Some("only the neighbours have levels".to_owned())
        }
        Action::PreviousCentre if graph.before.is_empty() => {
            Some("there is no previous source to go back to".to_owned())
        }
        Action::Filter if !graph.tab.has_filter() => {
            Some("the map, the hubs and the orphans can be filtered".to_owned())
        }
        Action::Centre | Action::MarkStart | Action::ToCatalog | Action::PathBetween => about_source(state, action),
        Action::OpenWhere => update::spot(state).err(),
        _ => None,
    }
}

fn about_source(state: &State, action: Action) -> Option<String> {
    let Some(id) = state.in_graph() else { return Some("there is no source under the cursor".to_owned()) };
    let (graph, marked) = (&state.graph, state.graph.marked.as_ref());
    let is_centre = graph.tab == GraphTab::Neighbours && graph.level == 0;
    match action {
        Action::Centre if is_centre => {
            Some(format!("@{id} is at the centre: {} goes to it in the catalog", state.key(Action::ToCatalog)))
        }
        Action::PathBetween if marked.is_none() => {
            Some(format!("mark a start first: {}", state.key(Action::MarkStart)))
        }
        Action::PathBetween if marked.is_some_and(|marked| marked.as_str() == id) => {
            Some(format!("the path begins at @{id}: go to another source"))
        }
        _ => None,
    }
}
