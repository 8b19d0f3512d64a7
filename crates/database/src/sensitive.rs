//! Why a column is sensitive by itself: by configuration, by a word in its name, or by its type. `sampling` adds what
//! detectors find in values, and `schema` the columns that share values with sensitive ones.

pub(crate) mod comments;
pub(crate) mod detect;
pub(crate) mod literals;
mod passages;
mod words;

use std::borrow::Cow;

use self::words::sensitive_word;
use crate::config::DatabaseConfig;
use crate::names::words::split;
use crate::snapshot::{Column, Table};

/// Why a column's values must not be disclosed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SensitiveRule {
    /// The configuration names it.
    Configured(String),
    /// This word is in its name.
    Word(&'static str),
    /// Its type.
    Type(&'static str),
    /// It holds free text.
    FreeText,
    /// A detector found this kind of value.
    Detected(Cow<'static, str>),
    /// It shares its values with this column, which is sensitive.
    SameValues(String),
    /// It is computed from this column of its table, which is sensitive.
    Computed(String),
}

impl SensitiveRule {
    /// Parses the words of a rule on a page; `None` unless the rule examined values.
    pub(crate) fn of_values(words: &str) -> Option<Self> {
        let kind = words.strip_prefix("values: ").map(|kind| Self::Detected(Cow::Owned(kind.to_owned())));
        kind.or_else(|| (words == Self::FreeText.words()).then_some(Self::FreeText))
    }

    /// The rule, for people; in brackets after `sensitive`.
    pub fn words(&self) -> String {
        match self {
            Self::Configured(pattern) => format!("configured: {pattern}"),
            Self::Word(word) => format!("name: {word}"),
            Self::Type(kind) => format!("type: {kind}"),
            Self::FreeText => "type: free text".to_owned(),
            Self::Detected(kind) => format!("values: {kind}"),
            Self::SameValues(column) => format!("same values: {column}"),
            Self::Computed(column) => format!("computed: {column}"),
        }
    }
}

/// Integer types, whose values may identify rows, by the first word of their names.
const INTEGERS: [&str; 8] = ["int", "integer", "smallint", "bigint", "tinyint", "mediumint", "number", "numeric"];

/// Types whose values are always sensitive.
const TYPES: &[&str] = &[
    "bytea",
    "blob",
    "json",
    "jsonb",
    "xml",
    "inet",
    "cidr",
    "macaddr",
    "macaddr8",
    "point",
    "geometry",
    "geography",
    "binary",
    "varbinary",
    "image",
    "variant",
    "hstore",
    "tsvector",
    "clob",
];

/// Why a column is sensitive, judged only by itself and without its values; `None` if it is not, or if the configuration
/// declares it not sensitive.
pub(crate) fn by_name_and_type(config: &DatabaseConfig, table: &Table, column: &Column) -> Option<SensitiveRule> {
    let matches = |patterns: &[crate::names::globs::NamePattern]| {
        let found = patterns.iter().find(|it| it.matches_column(&table.schema, &table.name, &column.name));
        found.map(|pattern| pattern.text.clone())
    };
    if is_lifted(config, table, column) {
        return None;
    }
    if let Some(pattern) = matches(&config.sensitive) {
        return Some(SensitiveRule::Configured(pattern));
    }
    if let Some(word) = sensitive_word(referenced_column(table, column).unwrap_or(&column.name)) {
        return Some(SensitiveRule::Word(word));
    }
    let of_type = |data_type: &str| {
        let base: Vec<String> = split(data_type);
        TYPES.iter().find(|kind| base.iter().any(|word| word == *kind)).copied()
    };
    let kind = of_type(&column.data_type).or_else(|| column.base_type.as_deref().and_then(of_type));
    kind.or(column.is_composite.then_some("composite")).map(SensitiveRule::Type)
}

/// The column that a number refers to: `ShipVia` holds the number of a shipper, not a street.
fn referenced_column<'t>(table: &'t Table, column: &Column) -> Option<&'t str> {
    let key = table.foreign_keys.iter().find(|key| key.columns == [column.name.as_str()])?;
    key.target_columns.first().map(String::as_str).filter(|_| is_integer(column))
}

