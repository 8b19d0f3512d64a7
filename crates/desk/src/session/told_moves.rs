//! Which moved paths of a catalog a person was told about, so that the same ones are told once.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Store;

/// What is stored.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ToldMoves {
    /// The hash of what was told.
    hash: String,
}

impl Store {
    fn moves_file(&self) -> PathBuf {
        self.folder.join("moves.json")
    }

    /// Whether exactly this was told before.
    pub fn were_moves_told(&self, hash: &str) -> bool {
        let file = self.moves_file();
        let found = self.held_in(&file).ok().and_then(|()| self.read::<ToldMoves>(&file).ok().flatten());
        found.is_some_and(|found| found.is_own && found.value.hash == hash)
    }

    /// Remembers that this was told. A workspace without any state gets none for it.
    ///
    /// # Errors
    /// The file system's error with the path.
    pub fn keep_told_moves(&self, hash: String) -> io::Result<()> {
        if !self.keeps_anything() {
            return Ok(());
        }
        self.held_in(&self.moves_file())?;
        let _lock = self.lock()?;
        self.write(&self.moves_file(), &ToldMoves { hash })
    }
}
