//! What each part of the screen looks like, by role. The looks themselves are data, one file a theme in `themes/`; nothing
//! else in `tui` names a colour.

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

/// What something on the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Role {
    Text,
    Catalog,
    Selection,
    Transitive,
    Hints,
    Templates,
    /// Borders, rulers, captions, everything that is not content.
    Infra,
    Error,
    Warning,
    /// Ids and headings.
    Strong,
    /// The row under the cursor of the focused pane.
    Cursor,
    /// Where a prompt matches a tag.
    Match,
    /// Where a prompt names a source.
    Expansion,
}

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colours {
    /// None: bold, underline and reverse carry what marks do not.
    Mono,
    /// The sixteen of every terminal, as its owner set them.
    Sixteen,
    /// The 256 of the xterm palette.
    Indexed,
}

/// The table of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    colours: Colours,
    looks: Looks,
}

/// A theme file, a member a role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Looks {
    text: Look,
    strong: Look,
    catalog: Look,
    selection: Look,
    transitive: Look,
    hints: Look,
    templates: Look,
    infrastructure: Look,
    error: Look,
    warning: Look,
    cursor: Look,
    r#match: Look,
    expansion: Look,
}

/// One look of a theme file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, try_from = "Written")]
struct Look(Style);

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Written {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    underline: bool,
    reverse: bool,
}

impl TryFrom<Written> for Look {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let colour = |name: Option<String>| match name {
            Some(name) => Color::from_str(&name).map(Some).map_err(|_| format!("'{name}' is no colour")),
            None => Ok(None),
        };
        let mut style = Style { fg: colour(written.fg)?, bg: colour(written.bg)?, ..Style::new() };
        for (wanted, modifier) in [
            (written.bold, Modifier::BOLD),
            (written.dim, Modifier::DIM),
            (written.underline, Modifier::UNDERLINED),
            (written.reverse, Modifier::REVERSED),
        ] {
            if wanted {
                style = style.add_modifier(modifier);
            }
        }
        Ok(Self(style))
    }
}

impl Theme {
    /// The theme for so many colours.
    pub fn new(colours: Colours) -> Self {
        // A test reads every file; one that did not parse would leave the screen plain.
        Self { colours, looks: toml::from_str(file(colours)).unwrap_or_default() }
    }

    /// Reads `NO_COLOR`, `COLORTERM` and `TERM` as given.
    pub fn for_terminal(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        let colours = if no_color.is_some_and(|value| !value.is_empty()) || term == "dumb" || term.ends_with("-m") {
            Colours::Mono
        } else if colorterm.is_some_and(|value| !value.is_empty())
            || ["256", "kitty", "alacritty", "ghostty", "direct", "foot", "wezterm"].iter().any(|n| term.contains(n))
        {
            Colours::Indexed
        } else {
            Colours::Sixteen
        };
        Self::new(colours)
    }

    /// What this role looks like.
    pub fn style(&self, role: Role) -> Style {
        let looks = &self.looks;
        let look = match role {
            Role::Text => looks.text,
            Role::Strong => looks.strong,
            Role::Catalog => looks.catalog,
            Role::Selection => looks.selection,
            Role::Transitive => looks.transitive,
            Role::Hints => looks.hints,
            Role::Templates => looks.templates,
            Role::Infra => looks.infrastructure,
            Role::Error => looks.error,
            Role::Warning => looks.warning,
            Role::Cursor => looks.cursor,
            Role::Match => looks.r#match,
            Role::Expansion => looks.expansion,
        };
        look.0
    }

    /// The style of the cursor's row under what stands in it: with colours a background, without one reverse.
    pub fn cursor_over(&self, style: Style) -> Style {
        let row = self.style(Role::Cursor);
        match (self.colours, style.fg) {
            (Colours::Mono, _) => style.remove_modifier(Modifier::DIM).patch(row),
            // Grey on the cursor's grey background would be gone.
            (Colours::Sixteen, Some(Color::DarkGray)) | (_, None) => style.patch(row),
            (_, Some(fg)) => style.patch(row).fg(fg),
        }
    }
}

/// The file of the theme for so many colours.
fn file(colours: Colours) -> &'static str {
    match colours {
        Colours::Mono => include_str!("../../themes/mono.toml"),
        Colours::Sixteen => include_str!("../../themes/ansi.toml"),
        Colours::Indexed => include_str!("../../themes/dark.toml"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_theme_file_names_every_role_once_and_knows_its_colours() {
        for colours in [Colours::Mono, Colours::Sixteen, Colours::Indexed] {
            let looks: Result<Looks, _> = toml::from_str(file(colours));
            assert!(looks.is_ok(), "{colours:?}: {looks:?}");
        }
        assert!(toml::from_str::<Looks>(&file(Colours::Mono).replace("bold", "blink")).is_err());
        assert!(toml::from_str::<Looks>(&file(Colours::Sixteen).replace("lightred", "mauve")).is_err());
    }

    #[test]
    fn what_the_environment_says() {
        for (no_color, colorterm, term, colours) in [
            (None, None, Some("xterm-256color"), Colours::Indexed),
            (None, Some("truecolor"), Some("xterm"), Colours::Indexed),
            (None, None, Some("xterm"), Colours::Sixteen),
            (None, None, None, Colours::Sixteen),
            (Some("1"), Some("truecolor"), Some("xterm-256color"), Colours::Mono),
            (Some(""), None, Some("xterm-256color"), Colours::Indexed),
            (None, None, Some("dumb"), Colours::Mono),
        ] {
            assert_eq!(Theme::for_terminal(no_color, colorterm, term), Theme::new(colours), "{term:?}");
        }
    }
}
