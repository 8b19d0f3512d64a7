//! A person's changes to a plan: found by comparing it with the computed values, and carried over to the next plan.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_files::name::sha256_hex;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use super::order::computed_order;
use super::{Plan, PlannedTable, WorkUnit};
use crate::names::words::domain_name;
use crate::snapshot::TableName;

/// The fix for changes to computed values.
const FIX: &str = "change only domain, priority, skip, note and priority_order";

/// The changes of a person, by database and table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanEdits {
    pub(super) tables: BTreeMap<(String, String), TableEdit>,
    /// By database and domain.
    pub(super) orders: BTreeMap<(String, String), Vec<String>>,
    /// The computed domains by database, which keep their names.
    pub(super) domains: BTreeMap<String, BTreeMap<TableName, String>>,
    /// The definition hashes by database, for tables that cannot be read now.
    pub(super) hashes: BTreeMap<String, BTreeMap<TableName, String>>,
}

/// The changes to one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableEdit {
    pub domain: Option<String>,
    pub priority: Option<u8>,
    pub skip: bool,
    pub note: Option<String>,
}

impl PlanEdits {
    /// The changes in a plan, errors for invalid values, and warnings for changes to computed values, which are
    /// recomputed.
    pub fn of(plan: &Plan, file: &str) -> (Self, Vec<Diagnostic>) {
        let mut edits = Self::default();
        let mut problems = Vec::new();
        for part in plan.miscounted() {
            let message = format!("{part} is computed, so your change to it was discarded");
            problems.push(Diagnostic::warning(Code::PlanChanged, message).in_file(file).fix(FIX));
        }
        for unit in &plan.work_units {
            if content_hash(unit) != unit.content_hash {
                let message = format!("your change to a computed value of '{}' was discarded", unit.id);
                problems.push(Diagnostic::warning(Code::PlanChanged, message).in_file(file).fix(FIX));
            }
            let order = known_order(unit);
            // If only its priority was changed, the table moves within the order.
            let planned = unit.tables.iter().map(|it| PlannedTable { priority: it.planned.priority, ..it.clone() });
            let is_computed =
                [computed_order(&unit.tables), computed_order(&planned.collect::<Vec<_>>())].contains(&order);
            if !is_computed {
                edits.orders.insert((unit.database.clone(), unit.domain.clone()), order);
            }
            for table in &unit.tables {
                let name = table.name();
                let domains = edits.domains.entry(unit.database.clone()).or_default();
                domains.insert(name.clone(), table.planned.domain.clone());
                let hashes = edits.hashes.entry(unit.database.clone()).or_default();
                hashes.insert(name, table.metadata_hash.clone());
                let edit = edit_of(&unit.database, table, &mut problems, file);
                if edit != TableEdit::default() {
                    edits.tables.insert((unit.database.clone(), table.fully_qualified_name.clone()), edit);
                }
            }
        }
        (edits, problems)
    }

    /// Warnings about changes to tables that no longer exist; `known` contains the tables of the databases that were
    /// read.
    pub fn gone(&self, known: &BTreeMap<String, BTreeSet<String>>, file: &str) -> Vec<Diagnostic> {
        let is_gone = |(database, table): &&(String, String)| known.get(database).is_some_and(|it| !it.contains(table));
        let warning = |(database, table): &(String, String)| {
            let message = format!("{table} of '{database}' no longer exists, so your changes to its plan were dropped");
            Diagnostic::warning(Code::PlanChanged, message).in_file(file)
        };
        self.tables.keys().filter(is_gone).map(warning).collect()
    }
}

/// The order in the file, without tables that are gone.
fn known_order(unit: &WorkUnit) -> Vec<String> {
    let names: BTreeSet<&str> = unit.tables.iter().map(|table| table.fully_qualified_name.as_str()).collect();
    unit.priority_order.iter().filter(|name| names.contains(name.as_str())).cloned().collect()
}

fn edit_of(database: &str, table: &PlannedTable, problems: &mut Vec<Diagnostic>, file: &str) -> TableEdit {
    let name = &table.fully_qualified_name;
    let mut wrong = |message: String, fix: &str| {
        problems.push(Diagnostic::error(Code::PlanChanged, message).in_file(file).fix(fix));
    };
    let domain = (table.domain != table.planned.domain).then(|| domain_name(&table.domain)).transpose();
    if domain.is_err() {
        wrong(
            format!("'{}' is not a 'domain' for {name} of '{database}'", table.domain),
            "use lower-case words with hyphens",
        );
    }
    let is_priority = (1..=3).contains(&table.priority);
    if !is_priority {
        wrong(format!("{} is not a 'priority' for {name} of '{database}'", table.priority), "use 1, 2 or 3");
    }
    TableEdit {
        domain: domain.ok().flatten(),
        priority: (table.priority != table.planned.priority && is_priority).then_some(table.priority),
        skip: table.skip,
        note: table.note.clone(),
    }
}

/// The hash of the computed parts of a unit: everything but what a person may change.
pub(super) fn content_hash(unit: &WorkUnit) -> String {
    let computed = |table: &PlannedTable| PlannedTable {
        domain: String::new(),
        priority: 0,
        skip: false,
        note: None,
        ..table.clone()
    };
    let mut tables: Vec<PlannedTable> = unit.tables.iter().map(computed).collect();
    tables.sort_by(|a, b| a.fully_qualified_name.cmp(&b.fully_qualified_name));
    let computed = WorkUnit { tables, priority_order: Vec::new(), content_hash: String::new(), ..unit.clone() };
    // Texts, numbers and lists always serialize.
    sha256_hex(&serde_json::to_vec(&computed).unwrap_or_default())
}
