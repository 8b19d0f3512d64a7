//! Rules for a schema and its documentation, each with a severity; and the share of it that is described by a person, a
//! comment or a model rather than by rules.

use std::collections::BTreeMap;
use std::slice::from_ref;

use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::report::Severity;
use serde::Serialize;

use super::domains::SYSTEM;
use super::joins::InferredJoins;
use super::missing_target::MissingTarget;
use super::notes::{NotedJoin, Notes, incomparable_columns};
use super::sensitive_columns::SensitiveColumns;
use super::table_doc::{DescriptionSource, TableDoc};
use crate::config::{CheckRule, Connection, DatabaseConfig};
use crate::names::words::split;
use crate::sensitive::SensitiveRule;
use crate::sensitive::comments::quoted_in;
use crate::snapshot::{Snapshot, Table, TableName};

/// A table with more columns is reported.
const MANY_COLUMNS: usize = 100;

/// A comment with more characters is reported.
const LONG_COMMENT: usize = 2_000;

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: CheckRule,
    /// Its severity.
    pub severity: Severity,
    /// `schema.table`.
    pub table: String,
    /// The columns that it concerns: of a key all, otherwise one or none.
    pub columns: Vec<String>,
    /// What is wrong.
    pub message: String,
}

/// How much is described by a note, a comment or a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Tables and columns with such a description.
    pub described: usize,
    /// All tables and columns.
    pub all: usize,
}

impl Coverage {
    /// In percent, rounded down; `None` if there is nothing to describe.
    pub fn percent(self) -> Option<usize> {
        (self.described * 100).checked_div(self.all)
    }

    /// Adds a table with its columns.
    pub fn add(&mut self, doc: &TableDoc) {
        let sources = doc.columns.iter().map(|column| column.source).chain([doc.source]);
        for source in sources {
            self.all += 1;
            self.described += usize::from(source != DescriptionSource::Fallback);
        }
    }
}

/// The input of the rules.
#[derive(Debug, Clone, Copy)]
pub struct CheckInput<'a> {
    /// The configuration of the database.
    pub config: &'a DatabaseConfig,
    /// Its schema.
    pub snapshot: &'a Snapshot,
    /// A person's notes.
    pub notes: &'a Notes,
    /// Joins without a key.
    pub joins: &'a InferredJoins,
    /// The domain of each table.
    pub domains: &'a BTreeMap<TableName, String>,
}

/// The findings of all enabled rules, in the order of the tables.
pub fn check(input: &CheckInput<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let sensitive = SensitiveColumns::new(input.config, input.snapshot, input.joins, &BTreeMap::new());
    let mut noted: BTreeMap<&TableName, Vec<&NotedJoin>> = BTreeMap::new();
    for join in input.notes.joins.iter().filter(|_| matches!(input.config.connection, Connection::Postgres(_))) {
        noted.entry(&join.from.0).or_default().push(join);
    }
    for table in &input.snapshot.tables {
        let mut report = |rule: CheckRule, columns: &[String], message: String| {
            let severity = match input.config.checks.iter().find(|(known, _)| *known == rule) {
                Some((_, None)) => return,
                Some((_, Some(severity))) => *severity,
                None => rule.severity(),
            };
            found.push(Finding { rule, severity, table: table.full_name(), columns: columns.to_vec(), message });
        };
        of_table(input, table, &mut report);
        let noted = noted.get(&table.table_name()).into_iter().flatten();
        for (column, message) in noted.flat_map(|join| incomparable_columns(join, input.snapshot)) {
            report(CheckRule::KeyTypesDiffer, from_ref(&column), message);
        }
        of_columns(input, table, sensitive.of(table), &mut report);
    }
    found
}

type ReportFinding<'t> = &'t mut dyn FnMut(CheckRule, &[String], String);

