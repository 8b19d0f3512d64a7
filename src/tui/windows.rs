//! Windows over the panes, one file each: its view, its keys, and why they are disabled. Common behaviour
//! (moving, scrolling, closing, typing into a field, the mouse) is here; `drawing` draws them. Actions that a
//! window does not handle go to the panes.

pub mod add_source;
pub mod all_shown;
pub mod approval;
pub mod budget;
pub mod clear;
pub mod discovery;
mod documentation;
mod drawing;
mod help;
mod invalid_values;
pub mod jump;
pub mod large_pick;
mod list_page;
pub mod messages;
mod one_line;
pub mod problems;
pub mod profiles;
mod receipt;
pub mod save_filter;
pub mod saved_filter;
mod switch;
mod text_page;
pub mod themes;
pub mod trust;
pub mod welcome;
pub mod write;

pub use help::open as open_help;
pub use jump::JumpWindow;
pub use receipt::ReceiptWindow;
pub use switch::open as open_switch;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::action::{Action, KeyContext};
use super::input::Effect;
use super::pane_view::{draw_scrolled, draw_text};
use super::state::State;
use super::status;
use super::theme::ThemeRole;
use super::update;
use super::widgets::cells;
use super::widgets::field::{FieldLimit, TextField};
use super::widgets::motion::{Cursor, Motion, Scroll};
use drawing::{
    DifferenceLayout, FRAME_WIDTH, Titles, centred, difference_layout, draw_frame, list_and_details, paragraphs,
    summary_rows, text_and_keys, text_columns, visible_lines, wide,
};
use list_page::{ListPage, ListTitles};
use text_page::{TextPage, choice_columns};

/// An open window with its cursor, or its scroll position if it shows a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenWindow {
    pub kind: WindowKind,
    pub cursor: Cursor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowKind {
    AddSource,
    AllShown,
    Approval,
    Budget,
    CatalogDifference,
    CatalogSummary,
    Clear,
    Discovery,
    Documentation,
    Help,
    HelpFilter,
    InvalidValues,
    Jump,
    LargePick,
    Messages,
    Problems,
    Profiles,
    Receipt,
    SaveFilter,
    SavedFilter,
    Switch,
    Themes,
    Trust,
    Welcome,
    Write,
}

impl WindowKind {
    fn window(self) -> &'static dyn Window {
        self.context_and_window().1
    }

    /// The contexts in which its keys are looked up: its own, then those of every window of lists and texts, or of
    /// every text field.
    fn contexts(self) -> Vec<KeyContext> {
        let (own, _) = self.context_and_window();
        std::iter::once(own).chain(own.fallbacks().iter().copied()).collect()
    }

    fn context_and_window(self) -> (KeyContext, &'static dyn Window) {
        match self {
            Self::AddSource => (KeyContext::AddSource, &add_source::AddSource),
            Self::AllShown => (KeyContext::AllShown, &all_shown::AllShown),
            Self::Budget => (KeyContext::Budget, &budget::BudgetView),
            Self::Approval => (KeyContext::Approval, &approval::ApprovalView),
            Self::CatalogDifference => (KeyContext::CatalogDifference, &discovery::CatalogDifference),
            Self::CatalogSummary => (KeyContext::Reading, &discovery::CatalogSummary),
            Self::Clear => (KeyContext::Question, &clear::Clear),
            Self::Discovery => (KeyContext::Discovery, &discovery::DiscoveryList),
            Self::Documentation => (KeyContext::Documentation, &documentation::DocumentationWindow),
            Self::LargePick => (KeyContext::LargePick, &large_pick::LargePickView),
            Self::Messages => (KeyContext::Reading, &messages::MessagesView),
            Self::Help => (KeyContext::Help, &help::KEYS),
            Self::HelpFilter => (KeyContext::HelpFilter, &help::LINE),
            Self::InvalidValues => (KeyContext::Question, &invalid_values::InvalidValues),
            Self::Jump => (KeyContext::Jump, &jump::Jump),
            Self::Problems => (KeyContext::Problems, &problems::Problems),
            Self::Profiles => (KeyContext::Profiles, &profiles::ProfilesView),
            Self::Receipt => (KeyContext::Reading, &receipt::ReceiptView),
            Self::SaveFilter => (KeyContext::SaveFilter, &save_filter::SaveFilter),
            Self::SavedFilter => (KeyContext::Question, &saved_filter::SavedFilter),
            Self::Switch => (KeyContext::Switch, &switch::SwitchView),
            Self::Themes => (KeyContext::Themes, &themes::ThemePicker),
            Self::Trust => (KeyContext::Trust, &trust::Trust),
            Self::Welcome => (KeyContext::Welcome, &welcome::Welcome),
            Self::Write => (KeyContext::Write, &write::Write),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    Consumed,
    Ignored,
}

/// The rows of a window's list or text.
#[derive(Debug, Clone, Copy, Default)]
struct WindowRows {
    place: Rect,
    len: usize,
    /// Rows to choose from rather than lines to read.
    is_list: bool,
}

trait Window {
    /// The text of a window that shows only a text. Other windows define their own area and drawing.
    fn page<'s>(&self, _: &'s State) -> Option<TextPage<'s>> {
        None
    }

    /// The list of a window that shows a list with details.
    fn list(&self, _: &State) -> Option<ListPage> {
        None
    }

    /// The area of the window, with its border.
    fn outer(&self, state: &State) -> Rect {
        let list = self.list(state).map(|list| list.outer(state));
        list.or_else(|| Some(self.page(state)?.outer(state))).unwrap_or_default()
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        if let Some(page) = self.page(state) {
            page.draw(state, cursor.top, frame.buffer_mut());
        }
    }

    fn rows(&self, state: &State) -> WindowRows {
        let list = self.list(state).map(|list| list.rows(state));
        list.or_else(|| Some(self.page(state)?.rows(state))).unwrap_or_default()
    }

    /// The row for the keys of its own context, if it has one.
    fn keys(&self, state: &State) -> Option<Rect> {
        self.page(state)?.keys(state)
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        if action == Action::Confirm { self.confirm(state, effects) } else { Handled::Ignored }
    }

    /// Performs `Confirm`, for a window that handles only this action.
    fn confirm(&self, _: &mut State, _: &mut Vec<Effect>) -> Handled {
        Handled::Ignored
    }

    /// Why `Confirm` is disabled; `None` if it is enabled.
    fn disabled(&self, _: &State) -> Option<String> {
        None
    }

    /// Whether the window itself shows that reason.
    fn shows_why(&self, _: &State) -> bool {
        false
    }

    /// The action that is offered only once the end of its text was shown.
    fn offered_at_end(&self) -> Option<Action> {
        None
    }

    /// The actions whose keys are part of its text.
    fn listed_keys(&self) -> Vec<Action> {
        Vec::new()
    }

    /// The action of a click within the window, besides moving the cursor.
    fn action_at(&self, _: &State, _: Position) -> Option<Action> {
        None
    }

    /// The text field of the window.
    fn field<'s>(&self, _: &'s mut State) -> Option<&'s mut TextField> {
        None
    }

    fn field_changed(&self, _: &mut State) {}

    /// Whether a click on the row under the cursor confirms.
    fn click_confirms(&self) -> bool {
        false
    }

    /// Runs after every input, before the cursor is clamped.
    fn after_input(&self, _: &mut State, _: &mut Vec<Effect>) {}
}

