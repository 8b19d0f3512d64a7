//! The user's own preferences: a TOML file beside the user's other settings, never part of a workspace.

use std::path::{Path, PathBuf};

/// The file in the folder of the user's settings; `None` without one.
pub fn file(config_home: Option<&Path>) -> Option<PathBuf> {
    config_home.map(|folder| folder.join("refdesk/config.toml"))
}
