//! The four panes, by name and number.

use crate::tui::theme::ThemeRole;

refdesk_text::worded_enum! {
    /// One of the four panes with its name on the screen, in the order of their numbers.
    #[derive(Default)]
    pub enum Pane {
        /// The sources.
        #[default]
        Catalog = "Catalog",
        /// The selection and its reasons.
        Selection = "Selection",
        /// The sources that a prompt matches.
        Hints = "Hints",
        /// The templates.
        Templates = "Templates",
    }
}

impl Pane {
    /// From 0.
    pub fn index(self) -> usize {
        self as usize
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
