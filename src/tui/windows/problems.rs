//! The problems of the workspace: one row each, errors first; below the list, the problem under the cursor
//! with its place and its fix.

use ratatui::Frame;

use super::{FRAME_WIDTH, ListPage, ListTitles, Window, text_columns};
use crate::tui::fix;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::ListRow;
use refdesk_text::report::{Diagnostic, total};

/// The minimum width for showing codes.
const MIN_WIDTH_WITH_CODES: usize = 90;

/// A message gets half of a row before codes, which the details always show, and at least this width.
const MIN_MESSAGE: usize = 50;

/// The minimum width of a shortened place, which keeps the end of the file's name and the line.
const MIN_PLACE: usize = 16;

/// The minimum width of a shortened quoted path.
const LEAST_QUOTED: usize = 5;

/// The width of `warning`.
const LEVEL: usize = 7;

/// The width of the window if its rows need no more.
const USUAL_COLUMNS: u16 = 140;

pub const NONE: &str = "No problems in this workspace.";

pub struct Problems;

impl Window for Problems {
    fn list(&self, state: &State) -> Option<ListPage> {
        let all = state.problems();
        let columns = FRAME_WIDTH.saturating_add(u16::try_from(ProblemWidths::of(&all).row()).unwrap_or(u16::MAX));
        let columns = columns.max(USUAL_COLUMNS);
        Some(ListPage { columns, least_rows: (all.len() + 9).max(12), details: 6, len: all.len() })
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
        let widths = ProblemWidths::of(&all);
        let row = |at: usize, width| Some(row(state, all.get(at)?, widths, width));
        let columns = text_columns(list.outer(state).width);
        let text = match all.get(cursor.at) {
            None => super::paragraphs([(NONE, ThemeRole::Text)], columns),
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

/// Fits a message into this width by shortening its quoted parts in the middle, because the words around them
/// describe the problem.
fn fitted(message: &str, columns: usize, ellipsis: &str) -> String {
    let parts: Vec<&str> = message.split('\'').collect();
    // A quotation mark without its counterpart quotes nothing.
    let is_quoted = |at: usize| at % 2 == 1 && at + 1 < parts.len();
    let quoted = || parts.iter().enumerate().filter(|(at, _)| is_quoted(*at)).map(|(_, part)| cells::width(part));
    let room = (quoted().sum::<usize>() + columns).saturating_sub(cells::width(message));
    let fits = |most: &usize| quoted().map(|part| part.min(*most)).sum::<usize>() <= room;
    let longest = quoted().max().unwrap_or(0);
    let most = (LEAST_QUOTED..=longest).rev().find(fits);
    // What is wrong is mostly said at the end, after the quoted parts.
    let has_apostrophe =
        parts.iter().enumerate().any(|(at, part)| is_quoted(at + 1) && part.ends_with(char::is_alphanumeric));
    let is_too_long = most.is_none() && longest > LEAST_QUOTED && parts.len() % 2 == 1 && !has_apostrophe;
    let Some(most) = most.or(is_too_long.then_some(LEAST_QUOTED)) else { return message.to_owned() };
    let shown = parts.iter().enumerate().map(|(at, part)| match is_quoted(at) {
        true => cells::clip_middle(part, most, ellipsis),
        false => (*part).into(),
    });
    cells::clip_middle(&shown.collect::<Vec<_>>().join("'"), columns, ellipsis).into_owned()
}

/// The widths of the widest texts of these problems.
#[derive(Debug, Clone, Copy)]
pub struct ProblemWidths {
    code: usize,
    subject: usize,
    place: usize,
    message: usize,
}

impl ProblemWidths {
    pub fn of(problems: &[&Diagnostic]) -> Self {
        let widest = |text: &dyn Fn(&Diagnostic) -> usize| problems.iter().map(|it| text(it)).max().unwrap_or(0);
        Self {
            code: widest(&|it| it.code.as_str().len()),
            subject: widest(&|it| cells::width(&subject(it))),
            place: widest(&|it| cells::width(&short_place(it))),
            message: widest(&|it| cells::width(&cells::clean(message(it)))),
        }
    }

    /// The width of a whole row.
    fn row(self) -> usize {
        let Self { code, subject, place, message } = self;
        // The cursor, and a blank after each field.
        1 + [LEVEL, code, subject, place].into_iter().filter(|it| *it > 0).map(|it| it + 1).sum::<usize>() + message
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeColumn {
    /// If messages keep enough room.
    IfItFits,
    /// All rows have the same code.
    Hidden,
}

/// Adds the code, the subject, the place and the message. A message keeps the room that says what is wrong.
pub fn fields(row: &mut ListRow<'_>, state: &State, diagnostic: &Diagnostic, widths: ProblemWidths, code: CodeColumn) {
    let (theme, ellipsis) = (&state.skin.theme, state.skin.glyphs.ellipsis);
    let room = row.room();
    let least = widths.message.min((room / 2).max(MIN_MESSAGE));
    let subject_width = widths.subject.min(room * 2 / 5);
    let left = room.saturating_sub(subject_width + 1);
    let place = widths.place.min(left / 3).min(left.saturating_sub(least + 1).max(MIN_PLACE));
    let left = left.saturating_sub(if place > 0 { place + 1 } else { 0 });
    let has_code = code == CodeColumn::IfItFits && room >= MIN_WIDTH_WITH_CODES && left > widths.code + least;
    if has_code {
        row.cell(diagnostic.code.as_str(), widths.code, theme.style(ThemeRole::Infra));
    }
    row.id(&subject(diagnostic), subject_width, theme.style(ThemeRole::Catalog));
    if place > 0 {
        let shown = short_place(diagnostic);
        row.cell(&cells::clip_start(&shown, place, ellipsis), place, theme.style(ThemeRole::Infra));
    }
    let message = cells::clean(message(diagnostic));
    row.text(&fitted(&message, row.room(), ellipsis), theme.style(ThemeRole::Text));
}

fn row<'a>(state: &'a State, diagnostic: &Diagnostic, widths: ProblemWidths, width: u16) -> ListRow<'a> {
    let mut row = ListRow::new(&state.skin, width);
    let (word, role) =
        if diagnostic.is_error() { ("error", ThemeRole::Error) } else { ("warning", ThemeRole::Warning) };
    row.cell(word, LEVEL, state.skin.theme.style(role));
    fields(&mut row, state, diagnostic, widths, CodeColumn::IfItFits);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture;
    use crate::tui::input::Input;
    use crate::tui::tests::{press, screen};
    use crate::tui::update::update;
    use refdesk_desk::engine::Snapshot;
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

    /// Problems with long ids, places, codes and messages.
    fn long_problems() -> Vec<Diagnostic> {
        let moved = "moved path: '/home/someone/Sources/jaato/knowledge/docs' does not exist, '../docs/index.md' does";
        let link = "broken link: '../mod-code-018-api-integration-rest/docs/MODULE.md' does not exist";
        let id = "mod-code-017-persistence-systemapi";
        vec![
            Diagnostic::warning(Code::MovedPath, moved).in_file("knowledge/design-standards.json").at_line(6).about(id),
            Diagnostic::warning(Code::BrokenLink, link).in_file("docs/mod-017/MODULE.md").at_line(77).about(id),
            Diagnostic::warning(Code::TemplatesNotWritten, "the folder is read-only").in_file(".jaato/templates"),
        ]
    }

    #[test]
    fn a_message_has_room_for_what_is_wrong_before_codes_and_places() {
        for (width, code, expected) in [
            (80, false, &["MODULE.md:77 '../mo…md' does not exist"][..]),
            (120, false, &[".json:6 '", "MODULE.md:77 ", " '../mod-", "MODULE.md' does not exist", "md' does "]),
            (
                200,
                true,
                &[
                    "design-standards.json:6 '/home/someone/Sources/jaato/knowledge/docs' does not exist, '../docs/index.md' does ",
                    "MODULE.md:77",
                    "'../mod-code-018-api-integration-rest/docs/MODULE.md' does not exist",
                ],
            ),
        ] {
            let mut state = fixture::state(width, 36);
            let snapshot = Snapshot { diagnostics: long_problems().into(), ..fixture::snapshot() };
            update(&mut state, Input::Snapshot(Box::new(snapshot)));
            press(&mut state, "d");
            let shown = screen(&state);
            for expected in expected {
                assert!(shown.contains(expected), "{width} {expected:?} {shown}");
            }
            let rows = shown.lines().filter(|line| line.contains(" warning broken-link")).count();
            assert_eq!(rows > 0, code, "{width} {shown}");
        }
    }

    #[test]
    fn quoted_text_in_a_message_is_cut_before_its_words() {
        let message = "'../docs/module-18-integration.md' does not exist";
        let moved = "'docs/a.md' is read from '/home/someone/knowledge/docs/a.md', which does not exist";
        let apostrophe = "the team's file 'docs/a-long-name.md";
        for (message, columns, expected) in [
            (message, 60, message),
            (message, 40, "'../docs/module…ation.md' does not exist"),
            (message, 26, "'../do….md' does not exist"),
            (message, 20, "'../…d' does…t exist"),
            (moved, 70, "'docs/a.md' is read from '/home/someon…ocs/a.md', which does not exist"),
            (moved, 60, "'docs/a.md' is read from '/home/…a.md', which does not exist"),
            (moved, 57, "'docs/…md' is read from '/home…md', which does not exist"),
            (moved, 40, "'doc…d' is read from '/h… does not exist"),
            (apostrophe, 30, "the team's file 'docs/a-long-name.md"),
        ] {
            let shown = fitted(message, columns, "…");
            assert_eq!(shown, expected, "{columns}");
        }
        assert_eq!(fitted("not a list", 4, "…"), "not a list");
    }
}
