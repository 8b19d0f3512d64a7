//! What the screen remembers of who asks for something: which request is shown, what is marked in it, and what is known of
//! what that would bring.

use std::collections::{BTreeMap, BTreeSet};

use crate::desk::Follows;
use crate::engine::Waiting;
use crate::tui::field::TextField;
use crate::tui::motion::{Cursor, Scroll};
use crate::tui::widgets::page::Page;

use super::{Asked, State};

/// What is remembered of the requests.
#[derive(Debug, Clone, Default)]
pub struct Requests {
    /// The id of the one that is shown, or would be.
    pub current: Option<String>,
    /// Whether it has the place of the selection.
    pub place: Place,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Positions of what is offered and the filter keeps.
    pub rows: Vec<usize>,
    /// The filter as typed.
    pub filter: TextField,
    /// What is marked, by the id of its request.
    pub marks: BTreeMap<String, BTreeSet<String>>,
    /// Grows with every mark: what was computed of others is old.
    pub marked: u64,
    /// Of the details.
    pub scroll: Scroll,
    /// What picking the row under the cursor would bring, and what all that is marked would.
    pub outlook: Asked<Brings>,
    /// The request that was answered, until it is gone.
    pub sent: Option<String>,
    /// The difference of the write that a yes is asked for, as a page.
    pub page: Page,
    /// The request and the width that the page was made for.
    pub paged: Option<(String, u16)>,
}

/// Who has the place of the selection pane while somebody asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// The request.
    #[default]
    Shown,
    /// The selection: the request was put aside, or came while keys went to that.
    Aside,
}

/// What marks would bring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brings {
    /// Picking the row under the cursor.
    pub one: Follows,
    /// Picking all that is marked.
    pub all: Follows,
}

impl State {
    /// The request that is shown, or would be.
    pub fn request(&self) -> Option<&Waiting> {
        let current = self.requests.current.as_deref()?;
        self.snapshot.requests.iter().find(|waiting| waiting.request.request_id == current)
    }

    /// The request that has the place of the selection.
    pub fn shown_request(&self) -> Option<&Waiting> {
        self.request().filter(|_| self.requests.place == Place::Shown)
    }

    /// Where it stands among those that wait, from 0.
    pub fn nth_request(&self) -> usize {
        let current = self.requests.current.as_deref();
        let mut waiting = self.snapshot.requests.iter();
        waiting.position(|waiting| Some(waiting.request.request_id.as_str()) == current).unwrap_or(0)
    }

    /// What is marked in the request that is shown.
    pub fn marks(&self) -> Option<&BTreeSet<String>> {
        self.requests.marks.get(self.requests.current.as_deref()?)
    }

    /// Whether keys go to a request.
    pub fn in_request(&self) -> bool {
        self.focus == super::Pane::Selection && self.shown_request().is_some()
    }
}
