//! The journal: one line for everything that was sent to a session, read, chosen or written, and why (BEHAVIOUR §9).
//! This module defines the line; `file` handles the file.

mod backward;
mod file;
mod tail;
mod tally;
#[cfg(test)]
mod tests;

pub(crate) use file::{Appended, records_event};
pub use tail::JournalTail;
pub(crate) use tail::SkippedLines;
pub(crate) use tally::Offers;
pub use tally::{Count, Tally};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use refdesk_enrich::{BlockKind, EnrichRequest, Enriched, ItemReceipt, Level, TextKind};
use refdesk_files::name::sha256_hex;

refdesk_text::worded_enum! {
    /// The event of a journal line.
    pub enum JournalEvent {
        /// A text was enriched.
        Enriched = "enriched",
        /// A session was sent the instructions.
        Instructed = "instructed",
        /// A session's memory was cleared.
        Forgot = "forgot",
        /// A tool read a source of the catalog.
        Read = "read",
        /// Sources were picked.
        Selected = "selected",
        /// Picks were removed.
        Unselected = "unselected",
        /// Sources were excluded.
        Excluded = "excluded",
        /// Exclusions were lifted.
        Included = "included",
        /// A file was written.
        Written = "written",
        /// A file was removed.
        Removed = "removed",
        /// An approved write failed.
        Unwritten = "unwritten",
        /// A hook failed.
        Failed = "failed",
        /// A template was rendered for an agent.
        Rendered = "rendered",
        /// The user was asked for a choice or for approval.
        Asked = "asked",
        /// The user answered, or the time ran out.
        Answered = "answered",
    }
}

/// In a session with ten thousand new sources, each prompt leaves out nearly all of them until all have been sent.
const NAMED_LEFT_OUT: usize = 100;

/// The content of a journal line; number, time, desk, session and writer are added on writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The event.
    pub what: JournalEvent,
    /// The kind of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<TextKind>,
    /// The tool that returned the text or read the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The source ids or file paths concerned; for a text, its sources are in `why`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// The file that was read, as displayed; of a written file, the path to which links led, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Those of `about` that were hinted at or expanded in this session before, and which of the two.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub follows: BTreeMap<String, BlockKind>,
    /// What was sent and why, entry by entry, followed by the first 100 entries that did not fit.
    #[serde(default)]
    pub why: Vec<ItemReceipt>,
    /// How many more entries did not fit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_left_out: usize,
    /// The id of the request or its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Who answered the request, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The reason as text, if it does not concern entries.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The size in bytes of `text`, of the source read, or of the file written.
    #[serde(default)]
    pub bytes: usize,
    /// The estimated tokens of `text`, or of the source read.
    #[serde(default)]
    pub tokens: usize,
    /// SHA-256 of `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The exact bytes that were sent. Never includes what a user or an agent wrote: neither the text to which they
    /// were appended, nor the template or values of a rendering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 1, for `refdesk replay`.
    pub n: u64,
    /// Its time, as RFC 3339 in UTC with milliseconds.
    pub time: String,
    /// Its desk.
    pub desk: String,
    /// Its session.
    pub session: String,
    /// The writer: `refdesk enrich`, `claude-code`, `a screen`.
    pub who: String,
    /// The content.
    #[serde(flatten)]
    pub receipt: Receipt,
    /// The seal, which proves that this user's refdesk wrote the line here; `None` before it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
}

/// The suffix of a writer's name for a client of the server: `claude-code over mcp`.
pub const OVER_MCP: &str = " over mcp";

/// The writer's name for a screen.
pub const SCREEN: &str = "a screen";

impl Line {
    /// Whether a person did this, with a command or on a screen, rather than an agent.
    pub fn by_person(&self) -> bool {
        let is_command = self.who == "refdesk" || self.who.starts_with("refdesk ");
        // Agents can choose any name.
        self.who == SCREEN || (is_command && !self.who.ends_with(OVER_MCP))
    }
}

impl Receipt {
    /// A receipt without text and reasons.
    pub fn new(what: JournalEvent) -> Self {
        Self {
            what,
            kind: None,
            tool: None,
            about: Vec::new(),
            path: None,
            follows: BTreeMap::new(),
            why: Vec::new(),
            more_left_out: 0,
            request: None,
            by: None,
            reason: String::new(),
            bytes: 0,
            tokens: 0,
            hash: None,
            text: None,
        }
    }

    /// The same receipt without a text and reasons that are too large.
    pub(super) fn without_text(self) -> Self {
        let more_left_out = self.left_out();
        let reason = if self.text.is_some() { "too large to be stored".to_owned() } else { self.reason };
        Self { text: None, why: Vec::new(), more_left_out, reason, ..self }
    }

    /// How many entries did not fit.
    pub fn left_out(&self) -> usize {
        self.more_left_out + self.why.iter().filter(|item| item.level == Level::Count).count()
    }

    /// The receipt for what was appended to a text.
    pub fn of(asked: &EnrichRequest, enriched: &Enriched) -> Self {
        let text = enriched.added().to_owned();
        let (why, more_left_out) = named(&enriched.items);
        Self {
            kind: Some(asked.kind),
            tool: asked.tool.and_then(|tool| tool.name).map(str::to_owned),
            why,
            more_left_out,
            bytes: text.len(),
            tokens: enriched.tokens(),
            hash: Some(sha256_hex(text.as_bytes())),
            text: Some(text),
            ..Self::new(JournalEvent::Enriched)
        }
    }
}

/// The printed entries followed by the first ones left out, and the number of the others left out.
fn named(items: &[ItemReceipt]) -> (Vec<ItemReceipt>, usize) {
    let mut left_out = 0;
    let is_named = |item: &&ItemReceipt| {
        left_out += usize::from(item.level == Level::Count);
        item.level != Level::Count || left_out <= NAMED_LEFT_OUT
    };
    let named = items.iter().filter(is_named).cloned().collect();
    (named, left_out.saturating_sub(NAMED_LEFT_OUT))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde passes it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
