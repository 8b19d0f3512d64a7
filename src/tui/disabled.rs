//! When an action cannot be done, and why: one sentence for the person who pressed its key. An action that is not named here
//! can always be done.

use crate::selection::Role;

use super::action::Action;
use super::layout::{self, Zoomed};
use super::pane::Pane;
use super::standing;
use super::state::State;

/// Why this action cannot be done now; `None` if it can.
pub fn disabled(state: &State, action: Action) -> Option<String> {
    match action {
        Action::Toggle => toggle(state),
        Action::Keep => keep(state),
        Action::Exclude => exclude(state),
        Action::Filter if state.snapshot.catalog.is_empty() => Some("there is nothing to filter yet".to_owned()),
        Action::Sort if state.snapshot.catalog.is_empty() => Some("there is nothing to sort yet".to_owned()),
        Action::Search => inside(state),
        Action::NextHit | Action::PreviousHit => hit(state),
        Action::Inside => inside(state),
        Action::Zoom => zoom(state),
        _ => None,
    }
}

const NOTHING: &str = "there is no source under the cursor";

fn toggle(state: &State) -> Option<String> {
    let Some(id) = state.subject(state.focus) else { return Some(NOTHING.to_owned()) };
    let member = state.snapshot.selection.member(id);
    match member {
        Some(member) if member.role == Role::Picked => None,
        Some(member) if member.role == Role::Transitive => {
            let parents = standing::parents(member);
            Some(format!("pulled in by {parents}: press x to exclude it, p to pick it for itself"))
        }
        _ => missing(state, id),
    }
}

fn missing(state: &State, id: &str) -> Option<String> {
    let source = state.snapshot.catalog.get(id).filter(|source| source.is_missing())?;
    let written = source.place().map_or("", |place| place.written.as_str());
    Some(format!("@{id} is missing: nothing stands at {written}; mend its path, then press r"))
}

fn keep(state: &State) -> Option<String> {
    let Some(id) = state.subject(state.focus) else { return Some(NOTHING.to_owned()) };
    match state.snapshot.selection.member(id) {
        Some(member) if member.role == Role::Transitive => missing(state, id),
        _ => Some(format!("@{id} is not pulled in by anything: Space picks it")),
    }
}

fn exclude(state: &State) -> Option<String> {
    let Some(id) = state.subject(state.focus) else { return Some(NOTHING.to_owned()) };
    let known = state.snapshot.catalog.get(id).is_some() || state.snapshot.selection.is_excluded(id);
    (!known).then(|| format!("@{id} is gone from the catalog: press Space to drop its pick"))
}

fn inside(state: &State) -> Option<String> {
    if state.focus == Pane::Hints {
        return Some("there are no details here: press Enter to type a prompt".to_owned());
    }
    let shown = state.parts(state.focus).is_some_and(|parts| parts.detail.area() > 0);
    match (shown, state.len(state.focus)) {
        (true, 1..) => None,
        (true, 0) => Some("the list is empty".to_owned()),
        (false, _) => Some("there is no room for details: press z, or make the terminal larger".to_owned()),
    }
}

fn hit(state: &State) -> Option<String> {
    let search = &state.catalog.search;
    if !search.is_on() {
        return Some("nothing is looked for: press / to type a text".to_owned());
    }
    search.hits.is_empty().then(|| format!("{} stands nowhere in these details", search.needle.text()))
}

fn zoom(state: &State) -> Option<String> {
    let room = state.size.width >= layout::GRID.width && state.size.height >= layout::GRID.height;
    (!room && state.zoomed == Zoomed::No).then(|| {
        let (columns, rows) = (layout::GRID.width, layout::GRID.height);
        format!("each pane has the whole screen already: four at once need {columns}×{rows}")
    })
}
