//! The plan of the workspace's databases, made from what was read and a person's changes to the stored plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::Timestamp;
use refdesk_database::config::CheckRule;
use refdesk_database::schema::check::hidden_texts;
use refdesk_database::schema::plan::{self, FILE, Plan, PlanEdits, PlanInput, ReadOutcome};
use refdesk_database::snapshot::TableName;
use refdesk_text::escape::one_line;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};
use serde::Deserialize;

use super::files::{REPLACE_LINK, text_below};
use super::schema_reading::{ReadDatabase, ReadState};
use crate::{Desk, Session};

const PLAN_FIX: &str = "restore it, or remove it to plan again without your changes";

/// A new plan, compared with the stored one.
#[derive(Debug, Default)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The stored plan.
    pub stored: Option<Plan>,
    /// What changed since the stored plan, as text.
    pub changes: Vec<String>,
    /// Databases that could not be read, and changes that could not be kept.
    pub problems: Vec<Diagnostic>,
}

impl Planned {
    /// Whether it covers no database because none is trusted yet; such a plan is not written.
    pub fn is_untrusted(&self) -> bool {
        let databases = &self.plan.databases;
        !databases.is_empty() && databases.iter().all(|database| database.status == "untrusted")
    }

    /// The current definition hashes of a database's tables, by `schema.table`.
    pub(super) fn hashes(&self, database: &str) -> BTreeMap<String, String> {
        let tables = self.plan.units(database).flat_map(|unit| &unit.tables);
        tables.map(|table| (table.fully_qualified_name.clone(), table.metadata_hash.clone())).collect()
    }
}

impl Desk {
    /// Makes the plan for what was read. Writes nothing.
    ///
    /// # Errors
    /// The stored plan cannot be read, or a person's change has an invalid value.
    pub fn plan_databases(&self, read: &[ReadDatabase]) -> Result<Planned, Error> {
        let stored = stored_plan(self.workspace())?;
        let (edits, mut problems) = stored.as_ref().map(|plan| PlanEdits::of(plan, FILE)).unwrap_or_default();
        let mut wrong = problems.iter().filter(|problem| problem.is_error());
        if let Some(first) = wrong.next() {
            let more = and_more(wrong.count());
            let message = format!("the plan {FILE} has an invalid value: {}{more}", first.message);
            return Err(Error::new(first.code, message, first.fix.clone()));
        }
        let inputs: Vec<PlanInput<'_>> = read.iter().map(input).collect();
        let (config, _) = self.databases();
        let (mut plan, told) = plan::make(config, &inputs, &edits, &self.timestamp());
        problems.extend(told);
        problems.extend(read.iter().filter_map(hidden_texts_of));
        if let Some(stored) = &stored {
            let wrong = config.wrong.iter().map(String::as_str);
            let configured: Vec<&str> =
                config.databases.iter().map(|database| database.name.as_str()).chain(wrong).collect();
            keep_others(&mut plan, stored, &configured);
        }
        plan.assign_ids(stored.as_ref());
        let of_database = |it: &ReadDatabase| {
            let names = it.snapshot().map(|snapshot| snapshot.beyond.iter().map(TableName::full).collect());
            (it.config.name.clone(), names.unwrap_or_default())
        };
        let beyond: BTreeMap<String, BTreeSet<String>> = read.iter().map(of_database).collect();
        let is_over_limit =
            |database: &str, table: &str| beyond.get(database).is_some_and(|names| names.contains(table));
        let changes = stored.as_ref().map(|stored| plan::stale(stored, &plan, &is_over_limit)).unwrap_or_default();
        Ok(Planned { plan, stored, changes, problems })
    }

    /// Writes the plan, unless only its time would change or it covers no database; returns whether it was written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn store_plan(&mut self, session: &Session, planned: &Planned) -> Result<bool, Error> {
        if planned.is_untrusted() || planned.stored.as_ref().is_some_and(|stored| stored.hash() == planned.plan.hash())
        {
            return Ok(false);
        }
        let proposal = self.propose_below(FILE, &planned.plan.text())?;
        if proposal.is_unchanged() {
            return Ok(false);
        }
        self.write(session, &[proposal], "the documentation of databases was planned").map_err(|it| it.refused)?;
        Ok(true)
    }

    /// The current time, in the format written to files.
    pub(super) fn timestamp(&self) -> String {
        let now = Timestamp::try_from(self.now()).unwrap_or_default();
        now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }
}

fn input(database: &ReadDatabase) -> PlanInput<'_> {
    PlanInput {
        config: &database.config,
        state: match &database.state {
            ReadState::Read(_, snapshot) => ReadOutcome::Read(snapshot),
            ReadState::Failed(error) => ReadOutcome::Unreachable(&error.message),
            ReadState::Untrusted => ReadOutcome::Untrusted,
        },
        notes: &database.notes,
    }
}

