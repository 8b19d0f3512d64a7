//! After the catalog was written: prompts that a developer might type, and what an agent is told for each.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::windows::{
    Titles, Window, WindowRows, centred, draw_frame, draw_scrolled, text_columns, visible_lines, wide,
};

pub struct CatalogSummary;

impl Window for CatalogSummary {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Window, KeyContext::List, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, 100), text(state).len() + 2)
    }

    fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: layout::inner(self.outer(state)), len: text(state).len(), is_list: false }
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, text, buffer) = (self.outer(state), text(state), frame.buffer_mut());
        let place = layout::inner(outer);
        let place_note = visible_lines(cursor.top, text.len(), place);
        let titles = Titles { title: "The catalog is written", note: String::new(), place: place_note };
        draw_frame(state, titles, ThemeRole::Catalog, outer, buffer);
        draw_scrolled(state, &text, cursor.top, ThemeRole::Catalog, place, buffer);
    }
}

fn text(state: &State) -> WrappedText {
    let mut lines = Vec::new();
    if let Some(written) = &state.draft.written {
        let files = cells::counted(written.files.len(), "file");
        lines.push(PageLine::new(
            format!("Wrote {files}. Agents will be told, for prompts such as these:"),
            ThemeRole::Text,
        ));
        for sample in &written.prompts {
            lines.push(PageLine::default());
            lines.push(PageLine::new(cells::clean(&sample.prompt).into_owned(), ThemeRole::Strong));
            let told = sample.told.iter().map(|line| PageLine::new(cells::clean(line).into_owned(), ThemeRole::Hints));
            lines.extend(told.map(|line| line.hanging(2)));
        }
        lines.push(PageLine::default());
        let next = "Next: W, then c, connects an agent.";
        lines.push(PageLine::new(next, ThemeRole::Infra));
    }
    WrappedText::new(lines, text_columns(wide(state.layout().body, 100)))
}
