//! The rules that the configuration's `checks` can name.

use refdesk_text::report::Severity;
use serde::Serialize;

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckRule {
    /// A table has no primary key.
    NoPrimaryKey,
    /// The columns of a foreign key have no index.
    KeyWithoutIndex,
    /// The columns of a foreign key have different types than the referenced ones.
    KeyTypesDiffer,
    /// A foreign key refers to a table that does not exist.
    MissingTarget,
    /// A column's name matches the keys of several tables.
    AmbiguousJoin,
    /// A comment is empty, or merely repeats the name.
    EmptyComment,
    /// A name, a default, a label or a comment contains invisible characters.
    HiddenCharacters,
    /// A sensitive column has no note.
    SensitiveWithoutNote,
    /// A table has many columns.
    ManyColumns,
    /// A table belongs to no domain.
    NoDomain,
    /// A comment is long.
    LongComment,
    /// A comment contains an address, a number or a secret.
    ValueInComment,
}

impl CheckRule {
    /// Every rule with its name in the configuration and its severity.
    pub const ALL: [(Self, &'static str, Severity); 12] = [
        (Self::NoPrimaryKey, "no_primary_key", Severity::Warning),
        (Self::KeyWithoutIndex, "key_without_index", Severity::Warning),
        (Self::KeyTypesDiffer, "key_types_differ", Severity::Error),
        (Self::MissingTarget, "missing_target", Severity::Warning),
        (Self::AmbiguousJoin, "ambiguous_join", Severity::Warning),
        (Self::EmptyComment, "empty_comment", Severity::Warning),
        (Self::HiddenCharacters, "hidden_characters", Severity::Error),
        (Self::SensitiveWithoutNote, "sensitive_without_note", Severity::Warning),
        (Self::ManyColumns, "many_columns", Severity::Warning),
        (Self::NoDomain, "no_domain", Severity::Warning),
        (Self::LongComment, "long_comment", Severity::Warning),
        (Self::ValueInComment, "value_in_comment", Severity::Warning),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(rule, ..)| *rule == self).map_or("", |(_, name, _)| name)
    }

    /// The finding as a phrase about several tables or columns.
    pub fn of_many(self) -> &'static str {
        match self {
            Self::NoPrimaryKey => "tables have no primary key",
            Self::KeyWithoutIndex => "foreign keys have no index",
            Self::KeyTypesDiffer => "foreign keys have different types from the columns they refer to",
            Self::MissingTarget => "foreign keys refer to tables that do not exist",
            Self::AmbiguousJoin => "columns have names that match the keys of several tables",
            Self::EmptyComment => "comments say nothing",
            Self::HiddenCharacters => "names or texts have hidden characters",
            Self::SensitiveWithoutNote => "columns are sensitive and have no note",
            Self::ManyColumns => "tables have many columns",
            Self::NoDomain => "tables belong to no domain",
            Self::LongComment => "comments are long",
            Self::ValueInComment => "comments quote addresses, numbers or secrets, which are left out",
        }
    }

    /// Its default severity.
    pub fn severity(self) -> Severity {
        Self::ALL.iter().find(|(rule, ..)| *rule == self).map_or(Severity::Warning, |(.., severity)| *severity)
    }
}