/// Why a window's keys are briefly disabled.
const RECOUNTING: &str = "the workspace has just changed: counting again";

impl State {
    pub fn open(&mut self, kind: WindowKind) {
        self.covered.clear();
        self.replace_window(kind);
    }

    /// Opens a window that returns to the open one when it is closed.
    pub fn open_above(&mut self, kind: WindowKind) {
        self.covered.extend(self.window);
        self.replace_window(kind);
    }

    /// Opens a window in place of the open one; it covers what that one covered.
    pub fn replace_window(&mut self, kind: WindowKind) {
        self.window = Some(OpenWindow { kind, cursor: Cursor::default() });
    }

    /// Closes the window of this kind, even if another one covers it.
    pub fn close(&mut self, kind: WindowKind) {
        self.covered.retain(|covered| covered.kind != kind);
        if self.open_window() == Some(kind) {
            self.window = self.covered.pop();
        }
    }

    /// Whether the window of this kind is open, even if another one covers it.
    pub fn has_window(&self, kind: WindowKind) -> bool {
        self.window.iter().chain(&self.covered).any(|open| open.kind == kind)
    }

    pub fn open_window(&self) -> Option<WindowKind> {
        self.window.map(|open| open.kind)
    }
}

fn opened(state: &State) -> Option<(&'static dyn Window, Cursor)> {
    state.window.map(|open| (open.kind.window(), open.cursor))
}

/// The contexts in which the keys of the open window are looked up, its own first.
pub fn contexts(state: &State) -> Option<Vec<KeyContext>> {
    state.open_window().map(WindowKind::contexts)
}

pub fn disabled(state: &State) -> Option<String> {
    opened(state).and_then(|(window, _)| window.disabled(state))
}

/// Whether the open window shows why `Confirm` is disabled.
pub fn shows_why(state: &State) -> bool {
    opened(state).is_some_and(|(window, _)| window.shows_why(state))
}

/// The area of the open window, with its border.
#[cfg(test)]
pub fn outer(state: &State) -> Option<Rect> {
    opened(state).map(|(window, _)| window.outer(state))
}

pub fn draw(state: &State, frame: &mut Frame<'_>) {
    if let Some((window, cursor)) = opened(state) {
        window.draw(state, cursor, frame);
        let labels = labels(state);
        status::draw_labels(state, &labels, frame.buffer_mut());
        draw_lines_left(state, &labels, frame.buffer_mut());
    }
}

