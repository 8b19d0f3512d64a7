//! SQLite files. A file may come from a repository and is treated as hostile: it is opened read-only without following
//! links, nothing in it may call a function, only reads are authorized, and statements have a time limit. Virtual
//! tables are listed but not read.

mod ddl;
mod lexer;
mod open;
mod views;

use std::collections::{HashMap, HashSet};

use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};
use rusqlite::{Connection, Row};

use self::open::SCHEMA_TIME;
pub(crate) use self::open::SqliteFile;
pub use self::open::{kind_of_failure, words as error_words};

use self::views::{VIEW_SIZE, ViewTexts};
use super::long_names::is_too_long;
use super::{AccessibleDatabase, SchemaReading, stopped};
use crate::config::DatabaseConfig;
use crate::names::quoted;
use crate::snapshot::{
    ALL_COLUMNS, COLUMNS, COMMENT_BYTES, Column, ForeignKey, IndexInfo, Key, SchemaInfo, Snapshot, TABLES, Table,
    TableKind, TableName,
};

/// The only schema of a file.
const SCHEMA: &str = "main";

const OBJECTS: &str = "SELECT name, type, sql FROM main.sqlite_schema WHERE type IN ('table', 'view') ORDER BY name";
const ROW_COUNTS: &str = "SELECT tbl, stat FROM main.sqlite_stat1";
const TABLE_COLUMNS: &str =
    "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, 'main')";
const FOREIGN_KEYS: &str = "SELECT id, \"table\", \"from\", \"to\", on_update, on_delete, \"match\" \
     FROM pragma_foreign_key_list(?1, 'main') ORDER BY id DESC, seq";
const INDEXES: &str = "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?1, 'main') ORDER BY name";
const KEY_INDEX: &str = "SELECT 1 FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'";
const INDEX_COLUMNS: &str = "SELECT name FROM pragma_index_xinfo(?1, 'main') WHERE \"key\" ORDER BY seqno";

/// The most columns in all keys and indexes of a file: a table may have many, with thousands of columns each.
const KEY_COLUMNS: usize = 200_000;

/// The most bytes of a text in the schema.
const TEXT_BYTES: usize = COMMENT_BYTES * 16;

/// A function that does not exist. SQLite reports it after resolving all names of a view and before planning the query,
/// which is unnecessary and can take very long for a hostile view.
const END: &str = "refdesk_end";

/// A table or view in the schema of the file.
struct Object {
    name: String,
    is_view: bool,
    sql: String,
    /// Whether only the start of the text was read.
    is_cut: bool,
}

/// Reads the schema of a file.
///
/// # Errors
/// The file cannot be opened, is not an SQLite database, or has a damaged schema; or `is_stopped` was set.
pub fn snapshot(database: &AccessibleDatabase<'_>, shown: &str) -> Result<SchemaReading, Error> {
    let read = |file: &SqliteFile| read(database.config, file, shown);
    let reading = SqliteFile::with(&database.file, shown, &database.around.is_stopped, read);
    if database.around.is_stopped() {
        return Err(stopped());
    }
    reading?.unwrap_or_else(|| Ok(SchemaReading::default()))
}

fn read(config: &DatabaseConfig, file: &SqliteFile, shown: &str) -> Result<SchemaReading, Error> {
    let objects = objects(file)?;
    config.check_table_comparisons(objects.iter().map(|it| SCHEMA.len() + it.name.len()).sum())?;
    Ok(reading_of(config, file, shown, &objects))
}

fn objects(file: &SqliteFile) -> Result<Vec<Object>, Error> {
    let objects = file.connection().prepare(OBJECTS).and_then(|mut statement| {
        let read = |row: &Row<'_>| {
            let sql = text(row, 2)?;
            Ok(Object { name: text(row, 0)?, is_view: text(row, 1)? == "view", is_cut: sql.len() >= TEXT_BYTES, sql })
        };
        statement.query_map((), read)?.take(2 * TABLES + 1).collect::<rusqlite::Result<Vec<Object>>>()
    });
    objects.map_err(|error| file.unreadable(&error))
}

