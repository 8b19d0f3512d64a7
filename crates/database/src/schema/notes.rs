//! A person's notes on tables, columns and joins: `.jaato/databases/NAME.notes.yaml`. A note takes precedence over
//! everything else.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::Diagnostic;
use refdesk_text::yaml::{YamlNode, YamlValue};
use refdesk_text::{Code, Fix};

use crate::config::{
    self,
    fields::{UNQUOTED_COMMA, YamlFields},
};
use crate::names::words::domain_name;
use crate::schema::joins::family;
use crate::snapshot::{Column, ComparedColumns, ForeignKey, Snapshot, Table, TableName, compared};

/// Most bytes of the file.
pub const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The maximum number of keys and values in it: there may be a note on every column.
const ITEMS: usize = 1_000_000;

/// The notes on a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// By `schema.table` as written.
    pub tables: BTreeMap<String, TableNote>,
    /// Joins without a key.
    pub joins: Vec<NotedJoin>,
    /// Joins that names suggest, but that are wrong.
    pub not_joins: Vec<NotedJoin>,
}

/// The notes on a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableNote {
    pub(crate) description: Option<String>,
    pub(crate) domain: Option<String>,
    pub(crate) columns: BTreeMap<String, String>,
    line: usize,
}

/// A join that a person noted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NotedJoin {
    /// The table and the columns that refer.
    pub(crate) from: (TableName, Vec<String>),
    /// The table and the columns that they refer to.
    pub(crate) to: (TableName, Vec<String>),
    pub(crate) because: String,
    pub(crate) cardinality: Option<&'static str>,
    line: usize,
}

impl NotedJoin {
    /// What it compares.
    pub(super) fn compared(&self) -> ComparedColumns<'_> {
        let (table, columns) = &self.from;
        compared((&table.schema, &table.name), columns, &self.to.0, &self.to.1)
    }
}

impl Notes {
    /// The foreign keys of the tables in the notes on joins, by what they compare.
    pub(super) fn keys<'s>(
        &self,
        snapshot: &'s Snapshot,
    ) -> BTreeMap<ComparedColumns<'s>, (&'s Table, &'s ForeignKey)> {
        let joins = self.joins.iter().chain(&self.not_joins);
        let names: BTreeSet<&TableName> = joins.flat_map(|join| [&join.from.0, &join.to.0]).collect();
        let tables = names.into_iter().filter_map(|name| snapshot.table(name));
        let keys = tables.flat_map(|table| table.foreign_keys.iter().map(move |key| (table, key)));
        keys.map(|(table, key)| (key.compared(table), (table, key))).collect()
    }

    /// The note on a table; a note may omit the schema.
    pub fn table(&self, table: &Table) -> Option<&TableNote> {
        self.tables.get(&table.full_name()).or_else(|| self.tables.get(&table.name))
    }

    /// Describes a table, unless a note does.
    pub fn describe(&mut self, table: &Table, description: &str) {
        let mut note = self.table(table).cloned().unwrap_or_default();
        if note.description.as_deref().is_none_or(|text| text.trim().is_empty()) {
            note.description = Some(description.to_owned());
            self.tables.insert(table.full_name(), note);
        }
    }

    /// Warnings about notes on tables or columns that are not in the schema, and about foreign keys that a note denies.
    pub fn dangling(&self, snapshot: &Snapshot, file: &str) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut warn = |line: usize, message: String, fix: Option<String>| {
            let problem = Diagnostic::warning(Code::UnknownTable, message).in_file(file).at_line(line);
            found.push(problem.fix(fix.map_or(Fix::None, Fix::Text)));
        };
        // Each table is visited only once, even with many notes and many tables. Of several with the same name, the
        // first wins.
        let tables = snapshot.tables.iter().rev();
        let by_name: HashMap<String, &Table> =
            tables.clone().flat_map(|table| [(table.name.clone(), table), (table.full_name(), table)]).collect();
        // Another case is the mistake that can be found without a comparison of every note with every table.
        let names = tables.flat_map(|table| [table.name.clone(), table.full_name()]);
        let by_lower: HashMap<String, String> = names.map(|name| (name.to_lowercase(), name)).collect();
        for (name, note) in &self.tables {
            let Some(table) = by_name.get(name) else {
                let near = did_you_mean(name, by_lower.get(&name.to_lowercase()).map(String::as_str));
                warn(note.line, format!("the note is on '{name}', which is not a table of the database"), near);
                continue;
            };
            for column in note.columns.keys().filter(|column| table.column(column).is_none()) {
                warn(note.line, format!("the note is on '{name}.{column}', which is not a column of the table"), None);
            }
        }
        let keys = self.keys(snapshot);
        for (joins, effect) in [(&self.joins, "which needs no note"), (&self.not_joins, "which no note removes")] {
            for join in joins {
                let Some((table, key)) = keys.get(&join.compared()) else { continue };
                let key_name = format!("{} ({})", table.full_name(), key.columns.join(", "));
                warn(join.line, format!("the note is on the foreign key '{key_name}', {effect}"), None);
            }
        }
        for join in self.joins.iter().chain(&self.not_joins) {
            for (table, columns) in [&join.from, &join.to] {
                let known = snapshot.table(table);
                if !known.is_some_and(|known| columns.iter().all(|column| known.column(column).is_some())) {
                    let columns = columns.join(", ");
                    warn(
                        join.line,
                        format!("the note is on a join of '{} ({columns})', which does not exist", table.full()),
                        None,
                    );
                }
            }
        }
        found
    }
}

