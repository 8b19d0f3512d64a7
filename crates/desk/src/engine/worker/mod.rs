//! The engine's loop: take what was asked, do it, publish what follows; when nothing is asked, read documents; when all are
//! read, wait.

mod choosing;
mod guests;
mod telling;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{Receiver, Sender, WeakSender};
use tokio::sync::watch as newest;

use super::message::{Age, Command, Event, Hearer, Snapshot, Wanted, Watching};
use super::notice::{Cause, Who};
use super::overhear::Overhear;
use super::previews::{Ask, Previews};
use super::requests::Requests;
use super::watch::{Followed, Watch};
use crate::{Agent, Deed, Desk, Options, Reader, Request};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_templates::TemplateIndex;
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

/// Sources read between two looks at the queue.
const BATCH: usize = 64;

/// While documents are read, a snapshot at most this often.
const PROGRESS: Duration = Duration::from_millis(40);

/// How long the first watches are waited for, in rounds between which agents are served.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(5);

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
        templates_due: true,
        template_problems: Vec::new(),
        files_due: true,
        files_for: None,
        file_problems: Vec::new(),
        watching: Watching::default(),
        watch_problems: Vec::new(),
        watch_due: false,
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
    let mut watch = Watch::new(changed);
    worker.watch(&watch);
    let first = worker.wait_for_watches(&watch);
    watch.wait_no_more();
    worker.look_at_requests();
    worker.index_templates();
    // What turned up until now is no change, even where there was no document to wait for.
    worker.told = None;
    worker.publish();
    worker.told = worker.last.loading.is_none().then(|| worker.last.clone());
    worker.work(&watch, first);
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
    /// Whether the selection may bring others than these.
    templates_due: bool,
    template_problems: Vec<Diagnostic>,
    /// Whether the templates differ from those whose files were written last, and what was wrong with writing them.
    files_due: bool,
    /// The agent whose pick brings what is due; `None` where it is whoever sits here.
    files_for: Option<Agent>,
    file_problems: Vec<Diagnostic>,
    watching: Watching,
    watch_problems: Vec<Diagnostic>,
    /// Whether the desk may depend on something else than what is watched.
    watch_due: bool,
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
    /// Waits until what the desk depends on is followed, and does meanwhile what agents ask for; not long, and not where a
    /// command comes that is none of theirs. Gives that command. What changed by then is no news.
    fn wait_for_watches(&mut self, watch: &Watch) -> Option<Command> {
        for _ in 0..ROUNDS {
            if let Some(command) = self.run_early_errands() {
                return Some(command);
            }
            let Some(followed) = watch.first(ROUND) else { continue };
            if followed == Followed::New {
                // What changed until now nobody told. The journal first: who is chosen by then is no change any more.
                self.listen(Age::Now);
                self.desk.reload();
                self.queue_documents();
            }
            self.watch(watch);
            break;
        }
        None
    }

    fn work(&mut self, watch: &Watch, mut earlier: Option<Command>) {
        loop {
            let first = if earlier.is_some() {
                earlier.take()
            } else if self.unread.is_empty() && !self.files_due {
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
                    if self.watch_due {
                        self.watch(watch);
                    }
                    if self.templates_due {
                        self.index_templates();
                        self.publish();
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

    fn obey(&mut self, command: Command, watch: &Watch) {
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
                        self.refuse(Error::new("missing", picked.message, "mend its path first"));
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
                self.watch(watch);
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
                let asked = EnrichRequest { repeat, ..EnrichRequest::new(TextKind::Prompt, &prompt) };
                let (enriched, problems) = self.desk.enrich(&asked, Reader::Nobody);
                self.say(Event::Simulated { generation, enriched: Box::new(enriched), problems });
            }
            Command::Listen => {
                // A choice is stored before the journal says so: it is told as what changed, and then the line adds nothing.
                self.hear_choice();
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

    /// Has something done that may read what the selection waits for, and so what brings templates.
    fn with_desk<T>(&mut self, act: impl FnOnce(&mut Desk) -> T) -> T {
        let members = self.desk.selection().members().len();
        let done = act(&mut self.desk);
        self.templates_due |= self.desk.selection().members().len() != members;
        done
    }

    fn index_templates(&mut self) {
        self.templates_due = false;
        let (templates, problems) = self.desk.templates();
        if *self.templates != templates {
            self.templates = Arc::new(templates);
            self.files_due = true;
        }
        self.template_problems = problems;
    }

    /// Has what the desk depends on now watched.
    fn watch(&mut self, watch: &Watch) {
        self.watch_due = false;
        let requests = self.requests.as_mut().map(|requests| {
            requests.follow(&self.desk);
            requests.watched()
        });
        watch.follow(&self.desk, requests.unwrap_or_default());
        self.watching = watch.watching();
        self.watch_problems = watch.diagnostics();
    }
}