/// The stored plan of a workspace, if there is one.
pub(super) fn stored_plan(workspace: &Path) -> Result<Option<Plan>, Error> {
    let text = match text_below(workspace, FILE, plan::FILE_BYTES) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(problem) => {
            let message = format!("the plan {FILE}: {}", problem.message);
            // Only the problem of a link has a different fix.
            let is_link = problem.fix.to_string() == REPLACE_LINK;
            return Err(Error::new(problem.code, message, if is_link { problem.fix } else { PLAN_FIX.into() }));
        }
    };
    refuse_newer(&text)?;
    serde_json::from_str(&text).map(Some).map_err(|error| {
        Error::new(Code::Damaged, format!("the plan {FILE} cannot be read: {}", in_plain_words(&error)), PLAN_FIX)
    })
}

/// Rejects a plan written by a newer refdesk: writing it here would lose fields this version does not support.
fn refuse_newer(text: &str) -> Result<(), Error> {
    #[derive(Deserialize)]
    struct Header {
        schema_version: String,
    }
    let numbers = |version: &str| -> Option<Vec<u32>> {
        let mut numbers: Vec<u32> = version.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        numbers.truncate(numbers.iter().rposition(|number| *number > 0).map_or(0, |last| last + 1));
        Some(numbers)
    };
    let Ok(Header { schema_version }) = serde_json::from_str(text) else { return Ok(()) };
    let problem = match numbers(&schema_version) {
        Some(version) if Some(&version) <= numbers(plan::SCHEMA_VERSION).as_ref() => return Ok(()),
        Some(_) => "was written by a newer refdesk",
        None => "may have been written by another refdesk",
    };
    let message = format!(
        "the plan {FILE} {problem}: its format is version '{}', and this refdesk supports {}",
        one_line(&schema_version),
        plan::SCHEMA_VERSION
    );
    Err(Error::new(Code::Damaged, message, "use that refdesk, or remove the plan to plan again without your changes"))
}

/// The parser's message without the names of our types. The position is at its end: `… at line 3 column 7`.
fn in_plain_words(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let Some((before, rest)) = message.split_once("expected struct ") else { return message };
    let place = rest.find(" at line ").and_then(|at| rest.get(at..)).unwrap_or_default();
    match before.strip_prefix("invalid length ") {
        Some(_) => format!("it has a list instead of an object{place}"),
        None => format!("{before}expected an object{place}"),
    }
}

/// A warning if names or texts of a database contain hidden characters, unless the configuration disables this rule.
fn hidden_texts_of(database: &ReadDatabase) -> Option<Diagnostic> {
    let checks = &database.config.checks;
    let is_off = checks.iter().any(|(rule, severity)| *rule == CheckRule::HiddenCharacters && severity.is_none());
    let snapshot = database.snapshot().filter(|_| !is_off)?;
    let mut found = snapshot.tables.iter().flat_map(|table| {
        let place = |column: Option<&str>| column.map_or_else(String::new, |column| format!(".{column}"));
        let told = hidden_texts(table).into_iter();
        told.map(move |(column, message)| format!("{}{}: {message}", table.full_name(), place(column)))
    });
    let first = found.next()?;
    let more = and_more(found.count());
    Some(Diagnostic::warning(Code::HiddenCharacters, format!("'{}': {first}{more}", database.config.name)))
}

/// ` and 3 more`, or an empty text.
fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

/// Keeps the stored plan of databases that are configured but not part of this run.
fn keep_others(plan: &mut Plan, stored: &Plan, configured: &[&str]) {
    let is_kept = |name: &str, plan: &Plan| {
        configured.contains(&name) && !plan.databases.iter().any(|database| database.name == name)
    };
    for database in plan.databases.iter_mut().filter(|database| database.schema_hash.is_none()) {
        // A person's changes must survive a server outage, and its tables still exist.
        plan.work_units.extend(stored.units(&database.name).cloned());
        if let Some(known) = stored.databases.iter().find(|known| known.name == database.name) {
            let now = std::mem::replace(database, known.clone());
            (database.kind, database.status) = (now.kind, now.status);
            database.connection_error = now.connection_error;
        }
    }
    let others: Vec<_> = stored.databases.iter().filter(|it| is_kept(&it.name, plan)).cloned().collect();
    for database in others {
        let units: Vec<_> = stored.units(&database.name).cloned().collect();
        plan.work_units.extend(units);
        plan.databases.push(database);
    }
    let order = |name: &str| configured.iter().position(|known| *known == name);
    plan.databases.sort_by_key(|database| order(&database.name));
    plan.work_units.sort_by(|a, b| (order(&a.database), &a.id).cmp(&(order(&b.database), &b.id)));
    plan.count();
}
