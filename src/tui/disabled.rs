//! Why an action is disabled, as one sentence for the user who pressed its key. Actions not listed here are
//! always enabled. Requests, templates and windows keep their reasons in their own folders.

use refdesk_core::catalog::SourceKind;
use refdesk_core::config::screen::DividerShares;
use refdesk_core::selection::Role;
use refdesk_desk::engine::Watching;

use super::action::{Action, BorderMove, KeyContext};
use super::agents;
use super::catalog::{link_walk, reading, sideways};
use super::databases;
use super::feed::{query, target};
use super::filtering::FilteredList;
use super::graph;
use super::layout::{self, Arrangement, GridNeeds, Preset, Splits};
use super::pane::Pane;
use super::pane_view;
use super::places;
use super::requests;
use super::source_state;
use super::state::State;
use super::templates::disabled as templates;
use super::tour;
use super::update::external;
use super::views::{self, View};
use super::widgets::cells;
use super::widgets::motion::Motion;
use super::windows::{self, WindowKind, all_shown};

/// Why this action is disabled now; `None` if it is enabled.
pub fn disabled(state: &State, action: Action) -> Option<String> {
    let in_view = match state.view {
        View::Panes => None,
        View::Graph => graph::disabled::disabled(state, action),
        View::Agents => agents::disabled::disabled(state, action),
        View::Databases => databases::disabled::disabled(state, action),
    };
    if let Some(why) = in_view.or_else(|| views::disabled(state, action)) {
        return Some(why);
    }
    let catalog = &state.snapshot.catalog;
    match action {
        // The view has already allowed it.
        Action::Follow | Action::ThisSession | Action::Sort | Action::SortTokens if state.view == View::Agents => None,
        _ if state.view == View::Databases && databases::disabled::is_own(action) => None,
        Action::Graph if catalog.is_empty() && state.view != View::Graph => {
            Some(format!("there are no sources yet: {} shows how to start", state.key(Action::Welcome)))
        }
        Action::Toggle => toggle(state),
        Action::Keep => keep(state),
        Action::Exclude => exclude(state),
        Action::AllShown if let Some(fault) = filter_fault(state) => Some(format!("the filter is invalid: {fault}")),
        Action::AllShown if all_shown::shown(state).next().is_none() => Some("no source is shown here".to_owned()),
        Action::Bulk(verb) if all_shown::change_of(state, verb).is_none() => {
            Some(format!("there is no source to {} here", verb.word()))
        }
        Action::Tick | Action::TickAll if state.draft.found().is_none_or(|found| found.new.is_empty()) => {
            Some("there is nothing to tick".to_owned())
        }
        Action::Filter => filter(state),
        Action::Sort | Action::SortTokens if state.focus == Pane::Selection && state.selection.all.is_empty() => {
            Some("nothing is selected yet".to_owned())
        }
        Action::Sort | Action::SortTokens if catalog.is_empty() => Some("there are no sources to sort yet".to_owned()),
        Action::Search | Action::Inside => inside(state),
        Action::NextHit | Action::PreviousHit => hit(state),
        Action::Read => read(state),
        Action::SaveFilter if state.catalog.filter.text().trim().is_empty() => {
            Some(format!("there is no filter to save: {} types one", state.key(Action::Filter)))
        }
        Action::Filters if state.named_filters.is_empty() => Some(windows::save_filter::none_saved(state)),
        Action::RemoveFilter => windows::jump::no_filter(state),
        Action::GoBack | Action::GoForward => places::disabled(state, action),
        Action::FollowLink => link_walk::no_way(state),
        Action::NextLink | Action::PreviousLink if !link_walk::has_links(state) => {
            Some("this document has no links".to_owned())
        }
        Action::FrontMatter if !reading::has_front_matter(state) => {
            Some("this document has no front matter".to_owned())
        }
        Action::Zoom => zoom(state),
        Action::Undo if state.snapshot.undo.is_none() => {
            Some("nothing to undo: only picks and exclusions made here can be undone".to_owned())
        }
        Action::Redo if state.snapshot.redo.is_none() => Some("nothing to redo: nothing was undone".to_owned()),
        Action::Requests
        | Action::Answer
        | Action::Decline
        | Action::Approve
        | Action::Mark
        | Action::MarkAll
        | Action::NextRequest
        | Action::PreviousRequest => requests::disabled::disabled(state, action),
        Action::Trust | Action::TrustThis if state.snapshot.untrusted.is_empty() => {
            Some("no setting of this repository needs your trust".to_owned())
        }
        Action::TrustThis if windows::has_more_below(state) => {
            let key = state.key_in(KeyContext::List, Action::Move(Motion::PageDown));
            Some(format!("{key} shows the rest first: you would trust that, too"))
        }
        Action::Leftwards | Action::Rightwards if state.reads() => sideways::disabled(state, action),
        Action::Values
        | Action::EditValues
        | Action::SetValue
        | Action::ResetValue
        | Action::AddItem
        | Action::View
        | Action::Leftwards
        | Action::Rightwards
        | Action::Write => templates::disabled(state, action),
        Action::Border(border) => moving(state, border),
        Action::Preset(wanted) => preset(state, wanted),
        Action::ResetBorders if state.splits == Splits::default() && state.rules == DividerShares::default() => {
            Some("all borders are already in their default place".to_owned())
        }
        Action::LeaveTour if state.tour.is_none() => {
            Some("there is no tour here: refdesk --demo --tour starts one".to_owned())
        }
        Action::ConnectAgent if state.launched.is_demo => {
            Some("the demo is removed when it ends, so no agent can be connected to it".to_owned())
        }
        Action::Discover | Action::AddSource => home(state),
        Action::ConnectAgent if state.snapshot.home.is_some() => {
            home(state).map(|why| format!("{why}; `refdesk connect --user` works anywhere"))
        }
        Action::ConnectAgent if !state.snapshot.is_workspace => Some(
            "this folder is not a workspace yet: scan it or add a file first; `refdesk connect --user` works anywhere"
                .to_owned(),
        ),
        Action::Theme => state.theme_choice.themes.fixed().map(str::to_owned),
        Action::Clear if state.counts.picked == 0 && state.snapshot.selection.dormant().is_empty() => {
            Some("there are no picks to clear".to_owned())
        }
        Action::Confirm => windows::disabled(state),
        Action::ClearPrompt => state.hints.prompt.is_empty().then(|| "the prompt is already empty".to_owned()),
        Action::NextKind | Action::ThisSession if state.feed.notices.is_empty() => Some(target::QUIET.to_owned()),
        Action::ThisSession => session(state),
        Action::Follow => target::of_row(state).err(),
        Action::OpenPlace if target::place(state).is_err() && state.open_window() != Some(WindowKind::Problems) => {
            outside(state, Action::Open)
        }
        Action::OpenPlace | Action::CopyPlace => target::place(state).err(),
        Action::OpenMention => target::mention(state).err(),
        Action::Open | Action::Define | Action::CopyId | Action::CopyPath => outside(state, action),
        _ => None,
    }
}

