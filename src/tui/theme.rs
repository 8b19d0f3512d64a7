//! The style of each part of the screen, by role. Styles are data, in `themes/` and in the user's own files,
//! one per theme; no other code in `tui` names a colour.

#[cfg(test)]
mod contrast;
mod file;
mod palette;
#[cfg(test)]
mod tests;
mod themes;

use std::sync::Arc;

use ratatui::style::{Modifier, Style};

use refdesk_files::output::DiffLineKind;

pub use crate::colours::Colours;
pub use themes::{Background, Themes};

refdesk_text::worded_enum! {
    /// A role with its name in theme files.
    pub enum ThemeRole {
        Text = "text",
        Catalog = "catalog",
        Selection = "selection",
        Transitive = "transitive",
        Hints = "hints",
        Templates = "templates",
        /// Borders, rules and captions: everything that is not content.
        Infra = "infrastructure",
        Error = "error",
        Warning = "warning",
        Strong = "strong",
        /// The row under the cursor of the focused pane.
        Cursor = "cursor",
        /// A tag matched in a prompt.
        Match = "match",
        /// A source mentioned in a prompt.
        Expansion = "expansion",
        /// Parts of highlighted source code: keywords, then strings, comments, types, numbers, definitions.
        Keyword = "keyword",
        String = "string",
        Comment = "comment",
        Kind = "kind",
        Number = "number",
        Function = "function",
        /// Added and removed lines of a diff.
        Added = "added",
        Removed = "removed",
    }
}

impl ThemeRole {
    /// Its index in [`Self::ALL`].
    fn index(self) -> usize {
        self as usize
    }
}

impl From<DiffLineKind> for ThemeRole {
    fn from(line: DiffLineKind) -> Self {
        match line {
            DiffLineKind::Header => Self::Strong,
            DiffLineKind::Hunk | DiffLineKind::Note => Self::Infra,
            DiffLineKind::Same => Self::Text,
            DiffLineKind::Added => Self::Added,
            DiffLineKind::Removed => Self::Removed,
        }
    }
}

/// A style for each role, in colours that the terminal supports. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Theme {
    name: Arc<str>,
    colours: Colours,
    styles: Arc<[Style; ThemeRole::ALL.len()]>,
}

impl Theme {
    /// The default theme for this number of colours.
    pub fn new(colours: Colours) -> Self {
        Themes::new(colours).usual(None)
    }

    fn of(name: &str, styles: [Style; ThemeRole::ALL.len()], colours: Colours) -> Self {
        Self { name: name.into(), colours, styles: Arc::new(styles.map(|style| palette::shown(style, colours))) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of colours it is displayed in.
    pub fn colours(&self) -> Colours {
        self.colours
    }

    /// The style of blank cells, if the theme has its own background.
    pub fn background(&self) -> Option<Style> {
        let text = self.style(ThemeRole::Text);
        text.bg.map(|_| text)
    }

    pub fn style(&self, role: ThemeRole) -> Style {
        self.styles.get(role.index()).copied().unwrap_or_default()
    }

    /// Adds the style of the cursor row: a background, or reverse video, which replaces the colours.
    pub fn cursor_over(&self, style: Style) -> Style {
        let row = self.style(ThemeRole::Cursor);
        match style.fg {
            _ if row.bg.is_none() => Style { fg: None, bg: None, ..style.remove_modifier(Modifier::DIM) }.patch(row),
            // Otherwise the text would be invisible.
            Some(fg) if row.bg != Some(fg) => style.patch(row).fg(fg),
            _ => style.patch(row),
        }
    }
}
