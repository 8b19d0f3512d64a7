//! Requests from agents: which one is shown, its marks, and what the marked sources would add.

pub mod choice_view;
pub mod disabled;
pub mod update;
pub mod view;
pub mod write_view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::WrappedText;
use refdesk_desk::SelectionChange;
use refdesk_desk::channel::Request;
use refdesk_desk::engine::{RequestEnd, WaitingRequest};

use crate::tui::pane::Pane;
use crate::tui::places::Place;
use crate::tui::state::{Lookup, State};

#[derive(Debug, Clone, Default)]
pub struct RequestsPane {
    /// The id of the request that is shown, or would be if it were not put aside.
    pub current: Option<String>,
    /// Whether it is shown in place of the selection.
    pub place: RequestPlacement,
    pub cursor: Cursor,
    /// Indices of the offered sources that match the filter.
    pub rows: Vec<usize>,
    pub filter: TextField,
    /// The marks, by request id.
    pub marks: BTreeMap<String, BTreeSet<String>>,
    /// Incremented by every change of marks.
    pub marked: u64,
    pub scroll: Scroll,
    /// What the row under the cursor and all marks would add if picked.
    pub preview: Lookup<MarksPreview>,
    pub line: RequestNews,
    /// The place that had the focus before the request was opened.
    pub opened_from: Option<Place>,
    /// The request that was just answered, until the snapshot drops it.
    pub sent: Option<String>,
    /// How requests ended that the snapshot still lists. Events and snapshots can arrive in either order.
    pub over: BTreeMap<String, RequestEnd>,
    /// A request that ended while it was focused. It stays until a key closes it, so that a key meant for it
    /// has no other effect.
    pub ended: Option<EndedRequest>,
    /// The diff of the write to approve, wrapped.
    pub difference: WrappedText,
    /// The request and width that it was wrapped for.
    pub wrapped_for: Option<(Arc<Request>, usize)>,
    /// Whether the write changed while it was shown, so that the next key was meant for another.
    pub has_changed: bool,
}

/// What the selection pane shows while there are requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestPlacement {
    #[default]
    Shown,
    /// The request after the one just answered. Keys meant for the previous one must not answer it.
    Next,
    /// The selection: the request was put aside, or arrived while the selection was focused.
    Aside,
}

/// A request that ended without an answer from this screen.
#[derive(Debug, Clone)]
pub struct EndedRequest {
    pub waiting: WaitingRequest,
    /// How it ended, once known.
    pub how: Option<RequestEnd>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarksPreview {
    /// The effect of picking the row under the cursor.
    pub one: SelectionChange,
    pub all: SelectionChange,
}

impl State {
    /// The request that is shown, or would be if it were not put aside.
    pub fn request(&self) -> Option<&WaitingRequest> {
        if let Some(gone) = &self.requests.ended {
            return Some(&gone.waiting);
        }
        let current = self.requests.current.as_deref()?;
        self.snapshot.requests.iter().find(|waiting| waiting.request.request_id == current)
    }

    /// The request shown in place of the selection.
    pub fn shown_request(&self) -> Option<&WaitingRequest> {
        self.request().filter(|_| self.requests.place != RequestPlacement::Aside)
    }

    /// Whether the request shown is a write to approve.
    pub fn shows_write(&self) -> bool {
        self.shown_request().is_some_and(|waiting| waiting.request.approval.is_some())
    }

    /// Its index among the waiting requests.
    pub fn nth_request(&self) -> usize {
        let current = self.requests.current.as_deref();
        let mut waiting = self.snapshot.requests.iter();
        waiting.position(|waiting| Some(waiting.request.request_id.as_str()) == current).unwrap_or(0)
    }

    pub fn marks(&self) -> Option<&BTreeSet<String>> {
        self.requests.marks.get(self.requests.current.as_deref()?)
    }

    /// Whether the pane of a request is focused, even if it ignores keys.
    pub fn is_request_focused(&self) -> bool {
        self.focus == Pane::Selection && self.shown_request().is_some()
    }

    pub fn in_request(&self) -> bool {
        self.is_request_focused() && self.requests.place == RequestPlacement::Shown && self.requests.ended.is_none()
    }

    /// Whether the request shown here follows one that was answered, and takes no keys yet.
    pub fn is_before_request(&self) -> bool {
        self.is_request_focused() && self.requests.place == RequestPlacement::Next && self.requests.ended.is_none()
    }

    /// The ended request, if the next key closes it.
    pub fn ended_request(&self) -> Option<&EndedRequest> {
        let is_next = self.window.is_none() && self.is_request_focused();
        self.requests.ended.as_ref().filter(|_| is_next)
    }
}

/// What the bottom line reports about requests.
#[derive(Debug, Clone, Default)]
pub struct RequestNews {
    pub result: Option<String>,
    /// The id and announcement of a new request.
    pub news: Option<(String, String)>,
    /// Both, as shown.
    pub shown_text: Option<String>,
}
