//! Why a source gets no hint, as code and as text.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::meaning::Score;

/// Why a source gets no hint although the index has a score for it, or one of its tags is in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Rejection {
    /// Its text may not be read: it is not trusted yet, or it belongs to git or refdesk. Without a tag in the text, also: it is
    /// missing.
    Unreadable,
    /// It has no tag in the text, and hints by meaning are turned off.
    MeaningOff,
    /// It has no tag in the text, and the index has no threshold yet.
    NoThreshold,
    /// It has no tag in the text, and its score is below the threshold.
    BelowThreshold,
    /// It has no tag in the text, and scores lower than sources with a tag, or barely enough.
    BelowTagged {
        /// The lowest sufficient score.
        needed: Score,
    },
    /// It has no tag in the text, is compared only by words, and shares only one word with it.
    OneWord,
    /// It has a tag in the text, but its score shows that the text is hardly about it.
    TagAlone {
        /// The lowest sufficient score.
        needed: Score,
    },
    /// The best source of the same kind scores much higher.
    BelowBest {
        /// The lowest sufficient score.
        needed: Score,
    },
    /// Enough others score higher.
    TooMany,
    /// Another hint shows the same section, or a selected source contains it: its file is in several sources.
    SameSection,
    /// The text is the file that has its best section, which the agent has just read.
    JustRead,
}

impl Rejection {
    /// Its name in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::MeaningOff => "meaning-off",
            Self::NoThreshold => "no-threshold",
            Self::BelowThreshold => "below-threshold",
            Self::OneWord => "one-word",
            Self::BelowTagged { .. } => "below-tagged",
            Self::TagAlone { .. } => "tag-alone",
            Self::BelowBest { .. } => "below-best",
            Self::TooMany => "too-many",
            Self::SameSection => "same-section",
            Self::JustRead => "just-read",
        }
    }
}

impl Rejection {
    /// The lowest sufficient score, if it is not the threshold.
    pub fn needed(&self) -> Option<Score> {
        match self {
            Self::BelowTagged { needed } | Self::TagAlone { needed } | Self::BelowBest { needed } => Some(*needed),
            _ => None,
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => write!(out, "its text cannot be read"),
            Self::MeaningOff => write!(out, "hints by meaning are turned off"),
            Self::NoThreshold => write!(out, "the index has not computed its threshold yet"),
            Self::BelowThreshold => write!(out, "its score is below the threshold"),
            Self::OneWord => write!(out, "it has no vectors yet, and one word in common is not enough"),
            Self::BelowTagged { needed } => {
                write!(out, "without a matching tag it needs a score of {needed}, because others match by tag")
            }
            Self::TagAlone { needed } => write!(out, "a tag alone is not enough; it needs {needed}"),
            Self::BelowBest { needed } => write!(out, "the best hints score much higher; it would need {needed}"),
            Self::TooMany => write!(out, "enough other sources score higher"),
            Self::SameSection => write!(out, "another source with a hint, or a selected one, has the same section"),
            Self::JustRead => write!(out, "it was just read"),
        }
    }
}
