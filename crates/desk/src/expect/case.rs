//! What a file of expectations says, case by case. A plain value: where it comes from is `file`'s business, whether it is met
//! is `judge`'s.

use serde_json::Value;

use refdesk_enrich::TextKind;

/// A text and what is to be said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// As the file calls it, else `case N`.
    pub name: String,
    /// The line at which it begins.
    pub line: usize,
    /// A prompt or a tool's result.
    pub kind: TextKind,
    /// The text.
    pub text: String,
    /// The tool that gave it.
    pub tool: Option<String>,
    /// What the tool was asked; null where that is not said.
    pub args: Value,
    /// What is picked for this case; the desk's own picks where that is not said.
    pub select: Option<Vec<String>>,
    /// What is expected.
    pub wanted: Wanted,
}

/// What is expected of a case. What is not said is not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Sources that are hinted at; an empty list says that none is.
    pub hints: Option<Vec<String>>,
    /// Sources that are not.
    pub not_hints: Option<Vec<String>>,
    /// Sources that are expanded; an empty list says that none is.
    pub expands: Option<Vec<String>>,
    /// Sources that the selection has pulled in; an empty list says that there is none.
    pub pulls_in: Option<Vec<String>>,
    /// Most tokens that are appended.
    pub max_tokens: Option<usize>,
}

impl Wanted {
    /// How many expectations these are: one an id, one an empty list, one a limit.
    pub fn count(&self) -> usize {
        let lists = [&self.hints, &self.not_hints, &self.expands, &self.pulls_in];
        let listed: usize = lists.into_iter().flatten().map(|list| list.len().max(1)).sum();
        listed + usize::from(self.max_tokens.is_some())
    }
}
