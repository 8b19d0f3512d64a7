//! Enriches prompts, tool results and the start of a conversation (BEHAVIOUR §5, §7), and journals what was sent.

use std::io;

use super::embedded::files;
use super::journal::templates;
use super::places::FolderCache;
use super::simulation::MAX_CONSIDERED;
use super::{CompleteDesk, Desk};
use crate::session::{JournalEvent, OnBehalfOf, Receipt, Session, Written, advice};
use refdesk_enrich::{
    BlockKind, EnrichContext, EnrichRequest, Enriched, Findings, Level, Meaning, SessionMemory, TextKind, WhyNot,
    considered, suppressed_hints,
};
use refdesk_index::TextTopics;
use refdesk_templates::Template;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Hints are useless without this tool.
const SELECT_TOOL: &str = "selectReferences";

/// Whether an enrichment is sent or only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnrichMode {
    /// Sent to the session: remembered and journalled.
    Send,
    /// Only shown.
    DryRun,
}

impl CompleteDesk<'_> {
    /// Enriches a text. Templates in a tool's text are stored for the session, so that it can render them.
    pub fn enrich(&self, session: &Session, asked: &EnrichRequest, mode: EnrichMode) -> (Enriched, Vec<Diagnostic>) {
        let (about, doubts) = self.about(asked, &self.earlier_prompts(session, asked), None);
        let (enriched, mut problems) = self.enrich_about(session, asked, mode, about.as_ref());
        problems.extend(doubts);
        (enriched, problems)
    }

    /// Like [`Self::enrich`], with the search index's answer about the text.
    pub(super) fn enrich_about(
        &self,
        session: &Session,
        asked: &EnrichRequest,
        mode: EnrichMode,
        about: Option<&TextTopics>,
    ) -> (Enriched, Vec<Diagnostic>) {
        let sends = mode == EnrichMode::Send && !asked.repeat;
        // `repeat` only leaves the memory alone: what is announced must be there to be rendered.
        let takes = mode == EnrichMode::Send;
        let (taken, done) = if takes { self.take_templates(asked) } else { (None, Written::default()) };
        let look = FolderCache::new(self);
        let ctx = EnrichContext { taken: taken.as_deref(), about, ..look.context() };
        let say = |memory: &SessionMemory| refdesk_enrich::enrich(&ctx, asked, memory);
        let mut before = None;
        let (enriched, more) = match () {
            () if asked.repeat => (say(&SessionMemory::default()), Vec::new()),
            () if !sends => {
                let (memory, problems) = self.store.session_memory(session);
                (say(&memory), problems)
            }
            () => {
                let (enriched, memory, problems) = self.send(session, say);
                before = Some(memory);
                (enriched, problems)
            }
        };
        trace(&ctx, session, asked, &enriched);
        let mut receipts = templates(&done, "templates in a tool result", "these came from an old tool result");
        let mut problems = done.diagnostics;
        problems.extend(more);
        if mode == EnrichMode::Send {
            let tool = asked.tool.filter(|_| asked.kind == TextKind::ToolResult);
            let offered = || before.unwrap_or_else(|| self.store.session_memory(session).0).offered;
            if let Some(tool) = tool {
                receipts.extend(self.readings(&tool, &offered()));
            }
            if !enriched.blocks.is_empty() {
                receipts.push(Receipt::of(asked, &enriched));
            }
            problems.extend(self.journal_all(session, receipts));
        }
        (enriched, problems)
    }

    /// The start of a conversation: the instructions and the list of templates, within the agent's budget. It is
    /// remembered as sent, except with `repeat`, which sends everything and remembers nothing. Only the budget,
    /// `repeat` and the hint action of the request are used.
    pub fn start(&self, session: &Session, asked: &EnrichRequest, mode: EnrichMode) -> (Enriched, Vec<Diagnostic>) {
        let look = FolderCache::new(self);
        let ctx = look.context();
        let start =
            |memory: Option<&SessionMemory>| refdesk_enrich::start(&ctx, asked.budget, asked.hint_action, memory);
        let (enriched, mut problems) = if asked.repeat || mode == EnrichMode::DryRun {
            (start(None), Vec::new())
        } else {
            let (enriched, _, problems) = self.send(session, |memory| start(Some(memory)));
            (enriched, problems)
        };
        if !enriched.blocks.is_empty() && mode == EnrichMode::Send {
            let asked = EnrichRequest::new(TextKind::SystemInstructions, "");
            let receipt = Receipt { what: JournalEvent::Instructed, ..Receipt::of(&asked, &enriched) };
            problems.extend(self.journal(session, receipt));
        }
        (enriched, problems)
    }

    /// The complete instructions for the start of a conversation; may be empty.
    pub fn instructions(&self) -> String {
        refdesk_enrich::instructions(&FolderCache::new(self).context())
    }

    /// Sends something to the session and remembers it; also returns the memory before that.
    fn send(
        &self,
        session: &Session,
        say: impl Fn(&SessionMemory) -> Enriched,
    ) -> (Enriched, SessionMemory, Vec<Diagnostic>) {
        let tell = |memory: &SessionMemory| {
            let enriched = say(memory);
            (enriched.memory.clone(), (enriched, memory.clone()))
        };
        match self.store.update_memory(session, tell) {
            Ok(((enriched, before), problems)) => (enriched, before, problems),
            // If the memory cannot be stored, sending something twice is better than not sending it.
            Err(error) => {
                let memory = self.store.session_memory(session).0;
                (say(&memory), memory, vec![memory_not_saved(&error)])
            }
        }
    }

    /// Writes the templates in a tool's text to files; returns those that can be rendered, and the outcome of writing.
    fn take_templates(&self, asked: &EnrichRequest) -> (Option<Vec<Template>>, Written) {
        let mut found = refdesk_enrich::templates_in(&FolderCache::new(self).context(), asked);
        // Templates of a selected source need no file.
        let new: Vec<Template> = found.iter().filter(|template| template.source.is_none()).cloned().collect();
        if new.is_empty() {
            return (Some(found), Written::default());
        }
        let done = self.store.write_templates(&files(&new), OnBehalfOf::ToolResult);
        found.retain(|it| it.source.is_some() || done.written.contains(&it.within) || done.kept.contains(&it.within));
        (Some(found), done)
    }
}