fn reading_of(config: &DatabaseConfig, file: &SqliteFile, shown: &str, objects: &[Object]) -> SchemaReading {
    let virtual_tables: HashSet<String> =
        objects.iter().filter(|it| ddl::is_virtual(&it.sql)).map(|it| it.name.to_lowercase()).collect();
    let mut reader = Reader {
        virtual_tables: &virtual_tables,
        views: ViewTexts::new(objects),
        row_counts: row_counts(file.connection()),
        file,
        shown,
        problems: Vec::new(),
        columns: 0,
        key_columns: 0,
        late: 0,
    };
    let (mut tables, mut beyond) = (Vec::new(), Vec::new());
    for object in objects.iter().filter(|object| is_wanted(config, object, &virtual_tables)) {
        let most = config.settings.max_tables;
        if tables.len() == most {
            if beyond.is_empty() {
                reader.problem(format!("there are more than {most} tables; the rest are left out"), Code::TooMany);
            }
            beyond.push(TableName { schema: SCHEMA.to_owned(), name: object.name.clone() });
            continue;
        }
        tables.push(reader.table(object));
    }
    let left_out = objects.iter().filter(|it| !config.wants_table(SCHEMA, &it.name));
    let left_out = left_out.map(|it| TableName { schema: SCHEMA.to_owned(), name: it.name.clone() }).collect();
    if reader.late > 0 {
        let seconds = SCHEMA_TIME.as_secs();
        let message = format!("{} tables and views were not completely read within {seconds} s", reader.late);
        reader.problem(message, Code::TableUnreadable);
    }
    complete_targets(&mut tables, KEY_COLUMNS.saturating_sub(reader.key_columns));
    let problems = reader.problems;
    let schemas = vec![SchemaInfo { name: SCHEMA.to_owned(), comment: None }];
    let mut snapshot = Snapshot { server_version: Some(rusqlite::version().to_owned()), schemas, tables, beyond };
    snapshot.sort();
    SchemaReading { snapshot, left_out, problems, ..SchemaReading::default() }
}

fn is_wanted(config: &DatabaseConfig, object: &Object, virtual_tables: &HashSet<String>) -> bool {
    let name = object.name.to_lowercase();
    // A table in which a virtual table stores its data.
    let is_shadow = virtual_tables.iter().any(|owner| {
        name.strip_prefix(owner.as_str())
            .and_then(|rest| rest.strip_prefix('_'))
            .is_some_and(|rest| SHADOWS.contains(&rest))
    });
    let is_system = name.starts_with("sqlite_") || is_shadow;
    (config.include_views || !object.is_view)
        && (config.include_system_tables || !is_system)
        && config.wants_table(SCHEMA, &object.name)
}

/// The suffixes of tables that belong to full-text and spatial indexes.
const SHADOWS: [&str; 11] =
    ["content", "data", "idx", "docsize", "config", "segments", "segdir", "stat", "node", "parent", "rowid"];

