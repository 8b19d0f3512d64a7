//! What the desk puts into the journal and reads of it. A journal that cannot be written is said once and keeps nothing
//! from being done (BEHAVIOUR §9, HOUSE).

use std::io;
use std::path::PathBuf;
use std::sync::PoisonError;

use super::Desk;
use crate::report::Diagnostic;
use crate::session::{Line, Receipt, Tail, advice};

impl Desk {
    /// Puts something into the journal. What keeps it from being there is answered the first time, and is among the
    /// diagnostics until something can be put there again.
    pub fn note(&self, receipt: Receipt) -> Option<Diagnostic> {
        self.note_all(vec![receipt])
    }

    /// The same for several, in one go.
    pub fn note_all(&self, receipts: Vec<Receipt>) -> Option<Diagnostic> {
        if receipts.is_empty() {
            return None;
        }
        let problem = self.store.append_all(receipts).err().map(|error| {
            let message = format!("the journal cannot be written: {error}");
            Diagnostic::warning("not-journalled", message).hint(advice(&error))
        });
        let mut known = self.unjournalled.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *known, problem.clone());
        problem.filter(|_| before.is_none())
    }

    pub(super) fn unjournalled(&self) -> Option<Diagnostic> {
        self.unjournalled.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every line of the journal that is whole, oldest first, and how many are not.
    ///
    /// # Errors
    /// What the file system says, with the path in front; no file is no error.
    pub fn journal(&self) -> io::Result<(Vec<Line>, usize)> {
        self.store.journal()
    }

    /// Follows the journal, beginning with its last lines, so many of them.
    pub fn tail(&self, last: usize) -> Tail {
        self.store.tail(last)
    }

    /// Where the journal is, there or not.
    pub fn journal_file(&self) -> PathBuf {
        self.store.journal_file()
    }
}
