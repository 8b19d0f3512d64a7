//! Checks a desk against an expectations file. Every case is a separate session; nothing is sent or written. Expensive
//! parts are built once for all cases: one matcher, and one selection per set of picks.

use std::collections::HashMap;
use std::sync::Arc;

use super::case::Case;
use super::file::Expectations;
use crate::places::FolderCache;
use crate::{Desk, Verdict};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{Choice, Role, Selection};
use refdesk_enrich::{
    BlockKind, EnrichContext, EnrichRequest, Enriched, ItemReceipt, Level, MatchReason, Meaning, SessionMemory, Tool,
    WhyNot, considered, suppressed_hints,
};
use refdesk_text::report::Diagnostic;

/// An unmet expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailedExpectation {
    /// A source in the list with this key is not hinted at, and why.
    NotHinted(&'static str, Box<Verdict>),
    /// None of these sources is hinted at.
    NoneHinted(Vec<SourceId>),
    /// The source is not among the first hints.
    NotFirst {
        /// The source.
        id: SourceId,
        /// Its position among the hints, from 1.
        position: usize,
        /// The number of first hints it should be among.
        first: usize,
    },
    /// The source is hinted at, because of these tags and this meaning.
    Hinted(SourceId, Vec<String>, Option<Meaning>),
    /// The source is not expanded: the text does not name it, or it is excluded.
    NotExpanded(SourceId),
    /// The source is not pulled in: no selected source mentions it, or it is selected with this other role.
    NotPulledIn(SourceId, Option<Role>),
    /// The list with this key should be empty, but contains these sources.
    NotEmpty(&'static str, Vec<SourceId>),
    /// More hints are given than allowed.
    TooManyHints {
        /// The limit.
        most: usize,
        /// The hints given.
        given: usize,
    },
    /// More tokens are appended than allowed.
    TooMany {
        /// The limit.
        most: usize,
        /// The appended tokens.
        tokens: usize,
    },
}

/// A case and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseResult {
    /// The case.
    pub case: Case,
    /// Hinted sources, in order.
    pub hints: Vec<SourceId>,
    /// Expanded sources.
    pub expands: Vec<SourceId>,
    /// Estimated tokens appended.
    pub tokens: usize,
    /// Unmet expectations.
    pub unmet: Vec<FailedExpectation>,
}

/// The results of all cases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AssertionReport {
    /// The results, in the order of the file.
    pub cases: Vec<CaseResult>,
    /// The number of hints given in cases with the key `hints`.
    pub hinted: usize,
    /// The number of hints these cases expect.
    pub expected: usize,
    /// The number of given hints that were expected.
    pub correct: usize,
    /// Why the index could not be used, reported once.
    pub problem: Option<Diagnostic>,
}

impl AssertionReport {
    /// The share of given hints that were expected; `None` if no hints were given.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.correct, self.hinted)
    }

    /// The share of expected hints that were given; `None` if no hints were expected.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.correct, self.expected)
    }

    /// The number of expectations in all cases, and how many are unmet.
    pub fn counts(&self) -> (usize, usize) {
        let wanted = self.cases.iter().map(|judged| judged.case.wanted.count()).sum();
        (wanted, self.cases.iter().map(|judged| judged.unmet.len()).sum())
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (whole > 0).then(|| number(part) / number(whole))
}

impl Desk {
    /// Checks every case against this desk; returns the results in the order of the file.
    pub fn assert(&mut self, expectations: Expectations) -> AssertionReport {
        let Expectations { cases, uses_index } = expectations;
        self.settle();
        let mut selections: HashMap<Option<Vec<String>>, Arc<Selection>> = HashMap::new();
        for case in &cases {
            if !selections.contains_key(&case.select) {
                let selection = match &case.select {
                    None => self.selection().clone(),
                    Some(picks) => Arc::new(self.selection_of(picks)),
                };
                selections.insert(case.select.clone(), selection);
            }
        }
        let mut asserted = AssertionReport::default();
        // Folders are walked once for all cases.
        let look = FolderCache::new(self);
        for case in cases {
            let Some(selection) = selections.get(&case.select) else { continue };
            let (about, problem) =
                if uses_index { self.about(&enrich_request(&case), &[], None) } else { (None, None) };
            asserted.problem = asserted.problem.or(problem);
            let judged = judge(&EnrichContext { selection, about: about.as_ref(), ..look.context() }, case);
            if let Some(hints) = &judged.case.wanted.hints {
                asserted.hinted += judged.hints.len();
                asserted.expected += hints.len();
                asserted.correct +=
                    judged.hints.iter().filter(|id| hints.iter().any(|hint| hint == id.as_str())).count();
            }
            asserted.cases.push(judged);
        }
        asserted
    }

    /// The selection that results from these picks, with the desk's exclusions and settings.
    fn selection_of(&mut self, picks: &[String]) -> Selection {
        let choice =
            Choice { picks: picks.to_vec(), exclusions: self.choice().exclusions.clone(), ..Choice::default() };
        self.closure(&choice, self.rules(), Self::read)
    }
}

