//! All themes, built-in and the user's own, and which one is used: the user's choice, otherwise one that
//! suits the terminal's background.

use std::sync::Arc;

use ratatui::style::Style;

use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_text::Code;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::Diagnostic;

use crate::colours::Colours;
use crate::tui::theme::file::{self, ThemeFile};
use crate::tui::theme::{Theme, ThemeRole};

/// The built-in themes, the default first.
pub const SHIPPED: [(&str, &str); 7] = [
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("contrast", include_str!("../../../themes/contrast.toml")),
    ("colourblind", include_str!("../../../themes/colourblind.toml")),
    ("ansi", include_str!("../../../themes/ansi.toml")),
    ("ansi-light", include_str!("../../../themes/ansi-light.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    Dark,
    Light,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Themes {
    colours: Colours,
    own: Arc<[(Arc<str>, ThemeFile)]>,
}

impl Themes {
    /// The built-in themes, for a terminal with this many colours.
    pub fn new(colours: Colours) -> Self {
        Self { colours, own: Arc::from([]) }
    }

    /// Adds the user's own themes, and returns their problems.
    pub fn with_own(&self, files: &ScreenFiles) -> (Self, Vec<Diagnostic>) {
        let mut problems = Vec::new();
        let mut own: Vec<(Arc<str>, ThemeFile)> = Vec::new();
        for theme in &files.themes {
            let (read, found) = file::read(&theme.text, &theme.shown);
            problems.extend(found);
            own.push((theme.name.as_str().into(), read));
        }
        let themes = Self { own: own.into(), ..*self };
        for ((name, theme), file) in themes.own.iter().zip(&files.themes) {
            if let Some(problem) = themes.inheritance_problem(name, theme) {
                problems.push(problem.in_file(&file.shown));
            }
        }
        (themes, problems)
    }

    fn inheritance_problem(&self, name: &str, theme: &ThemeFile) -> Option<Diagnostic> {
        let inherited = theme.inherits.as_deref()?;
        let is_known = self.names().any(|known| known == inherited);
        let problem = if !is_known {
            let known = || format!("themes are {}", self.names().collect::<Vec<_>>().join(", "));
            let fix = did_you_mean(inherited, self.names()).unwrap_or_else(known);
            Diagnostic::error(Code::UnknownValue, format!("there is no theme '{inherited}'")).fix(fix)
        } else if self.builds_on(inherited, name) {
            let message = format!("'{name}' inherits from itself: what it lacks is taken from dark");
            Diagnostic::error(Code::UnknownValue, message).fix("inherit another theme")
        } else {
            return None;
        };
        Some(match theme.inherits_at {
            Some(at) => problem.at(at),
            None => problem,
        })
    }

    /// Whether a theme inherits from another one, directly or indirectly.
    fn builds_on(&self, name: &str, other: &str) -> bool {
        let is_own = |name: &str| self.own(name).is_some();
        let mut at = name;
        for _ in 0..=self.own.len() {
            if at == other {
                // A user's theme may inherit from the built-in theme of the same name.
                return is_own(other) && !is_shipped(other);
            }
            match self.own(at).and_then(|theme| theme.inherits.as_deref()) {
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    }

    fn own(&self, name: &str) -> Option<&ThemeFile> {
        self.own.iter().find(|(known, _)| **known == *name).map(|(_, theme)| theme)
    }

    /// The names of all themes, built-in ones first. A user's theme replaces the built-in one of the same name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().map(|(name, _)| &**name);
        SHIPPED.iter().map(|(name, _)| *name).chain(own.filter(|name| !is_shipped(name)))
    }

    /// The theme with this name, if it exists. A terminal without colours has only one.
    pub fn theme(&self, name: &str) -> Option<Theme> {
        self.names().find(|known| *known == name)?;
        Some(if self.fixed().is_some() { self.usual(None) } else { self.read(name) })
    }

    /// The default theme for this background.
    pub fn usual(&self, background: Option<Background>) -> Theme {
        self.read(match (self.colours, background) {
            (Colours::Off | Colours::Mono, _) => "mono",
            (Colours::Sixteen, Some(Background::Light)) => "ansi-light",
            (Colours::Sixteen, _) => "ansi",
            (Colours::Indexed | Colours::True, Some(Background::Light)) => "light",
            (Colours::Indexed | Colours::True, _) => "dark",
        })
    }

    /// Whether the default theme depends on the background.
    pub fn follow_background(&self) -> bool {
        matches!(self.colours, Colours::Sixteen | Colours::Indexed | Colours::True)
    }

    /// Why there is no other theme; `None` if there is one.
    pub fn fixed(&self) -> Option<&'static str> {
        match self.colours {
            Colours::Off => Some("NO_COLOR is set: themes need colours"),
            Colours::Mono => Some("TERM says that this terminal has no colours"),
            Colours::Sixteen | Colours::Indexed | Colours::True => None,
        }
    }

    /// An existing theme, completed by those it inherits from.
    fn read(&self, name: &str) -> Theme {
        let (mut own_files, mut seen, mut at) = (Vec::new(), Vec::new(), name);
        while let Some(own) = self.own(at).filter(|_| !seen.contains(&at)) {
            own_files.push(own);
            seen.push(at);
            at = own.inherits.as_deref().unwrap_or("dark");
        }
        // Built-in themes are complete. The styles of a theme replace those that it inherits.
        let base = shipped(at);
        let mut styles = [Style::new(); ThemeRole::ALL.len()];
        for (role, style) in std::iter::once(&base).chain(own_files.into_iter().rev()).flat_map(|file| &file.styles) {
            if let Some(slot) = styles.get_mut(role.index()) {
                *slot = *style;
            }
        }
        Theme::of(name, styles, self.colours)
    }
}

fn is_shipped(name: &str) -> bool {
    SHIPPED.iter().any(|(known, _)| *known == name)
}

/// A built-in theme, or else the default one.
fn shipped(name: &str) -> ThemeFile {
    let text = SHIPPED.iter().find(|(known, _)| *known == name).or(SHIPPED.first()).map_or("", |(_, text)| *text);
    // A test parses each of them.
    file::read(text, name).0
}
