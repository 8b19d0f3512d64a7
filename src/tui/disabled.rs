//! When an action cannot be done, and why: one sentence for the person who pressed its key. An action that is not named here
//! can always be done. What there is to say about templates has a file of its own.

mod requests;
mod templates;

use crate::catalog::Kind;
use crate::config::screen::Rules;
use crate::engine::Watching;
use crate::selection::Role;

use super::about;
use super::action::{Action, BorderMove};
use super::feed::terms;
use super::layout::{self, Splits, Zoomed};
use super::palette;
use super::pane::Pane;
use super::standing;
use super::state::{Overlay, State};
use super::update;

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
        Action::Undo => nothing(
            state.snapshot.undo.as_deref(),
            "nothing to undo: only changes of picks and exclusions made here count",
        ),
        Action::Redo => nothing(state.snapshot.redo.as_deref(), "nothing to do again: undo has taken nothing back"),
        Action::Requests
        | Action::Answer
        | Action::Decline
        | Action::Approve
        | Action::Mark
        | Action::MarkAll
        | Action::NextRequest
        | Action::PreviousRequest
        | Action::FilterRequest => requests::requests(state, action),
        Action::Trust | Action::TrustThis if state.snapshot.untrusted.is_empty() => {
            Some("nothing of this workspace waits for your trust".to_owned())
        }
        Action::Values => templates::values(state),
        Action::SetValue => templates::set_value(state),
        Action::ResetValue => templates::reset_value(state),
        Action::AddItem => templates::add_item(state),
        Action::EditValues => templates::values(state),
        Action::View => templates::view(state),
        Action::Leftwards | Action::Rightwards => templates::across(state, action),
        Action::Write => templates::write(state),
        Action::FilterTemplates if state.snapshot.templates.templates.is_empty() => {
            Some("there is no template to filter: the selection brings none".to_owned())
        }
        Action::Border(border) => moving(state, border),
        Action::Usual if state.splits == Splits::default() && state.rules == Rules::default() => {
            Some("all borders are where they usually are".to_owned())
        }
        Action::Theme => state.skin.theme.fixed().map(str::to_owned),
        Action::Clear if state.totals.picked == 0 && state.snapshot.selection.dormant().is_empty() => {
            Some("nothing is picked: there is nothing to take back".to_owned())
        }
        Action::Confirm => confirm(state),
        Action::ClearPrompt => state.hints.prompt.is_empty().then(|| "the prompt is empty already".to_owned()),
        Action::FilterFeed if state.feed.notices.is_empty() => Some(about::QUIET.to_owned()),
        Action::NextKind if state.feed.notices.is_empty() => Some(about::QUIET.to_owned()),
        Action::ThisSession => session(state),
        Action::Follow => about::way(state).err(),
        Action::OpenPlace if about::place(state).is_err() && !matches!(state.overlay, Some(Overlay::Problems(_))) => {
            elsewhere(state, Action::Open)
        }
        Action::OpenPlace | Action::CopyPlace => about::place(state).err(),
        Action::OpenMention => about::mention(state).err(),
        Action::Open | Action::Define | Action::CopyId | Action::CopyPath => elsewhere(state, action),
        _ => None,
    }
}

const NO_TEMPLATE: &str = "there is no template under the cursor";

fn no_source(state: &State) -> String {
    let is_of_several = state.in_feed() && state.feed.current().is_some_and(|notice| notice.several);
    let why = if is_of_several {
        "this row is about several sources: go to the one you mean in the catalog"
    } else {
        "there is no source under the cursor"
    };
    why.to_owned()
}

fn toggle(state: &State) -> Option<String> {
    let Some(id) = state.subject(state.focus) else { return Some(no_source(state)) };
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
    // What is not watched is read again only when one asks for it.
    let then = if matches!(state.snapshot.watching, Watching::Off(_)) { ", then press r" } else { "" };
    Some(format!("@{id} is missing: nothing stands at {written}; mend its path{then}"))
}