impl Desk {
    /// What the session was sent.
    pub fn session_memory(&self, session: &Session) -> SessionMemory {
        self.store.session_memory(session).0
    }

    /// Clears the session's memory, because the agent's context has lost what it was sent; `reason` is for the journal.
    /// `owes_start` means that it has lost its instructions too, and that no start will give them again.
    pub fn forget_session(&self, session: &Session, reason: &str, owes_start: bool) -> Vec<Diagnostic> {
        let forgotten = self.store.forget_memory(session, owes_start);
        let mut problems = forgotten.unwrap_or_else(|error| vec![memory_not_saved(&error)]);
        problems
            .extend(self.journal(session, Receipt { reason: reason.to_owned(), ..Receipt::new(JournalEvent::Forgot) }));
        problems
    }

    /// Prepares matching before the first text arrives.
    pub fn warm(&self) {
        self.matcher.warm(&self.catalog, Some(self.library().ids().clone()));
    }

    /// The sources that a prompt names or matches.
    pub(crate) fn match_prompt(&self, prompt: &str) -> Findings {
        let mut findings = self.matcher.candidates(prompt, &self.catalog, &self.selection, self.hides_select_tool());
        let (about, _) = self.about(&EnrichRequest::new(TextKind::Prompt, prompt), &[], None);
        let look = FolderCache::new(self);
        let ctx = EnrichContext { about: about.as_ref(), ..look.context() };
        refdesk_enrich::rank_findings(&ctx, &mut findings, MAX_CONSIDERED);
        findings
    }

    /// Journals that an agent's request failed. A folder that is not a workspace has no journal.
    pub fn failed(&self, session: &Session, reason: &str) -> Option<Diagnostic> {
        let is_workspace = self.has_state() || !self.catalog.is_empty();
        is_workspace
            .then(|| self.journal(session, Receipt { reason: reason.to_owned(), ..Receipt::new(JournalEvent::Failed) }))
            .flatten()
    }

    /// Whether this workspace has any stored state.
    pub fn has_state(&self) -> bool {
        self.store.has_state()
    }

    /// Whether agents cannot select, which makes hints useless to them.
    pub fn hides_select_tool(&self) -> bool {
        hides_select_tool(&self.settings().exclude_tools)
    }
}

/// Whether agents cannot select when these tools are hidden from them.
pub(super) fn hides_select_tool(hidden: &[String]) -> bool {
    hidden.iter().any(|tool| tool == SELECT_TOOL)
}

/// Logs why sources were hinted at or not, without the text or the words that matched.
fn trace(ctx: &EnrichContext, session: &Session, asked: &EnrichRequest, enriched: &Enriched) {
    if !tracing::enabled!(tracing::Level::DEBUG) || asked.kind == TextKind::SystemInstructions {
        return;
    }
    let (kind, bytes, session) = (asked.kind.word(), asked.text.len(), &session.id);
    let hints = enriched.items.iter().filter(|item| item.block == BlockKind::Hint && item.level != Level::Count);
    let hints: Vec<&str> = hints.map(|item| item.about.as_str()).collect();
    tracing::debug!(?session, kind, bytes, indexed = ctx.about.is_some(), ?hints, "hints were decided");
    let suppressed = suppressed_hints(enriched, enriched);
    for it in considered(ctx, asked.text, &suppressed, |rank, _| rank < MAX_CONSIDERED) {
        let section = it.meaning.section();
        let Meaning { score, threshold, cosine, coverage, .. } = it.meaning;
        let outcome = match it.why_not {
            None => "hinted".to_owned(),
            Some(WhyNot::Rejected(rejected)) => rejected.code().to_owned(),
            Some(WhyNot::AlreadyInText) => "given before, or in the text".to_owned(),
            Some(why) => format!("{why:?}"),
        };
        let threshold = threshold.map(|threshold| threshold.to_string()).unwrap_or_default();
        tracing::debug!(source = ?it.id.as_str(), %score, threshold, %cosine, %coverage, ?section, outcome, "scored");
    }
}

fn memory_not_saved(error: &io::Error) -> Diagnostic {
    Diagnostic::warning(Code::NotStored, format!("what was sent could not be saved: {error}")).fix(advice(error))
}
