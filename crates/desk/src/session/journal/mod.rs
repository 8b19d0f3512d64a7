//! The journal: what was said to whom, what was read, chosen and written, and why; a line each, for everybody who asks later
//! (BEHAVIOUR §9). Here is what a line is; the file has its own.

mod backward;
mod file;
mod tail;
mod tally;
#[cfg(test)]
mod tests;

pub use file::says_what;
pub use tail::Tail;
pub use tally::{Count, Tally};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use refdesk_enrich::{BlockKind, EnrichRequest, Enriched, ItemReceipt, TextKind};
use refdesk_files::name::sha256_hex;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A text was enriched.
    Enriched,
    /// A session was given the instructions.
    Instructed,
    /// A session forgot what it was told.
    Forgot,
    /// A tool read a source of the catalog.
    Read,
    /// Sources were picked.
    Selected,
    /// Picks were taken back.
    Unselected,
    /// Sources were barred.
    Excluded,
    /// Exclusions were lifted.
    Included,
    /// A file was written.
    Written,
    /// A file was removed.
    Removed,
    /// A hook could not do what it is for.
    Failed,
    /// A template was rendered for an agent.
    Rendered,
    /// A person was asked, for a choice or for a yes.
    Asked,
    /// A person answered, or did not in time.
    Answered,
}

impl What {
    /// One word, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Enriched => "enriched",
            Self::Instructed => "instructed",
            Self::Forgot => "forgot",
            Self::Read => "read",
            Self::Selected => "selected",
            Self::Unselected => "unselected",
            Self::Excluded => "excluded",
            Self::Included => "included",
            Self::Written => "written",
            Self::Removed => "removed",
            Self::Failed => "failed",
            Self::Rendered => "rendered",
            Self::Asked => "asked",
            Self::Answered => "answered",
        }
    }
}

/// A line that somebody wants in the journal; number, time, desk, session and writer are added when it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// What happened.
    pub what: What,
    /// To which kind of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TextKind>,
    /// The tool that gave the text, or that read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Ids of sources, or paths of files, that it is about; of a text what was said of is in `why`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// The file that was read, as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Those of `about` that this session had been hinted at or given an expansion of before, and which of the two.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub follows: BTreeMap<String, BlockKind>,
    /// What was said and why, entry by entry.
    #[serde(default)]
    pub why: Vec<ItemReceipt>,
    /// Why, in words, where it is no matter of entries.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Size of `text`, of what was read, or of the file written.
    #[serde(default)]
    pub bytes: usize,
    /// Estimated tokens of `text`, or of what was read.
    #[serde(default)]
    pub tokens: usize,
    /// SHA-256 of `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The exact bytes that were given. Never what a person or an agent wrote: not the text they were appended to, not the
    /// template or the values of a rendering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 1, for `refdesk replay`.
    pub n: u64,
    /// When, as RFC 3339 in UTC with milliseconds.
    pub time: String,
    /// At which desk.
    pub desk: String,
    /// To or by which session.
    pub session: String,
    /// Who wrote it: `refdesk enrich`, `claude-code`, `a screen`.
    pub who: String,
    /// The rest.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// What shows that this user's refdesk wrote it here; `None` until it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
}

/// How the name of a writer ends that is a client of the server: `claude-code over mcp`.
pub const OVER_MCP: &str = " over mcp";

/// What a screen calls itself as a writer.
pub const SCREEN: &str = "a screen";

impl Line {
    /// Whether a person did it, by a command or at a screen, and no agent.
    pub fn by_person(&self) -> bool {
        let is_command = self.who == "refdesk" || self.who.starts_with("refdesk ");
        // An agent may call itself what it likes.
        self.who == SCREEN || (is_command && !self.who.ends_with(OVER_MCP))
    }
}

impl Receipt {
    /// One without text and reasons.
    pub fn new(what: What) -> Self {
        Self {
            what,
            kind: None,
            tool: None,
            about: Vec::new(),
            path: None,
            follows: BTreeMap::new(),
            why: Vec::new(),
            reason: String::new(),
            bytes: 0,
            tokens: 0,
            hash: None,
            text: None,
        }
    }

    /// The same where there is no room for the text and its reasons.
    pub(super) fn without_text(self) -> Self {
        let reason = if self.text.is_some() { "too much to be kept".to_owned() } else { self.reason };
        Self { text: None, why: Vec::new(), reason, ..self }
    }

    /// What was appended to a text.
    pub fn of(asked: &EnrichRequest, enriched: &Enriched) -> Self {
        let text = enriched.added().to_owned();
        Self {
            kind: Some(asked.kind),
            tool: asked.tool.and_then(|tool| tool.name).map(str::to_owned),
            why: enriched.items.clone(),
            bytes: text.len(),
            tokens: enriched.tokens(),
            hash: Some(sha256_hex(text.as_bytes())),
            text: Some(text),
            ..Self::new(What::Enriched)
        }
    }
}