fn keep(state: &State) -> Option<String> {
    let Some(id) = state.subject(state.focus) else { return Some(no_source(state)) };
    match state.snapshot.selection.member(id) {
        Some(member) if member.role == Role::Transitive => missing(state, id),
        Some(member) if member.role == Role::Picked => Some(format!("@{id} is picked for itself already")),
        _ if state.snapshot.catalog.get(id).is_none() => Some(format!("@{id} is gone from the catalog")),
        _ => missing(state, id).or_else(|| Some(format!("@{id} is not pulled in by anything: Space picks it"))),
    }
}

fn exclude(state: &State) -> Option<String> {
    let Some(id) = state.subject(state.focus) else { return Some(no_source(state)) };
    let known = state.snapshot.catalog.get(id).is_some() || state.snapshot.selection.is_excluded(id);
    (!known).then(|| format!("@{id} is gone from the catalog: press Space to drop its pick"))
}

fn session(state: &State) -> Option<String> {
    let is_filtered = terms::of(state.feed.filter.text(), terms::SESSION).is_some();
    let known = state.feed.current().is_some_and(|notice| notice.session.is_some());
    (!is_filtered && !known).then(|| "this row belongs to no session".to_owned())
}

fn nothing(there: Option<&str>, why: &str) -> Option<String> {
    there.is_none().then(|| why.to_owned())
}

/// Why a source or template cannot be opened or copied from.
fn elsewhere(state: &State, action: Action) -> Option<String> {
    if state.focus == Pane::Templates {
        return of_template(state, action);
    }
    let Some(id) = state.subject(state.focus) else { return Some(no_source(state)) };
    let Some(source) = state.snapshot.catalog.get(id) else {
        return (action != Action::CopyId).then(|| format!("@{id} is gone from the catalog: there is nothing to open"));
    };
    match (action, &source.kind) {
        (Action::Open, Kind::Url { .. } | Kind::Mcp { .. }) => {
            Some(format!("@{id} lies elsewhere: e opens its definition"))
        }
        (Action::Open, Kind::Local(place)) if source.is_missing() => {
            let expected = &place.written;
            Some(format!("@{id} is missing: nothing stands at {expected}; e opens its definition"))
        }
        (Action::CopyPath, _) if update::elsewhere::path_or_address(state, id).is_none() => {
            Some(format!("@{id} has neither path nor address: y copies its id"))
        }
        _ => None,
    }
}

fn of_template(state: &State, action: Action) -> Option<String> {
    let Some(template) = state.template() else { return Some(NO_TEMPLATE.to_owned()) };
    let name = &template.name;
    match action {
        Action::Define if template.source.is_none() => {
            Some(format!("no source defines {name}: it is of the workspace's own folder; o opens it"))
        }
        Action::CopyPath if template.path.to_str().is_none() => {
            Some(format!("the path of {name} is not Unicode and cannot be copied: o opens it"))
        }
        _ => None,
    }
}

fn inside(state: &State) -> Option<String> {
    if state.focus == Pane::Hints {
        return None;
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
    (!layout::has_grid(state.size) && state.zoomed == Zoomed::No)
        .then(|| format!("each pane has the whole screen already: {}", four_at_once()))
}

fn four_at_once() -> String {
    format!("four at once need {}×{}", layout::GRID.width, layout::GRID.height)
}

fn moving(state: &State, border: BorderMove) -> Option<String> {
    let body = state.layout().body.as_size();
    if !layout::has_grid(state.size) {
        return Some(format!("there is no border to move: {}", four_at_once()));
    }
    if state.zoomed == Zoomed::Yes {
        return Some("there is no border to move: press z to see all four panes".to_owned());
    }
    let stays = state.splits.moved(border, body).cells(body) == state.splits.cells(body);
    stays.then(|| "the border can go no further there: a pane would be too small".to_owned())
}

fn confirm(state: &State) -> Option<String> {
    match (state.overlay, palette::chosen(state)) {
        (Some(Overlay::Palette(_)), Some(row)) => row.why_not.map(|why| format!("{}: {why}", row.entry.name)),
        (Some(Overlay::Palette(_)), None) => Some("no action has these letters".to_owned()),
        (Some(Overlay::Write(_)), _) => update::writing::why_not(state),
        (Some(Overlay::Profiles(_) | Overlay::Switch(_)), _) => update::profiles::why_not(state),
        // Somebody else may have cleared the desk while the question stood there.
        (Some(Overlay::Clear), _) => disabled(state, Action::Clear),
        _ => None,
    }
}
