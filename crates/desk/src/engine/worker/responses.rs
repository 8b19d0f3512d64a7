//! Answers requests, each for the session that sent it.

use std::sync::{Arc, mpsc};
use std::thread;

use jiff::tz::TimeZone;
use tokio::sync::oneshot;

use super::super::database_run::{DatabaseRun, RunClient};
use super::super::notice::{Notice, Topic};
use super::super::previews::PreviewJob;
use super::super::request::{
    Audience, Call, CatalogWritten, LocateTarget, Message, OutsideChange, PickReach, Request, Response,
};
use super::super::watch::Watch;
use super::Worker;
use crate::activity::ActivityFollower;
use crate::engine::{DatedLine, Snapshot};
use crate::rows::{Members, Rows};
use crate::{
    Desk, DocumentOptions, EnrichMode, FileLine, NewSource, Picked, Picker, Prepared, ProposedSource, RenderFailure,
    RenderRequest, SearchReader, Session, TemplateRef, channel,
};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_files::output::{Proposal, WriteFailure, WrittenFile};
use refdesk_templates::TemplateIndex;
use refdesk_text::{Code, Error, Fix};

impl Worker<'_> {
    /// Answers a request. The consequences of a pick are computed afterwards, since the answer does not depend on them.
    pub(super) fn answer(&mut self, call: Call, watch: &Watch) {
        if call.request == Request::AnalyseGraph && !self.unread.is_empty() {
            // Drop requests whose client has since asked again.
            self.deferred.retain(|call| !call.reply.is_closed());
            self.deferred.push(call);
            return;
        }
        let Call { session, request, reply } = call;
        let is_own = session == self.session;
        if is_own && request.is_change() {
            self.files_for = self.session.clone();
        }
        if !is_own {
            // A client may rely on what another process reported to it, before this engine is notified of the change.
            self.follow_stored_choice();
            self.reload_if_trust_changed();
        }
        let is_pick = matches!(request, Request::Pick { .. } | Request::PickWithin { .. });
        let response = match request {
            Request::Preview { template, values, typed, path } => {
                let request = RenderRequest { typed, ..RenderRequest::named(template.as_str(), values) };
                match self.desk.prepare(&self.templates, &request) {
                    Ok(prepared) => {
                        // The preview thread runs as long as this one.
                        let _ = self.previews.send(PreviewJob { template, prepared, path, reply });
                        return;
                    }
                    Err(unrendered) => Response::Preview { template, outcome: Err(unrendered) },
                }
            }
            Request::Agents => match self.activity() {
                Ok(follower) => return follower.ask(reply),
                Err(refusal) => Response::Done(vec![refusal]),
            },
            Request::AnalyseGraph => {
                let analyse = self.desk.graph_analysis();
                // With many sources this takes a while and must not block the desk.
                return answer_on_thread(reply, move || Response::GraphAnalysis(Arc::new(analyse())));
            }
            Request::Discover(folders) => match self.desk.discoverer(&folders) {
                Ok(discoverer) => {
                    // This reads the whole repository and must not block the desk.
                    return answer_on_thread(reply, move || Response::Discovered(Ok(Box::new(discoverer.run()))));
                }
                Err(refusal) => Response::Discovered(Err(refusal)),
            },
            Request::Databases => {
                let reader = self.desk.overview_reader();
                // This reads every page and must not block the desk.
                return answer_on_thread(reply, move || Response::Databases(Arc::new(reader.read())));
            }
            Request::PrepareDatabases(names) => return self.prepare_databases(session, names, reply),
            Request::WriteDatabases(number) => {
                let unsent = match &self.database_run {
                    Some(run) => run.write(number, reply).err(),
                    None => Some(reply),
                };
                if let Some(reply) = unsent {
                    drop(reply.send(Response::Done(vec![nothing_prepared()])));
                }
                return;
            }
            request => self.respond(&session, request, watch),
        };
        // The client may have stopped waiting.
        let _ = reply.send(response);
        if is_pick {
            self.follow_choice(&session);
        }
    }

    fn respond(&mut self, session: &Session, request: Request, watch: &Watch) -> Response {
        match request {
            Request::Pick { ids, tags, by } => {
                return self.picked(|desk| match by {
                    Picker::Person => desk.pick(session, &ids, &tags),
                    Picker::Agent => desk.pick_for_agent(session, &ids, &tags),
                });
            }
            Request::PickWithin { ids, reach } => {
                let large = match reach {
                    PickReach::AllIfFew => self.with_desk(|desk| desk.large_pick(&ids)),
                    _ => None,
                };
                if let Some(large) = large {
                    return Response::LargePick(Box::new(large));
                }
                return self.picked(|desk| match reach {
                    PickReach::AllIfFew | PickReach::All => desk.pick(session, &strings(&ids), &[]),
                    PickReach::Near => desk.pick_within(session, &ids, 1),
                    PickReach::Alone => desk.pick_within(session, &ids, 0),
                });
            }
            Request::Unpick(ids) => self.change(session, |desk| desk.unpick(session, &strings(&ids))),
            Request::Exclude(ids) => self.change(session, |desk| desk.exclude(session, &strings(&ids))),
            Request::Include(ids) => self.change(session, |desk| desk.include(session, &strings(&ids))),
            Request::Clear => self.change(session, |desk| desk.clear(session, false)),
            Request::Undo => {
                let undone = self.with_desk(|desk| desk.undo(session));
                self.retraced(session, "Undone", "undo", undone);
            }
            Request::Redo => {
                let redone = self.with_desk(|desk| desk.redo(session));
                self.retraced(session, "Redone", "redo", redone);
            }
            Request::SwitchProfile { file, shown } => self.switch_to(session, &file, &shown),
            Request::Trust(actions) => self.trust(&actions),
            Request::Reply { request, reply } => self.reply(&request, reply),
            Request::Note(receipt) => drop(self.desk.journal(session, *receipt)),
            Request::NoteRead(receipt) => self.desk.note_reading(session, *receipt),
            Request::Reload => self.reload(watch),
            Request::Settle => {
                self.settle_and_publish();
                return Response::Settled(self.current_snapshot());
            }
            Request::Index => {
                self.complete_templates();
                self.publish();
                return Response::Settled(self.current_snapshot());
            }
            Request::Write { proposal, reason } => return Response::Written(self.write(session, &proposal, &reason)),
            Request::Locate(target) => {
                let spot = match &target {
                    LocateTarget::Definition(id) => self.desk.definition(id.as_str()),
                    LocateTarget::Document(id) => self.desk.document_spot(id.as_str()),
                };
                match spot {
                    Ok(spot) => return Response::Located(spot),
                    Err(refusal) => self.refuse(refusal),
                }
            }
            Request::PreviewSelection(id) => {
                return Response::SelectionPreview(self.with_desk(|desk| desk.preview_selection(id.as_str())));
            }
            Request::PreviewPicks { one, all } => {
                let (one, all) = self.with_desk(|desk| (desk.preview_picks(one.as_slice()), desk.preview_picks(&all)));
                return Response::PicksPreview { one, all };
            }
            Request::PickSizes(ids) => {
                return Response::PickSizes(self.with_desk(|desk| desk.pick_sizes(&ids)).map(Box::new));
            }
            Request::PreviewBulk(ids) => {
                return Response::BulkPreview(Box::new(self.with_desk(|desk| desk.preview_bulk(&ids))));
            }
            Request::Read { id, file: None } => return Response::Document(self.desk.document(id.as_str())),
            Request::Read { id, file: Some(path) } => {
                return Response::Document(self.desk.document_at(id.as_str(), &path));
            }
            Request::ReadOn { id, path, from } => {
                return Response::Document(self.desk.document_from(id.as_str(), path.as_deref(), from));
            }
            Request::Match(prompt) => return Response::Findings(self.desk.match_prompt(&prompt)),
            Request::Simulate { prompt, audience } => {
                let asked = EnrichRequest {
                    repeat: audience == Audience::NewSession,
                    ..EnrichRequest::new(TextKind::Prompt, &prompt)
                };
                let (enriched, problems) =
                    self.with_desk(|desk| desk.settled().enrich(session, &asked, EnrichMode::DryRun));
                return Response::Simulation { enriched: Box::new(enriched), problems };
            }
            Request::Price(prompt) => return Response::Price(self.with_desk(|desk| desk.price(session, &prompt))),
            Request::JournalLine(number) => {
                return Response::JournalLine(match self.desk.line(number) {
                    Ok(Some(line)) => Ok(Box::new(DatedLine::new(line, &TimeZone::system()))),
                    Ok(None) => Err(format!("line {number} is no longer in the journal")),
                    Err(error) => Err(format!("the journal cannot be read: {error}")),
                });
            }
            Request::ListProfiles => {
                let (profiles, problems) = self.desk.profiles_to_switch_to();
                return Response::Profiles { profiles, problems };
            }
            Request::CompareProfile(file) => {
                let switch = self.desk.compare_profile(&file);
                return Response::ProfileCompared(switch.map(Box::new).map_err(|refusal| refusal.message));
            }
            Request::CanAdd(place) => {
                return Response::CanAdd(self.desk.can_add(&place).map(|()| self.desk.count_sources(&place)));
            }
            Request::AddSource(place) => {
                let added = self.desk.add(session, &[NewSource::selectable(self.desk.absolute_place(&place))], &stay);
                if added.is_ok() {
                    self.reload(watch);
                }
                return Response::SourceAdded(added);
            }
            Request::ProposeCatalog(change) => {
                return Response::CatalogProposed(self.desk.propose_catalog(&change, &stay));
            }
            Request::WriteCatalog { proposals, change } => {
                let files = self.desk.write_catalog(session, &change, &proposals);
                return Response::CatalogWritten(files.map(|files| {
                    self.desk.remember_declined(&change);
                    self.reload(watch);
                    self.catalog_written(session, files, &change.new)
                }));
            }
            Request::DatabasePage { database, path } => {
                return Response::DatabasePage(Box::new(self.desk.database_page(&database, &path)));
            }
            Request::PauseDatabases => match &mut self.database_run {
                Some(run) if run.is_writing() => run.pause(),
                // Do not wait for a database that does not respond.
                Some(run) if !run.is_prepared() => run.forget(),
                _ => self.database_run = None,
            },
            Request::Preview { .. }
            | Request::Discover(_)
            | Request::AnalyseGraph
            | Request::Agents
            | Request::Databases
            | Request::PrepareDatabases(_)
            | Request::WriteDatabases(_) => {}
            Request::Prepare(request) => {
                self.complete_templates();
                let templates = self.templates.clone();
                let prepared = prepare(&self.desk, &templates, &request);
                return Response::Prepared(prepared.map(Box::new));
            }
            Request::Access => {
                self.settle_and_publish();
                let access = self.desk.settled().access(session);
                return Response::Access(self.current_snapshot(), Box::new(access));
            }
            Request::Search(request) => {
                let found = self.with_desk(|desk| desk.settled().search(session, &request));
                return Response::Found(found.map(Box::new));
            }
            Request::AskDatabases(question) => {
                let found =
                    self.with_desk(|desk| desk.settled().ask_databases(session, SearchReader::Agent, &question));
                return Response::AboutDatabases(found.map(Box::new));
            }
            Request::Verdict { shown, path } => {
                let (verdict, has_rule) = self.desk.verdict(&shown, &path);
                return Response::Verdict(Box::new((verdict, has_rule, channel::ChannelSetup::of(&self.desk))));
            }
            Request::Offer { context, tags } => {
                return Response::Offer(Box::new(self.with_desk(|desk| {
                    let desk = desk.settled();
                    (channel::request(&desk, session, &context, &tags), channel::ChannelSetup::of(&desk))
                })));
            }
        }
        Response::Done(std::mem::take(&mut self.refused))
    }

    fn picked(&mut self, pick: impl FnOnce(&mut Desk) -> Result<Picked, Error>) -> Response {
        Response::Picked(self.with_desk(|desk| {
            let picked = pick(desk)?;
            let answer = Rows { members: Members::NonEmpty, ..desk.settled().rows() }.picked(&picked);
            Ok(Box::new((picked, answer)))
        }))
    }

    /// The follower for the agents view, started on first use.
    fn activity(&mut self) -> Result<&ActivityFollower, Error> {
        match &mut self.activity {
            Some(follower) => Ok(follower),
            none => {
                let (workspace, tail) = (self.desk.workspace().to_owned(), self.desk.whole_tail());
                let queue = self.queue.clone();
                let ended = Arc::new(move || {
                    // The engine may have ended, too.
                    let _ = queue.upgrade().map(|queue| queue.blocking_send(Message::Changed(OutsideChange::Agents)));
                });
                let follower = ActivityFollower::start(workspace, tail, self.clock, ended).map_err(|error| {
                    let message = format!("the journal cannot be followed: {error}");
                    Error::new(Code::UnreadableJournal, message, "try again")
                })?;
                Ok(none.insert(follower))
            }
        }
    }

    /// Prepares a run on its own thread, replacing one that waits for approval.
    fn prepare_databases(&mut self, session: Session, names: Vec<String>, reply: oneshot::Sender<Response>) {
        if self.database_run.as_ref().is_some_and(DatabaseRun::is_writing) {
            let busy = Error::new(Code::DatabaseBusy, "databases are already being documented", "wait for it to end");
            drop(reply.send(Response::DatabasesPrepared(Err(busy))));
            return;
        }
        let before = self.database_run.take();
        let client = RunClient {
            options: self.desk.options.clone(),
            session,
            events: self.events.clone(),
            changed: self.queue.clone(),
        };
        self.database_runs += 1;
        let what = DocumentOptions { names, ..DocumentOptions::default() };
        self.database_run = DatabaseRun::start(self.database_runs, client, what, before, reply);
    }

    fn settle_and_publish(&mut self) {
        self.with_desk(Desk::settle);
        self.publish();
    }

    /// The snapshot just published. A later one, from a reload in progress, may lack what an answer refers to.
    fn current_snapshot(&self) -> Box<Snapshot> {
        Box::new(self.snapshots.borrow().clone())
    }

    fn complete_templates(&mut self) {
        self.with_desk(Desk::settle);
        if self.templates_due {
            self.index_templates();
        }
    }

    /// Writes a file, and reports it in the feed.
    fn write(&mut self, session: &Session, proposal: &Proposal, reason: &str) -> Result<WrittenFile, WriteFailure> {
        let written = self.desk.write(session, std::slice::from_ref(proposal), reason)?;
        let nothing =
            || WriteFailure { refused: Error::new(Code::NotWritten, "nothing was written", ""), current: Vec::new() };
        let written = written.into_iter().next().ok_or_else(nothing)?;
        if !proposal.is_unchanged() {
            let text = format!("Wrote {} ({})", written.shown, proposal.diff.summary());
            let place = Some(FileLine { path: proposal.path.clone(), line: 1 });
            self.send_notice(Notice { place, ..Notice::new(self.who(session), Topic::File, text) });
        }
        Ok(written)
    }

    /// Reports in the feed that the catalog was written, and finds prompts to try.
    fn catalog_written(
        &mut self,
        session: &Session,
        files: Vec<WrittenFile>,
        added: &[ProposedSource],
    ) -> CatalogWritten {
        let text = match files.as_slice() {
            [file] => format!("Wrote {}", file.shown),
            files => format!("Wrote {} files of the catalog", files.len()),
        };
        self.send_notice(Notice::new(self.who(session), Topic::Catalog, text));
        let prompts = self.with_desk(|desk| desk.sample_prompts(session, added));
        CatalogWritten { files, prompts }
    }

    pub(super) fn refuse(&mut self, refusal: Error) {
        self.refused.push(refusal);
    }
}

