//! A write that an agent asks you to approve: who asks, which file, warnings, the whole diff, and the keys to
//! answer. `requests` handles the answer.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::{
    DifferenceLayout, Titles, Window, WindowRows, centred, difference_layout, draw_frame, draw_scrolled, draw_text,
    summary_rows, text_columns, wide,
};
use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::scrolled;
use crate::tui::requests::{view, write_view};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::frame;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::WrappedText;
use refdesk_desk::channel::{Approval, ApprovalEffect};

pub struct ApprovalView;

impl Window for ApprovalView {
    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, 132), usize::from(body.height.saturating_sub(2).max(10)))
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: places(state).difference, len: state.requests.difference.len(), is_list: false }
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(places(state).keys)
    }

    fn offered_at_end(&self) -> Option<Action> {
        Some(Action::Approve)
    }

    /// Wraps the diff again if the request or the width has changed.
    fn after_input(&self, state: &mut State, _: &mut Vec<Effect>) {
        let Some(waiting) = state.request() else { return };
        let columns = text_columns(self.outer(state).width);
        let request = waiting.request.clone();
        let (is_same, is_changed) = match &state.requests.wrapped_for {
            Some((shown, before)) if Arc::ptr_eq(shown, &request) && *before == columns => return,
            Some((shown, _)) => (shown == &request, shown.request_id == request.request_id && shown != &request),
            None => (false, false),
        };
        let difference = write_view::difference(waiting, columns);
        let requests = &mut state.requests;
        (requests.difference, requests.wrapped_for) = (difference, Some((request, columns)));
        requests.has_changed = is_changed || (is_same && requests.has_changed);
        // Another difference is read from its beginning.
        if let Some(open) = state.window.as_mut().filter(|_| !is_same) {
            open.cursor = Cursor::default();
        }
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, places, text) = (self.outer(state), places(state), &state.requests.difference);
        let (theme, buffer) = (&state.skin.theme, frame.buffer_mut());
        let queue = state.snapshot.request_count();
        let note = if queue > 1 { format!("{} of {queue} requests", state.nth_request() + 1) } else { String::new() };
        let titles = Titles { title: "Approve this write?", note, ..Titles::default() };
        draw_frame(state, titles, ThemeRole::Warning, outer, buffer);
        draw_text(state, &summary(state), 0, places.summary, buffer);
        let window = Scroll { top: cursor.top }.window(text.len(), usize::from(places.difference.height));
        let caption = scrolled("difference", &window, text.len());
        frame::rule(&state.skin, places.rule, &caption, theme.style(ThemeRole::Infra), buffer);
        draw_scrolled(state, text, cursor.top, ThemeRole::Warning, places.difference, buffer);
        if effect(state) == Some(ApprovalEffect::Other) {
            buffer.set_style(places.keys, Style::new().add_modifier(Modifier::BOLD));
        }
    }
}

/// Who asks for what. If space is short, the effect and the file come first.
fn summary(state: &State) -> WrappedText {
    let outer = ApprovalView.outer(state);
    let (columns, rows) = (text_columns(outer.width), usize::from(summary_rows(layout::inner(outer), 0)));
    let Some(waiting) = state.request() else { return WrappedText::default() };
    let whole = view::head(state, waiting, columns, view::CONTEXT);
    if whole.len() <= rows { whole } else { view::brief_head(state, waiting, columns, rows) }
}

fn places(state: &State) -> DifferenceLayout {
    difference_layout(state, layout::inner(ApprovalView.outer(state)), 0, summary(state).len())
}

fn effect(state: &State) -> Option<ApprovalEffect> {
    state.request().and_then(|waiting| waiting.request.approval.as_ref()).map(Approval::effect)
}

/// The bottom line's label for approving.
pub fn verb(state: &State) -> &'static str {
    match effect(state) {
        Some(ApprovalEffect::New) => "yes, write a new file",
        Some(ApprovalEffect::Other) => "yes, OVERWRITE it",
        Some(ApprovalEffect::Same) => "yes, keep it as it is",
        Some(ApprovalEffect::Unknown) | None => "yes, write it",
    }
}
