//! The keys of a context with their actions, for the bottom line and windows: which keys, with which names, and where.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::tui::action::{ACTIONS, Action, ActionBinding, KeyContext, Visibility};
use crate::tui::agents::{AgentsPage, AgentsTarget};
use crate::tui::databases::DatabaseSide;
use crate::tui::disabled::disabled;
use crate::tui::feed::query;
use crate::tui::feed::target::{self, RowTarget};
use crate::tui::filtering::FilteredList;
use crate::tui::input::contexts;
use crate::tui::key::KeySequence;
use crate::tui::layout::Arrangement;
use crate::tui::pane::Pane;
use crate::tui::state::{HintsView, MessageKind, PanePart, PreviewMode, State, Typing};
use crate::tui::theme::ThemeRole;
use crate::tui::views::View;
use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextEdit;
use crate::tui::widgets::motion::Motion;
use crate::tui::windows::{self, WindowKind};
use refdesk_desk::engine::Audience;

/// A key with its action, and its area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    action: Action,
    key: String,
    name: &'static str,
    place: Rect,
}

impl Label {
    /// The column after it.
    pub fn right(&self) -> u16 {
        self.place.right()
    }
}

/// The keys in the bottom line, except those that the open window shows itself.
pub fn bottom(state: &State, place: Rect) -> Vec<Label> {
    let mut shown = windows::listed_keys(state);
    if shown.is_empty() {
        shown = windows::labels(state).iter().map(|label| label.action).collect();
    }
    labels_without(state, &contexts(state), &shown, place)
}

/// The most important keys of these contexts, as many as fit.
pub fn labels(state: &State, contexts: &[KeyContext], place: Rect) -> Vec<Label> {
    labels_without(state, contexts, &[], place)
}

fn labels_without(state: &State, contexts: &[KeyContext], shown: &[Action], place: Rect) -> Vec<Label> {
    let here = |entry: &&ActionBinding| {
        !shown.contains(&entry.action) && contexts.iter().any(|context| entry.contexts.contains(context))
    };
    let in_order = contexts.iter().flat_map(|context| {
        let here = ACTIONS.iter().filter(|entry| entry.contexts.contains(context));
        here.map(|entry| (entry, state.keymap.keys(entry, *context)))
    });
    let columns = |key: &str, name: &str| u16::try_from(cells::width(key) + 1 + name.len()).unwrap_or(u16::MAX);
    // The help lists everything else, so its key is always shown, as is the way out of a document, the feed or a form.
    let is_part = matches!(contexts.first(), Some(KeyContext::Details | KeyContext::Feed | KeyContext::Values));
    let is_kept = |action| action == Action::Help || (is_part && action == Action::Back);
    let room_of = |action: Action| {
        let is_it = |entry: &&ActionBinding| entry.action == action && entry.shown == Visibility::BottomLine;
        let entry = ACTIONS.iter().filter(here).find(is_it)?;
        Some(columns(&state.keymap.keys_among(entry, contexts).first()?.to_string(), label(state, entry)?) + 2)
    };
    let rooms = [Action::Help, Action::Back].into_iter().filter(|action| is_kept(*action)).filter_map(room_of);
    let mut kept = rooms.fold(0, u16::saturating_add);
    let mut labels = Vec::new();
    let mut x = place.x + 1;
    let mut full = false;
    // A key that a nearer context overrides is not shown.
    let mut taken: Vec<&KeySequence> = Vec::new();
    for (entry, keys) in in_order {
        let free = keys.iter().find(|key| !taken.iter().any(|taken| key.keys().starts_with(taken.keys())));
        taken.extend(keys);
        if shown.contains(&entry.action) {
            continue;
        }
        let Some((key, name)) = free.zip(label(state, entry)) else { continue };
        let key = key.to_string();
        let width = columns(&key, name);
        if is_kept(entry.action) {
            kept = kept.saturating_sub(width + 2);
        } else {
            let end = x.saturating_add(width).saturating_add(2).saturating_add(kept);
            let fits = end <= place.right().saturating_add(1);
            // Once a key does not fit, less important ones are not shown either.
            full |= !fits && !labels.is_empty();
            if full || !fits {
                continue;
            }
        }
        let room = place.right().saturating_sub(x);
        labels.push(Label { action: entry.action, key, name, place: Rect { x, width: width.min(room), ..place } });
        x = x.saturating_add(width).saturating_add(2);
    }
    labels
}

