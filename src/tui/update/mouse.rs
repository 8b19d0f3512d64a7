//! The mouse: a click acts on what it points at, the wheel scrolls without changing the focus, a drag moves a
//! border. Positions are computed by the code that draws.

use ratatui::layout::Position;

use crate::tui::action::Action;
use crate::tui::agents;
use crate::tui::catalog;
use crate::tui::catalog::columns::CatalogColumns;
use crate::tui::catalog::link_walk::LinkClick;
use crate::tui::databases;
use crate::tui::disabled::disabled;
use crate::tui::dock;
use crate::tui::filter::Order;
use crate::tui::graph;
use crate::tui::input::Effect;
use crate::tui::layout::PaneLayout;
use crate::tui::layout::dividers;
use crate::tui::pane::Pane;
use crate::tui::pane_view;
use crate::tui::state::{ClickedRow, Dragged, PanePart, State, Typing};
use crate::tui::status;
use crate::tui::templates::{form, form_update};
use crate::tui::update::act;
use crate::tui::update::appearance;
use crate::tui::update::navigation;
use crate::tui::views::View;
use crate::tui::widgets::motion::Motion;
use crate::tui::windows;

/// Rows scrolled by one step of the wheel.
const WHEEL_ROWS: usize = 3;

pub fn click(state: &mut State, at: Position, effects: &mut Vec<Effect>) {
    let layout = state.layout();
    let key = status::key_at(state, at);
    let clicked_before = state.clicked.take();
    // A click clears the message, like a key.
    state.message = None;
    state.dragged = None;
    if layout.bottom.contains(at) || key.is_some() {
        key.into_iter().for_each(|action| act(state, action, effects));
    } else if state.window.is_some() {
        windows::click(state, at, effects);
    } else if state.view != View::Panes && layout.body.contains(at) {
        leave_field(state, effects);
        match state.view {
            View::Graph => graph::update::click(state, at, effects),
            View::Agents => agents::update::click(state, at, effects),
            View::Databases => databases::update::click(state, at, effects),
            View::Panes => {}
        }
    } else if let Some(action) = dock::action_at(state, at).or_else(|| status::top_action_at(state, at)) {
        leave_field(state, effects);
        act(state, action, effects);
    } else if let Some((pane, parts)) = pane_at(state, at) {
        state.dragged = appearance::at(&layout, at);
        // The dividers of a request cannot be moved.
        let is_fixed = pane == Pane::Selection && state.shown_request().is_some();
        let rule = dividers::at(pane, &parts, at).filter(|_| state.dragged.is_none() && !is_fixed);
        state.dragged = state.dragged.or(rule.map(|rule| Dragged::Divider(pane, rule)));
        match rule {
            // Dragging a divider keeps the focus.
            Some(_) if state.focus == pane => {}
            Some(_) => {
                leave_field(state, effects);
                state.focus_on(pane);
            }
            None => in_pane(state, pane, parts, at, effects),
        }
    }
    let opened = state.clicked.take_if(|now| clicked_before.as_ref() == Some(now));
    if let Some(action) = opened.and_then(|row| opens(state, row.pane)) {
        run_if_enabled(state, action, effects);
    }
}

fn pane_at(state: &State, at: Position) -> Option<(Pane, PaneLayout)> {
    let layout = state.layout();
    let panes = Pane::ALL.into_iter().zip(layout.panes).chain([(Pane::Catalog, layout.reader)]);
    let mut places = panes.filter_map(|(pane, place)| place.map(|place| (pane, place)));
    let (pane, _) = places.find(|(_, place)| place.contains(at))?;
    Some((pane, state.parts(pane)?))
}

fn in_pane(state: &mut State, pane: Pane, parts: PaneLayout, at: Position, effects: &mut Vec<Effect>) {
    // The feed's filter is on its rule.
    let in_head = match pane {
        Pane::Hints => Typing::Prompt,
        _ => Typing::Filter(state.filtered_list_of(pane)),
    };
    if state.typing == Some(in_head) && parts.head.contains(at) {
        return;
    }
    leave_field(state, effects);
    // A click into a request opens the request shown now.
    if pane == Pane::Selection && state.is_before_request() {
        return run_if_enabled(state, Action::Requests, effects);
    }
    let part_row = part_row(state, pane, parts, at);
    let document_row = if pane == Pane::Catalog { catalog::reading::document_row(state, at) } else { None };
    let same = state.focus == pane;
    if !same || parts.list.contains(at) {
        state.focus_on(pane);
    }
    if parts.list.contains(at) {
        in_list(state, pane, parts, at, effects);
    } else if parts.head.contains(at) {
        match pane {
            Pane::Hints => act(state, Action::Prompt, effects),
            // A head without a filter line shows headings or the text of a request.
            _ if state.is_filtered() && !state.is_request_focused() => act(state, Action::Filter, effects),
            Pane::Catalog => sort_by_heading(state, parts, at),
            _ => {}
        }
    } else if parts.detail.contains(at) {
        let there = state.part == PanePart::Detail;
        run_if_enabled(state, if pane == Pane::Hints { Action::Feed } else { Action::Inside }, effects);
        if let Some((row, column)) = document_row {
            let again = catalog::link_walk::focus_at(state, row, column) == Some(LinkClick::Again);
            act_on_second_click(state, again, Action::FollowLink, effects);
        }
        if let (Pane::Hints, Some(row)) = (pane, part_row) {
            let before = std::mem::replace(&mut state.feed.cursor.at, row);
            act_on_second_click(state, there && before == row, Action::Follow, effects);
        }
    } else if pane == Pane::Templates && parts.aside.contains(at) {
        let there = state.part == PanePart::Values;
        if disabled(state, Action::Values).is_none() {
            state.focus_on(Pane::Templates);
            state.part = PanePart::Values;
        }
        if let Some(row) = part_row {
            let before = std::mem::replace(&mut state.templates.variable.at, row);
            // A click on the box itself toggles it.
            let is_box = form::is_box(state, parts.aside, at);
            act_on_second_click(state, is_box || (there && before == row), Action::SetValue, effects);
        }
    }
}

