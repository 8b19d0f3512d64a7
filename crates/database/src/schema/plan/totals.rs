//! The totals of a plan.

use std::collections::BTreeMap;

use super::{Complexity, Estimate, Plan, PlanSummary, PlannedDatabase, WorkUnit};

impl Complexity {
    fn of(databases: &[PlannedDatabase]) -> Self {
        match tables(databases) {
            0..=20 => Self::Simple,
            21..=200 => Self::Moderate,
            _ => Self::Complex,
        }
    }
}

impl PlanSummary {
    fn of(databases: &[PlannedDatabase], units: &[WorkUnit]) -> Self {
        Self {
            total_databases: databases.len(),
            reachable_databases: databases.iter().filter(|database| database.is_reachable()).count(),
            total_tables: tables(databases),
            total_work_units: units.len(),
            domain_count: units.len(),
            total_estimated_minutes: 0.0,
            recommended_parallelism: 1,
            estimate: Estimate::without_model(),
        }
    }
}

impl PlannedDatabase {
    fn is_reachable(&self) -> bool {
        self.status == "reachable"
    }
}

impl Plan {
    /// Computes the totals from the databases and units.
    pub fn count(&mut self) {
        self.complexity = Complexity::of(&self.databases);
        self.summary = PlanSummary::of(&self.databases, &self.work_units);
    }

    /// The names of totals that are wrong because a person changed them.
    pub(super) fn miscounted(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.summary != PlanSummary::of(&self.databases, &self.work_units) {
            parts.push("'summary'".to_owned());
        }
        if self.complexity != Complexity::of(&self.databases) {
            parts.push("'complexity'".to_owned());
        }
        // The units of a database that could not be read come from an earlier plan.
        for database in self.databases.iter().filter(|database| database.is_reachable()) {
            if sorted(database.domains.clone()) != sorted(domains(self.units(&database.name))) {
                parts.push(format!("'domains' of '{}'", database.name));
            }
        }
        parts
    }
}

/// The tables of each domain.
pub(super) fn domains<'u>(units: impl IntoIterator<Item = &'u WorkUnit>) -> BTreeMap<String, Vec<String>> {
    let names = |unit: &WorkUnit| unit.tables.iter().map(|table| table.fully_qualified_name.clone()).collect();
    units.into_iter().map(|unit| (unit.domain.clone(), names(unit))).collect()
}

/// The domains with sorted tables, because a person may change their order.
fn sorted(mut domains: BTreeMap<String, Vec<String>>) -> BTreeMap<String, Vec<String>> {
    domains.values_mut().for_each(|tables| tables.sort_unstable());
    domains
}

fn tables(databases: &[PlannedDatabase]) -> usize {
    databases.iter().map(|database| database.table_count).sum()
}
