//! The settings of a workspace: which file holds them, what they say, and what is wrong with them (BEHAVIOUR §2).
//!
//! A configuration is read field by field from JSON, each field on its own, so that one bad field costs nothing but
//! itself. The entries under `sources` are only handed on; what they mean is the catalog's business.

mod approval;
mod document;
mod environment;
mod fields;
mod find;
pub mod keys;
mod outline;
pub mod profile;
pub mod screen;
mod settings;

pub use approval::{ApprovalMode, Rule, verdict};
pub use document::{JsonDocument, MemberPart};
pub use environment::Environment;
pub use fields::Fields;
pub use find::{Surroundings, expand, find, places};
pub use profile::Profile;
pub use settings::{ChannelKind, ChannelSettings, Settings};

use std::path::PathBuf;

use refdesk_files::read_regular;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The folder of what belongs to the user and to no workspace: `$XDG_STATE_HOME/refdesk`, or where the system keeps such
/// things; `None` where there is no home folder.
pub fn state_folder() -> Option<PathBuf> {
    let folders = directories::BaseDirs::new()?;
    Some(folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).join("refdesk"))
}

/// What a workspace's configuration gave.
#[derive(Debug, Default)]
pub struct Config {
    /// The file that was read; `None` where there is none or it does not parse.
    pub document: Option<JsonDocument>,
    /// Its settings, defaults where it says nothing.
    pub settings: Settings,
    /// `--config` or `$REFERENCES_CONFIG_PATH` names no file: every command ends with exit code 1.
    pub unmet: bool,
    /// There is a file and it cannot be read or does not parse.
    pub broken: bool,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds and reads the configuration of a workspace.
pub fn load(around: &Surroundings) -> Config {
    let (path, found) = find(around);
    let mut config = Config { unmet: !found.is_empty(), diagnostics: found, ..Config::default() };
    let Some(path) = path else { return config };
    let shown = around.display(&path);
    match read_regular(&path, u64::MAX) {
        Ok((bytes, _)) => {
            let (document, diagnostics) = JsonDocument::parse(&path, shown, bytes);
            config.diagnostics.extend(diagnostics);
            if let Some(document) = &document {
                config.settings = settings::read(document, &mut config.diagnostics);
            }
            config.broken = document.is_none();
            config.document = document;
        }
        Err(error) => {
            config.broken = true;
            let problem = Diagnostic::error(Code::Unreadable, format!("the configuration cannot be read: {error}"));
            config.diagnostics.push(problem.in_file(shown).hint("make it a readable file, or remove it"));
        }
    }
    config
}
