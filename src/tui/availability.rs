//! Describes where an action is available, with the key that leads there.

use crate::tui::action::{Action, ActionBinding, KeyContext};
use crate::tui::pane::Pane;
use crate::tui::state::State;

/// `in the catalog (1), in the graph (R)`
pub fn of(state: &State, binding: &ActionBinding) -> String {
    if binding.contexts.contains(&KeyContext::Global) {
        return "everywhere".to_owned();
    }
    let mut places: Vec<String> = binding.contexts.iter().map(|context| place(state, *context)).collect();
    places.dedup();
    places.join(", ")
}

fn place(state: &State, context: KeyContext) -> String {
    let global = |action| state.key_in(KeyContext::Global, action);
    let (place, key) = match context {
        KeyContext::Pane(pane) => (format!("in the {}", pane.word().to_lowercase()), Some(global(Action::Focus(pane)))),
        KeyContext::Details => {
            let read = state.key_in(KeyContext::Pane(Pane::Catalog), Action::Read);
            (format!("in a document ({read} in the catalog)"), None)
        }
        KeyContext::Values => {
            let values = state.key_in(KeyContext::Pane(Pane::Templates), Action::Values);
            (format!("in the variables ({values} in the templates)"), None)
        }
        KeyContext::Feed => ("in the feed".to_owned(), Some(global(Action::Feed))),
        KeyContext::Graph => ("in the graph".to_owned(), Some(global(Action::Graph))),
        KeyContext::Agents => ("in the view of agents".to_owned(), Some(global(Action::Agents))),
        KeyContext::Databases => ("in the view of databases".to_owned(), Some(global(Action::Databases))),
        KeyContext::Request | KeyContext::NextRequest => {
            ("while an agent asks".to_owned(), Some(global(Action::Requests)))
        }
        KeyContext::Approval => ("while an agent asks to write a file".to_owned(), Some(global(Action::Requests))),
        KeyContext::AllShown => {
            let key = state.key_in(KeyContext::Pane(Pane::Catalog), Action::AllShown);
            ("in the window All shown".to_owned(), Some(key))
        }
        KeyContext::Welcome => ("in the window Welcome".to_owned(), Some(global(Action::Welcome))),
        KeyContext::Discovery | KeyContext::CatalogDifference => {
            let scan = state.key_in(KeyContext::Welcome, Action::Discover);
            ("among the proposals of a scan".to_owned(), Some(format!("{} {scan}", global(Action::Welcome))))
        }
        KeyContext::Documentation => {
            let document = state.key_in(KeyContext::Databases, Action::DocumentDatabases);
            (format!("before pages are written ({document} in the view of databases)"), None)
        }
        KeyContext::LargePick => ("in the question about a large pick".to_owned(), None),
        KeyContext::Jump => ("in the jump".to_owned(), Some(global(Action::Jump))),
        KeyContext::List => ("in every list".to_owned(), None),
        KeyContext::Field => ("where you type".to_owned(), None),
        KeyContext::Prompt | KeyContext::Filter | KeyContext::Search | KeyContext::Value => {
            (format!("in the {}", context.title().to_lowercase()), None)
        }
        KeyContext::Always => ("everywhere".to_owned(), None),
        window => (format!("in the window {}", window.title()), None),
    };
    match key {
        Some(key) => format!("{place} ({key})"),
        None => place,
    }
}