/// Draws keys with their actions, dimmed if disabled.
pub fn draw_labels(state: &State, labels: &[Label], buffer: &mut Buffer) {
    let theme = &state.skin.theme;
    for Label { action, key, name, place } in labels {
        let (strong, plain) = match disabled(state, *action) {
            None => (ThemeRole::Strong, ThemeRole::Text),
            Some(_) => (ThemeRole::Infra, ThemeRole::Infra),
        };
        let room = usize::from(place.width);
        let x = cells::put(buffer, (place.x, place.y), key, room, theme.style(strong)).saturating_add(1);
        let room = usize::from(place.right().saturating_sub(x));
        cells::put(buffer, (x, place.y), name, room, theme.style(plain));
    }
}

/// The action of the key shown at this position, in the bottom line or in the open window.
pub fn key_at(state: &State, at: Position) -> Option<Action> {
    let mut shown = Vec::new();
    let is_free = state.message.as_ref().is_none_or(|message| message.tone == MessageKind::Error);
    if is_free && state.chord.is_empty() {
        shown = bottom(state, state.layout().bottom);
    }
    shown.extend(windows::labels(state));
    shown.iter().find(|label| label.place.contains(at)).map(|label| label.action)
}

/// Whether the open window shows a documentation run with nothing to write.
fn is_only_to_close(state: &State) -> bool {
    state.open_window() == Some(WindowKind::Documentation) && state.databases.run.has_nothing_to_write()
}

