//! State files of a workspace that this user's refdesk did not write on this machine, and how they were handled; reported
//! as one diagnostic (BEHAVIOUR §9 "Ours alone").

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The most files named in the diagnostic.
const SHOWN: usize = 5;

/// How a foreign file was handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is ignored.
    Ignored,
    /// Only its picks and exclusions are used.
    Picks,
    /// Some of its lines are skipped.
    Lines,
    /// It was renamed or copied to this path.
    Aside(String),
}

/// The foreign files found so far. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Foreign(Arc<Mutex<BTreeMap<String, Fate>>>);

impl Foreign {
    pub fn note(&self, file: String, fate: Fate) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Keep the path it was moved to, even if there is no file any more.
        if !matches!(files.get(&file), Some(Fate::Aside(_))) || matches!(fate, Fate::Aside(_)) {
            files.insert(file, fate);
        }
    }

    /// Marks a file that was foreign before as ours.
    pub fn settle(&self, file: &str) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.get(file).is_some_and(|fate| !matches!(fate, Fate::Aside(_))) {
            files.remove(file);
        }
    }

    pub fn diagnostic(&self) -> Option<Diagnostic> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.is_empty() {
            return None;
        }
        let told = |(file, fate): (&String, &Fate)| match fate {
            Fate::Ignored => format!("{file} (ignored)"),
            Fate::Picks => format!("{file} (only its picks and exclusions count)"),
            Fate::Lines => format!("{file} (lines of it are skipped)"),
            Fate::Aside(aside) if file.ends_with("selection.json") => {
                format!("{file} (only its picks and exclusions count; set aside as {aside})")
            }
            Fate::Aside(aside) => format!("{file} (set aside as {aside})"),
        };
        let mut told: Vec<String> = files.iter().take(SHOWN).map(told).collect();
        if let Some(more) = files.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            told.push(format!("and {more} more"));
        }
        let message = format!("not written by your refdesk on this machine: {}", told.join(", "));
        let hint = "this is expected after a move, a copy or an update of refdesk; otherwise the files came with the repository";
        Some(Diagnostic::warning(Code::ForeignState, message).hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_one_diagnostic() {
        let foreign = Foreign::default();
        assert_eq!(foreign.diagnostic(), None);
        foreign.note("a/selection.json".to_owned(), Fate::Picks);
        foreign.note("a/told.json".to_owned(), Fate::Ignored);
        foreign.settle("a/told.json");
        foreign.note("a/journal.jsonl".to_owned(), Fate::Aside("a/journal.jsonl.foreign-1".to_owned()));
        foreign.note("a/journal.jsonl".to_owned(), Fate::Lines);
        foreign.settle("a/journal.jsonl");
        let message = "not written by your refdesk on this machine: a/journal.jsonl (set aside as \
                       a/journal.jsonl.foreign-1), a/selection.json (only its picks and exclusions count)";
        assert_eq!(foreign.diagnostic().unwrap().message, message);
        (0..10_000).for_each(|at| foreign.note(format!("b/{at}"), Fate::Ignored));
        assert!(foreign.diagnostic().unwrap().message.ends_with("and 9997 more"));
    }
}
