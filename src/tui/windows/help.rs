//! The help: the keys of the focused pane, the keys that work everywhere, and what the marks mean.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Titles, Window, WindowRows, centred, draw_frame, visible_lines};
use crate::tui::action::{ACTIONS, KeyContext};
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::pane_view::draw_lines;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::{cells, frame};
use refdesk_core::selection::SelectionState;

pub struct Help;

const COLUMNS: u16 = 84;
const KEYS: usize = 16;

impl Window for Help {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Window, KeyContext::List, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, lines(state).len() + 2)
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: layout::inner(self.outer(state)), len: lines(state).len(), is_list: false }
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, lines, role) = (self.outer(state), lines(state), state.focus.role());
        let (inner, buffer) = (layout::inner(outer), frame.buffer_mut());
        let note = contexts(state).first().map_or(String::new(), |context| context.title().to_owned());
        let place = visible_lines(cursor.top, lines.len(), inner);
        draw_frame(state, Titles { title: "Help", note, place }, role, outer, buffer);
        let window = Scroll { top: cursor.top }.window(lines.len(), usize::from(inner.height));
        draw_lines(lines.get(window.clone()).unwrap_or_default(), inner, buffer);
        frame::scrollbar(&state.skin, inner, lines.len(), window.start, state.skin.theme.style(role), buffer);
    }
}

fn contexts(state: &State) -> Vec<KeyContext> {
    let feed = [KeyContext::Feed, KeyContext::FeedFilter];
    let here = if state.at_request() { KeyContext::Request } else { KeyContext::Pane(state.focus) };
    let pane = [here, KeyContext::Global, KeyContext::List, KeyContext::Always];
    let mut contexts = if state.in_feed() { [&feed[..], &pane].concat() } else { pane.to_vec() };
    match state.focus {
        Pane::Catalog => {
            contexts.extend([KeyContext::Details, KeyContext::Filter, KeyContext::Search, KeyContext::Field]);
        }
        Pane::Hints => {
            contexts.extend(feed.into_iter().filter(|_| !state.in_feed()));
            contexts.extend([KeyContext::Prompt, KeyContext::Field]);
        }
        Pane::Templates => contexts.extend([
            KeyContext::Values,
            KeyContext::Value,
            KeyContext::TemplateFilter,
            KeyContext::Write,
            KeyContext::Field,
        ]),
        Pane::Selection if state.at_request() => {
            // The keys that answer come first, because users look for them here.
            contexts.insert(1, KeyContext::Approval);
            contexts.extend([KeyContext::RequestFilter, KeyContext::Field]);
        }
        Pane::Selection => {}
    }
    contexts
}

fn lines(state: &State) -> Vec<Line<'static>> {
    let columns = usize::from(COLUMNS.min(state.layout().body.width)).saturating_sub(4);
    let (theme, glyphs) = (&state.skin.theme, &state.skin.glyphs);
    let heading = |text: &str| Line::from(Span::styled(text.to_owned(), theme.style(ThemeRole::Strong)));
    let entry = |left: String, role, text: &str| {
        let text = cells::clip(text, columns.saturating_sub(KEYS), glyphs.ellipsis).into_owned();
        Line::from(vec![Span::styled(left, theme.style(role)), Span::styled(text, theme.style(ThemeRole::Text))])
    };
    let mut lines = Vec::new();
    for context in contexts(state) {
        lines.push(heading(context.title()));
        for binding in ACTIONS.iter().filter(|binding| binding.contexts.contains(&context)) {
            let keys = cells::pad(&state.keymap.shown(binding, &[context]), KEYS - 1, glyphs.ellipsis) + " ";
            lines.push(entry(keys, ThemeRole::Catalog, binding.description));
        }
        lines.push(Line::default());
    }
    lines.push(heading("Marks"));
    for standing in SelectionState::ALL {
        let mark = cells::pad(glyphs.mark(standing), KEYS, glyphs.ellipsis);
        lines.push(entry(mark, ThemeRole::Text, standing.words()));
    }
    lines
}