/// Whether a column's values are integers, by its type.
pub(crate) fn is_integer(column: &Column) -> bool {
    let printed = split(column.base_type.as_ref().unwrap_or(&column.data_type));
    printed.first().is_some_and(|word| INTEGERS.contains(&word.as_str()))
}

/// Whether the configuration declares that a column is not sensitive despite its name and type.
pub(crate) fn is_lifted(config: &DatabaseConfig, table: &Table, column: &Column) -> bool {
    config.not_sensitive.iter().any(|it| it.matches_column(&table.schema, &table.name, &column.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::snapshot::ForeignKey;

    #[test]
    fn a_number_that_refers_to_a_row_is_judged_by_the_name_there() {
        let (config, _) = config::read("databases: [{name: a, type: sqlite, connection: {file: x}}]", "f");
        let key = |column: &str, target: &str| ForeignKey {
            columns: vec![column.into()],
            target_columns: vec![target.into()],
            ..ForeignKey::default()
        };
        for (name, data_type, target, expected) in [
            ("ShipVia", "INTEGER", Some("ShipperID"), ""),
            ("address_id", "bigint", Some("id"), ""),
            ("person", "INTEGER", Some("ssn"), "name: ssn"),
            // A text could contain the referenced value itself.
            ("mail", "TEXT", Some("id"), "name: mail"),
            ("ShipVia", "INTEGER", None, "name: via"),
        ] {
            let table =
                Table { foreign_keys: target.iter().map(|target| key(name, target)).collect(), ..Table::default() };
            let column = Column { name: name.into(), data_type: data_type.into(), ..Column::default() };
            let rule = by_name_and_type(&config.databases[0], &table, &column);
            assert_eq!(rule.map(|rule| rule.words()).unwrap_or_default(), expected, "{name}");
        }
    }

    #[test]
    fn names_and_types_make_a_column_sensitive() {
        let text = "databases: [{name: a, type: sqlite, connection: {file: x}, sensitive: ['*.note', '*.*.remark'], \
                    not_sensitive: ['*.genre.name', 't.lifted_mail']}]";
        let (config, problems) = config::read(text, "f");
        assert_eq!(problems, []);
        let config = &config.databases[0];
        for (table, name, data_type, expected) in [
            ("t", "email", "TEXT", "name: email"),
            ("t", "EMail", "TEXT", "name: mail"),
            ("t", "FirstName", "TEXT", "name: name"),
            ("t", "customer_phone_2", "TEXT", "name: phone"),
            ("t", "Geburtsdatum", "DATE", "name: geburtsdatum"),
            ("t", "apiKey", "TEXT", "name: apikey"),
            ("t", "zip_code", "TEXT", "name: zip"),
            ("t", "payload", "JSONB", "type: jsonb"),
            ("t", "data", "VARBINARY(16)", "type: varbinary"),
            ("t", "note", "TEXT", "configured: *.note"),
            ("t", "remark", "TEXT", "configured: *.*.remark"),
            ("t", "total", "NUMERIC", ""),
            ("t", "telling", "TEXT", ""),
            ("t", "paging", "INT", ""),
            // The accent is a separate combining character.
            ("t", "religia\u{303}o", "TEXT", "name: religião"),
            ("t", "Nationalita\u{308}t", "TEXT", "name: nationalität"),
            ("genre", "name", "TEXT", ""),
            ("t", "lifted_mail", "TEXT", ""),
        ] {
            let table = Table { schema: "main".into(), name: table.into(), ..Table::default() };
            let column = Column { name: name.into(), data_type: data_type.into(), ..Column::default() };
            let rule = by_name_and_type(config, &table, &column);
            assert_eq!(rule.map(|rule| rule.words()).unwrap_or_default(), expected, "{name}");
        }
    }
}
