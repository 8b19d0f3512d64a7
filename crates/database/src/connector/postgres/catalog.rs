//! Reads a server's catalog into a snapshot.

use std::collections::{HashMap, HashSet};

use refdesk_postgres::{FromSql, ReadingSession, Refusal, RefusalKind, Row};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use super::statements;
use crate::config::DatabaseConfig;
use crate::connector::SchemaReading;
use crate::snapshot::{
    ALL_COLUMNS, Column, Constraint, ForeignKey, IndexInfo, Key, SchemaInfo, Table, TableKind, TableName,
};

/// The oldest server version whose catalog supports the statements: 12.
const OLDEST: i32 = 120_000;

/// The role, and privileges that it should not have.
#[derive(Debug, Default)]
pub(crate) struct RoleRights {
    pub role: String,
    pub database: String,
    pub is_superuser: bool,
    pub may_create: bool,
    pub writable_tables: usize,
}

pub(crate) fn read(session: &ReadingSession, config: &DatabaseConfig) -> Result<(SchemaReading, RoleRights), Refusal> {
    let mut rights = RoleRights::default();
    let mut reading = SchemaReading::default();
    for row in session.rows(statements::SERVER, &[])? {
        if value::<i32>(&row, 1)? < OLDEST {
            return Err(Refusal::new(RefusalKind::Other, "the server is older than PostgreSQL 12"));
        }
        reading.snapshot.server_version = Some(value(&row, 0)?);
        rights.role = value(&row, 2)?;
        rights.database = value(&row, 3)?;
        rights.is_superuser = value(&row, 4)?;
        rights.may_create = value(&row, 5)?;
    }
    let wanted = SchemaQuery { session, schemas: &config.schemas, system: config.include_system_tables };
    for row in wanted.rows(statements::SCHEMAS)? {
        reading.snapshot.schemas.push(SchemaInfo { name: value(&row, 0)?, comment: value(&row, 1)? });
        rights.may_create |= value::<Option<bool>>(&row, 2)?.unwrap_or(false);
    }
    let mut tables = wanted.tables(config, &mut rights, &mut reading)?;
    wanted.add_columns(&mut tables, &mut reading.problems)?;
    wanted.add_constraints(&mut tables)?;
    wanted.add_indexes(&mut tables)?;
    for row in wanted.rows(statements::READ_BY_VIEWS)? {
        if let Some(table) = tables.get_mut(&value(&row, 0)?) {
            table.reads_from.push(TableName { schema: value(&row, 1)?, name: value(&row, 2)? });
        }
    }
    for mut table in tables.into_values() {
        if table.is_locked {
            reading.problems.push(locked(&table));
        }
        table.reads_from.sort();
        reading.snapshot.tables.push(table);
    }
    reading.problems.sort_by(|a, b| a.message.cmp(&b.message));
    reading.snapshot.sort();
    Ok((reading, rights))
}

/// Tables by their OID.
type Tables = HashMap<u32, Table>;

struct SchemaQuery<'s> {
    session: &'s ReadingSession,
    schemas: &'s [String],
    system: bool,
}

