//! What needs the person at the screen: requests of other processes, and actions that need trust.

use std::sync::Arc;

use super::super::event::Event;
use super::super::notice::{Actor, Notice, Topic};
use super::super::request::OutsideChange;
use super::super::requests::{ClosedRequest, OtherAnswer, Reply, ReplyFailure, RequestEnd};
use super::Worker;
use crate::channel::Request;
use crate::session::{JournalEvent, Line};
use crate::{Desk, PrivilegedAction};
use refdesk_core::config::screen_files;
use refdesk_text::{Code, Error};

impl Worker<'_> {
    /// Reads the requests, and reports those that are no longer pending.
    pub(super) fn update_requests(&mut self) {
        let now = self.now();
        let Some(requests) = &mut self.requests else { return };
        for over in requests.look(&self.desk, now) {
            if over.ended == RequestEnd::RequesterExited {
                // A killed process does not journal its end.
                let who: Arc<str> = over.request.asker.who.as_str().into();
                let text = "Asked, but ended before there was an answer";
                self.send_notice(Notice::new(Actor::Other(who), Topic::Asked, text));
            }
            self.say(Event::Closed(Box::new(over)));
        }
    }

    /// Reports who answered requests that had ended without a known answerer.
    pub(super) fn explain_requests(&mut self, lines: &[Line]) {
        let Some(requests) = &mut self.requests else { return };
        let answers = lines.iter().filter(|line| line.receipt.what == JournalEvent::Answered);
        let over = answers.filter_map(|line| {
            let (about, by) = (&line.receipt.about, line.receipt.by.clone()?);
            let reply = (!about.is_empty()).then(|| Reply::Chosen(about.to_vec()));
            requests.explain(line.receipt.request.as_deref()?, OtherAnswer { by: Some(by), reply })
        });
        let over: Vec<ClosedRequest> = over.collect();
        for over in over {
            self.say(Event::Closed(Box::new(over)));
        }
    }

    /// Finds actions that need trust. A decision made in another process is noticed at the next reload.
    pub(super) fn update_trust(&mut self) {
        if self.reports_problems {
            self.untrusted = self.desk.untrusted().into();
            self.trust_problems = self.desk.waiting();
        }
    }

    /// Reads the profiles for their problems.
    pub(super) fn update_profiles(&mut self) {
        if self.reports_problems {
            self.profile_problems = self.desk.profile_problems();
        }
    }

    pub(super) fn update_screen_files(&mut self) {
        if self.requests.is_none() {
            return;
        }
        let files = screen_files::read(self.desk.workspace_context().config_home.as_deref());
        if self.screen_files.as_deref() != Some(&files) {
            self.screen_files = Some(Arc::new(files));
        }
    }

    /// Trusts exactly what the person was shown.
    pub(super) fn trust(&mut self, actions: &[PrivilegedAction]) {
        match self.desk.trust(actions) {
            Ok(()) => {
                let what: Vec<&str> = actions.iter().map(|action| action.summary.as_str()).collect();
                self.send_notice(Notice::new(Actor::You, Topic::Desk, format!("Trusted: {}", what.join("; "))));
            }
            Err(refusal) => self.refuse(refusal),
        }
        // Templates of documents outside the workspace are written to files from now on.
        self.files_due = true;
        self.reload_if_trust_changed();
        self.update_trust();
        self.publish();
    }

    /// Reads the workspace again if trust changed, and updates what agents may read.
    pub(super) fn reload_if_trust_changed(&mut self) {
        if self.desk.has_stale_trust() {
            let before = self.desk.selection().clone();
            self.reread(Desk::reload);
            self.watch_due = true;
            self.after_change(OutsideChange::Workspace, &before);
        }
    }

    /// Answers a request of another process, or reports that it was too late.
    pub(super) fn reply(&mut self, request: &Request, reply: Reply) {
        let who = Some(request.asker.who.as_str()).filter(|who| !who.is_empty()).unwrap_or("the agent");
        let chosen = if let Reply::Chosen(ids) = &reply { ids.clone() } else { Vec::new() };
        let replied = self.requests.as_mut().map(|requests| requests.reply(request, reply));
        match replied {
            Some(Ok(())) => self.desk.expect_answer(who, &chosen),
            Some(Err(ReplyFailure::Changed)) => {
                let message = "the request has changed since it was shown, and nothing was answered".to_owned();
                self.refuse(Error::new(Code::Changed, message, "look at it again"));
            }
            Some(Err(ReplyFailure::Failed(error))) => {
                self.refuse(Error::new(Code::NotAnswered, format!("the answer could not be written: {error}"), ""));
            }
            Some(Err(ReplyFailure::Late(by))) => {
                let why =
                    by.map_or_else(|| "the request is no longer open".to_owned(), |by| format!("{by} answered first"));
                let message = format!("your answer came too late: {why}");
                self.refuse(Error::new(Code::Answered, message, ""));
            }
            None => self.refuse(Error::new(Code::NobodyAsks, "requests cannot be answered here", "")),
        }
        self.update_requests();
        self.publish();
    }
}