/// Spells the targets of foreign keys as their tables do. A key without target columns gets those of the target's
/// primary key, up to `room` columns in all.
fn complete_targets(tables: &mut [Table], mut room: usize) {
    let keys: HashMap<String, Vec<String>> = tables
        .iter()
        .filter_map(|table| Some((table.name.to_lowercase(), table.primary_key.as_ref()?.columns.clone())))
        .collect();
    // SQLite ignores case in names; pages link to a table by the name in its own statement.
    let names: HashMap<String, String> =
        tables.iter().map(|table| (table.name.to_lowercase(), table.name.clone())).collect();
    let columns: HashMap<String, HashMap<String, String>> = tables
        .iter()
        .map(|table| {
            let columns = table.columns.iter().map(|column| (column.name.to_lowercase(), column.name.clone()));
            (table.name.to_lowercase(), columns.collect())
        })
        .collect();
    for table in tables.iter_mut() {
        for key in &mut table.foreign_keys {
            let target = key.target.name.to_lowercase();
            if let Some(name) = names.get(&target) {
                key.target.name.clone_from(name);
            }
            if key.target_columns.is_empty() {
                let columns = keys.get(&target).filter(|columns| columns.len() <= room);
                key.target_columns = columns.cloned().unwrap_or_default();
                room -= key.target_columns.len();
            } else if let Some(known) = columns.get(&target) {
                for column in &mut key.target_columns {
                    if let Some(name) = known.get(&column.to_lowercase()) {
                        column.clone_from(name);
                    }
                }
            }
        }
    }
}

/// The number of columns in the keys and indexes of a table.
fn key_columns(table: &Table) -> usize {
    let foreign: usize = table.foreign_keys.iter().map(|key| key.columns.len() + key.target_columns.len()).sum();
    let unique: usize = table.unique.iter().map(|key| key.columns.len()).sum();
    foreign + unique + table.indexes.iter().map(|index| index.columns.len()).sum::<usize>()
}

struct Reader<'f> {
    file: &'f SqliteFile,
    shown: &'f str,
    virtual_tables: &'f HashSet<String>,
    views: ViewTexts<'f>,
    row_counts: HashMap<String, u64>,
    problems: Vec<Diagnostic>,
    /// The number of columns read so far.
    columns: usize,
    /// The number of key and index columns read so far.
    key_columns: usize,
    /// The number of tables that could not be read within the time limit.
    late: usize,
}

