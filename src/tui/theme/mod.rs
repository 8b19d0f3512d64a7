//! The style of each part of the screen, by role. Styles are data in `themes/`, one file per theme; nothing else in `tui`
//! names a colour.

#[cfg(test)]
mod contrast;

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use refdesk_files::output::DiffLineKind;

/// The role of something on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ThemeRole {
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
    Strong,
    /// The row under the cursor of the focused pane.
    Cursor,
    /// A tag matched in a prompt.
    Match,
    /// A source named in a prompt.
    Expansion,
    /// Parts of highlighted source code: keywords, then strings, comments, types, numbers, definitions.
    Keyword,
    String,
    Comment,
    Kind,
    Number,
    Function,
    /// Added lines of a difference, and removed ones.
    Added,
    Removed,
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

/// The number of colours that the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colours {
    /// None, because `NO_COLOR` is set.
    Unwanted,
    /// None: bold, underline and reverse show what marks do not.
    Mono,
    /// The sixteen of every terminal, as configured by the user.
    Sixteen,
    /// The 256 of the xterm palette.
    Indexed,
}

/// The themes for terminals with 256 colours, the default first.
const THEMES: &[(&str, &str)] = &[
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("contrast", include_str!("../../../themes/contrast.toml")),
    ("colourblind", include_str!("../../../themes/colourblind.toml")),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    colours: Colours,
    name: &'static str,
    looks: ThemeFile,
}

/// A theme file with one member per role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    text: ThemeStyle,
    strong: ThemeStyle,
    catalog: ThemeStyle,
    selection: ThemeStyle,
    transitive: ThemeStyle,
    hints: ThemeStyle,
    templates: ThemeStyle,
    infrastructure: ThemeStyle,
    error: ThemeStyle,
    warning: ThemeStyle,
    cursor: ThemeStyle,
    r#match: ThemeStyle,
    expansion: ThemeStyle,
    keyword: ThemeStyle,
    string: ThemeStyle,
    comment: ThemeStyle,
    kind: ThemeStyle,
    number: ThemeStyle,
    function: ThemeStyle,
    added: ThemeStyle,
    removed: ThemeStyle,
}

/// One style in a theme file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, try_from = "StyleSpec")]
struct ThemeStyle(Style);

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct StyleSpec {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
}

impl TryFrom<StyleSpec> for ThemeStyle {
    type Error = String;

