//! The problems of the workspace: one row each, errors first; below the list, the problem under the cursor
//! with its place and its fix.

use ratatui::Frame;

use super::{ListPage, ListTitles, Window, text_columns};
use crate::tui::fix;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::ListRow;
use refdesk_text::report::{Diagnostic, total};

/// The minimum width for showing codes, which the details always show.
const MIN_WIDTH_WITH_CODES: usize = 90;

/// The minimum width of a code, so that few columns move when the list scrolls.
const MIN_CODE: usize = 16;

/// The minimum width of a shortened quoted path.
const LEAST_QUOTED: usize = 5;

pub struct Problems;

impl Window for Problems {
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
        let code = |it: &Diagnostic| it.code.as_str().to_owned();
        let widest =
            [code, subject, short_place].map(|text| shown.iter().map(|it| cells::width(&text(it))).max().unwrap_or(0));
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
                super::paragraphs(lines.into_iter().filter(|(text, _)| !text.is_empty()), columns)
            }
        };
        list.draw(state, cursor, titles, row, &text, frame);
    }
}

/// The subject of a problem, shown separately because messages often start with the same path. A file outside
/// the workspace, whose path may be long, is reduced to its name; the details show the whole path.
pub fn subject(diagnostic: &Diagnostic) -> String {
    if let Some(id) = &diagnostic.source_id {
        return format!("@{}", cells::clean(id));
    }
    let place = diagnostic.place();
    let shown = if place.starts_with('/') { place.rsplit('/').next().unwrap_or(&place) } else { &place };
    cells::clean(shown).into_owned()
}

/// File name and line, without folders; empty for a problem without a line, or whose subject is its place.
pub fn short_place(diagnostic: &Diagnostic) -> String {
    let (Some(_), Some(file), Some(line)) = (&diagnostic.source_id, &diagnostic.file, diagnostic.line) else {
        return String::new();
    };
    cells::clean(&format!("{}:{line}", file.rsplit('/').next().unwrap_or(file))).into_owned()
}

/// The message without a leading repetition of its code.
pub fn message(diagnostic: &Diagnostic) -> &str {
    let words = format!("{}: ", diagnostic.code.as_str().replace('-', " "));
    diagnostic.message.strip_prefix(&words).unwrap_or(&diagnostic.message)
}

/// Fits a message into this width by shortening its quoted part in the middle, because the words after it
/// describe the problem.
fn fitted(message: &str, columns: usize, ellipsis: &str) -> String {
    let over = cells::width(message).saturating_sub(columns);
    let quoted = message.split_once('\'').and_then(|(before, rest)| {
        let (quoted, after) = rest.split_once('\'')?;
        let room = cells::width(quoted).checked_sub(over)?;
        (over > 0 && room >= LEAST_QUOTED)
            .then(|| format!("{before}'{}'{after}", cells::clip_middle(quoted, room, ellipsis)))
    });
    quoted.unwrap_or_else(|| message.to_owned())
}

fn row<'a>(state: &'a State, diagnostic: &Diagnostic, [code, widest, place]: [usize; 3], width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let (word, role) =
        if diagnostic.is_error() { ("error", ThemeRole::Error) } else { ("warning", ThemeRole::Warning) };
    row.cell(word, 7, theme.style(role));
    let room = widest.min(row.room() * 2 / 5);
    if row.room() >= MIN_WIDTH_WITH_CODES {
        row.cell(diagnostic.code.as_str(), code.max(MIN_CODE), theme.style(ThemeRole::Infra));
    }
    row.id(&subject(diagnostic), room, theme.style(ThemeRole::Catalog));
    if place > 0 {
        let columns = place.min(row.room() / 3);
        let shown = short_place(diagnostic);
        row.cell(
            &cells::clip_start(&shown, columns, state.skin.glyphs.ellipsis),
            columns,
            theme.style(ThemeRole::Infra),
        );
    }
    let message = cells::clean(message(diagnostic));
    row.text(&fitted(&message, row.room(), state.skin.glyphs.ellipsis), theme.style(ThemeRole::Text));
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture;
    use crate::tui::input::Input;
    use crate::tui::tests::{press, screen};
    use crate::tui::update::update;
    use refdesk_text::Code;

    #[test]
    fn codes_are_whole() {
        let mut state = fixture::state(120, 36);
        let mut snapshot = fixture::snapshot();
        snapshot.diagnostics = [Diagnostic::warning(Code::HiddenCharacters, "a message").about("timeouts")].into();
        update(&mut state, Input::Snapshot(Box::new(snapshot)));
        press(&mut state, "d");
        let shown = screen(&state);
        assert!(shown.contains("warning hidden-characters @timeouts"), "{shown}");
    }

    #[test]
    fn quoted_text_in_a_message_is_cut_before_its_words() {
        let message = "'../docs/module-18-integration.md' does not exist";
        for (columns, expected) in [
            (60, message),
            (40, "'../docs/module…ation.md' does not exist"),
            (26, "'../do….md' does not exist"),
            (20, message),
        ] {
            let shown = fitted(message, columns, "…");
            assert_eq!(shown, expected, "{columns}");
        }
        assert_eq!(fitted("not a list", 4, "…"), "not a list");
    }
}