impl Reader<'_> {
    fn problem(&mut self, message: String, code: Code) {
        self.problems.push(Diagnostic::warning(code, message).in_file(self.shown));
    }

    fn table(&mut self, object: &Object) -> Table {
        let is_virtual = self.virtual_tables.contains(&object.name.to_lowercase());
        let kind = match (is_virtual, object.is_view) {
            (true, _) => TableKind::VirtualTable,
            (_, true) => TableKind::View,
            _ => TableKind::Table,
        };
        let mut table = Table {
            schema: SCHEMA.to_owned(),
            name: object.name.clone(),
            kind,
            row_estimate: self.row_counts.get(&object.name).copied(),
            ..Table::default()
        };
        if is_virtual || is_too_long(&table.name) {
            table.is_unreadable = true;
            return table;
        }
        let read = match () {
            () if self.file.is_over() || self.columns > ALL_COLUMNS => Ok(()),
            () if object.is_view => self.view(&mut table, object),
            () => self.base_table(&mut table, object),
        };
        if self.file.is_over() {
            table.is_unreadable = true;
            self.late += 1;
        } else if let Err(error) = read {
            table.is_unreadable = true;
            let message = format!("{} cannot be read completely: {}", table.full_name(), open::words(&error));
            self.problem(message, Code::TableUnreadable);
        }
        let key_columns = key_columns(&table);
        if self.key_columns + key_columns > KEY_COLUMNS && key_columns > 0 {
            // Report it once: there is no room for the following tables either.
            if self.key_columns <= KEY_COLUMNS {
                let message = format!(
                    "keys and indexes name more than {KEY_COLUMNS} columns; those of further tables are left out"
                );
                self.problem(message, Code::TooMany);
            }
            (table.foreign_keys, table.unique, table.indexes) = (Vec::new(), Vec::new(), Vec::new());
        }
        self.key_columns += key_columns;
        let columns = table.columns.len();
        if self.columns + columns > ALL_COLUMNS && columns > 0 {
            if self.columns <= ALL_COLUMNS {
                let message =
                    format!("there are more than {ALL_COLUMNS} columns; those of further tables are left out");
                self.problem(message, Code::TooMany);
            }
            table.columns.clear();
        }
        self.columns += columns;
        table
    }

    fn view(&mut self, table: &mut Table, object: &Object) -> rusqlite::Result<()> {
        let sql = object.sql.to_lowercase();
        // The columns cannot be determined without reading the virtual table.
        if self.virtual_tables.iter().any(|name| sql.contains(name)) {
            table.is_unreadable = true;
            return Ok(());
        }
        if self.views.is_too_large(&object.name) {
            table.is_unreadable = true;
            let message = format!(
                "{} is not read: with the views that it reads it has more than {VIEW_SIZE} words and columns",
                table.full_name()
            );
            self.problem(message, Code::TooMany);
            return Ok(());
        }
        let text = ddl::read(&object.sql);
        table.comment = text.comment;
        table.reads_from = self.tables_of_view(&object.name)?;
        self.add_columns(table, &HashMap::new())
    }

    fn tables_of_view(&self, name: &str) -> rusqlite::Result<Vec<TableName>> {
        let Some(quoted) = quoted(name) else { return Ok(Vec::new()) };
        // While preparing, SQLite asks for authorization for each column.
        let sql = format!("SELECT {END}() FROM main.{quoted}");
        let (prepared, mut read) = self.file.recording_reads(|connection| connection.prepare(&sql).map(drop));
        match prepared {
            Err(error) if !open::words(&error).contains(END) => return Err(error),
            _ => {}
        }
        // SQLite reports no columns for a table whose rows are only counted.
        read.extend(self.views.tables_of(name));
        let own = name.to_lowercase();
        let is_other = |it: &String| it.to_lowercase() != own && !it.to_lowercase().starts_with("sqlite_");
        Ok(read.into_iter().filter(is_other).map(|name| TableName { schema: SCHEMA.to_owned(), name }).collect())
    }

    fn base_table(&mut self, table: &mut Table, object: &Object) -> rusqlite::Result<()> {
        let text = ddl::read(&object.sql);
        table.comment = text.comment;
        table.checks = text.checks;
        self.add_columns(table, &text.columns)?;
        table.foreign_keys = self.foreign_keys(&table.name, &text.foreign_keys)?;
        self.add_indexes(table)
    }

    fn add_columns(&mut self, table: &mut Table, texts: &HashMap<String, ddl::ColumnText>) -> rusqlite::Result<()> {
        let mut statement = self.file.connection().prepare_cached(TABLE_COLUMNS)?;
        let mut rows = statement.query([&table.name])?;
        let mut key: Vec<(i64, String)> = Vec::new();
        while let Some(row) = rows.next()? {
            if table.columns.len() == COLUMNS {
                break;
            }
            let (name, hidden) = (text(row, 0)?, row.get::<_, i64>(5)?);
            // A hidden column of a virtual table.
            if hidden == 1 {
                continue;
            }
            let column_text = texts.get(&name.to_lowercase());
            let position: i64 = row.get(4)?;
            if position > 0 {
                key.push((position, name.clone()));
            }
            let generated = match hidden {
                2 | 3 => {
                    column_text.and_then(|text| text.generated.clone()).or_else(|| Some("an expression".to_owned()))
                }
                _ => None,
            };
            table.columns.push(Column {
                data_type: text(row, 1)?,
                // Columns of other keys may be null, unless SQLite reports otherwise, as in a strict table.
                nullable: row.get::<_, i64>(2)? == 0,
                default: optional(row, 3)?,
                generated,
                collation: column_text.and_then(|text| text.collation.clone()),
                comment: column_text.and_then(|text| text.comment.clone()),
                name,
                ..Column::default()
            });
        }
        key.sort();
        if !key.is_empty() {
            let columns: Vec<String> = key.into_iter().map(|(_, name)| name).collect();
            let is_integer = |column: &&mut Column| {
                columns == [column.name.as_str()] && column.data_type.eq_ignore_ascii_case("integer")
            };
            // SQLite counts the row id. The key of a table without one, or of `INTEGER PRIMARY KEY DESC`, has an index.
            let has_index = || self.file.connection().prepare_cached(KEY_INDEX)?.exists([&table.name]);
            if let Some(column) = table.columns.iter_mut().find(is_integer)
                && !has_index()?
            {
                column.identity = Some("by default".to_owned());
                column.nullable = false;
            }
            table.primary_key = Some(Key { name: None, columns });
        }
        Ok(())
    }

    fn foreign_keys(&self, table: &str, names: &[Option<String>]) -> rusqlite::Result<Vec<ForeignKey>> {
        let mut statement = self.file.connection().prepare_cached(FOREIGN_KEYS)?;
        let mut rows = statement.query([table])?;
        let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if keys.last().is_none_or(|(last, _)| *last != id) {
                let key = ForeignKey {
                    // SQLite lists foreign keys in reverse order.
                    name: names.get(keys.len()).cloned().flatten(),
                    target: TableName { schema: SCHEMA.to_owned(), name: text(row, 1)? },
                    on_update: text(row, 4)?.to_lowercase(),
                    on_delete: text(row, 5)?.to_lowercase(),
                    match_type: "simple".to_owned(),
                    ..ForeignKey::default()
                };
                keys.push((id, key));
            }
            let (from, to) = (text(row, 2)?, optional(row, 3)?);
            if let Some((_, key)) = keys.last_mut() {
                key.columns.push(from);
                key.target_columns.extend(to);
            }
        }
        Ok(keys.into_iter().map(|(_, key)| key).collect())
    }

    fn add_indexes(&self, table: &mut Table) -> rusqlite::Result<()> {
        let mut statement = self.file.connection().prepare_cached(INDEXES)?;
        let mut rows = statement.query([&table.name])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (is_unique, is_partial) = (row.get::<_, i64>(1)? != 0, row.get::<_, i64>(3)? != 0);
            found.push((text(row, 0)?, is_unique, text(row, 2)?, is_partial));
        }
        for (name, is_unique, origin, is_partial) in found {
            let mut statement = self.file.connection().prepare_cached(INDEX_COLUMNS)?;
            let read = |row: &Row<'_>| Ok(optional(row, 0)?.unwrap_or_else(|| "(expression)".to_owned()));
            let columns = statement.query_map([&name], read)?.collect::<rusqlite::Result<Vec<String>>>()?;
            match origin.as_str() {
                "pk" => {}
                "u" => table.unique.push(Key { name: None, columns }),
                _ => table.indexes.push(IndexInfo { name, columns, is_unique, is_partial, comment: None }),
            }
        }
        table.unique.sort_by(|a, b| a.columns.cmp(&b.columns));
        Ok(())
    }
}

/// The row counts of tables, if the file has statistics.
fn row_counts(connection: &Connection) -> HashMap<String, u64> {
    let read = |statement: &mut rusqlite::Statement<'_>| {
        statement.query_map((), |row| Ok((text(row, 0)?, text(row, 1)?)))?.collect::<rusqlite::Result<Vec<_>>>()
    };
    // Most files have none.
    let rows = connection.prepare(ROW_COUNTS).and_then(|mut statement| read(&mut statement)).unwrap_or_default();
    let count = |(table, stat): (String, String)| Some((table, stat.split(' ').next()?.parse().ok()?));
    rows.into_iter().filter_map(count).collect()
}

/// A text with invalid bytes replaced; empty for null.
fn text(row: &Row<'_>, at: usize) -> rusqlite::Result<String> {
    Ok(optional(row, at)?.unwrap_or_default())
}

fn optional(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<String>> {
    use rusqlite::types::ValueRef;
    Ok(match row.get_ref(at)? {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes.get(..bytes.len().min(TEXT_BYTES)).unwrap_or_default()).into_owned())
        }
    })
}

#[cfg(test)]
mod tests;