    fn try_from(written: StyleSpec) -> Result<Self, String> {
        let colour = |name: Option<String>| match name {
            Some(name) => Color::from_str(&name).map(Some).map_err(|_| format!("'{name}' is not a colour")),
            None => Ok(None),
        };
        let mut style = Style { fg: colour(written.fg)?, bg: colour(written.bg)?, ..Style::new() };
        for (wanted, modifier) in [
            (written.bold, Modifier::BOLD),
            (written.dim, Modifier::DIM),
            (written.italic, Modifier::ITALIC),
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
    /// The default theme for this number of colours.
    pub fn new(colours: Colours) -> Self {
        let (name, file) = match colours {
            Colours::Unwanted | Colours::Mono => ("mono", include_str!("../../../themes/mono.toml")),
            Colours::Sixteen => ("ansi", include_str!("../../../themes/ansi.toml")),
            Colours::Indexed => ("dark", include_str!("../../../themes/dark.toml")),
        };
        Self::read(colours, name, file)
    }

    /// A test parses every file; a file that did not parse would leave the screen plain.
    fn read(colours: Colours, name: &'static str, file: &str) -> Self {
        Self { colours, name, looks: toml::from_str(file).unwrap_or_default() }
    }

    /// Reads `NO_COLOR`, `COLORTERM` and `TERM` as given.
    pub fn for_terminal(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        let colours = if no_color.is_some_and(|value| !value.is_empty()) {
            Colours::Unwanted
        } else if term == "dumb" || term.ends_with("-m") {
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

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The names of the available themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        THEMES.iter().map(|(name, _)| *name)
    }

    /// The theme with this name, if it exists and the terminal has the colours for it.
    pub fn named(self, name: &str) -> Option<Self> {
        let (name, file) = THEMES.iter().find(|(known, _)| *known == name)?;
        Some(if self.fixed().is_some() { self } else { Self::read(self.colours, name, file) })
    }

    pub fn next(self) -> Self {
        let after = Self::names().skip_while(|name| *name != self.name).nth(1);
        after.or_else(|| Self::names().next()).and_then(|name| self.named(name)).unwrap_or(self)
    }

    /// Why there is no other theme; `None` if there is one.
    pub fn fixed(&self) -> Option<&'static str> {
        match self.colours {
            Colours::Unwanted => Some("NO_COLOR is set: themes need colours"),
            Colours::Mono => Some("TERM says that this terminal has no colours"),
            Colours::Sixteen => Some("TERM says that this terminal has 16 colours; themes need 256"),
            Colours::Indexed => None,
        }
    }

    /// The style of blank cells, if the theme has its own background.
    pub fn ground(&self) -> Option<Style> {
        self.looks.text.0.bg.map(|_| self.looks.text.0)
    }

    pub fn style(&self, role: ThemeRole) -> Style {
        let looks = &self.looks;
        let look = match role {
            ThemeRole::Text => looks.text,
            ThemeRole::Strong => looks.strong,
            ThemeRole::Catalog => looks.catalog,
            ThemeRole::Selection => looks.selection,
            ThemeRole::Transitive => looks.transitive,
            ThemeRole::Hints => looks.hints,
            ThemeRole::Templates => looks.templates,
            ThemeRole::Infra => looks.infrastructure,
            ThemeRole::Error => looks.error,
            ThemeRole::Warning => looks.warning,
            ThemeRole::Cursor => looks.cursor,
            ThemeRole::Match => looks.r#match,
            ThemeRole::Expansion => looks.expansion,
            ThemeRole::Keyword => looks.keyword,
            ThemeRole::String => looks.string,
            ThemeRole::Comment => looks.comment,
            ThemeRole::Kind => looks.kind,
            ThemeRole::Number => looks.number,
            ThemeRole::Function => looks.function,
            ThemeRole::Added => looks.added,
            ThemeRole::Removed => looks.removed,
        };
        look.0
    }

    /// Adds the style of the cursor's row: a background, or reverse without colours.
    pub fn cursor_over(&self, style: Style) -> Style {
        let row = self.style(ThemeRole::Cursor);
        match (self.colours, style.fg) {
            (Colours::Mono | Colours::Unwanted, _) => style.remove_modifier(Modifier::DIM).patch(row),
            // Grey would be invisible on the cursor's grey background.
            (Colours::Sixteen, Some(Color::DarkGray)) | (_, None) => style.patch(row),
            (_, Some(fg)) => style.patch(row).fg(fg),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::contrast::{ColourVision, apart, contrast, indexed};

    const FIXED: [&str; 2] = [include_str!("../../../themes/mono.toml"), include_str!("../../../themes/ansi.toml")];

    const COLOURED: [ThemeRole; 8] = [
        ThemeRole::Catalog,
        ThemeRole::Selection,
        ThemeRole::Transitive,
        ThemeRole::Hints,
        ThemeRole::Templates,
        ThemeRole::Infra,
        ThemeRole::Error,
        ThemeRole::Warning,
    ];

    const OF_TEXTS: [ThemeRole; 8] = [
        ThemeRole::Keyword,
        ThemeRole::String,
        ThemeRole::Comment,
        ThemeRole::Kind,
        ThemeRole::Number,
        ThemeRole::Function,
        ThemeRole::Added,
        ThemeRole::Removed,
    ];

    fn theme(name: &str) -> Theme {
        Theme::new(Colours::Indexed).named(name).unwrap()
    }

    fn number(colour: Option<Color>) -> Option<u8> {
        match colour {
            Some(Color::Indexed(number)) => Some(number),
            _ => None,
        }
    }

    #[test]
    fn every_theme_file_names_every_role_once_with_valid_colours() {
        for file in THEMES.iter().map(|(_, file)| *file).chain(FIXED) {
            let looks: Result<ThemeFile, _> = toml::from_str(file);
            assert!(looks.is_ok(), "{file}: {looks:?}");
            for line in file.lines().filter(|line| line.contains(" = ")) {
                let without = file.replace(&format!("{line}\n"), "");
                assert!(toml::from_str::<ThemeFile>(&without).is_err(), "{line}");
            }
        }
        assert!(toml::from_str::<ThemeFile>(&FIXED[0].replace("bold", "blink")).is_err());
        assert!(toml::from_str::<ThemeFile>(&FIXED[1].replace("lightred", "mauve")).is_err());
    }

    #[test]
    fn every_file_in_themes_is_used() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/themes");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap().replace(".toml", ""))
            .collect();
        files.sort();
        let mut used: Vec<&str> = Theme::names().chain(["mono", "ansi"]).collect();
        used.sort_unstable();
        assert_eq!(files, used);
    }

    /// Every role is used for text somewhere, so it needs the 4.5 to 1 of WCAG 2.2 (1.4.3). On the cursor's row, where the
    /// words beside it have the row's colour, it needs 3 to 1, as for marks (1.4.11).
    #[test]
    fn texts_are_readable_on_their_backgrounds() {
        let grey = |level: u8| [level; 3];
        for (name, grounds, text, row) in [
            ("dark", vec![grey(0), grey(0x1e)], 4.5, 3.0),
            ("light", vec![indexed(255)], 4.5, 3.0),
            ("contrast", vec![indexed(16)], 7.0, 7.0),
            ("colourblind", vec![indexed(234)], 4.5, 3.0),
        ] {
            let theme = theme(name);
            let own = theme.ground().map(|ground| vec![indexed(number(ground.bg).unwrap())]);
            assert!(own.is_none_or(|own| own == grounds), "{name} is measured on its own ground");
            let cursor = theme.style(ThemeRole::Cursor);
            let under = indexed(number(cursor.bg).unwrap());
            assert!(contrast(indexed(number(cursor.fg).unwrap()), under) >= 7.0, "{name}: the cursor's row");
            for role in COLOURED.into_iter().chain(OF_TEXTS).chain([ThemeRole::Match, ThemeRole::Expansion]) {
                let colour = indexed(number(theme.style(role).fg).unwrap());
                for ground in &grounds {
                    let found = contrast(colour, *ground);
                    assert!(found >= text, "{name}: {role:?} on {ground:?} has {found:.2}");
                }
                let found = contrast(colour, under);
                // A preview has no cursor row.
                assert!(
                    OF_TEXTS.contains(&role) || found >= row,
                    "{name}: {role:?} on the cursor's row has {found:.2}"
                );
            }
        }
    }

    #[test]
    fn roles_differ_without_red_or_green_cones() {
        let theme = theme("colourblind");
        for (at, one) in COLOURED.iter().enumerate() {
            for other in &COLOURED[at + 1..] {
                // Pulled-in sources and warnings have the same yellow in every theme; the words distinguish them.
                if (*one, *other) == (ThemeRole::Transitive, ThemeRole::Warning) {
                    continue;
                }
                let [a, b] = [one, other].map(|role| indexed(number(theme.style(*role).fg).unwrap()));
                for eyes in [ColourVision::NoRed, ColourVision::NoGreen] {
                    let found = apart(a, b, eyes);
                    assert!(found > 20.0, "{one:?} and {other:?} for {eyes:?}: {found:.1}");
                }
            }
        }
    }

    #[test]
    fn added_and_removed_lines_differ_without_red_or_green_cones() {
        let theme = theme("colourblind");
        let [a, b] = [ThemeRole::Added, ThemeRole::Removed].map(|role| indexed(number(theme.style(role).fg).unwrap()));
        for eyes in [ColourVision::NoRed, ColourVision::NoGreen] {
            let found = apart(a, b, eyes);
            assert!(found > 20.0, "for {eyes:?}: {found:.1}");
        }
    }

    #[test]
    fn the_next_theme_if_there_is_one() {
        let dark = Theme::new(Colours::Indexed);
        let round: Vec<&str> =
            std::iter::successors(Some(dark), |theme| Some(theme.next())).map(|t| t.name).take(5).collect();
        assert_eq!(round, ["dark", "light", "contrast", "colourblind", "dark"]);
        assert_eq!(dark.named("sepia"), None);
        for colours in [Colours::Unwanted, Colours::Mono, Colours::Sixteen] {
            let theme = Theme::new(colours);
            assert!(theme.fixed().is_some());
            assert_eq!(theme.named("light"), Some(theme), "{colours:?}");
        }
    }

    #[test]
    fn colours_by_environment() {
        for (no_color, colorterm, term, colours) in [
            (None, None, Some("xterm-256color"), Colours::Indexed),
            (None, Some("truecolor"), Some("xterm"), Colours::Indexed),
            (None, None, Some("xterm"), Colours::Sixteen),
            (None, None, None, Colours::Sixteen),
            (Some("1"), Some("truecolor"), Some("xterm-256color"), Colours::Unwanted),
            (Some(""), None, Some("xterm-256color"), Colours::Indexed),
            (None, None, Some("dumb"), Colours::Mono),
        ] {
            assert_eq!(Theme::for_terminal(no_color, colorterm, term), Theme::new(colours), "{term:?}");
        }
    }
}
