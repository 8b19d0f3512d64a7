//! `refdesk db plan`: plans what to document, and what to read for it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::refused;
use crate::cli::answer::CommandOutput;
use crate::cli::args::{DbPlanArgs, OutputFormat};
use crate::cli::table;
use refdesk_database::schema::plan::{FILE, Plan, PlanSummary, PlannedDatabase, PlannedTable, SCHEMA_VERSION};
use refdesk_desk::{Desk, PickPrice, Planned, ReadDatabase, ReadState, Session};
use refdesk_text::escape::one_line;
use refdesk_text::names::first_of;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error, Fix};

/// The most tables of a domain in text output.
const LISTED: usize = 6;

/// Makes the plan and writes it, unless this is a dry run. `next` is appended to the message that it was written. Fails
/// if no plan could be made.
pub fn run(
    desk: &mut Desk,
    session: &Session,
    args: &DbPlanArgs,
    format: OutputFormat,
    next: &str,
) -> Result<CommandOutput, CommandOutput> {
    let read = desk.databases_of_run(&args.names).and_then(|databases| desk.read_databases(&databases));
    let read = read.map_err(refused)?;
    let planned = desk.plan_databases(&read).map_err(refused)?;
    let mut failed: Vec<Error> = read.iter().filter_map(failure).collect();
    let mut notes: Vec<String> = planned.changes.clone();
    let prices: PickPrices<'_> =
        read.iter().map(|it| (it.config.name.as_str(), desk.pick_prices(it, &planned))).collect();
    let mut text = match args.dry_run {
        true => details(&planned.plan, &read, &prices),
        false => overview(&planned.plan, &read, &prices),
    };
    if args.dry_run {
        notes.push(format!("this would write {FILE}"));
    } else {
        let gap = if text.is_empty() { "" } else { "\n" };
        match desk.store_plan(session, &planned) {
            Ok(true) => {
                let is_any_read = read.iter().any(|database| database.snapshot().is_some());
                let next = if is_any_read { next } else { "" };
                text.push_str(&format!("{gap}Wrote {FILE}.{next}\n"));
            }
            Ok(false) if planned.is_untrusted() => text.push_str("No plan was written.\n"),
            Ok(false) => text.push_str(&format!("{gap}{FILE} is up to date.\n")),
            Err(error) => failed.push(error),
        }
    }
    let Planned { plan, problems, .. } = planned;
    let json = if format == OutputFormat::Json { json!(plan) } else { json!({}) };
    let mut answer = CommandOutput { notes, ..CommandOutput::new(json, text) };
    answer.diagnostics = problems
        .into_iter()
        .chain(read.into_iter().flat_map(|it| it.problems.into_iter().chain(it.about_connection)))
        .collect();
    Ok(answer.with_failures(failed))
}

/// The answer if no plan could be made.
pub fn nothing() -> Value {
    json!({
        "schema_version": SCHEMA_VERSION, "generated_at": null, "config_hash": null, "complexity": null, "databases": [],
        "work_units": [], "summary": PlanSummary::default(), "errors": [],
    })
}

fn failure(database: &ReadDatabase) -> Option<Error> {
    let name = &database.config.name;
    match &database.state {
        ReadState::Read(..) => None,
        ReadState::Failed(error) => {
            Some(Error::new(error.code, format!("'{name}': {}", error.message), error.fix.clone()))
        }
        ReadState::Untrusted => {
            Some(Error::new(Code::Untrusted, format!("the database '{name}' waits for trust"), Fix::Trust))
        }
    }
}

fn heading(database: &PlannedDatabase) -> String {
    let version =
        database.server_version.as_ref().map_or_else(String::new, |version| format!(" {}", one_line(version)));
    let domains = counted(database.domains.len(), "domain");
    format!("{} ({}{version}): {} in {domains}\n", database.name, database.kind, counted(database.table_count, "table"))
}

/// By database and domain, what a pick of the domain brings, where it brings others.
type PickPrices<'r> = BTreeMap<&'r str, BTreeMap<String, PickPrice>>;

fn price(prices: &PickPrices<'_>, database: &str, domain: &str) -> Option<String> {
    let PickPrice { domains, tokens, is_least } = prices.get(database)?.get(domain)?;
    let least = if *is_least { "at least " } else { "" };
    Some(format!("a pick brings {}, {least}~{} tokens", counted(*domains, "domain"), grouped(*tokens)))
}

fn overview(plan: &Plan, read: &[ReadDatabase], prices: &PickPrices<'_>) -> String {
    let mut text = String::new();
    for database in of_run(plan, read) {
        text.push_str(&heading(database));
        let rows: Vec<Vec<String>> = plan
            .units(&database.name)
            .map(|unit| {
                let names = first_of(unit.tables.iter().map(|it| &it.table_name), LISTED);
                let skipped = unit.tables.iter().filter(|table| table.skip).count();
                let skipped = if skipped > 0 { format!(" ({skipped} skipped)") } else { String::new() };
                let price = price(prices, &database.name, &unit.domain);
                let counts = [format!("  {}", unit.domain), counted(unit.tables.len(), "table")];
                counts.into_iter().chain(price).chain([format!("{names}{skipped}")]).collect()
            })
            .collect();
        let columns = rows.first().map_or(0, Vec::len);
        text.push_str(&table::table(&rows, &[columns.saturating_sub(1)]));
    }
    text
}

/// What would be read from each table, and what pages would say about each column.
fn details(plan: &Plan, read: &[ReadDatabase], prices: &PickPrices<'_>) -> String {
    let mut text = String::new();
    for database in of_run(plan, read) {
        text.push_str(&heading(database));
        for unit in plan.units(&database.name) {
            let price = price(prices, &database.name, &unit.domain).map_or_else(String::new, |it| format!("; {it}"));
            text.push_str(&format!("\n{}: {}{price}\n", unit.domain, counted(unit.tables.len(), "table")));
            unit.tables.iter().for_each(|table| text.push_str(&detail(table)));
        }
    }
    text
}

fn detail(table: &PlannedTable) -> String {
    let rows = match table.reads.rows {
        0 => "no rows would be read".to_owned(),
        rows => format!("at most {} rows would be read", grouped(rows)),
    };
    let skip = if table.skip { ", skipped" } else { "" };
    let name = one_line(&table.fully_qualified_name);
    let columns: Vec<Vec<String>> = table
        .reads
        .columns
        .iter()
        .map(|(column, told)| vec![format!("    {column}"), told.as_str().unwrap_or_default().to_owned()])
        .collect();
    format!("  {name} ({}{skip}): {rows}\n{}", table.kind.word(), table::table(&columns, &[1]))
}

fn of_run<'p>(plan: &'p Plan, read: &'p [ReadDatabase]) -> impl Iterator<Item = &'p PlannedDatabase> {
    let is_read = |name: &str| read.iter().any(|it| it.config.name == name && it.snapshot().is_some());
    plan.databases.iter().filter(move |database| is_read(&database.name))
}
