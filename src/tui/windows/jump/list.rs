//! A row of the jump.

use std::borrow::Cow;

use super::columns::{self, WidestTexts};
use super::rows::{JumpRow, JumpTarget};
use crate::common::jump::JumpKind;
use crate::tui::input::below;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::row::ListRow;

/// Width of an action's keys.
pub const KEYS: usize = 12;

/// Kind, name, keys of an action, description.
pub fn row<'a>(state: &'a State, found: &JumpRow, widest: WidestTexts, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(ThemeRole::Infra);
    let style = |role| if found.why_not.is_none() { theme.style(role) } else { grey };
    let marked = |style: ratatui::style::Style| [style, style.patch(theme.style(ThemeRole::Match))];
    let mut row = ListRow::new(&state.skin, width);
    let (only, _) = JumpKind::of(state.jump.line.text());
    if only.is_none() {
        row.cell(found.word(), 8, theme.style(kind_role(found.kind)));
    }
    match &found.to {
        JumpTarget::Source(id) => {
            let (mark, role) = source_state::mark(&state.snapshot, id.as_str());
            row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
        }
        _ if only.is_none() => drop(row.cell("", 1, grey)),
        _ => {}
    }
    let section = widest.of_section(row.room());
    let place = columns::place(state, found, section.detail);
    let columns = if found.is_section() { section.name } else { widest.of_name(found, row.room()) };
    // The innermost headings of a section matter most; its document's title gets the remaining width.
    let titled = found.name_with_title().filter(|name| cells::width(name) <= columns);
    let name = match titled {
        Some(titled) => titled.into(),
        None if found.is_section() => cells::clip_start(&found.name, columns, state.skin.glyphs.ellipsis),
        None => Cow::Borrowed(found.name.as_str()),
    };
    row.marked_id(&MarkedText::of(&name, &found.found.name), columns, marked(style(ThemeRole::Text)));
    if let JumpTarget::Action(binding) = found.to {
        row.cell(&state.keymap.shown(binding, &below(state)), KEYS, style(ThemeRole::Catalog));
    }
    match &found.why_not {
        Some(why) => row.text(&cells::clean(why), grey),
        None if found.is_section() => {
            row.id(&cells::clean(&found.about), section.source, grey).gap();
            let (place, room) = (place.unwrap_or_default(), row.room().saturating_sub(1));
            row.text(&clip_folders(&cells::clean(&place), room, state.skin.glyphs.ellipsis), grey)
        }
        None => row.marked_text(&MarkedText::of(&found.about, &found.found.about), marked(grey)),
    };
    row
}

/// A path without the first folders that do not fit: `…/patterns/retry.md:31`.
fn clip_folders<'a>(path: &'a str, room: usize, ellipsis: &str) -> Cow<'a, str> {
    let mut ends = path.match_indices('/').filter_map(|(at, _)| path.get(at..));
    match ends.find(|end| cells::width(ellipsis) + cells::width(end) <= room) {
        Some(end) if cells::width(path) > room => Cow::Owned(format!("{ellipsis}{end}")),
        _ => cells::clip_start(path, room, ellipsis),
    }
}

fn kind_role(kind: JumpKind) -> ThemeRole {
    match kind {
        JumpKind::Source | JumpKind::Heading | JumpKind::Tag | JumpKind::Filter => ThemeRole::Catalog,
        JumpKind::Template => ThemeRole::Templates,
        JumpKind::Problem => ThemeRole::Warning,
        JumpKind::Feed => ThemeRole::Hints,
        JumpKind::Action => ThemeRole::Infra,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_left_out_whole() {
        for (room, expected) in [
            (20, "docs/adr/retry.md:31"),
            (19, "…/adr/retry.md:31"),
            (17, "…/adr/retry.md:31"),
            (16, "…/retry.md:31"),
            (12, "…retry.md:31"),
            (11, "…etry.md:31"),
        ] {
            assert_eq!(clip_folders("docs/adr/retry.md:31", room, "…"), expected, "{room}");
        }
    }
}
