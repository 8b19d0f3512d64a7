//! `refdesk db check`: checks schemas and their documentation by rules, and measures how much is described.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{failed_json, not_done};
use crate::cli::answer::CommandOutput;
use crate::cli::args::DbCheckArgs;
use refdesk_database::config::CheckRule;
use refdesk_database::schema::check::Finding;
use refdesk_desk::{Desk, database_failures, notes_file};
use refdesk_text::escape::one_line;
use refdesk_text::names::first_of;
use refdesk_text::report::{Diagnostic, Severity};
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

/// How many places of a rule to name on its line; the JSON has all of them.
const PLACES: usize = 5;

/// Prints the findings; exit code 1 on errors, or if too little is described.
pub fn run(desk: &Desk, args: &DbCheckArgs) -> Result<CommandOutput, Error> {
    let (found, failed) = desk.check_databases(&args.names)?;
    let mut text = String::new();
    let mut databases = Vec::new();
    let mut refusals = database_failures(&failed);
    for it in &found {
        let errors = it.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        text.push_str(&findings(&it.database, &it.findings));
        let coverage = it.coverage();
        let warnings = it.findings.len() - errors;
        let stale = match it.stale.len() {
            0 => String::new(),
            count => {
                let names = first_of(it.stale.iter().map(|name| one_line(name)), PLACES);
                format!("; {} changed after their pages were written: {names}", counted(count, "table"))
            }
        };
        let described = match coverage.percent() {
            Some(percent) => format!("{percent}% of tables and columns are described by a note or a comment"),
            None => "there are no tables, so nothing to measure".to_owned(),
        };
        text.push_str(&format!(
            "{}: {}, {}; {described}{stale}\n",
            it.database,
            counted(errors, "error"),
            counted(warnings, "warning"),
        ));
        if errors > 0 {
            let message = format!("'{}' has {}", it.database, counted(errors, "error"));
            refusals.push(Error::new(
                Code::DatabaseDiffers,
                message,
                "fix the schema, or switch the rule off with 'checks'",
            ));
        }
        let is_below = |least: &u8| coverage.percent().is_none_or(|percent| percent < usize::from(*least));
        if let Some(least) = args.min_coverage.filter(is_below) {
            let (message, fix) = match coverage.percent() {
                Some(percent) => (
                    format!("{percent}% of '{}' is described, less than the required {least}%", it.database),
                    "write notes, or comments in the database",
                ),
                None => (
                    format!("'{}' has no table to describe, so {least}% cannot be reached", it.database),
                    "check which tables 'schemas', 'include_tables' and 'exclude_tables' leave",
                ),
            };
            refusals.push(Error::new(Code::NotDocumented, message, fix));
        }
        let percent = |all: &std::collections::BTreeMap<String, refdesk_database::schema::check::Coverage>| {
            all.iter().map(|(name, it)| (name.clone(), json!(it.percent()))).collect::<Map<String, Value>>()
        };
        databases.push(json!({
            "name": it.database, "findings": it.findings, "stale": it.stale,
            "coverage": {"percent": coverage.percent(), "domains": percent(&it.domains), "tables": percent(&it.tables)},
        }));
    }
    if !failed.is_empty() {
        text.push_str(&format!("{} checked{}\n", counted(found.len(), "database"), not_done(failed.len(), "checked")));
    }
    let gone: Vec<Diagnostic> = desk.databases_not_configured().iter().map(|name| not_configured(name)).collect();
    let json = json!({"databases": databases, "failed": failed_json(&failed)});
    Ok(CommandOutput { diagnostics: gone, ..CommandOutput::new(json, text) }.with_failures(refusals))
}

/// One line per rule: the only finding, or the number of findings and the first places.
fn findings(database: &str, findings: &[Finding]) -> String {
    let mut by_rule: BTreeMap<(bool, CheckRule), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        by_rule.entry((finding.severity != Severity::Error, finding.rule)).or_default().push(finding);
    }
    let line = |((is_warning, rule), found): (&(bool, CheckRule), &Vec<&Finding>)| {
        let fix = match rule {
            CheckRule::SensitiveWithoutNote => format!("  fix: add notes in {}\n", notes_file(database)),
            _ => String::new(),
        };
        let severity = if *is_warning { "warning" } else { "error" };
        let place = |finding: &&Finding| {
            let columns = match finding.columns.as_slice() {
                [] => String::new(),
                [column] => format!(".{column}"),
                several => format!(" ({})", several.join(", ")),
            };
            one_line(&format!("{}{columns}", finding.table)).into_owned()
        };
        if let [finding] = found.as_slice() {
            let (place, message) = (place(finding), one_line(&finding.message));
            return format!("{severity}: {database}: {place}: {message} ({})\n{fix}", rule.word());
        }
        let places = first_of(found.iter().map(place), PLACES);
        let (count, what) = (grouped(found.len()), rule.of_many());
        format!("{severity}: {database}: {count} {what} ({}): {places}\n{fix}", rule.word())
    };
    by_rule.iter().map(line).collect()
}

fn not_configured(name: &str) -> Diagnostic {
    let message = format!("there are pages of '{name}', which is no longer configured");
    Diagnostic::warning(Code::UnknownDatabase, message)
        .fix("`refdesk db document` removes them; edited ones only with `--overwrite-edited`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_about_a_key_names_all_of_its_columns() {
        let finding = |columns: &[&str]| Finding {
            rule: CheckRule::KeyWithoutIndex,
            severity: Severity::Warning,
            table: "main.orders".to_owned(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            message: "it has none".to_owned(),
        };
        let found = [finding(&["tenant", "customer"]), finding(&["tenant", "product"]), finding(&["tenant"])];
        let expected = "main.orders (tenant, customer), main.orders (tenant, product), main.orders.tenant\n";
        assert!(findings("shop", &found).ends_with(expected), "{}", findings("shop", &found));
        let expected = "warning: shop: main.orders (tenant, customer): it has none (key_without_index)\n";
        assert_eq!(findings("shop", &found[..1]), expected);
    }
}
