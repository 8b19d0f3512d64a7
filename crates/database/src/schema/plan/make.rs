//! Makes a plan from what was read, with a person's changes to the previous one.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use refdesk_files::name::sha256_hex;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::counted;
use serde_json::{Map, json};

use super::edits::content_hash;
use super::order::{computed_order, incoming, priority, threshold};
use super::totals::domains as domains_of;
use super::{
    Computed, Estimate, FILE, Plan, PlanEdits, PlannedDatabase, PlannedTable, RunError, RunSeverity, SCHEMA_VERSION,
    TableReads, WorkUnit,
};
use crate::config::{DatabaseConfig, DatabasesConfig, Sampling};
use crate::schema::domains::domains;
use crate::schema::joins::infer;
use crate::schema::notes::Notes;
use crate::schema::sensitive_columns::SensitiveColumns;
use crate::sensitive::SensitiveRule;
use crate::sensitive::comments::without_values;
use crate::snapshot::{Snapshot, Table, TableName};
use crate::statistics::{SAMPLED_ROWS, may_sample};

/// Most characters of a comment that a plan shows.
const COMMENT_SHOWN: usize = 2_000;

/// A database to plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanInput<'a> {
    /// Its configuration.
    pub config: &'a DatabaseConfig,
    /// The outcome of reading it.
    pub state: ReadOutcome<'a>,
    /// A person's notes.
    pub notes: &'a Notes,
}