/// A click on a heading sorts by its column; a second click restores the catalog's order.
fn sort_by_heading(state: &mut State, parts: PaneLayout, at: Position) {
    let columns = CatalogColumns::of(&state.counts, parts.list.width);
    if let Some(order) = columns.order_at(at.x - parts.head.x).filter(|_| !state.snapshot.catalog.is_empty()) {
        let order = if state.catalog.order == order { Order::Catalog } else { order };
        catalog::filtered_rows::sort(state, order);
    }
}

/// The row of the feed or of the variables under the mouse.
fn part_row(state: &State, pane: Pane, parts: PaneLayout, at: Position) -> Option<usize> {
    match pane {
        Pane::Hints => state.feed.cursor.row_at(parts.detail, state.feed.rows.len(), at),
        Pane::Templates => state.templates.variable.row_at(parts.aside, state.templates.form.len(), at),
        Pane::Catalog | Pane::Selection => None,
    }
}

/// A click on the row that already has the cursor performs its action.
fn act_on_second_click(state: &mut State, again: bool, action: Action, effects: &mut Vec<Effect>) {
    if again {
        run_if_enabled(state, action, effects);
    }
}

fn in_list(state: &mut State, pane: Pane, parts: PaneLayout, at: Position, effects: &mut Vec<Effect>) {
    if pane == Pane::Hints && state.shows_enriched() {
        return;
    }
    let len = state.len(pane);
    let cursor = state.cursor_mut(pane);
    let Some(row) = cursor.row_at(parts.list, len, at) else { return };
    if std::mem::replace(&mut cursor.at, row) != row {
        navigation::reset_scroll(state, pane);
    }
    // The mark and the blank after it, because a single cell is hard to hit.
    let mark = pane_view::mark_column(state, pane, row).map(|column| parts.list.x.saturating_add(column));
    if mark.is_some_and(|mark| at.x == mark || at.x == mark.saturating_add(1)) {
        let action = if state.in_request() { Action::Mark } else { Action::Toggle };
        return act(state, action, effects);
    }
    // If keys moved the cursor here, the first click has no further effect.
    state.clicked = Some(ClickedRow { pane, row, subject: state.subject(pane).map(str::to_owned) });
}

/// The action of a second click on a row of this pane.
fn opens(state: &State, pane: Pane) -> Option<Action> {
    match pane {
        Pane::Catalog => Some(Action::Read),
        Pane::Selection => (!state.is_request_focused()).then_some(Action::Read),
        Pane::Templates => Some(Action::Values),
        Pane::Hints => None,
    }
}

/// A click on a disabled action is ignored silently.
fn run_if_enabled(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    if disabled(state, action).is_none() {
        act(state, action, effects);
    }
}

fn leave_field(state: &mut State, effects: &mut Vec<Effect>) {
    if state.typing.is_some() {
        act(state, Action::Accept, effects);
    }
}

pub fn wheel(state: &mut State, motion: Motion, at: Position) {
    state.clicked = None;
    if state.window.is_some() {
        return windows::wheel(state, motion, WHEEL_ROWS);
    }
    match state.view {
        View::Graph => return graph::update::wheel(state, motion, WHEEL_ROWS),
        View::Agents => return agents::update::wheel(state, motion, WHEEL_ROWS),
        View::Databases => return databases::update::wheel(state, at, motion, WHEEL_ROWS),
        View::Panes => {}
    }
    let Some((pane, parts)) = pane_at(state, at) else { return };
    if parts.detail.contains(at) {
        for _ in 0..WHEEL_ROWS {
            navigation::scroll(state, pane, motion);
        }
    } else if pane == Pane::Templates && parts.aside.contains(at) {
        (0..WHEEL_ROWS).for_each(|_| form_update::step(state, motion));
    } else {
        navigation::scroll_rows(state, pane, motion, WHEEL_ROWS);
    }
}
