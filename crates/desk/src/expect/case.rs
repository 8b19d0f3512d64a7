//! A case in an expectations file. `file` parses it, `judge` evaluates it.

use serde_json::Value;

use refdesk_enrich::TextKind;

/// A text and what is expected for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The name in the file, or `case N`.
    pub name: String,
    /// The line on which it starts.
    pub line: usize,
    /// A prompt or a tool's result.
    pub kind: TextKind,
    /// The text.
    pub text: String,
    /// The tool that returned it.
    pub tool: Option<String>,
    /// The tool's arguments; null if not given.
    pub args: Value,
    /// The picks for this case; `None` uses the desk's own.
    pub select: Option<Vec<String>>,
    /// The expectations.
    pub wanted: CaseExpectations,
}

/// The expectations of a case; those not given are not checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseExpectations {
    /// Sources that must be hinted at; an empty list means none.
    pub hints: Option<Vec<String>>,
    /// Sources of which at least one must be hinted at.
    pub hints_any: Option<Vec<String>>,
    /// Sources that must be the first hints, in any order.
    pub top: Option<Vec<String>>,
    /// Sources that must not be hinted at.
    pub not_hints: Option<Vec<String>>,
    /// Sources that must be expanded; an empty list means none.
    pub expands: Option<Vec<String>>,
    /// Sources that the selection must pull in; an empty list means none.
    pub pulls_in: Option<Vec<String>>,
    /// The most hints allowed.
    pub max_hints: Option<usize>,
    /// The most tokens that may be appended.
    pub max_tokens: Option<usize>,
}

impl CaseExpectations {
    /// The number of expectations: one per id, per empty list, per list of alternatives and per limit.
    pub fn count(&self) -> usize {
        let lists = [&self.hints, &self.top, &self.not_hints, &self.expands, &self.pulls_in];
        let listed: usize = lists.into_iter().flatten().map(|list| list.len().max(1)).sum();
        let single = [self.hints_any.is_some(), self.max_hints.is_some(), self.max_tokens.is_some()];
        listed + single.map(usize::from).iter().sum::<usize>()
    }

    /// Whether it states which hints to give without listing them all.
    pub fn is_about_order(&self) -> bool {
        self.hints_any.is_some() || self.top.is_some() || self.max_hints.is_some()
    }
}