/// The outcome of reading a database.
#[derive(Debug, Clone, Copy)]
pub enum ReadOutcome<'a> {
    /// Its schema.
    Read(&'a Snapshot),
    /// It could not be read.
    Unreachable(&'a str),
    /// It waits for trust.
    Untrusted,
}

/// Makes the plan. Warns about changes by a person that could not be kept.
pub fn make(
    databases: &DatabasesConfig,
    inputs: &[PlanInput<'_>],
    edits: &PlanEdits,
    now: &str,
) -> (Plan, Vec<Diagnostic>) {
    let mut plan = Plan {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: now.to_owned(),
        config_hash: config_hash(databases),
        ..Plan::default()
    };
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for input in inputs {
        let units = match input.state {
            ReadOutcome::Read(snapshot) => {
                let beyond = snapshot.beyond.iter().map(TableName::full);
                let names = snapshot.tables.iter().map(Table::full_name).chain(beyond).collect();
                known.insert(input.config.name.clone(), names);
                units(databases, input, snapshot, edits)
            }
            _ => Vec::new(),
        };
        plan.databases.push(database(input, &units));
        plan.errors.extend(error(input, now));
        plan.work_units.extend(units);
    }
    plan.count();
    (plan, edits.gone(&known, FILE))
}

fn database(input: &PlanInput<'_>, units: &[WorkUnit]) -> PlannedDatabase {
    let (status, connection_error, snapshot) = match input.state {
        ReadOutcome::Read(snapshot) => ("reachable", None, Some(snapshot)),
        ReadOutcome::Unreachable(error) => ("unreachable", Some(error.to_owned()), None),
        ReadOutcome::Untrusted => ("untrusted", None, None),
    };
    PlannedDatabase {
        name: input.config.name.clone(),
        kind: input.config.connection.word().to_owned(),
        status: status.to_owned(),
        connection_error,
        table_count: snapshot.map_or(0, |snapshot| snapshot.tables.len()),
        schema_count: snapshot.map_or(0, |snapshot| snapshot.schemas.len()),
        estimated_time_minutes: 0.0,
        domains: domains_of(units),
        schema_hash: snapshot.map(Snapshot::schema_hash),
        server_version: snapshot.and_then(|snapshot| snapshot.server_version.clone()),
    }
}

fn error(input: &PlanInput<'_>, now: &str) -> Option<RunError> {
    let (code, message) = match input.state {
        ReadOutcome::Read(_) => return None,
        ReadOutcome::Unreachable(error) => ("PLAN_DB_UNREACHABLE", error.to_owned()),
        ReadOutcome::Untrusted => ("PLAN_DB_UNTRUSTED", "it waits for trust".to_owned()),
    };
    Some(RunError {
        code: code.to_owned(),
        message,
        severity: RunSeverity::Error,
        timestamp: now.to_owned(),
        context: json!({"database": input.config.name}),
        recoverable: true,
    })
}

fn units(databases: &DatabasesConfig, input: &PlanInput<'_>, snapshot: &Snapshot, edits: &PlanEdits) -> Vec<WorkUnit> {
    let (config, name) = (input.config, &input.config.name);
    let none = BTreeMap::new();
    let computed = domains(snapshot, &config.domains, edits.domains.get(name).unwrap_or(&none));
    let counts = incoming(&snapshot.tables);
    let threshold = threshold(&snapshot.tables, &counts);
    let mut by_domain: BTreeMap<String, Vec<PlannedTable>> = BTreeMap::new();
    let hashes = edits.hashes.get(name).unwrap_or(&none);
    // The definition of a locked table is only partly known.
    let known_hash = |table: &Table| hashes.get(&table.table_name()).filter(|_| table.is_locked).cloned();
    let hash = |table: &Table| known_hash(table).unwrap_or_else(|| table.metadata_hash());
    let sensitive = SensitiveColumns::new(config, snapshot, &infer(snapshot, input.notes), &BTreeMap::new());
    let reads = |table: &Table| reads(config, table, sensitive.of(table));
    let computed_reads: Vec<(String, TableReads)> =
        snapshot.tables.par_iter().map(|table| (hash(table), reads(table))).collect();
    for (table, (metadata_hash, reads)) in snapshot.tables.iter().zip(computed_reads) {
        let full = table.full_name();
        let edit = edits.tables.get(&(name.clone(), full.clone()));
        let noted = input.notes.table(table).and_then(|note| note.domain.clone());
        let own = noted.or_else(|| computed.get(&table.table_name()).cloned()).unwrap_or_default();
        let incoming = counts.get(&table.table_name()).copied().unwrap_or(0);
        let planned = Computed { priority: priority(table, &own, incoming, threshold), domain: own };
        let domain = edit.and_then(|edit| edit.domain.clone()).unwrap_or_else(|| planned.domain.clone());
        let entry = PlannedTable {
            schema_name: table.schema.clone(),
            table_name: table.name.clone(),
            kind: table.kind,
            priority: edit.and_then(|edit| edit.priority).unwrap_or(planned.priority),
            column_count: table.columns.len(),
            row_count_approx: table.row_estimate,
            incoming_fk_count: incoming,
            outgoing_fk_count: table.foreign_keys.len(),
            metadata_hash,
            existing_comment: existing_comment(table.comment.as_deref()),
            reads,
            skip: edit.is_some_and(|edit| edit.skip),
            note: edit.and_then(|edit| edit.note.clone()),
            domain: domain.clone(),
            planned,
            fully_qualified_name: full,
        };
        by_domain.entry(domain).or_default().push(entry);
    }
    let mut units: Vec<WorkUnit> = by_domain
        .into_iter()
        .map(|(domain, tables)| {
            let id = format!("{name}-{domain}");
            WorkUnit {
                database: name.clone(),
                estimated_time_minutes: 0.0,
                estimate: Estimate::without_model(),
                output_directory: format!("{}/{name}/{domain}", databases.docs_path),
                priority_order: order(&tables, edits.orders.get(&(name.clone(), domain.clone()))),
                depends_on: Vec::new(),
                content_hash: String::new(),
                tables,
                domain,
                id,
            }
        })
        .collect();
    add_dependencies(&mut units, snapshot);
    for unit in &mut units {
        unit.content_hash = content_hash(unit);
    }
    units
}

/// A person's order for the tables that it contains; the others follow in computed order.
fn order(tables: &[PlannedTable], edited: Option<&Vec<String>>) -> Vec<String> {
    let computed = computed_order(tables);
    let Some(edited) = edited else { return computed };
    let mut order: Vec<String> = edited.iter().filter(|name| computed.contains(name)).cloned().collect();
    let rest: Vec<String> = computed.into_iter().filter(|name| !order.contains(name)).collect();
    order.extend(rest);
    order
}

fn add_dependencies(units: &mut [WorkUnit], snapshot: &Snapshot) {
    let unit_of: BTreeMap<String, usize> = units
        .iter()
        .enumerate()
        .flat_map(|(at, unit)| unit.tables.iter().map(move |table| (table.fully_qualified_name.clone(), at)))
        .collect();
    let mut wanted: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); units.len()];
    for table in &snapshot.tables {
        let Some(own) = unit_of.get(&table.full_name()) else { continue };
        for other in table.foreign_keys.iter().filter_map(|key| unit_of.get(&key.target.full())) {
            // Only on earlier units, so that there are no cycles.
            if other < own
                && let Some(wanted) = wanted.get_mut(*own)
            {
                wanted.insert(*other);
            }
        }
    }
    let ids: Vec<String> = units.iter().map(|unit| unit.id.clone()).collect();
    for (unit, wanted) in units.iter_mut().zip(wanted) {
        unit.depends_on = wanted.into_iter().filter_map(|at| ids.get(at).cloned()).collect();
    }
}

