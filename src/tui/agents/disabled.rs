//! Why an action is disabled in the view of agents.

use super::AgentsPage;
use crate::tui::action::Action;
use crate::tui::state::State;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    match action {
        Action::NextTab | Action::PreviousTab
            if state.agents.activity.is_some() && state.agents.sessions().is_empty() =>
        {
            state.agents_target().err()
        }
        Action::NextTab | Action::PreviousTab if state.agents.page == AgentsPage::Sessions => {
            Some(format!("only a session has lines and knowledge: {} opens it", state.key(Action::Follow)))
        }
        Action::Sort | Action::SortTokens if state.agents.page != AgentsPage::Sessions => {
            Some(format!("only sessions are sorted: {} goes back to them", state.key(Action::Back)))
        }
        Action::Sort | Action::SortTokens if state.agents.sessions().is_empty() => {
            Some("there are no sessions to sort yet".to_owned())
        }
        Action::Follow => state.agents_target().err(),
        Action::ThisSession if state.agents.session().is_none() => {
            Some("there is no session under the cursor".to_owned())
        }
        Action::ToCatalog => match state.agents.source() {
            None => Some("this row is not about a single source".to_owned()),
            Some(id) if state.snapshot.catalog.get(id).is_none() => Some(format!("@{id} is no longer in the catalog")),
            Some(_) => None,
        },
        _ => None,
    }
}
