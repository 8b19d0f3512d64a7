//! What the selection, the instructions and the prompt cost together, against a limit to set.

use std::sync::Arc;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{
    Handled, Titles, Window, WindowKind, centred, draw_frame, draw_text, paragraphs, text_and_keys, text_columns,
};
use crate::tui::action::{Action, KeyContext};
use crate::tui::budget::{limit_of, parse_limit, percent, short};
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::pane_view::indented;
use crate::tui::state::{Lookup, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::{cells, prompt};
use refdesk_core::catalog::{Mode, SourceKind};
use refdesk_desk::Price;
use refdesk_desk::engine::Request;

pub struct BudgetView;

const COLUMNS: u16 = 60;

const INSTRUCTIONS: &str = "the instructions, with auto texts in full";

/// What was typed as the limit, and the price that was asked for.
#[derive(Debug, Clone, Default)]
pub struct BudgetWindow {
    pub limit: TextField,
    pub price: Lookup<Price>,
}

impl Window for BudgetView {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Budget, KeyContext::Field, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, text(state).len() + 5)
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(text_and_keys(layout::inner(self.outer(state))).1)
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.budget.limit)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        let typed = state.budget.limit.text();
        parse_limit(typed).is_none().then(|| "type a number of tokens, such as 128k, 200000 or 1m".to_owned())
    }

    fn update(&self, state: &mut State, action: Action, _: &mut Vec<Effect>) -> Handled {
        if action != Action::Confirm {
            return Handled::Ignored;
        }
        state.window = None;
        if let Some(limit) = parse_limit(state.budget.limit.text()) {
            state.remembered.token_limit = Some(limit);
            state.note(format!("the limit is {} tokens", short(limit)));
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let (outer, theme) = (self.outer(state), &state.skin.theme);
        let inner = text_and_keys(layout::inner(outer)).0;
        let text = text(state);
        draw_frame(
            state,
            Titles { title: "Budget", ..Titles::default() },
            ThemeRole::Selection,
            outer,
            frame.buffer_mut(),
        );
        // The field comes first: below the text it would be cut in a low terminal.
        let line = Rect { height: inner.height.min(1), ..inner };
        let below = Rect { y: line.bottom(), height: inner.height - line.height, ..inner };
        draw_text(state, &text, 0, below, frame.buffer_mut());
        if line.width <= 12 || line.height == 0 {
            return;
        }
        let line = indented(line);
        frame.buffer_mut().set_stringn(line.x, line.y, "Limit", 5, theme.style(ThemeRole::Infra));
        let place = Rect { x: line.x + 6, width: line.width - 6, ..line };
        let (field, strong) = (&state.budget.limit, theme.style(ThemeRole::Strong));
        let at = prompt::draw(field.text(), field.cursor(), &[], strong, place, frame.buffer_mut());
        frame.set_cursor_position(at);
    }
}

/// Opens the window, and asks for the price of the prompt as it is typed now.
pub fn open(state: &mut State, effects: &mut Vec<Effect>) {
    let limit = short(limit_of(state));
    state.budget.limit.clear();
    state.budget.limit.insert(&limit);
    state.budget.price = Lookup::default();
    let prompt: Arc<str> = state.hints.prompt.text().into();
    state.budget.price.ask(Some((&prompt, state.snapshot.generation)));
    effects.push(Effect::Ask(Request::Price(prompt)));
    state.typing = None;
    state.open(WindowKind::Budget);
}

/// The tokens of auto sources that are texts themselves.
fn inline_autos(state: &State) -> u64 {
    let sources = state.snapshot.catalog.sources().iter();
    let inline = sources.filter(|it| it.mode == Mode::Auto && matches!(it.kind, SourceKind::Inline { .. }));
    inline.filter_map(|it| state.snapshot.tokens.get(it.id.as_str())).sum()
}

fn text(state: &State) -> WrappedText {
    let columns = text_columns(COLUMNS.min(state.layout().body.width));
    let inline = inline_autos(state);
    let selection = state.counts.tokens;
    let limit = limit_of(state);
    let price = state.budget.price.answer.as_ref();
    // The instructions have the texts of inline sources in full, which must not count twice.
    let mut parts = match price {
        Some(_) if inline > 0 => vec![(selection.saturating_sub(inline), "the selection and other auto sources")],
        _ => vec![(selection, "the selection and auto sources")],
    };
    if let Some(price) = price {
        parts.push((price.instructions, if inline > 0 { INSTRUCTIONS } else { "the instructions of a session" }));
        if !state.hints.prompt.text().trim().is_empty() {
            parts.push((price.prompt, "the prompt, with what it adds"));
        }
    }
    let all = parts.iter().fold(0u64, |sum, (tokens, _)| sum.saturating_add(*tokens));
    let (role, share) =
        if all > limit { (ThemeRole::Error, "over the limit") } else { (ThemeRole::Strong, "together") };
    let together = format!("{share}, {} % of {}", percent(all, limit), short(limit));
    let figures = cells::tokens(all).len();
    let line = |tokens: u64, what: &str| format!("{:>figures$}  {what}", cells::tokens(tokens));
    let mut lines = match price {
        Some(_) => vec![(line(all, &together), role)],
        None => vec![("The price of the instructions is being computed.".to_owned(), ThemeRole::Infra)],
    };
    lines.extend(parts.into_iter().map(|(tokens, what)| (line(tokens, what), ThemeRole::Text)));
    paragraphs(lines.iter().map(|(text, role)| (text.as_str(), *role)), columns)
}
