//! Checks a desk against an expectations file. Every case is a separate session; nothing is sent or written. Expensive
//! parts are built once for all cases: one matcher, and one selection per set of picks.

use std::collections::HashMap;
use std::sync::Arc;

use super::case::Case;
use crate::{Desk, Verdict};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{Choice, Role, Selection};
use refdesk_enrich::{BlockKind, EnrichContext, EnrichRequest, SessionMemory, Tool, WhyNot};

/// An unmet expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// The source is not hinted at, and why.
    NotHinted(Box<Verdict>),
    /// The source is hinted at, because of these tags.
    Hinted(SourceId, Vec<String>),
    /// The source is not expanded: the text does not name it, or it is excluded.
    NotExpanded(SourceId),
    /// The source is not pulled in: nothing selected mentions it, or it is selected in this other way.
    NotPulledIn(SourceId, Option<Role>),
    /// The list of this name should be empty, but these sources are present.
    NotNone(&'static str, Vec<SourceId>),
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
pub struct Judged {
    /// The case.
    pub case: Case,
    /// Hinted sources.
    pub hints: Vec<SourceId>,
    /// Expanded sources.
    pub expands: Vec<SourceId>,
    /// Estimated tokens appended.
    pub tokens: usize,
    /// Unmet expectations.
    pub missed: Vec<Miss>,
}

/// All cases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asserted {
    /// In the order of the file.
    pub cases: Vec<Judged>,
    /// Hints given in cases that name `hints`.
    pub given: usize,
    /// Hints that these cases expect.
    pub expected: usize,
    /// Hints given that were expected.
    pub right: usize,
}

impl Asserted {
    /// The share of given hints that were expected; `None` if none were given.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.right, self.given)
    }

    /// The share of expected hints that were given; `None` if none were expected.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.right, self.expected)
    }

    /// The number of expectations in all cases, and how many are unmet.
    pub fn counts(&self) -> (usize, usize) {
        let wanted = self.cases.iter().map(|judged| judged.case.wanted.count()).sum();
        (wanted, self.cases.iter().map(|judged| judged.missed.len()).sum())
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (whole > 0).then(|| number(part) / number(whole))
}

impl Desk {
    /// Checks every case.
    pub fn assert(&mut self, cases: Vec<Case>) -> Asserted {
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
        let mut asserted = Asserted::default();
        for case in cases {
            let Some(selection) = selections.get(&case.select) else { continue };
            let judged = judge(&EnrichContext { selection, ..self.context() }, case);
            if let Some(hints) = &judged.case.wanted.hints {
                asserted.given += judged.hints.len();
                asserted.expected += hints.len();
                asserted.right += judged.hints.iter().filter(|id| hints.iter().any(|hint| hint == id.as_str())).count();
            }
            asserted.cases.push(judged);
        }
        asserted
    }

    /// The selection that these picks give with the desk's exclusions and settings.
    fn selection_of(&mut self, picks: &[String]) -> Selection {
        let choice = Choice { picks: picks.to_vec(), exclusions: self.choice().exclusions.clone() };
        self.closure(&choice, self.rules())
    }
}

fn judge(ctx: &EnrichContext, case: Case) -> Judged {
    let tool = Tool { name: case.tool.as_deref(), arguments: &case.args };
    let asked = EnrichRequest { tool: Some(tool), repeat: true, ..EnrichRequest::new(case.kind, &case.text) };
    let said = refdesk_enrich::enrich(ctx, &asked, &SessionMemory::default());
    let about = |kind: BlockKind| {
        let items = said.items.iter().filter(move |item| item.block == kind);
        items.map(|item| SourceId::from(item.about.as_str())).collect::<Vec<_>>()
    };
    let (hints, expands) = (about(BlockKind::Hint), about(BlockKind::Expansion));
    let pulled: Vec<SourceId> = {
        let members = ctx.selection.members().iter();
        members.filter(|member| member.role == Role::Transitive).map(|member| member.id.clone()).collect()
    };
    let mut missed = Vec::new();
    let tags = |id: &SourceId| {
        let matched = said.metadata.tag_matched_references.iter().find(|(matched, _)| matched == id);
        matched.map(|(_, tags)| tags.clone()).unwrap_or_default()
    };
    let wanted = &case.wanted;
    missed.extend(absent("hints", wanted.hints.as_deref(), &hints, |id| {
        let source = ctx.catalog.get(id.as_str())?;
        let regard = ctx.matcher.explain(source, &case.text, ctx.catalog, ctx.selection, ctx.exclude_hints);
        let verdict = Verdict::new(&id, &case.text, regard);
        // It would be hinted at, but the text itself names it.
        Some(Miss::NotHinted(Box::new(verdict.or_because(WhyNot::Stands))))
    }));
    for id in wanted.not_hints.iter().flatten() {
        missed.extend(hints.iter().find(|hint| hint.as_str() == id).map(|id| Miss::Hinted(id.clone(), tags(id))));
    }
    missed.extend(absent("expands", wanted.expands.as_deref(), &expands, |id| Some(Miss::NotExpanded(id))));
    missed.extend(absent("pulls_in", wanted.pulls_in.as_deref(), &pulled, |id| {
        let role = ctx.selection.member(id.as_str()).map(|member| member.role);
        Some(Miss::NotPulledIn(id, role))
    }));
    let tokens = said.tokens();
    missed.extend(wanted.max_tokens.filter(|most| tokens > *most).map(|most| Miss::TooMany { most, tokens }));
    Judged { hints, expands, tokens, missed, case }
}

/// The sources of a case's list that are absent; for an empty list, reports any that are present.
fn absent(
    key: &'static str,
    wanted: Option<&[String]>,
    there: &[SourceId],
    miss: impl Fn(SourceId) -> Option<Miss>,
) -> Vec<Miss> {
    match wanted {
        None => Vec::new(),
        Some([]) if there.is_empty() => Vec::new(),
        Some([]) => vec![Miss::NotNone(key, there.to_vec())],
        Some(wanted) => {
            let absent = wanted.iter().filter(|id| !there.iter().any(|known| known.as_str() == id.as_str()));
            absent.filter_map(|id| miss(SourceId::from(id.as_str()))).collect()
        }
    }
}
