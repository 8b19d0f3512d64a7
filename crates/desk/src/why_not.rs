//! Explains why a source gets no hint for a text: because of the text, its score, the selection, or what the session
//! was already sent (BEHAVIOUR §5, SEARCH S3.6). Nothing is sent.

use super::places::FolderCache;
use super::{CompleteDesk, EnrichMode, Session, Simulation};
use crate::session::{self, JournalEvent, Line};
use refdesk_core::catalog::SourceId;
use refdesk_core::config::HintSettings;
use refdesk_enrich::{
    BlockKind, Budget, Considered, EnrichContext, EnrichRequest, ItemReceipt, Level, MatchExplanation, Meaning,
    Rejection, Score, SessionMemory, WhyNot,
};
use refdesk_index::LOWEST_THRESHOLD;
use refdesk_text::lines;
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::{Code, Error};

/// Whether a source gets a hint for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The source.
    pub id: SourceId,
    /// How much of the hint is sent, or why none is.
    pub hinted: Result<Level, WhyNot>,
    /// Its tags that occur in the text, with line and column of the first occurrence.
    pub matched: Vec<(String, usize, usize)>,
    /// The tag to which the reason refers.
    pub tag: Option<String>,
    /// Line and column to which the reason refers: of the `@id`, the longer word, or the words nearest to a tag.
    pub place: Option<(usize, usize)>,
    /// Why no tag brings it up; its score still may.
    pub untagged: Option<WhyNot>,
    /// Its score in the index; `None` if it has none, or without an index.
    pub meaning: Option<Meaning>,
    /// Whether there is an index.
    pub is_indexed: bool,
    /// Whether there is an index, even one that cannot be used.
    pub has_index: bool,
    /// Whether the source is indexed.
    pub is_read: bool,
    /// The journal line that sent it to the session, if that is the reason and the line exists.
    pub sent_by: Option<Line>,
    /// What the budget would have to hold, if it is too small.
    pub room: Option<NeededRoom>,
    /// A setting that would change the outcome; `None` if there is none, or if none was tried.
    pub remedy: Option<HintRemedy>,
}

/// The room that everything for a text takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeededRoom {
    /// In UTF-16 code units, as budgets count.
    pub chars: usize,
    /// Estimated tokens.
    pub tokens: usize,
    /// Whether anything else is given in the budget.
    pub has_others: bool,
}

/// A setting with which a source would get a hint for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintRemedy {
    /// `hints.threshold` at this score.
    Threshold(Score),
    /// `hints.tag_filter` turned off.
    NoTagFilter,
    /// A higher `hints.max`.
    MoreHints,
}

impl HintRemedy {
    /// The setting that would reverse this rejection.
    fn of(rejected: Rejection, verdict: &Verdict) -> Option<Self> {
        let has_tag = !verdict.matched.is_empty();
        match rejected {
            Rejection::BelowThreshold => Some(Self::Threshold(verdict.meaning.as_ref()?.score.minus_hundredth())),
            Rejection::TagAlone { .. } | Rejection::BelowBest { .. } if has_tag => Some(Self::NoTagFilter),
            Rejection::TooMany => Some(Self::MoreHints),
            _ => None,
        }
    }

    fn applied_to(self, hints: HintSettings) -> HintSettings {
        match self {
            Self::Threshold(score) => HintSettings { threshold: Some(score.value() as f32), ..hints },
            Self::NoTagFilter => HintSettings { tag_filter: false, ..hints },
            Self::MoreHints => HintSettings { max: usize::MAX, ..hints },
        }
    }
}

/// A threshold further below the computed one would bring hints for many unrelated texts.
const NEAR: f64 = 0.03;