/// The pairs of columns of a join that PostgreSQL does not compare: the name of the first, and what is wrong. One may be an
/// array of the other's values.
pub(super) fn incomparable_columns(join: &NotedJoin, snapshot: &Snapshot) -> Vec<(String, String)> {
    let (Some(from), Some(to)) = (snapshot.table(&join.from.0), snapshot.table(&join.to.0)) else { return Vec::new() };
    let pairs = join.from.1.iter().zip(&join.to.1).filter_map(|(one, other)| {
        let (one, other) = (from.column(one)?, to.column(other)?);
        let of_one = |column: &Column| {
            let data_type = column.base_type.as_ref().unwrap_or(&column.data_type);
            compared_family(data_type.strip_suffix("[]").unwrap_or(data_type))
        };
        let differ = of_one(one).zip(of_one(other)).is_some_and(|(one, other)| one != other);
        let name = |column: &Column| format!("{} ({})", column.name, column.data_type);
        let message =
            || format!("the note joins {} with {}, which the database does not compare", name(one), name(other));
        differ.then(|| (one.name.clone(), message()))
    });
    pairs.collect()
}

/// What values of a type are compared as. Fractions and object ids are numbers, too, although they identify no rows.
fn compared_family(data_type: &str) -> Option<&'static str> {
    match data_type.to_lowercase().as_str() {
        "real" | "double precision" | "oid" => Some("number"),
        "name" => Some("text"),
        _ => family(data_type),
    }
}

impl Notes {
    /// Warnings about joins of columns whose types PostgreSQL does not compare.
    pub fn incomparable(&self, snapshot: &Snapshot, file: &str) -> Vec<Diagnostic> {
        let warning = |(line, message): (usize, String)| {
            Diagnostic::warning(Code::WrongType, message).in_file(file).at_line(line)
        };
        let pairs = |join: &NotedJoin| {
            let line = join.line;
            incomparable_columns(join, snapshot).into_iter().map(move |(_, message)| (line, message))
        };
        self.joins.iter().flat_map(pairs).map(warning).collect()
    }
}

/// Parses the notes; `file` is its name in diagnostics.
pub fn read(text: &str, file: &str) -> (Notes, Vec<Diagnostic>) {
    let mut notes = Notes::default();
    let root = match config::parsed(text, file, ITEMS) {
        Ok(root) => root,
        Err(problem) => return (notes, vec![*problem]),
    };
    let mut problems = Vec::new();
    let Some(mut fields) = YamlFields::of(&root, "the file", file, &mut problems) else { return (notes, problems) };
    fields.warn_unknown(&["tables", "joins", "not_joins"]);
    let tables = fields.inner("tables").map(|inner| inner.members()).unwrap_or_default();
    let lists = ["joins", "not_joins"].map(|key| fields.list(key));
    for member in tables {
        if let Some(note) = table_note(&member.node, file, &mut problems) {
            notes.tables.insert(member.key.clone(), note);
        }
    }
    let [joins, not_joins] = lists;
    notes.joins = joins.iter().filter_map(|node| join(node, file, &mut problems)).collect();
    notes.not_joins = not_joins.iter().filter_map(|node| join(node, file, &mut problems)).collect();
    (notes, problems)
}

