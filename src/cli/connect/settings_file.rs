//! Where the settings of an agent are: in the workspace, or in the home folder. A link that leads outside is refused, so
//! that nothing is written there; a link inside is followed, and its target is written.

use std::path::{Path, PathBuf};

use super::super::environment;
use refdesk_agents::setup::{Client, SettingsVariable};
use refdesk_desk::Desk;
use refdesk_files::output::{Proposal, Scope};
use refdesk_files::path::{absolute, is_absent, slashed};
use refdesk_files::read_regular;
use refdesk_text::{Code, Error};

/// Maximum size of a settings file in bytes.
const LIMIT: u64 = 1024 * 1024;

/// A settings file.
pub(super) struct SettingsFile {
    /// The folder that it must stay within.
    root: PathBuf,
    folder: PathBuf,
    file: &'static str,
    for_user: bool,
    /// As printed.
    pub shown: String,
}

/// The settings file of this agent.
///
/// # Errors
/// There is no home folder.
pub(super) fn of(desk: &Desk, client: &Client, for_user: bool) -> Result<SettingsFile, Error> {
    let file = client.file;
    if !for_user {
        let root = desk.workspace().to_path_buf();
        let shown = format!("{}/{file}", client.folder);
        return Ok(SettingsFile { folder: root.join(client.folder), root, file, for_user, shown });
    }
    let Some(root) = environment::home() else {
        let message = "no home folder: HOME is not set or not an absolute path";
        return Err(Error::new(Code::NoHome, message, "set HOME, or connect the workspace with --project"));
    };
    let moved = match client.moved {
        SettingsVariable::Never => None,
        SettingsVariable::Folder(variable) => environment::folder(variable),
        SettingsVariable::Home(variable) => environment::folder(variable).map(|home| home.join(client.folder)),
    };
    let folder = moved.map_or_else(|| root.join(client.folder), |moved| absolute(&desk.around().current, &moved));
    let path = folder.join(file);
    let shown = path.strip_prefix(&root).map_or_else(|_| slashed(&path), |inside| format!("~/{}", slashed(inside)));
    Ok(SettingsFile { root, folder, file, for_user, shown })
}

impl SettingsFile {
    /// The scope of the settings, for programs.
    pub fn scope(&self) -> &'static str {
        if self.for_user { "user" } else { "project" }
    }

    /// How many folders above the file may be removed, at most up to its root.
    pub fn depth(&self) -> usize {
        self.folder.strip_prefix(&self.root).map_or(0, |inside| inside.components().count())
    }

    /// The text of the file; `None` if there is no file.
    ///
    /// # Errors
    /// It cannot be read, or is not a settings file.
    pub fn read(&self) -> Result<Option<String>, Error> {
        let shown = &self.shown;
        let (bytes, more) = match read_regular(&self.folder.join(self.file), LIMIT) {
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => {
                let message = format!("{shown} cannot be read: {error}");
                return Err(Error::new(Code::Unreadable, message, "make it a readable file"));
            }
            Ok(read) => read,
        };
        if more {
            let message = format!("{shown} has more than {LIMIT} bytes");
            return Err(Error::new(Code::TooLarge, message, "add the entries by hand; the README shows them"));
        }
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::new(Code::NoText, format!("{shown} is not UTF-8 from byte {at} on"), "save it as UTF-8")
        })
    }

    /// Runs `propose` on the root it must stay within, its folder, and its name.
    ///
    /// # Errors
    /// The path may not be written to.
    pub fn propose(
        &self,
        propose: impl Fn(&Path, &Path, &str, Scope) -> Result<Proposal, Error>,
    ) -> Result<Proposal, Error> {
        let proposed = propose(&self.root, &self.folder, self.file, Scope::Workspace);
        let proposal = proposed.map_err(|refused| {
            if refused.code == Code::Outside {
                let of = if self.for_user { "the home folder" } else { "the workspace" };
                let message = format!("{} lies outside {of}: {}", self.shown, refused.message);
                let hint = "add the entries there by hand; the README shows them";
                return Error::new(Code::Outside, message, hint);
            }
            refused
        })?;
        Ok(proposal.called(self.shown.clone()))
    }
}