/// Why nothing is set up in the home folder.
pub fn home(state: &State) -> Option<String> {
    let place = state.snapshot.home.as_ref()?;
    Some(format!("this is {}: change to the folder of a project first", cells::clean(place)))
}

/// The part of the current filter that is invalid and therefore ignored.
pub fn filter_fault(state: &State) -> Option<&str> {
    let query = match state.filtered_list()? {
        FilteredList::Catalog => &state.catalog.filtered.query,
        FilteredList::Selection => &state.selection.filtered.query,
        FilteredList::Templates => &state.templates.filtered.query,
        _ => return None,
    };
    query.fault.as_deref()
}

/// Why this list cannot be filtered. The views of graph and databases were checked before.
fn filter(state: &State) -> Option<String> {
    match state.filtered_list() {
        None => Some("this list has no filter".to_owned()),
        Some(FilteredList::Catalog) if state.snapshot.catalog.is_empty() => {
            Some("there are no sources to filter yet".to_owned())
        }
        Some(FilteredList::Selection) if state.selection.all.is_empty() => {
            Some("there is nothing in the selection to filter yet".to_owned())
        }
        Some(FilteredList::Feed) if state.feed.notices.is_empty() => Some(target::QUIET.to_owned()),
        Some(FilteredList::Templates) if state.snapshot.templates.templates.is_empty() => {
            Some("there are no templates to filter: no selected source has any".to_owned())
        }
        Some(FilteredList::Request) => requests::disabled::disabled(state, Action::Filter),
        Some(_) => None,
    }
}

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
    let Some(id) = state.action_target() else { return Some(no_source(state)) };
    match state.snapshot.selection.member(id) {
        Some(member) if member.role == Role::Picked => None,
        Some(member) if member.role == Role::Transitive => {
            let parents = source_state::parents(member);
            let [exclude, keep] = [Action::Exclude, Action::Keep].map(|action| state.key(action));
            let after = after_jump(state);
            Some(format!("pulled in by {parents}: {after}press {exclude} to exclude it, {keep} to keep it as a pick"))
        }
        _ => missing(state, id),
    }
}

