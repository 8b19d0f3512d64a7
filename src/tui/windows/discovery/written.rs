//! After the catalog was written: prompts that a developer might type, and what an agent gets for each.

use std::borrow::Cow;

use crate::tui::action::{Action, KeyContext};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::windows::{TextPage, Window, text_columns, wide};

pub struct CatalogSummary;

impl Window for CatalogSummary {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let columns = wide(state.layout().body, 100);
        let text = Cow::Owned(text(state, columns));
        let page = TextPage::new("The catalog is written", ThemeRole::Catalog, columns, text);
        Some(TextPage { has_keys: false, ..page })
    }
}

fn text(state: &State, columns: u16) -> WrappedText {
    let mut lines = Vec::new();
    if let Some(written) = &state.draft.written {
        let files = cells::counted(written.files.len(), "file");
        lines.push(PageLine::new(
            format!("Wrote {files}. Agents will now get, for prompts such as these:"),
            ThemeRole::Text,
        ));
        for sample in &written.prompts {
            lines.push(PageLine::default());
            lines.push(PageLine::new(cells::clean(&sample.prompt).into_owned(), ThemeRole::Strong));
            let delivered =
                sample.hints.iter().map(|line| PageLine::new(cells::clean(line).into_owned(), ThemeRole::Hints));
            lines.extend(delivered.map(|line| line.hanging(2)));
        }
        lines.push(PageLine::default());
        let (close, welcome) =
            (state.key_in(KeyContext::Window, Action::Back), state.key_in(KeyContext::Global, Action::Welcome));
        let connect = state.key_in(KeyContext::Welcome, Action::ConnectAgent);
        let next = format!("Next: press {close}, then {welcome} and {connect}, to connect an agent.");
        lines.push(PageLine::new(next, ThemeRole::Infra));
    }
    WrappedText::new(lines, text_columns(columns))
}
