//! Reads an account's schemas into a snapshot.

use std::collections::BTreeMap;

use refdesk_snowflake::{Row, Rows, Session, unreadable};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use crate::config::DatabaseConfig;
use crate::connector::SchemaReading;
use crate::names::quoted;
use crate::snapshot::{ALL_COLUMNS, Column, ForeignKey, Key, SchemaInfo, Snapshot, Table, TableKind, TableName};

const SERVER: &str = "SELECT CURRENT_VERSION() AS version, CURRENT_ROLE() AS role, CURRENT_DATABASE() AS name";

/// Filters by the wanted schemas, a JSON list where empty means all, and by whether to include system schemas.
macro_rules! wanted {
    ($column:literal) => {
        concat!(
            "(? = '[]' OR ARRAY_CONTAINS(",
            $column,
            "::VARIANT, PARSE_JSON(?))) AND (? = 'true' OR ",
            $column,
            " <> 'INFORMATION_SCHEMA')"
        )
    };
}

const SCHEMAS: &str = concat!(
    "SELECT schema_name, LEFT(comment, 65536) AS comment FROM INFORMATION_SCHEMA.SCHEMATA WHERE ",
    wanted!("schema_name")
);

const RELATIONS: &str = concat!(
    "SELECT table_schema, table_name, table_type, row_count, LEFT(comment, 65536) AS comment
FROM INFORMATION_SCHEMA.TABLES WHERE table_type <> 'TEMPORARY TABLE' AND ",
    wanted!("table_schema"),
    " ORDER BY table_schema, table_name"
);

const COLUMNS: &str = concat!(
    "SELECT table_schema, table_name, column_name, data_type, character_maximum_length, numeric_precision, numeric_scale,
       datetime_precision, is_nullable, LEFT(column_default, 65536) AS column_default, is_identity, collation_name,
       LEFT(comment, 65536) AS comment
FROM INFORMATION_SCHEMA.COLUMNS WHERE ",
    wanted!("table_schema"),
    " ORDER BY table_schema, table_name, ordinal_position"
);

/// The kinds of keys. `INFORMATION_SCHEMA` lacks their columns, so `SHOW` lists them.
const KEYS: [&str; 3] = ["PRIMARY", "UNIQUE", "IMPORTED"];

/// `SHOW` lists at most this many rows.
const SHOW_LIMIT: usize = 10_000;

/// The lengths that Snowflake reports for types without a length: the maxima, 16 MiB, and 128 MiB since 2025.
const UNLIMITED: [&str; 4] = ["16777216", "134217728", "8388608", "67108864"];

/// The role that read a database.
pub(crate) struct RoleName {
    pub name: String,
    pub database: String,
}

/// Reads the schema.
///
/// # Errors
/// Snowflake cannot be reached, or refuses a statement.
pub(crate) fn read(session: &Session<'_>, config: &DatabaseConfig) -> Result<(SchemaReading, RoleName), Error> {
    let server = session.rows(SERVER, &[])?;
    let Some(row) = server.iter().next() else { return Err(unreadable("it does not report its version", "try again")) };
    let server_version = row.get("version").map(str::to_owned);
    let Some(database) = row.get("name").map(str::to_owned) else {
        let fix = "check 'database' and 'role', in the case that Snowflake shows";
        return Err(unreadable("the database does not exist, or the role may not use it", fix));
    };
    let role = RoleName { name: row.get("role").unwrap_or_default().to_owned(), database };
    let schemas = serde_json::to_string(&config.schemas).unwrap_or_else(|_| "[]".to_owned());
    let with_system = config.include_system_tables.to_string();
    let wanted = |statement: &str| session.rows(statement, &[&schemas, &schemas, &with_system]);
    let snapshot = Snapshot { server_version, ..Snapshot::default() };
    let mut reading = SchemaReading { snapshot, ..SchemaReading::default() };
    for row in wanted(SCHEMAS)?.iter() {
        let comment = row.get("comment").map(str::to_owned);
        reading.snapshot.schemas.push(SchemaInfo { name: row.text("schema_name")?, comment });
    }
    let mut tables = tables(&wanted(RELATIONS)?, config, &mut reading)?;
    add_columns(&mut tables, &wanted(COLUMNS)?, &mut reading.problems)?;
    for kind in KEYS {
        let rows = keys(session, kind, &reading.snapshot.schemas, &mut reading.problems)?;
        add_keys(&mut tables, &rows, kind, &role.database, &mut reading.problems)?;
    }
    reading.snapshot.tables = tables.into_values().collect();
    reading.snapshot.sort();
    Ok((reading, role))
}

