//! One line to type: the path or address of a source to add. `refdesk add` does the rest, since it may have questions.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Handled, Titles, Window, WindowKind, centred, draw_frame, draw_text, paragraphs, text_columns};
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::{Effect, LentCommand};
use crate::tui::layout;
use crate::tui::pane_view::indented;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::prompt;

pub struct AddSource;

const COLUMNS: u16 = 72;

impl Window for AddSource {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::AddSource, KeyContext::Field, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, 6)
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        let inner = layout::inner(self.outer(state));
        Some(Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner })
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.new_source)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        state.new_source.text().trim().is_empty().then(|| "type a path or an address".to_owned())
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm => {}
            Action::Back if state.snapshot.catalog.is_empty() => {
                state.open(WindowKind::Welcome);
                return Handled::Consumed;
            }
            _ => return Handled::Ignored,
        }
        state.window = None;
        effects.push(Effect::Lend(LentCommand::Add(state.new_source.text().trim().to_owned())));
        Handled::Consumed
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let (outer, role, theme) = (self.outer(state), ThemeRole::Catalog, &state.skin.theme);
        let inner = layout::inner(outer);
        draw_frame(state, Titles { title: "Add a file", ..Titles::default() }, role, outer, frame.buffer_mut());
        let about = "A path, from the root of the workspace, or an address:";
        let text = paragraphs([(about, ThemeRole::Infra)], text_columns(outer.width));
        draw_text(state, &text, 0, inner, frame.buffer_mut());
        let line = indented(Rect { y: inner.y + 1, height: inner.height.min(1), ..inner });
        if line.width > 4 && inner.height > 1 {
            let field = &state.new_source;
            let at = prompt::draw(
                field.text(),
                field.cursor(),
                &[],
                theme.style(ThemeRole::Strong),
                line,
                frame.buffer_mut(),
            );
            frame.set_cursor_position(at);
        }
    }
}

pub fn open(state: &mut State) {
    state.new_source = TextField::default();
    state.typing = None;
    state.open(WindowKind::AddSource);
}