/// The action's name in the bottom line, for its current effect; `None` if it is hidden.
fn label(state: &State, entry: &ActionBinding) -> Option<&'static str> {
    // A text that continues below its window shows how to scroll.
    let has_more = entry.action == Action::Move(Motion::PageDown) && windows::has_more_below(state);
    if entry.shown == Visibility::HelpOnly && !has_more || disabled(state, entry.action).is_some() {
        return None;
    }
    if has_more {
        return Some("page down");
    }
    let selection = &state.snapshot.selection;
    let subject = state.action_target();
    let is_picked = |id| selection.is_picked(id) || selection.dormant().iter().any(|dormant| dormant == id);
    match entry.action {
        Action::Toggle | Action::Exclude
            if state.shows_enriched() && state.focus == Pane::Hints && !state.in_feed() =>
        {
            None
        }
        Action::Toggle | Action::Exclude if state.in_feed() && subject.is_none() => None,
        // The row is a broken link, which is fixed in its document.
        Action::Exclude | Action::Keep | Action::MarkStart if state.in_broken_links() => None,
        Action::OpenWhere if state.in_broken_links() => Some("open link"),
        Action::Filter => Some(match state.filtered_list() {
            Some(FilteredList::Graph | FilteredList::Templates) => entry.name,
            _ => "filter",
        }),
        // Both lead to the request being shown.
        Action::NextRequest if state.is_before_request() => None,
        Action::Requests if state.is_before_request() => Some("go to this request"),
        Action::Requests => Some("answer"),
        Action::Answer if state.shows_write() => Some("look at the write"),
        Action::Decline if state.shows_write() => Some("no"),
        Action::Approve => Some(windows::approval::verb(state)),
        Action::NextKind => Some("kinds"),
        Action::ThisSession if state.view == View::Agents => Some(entry.name),
        Action::ThisSession if query::of(state.feed.filter.text(), query::SESSION).is_some() => Some("all sessions"),
        Action::ThisSession => Some("session"),
        Action::Toggle if subject.is_some_and(is_picked) => Some("unpick"),
        Action::Exclude if subject.is_some_and(|id| selection.is_excluded(id)) => Some("include"),
        // Enter already leads there.
        Action::ToCatalog if state.view == View::Agents => {
            Some(entry.name).filter(|_| !matches!(state.agents_target(), Ok(AgentsTarget::Source(_))))
        }
        Action::Follow if state.window.is_none() && state.view == View::Agents => match state.agents_target() {
            Ok(AgentsTarget::Session) | Err(_) => Some(entry.name),
            Ok(AgentsTarget::Receipt(_)) => Some("show receipt"),
            Ok(AgentsTarget::Source(_)) => Some("go to source"),
        },
        Action::Follow if state.window.is_none() && state.view == View::Databases => {
            Some(if state.databases.in_joins() { "follow join" } else { entry.name })
        }
        Action::NextTab if state.view == View::Databases => Some(state.databases.tab.after(1).word()),
        Action::NextLevel if state.view == View::Databases => Some(entry.name).filter(|_| state.databases.can_unfold()),
        Action::Back if state.window.is_none() && state.view == View::Databases => databases_back(state, entry),
        Action::NextTab if state.view == View::Agents => Some(match state.agents.page {
            AgentsPage::Known => AgentsPage::Lines.word(),
            AgentsPage::Sessions | AgentsPage::Lines => AgentsPage::Known.word(),
        }),
        Action::Follow if state.window.is_none() && matches!(target::of_row(state), Ok(RowTarget::File(_))) => {
            Some("open file")
        }
        Action::Follow if state.window.is_none() && matches!(target::of_row(state), Ok(RowTarget::Receipt(_))) => {
            Some("show receipt")
        }
        Action::Enriched => Some(match state.hints.view {
            HintsView::Matches => "enriched prompt",
            HintsView::Enriched(Audience::NewSession) => "as this session gets it",
            HintsView::Enriched(Audience::ThisSession) => "matching sources",
        }),
        Action::Zoom if state.arrangement == Arrangement::Zoomed => Some("unzoom"),
        Action::Inside if state.part != PanePart::List => None,
        Action::Inside if state.focus == Pane::Templates => Some("scroll preview"),
        Action::Inside if state.focus == Pane::Hints => Some("feed"),
        Action::Confirm if state.open_window() == Some(WindowKind::Write) => Some(windows::write::verb(state)),
        Action::Confirm if state.open_window() == Some(WindowKind::Jump) => Some(windows::jump::verb(state)),
        Action::Confirm if is_only_to_close(state) => None,
        Action::Back if is_only_to_close(state) => Some("close"),
        Action::View => Some(match (state.view(), state.preview().is_some_and(|preview| preview.failed.is_some())) {
            (PreviewMode::Text, true) => "template text",
            (PreviewMode::Text, false) => "difference",
            (PreviewMode::Difference | PreviewMode::Template, _) => "preview",
        }),
        Action::Back if state.open_window() == Some(WindowKind::Write) => Some("cancel"),
        Action::Back if state.window.is_some() && entry.name.starts_with("close ") => Some("close"),
        Action::Back if state.window.is_some() => Some(entry.name),
        // The panes' own key for the same action.
        Action::Back if state.view == View::Agents && entry.contexts.contains(&KeyContext::Global) => None,
        Action::Back if state.view == View::Agents => Some(match state.agents.page {
            AgentsPage::Sessions => entry.name,
            AgentsPage::Lines | AgentsPage::Known => AgentsPage::Sessions.word(),
        }),
        Action::Back if state.view == View::Graph => {
            Some(if state.graph.is_filtered() { "show all" } else { entry.name })
        }
        Action::Back if state.is_searched() => Some("end search"),
        Action::Back if state.in_feed() && !state.feed.filter.is_empty() => Some("show all"),
        Action::Back if state.is_feed_alone() && state.zoomed_from.is_some() => Some(entry.name),
        Action::Back if state.reads() && state.catalog.reading.opened_from.is_some() => Some(entry.name),
        Action::Back if state.part != PanePart::List => Some("to the list"),
        // If the next view is the matching sources, the key for that is labelled instead.
        Action::Back if state.shows_enriched() && state.focus == Pane::Hints => {
            Some("matching sources").filter(|_| state.hints.view.next() != HintsView::Matches)
        }
        Action::Back if state.is_filtered() => Some("show all"),
        Action::Back if state.is_request_focused() => Some("not now"),
        Action::Back if state.zoomed_from.is_some() => Some(entry.name),
        Action::Back => None,
        Action::Edit(TextEdit::LineUp) if state.hints.recalls_prompt() => Some("previous prompt"),
        Action::Edit(TextEdit::LineUp) => None,
        Action::ClearPrompt if state.typing.is_none() => None,
        Action::Accept if state.typing == Some(Typing::Prompt) && state.len(Pane::Hints) > 0 => {
            Some("to matching sources")
        }
        _ => Some(entry.name),
    }
}

/// What `Back` leaves in the view of databases; `None` for the panes' key.
fn databases_back(state: &State, entry: &ActionBinding) -> Option<&'static str> {
    let view = &state.databases;
    if entry.contexts.contains(&KeyContext::Global) {
        return None;
    }
    Some(match view.side {
        _ if view.run.is_writing() && !view.run.is_pausing() => "pause",
        DatabaseSide::Detail => "to the list",
        DatabaseSide::List if view.is_filtered() => "show all",
        DatabaseSide::List => entry.name,
    })
}