fn table_note(node: &YamlNode, file: &str, problems: &mut Vec<Diagnostic>) -> Option<TableNote> {
    if let YamlValue::Text(text) = &node.value {
        return Some(TableNote { description: Some(text.clone()), line: node.line, ..TableNote::default() });
    }
    let mut fields = YamlFields::of(node, "a note on a table", file, problems)?;
    fields.warn_unknown(&["description", "domain", "columns"]);
    let mut note = TableNote { description: fields.text("description"), line: node.line, ..TableNote::default() };
    note.domain = domain(&mut fields);
    if let Some(mut inner) = fields.inner("columns") {
        for member in inner.members() {
            let mut only = inner.only(member);
            let text = match &member.node.value {
                YamlValue::Map(_) => only.inner(&member.key).and_then(|mut column| {
                    column.warn_unknown(&["description"]);
                    column.text("description")
                }),
                YamlValue::Null => {
                    let message = format!("the note on the column '{}' has no text", member.key);
                    only.report_key(member, Diagnostic::warning(Code::MissingField, message).fix(UNQUOTED_COMMA));
                    None
                }
                _ => only.text(&member.key),
            };
            note.columns.extend(text.map(|text| (member.key.clone(), text)));
        }
    }
    Some(note)
}

/// The domain of a note. Words that cannot be part of a folder or id are rejected, but case and spaces may differ.
fn domain(fields: &mut YamlFields<'_, '_>) -> Option<String> {
    let node = fields.node("domain")?;
    let text = fields.text("domain")?;
    domain_name(&text).map_err(|problem| fields.report(node, problem)).ok()
}

/// The cardinalities that a join may have, as people write them and as pages have them.
const CARDINALITIES: [(&str, &str); 8] = [
    ("many to one", "many_to_one"),
    ("one to one", "one_to_one"),
    ("one to many", "one_to_many"),
    ("many to many", "many_to_many"),
    ("many_to_one", "many_to_one"),
    ("one_to_one", "one_to_one"),
    ("one_to_many", "one_to_many"),
    ("many_to_many", "many_to_many"),
];

fn join(node: &YamlNode, file: &str, problems: &mut Vec<Diagnostic>) -> Option<NotedJoin> {
    let mut fields = YamlFields::of(node, "a join", file, problems)?;
    fields.warn_unknown(&["from", "to", "because", "cardinality"]);
    let mut end = |key: &str| {
        let texts: Vec<String> = fields.texts(key).into_iter().map(|(text, _)| text).collect();
        let found = columns_of(&texts);
        if found.is_none() {
            let message = format!("'{key}' does not name columns of one table");
            let problem = Diagnostic::error(Code::MissingField, message);
            fields.report(node, problem.fix("write schema.table.column, or a list of them"));
        }
        found
    };
    let (from, to) = (end("from"), end("to"));
    let because = fields.text("because").unwrap_or_default();
    let cardinality = fields.word("cardinality", &CARDINALITIES);
    Some(NotedJoin { from: from?, to: to?, because, cardinality, line: node.line })
}