/// `y is offered at the end: 23 lines left`, beside the keys.
fn draw_lines_left(state: &State, labels: &[status::Label], buffer: &mut Buffer) {
    let Some((context, window)) = state.open_window().map(WindowKind::context_and_window) else { return };
    let place = window.keys(state).filter(|place| place.height > 0 && state.ended_request().is_none());
    let (Some(action), Some(place), left @ 1..) = (window.offered_at_end(), place, lines_below(state)) else { return };
    let (key, left) = (state.key_in(context, action), cells::counted(left, "line"));
    let x = labels.iter().map(|label| label.right() + 2).max().unwrap_or(place.x + 1);
    let room = usize::from(place.right().saturating_sub(x + 1));
    let whole = format!("{key} is offered at the end: {left} left");
    let text = if cells::width(&whole) <= room { whole } else { format!("{key}: {left} left") };
    let text = cells::clip(&text, room, state.skin.glyphs.ellipsis);
    cells::put(buffer, (x, place.y), &text, room, state.skin.theme.style(ThemeRole::Infra));
}

/// The keys shown in the open window.
pub fn labels(state: &State) -> Vec<status::Label> {
    let Some((own, window)) = state.open_window().map(WindowKind::context_and_window) else { return Vec::new() };
    let place = window.keys(state).filter(|place| place.height > 0);
    place.map(|place| status::labels(state, &[own], place)).unwrap_or_default()
}

/// The actions whose keys are part of the open window's text.
pub fn listed_keys(state: &State) -> Vec<Action> {
    opened(state).map(|(window, _)| window.listed_keys()).unwrap_or_default()
}

pub fn update(state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
    let Some((window, _)) = opened(state) else { return Handled::Ignored };
    if window.update(state, action, effects) == Handled::Consumed {
        return Handled::Consumed;
    }
    match action {
        Action::Back => state.window = state.covered.pop(),
        Action::Move(motion) => step(state, motion, 1),
        Action::Edit(edit) if let Some(field) = window.field(state) => {
            if field.edit(edit).is_some() {
                window.field_changed(state);
            }
        }
        _ => return Handled::Ignored,
    }
    Handled::Consumed
}

/// Types into the open window's field, which has one line: line breaks in a paste become blanks.
pub fn insert(state: &mut State, text: &str) -> Handled {
    let Some((window, _)) = opened(state) else { return Handled::Ignored };
    let Some(field) = window.field(state) else { return Handled::Ignored };
    let line = text.replace(['\r', '\n'], " ");
    let fits = field.fitting(&line, FieldLimit::Line);
    if field.insert(fits).is_some() {
        window.field_changed(state);
    }
    if fits.len() < line.len() {
        state.refuse(FieldLimit::Line.full());
    }
    Handled::Consumed
}

fn step(state: &mut State, motion: Motion, times: usize) {
    let Some(mut open) = state.window else { return };
    let WindowRows { place, len, is_list } = open.kind.window().rows(state);
    let page = usize::from(place.height);
    for _ in 0..times {
        if is_list {
            open.cursor.step(motion, len, page);
        } else {
            let mut scroll = Scroll { top: open.cursor.top };
            scroll.step(motion, len, page);
            open.cursor.top = scroll.top;
        }
    }
    state.window = Some(open);
}

/// Whether the open window shows a text with more lines below.
pub fn has_more_below(state: &State) -> bool {
    lines_below(state) > 0
}

/// The number of lines below those of a text that the open window shows.
fn lines_below(state: &State) -> usize {
    opened(state).map_or(0, |(window, cursor)| {
        let WindowRows { place, len, is_list } = window.rows(state);
        if is_list { 0 } else { len.saturating_sub(cursor.top + usize::from(place.height)) }
    })
}

/// The wheel scrolls a list, moving the cursor only as needed.
pub fn wheel(state: &mut State, motion: Motion, rows: usize) {
    let Some(mut open) = state.window else { return };
    let WindowRows { place, len, is_list } = open.kind.window().rows(state);
    if !is_list {
        return step(state, motion, rows);
    }
    open.cursor.scroll(motion, rows, len, usize::from(place.height));
    state.window = Some(open);
}

/// A click moves the cursor to a row; a click outside closes the window.
pub fn click(state: &mut State, at: Position, effects: &mut Vec<Effect>) {
    let Some(mut open) = state.window else { return };
    let window = open.kind.window();
    if !window.outer(state).contains(at) {
        return update::act(state, Action::Back, effects);
    }
    if let Some(action) = window.action_at(state, at) {
        return update::act(state, action, effects);
    }
    let WindowRows { place, len, is_list } = window.rows(state);
    let Some(row) = open.cursor.row_at(place, len, at).filter(|_| is_list) else { return };
    if row == open.cursor.at && window.click_confirms() {
        return update::act(state, Action::Confirm, effects);
    }
    open.cursor.at = row;
    state.window = Some(open);
}

/// Runs after every input: the window's content may be outdated, and it may have fewer rows.
pub fn after_input(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some((window, _)) = opened(state) {
        window.after_input(state, effects);
    }
    let Some(mut open) = state.window else { return };
    let WindowRows { place, len, is_list } = open.kind.window().rows(state);
    let page = usize::from(place.height);
    if is_list {
        open.cursor.clamp(len, page);
    } else {
        open.cursor.top = open.cursor.top.min(len.saturating_sub(page));
    }
    state.window = Some(open);
}
