//! The help: every key of the pane one is in, then those that count everywhere, then what the marks mean; all from the
//! table of actions.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::selection::Standing;
use crate::tui::action::{ACTIONS, KeyContext};
use crate::tui::layout;
use crate::tui::motion::Scroll;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::row::Active;

use super::{centred, clear};

const KEYS: usize = 16;

/// The window.
pub fn outer(state: &State) -> Rect {
    let rows = u16::try_from(len(state) + 2).unwrap_or(u16::MAX);
    centred(state.layout().body, 84, rows)
}

/// Where its lines go.
pub fn text(state: &State) -> Rect {
    layout::inner(outer(state))
}

/// How many lines there are.
pub fn len(state: &State) -> usize {
    let entries = |context: &KeyContext| ACTIONS.iter().filter(|entry| entry.contexts.contains(context)).count() + 2;
    contexts(state).iter().map(entries).sum::<usize>() + 1 + Standing::ALL.len()
}

fn contexts(state: &State) -> Vec<KeyContext> {
    let feed = [KeyContext::Feed, KeyContext::FeedFilter];
    let here = if state.at_request() { KeyContext::Request } else { KeyContext::Pane(state.focus) };
    let pane = [here, KeyContext::Global, KeyContext::List, KeyContext::Always];
    let mut contexts: Vec<KeyContext> = if state.in_feed() { [&feed[..], &pane].concat() } else { pane.to_vec() };
    match state.focus {
        Pane::Catalog => {
            contexts.extend([KeyContext::Details, KeyContext::Filter, KeyContext::Search, KeyContext::Field])
        }
        Pane::Hints => {
            contexts.extend(feed.into_iter().filter(|_| !state.in_feed()));
            contexts.extend([KeyContext::Prompt, KeyContext::Field]);
        }
        Pane::Templates => {
            contexts.extend([
                KeyContext::Values,
                KeyContext::Value,
                KeyContext::TemplateFilter,
                KeyContext::Write,
                KeyContext::Field,
            ]);
        }
        Pane::Selection if state.at_request() => {
            // What answers stands first: it is what one looks for here.
            contexts.insert(1, KeyContext::Approval);
            contexts.extend([KeyContext::RequestFilter, KeyContext::Field]);
        }
        Pane::Selection => {}
    }
    contexts
}

/// Draws the window.
pub fn draw(state: &State, scroll: Scroll, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let inner = layout::inner(outer);
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let lines = lines(state, usize::from(inner.width).saturating_sub(2));
    let window = scroll.window(lines.len(), usize::from(inner.height));
    let shown = if window.len() < lines.len() {
        format!("{}-{} of {}", window.start + 1, window.end, lines.len())
    } else {
        String::new()
    };
    PaneBorder {
        title: "Help",
        note: match contexts(state).first() {
            Some(context) => context.title().to_owned(),
            None => String::new(),
        },
        place: shown,
        role: state.focus.role(),
        active: Active::Yes,
    }
    .draw(&state.skin, outer, buffer);
    for (nth, line) in lines.get(window.clone()).unwrap_or_default().iter().enumerate() {
        let row = Rect {
            y: inner.y + u16::try_from(nth).unwrap_or(0),
            height: 1,
            x: inner.x + 1,
            width: inner.width.saturating_sub(2),
        };
        buffer.set_line(row.x, row.y, line, row.width);
    }
    let style = state.skin.theme.style(state.focus.role());
    frame::scrollbar(&state.skin, inner, lines.len(), window.start, style, buffer);
}

fn lines(state: &State, columns: usize) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let ellipsis = state.skin.glyphs.ellipsis;
    let heading = |text: &str| Line::from(Span::styled(text.to_owned(), theme.style(ThemeRole::Strong)));
    let told = |left: Span<'static>, text: &str| {
        let text = cells::clip(text, columns.saturating_sub(KEYS), ellipsis).into_owned();
        Line::from(vec![left, Span::styled(text, theme.style(ThemeRole::Text))])
    };
    let mut lines = Vec::new();
    for context in contexts(state) {
        lines.push(heading(context.title()));
        for entry in ACTIONS.iter().filter(|entry| entry.contexts.contains(&context)) {
            let keys = cells::pad(&entry.keys.join(" "), KEYS - 1, ellipsis) + " ";
            lines.push(told(Span::styled(keys, theme.style(ThemeRole::Catalog)), entry.description));
        }
        lines.push(Line::default());
    }
    lines.push(heading("Marks"));
    for standing in Standing::ALL {
        let shown = cells::pad(state.skin.glyphs.mark(standing), KEYS, ellipsis);
        lines.push(told(Span::styled(shown, theme.style(ThemeRole::Text)), standing.words()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::tui::fixture;

    use super::*;

    #[test]
    fn its_length_is_known_without_writing_it() {
        for pane in Pane::ALL {
            let mut state = fixture::state(80, 24);
            state.focus = pane;
            assert_eq!(lines(&state, 60).len(), len(&state), "{pane:?}");
        }
        let mut state = fixture::state(80, 24);
        crate::tui::tests::press(&mut state, "f ?");
        assert_eq!(lines(&state, 60).len(), len(&state), "the feed");
        assert_eq!(lines(&state, 60).first().map(Line::to_string).as_deref(), Some(KeyContext::Feed.title()));
    }
}
