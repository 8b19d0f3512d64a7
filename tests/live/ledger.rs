//! Acknowledged actions, which must remain true whatever happens to any process later.

use std::collections::HashSet;
use std::fs;

use refdesk_files::name::sha256_hex;
use serde_json::Value;

use crate::live::world::journal;
use crate::support::workspace::Workspace;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// The actor, by its name in the journal.
    pub who: String,
    pub recorded: RecordedAction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedAction {
    /// This source was picked.
    Picked(String),
    /// This source was read.
    Read(String),
    /// This text was rendered.
    Rendered(String),
    /// This file was written with this text.
    Written(String, String),
    /// This text was added to a prompt.
    Added(String),
}

impl Acknowledged {
    /// Whether this line of the journal records the action.
    fn is_recorded_in(&self, line: &Value) -> bool {
        let about = |id: &str| line["about"].as_array().is_some_and(|about| about.iter().any(|it| it == id));
        let says = match &self.recorded {
            RecordedAction::Picked(id) => line["what"] == "selected" && about(id),
            RecordedAction::Read(id) => line["what"] == "read" && about(id),
            RecordedAction::Rendered(text) => {
                line["what"] == "rendered" && line["hash"] == *sha256_hex(text.as_bytes())
            }
            RecordedAction::Written(path, text) => {
                line["what"] == "written" && about(path) && line["bytes"] == text.len()
            }
            RecordedAction::Added(text) => line["what"] == "enriched" && line["text"] == **text,
        };
        says && line["who"] == *self.who && line["session"].as_str().is_some_and(|session| !session.is_empty())
    }
}

/// All actions acknowledged in a workspace.
#[derive(Debug, Default)]
pub struct Ledger {
    all: Vec<Acknowledged>,
    /// How many of them were found in the journal, which only grows.
    said: usize,
    /// Texts that a hook returned but could not record in time.
    late: usize,
}

impl Ledger {
    pub fn add(&mut self, more: impl IntoIterator<Item = Acknowledged>) {
        self.all.extend(more);
    }

    /// The number of actions, and of hook texts that were not recorded in time.
    pub fn count(&self) -> (usize, usize) {
        (self.all.len(), self.late)
    }

    /// Checks that every action is recorded with its actor. At most `torn` journal lines may be torn.
    #[track_caller]
    pub fn check(&mut self, workspace: &Workspace, torn: usize) {
        let picks: HashSet<String> = workspace.picks().into_iter().collect();
        let (lines, found) = journal(workspace);
        assert!(found <= torn, "{found} lines of the journal are torn");
        let numbers: Vec<u64> = lines.iter().map(|line| line["n"].as_u64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "each line has a number of its own: {numbers:?}");
        assert!(lines.iter().all(|line| line["who"].as_str().is_some_and(|who| !who.is_empty())));
        for (at, it) in self.all.iter().enumerate() {
            match &it.recorded {
                RecordedAction::Picked(id) => assert!(picks.contains(id), "lost: {it:?}"),
                RecordedAction::Written(path, text) => assert_eq!(&workspace.read(path), text, "lost: {it:?}"),
                _ => {}
            }
            if at >= self.said {
                let is_said = lines.iter().any(|line| it.is_recorded_in(line));
                // A hook waits only half a second for the lock, because a person is waiting for it. Then it reports
                // this.
                let is_late = !is_said && matches!(it.recorded, RecordedAction::Added(_));
                self.late += usize::from(is_late);
                assert!(is_said || is_late, "the journal does not say {it:?}");
            }
        }
        self.said = self.all.len();
        let log = workspace.beside("home/.local/state/refdesk/refdesk.log");
        let log = fs::read_to_string(log).unwrap_or_default();
        let said = log.lines().filter(|line| line.contains("the journal cannot be written")).count();
        assert!(self.late <= said && self.late <= 2, "{} texts of hooks are not in the journal: {log}", self.late);
    }
}