/// The table and the columns of `schema.table.column` texts.
fn columns_of(texts: &[String]) -> Option<(TableName, Vec<String>)> {
    let mut found: Option<(TableName, Vec<String>)> = None;
    for text in texts {
        let (table, column) = text.rsplit_once('.')?;
        let table = TableName::of_full(table)?;
        match &mut found {
            None => found = Some((table, vec![column.to_owned()])),
            Some((known, columns)) if *known == table => columns.push(column.to_owned()),
            Some(_) => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noted_join_of_different_types_is_a_warning() {
        let column = |name: &str, data_type: &str| Column {
            name: name.into(),
            data_type: data_type.into(),
            ..Column::default()
        };
        let table = |name: &str, columns: Vec<Column>| Table {
            schema: "s".into(),
            name: name.into(),
            columns,
            ..Table::default()
        };
        let columns = vec![
            column("ids", "bigint[]"),
            column("code", "text"),
            column("any", ""),
            column("part", "double precision"),
        ];
        let ticket = table("ticket", vec![column("id", "integer")]);
        let snapshot = Snapshot { tables: vec![table("seat", columns), ticket], ..Snapshot::default() };
        for (from, expected) in [
            ("ids", None),
            ("any", None),
            ("part", None),
            ("code", Some("the note joins code (text) with id (integer), which the database does not compare")),
        ] {
            let (notes, _) = read(&format!("joins:\n  - {{from: s.seat.{from}, to: s.ticket.id}}"), "f");
            let found = notes.incomparable(&snapshot, "f");
            let found: Vec<(&str, Option<usize>)> = found.iter().map(|it| (it.message.as_str(), it.line)).collect();
            assert_eq!(found, expected.map(|text| (text, Some(2))).into_iter().collect::<Vec<_>>(), "{from}");
        }
    }

    /// Visiting every table for each note, and every column of each table, would take hours.
    #[test]
    fn very_many_notes_on_very_many_tables_are_read_in_one_pass() {
        let columns: Vec<String> = (0..20_000).map(|at| format!("c{at}: x")).collect();
        let tables: Vec<String> = (0..20_000).map(|at| format!("gone{at}: x")).collect();
        let text = format!("tables: {{t: {{columns: {{{}}}}}, {}}}", columns.join(", "), tables.join(", "));
        let (notes, problems) = read(&text, "f");
        assert_eq!((problems.len(), notes.tables.len(), notes.tables["t"].columns.len()), (0, 20_001, 20_000));
        let table = |at: usize| Table { schema: "main".into(), name: format!("t{at}"), ..Table::default() };
        let snapshot = Snapshot { tables: (0..20_000).map(table).collect(), ..Snapshot::default() };
        assert_eq!(notes.dangling(&snapshot, "f").len(), 20_001);
    }

    #[test]
    fn notes_on_every_table_and_many_columns_are_read() {
        let note = |at: usize| format!("  t{at}:\n    description: x\n    columns: {{a: x, b: x, c: x, d: x, e: x}}\n");
        let text = format!("tables:\n{}", (0..20_000).map(note).collect::<String>());
        let (notes, problems) = read(&text, "f");
        assert_eq!((problems.len(), notes.tables.len()), (0, 20_000));
        let (_, problems) = read(&format!("[{}]", "x,".repeat(1_000_000)), "f");
        assert_eq!(problems[0].message, "it is not read: it has more than 1,000,000 keys and values");
        assert_eq!(problems[0].fix, "shorten or simplify it".into());
    }

    #[test]
    fn an_invalid_note_is_an_error_with_its_line() {
        for (text, line, message) in [
            ("joins: everything", 1, "'joins' must be a list, not a string"),
            ("tables: {}\nnot_joins: {from: a.b.c, to: a.d.e}", 2, "'not_joins' must be a list, not an object"),
            ("joins:\n  - {from: a.b.c, to: a.d.e, cardinality: some}", 2, "'some' is not a value of 'cardinality'"),
            ("tables:\n  a.b:\n    domain: ../../etc", 3, "'../../etc' is not a valid name for a domain"),
            (
                "tables:\n  a.b: {domain: Aux}",
                2,
                "'Aux' is not a valid name for a domain: Windows reserves it for a device",
            ),
            ("tables:\n  a.b: {domain: '!'}", 2, "'!' is not a valid name for a domain"),
        ] {
            let (_, problems) = read(text, "f");
            let [problem] = problems.as_slice() else { panic!("{text}: {problems:?}") };
            assert!(problem.is_error() && problem.message.starts_with(message), "{text}: {problem:?}");
            assert_eq!(problem.line, Some(line), "{text}");
        }
        let (notes, problems) = read("joins: [{from: a.b.c, to: a.d.e, cardinality: one to one}]\nnot_joins:", "f");
        assert_eq!((problems.len(), notes.joins[0].cardinality), (0, Some("one_to_one")));
        let (notes, problems) = read("tables: {a.b: {domain: Web Shop}}", "f");
        assert_eq!((problems.len(), notes.tables["a.b"].domain.as_deref()), (0, Some("web-shop")));
    }

    #[test]
    fn the_rest_of_a_text_after_a_comma_is_not_lost_silently() {
        for (text, column, message) in [
            ("{description: Who, when and why}", 25, "'when and why' is not a setting here"),
            ("{columns: {c: Net, in cents}}", 25, "the note on the column 'in cents' has no text"),
            ("{columns: {c: {description: Net, in cents}}}", 39, "'in cents' is not a setting here"),
        ] {
            let (_, problems) = read(&format!("tables:\n  a: {text}"), "f");
            let [problem] = problems.as_slice() else { panic!("{text}: {problems:?}") };
            assert_eq!((problem.message.as_str(), problem.line, problem.column), (message, Some(2), Some(column)));
            assert!(!problem.is_error() && problem.fix == UNQUOTED_COMMA.into(), "{problem:?}");
        }
    }

    #[test]
    fn notes_are_read_and_checked_against_the_schema() {
        let text = "
tables:
  main.order: { description: What was bought., domain: Sales, columns: { status: How far it is., none: x } }
  item: A line of it.
  gone: x
  Item: x
  MAIN.order: x
joins:
  - { from: main.order.status, to: main.item.id, because: they match }
  - { from: main.item.id, to: main.order.status, because: the other way round }
not_joins:
  - { from: [main.order.status, main.order.gone], to: [main.item.id] }
  - { from: nonsense, to: main.item.id }
  - { from: main.order.status, to: main.item.id }
  - { from: main.order.status, to: main.order.status }
";
        let (notes, problems) = read(text, "f");
        assert_eq!(problems.len(), 1, "{problems:?}");
        let table = |name: &str, columns: &[&str]| Table {
            schema: "main".into(),
            name: name.into(),
            columns: columns.iter().map(|it| Column { name: (*it).into(), ..Column::default() }).collect(),
            ..Table::default()
        };
        let mut order = table("order", &["status"]);
        order.foreign_keys = vec![ForeignKey {
            columns: vec!["status".into()],
            target: TableName { schema: "main".into(), name: "item".into() },
            target_columns: vec!["id".into()],
            ..ForeignKey::default()
        }];
        let snapshot = Snapshot { tables: vec![table("item", &["id"]), order], ..Snapshot::default() };
        let order = notes.table(&snapshot.tables[1]).unwrap();
        assert_eq!((order.domain.as_deref(), order.columns["status"].as_str()), (Some("sales"), "How far it is."));
        assert_eq!(notes.table(&snapshot.tables[0]).unwrap().description.as_deref(), Some("A line of it."));
        let dangling = notes.dangling(&snapshot, "f");
        let fixes: Vec<String> = dangling.iter().map(|it| it.fix.to_string()).filter(|fix| !fix.is_empty()).collect();
        assert_eq!(fixes, ["did you mean 'item'?", "did you mean 'main.order'?"]);
        let dangling: Vec<String> = dangling.iter().map(|it| format!("{}: {}", it.line.unwrap(), it.message)).collect();
        assert_eq!(
            dangling,
            [
                "6: the note is on 'Item', which is not a table of the database",
                "7: the note is on 'MAIN.order', which is not a table of the database",
                "5: the note is on 'gone', which is not a table of the database",
                "3: the note is on 'main.order.none', which is not a column of the table",
                "9: the note is on the foreign key 'main.order (status)', which needs no note",
                "10: the note is on the foreign key 'main.order (status)', which needs no note",
                "14: the note is on the foreign key 'main.order (status)', which no note removes",
                "12: the note is on a join of 'main.order (status, gone)', which does not exist",
            ]
        );
    }
}