fn of_table(input: &CheckInput<'_>, table: &Table, report: ReportFinding<'_>) {
    let is_base = !table.kind.is_view() && !table.is_unreadable;
    if is_base && table.primary_key.is_none() {
        report(CheckRule::NoPrimaryKey, &[], "it has no primary key".to_owned());
    }
    for key in table.distinct_keys() {
        let columns = key.columns.join(", ");
        let keys = table.primary_key.iter().chain(&table.unique).map(|key| &key.columns);
        let mut indexes =
            table.indexes.iter().filter(|index| !index.is_partial).map(|index| &index.columns).chain(keys);
        // The order of the columns does not matter to a search for all of them.
        let begins_with_key = |index: &Vec<String>| {
            let first = index.get(..key.columns.len()).unwrap_or_default();
            key.columns.iter().all(|column| first.contains(column))
        };
        if !indexes.any(begins_with_key) {
            report(CheckRule::KeyWithoutIndex, &key.columns, format!("the foreign key ({columns}) has no index"));
        }
        if let Some(missing) = MissingTarget::of(key, input.config, input.snapshot) {
            let missing = missing.with_table(&key.target.full());
            let message = format!("the foreign key ({columns}) refers to {missing}, which does not exist");
            report(CheckRule::MissingTarget, &key.columns, message);
        }
        let Some(target) = input.snapshot.table(&key.target) else { continue };
        for (own, other) in key.columns.iter().zip(&key.target_columns) {
            let types = (table.column(own).map(|it| &it.data_type), target.column(other).map(|it| &it.data_type));
            if let (Some(own_type), Some(other_type)) = types
                && !is_same_type(&input.config.connection, own_type, other_type)
            {
                let message =
                    format!("it is {own_type}, but refers to {}.{other}, which is {other_type}", target.full_name());
                report(CheckRule::KeyTypesDiffer, from_ref(own), message);
            }
        }
    }
    if table.columns.len() > MANY_COLUMNS {
        report(CheckRule::ManyColumns, &[], format!("it has {} columns", table.columns.len()));
    }
    if input.domains.get(&table.table_name()).is_some_and(|domain| domain == SYSTEM) {
        report(CheckRule::NoDomain, &[], "it belongs to no domain".to_owned());
    }
    for (_, column, targets) in input.joins.ambiguous.iter().filter(|(owner, ..)| *owner == table.table_name()) {
        let names: Vec<String> = targets.iter().map(TableName::full).collect();
        let message = match names.as_slice() {
            [name] => format!("its name matches only a part of the key of {name}"),
            names => format!("its name matches the keys of {}", names.join(" and ")),
        };
        report(CheckRule::AmbiguousJoin, from_ref(column), message);
    }
    if let Some(comment) = &table.comment {
        of_comment(&table.name, comment, &[], report);
    }
    for (constraint, comment) in &table.constraint_comments {
        of_quoted(&format!("the comment of {constraint}"), comment, &[], report);
    }
    for (column, message) in hidden_texts(table) {
        report(CheckRule::HiddenCharacters, column.map(str::to_owned).as_slice(), message);
    }
}

/// Names and texts of a table that contain hidden characters: the column, if any, and the problem.
pub fn hidden_texts(table: &Table) -> Vec<(Option<&str>, String)> {
    let full_name = table.full_name();
    let own = [("its name", Some(full_name.as_str())), ("its comment", table.comment.as_deref())];
    let of_columns = table.columns.iter().flat_map(|column| {
        let labels = column.labels.iter().map(|label| ("a label", Some(label.as_str())));
        let texts = [
            ("its name", Some(column.name.as_str())),
            ("its default", column.default.as_deref()),
            ("its comment", column.comment.as_deref()),
        ];
        texts.into_iter().chain(labels).map(|(what, text)| (Some(column.name.as_str()), what, text))
    });
    own.into_iter()
        .map(|(what, text)| (None, what, text))
        .chain(of_columns)
        .filter_map(|(column, what, text)| Some((column, what, HiddenCharacters::of(text?)?)))
        .map(|(column, what, hidden)| (column, format!("{what} has an {}", hidden.words())))
        .collect()
}

fn of_columns(input: &CheckInput<'_>, table: &Table, rules: &[Option<SensitiveRule>], report: ReportFinding<'_>) {
    let note = input.notes.table(table);
    for (column, rule) in table.columns.iter().zip(rules) {
        if let Some(comment) = column.type_comment.as_ref().filter(|_| column.comment.is_none()) {
            of_quoted("the comment of its type", comment, from_ref(&column.name), report);
        }
        if let Some(comment) = &column.comment {
            of_comment(&column.name, comment, from_ref(&column.name), report);
        }
        let is_noted = note.is_some_and(|note| note.columns.contains_key(&column.name));
        if let Some(rule) = rule.as_ref().filter(|_| !is_noted) {
            let message = format!("it is sensitive ({}) and has no note", rule.words());
            report(CheckRule::SensitiveWithoutNote, from_ref(&column.name), message);
        }
    }
}

