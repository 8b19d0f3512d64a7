//! State files of a workspace that this user's refdesk did not write on this machine, and how they were handled;
//! reported as one diagnostic (BEHAVIOUR §9 "Ours alone").

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use refdesk_core::selection::Choice;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The most files listed in the diagnostic.
const SHOWN: usize = 5;

/// The most ids used from a foreign choice.
const MAX_IDS: usize = 10_000;

/// The maximum length in bytes of an id from a foreign choice.
const LONGEST_ID: usize = 1024;

/// What was done with a foreign file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ForeignFileAction {
    Ignored,
    /// Only its picks and exclusions are used.
    Choice {
        /// Whether some are ignored because they are too many or too long.
        is_cut: bool,
        /// The path to which it was copied.
        aside: Option<String>,
    },
    /// Some of its lines are skipped.
    Lines,
    /// It was renamed to this path.
    Aside(String),
}

impl ForeignFileAction {
    fn is_aside(&self) -> bool {
        matches!(self, Self::Aside(_) | Self::Choice { aside: Some(_), .. })
    }
}

/// The usable part of a foreign choice, without duplicate ids, and whether something was left out.
pub(super) fn limited(choice: Choice) -> (Choice, bool) {
    let (mut left, mut is_cut) = (MAX_IDS, false);
    let mut some = |ids: Vec<String>| {
        let (mut known, mut kept) = (HashSet::new(), Vec::new());
        for id in ids {
            if known.contains(&id) {
                continue;
            }
            if left == 0 || id.len() > LONGEST_ID {
                is_cut = true;
                continue;
            }
            left -= 1;
            known.insert(id.clone());
            kept.push(id);
        }
        kept
    };
    let (picks, exclusions) = (some(choice.picks), some(choice.exclusions));
    (Choice { picks, exclusions, ..Choice::default() }, is_cut)
}

/// The foreign files found so far, shared by clones.
#[derive(Debug, Clone, Default)]
pub(super) struct Foreign(Arc<Mutex<BTreeMap<String, ForeignFileAction>>>);

impl Foreign {
    pub(crate) fn note(&self, file: String, fate: ForeignFileAction) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Keep the path to which it was moved, even if the file no longer exists.
        if fate.is_aside() || !files.get(&file).is_some_and(ForeignFileAction::is_aside) {
            files.insert(file, fate);
        }
    }

    /// Marks a formerly foreign file as ours.
    pub(crate) fn settle(&self, file: &str) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.get(file).is_some_and(|fate| !fate.is_aside()) {
            files.remove(file);
        }
    }

    pub(crate) fn diagnostic(&self) -> Option<Diagnostic> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.is_empty() {
            return None;
        }
        let reported = |(file, fate): (&String, &ForeignFileAction)| match fate {
            ForeignFileAction::Ignored => format!("{file} (ignored)"),
            ForeignFileAction::Choice { is_cut, aside } => {
                let most = format!("at most {MAX_IDS}, none longer than {LONGEST_ID} bytes");
                let most = if *is_cut { format!(", {most}") } else { String::new() };
                let aside = aside.as_ref().map_or_else(String::new, |aside| format!("; set aside as {aside}"));
                format!("{file} (only its picks and exclusions count{most}{aside})")
            }
            ForeignFileAction::Lines => format!("{file} (some of its lines are skipped)"),
            ForeignFileAction::Aside(aside) => format!("{file} (set aside as {aside})"),
        };
        let mut reported: Vec<String> = files.iter().take(SHOWN).map(reported).collect();
        if let Some(more) = files.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            reported.push(format!("and {more} more"));
        }
        let message = format!("not written by refdesk on this machine: {}", reported.join(", "));
        let hint =
            "if you moved or copied the folder, the next pick fixes this; otherwise the files came with the repository";
        Some(Diagnostic::warning(Code::ForeignState, message).fix(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_one_diagnostic() {
        let foreign = Foreign::default();
        assert_eq!(foreign.diagnostic(), None);
        foreign.note("a/selection.json".to_owned(), ForeignFileAction::Choice { is_cut: false, aside: None });
        foreign.note("a/told.json".to_owned(), ForeignFileAction::Ignored);
        foreign.settle("a/told.json");
        foreign.note("a/journal.jsonl".to_owned(), ForeignFileAction::Aside("a/journal.jsonl.foreign-1".to_owned()));
        foreign.note("a/journal.jsonl".to_owned(), ForeignFileAction::Lines);
        foreign.settle("a/journal.jsonl");
        let message = "not written by refdesk on this machine: a/journal.jsonl (set aside as \
                       a/journal.jsonl.foreign-1), a/selection.json (only its picks and exclusions count)";
        assert_eq!(foreign.diagnostic().unwrap().message, message);
        (0..10_000).for_each(|at| foreign.note(format!("b/{at}"), ForeignFileAction::Ignored));
        assert!(foreign.diagnostic().unwrap().message.ends_with("and 9997 more"));
    }
}