fn missing(state: &State, id: &str) -> Option<String> {
    let source = state.snapshot.catalog.get(id).filter(|source| source.is_missing())?;
    let path = source.place().map(|place| pane_view::printed(state, &place.path)).unwrap_or_default();
    // Unwatched files are reread only on request.
    let is_unwatched = matches!(state.snapshot.watching, Watching::Off(_));
    let then = if is_unwatched { format!(", then press {}", state.key(Action::Reload)) } else { String::new() };
    let [after, define] = [after_jump(state), state.key(Action::Define)];
    Some(format!(
        "@{id} is missing: {path} {}; {after}{define} opens its definition, to correct the path{then}",
        source.why_missing()
    ))
}

/// Where the keys of a source work while they are typed as text: `after Enter, `.
fn after_jump(state: &State) -> String {
    match state.open_window() {
        Some(WindowKind::Jump) => format!("after {}, ", state.key_in(KeyContext::Jump, Action::Confirm)),
        _ => String::new(),
    }
}

fn keep(state: &State) -> Option<String> {
    let Some(id) = state.action_target() else { return Some(no_source(state)) };
    match state.snapshot.selection.member(id) {
        Some(member) if member.role == Role::Transitive => missing(state, id),
        Some(member) if member.role == Role::Picked => Some(format!("@{id} is already a pick")),
        _ if state.snapshot.catalog.get(id).is_none() => Some(format!("@{id} is no longer in the catalog")),
        _ => missing(state, id)
            .or_else(|| Some(format!("@{id} is not pulled in by anything: {} picks it", state.key(Action::Toggle)))),
    }
}

fn exclude(state: &State) -> Option<String> {
    let Some(id) = state.action_target() else { return Some(no_source(state)) };
    let known = state.snapshot.catalog.get(id).is_some() || state.snapshot.selection.is_excluded(id);
    (!known).then(|| format!("@{id} is no longer in the catalog: press {} to unpick it", state.key(Action::Toggle)))
}

fn session(state: &State) -> Option<String> {
    let is_filtered = query::of(state.feed.filter.text(), query::SESSION).is_some();
    let known = state.feed.current().is_some_and(|notice| notice.session.is_some());
    (!is_filtered && !known).then(|| "this row does not belong to a session".to_owned())
}

