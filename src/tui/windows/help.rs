//! The help: what the marks mean, the keys of the focused pane, and the keys that work everywhere. A search
//! line filters the entries.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Handled, Titles, Window, WindowKind, WindowRows, centred, draw_frame, visible_lines};
use crate::tui::action::{ACTIONS, Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::pane_view::draw_lines;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::views::View;
use crate::tui::widgets::field::{TextEdit, TextField};
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::{cells, frame};
use refdesk_core::selection::SelectionState;
use refdesk_desk::AgentPresence;

/// The help; whether its lines or its search line receive keys.
pub struct Help {
    is_typed: bool,
}

pub const KEYS: Help = Help { is_typed: false };
pub const LINE: Help = Help { is_typed: true };

/// Maximum width; most descriptions fit in one line.
const COLUMNS: u16 = 110;
const KEY_COLUMNS: usize = 16;

impl Window for Help {
    /// As large as for all keys, so that it does not move while the user types.
    fn outer(&self, state: &State) -> Rect {
        let head = usize::from(self.has_line(state));
        centred(state.layout().body, COLUMNS, lines(state, "").len() + head + 2)
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: self.places(state).1, len: lines(state, state.help.text()).len(), is_list: false }
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        self.is_typed.then_some(&mut state.help)
    }

    fn field_changed(&self, state: &mut State) {
        state.replace_window(WindowKind::HelpFilter);
    }

    fn update(&self, state: &mut State, action: Action, _: &mut Vec<Effect>) -> Handled {
        match (action, self.is_typed) {
            (Action::Help, _) => state.window = state.covered.pop(),
            (Action::FilterHelp, false) => state.replace_window(WindowKind::HelpFilter),
            (Action::Confirm, true) => state.replace_window(WindowKind::Help),
            (Action::Back, true) => {
                state.help.clear();
                state.replace_window(WindowKind::Help);
            }
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, lines, role) = (self.outer(state), lines(state, state.help.text()), state.focus.role());
        let (head, inner) = self.places(state);
        let buffer = frame.buffer_mut();
        let note = contexts(state).first().map_or(String::new(), |context| context.title().to_owned());
        let place = visible_lines(cursor.top, lines.len(), inner);
        draw_frame(state, Titles { title: "Help", note, place }, role, outer, buffer);
        let window = Scroll { top: cursor.top }.window(lines.len(), usize::from(inner.height));
        draw_lines(lines.get(window.clone()).unwrap_or_default(), inner, buffer);
        if lines.is_empty() && !inner.is_empty() {
            let delete = state.key_in(KeyContext::Field, Action::Edit(TextEdit::DeleteToStart));
            let sentence = format!("No key matches these words. {delete} deletes what you typed.");
            let grey = state.skin.theme.style(ThemeRole::Infra);
            buffer.set_stringn(inner.x + 1, inner.y, sentence, usize::from(inner.width).saturating_sub(1), grey);
        }
        frame::scrollbar(&state.skin, inner, lines.len(), window.start, state.skin.theme.style(role), buffer);
        if !head.is_empty() {
            let kept = (count(&lines), count(&all(state)));
            let line = FilterLine { filter: &state.help, typing: self.is_typed, fault: None, kept, role };
            line.draw(&state.skin, head, frame);
        }
    }
}

impl Help {
    fn has_line(&self, state: &State) -> bool {
        self.is_typed || !state.help.is_empty()
    }

    /// The search line, if it is open, and the rest.
    fn places(&self, state: &State) -> (Rect, Rect) {
        let inner = layout::inner(self.outer(state));
        layout::split_rows(inner, u16::from(self.has_line(state)))
    }
}

/// Opens the help without a filter.
pub fn open(state: &mut State) {
    state.help.clear();
    state.open_above(WindowKind::Help);
}

fn all(state: &State) -> Vec<Line<'static>> {
    lines(state, "")
}

/// The number of entries: lines that are neither headings nor blank.
fn count(lines: &[Line<'static>]) -> usize {
    lines.iter().filter(|line| line.spans.len() > 1).count()
}

/// The contexts whose keys are listed: those of the window below the help, or else those of the focused pane.
fn contexts(state: &State) -> Vec<KeyContext> {
    if let Some(below) = state.covered.last() {
        return below.kind.contexts();
    }
    let feed = [KeyContext::Feed, KeyContext::Filter];
    let here = if state.is_request_focused() { KeyContext::Request } else { KeyContext::Pane(state.focus) };
    let pane = [here, KeyContext::Global, KeyContext::List, KeyContext::Always];
    if let Some(view) = state.view.key_context() {
        let keys = [view, KeyContext::Global, KeyContext::List, KeyContext::Always];
        let more: &[KeyContext] = match state.view {
            View::Graph => &[KeyContext::Filter, KeyContext::Field],
            View::Databases => &[KeyContext::Filter, KeyContext::Field, KeyContext::Documentation],
            View::Panes | View::Agents => &[],
        };
        return [&keys[..], more].concat();
    }
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
            KeyContext::Filter,
            KeyContext::Write,
            KeyContext::Field,
        ]),
        Pane::Selection => {
            // The keys that answer come first, because users look for them here.
            if state.is_request_focused() {
                contexts.insert(1, KeyContext::Approval);
            }
            contexts.extend([KeyContext::Filter, KeyContext::Field]);
        }
    }
    contexts
}

