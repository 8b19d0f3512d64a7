//! The total cost of selection, instructions and prompt, against a limit that the user can set.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{
    Handled, Titles, Window, WindowKind, WindowRows, centred, draw_frame, draw_scrolled, paragraphs, text_and_keys,
    text_columns,
};
use crate::common::budget::{limit_in_words, limit_of, parse_limit, percent, short};
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::indented;
use crate::tui::state::{Lookup, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::{cells, prompt};
use refdesk_desk::Price;
use refdesk_desk::engine::Request;

pub struct BudgetView;

const COLUMNS: u16 = 60;

const ALL_TEXTS: &str = "selected and auto sources";
const WITHOUT_INLINE_TEXTS: &str = "selected and auto sources, except inline texts";
const INSTRUCTIONS_IN_FULL: &str = "the instructions, with inline texts in full";
const INSTRUCTIONS: &str = "the instructions";

/// The typed limit, and the requested price.
#[derive(Debug, Clone, Default)]
pub struct BudgetWindow {
    pub limit: TextField,
    pub price: Lookup<Price>,
}

impl Window for BudgetView {
    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, text(state).len() + 5)
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: field_and_text(state).1, len: text(state).len(), is_list: false }
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(text_and_keys(state, layout::inner(self.outer(state))).1)
    }

    fn shows_why(&self, _: &State) -> bool {
        true
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.budget.limit)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        let typed = state.budget.limit.text();
        parse_limit(typed).is_none().then(|| "type a number of tokens, such as 128k, 200000 or 1m".to_owned())
    }

    fn confirm(&self, state: &mut State, _: &mut Vec<Effect>) -> Handled {
        state.window = None;
        if let Some(limit) = parse_limit(state.budget.limit.text()) {
            state.token_limit = Some(limit);
            state.note(format!("the limit is {}", limit_in_words(limit)));
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, theme, role) = (self.outer(state), &state.skin.theme, ThemeRole::Selection);
        draw_frame(state, Titles { title: "Budget", ..Titles::default() }, role, outer, frame.buffer_mut());
        let (line, below) = field_and_text(state);
        draw_scrolled(state, &text(state), cursor.top, role, below, frame.buffer_mut());
        if let Some(why_not) = self.disabled(state) {
            // In the blank line above the keys, or over the end of a text that fills the window.
            let place = indented(Rect { y: below.bottom().saturating_sub(1), height: 1, ..below });
            let columns = usize::from(place.width);
            let why_not = cells::clip(&cells::sentence(&why_not), columns, state.skin.glyphs.ellipsis).into_owned();
            let why_not = format!("{why_not:columns$}");
            frame.buffer_mut().set_stringn(place.x, place.y, why_not, columns, theme.style(ThemeRole::Error));
        }
        if line.width <= 12 || line.height == 0 {
            return;
        }
        let line = indented(line);
        frame.buffer_mut().set_stringn(line.x, line.y, "Limit", 5, theme.style(ThemeRole::Infra));
        let place = Rect { x: line.x + 6, width: line.width - 6, ..line };
        let (field, strong) = (&state.budget.limit, theme.style(ThemeRole::Strong));
        let at =
            prompt::draw(field.text(), field.cursor(), &[], prompt::style(field, strong), place, frame.buffer_mut());
        frame.set_cursor_position(at);
    }
}

/// Opens the window, and asks for the price of the current prompt.
pub fn open(state: &mut State, effects: &mut Vec<Effect>) {
    let limit = short(limit_of(state.token_limit));
    state.budget.limit = TextField::proposing(&limit);
    state.budget.price = Lookup::default();
    let prompt: Arc<str> = state.hints.prompt.text().into();
    state.budget.price.ask(Some((&prompt, state.snapshot.generation)));
    effects.push(Effect::Ask(Request::Price(prompt)));
    state.typing = None;
    state.open(WindowKind::Budget);
}

/// The rows of the field and of the text below it. Below the text, the field would be cut off in a low terminal.
fn field_and_text(state: &State) -> (Rect, Rect) {
    let (inner, _) = text_and_keys(state, layout::inner(BudgetView.outer(state)));
    layout::split_rows(inner, 1)
}

fn text(state: &State) -> WrappedText {
    let columns = text_columns(COLUMNS.min(state.layout().body.width));
    let (all, limit) = (state.counts.tokens, limit_of(state.token_limit));
    let share = |all: u64| format!("{} of {}", percent(all, limit), short(limit));
    let role = |all: u64| if all > limit { ThemeRole::Error } else { ThemeRole::Strong };
    let figures = cells::tokens(all).len();
    let line = |tokens: u64, what: &str| format!("{:>figures$}  {what}", cells::tokens(tokens));
    let instructions = state.snapshot.instructions;
    let mut lines = Vec::new();
    if instructions == 0 && (state.snapshot.loading.is_some() || !state.is_open()) {
        lines.push(("The cost of the instructions is being computed.".to_owned(), ThemeRole::Infra));
        lines.push((line(all, ALL_TEXTS), ThemeRole::Text));
    } else {
        // The instructions contain inline sources in full, which must not be counted twice.
        let beside = state.snapshot.tokens_outside_instructions(instructions);
        let has_inline = beside < state.snapshot.source_tokens();
        let [others, full] =
            if has_inline { [WITHOUT_INLINE_TEXTS, INSTRUCTIONS_IN_FULL] } else { [ALL_TEXTS, INSTRUCTIONS] };
        let over = if all > limit { "over the limit" } else { "together" };
        lines.push((line(all, &format!("{over}, {}", share(all))), role(all)));
        lines.push((line(beside, others), ThemeRole::Text));
        lines.push((line(instructions, full), ThemeRole::Text));
    }
    if let Some(price) = state.budget.price.answer.as_ref().filter(|_| !state.hints.prompt.text().trim().is_empty()) {
        let with = all.saturating_add(price.prompt);
        lines.push((line(price.prompt, "more for the prompt, with what it adds"), ThemeRole::Text));
        lines.push((line(with, &format!("with the prompt, {}", share(with))), role(with)));
    }
    paragraphs(lines, columns)
}
