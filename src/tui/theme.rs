//! What each part of the screen looks like, by role. The colours are those of the seeds: blue catalog, green selection,
//! yellow transitive, orange hints, purple templates, grey infrastructure. Nothing else in `tui` names a colour, so that
//! a theme is one table.

use ratatui::style::{Color, Modifier, Style};

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
}

impl Theme {
    /// The theme for so many colours.
    pub fn new(colours: Colours) -> Self {
        Self { colours }
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
        let plain = Style::new();
        match self.colours {
            Colours::Mono => match role {
                Role::Strong | Role::Error => plain.add_modifier(Modifier::BOLD),
                Role::Infra => plain.add_modifier(Modifier::DIM),
                Role::Cursor => plain.add_modifier(Modifier::REVERSED),
                Role::Match => plain.add_modifier(Modifier::UNDERLINED),
                Role::Expansion => plain.add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
                _ => plain,
            },
            Colours::Sixteen => coloured(
                role,
                &Palette {
                    blue: Color::Blue,
                    green: Color::Green,
                    yellow: Color::Yellow,
                    orange: Color::LightRed,
                    purple: Color::Magenta,
                    grey: Color::DarkGray,
                    red: Color::Red,
                    cursor: (Color::White, Color::DarkGray),
                },
            ),
            Colours::Indexed => coloured(
                role,
                &Palette {
                    blue: Color::Indexed(75),
                    green: Color::Indexed(114),
                    yellow: Color::Indexed(221),
                    orange: Color::Indexed(215),
                    purple: Color::Indexed(141),
                    grey: Color::Indexed(245),
                    red: Color::Indexed(203),
                    cursor: (Color::Indexed(255), Color::Indexed(238)),
                },
            ),
        }
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

struct Palette {
    blue: Color,
    green: Color,
    yellow: Color,
    orange: Color,
    purple: Color,
    grey: Color,
    red: Color,
    cursor: (Color, Color),
}

fn coloured(role: Role, palette: &Palette) -> Style {
    let plain = Style::new();
    match role {
        Role::Text => plain,
        Role::Strong => plain.add_modifier(Modifier::BOLD),
        Role::Catalog => plain.fg(palette.blue),
        Role::Selection => plain.fg(palette.green),
        Role::Transitive | Role::Warning => plain.fg(palette.yellow),
        Role::Hints => plain.fg(palette.orange),
        Role::Templates => plain.fg(palette.purple),
        Role::Infra => plain.fg(palette.grey),
        Role::Error => plain.fg(palette.red),
        Role::Cursor => plain.fg(palette.cursor.0).bg(palette.cursor.1),
        Role::Match => plain.fg(palette.orange).add_modifier(Modifier::UNDERLINED),
        Role::Expansion => plain.fg(palette.blue).add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
