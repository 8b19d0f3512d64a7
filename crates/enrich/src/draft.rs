//! What an enricher would append, before the budget is applied: blocks of entries, each with its text, its short form,
//! its reasons, and its key in the session's memory.

use serde::{Deserialize, Serialize};

use super::references::GIVEN_ABOVE;

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Sources named by `@id`.
    Expansion,
    /// Sources whose tags are in the text.
    Hint,
    /// Sources that the selection pulled in.
    Notice,
    /// What belongs to the document that a tool has read.
    Context,
    /// Templates there are.
    Templates,
    /// Sources that are known from the start.
    Instruction,
    /// Tags that may be asked for besides.
    Available,
    /// What did not fit.
    LeftOut,
}

impl BlockKind {
    /// One word for lists, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Expansion => "expansion",
            Self::Hint => "hint",
            Self::Notice => "notice",
            Self::Context => "context",
            Self::Templates => "templates",
            Self::Instruction => "instruction",
            Self::Available => "available",
            Self::LeftOut => "left_out",
        }
    }
}

/// How much of an entry is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// All of it.
    Full,
    /// Its name and its place.
    Brief,
    /// Only that there is something.
    Count,
}

/// Why an entry is printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum MatchReason {
    /// `@id` stands in the text, here for the first time.
    Mention {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
    },
    /// A tag of it stands in the text, here for the first time.
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
    /// A rule of the desk says so.
    Rule {
        /// Which, in words.
        rule: String,
    },
}

/// How the session remembers an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryKey {
    /// As [`super::content_hash`] makes it.
    Given(String),
    /// A transitive source was announced.
    Announced(String),
}

/// One entry of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftEntry {
    /// The id of the source, or the name of the template, that it is about.
    pub about: String,
    /// As it is printed where there is room.
    pub full: String,
    /// Name and place.
    pub brief: String,
    /// Why it is said.
    pub why: Vec<MatchReason>,
    /// What it counts as once given.
    pub memory: Vec<MemoryKey>,
    /// It stands in the text already: it is not said again and counts as given.
    pub stands: bool,
    /// Whether its short form says enough to count as given. To count as announced it always does.
    pub brief_is_enough: bool,
    /// The smallest go first where room is short; of equal ones the last. It is infinite where a person, or the catalog's
    /// mode `auto`, wants the source to be known.
    pub weight: f64,
}

impl DraftEntry {
    /// As it is printed at this level.
    pub(super) fn words(&self, level: Level) -> &str {
        match level {
            Level::Full => &self.full,
            Level::Brief => &self.brief,
            Level::Count => "",
        }
    }

    /// What it counts as, said at this level.
    pub(super) fn remembered(&self, level: Level) -> impl Iterator<Item = &MemoryKey> {
        let counts = move |memory: &&MemoryKey| match (level, memory) {
            (Level::Full, _) | (Level::Brief, MemoryKey::Announced(_)) => true,
            (Level::Brief, MemoryKey::Given(_)) => self.brief_is_enough,
            (Level::Count, _) => false,
        };
        self.memory.iter().filter(counts)
    }
}

/// A block before it is printed: entries of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What it says.
    pub kind: BlockKind,
    /// In the order in which they are printed.
    pub entries: Vec<DraftEntry>,
}

/// One entry as printed, for receipts and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemReceipt {
    /// In which block.
    pub block: BlockKind,
    /// The id of the source, or the name of the template, that it is about.
    pub about: String,
    /// How much of it was said; `count` where it was left out.
    pub level: Level,
    /// Size of its own words in bytes, 0 where it was left out.
    pub bytes: usize,
    /// Why.
    pub why: Vec<MatchReason>,
}

impl ItemReceipt {
    /// Whether only a line says that it was given to the session before.
    pub fn is_given_above(&self) -> bool {
        self.why.iter().any(|why| matches!(why, MatchReason::Rule { rule } if rule == GIVEN_ABOVE))
    }

    /// Why, for people: ``tag `retry` at 3:14``, ``← retry-pattern ← circuit-breaker``. What stands in it from outside is not
    /// escaped.
    pub fn because(&self) -> String {
        let words = |why: &MatchReason| match why {
            MatchReason::Mention { line, column } => format!("`@{}` at {line}:{column}", self.about),
            MatchReason::Tag { tag, line, column } => format!("tag `{tag}` at {line}:{column}"),
            MatchReason::Parents { chain } => chain.iter().map(|id| format!("← {id}")).collect::<Vec<_>>().join(" "),
            MatchReason::Rule { rule } => rule.clone(),
        };
        self.why.iter().map(words).collect::<Vec<_>>().join(", ")
    }
}

/// The cost of one printed block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockCost {
    /// What it says.
    pub kind: BlockKind,
    /// Its size, the blank line before it included.
    pub bytes: usize,
    /// Estimated.
    pub tokens: usize,
    /// The lowest level of all there was to say in it: `full` where nothing is missing, `brief` where something is only
    /// named, `count` where something was left out, which the block [`BlockKind::LeftOut`] counts.
    pub level: Level,
    /// Where it stands in the enriched text.
    #[serde(skip)]
    pub start: usize,
}