impl Verdict {
    /// The verdict from the text alone, regardless of memory and budget.
    pub(super) fn new(id: &SourceId, text: &str, explanation: MatchExplanation) -> Self {
        let MatchExplanation { matched, why, tag, at } = explanation;
        let firsts: Vec<usize> = matched.iter().map(|(_, first)| *first).collect();
        let places = lines::places(text, &firsts);
        let matched = matched.into_iter().zip(places).map(|((tag, _), (line, column))| (tag, line, column)).collect();
        let place = at.map(|range| Position::of(text, range.start)).map(|it| (it.line, it.column));
        let untagged = why.clone().filter(is_about_tags);
        let hinted = why.map_or(Ok(Level::Full), Err);
        Self {
            id: id.clone(),
            hinted,
            matched,
            tag,
            place,
            untagged,
            meaning: None,
            is_indexed: false,
            has_index: false,
            is_read: false,
            sent_by: None,
            room: None,
            remedy: None,
        }
    }

    /// Adds the scores of the index, which decide if no tag does; `considered` is `None` without an index.
    pub(super) fn with_scores(mut self, considered: Option<&[Considered]>) -> Self {
        self.is_indexed = considered.is_some();
        let Some(scored) = considered.into_iter().flatten().find(|it| it.id == self.id) else { return self };
        self.meaning = (!scored.is_unreadable).then(|| scored.meaning.clone());
        match &scored.why_not {
            why if self.untagged.is_some() => self.hinted = why.clone().map_or(Ok(Level::Full), Err),
            Some(why @ WhyNot::Rejected(_)) if self.hinted.is_ok() => self.hinted = Err(why.clone()),
            _ => {}
        }
        self
    }

    /// The same verdict, with this reason if it was positive.
    pub(super) fn with_reason(self, why: WhyNot) -> Self {
        Self { hinted: self.hinted.and(Err(why)), ..self }
    }
}