fn of_comment(name: &str, comment: &str, column: &[String], report: ReportFinding<'_>) {
    if comment.trim().is_empty() || split(comment) == split(name) {
        report(CheckRule::EmptyComment, column, "its comment says nothing".to_owned());
    }
    of_quoted("its comment", comment, column, report);
    if comment.chars().count() > LONG_COMMENT {
        report(CheckRule::LongComment, column, format!("its comment has more than {LONG_COMMENT} characters"));
    }
}

/// Reports that a comment quotes values, without quoting them.
fn of_quoted(what: &str, comment: &str, column: &[String], report: ReportFinding<'_>) {
    let kinds = quoted_in(comment);
    if !kinds.is_empty() {
        let message = format!("{what} quotes a value ({}), which is left out", kinds.join(", "));
        report(CheckRule::ValueInComment, column, message);
    }
}

/// Whether values of two types can be equal. SQLite only has its affinities, and a column without a type compares with
/// anything.
fn is_same_type(connection: &Connection, one: &str, other: &str) -> bool {
    let is_sqlite = matches!(connection, Connection::Sqlite { .. });
    let has_none = one.is_empty() || other.is_empty();
    has_none || one.eq_ignore_ascii_case(other) || (is_sqlite && affinity(one) == affinity(other))
}

/// The affinity that SQLite derives from a type's name. All numeric affinities count as one.
fn affinity(data_type: &str) -> &'static str {
    let upper = data_type.to_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| upper.contains(word));
    match (has(&["INT"]), has(&["CHAR", "CLOB", "TEXT"]), has(&["BLOB"])) {
        (false, true, _) => "text",
        (false, false, true) => "blob",
        _ => "number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::snapshot::{Column, ForeignKey, IndexInfo, Key};

    #[test]
    fn rules_find_what_they_are_for_and_can_be_switched_off() {
        let column = |name: &str, data_type: &str, comment: Option<&str>| Column {
            name: name.into(),
            data_type: data_type.into(),
            comment: comment.map(str::to_owned),
            ..Column::default()
        };
        let name = |name: &str| TableName { schema: "main".into(), name: name.into() };
        let target = Table {
            schema: "main".into(),
            name: "a".into(),
            columns: vec![column("id", "INTEGER", None)],
            primary_key: Some(Key { name: None, columns: vec!["id".into()] }),
            ..Table::default()
        };
        let table = Table {
            schema: "main".into(),
            name: "b".into(),
            columns: vec![
                column("a_id", "TEXT", Some("a id")),
                column("mail", "TEXT", Some("x\u{202e}y")),
                column("c", "TEXT", Some(&"long ".repeat(500))),
                Column { default: Some("'\u{202e}'".into()), ..column("d\u{202e}", "TEXT", Some("ask a@example.org")) },
            ],
            foreign_keys: vec![
                ForeignKey {
                    columns: vec!["a_id".into()],
                    target: name("a"),
                    target_columns: vec!["id".into()],
                    ..ForeignKey::default()
                },
                ForeignKey { columns: vec!["c".into()], target: name("gone"), ..ForeignKey::default() },
                ForeignKey {
                    columns: vec!["c".into()],
                    target: name("a"),
                    target_columns: vec!["gone".into()],
                    ..ForeignKey::default()
                },
            ],
            ..Table::default()
        };
        let snapshot = Snapshot { tables: vec![target, table], ..Snapshot::default() };
        let domains = BTreeMap::from([(name("a"), "a".to_owned()), (name("b"), SYSTEM.to_owned())]);
        let joins = InferredJoins {
            ambiguous: vec![(name("b"), "c".into(), vec![name("a"), name("b")])],
            ..InferredJoins::default()
        };
        let found = |more: &str| -> Vec<String> {
            let text = format!("databases: [{{name: x, type: sqlite, connection: {{file: x}}{more}}}]");
            let (config, problems) = config::read(&text, "f");
            assert_eq!(problems, []);
            let (config, notes) = (&config.databases[0], Notes::default());
            let input = CheckInput { config, snapshot: &snapshot, notes: &notes, joins: &joins, domains: &domains };
            let columns = |it: &Finding| if it.columns.is_empty() { "-".to_owned() } else { it.columns.join(", ") };
            let line = |it: &Finding| format!("{} {}", it.rule.word(), columns(it));
            check(&input).iter().map(line).collect()
        };
        let all = [
            "no_primary_key -",
            "key_without_index a_id",
            "key_types_differ a_id",
            "key_without_index c",
            "missing_target c",
            "key_without_index c",
            "missing_target c",
            "no_domain -",
            "ambiguous_join c",
            "hidden_characters mail",
            "hidden_characters d\u{202e}",
            "hidden_characters d\u{202e}",
            "empty_comment a_id",
            "sensitive_without_note mail",
            "long_comment c",
            "value_in_comment d\u{202e}",
        ];
        assert_eq!(found(""), all);
        assert_eq!(found(", exclude_tables: [gone]").len(), all.len() - 1, "left out on purpose");
        assert_eq!(found(", checks: {no_domain: off, key_types_differ: warning}").len(), all.len() - 1);
        let text = "databases: [{name: x, type: postgres, connection: {host: x}, checks: {hidden_characters: off}}]";
        let (config, _) = config::read(text, "f");
        let (notes, _) = super::super::notes::read("joins: [{from: main.b.mail, to: main.a.id}]", "f");
        let config = &config.databases[0];
        let found = check(&CheckInput { config, snapshot: &snapshot, notes: &notes, joins: &joins, domains: &domains });
        let found = found.iter().filter(|it| it.rule == CheckRule::KeyTypesDiffer);
        let found: Vec<&str> = found.map(|it| it.message.as_str()).collect();
        let expected = [
            "it is TEXT, but refers to main.a.id, which is INTEGER",
            "the note joins mail (TEXT) with id (INTEGER), which the database does not compare",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_index_on_the_columns_of_a_key_serves_it_in_any_order() {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (key, index, has_index) in [
            (&["a", "b"][..], &["a", "b"][..], true),
            (&["a", "b"], &["b", "a"], true),
            (&["a", "b"], &["b", "a", "c"], true),
            (&["a", "b"], &["a", "c", "b"], false),
            (&["a", "b"], &["a"], false),
            (&["a", "b"], &["a", "a"], false),
            (&["b"], &["a", "b"], false),
        ] {
            let key = ForeignKey { columns: texts(key), ..ForeignKey::default() };
            let index = IndexInfo { columns: texts(index), ..IndexInfo::default() };
            let table = Table { foreign_keys: vec![key.clone()], indexes: vec![index.clone()], ..Table::default() };
            let snapshot = Snapshot { tables: vec![table], ..Snapshot::default() };
            let (config, _) = config::read("databases: [{name: x, type: sqlite, connection: {file: x}}]", "f");
            let (config, notes, joins) = (&config.databases[0], Notes::default(), InferredJoins::default());
            let domains = BTreeMap::new();
            let input = CheckInput { config, snapshot: &snapshot, notes: &notes, joins: &joins, domains: &domains };
            let found = check(&input).into_iter().find(|it| it.rule == CheckRule::KeyWithoutIndex);
            let expected = if has_index { None } else { Some(key.columns.clone()) };
            assert_eq!(found.map(|it| it.columns), expected, "{key:?} {index:?}");
        }
    }

    #[test]
    fn types_of_sqlite_are_compared_by_what_it_makes_of_them() {
        for (kind, one, other, is_same) in [
            ("sqlite", "INT", "INTEGER", true),
            ("sqlite", "bigint", "INTEGER", true),
            ("sqlite", "VARCHAR(5)", "text", true),
            ("sqlite", "NUMERIC", "INTEGER", true),
            ("sqlite", "", "INTEGER", true),
            ("sqlite", "", "TEXT", true),
            ("sqlite", "BLOB", "", true),
            ("sqlite", "TEXT", "INTEGER", false),
            ("sqlite", "BLOB", "TEXT", false),
            ("postgres", "integer", "INTEGER", true),
            ("postgres", "integer", "bigint", false),
        ] {
            let place = if kind == "sqlite" { "file: x" } else { "host: x" };
            let (config, _) =
                config::read(&format!("databases: [{{name: x, type: {kind}, connection: {{{place}}}}}]"), "f");
            let connection = &config.databases[0].connection;
            assert_eq!(is_same_type(connection, one, other), is_same, "{kind}: {one}, {other}");
        }
    }
}
