//! The rules that the configuration's `checks` can name.

use refdesk_text::report::Severity;

refdesk_text::worded_enum! {
    /// A rule.
    #[derive(PartialOrd, Ord)]
    pub enum CheckRule {
        /// A table has no primary key.
        NoPrimaryKey = "no_primary_key",
        /// The columns of a foreign key have no index.
        KeyWithoutIndex = "key_without_index",
        /// The columns of a foreign key or of a noted join have different types than the referenced ones.
        KeyTypesDiffer = "key_types_differ",
        /// A foreign key refers to a table or a column that does not exist.
        MissingTarget = "missing_target",
        /// A column's name matches the keys of several tables, or only a part of one key.
        AmbiguousJoin = "ambiguous_join",
        /// A comment is empty, or merely repeats the name.
        EmptyComment = "empty_comment",
        /// A name, a default, a label or a comment contains invisible characters.
        HiddenCharacters = "hidden_characters",
        /// A sensitive column has no note.
        SensitiveWithoutNote = "sensitive_without_note",
        /// A table has many columns.
        ManyColumns = "many_columns",
        /// A table belongs to no domain.
        NoDomain = "no_domain",
        /// A comment is long.
        LongComment = "long_comment",
        /// A comment contains an address, a number or a secret.
        ValueInComment = "value_in_comment",
    }
}

impl CheckRule {
    /// The finding as a phrase about several tables or columns.
    pub fn of_many(self) -> &'static str {
        match self {
            Self::NoPrimaryKey => "tables have no primary key",
            Self::KeyWithoutIndex => "foreign keys have no index",
            Self::KeyTypesDiffer => "keys or noted joins have different types from the columns they refer to",
            Self::MissingTarget => "foreign keys refer to tables that do not exist",
            Self::AmbiguousJoin => "columns have names that match several keys or only a part of one",
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
        match self {
            Self::KeyTypesDiffer | Self::HiddenCharacters => Severity::Error,
            _ => Severity::Warning,
        }
    }
}
