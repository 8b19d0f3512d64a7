//! What keeps one source from being hinted at: what the text lacks, what the desk holds against it, and what the session
//! knows already (BEHAVIOUR §5). Nobody is told.

use super::{Session, Settled};
use crate::session::{self, Line, What};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{BlockKind, EnrichRequest, Level, MatchExplanation, WhyNot};
use refdesk_text::lines;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// How a text stands to a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Which source.
    pub id: SourceId,
    /// How much of the hint is given, or why it is not.
    pub hinted: Result<Level, WhyNot>,
    /// Its tags that stand in the text, with line and column of their first place.
    pub matched: Vec<(String, usize, usize)>,
    /// The tag that the reason is about.
    pub tag: Option<String>,
    /// Line and column of what the reason is about: the `@id`, the longer word, the words nearest to a tag.
    pub place: Option<(usize, usize)>,
    /// The line of the journal by which the session was told, where that is the reason and the journal knows.
    pub told: Option<Line>,
}

impl Verdict {
    /// As far as nothing counts that was said before and there is room.
    pub(super) fn new(id: &SourceId, text: &str, regard: MatchExplanation) -> Self {
        let MatchExplanation { matched, why, tag, at } = regard;
        let firsts: Vec<usize> = matched.iter().map(|(_, first)| *first).collect();
        let places = lines::places(text, &firsts);
        let matched = matched.into_iter().zip(places).map(|((tag, _), (line, column))| (tag, line, column)).collect();
        let place = at.and_then(|range| lines::places(text, &[range.start]).pop());
        Self { id: id.clone(), hinted: why.map_or(Ok(Level::Full), Err), matched, tag, place, told: None }
    }

    /// The same where something is missing; else this is.
    pub(super) fn or_because(self, why: WhyNot) -> Self {
        Self { hinted: self.hinted.and(Err(why)), ..self }
    }
}

impl Settled<'_> {
    /// Why a source is not hinted at for this text, or that it is.
    ///
    /// # Errors
    /// There is no such source.
    pub fn why_not(
        &self,
        session: &Session,
        id: &str,
        asked: &EnrichRequest,
    ) -> Result<(Verdict, Vec<Diagnostic>), Error> {
        let source = self.catalog.get(id).ok_or_else(|| self.unknown_id(id))?;
        let regard = self.matcher.explain(source, asked.text, &self.catalog, &self.selection, self.hides_selecting());
        let mut verdict = Verdict::new(&source.id, asked.text, regard);
        if verdict.hinted.is_err() {
            return Ok((verdict, Vec::new()));
        }
        let (hinted, mut problems) = self.is_given(session, &source.id, asked);
        if hinted == Err(WhyNot::Told) {
            match self.last_hint(session, &source.id) {
                Ok(line) => verdict.told = line,
                Err(problem) => problems.push(problem),
            }
        }
        Ok((Verdict { hinted, ..verdict }, problems))
    }

    /// How much of a hint that the text calls for is given, and why it is not.
    fn is_given(
        &self,
        session: &Session,
        id: &SourceId,
        asked: &EnrichRequest,
    ) -> (Result<Level, WhyNot>, Vec<Diagnostic>) {
        let (simulated, problems) = self.simulate(session, asked);
        if let Some((_, why)) = simulated.withheld.into_iter().find(|(withheld, _)| withheld == id) {
            return (Err(why), problems);
        }
        let hints = simulated.said.items.iter().filter(|item| item.block == BlockKind::Hint);
        let level = hints.filter(|item| item.about == id.as_str()).map(|item| item.level).next();
        (Ok(level.unwrap_or(Level::Full)), problems)
    }

    /// The last line of the journal by which this session was hinted at a source.
    fn last_hint(&self, session: &Session, id: &SourceId) -> Result<Option<Line>, Diagnostic> {
        let name = session.name();
        let is_hint = |line: &Line| {
            let hints = line.receipt.why.iter().filter(|item| item.block == BlockKind::Hint);
            line.desk == self.store.desk_name()
                && line.session == name
                && hints.into_iter().any(|item| item.about == id.as_str() && item.level != Level::Count)
        };
        let mut last = None;
        let keep = |line: Line| {
            if is_hint(&line) {
                last = Some(line);
            }
        };
        let read = self.store.each_line(|line| session::says_what(line, &[What::Enriched]), keep);
        read.map_err(|error| {
            let message = format!("when the session was told is not known: {error}");
            Diagnostic::warning(Code::Unreadable, message).fix("make .jaato/refdesk/ readable")
        })?;
        Ok(last)
    }
}
