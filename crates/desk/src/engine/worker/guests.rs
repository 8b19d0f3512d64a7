//! Who comes to the desk from elsewhere: programs that ask the person who sits here, agents with errands, and the
//! configuration that waits for trust.

use std::sync::Arc;

use super::super::errand::{Errand, Task};
use super::super::message::{Command, Event};
use super::super::notice::{Cause, Notice, Topic, Who};
use super::super::requests::{Ended, NotReplied, Reply};
use super::Worker;
use crate::{Deed, Desk};
use refdesk_text::Error;

impl Worker<'_> {
    /// Looks who asks for something, and says who does no longer.
    pub(super) fn look_at_requests(&mut self) {
        let now = self.now();
        let Some(requests) = &mut self.requests else { return };
        for over in requests.look(&self.desk, now) {
            if over.ended == Ended::AskerGone {
                // Whoever was killed puts nothing into the journal.
                let who: Arc<str> = over.request.asker.who.as_str().into();
                let text = "Asked, and ended before there was an answer";
                self.tell(Notice::new(Who::Other(who), Topic::Asked, text));
            }
            self.say(Event::Over(Box::new(over)));
        }
    }

    /// Looks what waits for trust. What another process trusts is seen when the workspace is read the next time.
    pub(super) fn look_at_trust(&mut self) {
        if self.requests.is_some() {
            self.untrusted = self.desk.untrusted().into();
        }
    }

    /// Trusts what the person was shown, and nothing else.
    pub(super) fn trust(&mut self, deeds: &[Deed]) {
        match self.desk.trust(deeds) {
            Ok(()) => {
                let what: Vec<&str> = deeds.iter().map(|deed| deed.what.as_str()).collect();
                self.tell(Notice::new(Who::You, Topic::Desk, format!("Trusted: {}", what.join("; "))));
            }
            Err(refusal) => self.refuse(refusal),
        }
        // Documents outside bring their templates as files from now on.
        self.files_due = true;
        self.tell_what_is_trusted();
        self.look_at_trust();
        self.publish();
    }

    /// Reads again where something is told that may not be any more, or left out that may be told by now.
    pub(super) fn tell_what_is_trusted(&mut self) {
        if self.desk.has_stale_trust() {
            self.reread(Desk::reload);
            self.watch_due = true;
            self.desk.settle();
            self.queue_documents();
            self.index_templates();
        }
    }

    /// Answers a request, or says why that is no answer.
    pub(super) fn reply(&mut self, request_id: &str, reply: Reply) {
        let replied = self.requests.as_mut().map(|requests| requests.reply(request_id, reply));
        match replied {
            Some(Ok(())) => {}
            Some(Err(NotReplied::Failed(error))) => {
                self.refuse(Error::new("not-answered", format!("the answer could not be written: {error}"), ""));
            }
            Some(Err(NotReplied::Late(by))) => {
                let by = by.unwrap_or_else(|| "somebody else, or who asked waits no longer".to_owned());
                let message = format!("your answer came too late: first was {by}");
                self.refuse(Error::new("answered", message, ""));
            }
            None => self.refuse(Error::new("nobody-asks", "nobody is asked here", "")),
        }
        self.look_at_requests();
        self.publish();
    }

    /// Does what agents asked for while the desk was opened: the first answer of a server waits for no watches. Gives the first
    /// command that is none of theirs.
    pub(super) fn run_early_errands(&mut self) -> Option<Command> {
        loop {
            match self.inbox.try_recv() {
                Ok(Command::Errand(errand)) => self.run_errand(*errand),
                Ok(other) => return Some(other),
                // Where nobody is left it is seen again.
                Err(_) => return None,
            }
        }
    }

    /// Does something for an agent. What follows from a choice is shown after the answer, which needs none of it.
    pub(super) fn run_errand(&mut self, errand: Errand) {
        let Errand { number, agent, task } = errand;
        // What another process was told is done counts for what is asked after it, though no notice of it came yet.
        self.hear_choice();
        self.tell_what_is_trusted();
        let (settles, chooses) = (matches!(task, Task::Settle | Task::Index | Task::Access), task.chooses());
        if task.needs_templates() {
            self.with_desk(Desk::settle);
            if self.templates_due {
                self.index_templates();
            }
        }
        let templates = self.templates.clone();
        let outcome = self.with_desk(|desk| desk.act_as(&agent, |desk| task.carry_out(desk, &templates)));
        if settles {
            self.publish();
        }
        self.say(Event::Done { number, outcome });
        if chooses {
            self.cause = Cause::Choice(Who::Other(agent.who.as_str().into()));
            self.index_templates();
            self.files_for = Some(agent);
            self.publish();
        }
    }
}
