//! Filters the events of the system's watcher, on the watcher's thread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use notify::EventKind;
use notify::event::{ModifyKind, RenameMode};

use super::wanted::NameFilter;
use crate::engine::request::OutsideChange;
use crate::engine::requests::is_in_folders;

/// What the watcher's thread needs, and what it records for the next order.
#[derive(Debug, Default)]
pub(super) struct EventFilter {
    pub interests: BTreeMap<PathBuf, NameFilter>,
    /// The file of picks and exclusions.
    pub choice: PathBuf,
    /// The journal.
    pub journal: PathBuf,
    /// Folders of requests and answers.
    pub requests: Vec<PathBuf>,
    /// The folder of connected agents.
    pub agents: Option<PathBuf>,
    pub lost: LostWatches,
}

/// Watches that may have stopped working.
#[derive(Debug, Default)]
pub(super) struct LostWatches {
    /// All of them, because events were lost.
    pub all: bool,
    /// Those for these paths and everything below.
    pub paths: BTreeSet<PathBuf>,
}

impl EventFilter {
    /// Handles an event; returns what the desk must read again, if anything.
    pub(super) fn handle_event(&mut self, event: notify::Result<notify::Event>) -> Option<OutsideChange> {
        let Some(event) = event.ok().filter(|event| !event.need_rescan()) else {
            // Events were lost, perhaps the removal of a folder.
            self.lost.all = true;
            return Some(OutsideChange::Workspace);
        };
        // Reading is not a change; otherwise a desk that reads would reload forever.
        if matches!(event.kind, EventKind::Access(_)) {
            return None;
        }
        let went = match event.kind {
            EventKind::Remove(_) => true,
            EventKind::Modify(ModifyKind::Name(mode)) => mode != RenameMode::To,
            _ => false,
        };
        let mut matters = None;
        for path in event.paths {
            let holds_followed =
                self.interests.range(path.clone()..).next().is_some_and(|(it, _)| it.starts_with(&path));
            if went && holds_followed {
                self.lost.paths.insert(path.clone());
            }
            // These files stay locked and are never renamed into place, so any event counts.
            if self.agents.is_some() && path.parent() == self.agents.as_deref() {
                matters = matters.max(Some(OutsideChange::Agents));
            } else if holds_followed || self.covers(&path) {
                matters = matters.max(Some(match () {
                    () if path == self.choice => OutsideChange::Choice,
                    () if path == self.journal => OutsideChange::Journal,
                    () if is_in_folders(&self.requests, &path) => OutsideChange::Requests,
                    () => OutsideChange::Workspace,
                }));
            }
        }
        matters
    }

    fn covers(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        self.interests.get(folder).is_some_and(|interest| interest.covers(name))
    }
}

#[cfg(test)]
mod tests {
    use notify::Event;
    use notify::event::{AccessKind, AccessMode, CreateKind, DataChange, Flag, RemoveKind};

    use super::*;

    fn filter() -> EventFilter {
        let named = NameFilter::Named(BTreeSet::from(["selection.json".into(), "journal.jsonl".into()]));
        let interests = BTreeMap::from([
            (PathBuf::from("/w/.jaato/refdesk"), named),
            (PathBuf::from("/w/.jaato/refdesk/agents"), NameFilter::All),
            (PathBuf::from("/w/.jaato/refdesk/ask/requests"), NameFilter::All),
            (PathBuf::from("/w/docs"), NameFilter::All),
            (PathBuf::from("/w/docs/deep"), NameFilter::All),
        ]);
        let own = |name: &str| Path::new("/w/.jaato/refdesk").join(name);
        EventFilter {
            interests,
            choice: own("selection.json"),
            journal: own("journal.jsonl"),
            requests: vec![own("ask/requests")],
            agents: Some(own("agents")),
            lost: LostWatches::default(),
        }
    }

    #[test]
    fn which_events_matter_and_which_watches_they_may_end() {
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let made = EventKind::Create(CreateKind::Any);
        let removed = EventKind::Remove(RemoveKind::Any);
        let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let from = EventKind::Modify(ModifyKind::Name(RenameMode::From));
        let to = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        let (any, none) = (Some(OutsideChange::Workspace), None);
        for (kind, path, matters, lost) in [
            (written, "/w/docs/a.md", any, false),
            (closed, "/w/docs/a.md", none, false),
            (to, "/w/docs/a.md", any, false),
            (made, "/w/docs/.refdesk-x1.tmp", none, false),
            (made, "/w/docs/node_modules", none, false),
            (removed, "/w/docs/a.md", any, false),
            (removed, "/w/docs/deep", any, true),
            (removed, "/w/docs", any, true),
            (from, "/w", any, true),
            (made, "/w/docs", any, false),
            (to, "/w/.jaato/refdesk/selection.json", Some(OutsideChange::Choice), false),
            (written, "/w/.jaato/refdesk/journal.jsonl", Some(OutsideChange::Journal), false),
            (to, "/w/.jaato/refdesk/ask/requests/a.json", Some(OutsideChange::Requests), false),
            (removed, "/w/.jaato/refdesk/ask/requests/a.json", Some(OutsideChange::Requests), false),
            (removed, "/w/.jaato/refdesk/ask/requests", any, true),
            (made, "/w/.jaato/refdesk/agents/.refdesk-x1.tmp", Some(OutsideChange::Agents), false),
            (removed, "/w/.jaato/refdesk/agents/.refdesk-x1.tmp", Some(OutsideChange::Agents), false),
            (removed, "/w/.jaato/refdesk/agents", any, true),
            (made, "/w/.jaato/refdesk/lock", none, false),
            (made, "/w/.jaato/refdesk/.gitignore", none, false),
            (made, "/w/.jaato/refdesk/sessions", none, false),
            (to, "/w/.jaato/refdesk/sessions/s/told.json", none, false),
            (removed, "/w/other", none, false),
            (written, "/w/docsy", none, false),
        ] {
            let mut filter = filter();
            let event = Event::new(kind).add_path(PathBuf::from(path));
            assert_eq!(filter.handle_event(Ok(event)), matters, "{kind:?} {path}");
            assert_eq!(filter.lost.paths.contains(Path::new(path)), lost, "{kind:?} {path}");
        }
    }

    #[test]
    fn lost_events_count_as_any_change() {
        let dropped = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        for event in [Ok(dropped), Err(notify::Error::generic("x"))] {
            let mut filter = filter();
            assert!(filter.handle_event(event) == Some(OutsideChange::Workspace) && filter.lost.all);
        }
    }
}