type Tables = BTreeMap<TableName, Table>;

fn tables(rows: &Rows, config: &DatabaseConfig, reading: &mut SchemaReading) -> Result<Tables, Error> {
    let mut tables = Tables::new();
    for row in rows.iter() {
        let name = TableName { schema: row.text("table_schema")?, name: row.text("table_name")? };
        let kind = match row.get("table_type").unwrap_or_default() {
            "VIEW" => TableKind::View,
            "MATERIALIZED VIEW" => TableKind::MaterializedView,
            "EXTERNAL TABLE" => TableKind::ForeignTable,
            _ => TableKind::Table,
        };
        let Some(name) = reading.wanted(config, kind, name, tables.len()) else { continue };
        let table = Table {
            kind,
            comment: row.get("comment").map(str::to_owned),
            row_estimate: row.get("row_count").and_then(|count| count.parse().ok()),
            schema: name.schema.clone(),
            name: name.name.clone(),
            ..Table::default()
        };
        tables.insert(name, table);
    }
    Ok(tables)
}

fn add_columns(tables: &mut Tables, rows: &Rows, problems: &mut Vec<Diagnostic>) -> Result<(), Error> {
    let mut columns = 0_usize;
    for row in rows.iter() {
        let table = TableName { schema: row.text("table_schema")?, name: row.text("table_name")? };
        let Some(table) = tables.get_mut(&table) else { continue };
        if columns == ALL_COLUMNS {
            let message = format!("there are more than {ALL_COLUMNS} columns; the rest are left out");
            problems.push(Diagnostic::warning(Code::TooMany, message));
            break;
        }
        columns += 1;
        let is_identity = row.get("is_identity") == Some("YES");
        table.columns.push(Column {
            name: row.text("column_name")?,
            data_type: printed_type(&row),
            nullable: row.get("is_nullable") != Some("NO"),
            default: row.get("column_default").filter(|_| !is_identity).map(str::to_owned),
            identity: is_identity.then(|| "by default".to_owned()),
            collation: row.get("collation_name").map(str::to_owned),
            comment: row.get("comment").map(str::to_owned),
            ..Column::default()
        });
    }
    Ok(())
}

/// The type as written in SQL.
fn printed_type(row: &Row<'_>) -> String {
    let name = row.get("data_type").unwrap_or_default();
    let with = |value: Option<&str>| value.map_or_else(|| name.to_owned(), |value| format!("{name}({value})"));
    match name {
        "TEXT" => match row.get("character_maximum_length").filter(|length| !UNLIMITED.contains(length)) {
            Some(length) => format!("VARCHAR({length})"),
            None => "VARCHAR".to_owned(),
        },
        "BINARY" => with(row.get("character_maximum_length").filter(|length| !UNLIMITED.contains(length))),
        "NUMBER" => {
            let both = row.get("numeric_precision").zip(row.get("numeric_scale"));
            with(both.map(|(precision, scale)| format!("{precision},{scale}")).as_deref())
        }
        "TIME" | "TIMESTAMP_LTZ" | "TIMESTAMP_NTZ" | "TIMESTAMP_TZ" => with(row.get("datetime_precision")),
        other => other.to_owned(),
    }
}