fn nothing_prepared() -> Error {
    Error::new(Code::NotDocumented, "no documentation run is prepared", "prepare it first")
}

/// Computes the answer on its own thread; replies with an error if the system cannot start one.
fn answer_on_thread(reply: oneshot::Sender<Response>, compute: impl FnOnce() -> Response + Send + 'static) {
    let (hand, taken) = mpsc::channel::<oneshot::Sender<Response>>();
    let run = move || {
        if let Ok(reply) = taken.recv() {
            // The client may have stopped waiting.
            let _ = reply.send(compute());
        }
    };
    match thread::Builder::new().name("answer".to_owned()).spawn(run) {
        Ok(_) => drop(hand.send(reply)),
        Err(error) => {
            let message = format!("no thread can be started: {error}");
            drop(reply.send(Response::Done(vec![Error::new(Code::Busy, message, "try again later")])));
        }
    }
}

/// Refuses any write outside the workspace, since no person was asked.
fn stay(proposal: &Proposal) -> Result<(), Error> {
    let message = format!("{} is outside the workspace", proposal.path.display());
    Err(Error::new(Code::Outside, message, "keep the catalog inside the workspace"))
}

/// Tells an agent that a template is untrusted rather than unknown.
fn prepare(desk: &Desk, templates: &TemplateIndex, request: &RenderRequest) -> Result<Prepared, RenderFailure> {
    let readable = desk.readable(templates);
    if let TemplateRef::Named(name) = &request.what
        && let (Ok(template), Err(_)) = (templates.find(name), readable.find(name))
    {
        let source = template.source.as_ref().map_or("", |source| source.as_str());
        let message = format!("'{name}' belongs to '{source}', which is outside the workspace and not trusted yet");
        return Err(Error::new(Code::Untrusted, message, Fix::Trust).into());
    }
    desk.prepare(&readable, request)
}

fn strings(ids: &[SourceId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
