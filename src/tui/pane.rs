//! The four panes, by name and number.

use crate::tui::theme::ThemeRole;

/// One of the four panes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Pane {
    /// The sources.
    #[default]
    Catalog,
    /// The selection and its reasons.
    Selection,
    /// The sources that a prompt matches.
    Hints,
    /// The templates.
    Templates,
}

impl Pane {
    /// In the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Catalog, Self::Selection, Self::Hints, Self::Templates];

    /// From 0.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The next pane, wrapping around.
    pub fn next(self) -> Self {
        match self {
            Self::Catalog => Self::Selection,
            Self::Selection => Self::Hints,
            Self::Hints => Self::Templates,
            Self::Templates => Self::Catalog,
        }
    }

    /// The previous pane, wrapping around.
    pub fn previous(self) -> Self {
        self.next().next().next()
    }

    /// Its name on the screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Catalog => "Catalog",
            Self::Selection => "Selection",
            Self::Hints => "Hints",
            Self::Templates => "Templates",
        }
    }

    /// Its colour.
    pub fn role(self) -> ThemeRole {
        match self {
            Self::Catalog => ThemeRole::Catalog,
            Self::Selection => ThemeRole::Selection,
            Self::Hints => ThemeRole::Hints,
            Self::Templates => ThemeRole::Templates,
        }
    }
}
