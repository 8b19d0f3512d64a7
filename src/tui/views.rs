//! What the screen shows between its first and its last lines: the panes, or a view in their place.

use crate::tui::action::{Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::windows::Handled;
use crate::tui::{agents, databases, graph, places};
use refdesk_core::catalog::SourceId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum View {
    #[default]
    Panes,
    /// The mention graph.
    Graph,
    /// The sessions of agents.
    Agents,
    /// The documented databases.
    Databases,
}

impl View {
    /// Its name in a sentence, and the context of its own keys; `None` for the panes.
    fn in_place_of_panes(self) -> Option<(&'static str, KeyContext)> {
        match self {
            Self::Panes => None,
            Self::Graph => Some(("the graph", KeyContext::Graph)),
            Self::Agents => Some(("the view of agents", KeyContext::Agents)),
            Self::Databases => Some(("the view of databases", KeyContext::Databases)),
        }
    }

    /// The context of its own keys; the panes have one each.
    pub fn key_context(self) -> Option<KeyContext> {
        self.in_place_of_panes().map(|(_, context)| context)
    }
}

impl State {
    /// The source under the cursor of what is shown.
    pub fn in_view(&self) -> Option<&str> {
        match self.view {
            View::Panes => self.subject(self.focus),
            View::Graph => self.in_graph(),
            View::Agents => self.agents.source(),
            View::Databases => self.in_databases(),
        }
    }

    /// Shows this view. What another one held is dropped, since it is large and outdated when that view is opened again.
    pub fn show(&mut self, view: View) {
        if self.view == view {
            return;
        }
        match self.view {
            View::Panes => {}
            View::Graph => self.graph.close(),
            View::Agents => self.agents.close(),
            View::Databases => self.databases.close(),
        }
        self.view = view;
    }
}

/// Opens and leaves views; any other action is first for the view that is shown.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
    match (action, state.view) {
        (Action::Graph, _) => toggle(state, View::Graph),
        (Action::Agents, _) => toggle(state, View::Agents),
        (Action::Databases, _) => toggle(state, View::Databases),
        (_, View::Panes) => return Handled::Ignored,
        (Action::Preset(_), _) => {
            leave(state);
            return Handled::Ignored;
        }
        (_, View::Graph) => return graph::update::act(state, action, effects),
        (_, View::Agents) => return agents::update::act(state, action, effects),
        (_, View::Databases) => return databases::update::act(state, action, effects),
    }
    Handled::Consumed
}

fn toggle(state: &mut State, view: View) {
    if state.view == view {
        return leave(state);
    }
    places::leave(state);
    let subject = state.in_view().map(SourceId::from);
    state.show(view);
    match view {
        View::Panes => {}
        View::Graph => graph::update::opened(state, subject),
        View::Agents => agents::update::look_again(state),
        View::Databases => databases::update::look_again(state),
    }
}

/// Goes back to the panes.
pub fn leave(state: &mut State) {
    places::leave(state);
    state.show(View::Panes);
}

/// Why this action, which concerns the panes alone, is disabled in a view.
pub fn disabled(state: &State, action: Action) -> Option<String> {
    let (name, _) = state.view.in_place_of_panes()?;
    match action {
        Action::Zoom | Action::Border(_) | Action::ResetBorders | Action::Inside => {
            Some(format!("{name} fills the screen: {} leaves it", state.key(Action::Back)))
        }
        _ => None,
    }
}
