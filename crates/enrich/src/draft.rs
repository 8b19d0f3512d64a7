//! What an enricher would append, before the budget is applied: blocks of entries, each with its text, its short form,
//! its reasons, and its key in the session's memory.

use serde::{Deserialize, Serialize};

use super::meaning::Meaning;
use super::ranking::Rejection;
use super::references::GIVEN_ABOVE;

refdesk_text::worded_enum! {
    /// The kind of a block.
    pub enum BlockKind {
        /// Sources named by `@id`.
        Expansion = "expansion",
        /// Sources whose tags are in the text.
        Hint = "hint",
        /// Sources that were pulled in.
        Notice = "notice",
        /// Related files of the document that a tool read.
        Context = "context",
        /// Available templates.
        Templates = "templates",
        /// Sources given at the start of a conversation.
        Instruction = "instruction",
        /// Tags that can be used to request more sources.
        Available = "available",
        /// What did not fit.
        LeftOut = "left_out",
    }
}

refdesk_text::worded_enum! {
    /// How much of an entry is printed.
    #[derive(PartialOrd, Ord)]
    pub enum Level {
        /// All of it.
        Full = "full",
        /// Only name and place.
        Brief = "brief",
        /// Only counted.
        Count = "count",
    }
}

/// Why an entry is included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum MatchReason {
    /// `@id` is in the text; this is its first position.
    Mention {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
    },
    /// One of its tags is in the text; this is its first position.
    Tag {
        /// As the catalog spells it.
        tag: String,
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
    },
    /// It was pulled in: the ids from its reason up to the pick.
    Parents {
        /// Nearest first; the last is a pick, or auto.
        chain: Vec<String>,
    },
    /// One of its sections is about the topic of the text.
    Meaning(Meaning),
    /// A rule of refdesk.
    Rule {
        /// A short description of the rule.
        rule: String,
    },
}

/// How the session's memory identifies an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MemoryKey {
    /// A hash made by [`super::content_hash`].
    Given(String),
    /// The id of a transitive source that was announced.
    Announced(String),
}

/// One entry of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DraftEntry {
    /// The id of its source or the name of its template.
    pub about: String,
    /// The text, if there is room.
    pub full: String,
    /// The short text: name and place.
    pub brief: String,
    /// Why it is included.
    pub why: Vec<MatchReason>,
    /// What the session remembers once it has this entry.
    pub keys: Vec<MemoryKey>,
    /// Whether it is already in the text; then it is not repeated and counts as given.
    pub is_in_text: bool,
    /// Whether the short text is enough to count as given. It is always enough to count as announced.
    pub brief_is_enough: bool,
    /// The smallest weight is reduced first; of equal ones, the last entry. Infinite for picked and auto sources.
    pub weight: f64,
    /// Why it is only counted even if there is room: other hints are more likely to be meant.
    pub rejected: Option<Rejection>,
}

impl DraftEntry {
    /// The text at this level.
    pub(super) fn words(&self, level: Level) -> &str {
        match level {
            Level::Full => &self.full,
            Level::Brief => &self.brief,
            Level::Count => "",
        }
    }

    /// What the session remembers if the entry is printed at this level.
    pub(super) fn remembered(&self, level: Level) -> impl Iterator<Item = &MemoryKey> {
        let counts = move |key: &&MemoryKey| match (level, key) {
            (Level::Full, _) | (Level::Brief, MemoryKey::Announced(_)) => true,
            (Level::Brief, MemoryKey::Given(_)) => self.brief_is_enough,
            (Level::Count, _) => false,
        };
        self.keys.iter().filter(counts)
    }
}

/// A block before it is printed: entries of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    /// The kind of its entries.
    pub kind: BlockKind,
    /// In print order.
    pub entries: Vec<DraftEntry>,
}

/// One entry as printed, for receipts and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemReceipt {
    /// The kind of its block.
    pub block: BlockKind,
    /// The id of its source or the name of its template.
    pub about: String,
    /// How much of it was printed; `count` if it was left out.
    pub level: Level,
    /// Size of its own text in bytes, 0 if it was left out.
    pub bytes: usize,
    /// Why it was included.
    pub why: Vec<MatchReason>,
    /// Why it was left out although there was room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejection>,
}

impl ItemReceipt {
    /// Whether it was left out because it did not fit.
    pub fn has_no_room(&self) -> bool {
        self.level == Level::Count && self.rejected.is_none()
    }

    /// Whether it is only a line that refers to what the session already received.
    pub fn is_given_above(&self) -> bool {
        self.why.iter().any(|why| matches!(why, MatchReason::Rule { rule } if rule == GIVEN_ABOVE))
    }

    /// The reasons as text: ``tag `retry` at 3:14``, ``← retry-pattern ← circuit-breaker``. External text is not
    /// escaped.
    pub fn because(&self) -> String {
        self.because_quoting("`")
    }

    /// Like [`Self::because`], with other marks around mentions and tags.
    pub fn because_quoting(&self, mark: &str) -> String {
        let words = |why: &MatchReason| match why {
            MatchReason::Mention { line, column } => format!("{mark}@{}{mark} at {line}:{column}", self.about),
            MatchReason::Tag { tag, line, column } => format!("tag {mark}{tag}{mark} at {line}:{column}"),
            MatchReason::Parents { chain } => chain.iter().map(|id| format!("← {id}")).collect::<Vec<_>>().join(" "),
            // The rejection states the score that it needs.
            MatchReason::Meaning(meaning) if self.rejected.is_some_and(|it| it.needed().is_some()) => {
                meaning.without_threshold()
            }
            MatchReason::Meaning(meaning) => meaning.in_words(),
            MatchReason::Rule { rule } => rule.clone(),
        };
        let reasons = self.why.iter().map(words).collect::<Vec<_>>().join(", ");
        self.rejected.map_or_else(|| reasons.clone(), |rejected| format!("{reasons}; {rejected}"))
    }
}

/// The cost of one printed block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockCost {
    /// The kind of its entries.
    pub kind: BlockKind,
    /// Its size, including the blank line before it.
    pub bytes: usize,
    /// Estimated tokens.
    pub tokens: usize,
    /// The lowest level in it: `full` if nothing is missing, `brief` if an entry has only its name and place, `count`
    /// if entries were left out, which the block [`BlockKind::LeftOut`] counts.
    pub level: Level,
    /// Its offset in the enriched text.
    #[serde(skip)]
    pub start: usize,
}
