//! The problems of the workspace: a row each, errors first, and below the list the one under the cursor with its place and
//! how to fix it.

use ratatui::Frame;

use super::{ListPage, ListTitles, Window, text_columns};
use crate::tui::action::KeyContext;
use crate::tui::fix;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::ListRow;
use refdesk_text::report::{Diagnostic, total};

pub struct Problems;

impl Window for Problems {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Problems, KeyContext::Window, KeyContext::List, KeyContext::Always]
    }

    fn list(&self, state: &State) -> Option<ListPage> {
        let len = state.problems().len();
        Some(ListPage { columns: 140, least_rows: (len + 9).max(12), details: 6, len })
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let Some(list) = self.list(state) else { return };
        let all = state.problems();
        let own = match state.own_problems.len() {
            0 => String::new(),
            own => format!(" ({} in your own files)", cells::grouped(own)),
        };
        let count = total(all.iter().copied().filter(|problem| problem.is_error()));
        let [errors, warnings] = [(count, "error"), (total(all.iter().copied()) - count, "warning")]
            .map(|(count, what)| cells::counted(count, what));
        let role = if count > 0 { ThemeRole::Error } else { ThemeRole::Warning };
        let note = format!("{errors} {} {warnings}{own}", state.skin.glyphs.dot);
        let caption = if all.is_empty() { "" } else { "how to fix it" };
        let titles = ListTitles { title: "Problems", note, role, caption };
        let shown = all.get(cursor.window(all.len(), usize::from(list.parts(state).0.height))).unwrap_or_default();
        let widest = shown.iter().map(|it| cells::width(&subject(it))).max().unwrap_or(0);
        let row = |at: usize, width| Some(row(state, all.get(at)?, widest, width));
        let columns = text_columns(list.outer(state).width);
        let text = match all.get(cursor.at) {
            None => super::paragraphs([("No problems in this workspace.", ThemeRole::Text)], columns),
            Some(it) => {
                let fix = if it.fix.is_none() {
                    String::new()
                } else {
                    format!("fix: {}", it.fix.worded(&|fix| fix::words(state, fix)))
                };
                let about = it.source_id.as_ref().map_or(String::new(), |id| format!(" in @{id}"));
                let lines = [
                    (it.message.clone(), ThemeRole::Strong),
                    (cells::clean(&it.place()).into_owned(), ThemeRole::Catalog),
                    (fix, ThemeRole::Text),
                    (format!("{}{about}", it.code), ThemeRole::Infra),
                ];
                let lines = lines.iter().filter(|(text, _)| !text.is_empty());
                super::paragraphs(lines.map(|(text, role)| (text.as_str(), *role)), columns)
            }
        };
        list.draw(state, cursor, titles, row, &text, frame);
    }
}

/// The subject of a problem: messages often start with the same path. Of a file outside the workspace, which may have a long
/// path, only the name; the details have all of it.
pub fn subject(diagnostic: &Diagnostic) -> String {
    if let Some(id) = &diagnostic.source_id {
        return format!("@{}", cells::clean(id));
    }
    let place = diagnostic.place();
    let shown = if place.starts_with('/') { place.rsplit('/').next().unwrap_or(&place) } else { &place };
    cells::clean(shown).into_owned()
}

fn row<'a>(state: &'a State, diagnostic: &Diagnostic, widest: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let (word, role) =
        if diagnostic.is_error() { ("error", ThemeRole::Error) } else { ("warning", ThemeRole::Warning) };
    row.cell(word, 7, theme.style(role));
    let room = widest.min(row.room() * 2 / 5);
    row.cell(diagnostic.code.as_str(), 16.min(row.room() / 4), theme.style(ThemeRole::Infra));
    row.id(&subject(diagnostic), room, theme.style(ThemeRole::Catalog));
    row.text(&cells::clean(&diagnostic.message), theme.style(ThemeRole::Text));
    row
}