/// Why a source or template cannot be opened, or its path copied.
fn outside(state: &State, action: Action) -> Option<String> {
    if state.focus == Pane::Templates && state.view == View::Panes {
        return templates::outside(state, action);
    }
    let Some(id) = state.action_target() else { return Some(no_source(state)) };
    let Some(source) = state.snapshot.catalog.get(id) else {
        return (action != Action::CopyId)
            .then(|| format!("@{id} is no longer in the catalog: there is nothing to open"));
    };
    match (action, &source.kind) {
        (Action::Open, SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Withheld(_)) => {
            Some(format!("@{id} is not a file: {} opens its definition", state.key(Action::Define)))
        }
        (Action::Open, SourceKind::Local(place)) if source.is_missing() => {
            let define = state.key(Action::Define);
            let why = source.why_missing();
            let path = pane_view::printed(state, &place.path);
            Some(format!("@{id} is missing: {path} {why}; {define} opens its definition"))
        }
        (Action::CopyPath, _) if external::path_or_address(state, id).is_none() => {
            Some(format!("@{id} has neither path nor address: {} copies its id", state.key(Action::CopyId)))
        }
        _ => None,
    }
}

fn inside(state: &State) -> Option<String> {
    if state.focus == Pane::Hints {
        return None;
    }
    // If only one fits, the document replaces the catalog.
    let shown = state.focus == Pane::Catalog || state.parts(state.focus).is_some_and(|parts| parts.detail.area() > 0);
    match (shown, state.len(state.focus)) {
        (true, 1..) => None,
        (true, 0) => Some("the list is empty".to_owned()),
        (false, _) => Some("there is no room for details: make the terminal larger".to_owned()),
    }
}

fn read(state: &State) -> Option<String> {
    match state.focus {
        Pane::Catalog => inside(state),
        _ => outside(state, Action::CopyId).or_else(|| {
            let id = state.subject(state.focus)?;
            let is_gone = state.snapshot.catalog.get(id).is_none();
            is_gone.then(|| format!("@{id} is no longer in the catalog: there is nothing to read"))
        }),
    }
}

fn hit(state: &State) -> Option<String> {
    let search = &state.catalog.search;
    if !search.is_on() {
        return Some(format!("there is no search: press {} to type one", state.key(Action::Search)));
    }
    let (needle, loaded) = (search.needle.text(), &state.catalog.reading.loaded);
    if !search.hits.is_empty() {
        return None;
    }
    let (motion, place) = match (loaded.next(), loaded.previous()) {
        (None, None) => return Some(format!("no match for {needle} in these details")),
        (Some(_), _) => (Motion::Bottom, "end"),
        (None, Some(_)) => (Motion::Top, "start"),
    };
    let key = state.key(Action::Move(motion));
    Some(format!("no match for {needle} in the part that is loaded: {key} goes to the {place}"))
}

fn zoom(state: &State) -> Option<String> {
    let shows_all = match state.focus {
        Pane::Catalog => false,
        Pane::Selection | Pane::Hints => tour::rest(state).width < layout::WIDE || state.is_feed_alone(),
        Pane::Templates => true,
    };
    (state.arrangement == Arrangement::Focused && shows_all).then(|| "this pane already fills the screen".to_owned())
}

fn preset(state: &State, preset: Preset) -> Option<String> {
    (preset == Preset::Overview && !Arrangement::Overview.is_grid(tour::rest(state))).then(|| {
        format!("all four panes need {}{}{}", layout::GRID.width, state.skin.glyphs.times, layout::GRID.height)
    })
}

fn moving(state: &State, border: BorderMove) -> Option<String> {
    let layout = state.layout();
    let is_upright = matches!(border, BorderMove::Left | BorderMove::Right);
    if layout.border().is_none() {
        return Some("there is no border to move: one pane fills the screen".to_owned());
    }
    if !is_upright && !state.arrangement.is_grid(tour::rest(state)) {
        return Some("there is no border to move up or down: the panes are beside each other".to_owned());
    }
    let (body, cells) = (layout.body.as_size(), layout.cells());
    let moved = state.splits.moved(border, body, cells);
    let stays = if is_upright {
        moved.first(body.width, 0) == cells.width
    } else {
        moved.cells(body, GridNeeds::default()).height == cells.height
    };
    stays.then(|| "the border cannot go further: a pane would be too small".to_owned())
}
