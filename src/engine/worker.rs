//! The engine's loop: take what was asked, do it, publish what follows; when nothing is asked, read documents; when all are
//! read, wait.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{Receiver, Sender, WeakSender};
use tokio::sync::watch as newest;

use super::errand::{Errand, Task};
use super::message::{Age, Command, Event, Hearer, Loading, Receipts, Snapshot, Wanted, Watching};
use super::notice::{self, Cause, Notice, Topic, Who, moment};
use super::overhear::{Notices, Overhear};
use super::previews::{Ask, Previews};
use super::profiles::OfProfiles;
use super::requests::{Ended, NotReplied, Reply, Requests};
use super::watch::{Followed, Watch};
use crate::catalog::SourceId;
use crate::desk::{Agent, Changed, Deed, Desk, Options, Reader, Refusal, Request, Spot, Undone};
use crate::disk::name::safe;
use crate::enrich::{Asked, TextKind};
use crate::output::{Proposal, Unwritten, Written};
use crate::report::{Diagnostic, add_new};
use crate::selection::Selection;
use crate::template::TemplateIndex;

/// Sources read between two looks at the queue.
const BATCH: usize = 64;

/// While documents are read, a snapshot at most this often.
const PROGRESS: Duration = Duration::from_millis(40);

/// Runs until every sender of commands is gone.
pub fn run(
    options: Options,
    inbox: Receiver<Command>,
    snapshots: &newest::Sender<Snapshot>,
    events: &Sender<Event>,
    changed: WeakSender<Command>,
    previews: Previews,
    seat: Seat,
) {
    let options_clock = options.clock;
    let who = options.who.clone();
    let mut desk = Desk::open(options);
    // Where that cannot be done the next change says why.
    let _ = desk.finish_interrupted();
    let requests = (seat == Seat::Person).then(|| Requests::attend(&desk, &who, changed.clone()));
    let mut worker = Worker {
        requests,
        untrusted: Arc::from([]),
        unread: VecDeque::new(),
        total: 0,
        inbox,
        snapshots,
        events,
        previews,
        templates: Arc::default(),
        template_problems: Vec::new(),
        files_due: true,
        files_for: None,
        file_problems: Vec::new(),
        watching: Watching::default(),
        watch_problems: Vec::new(),
        last: Snapshot::default(),
        told: None,
        cause: Cause::Choice(Who::You),
        clock: options_clock,
        reads: 0,
        published: Instant::now(),
        ear: Overhear::new(&desk),
        desk,
    };
    worker.queue_documents();
    worker.look_at_requests();
    worker.look_at_trust();
    worker.publish();
    worker.listen(Age::Past);
    // After the first snapshot: setting up a thousand watches takes longer than a first frame may.
    let mut watch = Watch::new(changed);
    if worker.watch(&mut watch) == Followed::New {
        // What changed until now nobody told; as yet no document was read that would have to be read again. The journal
        // first: who is chosen by then is no change any more.
        worker.listen(Age::Now);
        worker.desk.reload();
        worker.queue_documents();
        if worker.watch(&mut watch) == Followed::New {
            watch.look_again();
        }
    }
    worker.look_at_requests();
    worker.index_templates();
    // What turned up until now is no change, even where there was no document to wait for.
    worker.told = None;
    worker.publish();
    worker.told = worker.last.loading.is_none().then(|| worker.last.clone());
    worker.work(&mut watch);
}

/// Who sits at the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seat {
    /// A person, who can be asked.
    Person,
    /// A program.
    Program,
}

pub(super) struct Worker<'a> {
    pub(super) desk: Desk,
    /// Who asks the person that sits here; `None` where nobody does.
    requests: Option<Requests>,
    /// What waits for that person's trust.
    untrusted: Arc<[Deed]>,
    inbox: Receiver<Command>,
    snapshots: &'a newest::Sender<Snapshot>,
    events: &'a Sender<Event>,
    previews: Previews,
    /// At the journal.
    ear: Overhear,
    /// Sources whose documents are still to be read.
    unread: VecDeque<SourceId>,
    /// How many there were when reading began.
    total: usize,
    templates: Arc<TemplateIndex>,
    template_problems: Vec<Diagnostic>,
    /// Whether the templates differ from those whose files were written last, and what was wrong with writing them.
    files_due: bool,
    /// The agent whose pick brings what is due; `None` where it is whoever sits here.
    files_for: Option<Agent>,
    file_problems: Vec<Diagnostic>,
    watching: Watching,
    watch_problems: Vec<Diagnostic>,
    last: Snapshot,
    /// What the notices so far led up to: the last state in which every document was read.
    told: Option<Snapshot>,
    /// Whose the newest change of picks and exclusions is.
    cause: Cause,
    clock: fn() -> SystemTime,
    reads: u64,
    published: Instant,
}

