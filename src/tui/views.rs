//! The main area between the top and bottom lines: the panes, or a view that replaces them.

use crate::tui::action::{Action, KeyContext};
use crate::tui::agents::{AgentsPage, AgentsPlace};
use crate::tui::databases::{DatabasePath, DatabasePlace, DatabaseTab};
use crate::tui::graph::{GraphPlace, GraphTab};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::windows::Handled;
use crate::tui::{agents, databases, feed, graph, places};
use refdesk_core::catalog::SourceId;
use refdesk_core::config::screen_session::SavedView;

/// The names under which views are saved in the session.
const GRAPH: &str = "graph";
const AGENTS: &str = "agents";
const DATABASES: &str = "databases";

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
    /// Its name in a sentence, and the context of its keys; `None` for the panes.
    fn in_place_of_panes(self) -> Option<(&'static str, KeyContext)> {
        match self {
            Self::Panes => None,
            Self::Graph => Some(("the graph", KeyContext::Graph)),
            Self::Agents => Some(("the view of agents", KeyContext::Agents)),
            Self::Databases => Some(("the view of databases", KeyContext::Databases)),
        }
    }

    /// The context of its keys; each pane has its own.
    pub fn key_context(self) -> Option<KeyContext> {
        self.in_place_of_panes().map(|(_, context)| context)
    }
}

/// A place in a view to return to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewPlace {
    Graph(GraphPlace),
    Agents(AgentsPlace),
    /// `None` until its rows are loaded, or if there are none.
    Databases(Option<DatabasePlace>),
}

/// The parts up to the last one that exists; earlier ones that do not are empty.
fn without_end(parts: [Option<String>; 4]) -> Vec<String> {
    let len = parts.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    parts.into_iter().take(len).map(Option::unwrap_or_default).collect()
}

impl ViewPlace {
    /// The current place in the view; `None` for the panes.
    pub fn here(state: &State) -> Option<Self> {
        match state.view {
            View::Panes => None,
            View::Graph => Some(Self::Graph(state.graph.place())),
            View::Agents => Some(Self::Agents(state.agents.place())),
            View::Databases => Some(Self::Databases(state.databases.place())),
        }
    }

    /// The place in the format of the session file: view, tab and subject.
    pub fn saved(self) -> SavedView {
        let (name, tab, on) = match self {
            Self::Graph(place) => (GRAPH, Some(place.tab.word()), without_end(place.parts())),
            Self::Agents(place) => (AGENTS, Some(place.page.word()), without_end(place.parts())),
            Self::Databases(None) => (DATABASES, None, Vec::new()),
            Self::Databases(Some(place)) => (DATABASES, Some(place.tab.word()), place.subject.parts()),
        };
        SavedView { name: name.to_owned(), tab: tab.map(str::to_owned), on }
    }

    /// `None` for a view or tab that this version does not support.
    pub fn from_saved(SavedView { name, tab, on }: SavedView) -> Option<Self> {
        let tab = tab.as_deref();
        let parts = || std::array::from_fn(|nth| on.get(nth).filter(|part| !part.is_empty()).cloned());
        Some(match name.as_str() {
            GRAPH => Self::Graph(GraphPlace::from_parts(GraphTab::from_word(tab?)?, parts())),
            AGENTS => Self::Agents(AgentsPlace::from_parts(AgentsPage::from_word(tab?)?, parts())),
            DATABASES => {
                let place = DatabasePath::from_parts(on).zip(tab.and_then(DatabaseTab::from_word));
                Self::Databases(place.map(|(subject, tab)| DatabasePlace::of_tab(subject, tab)))
            }
            _ => return None,
        })
    }

    pub fn open(self, state: &mut State) {
        match self {
            Self::Graph(place) => graph::update::open_at(state, place),
            Self::Agents(place) => agents::update::open_at(state, place),
            Self::Databases(place) => databases::update::open_at(state, place),
        }
    }
}

impl State {
    /// The source under the cursor of the current view.
    pub fn in_view(&self) -> Option<&str> {
        match self.view {
            View::Panes => self.subject(self.focus),
            View::Graph => self.in_graph(),
            View::Agents => self.agents.source(),
            View::Databases => self.in_databases(),
        }
    }

    /// Shows this view. The data of the previous one is dropped, because it is large and would be outdated by
    /// the time that view is opened again.
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

/// Opens and leaves views; other actions go to the current view first.
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
        (Action::ToCatalog, _) => {
            if let Some(id) = state.in_view().map(SourceId::from) {
                feed::update::to_source(state, &id);
            }
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

/// Returns to the panes.
pub fn leave(state: &mut State) {
    places::leave(state);
    state.show(View::Panes);
}

/// Why this action, which only affects the panes, is disabled in a view.
pub fn disabled(state: &State, action: Action) -> Option<String> {
    let (name, _) = state.view.in_place_of_panes()?;
    match action {
        Action::Zoom | Action::Border(_) | Action::ResetBorders | Action::Inside => {
            Some(format!("{name} fills the screen: {} leaves it", state.key(Action::Back)))
        }
        _ => None,
    }
}