/// The legend of the marks, then the keys by context; with search words, only entries that contain all of them.
fn lines(state: &State, words: &str) -> Vec<Line<'static>> {
    let columns = usize::from(COLUMNS.min(state.layout().body.width)).saturating_sub(4);
    let (theme, glyphs) = (&state.skin.theme, &state.skin.glyphs);
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let has_words = |texts: [&str; 4]| {
        let all = texts.join(" ").to_lowercase();
        words.iter().all(|word| all.contains(word))
    };
    // A long description continues in lines of one span, aligned with its start.
    let entry = |left: &str, role, text: &str| {
        let left = cells::pad(left, KEY_COLUMNS - 1, glyphs.ellipsis) + " ";
        let mut parts = cells::wrap(text, columns.saturating_sub(KEY_COLUMNS).max(1)).into_iter();
        let style = theme.style(ThemeRole::Text);
        let first = Span::styled(parts.next().unwrap_or_default(), style);
        let mut lines = vec![Line::from(vec![Span::styled(left, theme.style(role)), first])];
        lines.extend(parts.map(|part| Line::from(Span::styled(" ".repeat(KEY_COLUMNS) + &part, style))));
        lines
    };
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut add = |title: &str, entries: Vec<Line<'static>>| {
        if entries.is_empty() {
            return;
        }
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::from(Span::styled(title.to_owned(), theme.style(ThemeRole::Strong))));
        lines.extend(entries);
    };
    let marks = SelectionState::ALL.into_iter().filter(|it| has_words(["Marks", glyphs.mark(*it), it.words(), ""]));
    add("Marks", marks.flat_map(|it| entry(glyphs.mark(it), ThemeRole::Text, it.words())).collect());
    let mut legend = |title: &str, marks: &[(&str, &str)]| {
        let found = marks.iter().filter(|(mark, words)| has_words([title, mark, words, ""]));
        add(title, found.flat_map(|(mark, words)| entry(mark, ThemeRole::Text, words)).collect());
    };
    if state.view == View::Agents {
        legend("Marks of sessions", &AgentPresence::MARKED.map(|it| (glyphs.presence(it), it.words())));
    }
    if state.view == View::Databases {
        let of_tables = [
            (glyphs.documented, "has a page"),
            (glyphs.undocumented, "has no page"),
            (glyphs.stale, "changed since its page was written"),
            (glyphs.problem, "its page could not be written"),
        ];
        legend("Marks of tables", &of_tables);
    }
    let mut own_keys: Vec<String> = Vec::new();
    for context in contexts(state) {
        let here = ACTIONS.iter().filter(|binding| binding.contexts.contains(&context));
        let keyed = here.map(|binding| (binding, state.keymap.shown(binding, &[context])));
        // What a window binds itself, it does not have from all windows.
        let is_own = |keys: &str| keys.split(' ').all(|key| own_keys.iter().any(|own| own == key));
        let keyed: Vec<_> = keyed.filter(|(_, keys)| context != KeyContext::Window || !is_own(keys)).collect();
        own_keys.extend(keyed.iter().flat_map(|(_, keys)| keys.split(' ').map(str::to_owned)));
        let found = keyed.into_iter().filter(|(it, keys)| has_words([context.title(), keys, it.name, it.description]));
        add(context.title(), found.flat_map(|(it, keys)| entry(&keys, ThemeRole::Catalog, it.description)).collect());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture;

    #[test]
    fn no_description_is_cut() {
        for columns in [40, 80, 200] {
            let state = fixture::state(columns, 24);
            let words: Vec<String> = lines(&state, "").iter().map(Line::to_string).collect();
            let help = words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            for binding in ACTIONS.iter().filter(|it| contexts(&state).iter().any(|here| it.contexts.contains(here))) {
                assert!(help.contains(binding.description), "{columns}: {}", binding.description);
            }
            assert!(words.iter().all(|line| cells::width(line) <= usize::from(columns)), "{columns}");
        }
    }
}
