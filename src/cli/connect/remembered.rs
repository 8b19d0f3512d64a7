//! Where the record of a connection is kept: that of a workspace in the workspace, that of a user in the user's state folder.
//! Git gets neither; whoever takes a connection away without its record loses what is refdesk's and nothing else.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::config::screen;
use crate::desk::{Desk, Refusal};
use crate::disk::{read_regular, write_atomic};
use crate::setup::Record;

/// A record of a few names and numbers is never larger.
const LIMIT: u64 = 64 * 1024;

/// What is remembered of one connection.
pub(super) struct Remembered {
    /// `None` where a user has no folder for such things.
    file: Option<PathBuf>,
    for_user: bool,
    /// The bytes that were there.
    before: Option<Vec<u8>>,
    /// What they say.
    pub record: Option<Record>,
    /// What is wrong with them, a sentence.
    pub damage: Option<String>,
}

impl Remembered {
    /// What is remembered of this agent.
    pub fn new(desk: &Desk, agent: &str, for_user: bool) -> Self {
        let folder = if for_user {
            screen::file().and_then(|file| Some(file.parent()?.to_path_buf()))
        } else {
            Some(desk.workspace().join(".jaato/refdesk"))
        };
        let file = folder.map(|folder| folder.join("connected").join(format!("{agent}.json")));
        let read = file.as_ref().map(|file| read_regular(file, LIMIT));
        let mut new = Self { file, for_user, before: None, record: None, damage: None };
        let damage = match read {
            None => None,
            Some(Err(error)) if crate::disk::path::is_absent(&error) => None,
            Some(Err(error)) => Some(error.to_string()),
            Some(Ok((_, true))) => Some(format!("it has more than {LIMIT} bytes")),
            Some(Ok((bytes, false))) => {
                let read = serde_json::from_slice(&bytes).map(|record| new.record = Some(record));
                new.before = Some(bytes);
                read.err().map(|error| error.to_string())
            }
        };
        if let (Some(damage), Some(file)) = (damage, &new.file) {
            new.damage = Some(format!("what is remembered of the connection is damaged, {}: {damage}", file.display()));
        }
        new
    }

    /// Remembers this instead.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn store(&self, desk: &Desk, record: &Record) -> Result<(), Refusal> {
        let Some(file) = &self.file else { return Ok(()) };
        if !self.for_user {
            desk.own_folder()?;
        }
        let written = serde_json::to_vec_pretty(record).map_err(io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            write_atomic(file, &bytes)
        });
        written.map_err(|error| {
            let message = format!("what is to be taken away again could not be remembered: {error}");
            Refusal::new("not-stored", message, "make that folder writable")
        })
    }

    /// Remembers again what was remembered before, for a connection that did not come about. What it does not manage
    /// harms nobody: a record of another text only tells what was made for refdesk.
    pub fn put_back(&self) {
        if let (Some(file), Some(before)) = (&self.file, &self.before) {
            let _ = write_atomic(file, before);
        } else {
            self.forget();
        }
    }

    /// Forgets it; as harmless where it fails.
    pub fn forget(&self) {
        let _ = self.file.as_ref().map(fs::remove_file);
    }
}