/// All keys of one kind: in one statement, or one per schema if that does not list them all.
fn keys(
    session: &Session<'_>,
    kind: &str,
    schemas: &[SchemaInfo],
    problems: &mut Vec<Diagnostic>,
) -> Result<Rows, Error> {
    let rows = session.rows(&format!("SHOW {kind} KEYS IN DATABASE"), &[])?;
    if rows.count() < SHOW_LIMIT {
        return Ok(rows);
    }
    let mut all = Rows::default();
    for schema in schemas {
        let Some(name) = quoted(&schema.name) else { continue };
        let rows = session.rows(&format!("SHOW {kind} KEYS IN SCHEMA {name}"), &[])?;
        if rows.count() >= SHOW_LIMIT {
            let message = format!("Snowflake lists only {SHOW_LIMIT} key columns of the schema '{}'", schema.name);
            problems.push(Diagnostic::warning(Code::TooMany, message).fix("exclude more tables"));
        }
        all.extend(rows);
    }
    Ok(all)
}

/// The columns of a key, collected from its rows.
#[derive(Default)]
struct KeyColumns {
    name: Option<String>,
    pairs: Vec<(u32, String, String)>,
    target: TableName,
    on_delete: String,
    on_update: String,
    is_deferrable: bool,
}

fn add_keys(
    tables: &mut Tables,
    rows: &Rows,
    kind: &str,
    database: &str,
    problems: &mut Vec<Diagnostic>,
) -> Result<(), Error> {
    let is_foreign = kind == "IMPORTED";
    let of = |column: &str| if is_foreign { format!("fk_{column}") } else { column.to_owned() };
    let (schema, table, column) = (of("schema_name"), of("table_name"), of("column_name"));
    let name = if is_foreign { "fk_name" } else { "constraint_name" };
    let mut gathered: BTreeMap<(TableName, String), KeyColumns> = BTreeMap::new();
    let mut elsewhere = 0_usize;
    for row in rows.iter() {
        let owner = TableName { schema: row.text(&schema)?, name: row.text(&table)? };
        if !tables.contains_key(&owner) {
            continue;
        }
        let number: u32 = row.text("key_sequence")?.parse().unwrap_or_default();
        let constraint = row.get(name).unwrap_or_default().to_owned();
        if row.get("pk_database_name").is_some_and(|other| other != database) {
            elsewhere += usize::from(number == 1);
            continue;
        }
        let key = gathered.entry((owner, constraint.clone())).or_default();
        // Snowflake generates a name for a constraint without one.
        key.name = Some(constraint).filter(|name| !name.is_empty() && !name.starts_with("SYS_CONSTRAINT_"));
        let target_column = if is_foreign { row.text("pk_column_name")? } else { String::new() };
        key.pairs.push((number, row.text(&column)?, target_column));
        if is_foreign {
            key.target = TableName { schema: row.text("pk_schema_name")?, name: row.text("pk_table_name")? };
            key.on_delete = row.get("delete_rule").unwrap_or("NO ACTION").to_lowercase();
            key.on_update = row.get("update_rule").unwrap_or("NO ACTION").to_lowercase();
            key.is_deferrable = row.get("deferrability").is_some_and(|word| !word.contains("NOT"));
        }
    }
    for ((owner, _), mut key) in gathered {
        let Some(table) = tables.get_mut(&owner) else { continue };
        key.pairs.sort_unstable();
        let (columns, target_columns) = key.pairs.into_iter().map(|(_, one, other)| (one, other)).unzip();
        match kind {
            "PRIMARY" => table.primary_key = Some(Key { name: key.name, columns }),
            "UNIQUE" => table.unique.push(Key { name: key.name, columns }),
            _ => table.foreign_keys.push(ForeignKey {
                name: key.name,
                columns,
                target: key.target,
                target_columns,
                on_delete: key.on_delete,
                on_update: key.on_update,
                match_type: "simple".to_owned(),
                is_deferrable: key.is_deferrable,
            }),
        }
    }
    if elsewhere > 0 {
        let keys = if elsewhere == 1 { "key refers" } else { "keys refer" };
        let are = if elsewhere == 1 { "is" } else { "are" };
        let message = format!("{elsewhere} foreign {keys} to another database and {are} left out");
        problems.push(Diagnostic::warning(Code::TooMany, message));
    }
    Ok(())
}
