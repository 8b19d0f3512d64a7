//! Publishes snapshots, notices of their differences, and new journal lines.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use super::super::event::{Age, Event, Receipts};
use super::super::journal_follower::Notices;
use super::super::notice::{self, Actor, ChangeOrigin, Notice, Topic, moment};
use super::super::requests::Requests;
use super::super::snapshot::{Loading, Snapshot};
use super::Worker;
use crate::{ProblemParts, Session};
use refdesk_core::catalog::Catalog;
use refdesk_core::selection::Selection;
use refdesk_files::name::safe;
use refdesk_templates::TemplateIndex;
use refdesk_text::report::{Diagnostic, add_new};

impl Worker<'_> {
    /// The templates for the client: a program sees only those it may read.
    pub(super) fn visible_templates(&self) -> Arc<TemplateIndex> {
        if self.requests.is_some() {
            return self.templates.clone();
        }
        match self.desk.readable(&self.templates) {
            Cow::Borrowed(_) => self.templates.clone(),
            // Keep an equal old value, because snapshots are compared by pointer first.
            Cow::Owned(readable) if readable == *self.last.templates => self.last.templates.clone(),
            Cow::Owned(readable) => Arc::new(readable),
        }
    }

    /// The problems of the workspace. A person or a script sees everything that `check` finds, and problems only a
    /// running desk can find.
    fn problems(&mut self) -> Vec<Diagnostic> {
        let (unfindable_sources, pages) = if self.reports_problems && self.unread.is_empty() {
            (self.unfindable_sources(), self.page_problems().to_vec())
        } else {
            Default::default()
        };
        let mut problems = self.desk.problems(ProblemParts {
            templates: &self.template_problems,
            profiles: &self.profile_problems,
            trust: &self.trust_problems,
            unfindable_sources: &unfindable_sources,
            pages: &pages,
        });
        let of_requests = self.requests.iter().flat_map(Requests::diagnostics);
        add_new(&mut problems, self.file_problems.iter().chain(&self.watch_problems).chain(of_requests));
        problems
    }

    /// Sources that only a pick brings up, computed once for each catalog and mention graph.
    fn unfindable_sources(&mut self) -> Vec<Diagnostic> {
        if self.desk.has_index() {
            return Vec::new();
        }
        let (catalog, graph) = (self.desk.catalog(), self.desk.graph());
        let known = self.found_only_by_index.take();
        let known = known.filter(|(of, by, _)| Arc::ptr_eq(of, catalog) && Arc::ptr_eq(by, graph));
        let (catalog, graph) = (catalog.clone(), graph.clone());
        let (.., found) =
            self.found_only_by_index.insert(known.unwrap_or_else(|| (catalog, graph, self.desk.found_only_by_index())));
        found.iter().filter(|problem| self.desk.is_not_selected(problem)).cloned().collect()
    }

    /// Problems of the pages of databases, found once for each catalog and reload.
    fn page_problems(&mut self) -> &[Diagnostic] {
        let (catalog, reads) = (self.desk.catalog(), self.reads);
        let known = self.page_problems.take().filter(|(of, at, _)| Arc::ptr_eq(of, catalog) && *at == reads);
        let found = known.unwrap_or_else(|| (catalog.clone(), reads, self.desk.page_problems()));
        &self.page_problems.insert(found).2
    }

    /// The price of the instructions, computed once for each catalog and selection after all documents have been read.
    fn instructions_price(&mut self) -> u64 {
        let (catalog, selection) = (self.desk.catalog(), self.desk.selection());
        let is_same = |(of, by, reads): &(Arc<Catalog>, Arc<Selection>, u64)| {
            Arc::ptr_eq(of, catalog) && Arc::ptr_eq(by, selection) && *reads == self.reads
        };
        if !self.unread.is_empty() || self.priced.as_ref().is_some_and(is_same) {
            return self.last.instructions;
        }
        let price = self.desk.settled().instructions_price();
        self.priced = Some((self.desk.catalog().clone(), self.desk.selection().clone(), self.reads));
        price
    }

    /// Sends a snapshot if it differs from the last one, and notices of what changed.
    pub(super) fn publish(&mut self) {
        if self.desk.take_trust_change() {
            self.update_trust();
        }
        let loading = (!self.unread.is_empty())
            .then(|| Loading { done: self.total.saturating_sub(self.unread.len()), total: self.total });
        // Sorting thousands of diagnostics for every snapshot would cost more than reading the documents, so keep the
        // old ones while they are being read.
        let diagnostics = if loading.is_some() && self.last.loading.is_some() {
            self.last.diagnostics.clone()
        } else {
            let problems = self.problems();
            if *self.last.diagnostics == *problems { self.last.diagnostics.clone() } else { problems.into() }
        };
        let instructions = self.instructions_price();
        let last = &self.last;
        let (undo, redo) = self.desk.undoable();
        let mut next = Snapshot {
            generation: last.generation,
            is_workspace: self.desk.workspace_context().is_workspace(),
            home: self.desk.unfit_home().map(Arc::from),
            workspace: Arc::from(self.desk.workspace().to_string_lossy()),
            desk: Arc::from(self.desk.name()),
            catalog: self.desk.catalog().clone(),
            graph: self.desk.graph().clone(),
            selection: self.desk.selection().clone(),
            by_agents: self.desk.picks_by_agents().clone().into(),
            templates: self.visible_templates(),
            tokens: self.desk.tokens.clone(),
            instructions,
            diagnostics,
            loading,
            is_indexing: self.is_indexing,
            undo,
            redo,
            exclude_tools: self.desk.settings().exclude_tools.clone().into(),
            has_databases: self.desk.has_documented_tables(),
            configured_databases: self.desk.databases().0.databases.len(),
            watching: self.watching.clone(),
            reads: self.reads,
            untrusted: self.untrusted.clone(),
            screen_files: self.screen_files.clone(),
            unread_requests: self.requests.as_ref().map_or(0, Requests::unread),
            requests: self.requests.as_ref().map_or_else(|| last.requests.clone(), |it| it.waiting().clone()),
        };
        self.published = Instant::now();
        if next == self.last {
            return;
        }
        next.generation += 1;
        self.last = next.clone();
        self.snapshots.send_replace(next.clone());
        self.publish_difference(next);
    }

    /// Sends notices of what changed since the last ones. While documents are being read, only changes of the choice
    /// count: a document that has not been read has not changed.
    pub(super) fn publish_difference(&mut self, next: Snapshot) {
        let (notices, reported) = match self.last_announced.take() {
            None if next.loading.is_some() => return,
            // What appears while the documents are first read is not a change. The lines of choices made meanwhile are
            // read now, because later ones add nothing to a notice.
            None => {
                if self.journal.has_begun() {
                    self.follow_journal(Age::Now);
                }
                (Vec::new(), next)
            }
            Some(reported) if next.loading.is_some() => {
                let own = !matches!(self.cause, ChangeOrigin::Choice(Actor::Other(_)) | ChangeOrigin::Journalled(_));
                let notices = if own { notice::selection(&reported, &next, &self.cause) } else { Vec::new() };
                let selection = if notices.is_empty() { reported.selection.clone() } else { next.selection };
                (notices, Snapshot { selection, ..reported })
            }
            Some(reported) => (notice::notices(&reported, &next, &self.cause), next),
        };
        self.last_announced = Some(reported);
        let (who, session) = (self.cause.who().clone(), self.chooser());
        if let ChangeOrigin::Retraced { text, .. } = &self.cause
            && notices.iter().any(|notice| notice.text == *text)
        {
            self.cause = ChangeOrigin::Choice(Actor::You);
        }
        for notice in notices {
            let session = session.clone().filter(|_| notice.who == who);
            self.send_notice(Notice { session, ..notice });
        }
    }

    /// The session that made the last change of picks and exclusions, if known.
    pub(super) fn chooser(&self) -> Option<Arc<str>> {
        match self.cause.who() {
            Actor::You => Some(self.session.name().into()),
            Actor::Other(_) => self.desk.chosen_in().map(Arc::from),
            Actor::Files => None,
        }
    }

    pub(super) fn send_notice(&self, notice: Notice) {
        let now = self.now();
        self.say(Event::Notice(moment::stamped(notice, now, now)));
    }

    pub(super) fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::try_from((self.clock)()).unwrap_or_default()
    }

    /// Reports the lines added to the journal since the last read.
    pub(super) fn follow_journal(&mut self, age: Age) {
        let notices = if self.last_announced.is_some() { Notices::Reported } else { Notices::NotYet };
        let new = self.journal.read_on(&self.desk, age, notices);
        if let Some(problem) = new.problem {
            self.send_notice(Notice::new(Actor::Files, Topic::Warning, problem));
        }
        if new.lines.is_empty() {
            return;
        }
        if age == Age::Now {
            self.explain_requests(&new.lines);
        }
        let now = self.now();
        let (workspace, desk) = (self.desk.workspace(), safe(self.desk.name()));
        let lines = new.lines.into_iter().map(|line| {
            let notice = notice::receipt(&line, workspace, &desk);
            // A line whose time cannot be parsed gets the current time.
            let time = line.time.parse().unwrap_or(now);
            (moment::stamped(notice, time, now), line)
        });
        let gap = (new.dropped > 0).then(|| {
            let text = format!("{} more arrived too fast to show; they are in the journal", new.dropped);
            moment::stamped(Notice::new(Actor::Files, Topic::Desk, text), now, now)
        });
        self.say(Event::Receipts(Receipts { lines: lines.collect(), age, gap }));
    }

    /// The name of a session's client in notices.
    pub(super) fn who(&self, session: &Session) -> Actor {
        if *session == self.session { Actor::You } else { Actor::Other(session.who.as_str().into()) }
    }

    pub(super) fn say(&self, event: Event) {
        // The client may have dropped the receiver.
        let _ = self.events.blocking_send(event);
    }
}
