//! Why an action is disabled in the view of databases.

use super::{DatabaseSide, DatabaseTab, join_view, view};
use crate::tui::action::Action;
use crate::tui::catalog::sideways;
use crate::tui::state::State;
use crate::tui::widgets::cells;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    let view = &state.databases;
    match action {
        Action::DocumentDatabases => document(state),
        Action::Filter if view.kept.1 == 0 => Some("there are no tables to filter yet".to_owned()),
        Action::NextTab | Action::PreviousTab if view.table().is_none() => {
            Some(format!("columns and joins belong to a table{}", how_to_reach_a_table(state)))
        }
        Action::Follow if view.side == DatabaseSide::List && view.row().is_none() => {
            Some("there is no database yet".to_owned())
        }
        Action::Follow if view.side == DatabaseSide::Detail && view.table().is_none() => {
            let what = if view.row().is_some_and(|row| row.domain.is_some()) { "a domain" } else { "a database" };
            Some(format!("{what} has no joins{}", how_to_reach_a_table(state)))
        }
        Action::Follow if view.side == DatabaseSide::Detail && view.shown_tab() != DatabaseTab::Joins => {
            let tab = state.key(Action::NextTab);
            Some(format!("only a join can be followed: {tab} shows the joins of a table"))
        }
        Action::Follow if view.in_joins() => match view.current_row() {
            None => Some("this table has no join to follow".to_owned()),
            Some(row) if view.subject_of_table(&row.join.table).is_none() => {
                Some(format!("{} is not documented and not planned", cells::clean(&row.join.table)))
            }
            Some(_) => None,
        },
        Action::NextLevel if view.in_joins() => match view.current_row() {
            None => Some("this table has no join to open".to_owned()),
            Some(row) => join_view::why_closed(state, row),
        },
        Action::PreviousLevel | Action::NextLevel if view.row().is_none() => {
            Some("there is no database yet".to_owned())
        }
        Action::Toggle | Action::Keep | Action::Exclude | Action::ToCatalog if state.in_databases().is_none() => {
            Some(no_source(state))
        }
        Action::Leftwards | Action::Rightwards => sideways::why_not(action, view.across, view::overhang(state)),
        Action::Open if view.page_path().is_none() && view.file().is_none() => {
            Some("there is no file to open".to_owned())
        }
        _ => None,
    }
}

/// Whether this view alone decides about the action, without asking the panes.
pub fn is_own(action: Action) -> bool {
    matches!(
        action,
        Action::Follow
            | Action::Open
            | Action::NextTab
            | Action::PreviousTab
            | Action::PreviousLevel
            | Action::NextLevel
            | Action::Leftwards
            | Action::Rightwards
    )
}

fn document(state: &State) -> Option<String> {
    let view = &state.databases;
    if view.run.is_writing() {
        return Some(format!("pages are being written: {} pauses", state.key(Action::Back)));
    }
    let overview = view.overview.as_ref();
    // A file without databases may still have pages to remove.
    if overview.is_none_or(|overview| overview.databases.is_empty() && overview.file.is_none()) {
        return Some("no database is configured".to_owned());
    }
    None
}

/// `: Left, then go to a table` on the page of a database or domain; empty in the list, which contains the
/// tables. It names Left because the key that leaves the view would pause a run.
fn how_to_reach_a_table(state: &State) -> String {
    let view = &state.databases;
    if view.side == DatabaseSide::List || view.kept.1 == 0 {
        return String::new();
    }
    format!(": press {} and choose one", state.key(Action::PreviousLevel))
}

fn no_source(state: &State) -> String {
    let view = &state.databases;
    match view.row() {
        Some(row) if row.domain.is_some() => {
            let document = state.key(Action::DocumentDatabases);
            format!("it is not a source of the catalog yet: {document} documents it")
        }
        Some(_) => "each domain of a database is a source: go to one".to_owned(),
        None => "there is no source under the cursor".to_owned(),
    }
}