impl SchemaQuery<'_> {
    fn rows(&self, statement: &str) -> Result<Vec<Row>, Refusal> {
        self.session.rows(statement, &[&self.schemas, &self.system])
    }

    fn tables(
        &self,
        config: &DatabaseConfig,
        rights: &mut RoleRights,
        reading: &mut SchemaReading,
    ) -> Result<Tables, Refusal> {
        let mut tables = Tables::new();
        for row in self.rows(statements::RELATIONS)? {
            let name = TableName { schema: value(&row, 1)?, name: value(&row, 2)? };
            let kind = match value::<String>(&row, 3)?.as_str() {
                "p" => TableKind::PartitionedTable,
                "v" => TableKind::View,
                "m" => TableKind::MaterializedView,
                "f" => TableKind::ForeignTable,
                _ => TableKind::Table,
            };
            let Some(TableName { schema, name }) = reading.wanted(config, kind, name, tables.len()) else { continue };
            // Every role may update some system tables.
            let may_write = value::<Option<bool>>(&row, 7)?.unwrap_or(false) && !is_system(&schema);
            rights.writable_tables += usize::from(may_write);
            let table = Table {
                schema,
                name,
                kind,
                comment: value(&row, 4)?,
                row_security: value(&row, 5)?,
                is_unreadable: !value::<Option<bool>>(&row, 6)?.unwrap_or(false),
                partitions: count(value(&row, 8)?),
                row_estimate: value::<Option<i64>>(&row, 9)?.map(count),
                partitioned_by: value(&row, 10)?,
                ..Table::default()
            };
            tables.insert(value(&row, 0)?, table);
        }
        Ok(tables)
    }

    fn add_columns(&self, tables: &mut Tables, problems: &mut Vec<Diagnostic>) -> Result<(), Refusal> {
        let mut labels: HashMap<u32, Vec<String>> = HashMap::new();
        for row in self.session.rows(statements::LABELS, &[])? {
            labels.insert(value(&row, 0)?, value(&row, 1)?);
        }
        let mut domains: HashMap<u32, DomainBase> = HashMap::new();
        for row in self.session.rows(statements::DOMAINS, &[])? {
            let base = DomainBase { number: value(&row, 1)?, printed: value(&row, 2)?, not_null: value(&row, 3)? };
            domains.insert(value(&row, 0)?, base);
        }
        let mut composites: HashSet<u32> = HashSet::new();
        for row in self.rows(statements::COMPOSITES)? {
            composites.insert(value(&row, 0)?);
        }
        let mut left_out = HashSet::new();
        let mut columns = 0_usize;
        for row in self.rows(statements::COLUMNS)? {
            let number: u32 = value(&row, 0)?;
            let Some(table) = tables.get_mut(&number) else { continue };
            if columns == ALL_COLUMNS {
                left_out.insert(number);
                continue;
            }
            columns += 1;
            table.is_locked |= value::<bool>(&row, 11)?;
            let type_number: u32 = value(&row, 9)?;
            let domain = domains.get(&type_number);
            let expression: Option<String> = value(&row, 4)?;
            let (default, generated) =
                if value::<String>(&row, 6)?.is_empty() { (expression, None) } else { (None, expression) };
            table.columns.push(Column {
                name: value(&row, 1)?,
                data_type: value(&row, 2)?,
                nullable: !value::<bool>(&row, 3)? && !domain.is_some_and(|domain| domain.not_null),
                default,
                generated,
                identity: match value::<String>(&row, 5)?.as_str() {
                    "a" => Some("always".to_owned()),
                    "d" => Some("by default".to_owned()),
                    _ => None,
                },
                collation: value(&row, 7)?,
                comment: value(&row, 8)?,
                labels: labels.get(&domain.map_or(type_number, |it| it.number)).cloned().unwrap_or_default(),
                is_composite: composites.contains(&type_number),
                base_type: domain.map(|domain| domain.printed.clone()),
                type_comment: value(&row, 10)?,
            });
        }
        if !left_out.is_empty() {
            let message = format!("there are more than {ALL_COLUMNS} columns; those of further tables are left out");
            problems.push(Diagnostic::warning(Code::TooMany, message));
        }
        Ok(())
    }

    fn add_constraints(&self, tables: &mut Tables) -> Result<(), Refusal> {
        for row in self.rows(statements::CONSTRAINTS)? {
            let Some(table) = tables.get_mut(&value(&row, 0)?) else { continue };
            table.is_locked |= value::<bool>(&row, 13)?;
            let name: Option<String> = value(&row, 1)?;
            let kind: String = value(&row, 2)?;
            let columns: Vec<String> = value(&row, 3)?;
            table.constraint_comments.extend(name.clone().zip(value::<Option<String>>(&row, 12)?));
            match kind.as_str() {
                "p" => table.primary_key = Some(Key { name, columns }),
                "u" => table.unique.push(Key { name, columns }),
                "f" => table.foreign_keys.push(ForeignKey {
                    name,
                    columns,
                    target: TableName {
                        schema: value::<Option<String>>(&row, 4)?.unwrap_or_default(),
                        name: value::<Option<String>>(&row, 5)?.unwrap_or_default(),
                    },
                    target_columns: value(&row, 6)?,
                    on_delete: action(&value::<String>(&row, 7)?),
                    on_update: action(&value::<String>(&row, 8)?),
                    match_type: match value::<String>(&row, 9)?.as_str() {
                        "f" => "full",
                        "p" => "partial",
                        _ => "simple",
                    }
                    .to_owned(),
                    is_deferrable: value(&row, 10)?,
                }),
                _ => {
                    let expression = value::<Option<String>>(&row, 11)?.unwrap_or_default();
                    let constraints = if kind == "x" { &mut table.exclusions } else { &mut table.checks };
                    constraints.push(Constraint { name, expression });
                }
            }
        }
        Ok(())
    }

    fn add_indexes(&self, tables: &mut Tables) -> Result<(), Refusal> {
        for row in self.rows(statements::INDEXES)? {
            let Some(table) = tables.get_mut(&value(&row, 0)?) else { continue };
            table.indexes.push(IndexInfo {
                name: value(&row, 1)?,
                is_unique: value(&row, 2)?,
                is_partial: value(&row, 3)?,
                columns: value(&row, 4)?,
                comment: value(&row, 5)?,
            });
        }
        Ok(())
    }
}

/// The warning about a locked table, whose expressions could not be read.
fn locked(table: &Table) -> Diagnostic {
    let name = table.full_name();
    let message = format!("{name} is locked by another transaction, so its pages stay as they are");
    Diagnostic::warning(Code::TableUnreadable, message).fix("run it again when that transaction has ended")
}

struct DomainBase {
    number: u32,
    printed: String,
    not_null: bool,
}

/// Whether it is a system schema.
fn is_system(schema: &str) -> bool {
    schema.starts_with("pg_") || schema == "information_schema"
}

fn action(letter: &str) -> String {
    let word = match letter {
        "r" => "restrict",
        "c" => "cascade",
        "n" => "set null",
        "d" => "set default",
        _ => "no action",
    };
    word.to_owned()
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn value<'r, T: FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, Refusal> {
    let words = "the server's catalog has a text that is not UTF-8, or a value of an unexpected type";
    row.try_get(at).map_err(|_| Refusal::new(RefusalKind::Other, words))
}