fn judge(ctx: &EnrichContext, case: Case) -> CaseResult {
    let said = refdesk_enrich::enrich(ctx, &enrich_request(&case), &SessionMemory::default());
    let about = |kind: BlockKind| {
        let items = said.items.iter().filter(move |item| item.block == kind && item.level != Level::Count);
        items.map(|item| SourceId::from(item.about.as_str())).collect::<Vec<_>>()
    };
    let (hints, expands) = (about(BlockKind::Hint), about(BlockKind::Expansion));
    let pulled: Vec<SourceId> = {
        let members = ctx.selection.members().iter();
        members.filter(|member| member.role == Role::Transitive).map(|member| member.id.clone()).collect()
    };
    let mut unmet = Vec::new();
    let wanted = &case.wanted;
    let not_hinted = |key: &'static str, id: &SourceId| {
        let source = ctx.catalog.get(id.as_str())?;
        let explanation = ctx.matcher.explain(source, &case.text, ctx.catalog, ctx.selection, ctx.exclude_hints);
        let scored = considered(ctx, &case.text, &suppressed_hints(&said, &said), |_, scored| scored == id.as_str());
        let verdict = Verdict::new(id, &case.text, explanation).with_scores(ctx.about.map(|_| scored.as_slice()));
        // It would be hinted at, but the text itself names it.
        Some(FailedExpectation::NotHinted(key, Box::new(verdict.with_reason(WhyNot::AlreadyInText))))
    };
    unmet.extend(absent("hints", wanted.hints.as_deref(), &hints, |id| not_hinted("hints", &id)));
    if let Some(ids) = &wanted.hints_any
        && !ids.iter().any(|id| hints.iter().any(|hint| hint.as_str() == id))
    {
        unmet.push(FailedExpectation::NoneHinted(ids.iter().map(|id| SourceId::from(id.as_str())).collect()));
    }
    for id in wanted.top.iter().flatten() {
        let (id, first) = (SourceId::from(id.as_str()), wanted.top.iter().flatten().count());
        match hints.iter().position(|hint| *hint == id) {
            None => unmet.extend(not_hinted("top", &id)),
            Some(at) if at >= first => unmet.push(FailedExpectation::NotFirst { id, position: at + 1, first }),
            Some(_) => {}
        }
    }
    unmet.extend(
        wanted
            .max_hints
            .filter(|most| hints.len() > *most)
            .map(|most| FailedExpectation::TooManyHints { most, given: hints.len() }),
    );
    for id in wanted.not_hints.iter().flatten() {
        unmet.extend(hints.iter().find(|hint| hint.as_str() == id).map(|id| hinted(&said, id)));
    }
    unmet.extend(absent("expands", wanted.expands.as_deref(), &expands, |id| Some(FailedExpectation::NotExpanded(id))));
    unmet.extend(absent("pulls_in", wanted.pulls_in.as_deref(), &pulled, |id| {
        let role = ctx.selection.member(id.as_str()).map(|member| member.role);
        Some(FailedExpectation::NotPulledIn(id, role))
    }));
    let tokens = said.tokens();
    unmet.extend(
        wanted.max_tokens.filter(|most| tokens > *most).map(|most| FailedExpectation::TooMany { most, tokens }),
    );
    CaseResult { hints, expands, tokens, unmet, case }
}

fn enrich_request(case: &Case) -> EnrichRequest<'_> {
    let tool = Tool { name: case.tool.as_deref(), arguments: &case.args, cwd: None };
    EnrichRequest { tool: Some(tool), repeat: true, ..EnrichRequest::new(case.kind, &case.text) }
}

fn hinted(said: &Enriched, id: &SourceId) -> FailedExpectation {
    let is_it = |item: &&ItemReceipt| item.block == BlockKind::Hint && item.about == id.as_str();
    let (mut tags, mut meaning) = (Vec::new(), None);
    for why in said.items.iter().filter(is_it).flat_map(|item| &item.why) {
        match why {
            MatchReason::Tag { tag, .. } => tags.push(tag.clone()),
            MatchReason::Meaning(it) => meaning = Some(it.clone()),
            _ => {}
        }
    }
    FailedExpectation::Hinted(id.clone(), tags, meaning)
}

/// Reports the sources of a case's list that are absent; for an empty list, those that are present.
fn absent(
    key: &'static str,
    wanted: Option<&[String]>,
    there: &[SourceId],
    miss: impl Fn(SourceId) -> Option<FailedExpectation>,
) -> Vec<FailedExpectation> {
    match wanted {
        None => Vec::new(),
        Some([]) if there.is_empty() => Vec::new(),
        Some([]) => vec![FailedExpectation::NotEmpty(key, there.to_vec())],
        Some(wanted) => {
            let absent = wanted.iter().filter(|id| !there.iter().any(|known| known.as_str() == id.as_str()));
            absent.filter_map(|id| miss(SourceId::from(id.as_str()))).collect()
        }
    }
}