impl Worker<'_> {
    fn work(&mut self, watch: &mut Watch) {
        loop {
            let first = if self.unread.is_empty() && !self.files_due {
                match self.inbox.blocking_recv() {
                    Some(command) => Some(command),
                    None => return,
                }
            } else {
                match self.inbox.try_recv() {
                    Ok(command) => Some(command),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => {
                        // What was chosen last has its files too, where all is known that it brings.
                        if self.files_due && self.desk.wanted().is_empty() {
                            self.write_templates();
                        }
                        return;
                    }
                }
            };
            match first {
                Some(command) => {
                    for command in self.with_all_waiting(command) {
                        self.obey(command, watch);
                    }
                }
                None if self.unread.is_empty() => {
                    self.write_templates();
                    self.publish();
                }
                None => self.read_some(),
            }
        }
    }

    /// Writes the files of the templates, once nothing else waits: of ten quick picks only the last matters.
    fn write_templates(&mut self) {
        self.files_due = false;
        let templates = self.templates.clone();
        let done = match self.files_for.take() {
            Some(agent) => self.desk.act_as(&agent, |desk| desk.write_templates(&templates)),
            None => self.desk.write_templates(&templates),
        };
        self.file_problems = done.diagnostics;
    }

    /// The command and those behind it, without questions that a later one of the same kind makes old.
    fn with_all_waiting(&mut self, first: Command) -> Vec<Command> {
        let mut waiting = vec![first];
        while let Ok(command) = self.inbox.try_recv() {
            waiting.push(command);
        }
        let mut seen = HashSet::new();
        // From the last to the first: of each kind of question only the last is still asked.
        let mut kept: Vec<Command> = Vec::new();
        while let Some(command) = waiting.pop() {
            if !command.is_question() || seen.insert(std::mem::discriminant(&command)) {
                kept.push(command);
            }
        }
        kept.reverse();
        // Nobody waits for a price who has not seen the row that it is about.
        kept.sort_by_key(|command| matches!(command, Command::Simulate { .. }));
        // Reading again takes longest, and nobody waits for it who asks something right behind it.
        if let Some(behind) = kept.iter().position(|command| *command == Command::Reload)
            && let Some(rest) = kept.get_mut(behind..)
        {
            let questions = rest.iter().skip(1).take_while(|command| command.is_question()).count();
            if let Some(turned) = rest.get_mut(..=questions) {
                turned.rotate_left(1);
            }
        }
        kept
    }

    fn obey(&mut self, command: Command, watch: &mut Watch) {
        if self.inbox.is_closed() && !command.is_change() {
            return;
        }
        let is_own = command.is_change() && !matches!(command, Command::Errand(_));
        if is_own || (!self.files_due && self.unread.is_empty()) {
            self.files_for = None;
        }
        match command {
            Command::Pick(id) => {
                let picked = self.desk.pick(&[id.to_string()], &[]);
                match picked {
                    Ok(picked) if picked.picked.is_empty() && !picked.missing.is_empty() => {
                        self.refuse(Refusal::new("missing", picked.message, "mend its path first"));
                    }
                    Ok(_) => {}
                    Err(refusal) => self.refuse(refusal),
                }
                self.follow_choice();
            }
            Command::Unpick(id) => self.change(|desk| desk.unpick(&[id.to_string()])),
            Command::Exclude(id) => self.change(|desk| desk.exclude(&[id.to_string()])),
            Command::Include(id) => self.change(|desk| desk.include(&[id.to_string()])),
            Command::Clear => self.change(|desk| desk.clear(false)),
            Command::Undo => {
                let undone = self.desk.undo();
                self.retraced("Undone", "undo", undone);
            }
            Command::Redo => {
                let redone = self.desk.redo();
                self.retraced("Done again", "redo", redone);
            }
            Command::Outlook { generation, id } => {
                let outlook = self.desk.outlook(id.as_str());
                self.say(Event::Outlook { generation, outlook });
            }
            Command::OutlookOf { generation, one, all } => {
                let one = self.desk.outlook_of(one.as_slice());
                let all = self.desk.outlook_of(&all);
                self.say(Event::OutlookOf { generation, one, all });
            }
            Command::Trust(deeds) => self.trust(&deeds),
            Command::Requests => {
                self.look_at_requests();
                self.publish();
            }
            Command::Reply { request_id, reply } => self.reply(&request_id, reply),
            Command::Read { generation, id } => {
                let document = self.desk.document(id.as_str());
                self.say(Event::Document { generation, document });
            }
            Command::Locate(wanted) => {
                let spot = match &wanted {
                    Wanted::Definition(id) => self.desk.definition(id.as_str()),
                    Wanted::Document(id) => self.desk.document_spot(id.as_str()),
                };
                match spot {
                    Ok(spot) => self.say(Event::Located(spot)),
                    Err(refusal) => self.refuse(refusal),
                }
            }
            Command::Reload => {
                self.reads += 1;
                let before = self.desk.selection().clone();
                self.reread(Desk::reload);
                if self.watch(watch) == Followed::New {
                    watch.look_again();
                }
                self.desk.settle();
                if let Err(refusal) = self.desk.forget_left(&before) {
                    self.refuse(refusal);
                }
                self.look_at_requests();
                self.look_at_trust();
                self.queue_documents();
                self.index_templates();
                // What is remembered is read at once; only a long reading is worth a frame in between.
                self.published = Instant::now();
                if self.unread.is_empty() {
                    self.publish();
                }
            }
            Command::Reread => {
                let before = self.desk.selection().clone();
                self.reread(Desk::reread_choice);
                self.follow_choice_of_others(&before);
            }
            Command::Look { generation, prompt } => {
                let findings = self.desk.look(&prompt);
                self.say(Event::Findings { generation, findings });
            }
            Command::Simulate { generation, prompt, hearer } => {
                let repeat = hearer == Hearer::Stranger;
                let asked = Asked { repeat, ..Asked::new(TextKind::Prompt, &prompt) };
                let (enriched, problems) = self.desk.enrich(&asked, Reader::Nobody);
                self.say(Event::Simulated { generation, enriched: Box::new(enriched), problems });
            }
            Command::Listen => {
                // A choice is stored before the journal says so: it is told as what changed, and then the line adds nothing.
                let (before, chosen) = (self.desk.selection().clone(), self.desk.choice().clone());
                self.reread(Desk::reread_choice);
                if *self.desk.choice() != chosen {
                    self.follow_choice_of_others(&before);
                }
                self.listen(Age::Now);
            }
            Command::Replay { generation, number } => {
                let line = match self.desk.line(number) {
                    Ok(Some(line)) => Ok(Box::new(line)),
                    Ok(None) => Err(format!("line {number} is not in the journal any more")),
                    Err(error) => Err(format!("the journal cannot be read: {error}")),
                };
                self.say(Event::Replayed { generation, line });
            }
            Command::Preview { generation, template, values, path } => {
                let request = Request::named(template.as_str(), values);
                match self.desk.prepare(&self.templates, &request) {
                    Ok(prepared) => self.previews.ask(Ask { generation, template, prepared, path }),
                    Err(unrendered) => self.say(Event::Preview { generation, template, outcome: Err(unrendered) }),
                }
            }
            Command::Errand(errand) => self.run_errand(*errand),
            Command::Profiles(asked) => self.about_profiles(asked),
            Command::Write(proposal) => {
                let answer = self.desk.write(std::slice::from_ref(&*proposal));
                self.wrote(&proposal, answer);
            }
        }
    }

    /// Looks who asks for something, and says who does no longer.
    fn look_at_requests(&mut self) {
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
    fn look_at_trust(&mut self) {
        if self.requests.is_some() {
            self.untrusted = self.desk.untrusted().into();
        }
    }

    /// Trusts what the person was shown, and nothing else.
    fn trust(&mut self, deeds: &[Deed]) {
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

    /// Reads again where a text is told that may not be, or left out that may be told.
    fn tell_what_is_trusted(&mut self) {
        if self.desk.has_stale_texts() {
            self.reread(Desk::reload);
            self.desk.settle();
            self.queue_documents();
            self.index_templates();
        }
    }

    /// The templates that whoever sits here sees: a program those that it may read by now.
    fn seen_templates(&self) -> Arc<TemplateIndex> {
        if self.requests.is_some() {
            return self.templates.clone();
        }
        match self.desk.readable(&self.templates) {
            Cow::Borrowed(_) => self.templates.clone(),
            // The same value as long as it says the same: notices and snapshots are told apart by that.
            Cow::Owned(readable) if readable == *self.last.templates => self.last.templates.clone(),
            Cow::Owned(readable) => Arc::new(readable),
        }
    }

    /// Answers a request, or says why that is no answer.
    fn reply(&mut self, request_id: &str, reply: Reply) {
        let replied = self.requests.as_mut().map(|requests| requests.reply(request_id, reply));
        match replied {
            Some(Ok(())) => {}
            Some(Err(NotReplied::Failed(error))) => {
                self.refuse(Refusal::new("not-answered", format!("the answer could not be written: {error}"), ""));
            }
            Some(Err(NotReplied::Late(by))) => {
                let by = by.unwrap_or_else(|| "somebody else, or who asked waits no longer".to_owned());
                let message = format!("your answer came too late: first was {by}");
                self.refuse(Refusal::new("answered", message, ""));
            }
            None => self.refuse(Refusal::new("nobody-asks", "nobody is asked here", "")),
        }
        self.look_at_requests();
        self.publish();
    }

    /// Does something for an agent. What follows from a choice is shown after the answer, which needs none of it.
    fn run_errand(&mut self, errand: Errand) {
        let Errand { number, agent, task } = errand;
        self.tell_what_is_trusted();
        let (settles, chooses) = (matches!(task, Task::Settle), task.chooses());
        let members = self.desk.selection().members().len();
        let templates = self.templates.clone();
        let outcome = self.desk.act_as(&agent, |desk| task.carry_out(desk, &templates));
        if settles {
            if self.desk.selection().members().len() != members {
                self.index_templates();
            }
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

    /// Answers who wanted a file written, and notes in the feed that it was.
    fn wrote(&mut self, proposal: &Proposal, answer: Result<Vec<Written>, Unwritten>) {
        let written = match answer {
            Ok(written) => written,
            Err(unwritten) => return self.say(Event::Unwritten(unwritten)),
        };
        for written in written {
            if !proposal.is_unchanged() {
                let text = format!("Wrote {} ({})", written.shown, proposal.diff.summary());
                let place = Some(Spot { path: proposal.path.clone(), line: 1 });
                self.tell(Notice { place, ..Notice::new(Who::You, Topic::Template, text) });
            }
            self.say(Event::Written(written));
        }
    }

    /// Reads again, and takes note of who changed picks and exclusions meanwhile.
    fn reread(&mut self, read: fn(&mut Desk)) {
        let chosen = self.desk.choice().clone();
        read(&mut self.desk);
        if *self.desk.choice() != chosen {
            self.cause = match self.desk.chosen_by() {
                Some(who) => Cause::Journalled(Who::Other(Arc::from(who))),
                None => Cause::Choice(Who::Other(Arc::from("another process"))),
            };
        }
    }

    /// What follows when picks or exclusions were read again.
    fn follow_choice_of_others(&mut self, before: &Arc<Selection>) {
        self.desk.settle();
        if let Err(refusal) = self.desk.forget_left(before) {
            self.refuse(refusal);
        }
        if **self.desk.selection() != **before {
            self.index_templates();
        }
        self.publish();
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Desk) -> Result<Changed, Refusal>) {
        match change(&mut self.desk) {
            Ok(changed) => changed.refused.into_iter().for_each(|refusal| self.refuse(refusal)),
            Err(refusal) => self.refuse(refusal),
        }
        self.follow_choice();
    }

    /// Says what was taken back or done again, and what was not since somebody else changed it.
    fn retraced(&mut self, done: &str, verb: &str, outcome: Result<Option<Undone>, Refusal>) {
        let undone = match outcome {
            Ok(Some(undone)) => undone,
            Ok(None) => {
                let message = format!("there is nothing to {verb}");
                return self.refuse(Refusal::new("no-history", message, "only changes made here count"));
            }
            Err(refusal) => return self.refuse(refusal),
        };
        let at = |ids: &[String]| ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(", ");
        let (what, retraced) = (&undone.what, &undone.retraced);
        if retraced.back.is_empty() {
            self.follow_choice();
            let message = format!("{what}: another process has changed {} since", at(&retraced.kept));
            return self.refuse(Refusal::new("changed-meanwhile", message, "nothing was done"));
        }
        let mut text = format!("{done}: {what}");
        if !retraced.others.is_empty() {
            text.push_str(&format!("; another process has changed {} since, and that stays", at(&retraced.others)));
        }
        let named = retraced.back.iter().chain(&retraced.others).cloned().collect();
        self.cause = Cause::Retraced { text, named };
        self.index_templates();
        self.publish();
        // While nothing was told yet, there is no difference to tell it with.
        if let Cause::Retraced { text, .. } = std::mem::replace(&mut self.cause, Cause::Choice(Who::You)) {
            self.tell(Notice::new(Who::You, Topic::Selection, text));
        }
    }

    /// Replaces the picks by those of the profile in this file, and says so behind what changed by it.
    pub(super) fn switch_to(&mut self, file: &Path) {
        let before = self.desk.choice().picks.clone();
        let named = self.desk.outlook_of_switching(file).map(|switch| switch.name);
        match self.desk.switch_to(file) {
            Ok(changed) => {
                changed.refused.into_iter().for_each(|refusal| self.refuse(refusal));
                self.follow_choice();
                let after = &self.desk.choice().picks;
                let added = after.iter().filter(|id| !before.contains(id)).count();
                let gone = before.iter().filter(|id| !after.contains(id)).count();
                let name = named.unwrap_or_default();
                let text = format!("Switched to {name}: +{added} \u{2212}{gone}; u takes it back");
                self.tell(Notice::new(Who::You, Topic::Selection, text));
            }
            Err(refusal) => {
                self.refuse(refusal);
                self.follow_choice();
            }
        }
    }

    pub(super) fn answer_profiles(&self, answer: OfProfiles) {
        self.say(Event::Profiles(answer));
    }

    /// What follows when picks or exclusions changed here.
    fn follow_choice(&mut self) {
        self.cause = Cause::Choice(Who::You);
        self.index_templates();
        self.publish();
    }

    /// Reads a few documents, those that the selection waits for first.
    fn read_some(&mut self) {
        let wanted: HashSet<SourceId> = self.desk.wanted().into_iter().collect();
        let mut batch: Vec<SourceId> = wanted.iter().cloned().collect();
        if batch.is_empty() {
            let count = self.unread.len().min(BATCH);
            batch = self.unread.drain(..count).collect();
        } else {
            self.unread.retain(|id| !wanted.contains(id));
        }
        batch.retain(|id| !self.desk.graph().is_scanned(id.as_str()));
        let before = self.desk.selection().members().len();
        self.desk.read(&batch);
        if self.desk.selection().members().len() != before {
            self.index_templates();
        }
        if self.unread.is_empty() {
            self.unread = VecDeque::new();
            self.desk.warm();
            if let Err(error) = self.desk.keep_mentions() {
                tracing::info!("what documents named is not kept: {error}");
            }
        }
        if self.unread.is_empty() || self.published.elapsed() >= PROGRESS {
            self.publish();
        }
    }

    fn queue_documents(&mut self) {
        self.unread = self.desk.unread().into();
        self.total = self.unread.len();
    }

    fn index_templates(&mut self) {
        let (templates, problems) = self.desk.templates();
        if *self.templates != templates {
            self.templates = Arc::new(templates);
            self.files_due = true;
        }
        self.template_problems = problems;
    }

    /// Watches what the desk depends on now; tells whether there is something new to watch.
    fn watch(&mut self, watch: &mut Watch) -> Followed {
        let requests = self.requests.as_mut().map(|requests| {
            requests.follow(&self.desk);
            requests.watched()
        });
        let followed = watch.follow(&self.desk, requests.unwrap_or_default());
        self.watching = watch.watching();
        self.watch_problems = watch.diagnostics();
        followed
    }

    /// Sends out the state of the desk if it differs from the one sent last, and says what changed.
    fn publish(&mut self) {
        let loading = (!self.unread.is_empty())
            .then(|| Loading { done: self.total.saturating_sub(self.unread.len()), total: self.total });
        let last = &self.last;
        // Sorting thousands of findings forty times while documents are read would cost more than reading them.
        let diagnostics = if loading.is_some() && last.loading.is_some() {
            last.diagnostics.clone()
        } else {
            let mut diagnostics = self.desk.diagnostics();
            let of_templates = self.template_problems.iter().chain(&self.file_problems);
            let of_requests = self.requests.iter().flat_map(Requests::diagnostics);
            add_new(&mut diagnostics, of_templates.chain(&self.watch_problems).chain(of_requests));
            let waits = |deed: &Deed| {
                let message = format!("not done until you trust it: {}", deed.what);
                Diagnostic::warning("untrusted", message).hint("! shows what waits for trust")
            };
            let of_trust: Vec<Diagnostic> = self.untrusted.iter().map(waits).collect();
            add_new(&mut diagnostics, &of_trust);
            if *last.diagnostics == *diagnostics { last.diagnostics.clone() } else { diagnostics.into() }
        };
        let (undo, redo) = self.desk.undoable();
        let next = Snapshot {
            generation: last.generation + 1,
            workspace: Arc::from(self.desk.workspace().to_string_lossy()),
            desk: Arc::from(self.desk.name()),
            catalog: self.desk.catalog().clone(),
            graph: self.desk.graph().clone(),
            selection: self.desk.selection().clone(),
            templates: self.seen_templates(),
            tokens: self.desk.known_tokens().clone(),
            diagnostics,
            loading,
            undo: undo.map(Arc::from),
            redo: redo.map(Arc::from),
            exclude_tools: self.desk.settings().exclude_tools.clone().into(),
            watching: self.watching.clone(),
            reads: self.reads,
            untrusted: self.untrusted.clone(),
            requests: self.requests.as_ref().map_or_else(|| last.requests.clone(), |it| it.waiting().clone()),
        };
        self.published = Instant::now();
        if !next.differs_from(&self.last) {
            return;
        }
        self.last = next.clone();
        self.snapshots.send_replace(next.clone());
        self.tell_difference(next);
    }

    /// Tells what is different from what was told last. While documents are read, only who was chosen: the rest is
    /// told when all are, since a document not read yet has not changed.
    fn tell_difference(&mut self, next: Snapshot) {
        let (notices, told) = match self.told.take() {
            None if next.loading.is_some() => return,
            // What turns up while the documents are read for the first time is no change.
            None => (Vec::new(), next),
            Some(told) if next.loading.is_some() => {
                let own = !matches!(self.cause, Cause::Choice(Who::Other(_)) | Cause::Journalled(_));
                let notices = if own { notice::selection(&told, &next, &self.cause) } else { Vec::new() };
                let selection = if notices.is_empty() { told.selection.clone() } else { next.selection };
                (notices, Snapshot { selection, ..told })
            }
            Some(told) => (notice::notices(&told, &next, &self.cause), next),
        };
        self.told = Some(told);
        let (who, session) = (self.cause.who().clone(), self.chooser());
        if let Cause::Retraced { text, .. } = &self.cause
            && notices.iter().any(|notice| notice.text == *text)
        {
            self.cause = Cause::Choice(Who::You);
        }
        for notice in notices {
            let session = session.clone().filter(|_| notice.who == who);
            self.tell(Notice { session, ..notice });
        }
    }

    /// The session whose the newest change of picks and exclusions is, as far as it is known.
    fn chooser(&self) -> Option<Arc<str>> {
        match self.cause.who() {
            Who::You => Some(safe(self.desk.session()).into()),
            Who::Other(_) => self.desk.chosen_in().map(Arc::from),
            Who::Files => None,
        }
    }

    fn tell(&self, notice: Notice) {
        let now = self.now();
        self.say(Event::Notice(moment::stamped(notice, now, now)));
    }

    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::try_from((self.clock)()).unwrap_or_default()
    }

    /// Tells what the journal says since it was listened last.
    fn listen(&mut self, age: Age) {
        let notices = if self.told.is_some() { Notices::Told } else { Notices::NotYet };
        let heard = self.ear.listen(&self.desk, age, notices);
        if let Some(problem) = heard.problem {
            self.tell(Notice::new(Who::Files, Topic::Warning, problem));
        }
        if heard.lines.is_empty() {
            return;
        }
        let now = self.now();
        let (workspace, desk) = (self.desk.workspace(), safe(self.desk.name()));
        let told = heard.lines.into_iter().map(|line| {
            let notice = notice::receipt(&line, workspace, &desk);
            // A line without a time that can be read is told with the time at which it was heard.
            let time = line.time.parse().unwrap_or(now);
            (moment::stamped(notice, time, now), line)
        });
        let gap = (heard.dropped > 0).then(|| {
            let text = format!("{} more came too fast to be told: refdesk journal has them", heard.dropped);
            moment::stamped(Notice::new(Who::Files, Topic::Desk, text), now, now)
        });
        self.say(Event::Receipts(Receipts { told: told.collect(), age, gap }));
    }

    fn refuse(&self, refusal: Refusal) {
        self.say(Event::Refused { message: refusal.message, hint: refusal.hint });
    }

    fn say(&self, event: Event) {
        // A screen that is gone needs no answer; the loop ends by itself.
        let _ = self.events.blocking_send(event);
    }
}
