//! Reads and writes files of databases in the workspace without following links.

use std::io;
use std::path::Path;

use refdesk_files::path::is_absent;
use refdesk_files::{Durability, FileMode, Folder, cause, is_link_refused, way_to_more};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Desk;

/// The folder for the state of a run.
pub(super) const STATE: &str = ".jaato/refdesk/db";

/// The fix for a symbolic link in place of one of our files or folders.
pub(super) const REPLACE_LINK: &str = "replace the link with the file or folder it points to";

/// The maximum size of a state file in bytes.
const STATE_BYTES: u64 = 64 * 1024 * 1024;

/// The bytes of a file in a workspace; `None` if it does not exist.
pub(super) fn bytes_below(workspace: &Path, path: &str, limit: u64) -> io::Result<Option<(Vec<u8>, bool)>> {
    let opened = Folder::of(workspace, &workspace.join(path));
    match opened.and_then(|(folder, name)| folder.read(name, limit)) {
        Ok(read) => Ok(Some(read)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text of a file in a workspace; `None` if it does not exist.
pub(super) fn text_below(workspace: &Path, path: &str, limit: u64) -> Result<Option<String>, Box<Diagnostic>> {
    let problem =
        |code: Code, message: String, fix: &str| Box::new(Diagnostic::error(code, message).in_file(path).fix(fix));
    match bytes_below(workspace, path, limit) {
        Ok(None) => Ok(None),
        Ok(Some((_, true))) => {
            Err(problem(Code::TooLarge, format!("the file has more than {limit} bytes"), "make it smaller"))
        }
        Ok(Some((bytes, false))) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.trim_start_matches('\u{feff}').to_owned())),
            Err(_) => Err(problem(Code::NotUtf8, "the file is not UTF-8".to_owned(), "save it as UTF-8")),
        },
        Err(error) => {
            let fix = if is_link_refused(&error) { REPLACE_LINK } else { "make it a readable file" };
            Err(problem(Code::Unreadable, format!("it cannot be read: {error}"), fix))
        }
    }
}

impl Desk {
    /// The bytes of a file in this workspace; `None` if it does not exist.
    pub(super) fn bytes_below(&self, path: &str, limit: u64) -> io::Result<Option<(Vec<u8>, bool)>> {
        bytes_below(self.workspace(), path, limit)
    }

    /// The text of a file in this workspace; `None` if it does not exist.
    pub(super) fn text_below(&self, path: &str, limit: u64) -> Result<Option<String>, Box<Diagnostic>> {
        text_below(self.workspace(), path, limit)
    }

    /// Reads a state file; `None` unless this user's refdesk wrote it here.
    pub(super) fn database_state<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let (bytes, more) = self.bytes_below(&format!("{STATE}/{name}"), STATE_BYTES).ok()??;
        let is_ours = !more && self.sealer().verifies(&format!("db/{name}"), &bytes);
        if is_ours { serde_json::from_slice(&bytes).ok() } else { None }
    }

    /// Writes a state file; does nothing if there is no key to seal it.
    pub(super) fn store_database_state<T: Serialize>(&self, name: &str, value: &T) -> Result<(), Error> {
        let failed = |error: io::Error| {
            let message = format!("{STATE}/{name} cannot be written: {}", cause(&error));
            Error::new(Code::NotStored, message, way_to_more(&error).unwrap_or("make it writable"))
        };
        let Ok(key) = self.sealer().key_or_new() else { return Ok(()) };
        let bytes = serde_json::to_vec_pretty(value).map_err(|error| failed(error.into()))?;
        let folder = self.database_state_folder().map_err(failed)?;
        let sealed = key.sealed(&format!("db/{name}"), &bytes);
        folder.write(name, &sealed, FileMode::Private, Durability::Recreatable).map_err(failed)
    }

    pub(super) fn database_state_folder(&self) -> io::Result<Folder> {
        Folder::root(self.workspace())?.make(Path::new(STATE), FileMode::Private)
    }
}