impl CompleteDesk<'_> {
    /// Why this source gets no hint for a text, or that it gets one.
    ///
    /// # Errors
    /// The source is unknown.
    pub fn why_not(
        &self,
        session: &Session,
        id: &str,
        asked: &EnrichRequest,
    ) -> Result<(Verdict, Vec<Diagnostic>), Error> {
        let source = self.catalog.find(id).ok_or_else(|| self.unknown_id(id))?;
        let explanation =
            self.matcher.explain(source, asked.text, &self.catalog, &self.selection, self.hides_select_tool());
        let (simulated, mut problems) = self.simulate_with(session, asked, Some(source.id.as_str()));
        let mut verdict =
            Verdict::new(&source.id, asked.text, explanation).with_scores(simulated.considered.as_deref());
        // The problems already include the reason why an index cannot be used.
        let index = self.index();
        verdict.has_index = !matches!(index, Ok(None));
        if let Ok(Some(index)) = index {
            let is_known = index.knows(source.id.as_str(), self.model_name().unwrap_or_default()).unwrap_or(false);
            verdict.is_read = is_known && !simulated.has_changed;
        }
        let is_readable = source.place().is_none_or(|place| place.state.is_open());
        if verdict.is_indexed && verdict.untagged.is_some() && !is_readable {
            verdict.hinted = Err(WhyNot::Unreadable);
        }
        // Without vectors most sources have no score, which does not mean that their texts are unrelated.
        let is_unscored = verdict.meaning.is_none() && verdict.hinted.as_ref().err() == verdict.untagged.as_ref();
        if is_unscored && verdict.untagged.is_some() && verdict.is_read && !self.wants_meaning() {
            verdict.hinted = Err(WhyNot::Rejected(Rejection::MeaningOff));
        }
        if verdict.hinted.is_ok() {
            verdict.hinted = sent_level(&simulated, &source.id);
        }
        if let Err(WhyNot::Rejected(rejected)) = &verdict.hinted {
            let remedy = HintRemedy::of(*rejected, &verdict).filter(|remedy| self.is_harmless(*remedy, &verdict));
            verdict.remedy = remedy.filter(|remedy| self.helps(*remedy, session, &source.id, asked));
        }
        if verdict.hinted == Err(WhyNot::NoRoom) {
            let has_others = simulated.enriched.items.iter().any(|item| item.level != Level::Count);
            let whole = EnrichRequest { budget: Budget::default(), ..*asked };
            let (whole, _) = self.enrich(session, &whole, EnrichMode::DryRun);
            let chars = whole.added().encode_utf16().count();
            verdict.room = Some(NeededRoom { chars, tokens: whole.tokens(), has_others });
        }
        if verdict.hinted == Err(WhyNot::AlreadySent) {
            match self.last_hint(session, &source.id) {
                Ok(line) => verdict.sent_by = line,
                Err(problem) => problems.push(problem),
            }
        }
        Ok((verdict, problems))
    }

    /// Whether the setting leaves unrelated texts, and texts in other languages, without a hint. Each language has its
    /// own computed threshold, and one in the configuration replaces them all, so it is suggested only for English.
    fn is_harmless(&self, remedy: HintRemedy, verdict: &Verdict) -> bool {
        let HintRemedy::Threshold(score) = remedy else { return true };
        let status = self.index_status().ok().flatten();
        let Some(of_english) = status.and_then(|status| status.threshold).map(Score::from) else { return false };
        let used = verdict.meaning.as_ref().and_then(|meaning| meaning.threshold);
        score >= Score::from(LOWEST_THRESHOLD)
            && score.value() >= of_english.value() - NEAR
            && (self.settings().hints.threshold.is_some() || used == Some(of_english))
    }

    /// Whether the source gets a hint with this setting, which also affects other sources and their tags.
    fn helps(&self, remedy: HintRemedy, session: &Session, id: &SourceId, asked: &EnrichRequest) -> bool {
        let hint_settings = remedy.applied_to(self.settings().hints);
        let earlier = self.earlier_prompts(session, asked);
        let (about, _) = self.about_with(hint_settings, asked, &earlier, None, 0);
        let look = FolderCache::new(self);
        let ctx = EnrichContext { about: about.as_ref(), hint_settings, ..look.context() };
        let said = refdesk_enrich::enrich(&ctx, &EnrichRequest { repeat: true, ..*asked }, &SessionMemory::default());
        let mut hints = said.items.iter().filter(|item| item.block == BlockKind::Hint && item.level != Level::Count);
        hints.any(|item| item.about == id.as_str())
    }

    /// The last journal line with a hint at this source, or with the source itself, for this session.
    fn last_hint(&self, session: &Session, id: &SourceId) -> Result<Option<Line>, Diagnostic> {
        let name = session.name();
        let covers = |item: &ItemReceipt| match item.block {
            BlockKind::Hint => item.level != Level::Count,
            BlockKind::Expansion | BlockKind::Instruction => item.level == Level::Full,
            _ => false,
        };
        let is_hint = |line: &Line| {
            line.desk == self.store.desk_name()
                && line.session == name
                && line.receipt.why.iter().any(|item| item.about == id.as_str() && covers(item))
        };
        let mut last = None;
        let keep = |line: Line| {
            if is_hint(&line) {
                last = Some(line);
            }
        };
        let events = [JournalEvent::Enriched, JournalEvent::Instructed];
        let read = self.store.each_line(|line| session::records_event(line, &events), keep);
        read.map_err(|error| {
            let message = format!("the journal does not say when the session got it: {error}");
            Diagnostic::warning(Code::Unreadable, message).fix("make .jaato/refdesk/ readable")
        })?;
        Ok(last)
    }
}

/// How much of a hint is sent, or why none is.
fn sent_level(simulated: &Simulation, id: &SourceId) -> Result<Level, WhyNot> {
    if let Some((_, why)) = simulated.suppressed.iter().find(|(suppressed_id, _)| suppressed_id == id) {
        return Err(why.clone());
    }
    let mut hints = simulated.enriched.items.iter().filter(|item| item.block == BlockKind::Hint);
    Ok(hints.find(|item| item.about == id.as_str()).map_or(Level::Full, |item| item.level))
}

/// Whether this reason concerns only tags, so that a hint by meaning is still possible.
fn is_about_tags(why: &WhyNot) -> bool {
    matches!(why, WhyNot::NoTags | WhyNot::EmptyTag | WhyNot::Inside { .. } | WhyNot::OwnBlock | WhyNot::Absent { .. })
}