/// Precedes the rule of a sensitive column.
const SENSITIVE: &str = ", sensitive (";

/// Whether `reads` says that a column is sensitive.
pub fn says_sensitive(reads: &str) -> bool {
    reads.contains(SENSITIVE)
}

/// What would be read from a table, and what its page would disclose of each column.
pub(crate) fn reads(config: &DatabaseConfig, table: &Table, rules: &[Option<SensitiveRule>]) -> TableReads {
    let is_sampled = config.sampling > Sampling::None && config.connection.shows_rows() && may_sample(table);
    let mut columns = Map::new();
    for (column, rule) in table.columns.iter().zip(rules) {
        let published = match rule {
            Some(rule) if is_sampled => format!("only the share of nulls{SENSITIVE}{})", rule.words()),
            Some(rule) => format!("nothing{SENSITIVE}{})", rule.words()),
            None if !is_sampled => "nothing".to_owned(),
            None if config.publish_values => "statistics, and a small set of values".to_owned(),
            None => "statistics".to_owned(),
        };
        columns.insert(column.name.clone(), json!(published));
    }
    TableReads { rows: if is_sampled { SAMPLED_ROWS } else { 0 }, columns }
}

/// A hash of the configuration without connection settings, to detect changes.
pub(super) fn config_hash(config: &DatabasesConfig) -> String {
    let patterns = |patterns: &[crate::names::globs::NamePattern]| -> Vec<String> {
        patterns.iter().map(|pattern| pattern.text.clone()).collect()
    };
    let of = |it: &DatabaseConfig| {
        let domains: Vec<_> = it.domains.iter().map(|(name, globs)| (name.clone(), patterns(globs))).collect();
        json!([
            it.name,
            it.connection.word(),
            it.schemas,
            patterns(&it.include_tables),
            patterns(&it.exclude_tables),
            it.include_views,
            it.include_system_tables,
            it.sampling,
            patterns(&it.sensitive),
            patterns(&it.not_sensitive),
            it.publish_values,
            it.cross_links,
            it.granularity,
            domains,
            it.enabled,
        ])
    };
    let all: Vec<_> = config.databases.iter().map(of).collect();
    sha256_hex(json!([config.docs_path, all]).to_string().as_bytes())
}

/// What changed since a plan was made; `now` is made from the current schema. `is_beyond` tells whether a table exists
/// beyond the limit on the number of tables.
pub fn stale(then: &Plan, now: &Plan, is_beyond: &dyn Fn(&str, &str) -> bool) -> Vec<String> {
    let mut changes = Vec::new();
    if then.config_hash != now.config_hash {
        changes.push("the configuration changed".to_owned());
    }
    fn hashes<'p>(plan: &'p Plan, database: &'p str) -> BTreeMap<&'p String, &'p String> {
        let tables = plan.units(database).flat_map(|unit| &unit.tables);
        tables.map(|table| (&table.fully_qualified_name, &table.metadata_hash)).collect()
    }
    for database in &now.databases {
        let name = &database.name;
        // It could not be read, which is reported elsewhere.
        if database.schema_hash.is_none() {
            continue;
        }
        if !then.databases.iter().any(|it| it.name == *name) {
            changes.push(format!("'{name}' is new"));
            continue;
        }
        let (before, after) = (hashes(then, name), hashes(now, name));
        let of = |one_is: &str, many_are: &str, tables: Vec<&String>| match tables.as_slice() {
            [] => None,
            [one] => Some(format!("{one} of '{name}' {one_is} since the plan")),
            many => Some(format!("{} of '{name}' {many_are} since the plan", counted(many.len(), "table"))),
        };
        let new = after.keys().filter(|table| !before.contains_key(*table)).copied().collect();
        let gone = before.keys().filter(|table| !after.contains_key(*table)).copied();
        let (beyond, gone) = gone.partition(|table| is_beyond(name, table));
        let changed = after.iter().filter(|(table, hash)| before.get(*table).is_some_and(|it| it != *hash));
        let changed = changed.map(|(table, _)| *table).collect();
        changes.extend(of("is new", "are new", new));
        changes.extend(of("is gone", "are gone", gone));
        changes.extend(of("is beyond the limit on tables", "are beyond the limit on tables", beyond));
        changes.extend(of("has changed", "have changed", changed));
    }
    changes
}

/// The comment of a table as the plan shows it.
fn existing_comment(comment: Option<&str>) -> Option<String> {
    let shown = without_values(comment?).into_owned();
    (!shown.is_empty()).then(|| refdesk_text::shorten::shortened(shown, COMMENT_SHOWN))
}
