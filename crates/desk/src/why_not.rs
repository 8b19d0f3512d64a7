//! Explains why a source gets no hint for a text: because of the text, the selection, or what the session was sent
//! (BEHAVIOUR §5). Nothing is sent.

use super::{Session, Settled};
use crate::session::{self, Line, What};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::{BlockKind, EnrichRequest, Level, MatchExplanation, WhyNot};
use refdesk_text::lines;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// Whether a source gets a hint for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The source.
    pub id: SourceId,
    /// How much of the hint is sent, or why it is not.
    pub hinted: Result<Level, WhyNot>,
    /// Its tags that are in the text, with line and column of their first occurrence.
    pub matched: Vec<(String, usize, usize)>,
    /// The tag that the reason concerns.
    pub tag: Option<String>,
    /// Line and column of what the reason concerns: the `@id`, the longer word, the words nearest to a tag.
    pub place: Option<(usize, usize)>,
    /// The line of the journal that sent it to the session, if that is the reason and the journal has it.
    pub told: Option<Line>,
}

impl Verdict {
    /// The verdict from the text alone, without memory and budget.
    pub(super) fn new(id: &SourceId, text: &str, regard: MatchExplanation) -> Self {
        let MatchExplanation { matched, why, tag, at } = regard;
        let firsts: Vec<usize> = matched.iter().map(|(_, first)| *first).collect();
        let places = lines::places(text, &firsts);
        let matched = matched.into_iter().zip(places).map(|((tag, _), (line, column))| (tag, line, column)).collect();
        let place = at.and_then(|range| lines::places(text, &[range.start]).pop());
        Self { id: id.clone(), hinted: why.map_or(Ok(Level::Full), Err), matched, tag, place, told: None }
    }

    /// The same, or this reason if it was positive.
    pub(super) fn or_because(self, why: WhyNot) -> Self {
        Self { hinted: self.hinted.and(Err(why)), ..self }
    }
}

impl Settled<'_> {
    /// Why a source gets no hint for this text, or that it gets one.
    ///
    /// # Errors
    /// The source is unknown.
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

    /// How much of a hint for this text is sent, or why it is not.
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

    /// The last line of the journal with a hint at this source for this session.
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
            let message = format!("when the session got it is unknown: {error}");
            Diagnostic::warning(Code::Unreadable, message).fix("make .jaato/refdesk/ readable")
        })?;
        Ok(last)
    }
}
