//! What a screen asks about profiles and what it is answered: the list, what switching to one would change, the switch.

use std::path::PathBuf;

use super::worker::Worker;
use crate::{Profiled, Switch};
use refdesk_text::report::Diagnostic;

/// Something about profiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Profiles {
    /// Which are there, and what would each load? Answered by [`OfProfiles::Listed`].
    List {
        /// Comes back with the answer.
        generation: u64,
    },
    /// What would switching to the one in this file change? Answered by [`OfProfiles::Compared`].
    Compare {
        /// Comes back with the answer.
        generation: u64,
        /// Its file.
        file: PathBuf,
    },
    /// Replace the desk's picks by those of the one in this file.
    Switch(PathBuf),
}

/// An answer about profiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfProfiles {
    /// The answer to [`Profiles::List`].
    Listed {
        /// Of the question.
        generation: u64,
        /// Each profile, in the order of their files.
        profiles: Vec<Profiled>,
        /// Why their folder cannot be read.
        problems: Vec<Diagnostic>,
    },
    /// The answer to [`Profiles::Compare`].
    Compared {
        /// Of the question.
        generation: u64,
        /// What would change, or why that cannot be told.
        switch: Result<Box<Switch>, String>,
    },
}

impl Profiles {
    /// Whether it changes what is stored.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Switch(_))
    }
}

impl Worker<'_> {
    pub(super) fn about_profiles(&mut self, asked: Profiles) {
        match asked {
            Profiles::List { generation } => {
                let (profiles, problems) = self.desk.profiles();
                self.answer_profiles(OfProfiles::Listed { generation, profiles, problems });
            }
            Profiles::Compare { generation, file } => {
                let switch = self.desk.outlook_of_switching(&file);
                let switch = switch.map(Box::new).map_err(|refusal| refusal.message);
                self.answer_profiles(OfProfiles::Compared { generation, switch });
            }
            Profiles::Switch(file) => self.switch_to(&file),
        }
    }
}
