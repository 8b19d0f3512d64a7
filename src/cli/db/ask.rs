//! `refdesk db show|path|usage|domains|domain|joins`: answers from the pages, for people. No database is queried, and
//! agents get the same answers.

use refdesk_database::schema::table_doc::JoinSource;
use refdesk_desk::{
    ColumnUse, DamagedPage, DatabaseAnswer, DescribedDomain, DescribedJoin, DescribedPath, Desk, DomainTable,
    SharedJoin,
};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

use crate::cli::answer::CommandOutput;
use crate::cli::args::{DbDomainArgs, DbJoinsArgs, DbPathArgs, DbUsageArgs};
use crate::cli::table;

/// How many damaged pages to name.
const DAMAGED: usize = 8;

pub fn show(desk: &Desk, table: &str) -> Result<CommandOutput, Error> {
    let found = desk.whole_database_view().and_then(|view| view.schema(table, true))?;
    let (page, failure) = match desk.page_text(&found.answer.brief.database, &found.answer.path) {
        Ok(page) => (page, None),
        Err(failure) => (String::new(), Some(failure)),
    };
    // The front matter is for programs, which get the complete page.
    let body =
        page.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(page.as_str(), |(_, body)| body);
    let text = visible(body.trim_start()).into_owned();
    Ok(CommandOutput::new(DatabaseAnswer::from(found).json, text).with_failures(failure.into_iter().collect()))
}

pub fn path(desk: &Desk, args: &DbPathArgs) -> Result<CommandOutput, Error> {
    let hops = args.max_hops.map(usize::from);
    let found = desk.whole_database_view().and_then(|view| {
        let found = view.paths(&args.from, &args.to, hops)?;
        Ok((found, view.has_several_databases()))
    });
    let (found, are_several) = found?;
    let database = if are_several { format!("{}: ", found.answer.database) } else { String::new() };
    let text =
        found.answer.paths.iter().map(|path| format!("{database}{}", words(path))).collect::<Vec<_>>().join("\n");
    let problem = found.answer.problem.clone();
    let damaged = if problem.is_none() { damaged(found.sources.damaged()) } else { Vec::new() };
    let output = CommandOutput::new(DatabaseAnswer::from(found).json, text);
    let output = CommandOutput { diagnostics: damaged, ..output };
    Ok(output.with_failures(problem.into_iter().collect()))
}

fn words(path: &DescribedPath) -> String {
    let count = counted(path.hops.len(), "join");
    let noted = path.hops.iter().filter(|hop| hop.noted).count();
    let inferred = path.hops.iter().filter(|hop| hop.inferred == Some(true)).count();
    let kinds = [(noted, "noted"), (inferred, "inferred")].into_iter().filter(|(count, _)| *count > 0);
    let kinds: String = kinds.map(|(count, kind)| format!(", {count} {kind}")).collect();
    let sql = path.sql_snippet.as_deref().unwrap_or_default();
    let sql: Vec<String> = sql.lines().map(|line| format!("  {}\n", one_line(line))).collect();
    format!("{count}{kinds}\n{}", sql.concat())
}

pub fn usage(desk: &Desk, args: &DbUsageArgs) -> Result<CommandOutput, Error> {
    let (database, domain) = (args.database.as_deref(), args.domain.as_deref());
    let found = desk.whole_database_view().and_then(|view| view.usage(&args.column, database, domain, usize::MAX))?;
    let row = |used: &ColumnUse| {
        let name = format!("{}.{}", used.table.database, used.table.table);
        vec![name, used.data_type.clone().unwrap_or_default(), role(used), used.table.description.clone()]
    };
    let text = table::table(&found.answer.usage.iter().map(row).collect::<Vec<_>>(), &[2, 3]);
    let diagnostics = damaged(found.sources.damaged());
    Ok(CommandOutput { diagnostics, ..CommandOutput::new(DatabaseAnswer::from(found).json, text) })
}

/// The role of a column, in the words of its table's page.
fn role(used: &ColumnUse) -> String {
    let key = used.primary_key.unwrap_or_default().then(|| "primary key".to_owned());
    let inferred = if used.inferred { " (inferred)" } else { "" };
    let targets = used.refers_to.iter().map(|table| format!("-> {}{inferred}", one_line(table)));
    key.into_iter().chain(targets).collect::<Vec<_>>().join(", ")
}

/// Warnings about damaged pages, without which an answer may be incomplete.
fn damaged(pages: &[DamagedPage]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = pages.iter().take(DAMAGED).map(DamagedPage::diagnostic).collect();
    if let Some(more) = pages.len().checked_sub(DAMAGED).filter(|more| *more > 0) {
        told.push(Diagnostic::warning(Code::Damaged, format!("{} are also damaged", counted(more, "other page"))));
    }
    told
}

pub fn domains(desk: &Desk, database: Option<&str>) -> Result<CommandOutput, Error> {
    let found = desk.whole_database_view().and_then(|view| view.domains(database, usize::MAX))?;
    let row = |domain: &DescribedDomain| {
        let names = domain.tables.join(", ");
        let more = domain.table_count.saturating_sub(domain.tables.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let name = format!("{}.{}", domain.database, domain.domain);
        vec![name, counted(domain.table_count, "table"), format!("{names}{more}")]
    };
    let text = table::table(&found.answer.domains.iter().map(row).collect::<Vec<_>>(), &[2]);
    Ok(CommandOutput::new(DatabaseAnswer::from(found).json, text))
}

pub fn domain(desk: &Desk, args: &DbDomainArgs) -> Result<CommandOutput, Error> {
    let found = desk.whole_database_view().and_then(|view| view.domain(&args.domain, args.database.as_deref()))?;
    let row = |table: &DomainTable| vec![table.brief.table.clone(), table.brief.description.clone()];
    let mut text = table::table(&found.answer.tables.iter().map(row).collect::<Vec<_>>(), &[1]);
    let joins = joined(&found.answer.relationships, false) + &shared(&found.answer.shared, false);
    if !joins.is_empty() {
        text.push_str(&format!("\n{joins}"));
    }
    let diagnostics = damaged(found.sources.damaged());
    Ok(CommandOutput { diagnostics, ..CommandOutput::new(DatabaseAnswer::from(found).json, text) })
}

/// The main joins, the most joined tables first.
pub fn joins(desk: &Desk, args: &DbJoinsArgs) -> Result<CommandOutput, Error> {
    let (database, domain, limit) = (args.database.as_deref(), args.domain.as_deref(), usize::from(args.limit));
    let found = desk.whole_database_view().and_then(|view| {
        let found = view.relationships(database, domain, limit)?;
        Ok((found, view.has_several_databases()))
    });
    let (found, are_several) = found?;
    let mut text = joined(&found.answer.relationships, are_several) + &shared(&found.answer.shared, are_several);
    if text.is_empty() {
        text = "There are no joins.\n".to_owned();
    }
    let diagnostics = damaged(found.sources.damaged());
    Ok(CommandOutput { diagnostics, ..CommandOutput::new(DatabaseAnswer::from(found).json, text) })
}

/// One row per join, with its database if there are several.
fn joined(joins: &[DescribedJoin], are_several: bool) -> String {
    let row = |join: &DescribedJoin| {
        let columns = format!("{} = {}", join.from_columns.join(", "), join.to_columns.join(", "));
        let source = [(join.inferred, JoinSource::Inferred), (join.noted, JoinSource::Note)];
        let source = source.into_iter().filter(|(is_it, _)| *is_it).map(|(_, source)| match source {
            JoinSource::Note => source.reason(&join.because),
            _ => source.word().to_owned(),
        });
        let cardinality = Some(join.cardinality.replace('_', " ")).filter(|words| !words.is_empty());
        let kind = cardinality.into_iter().chain(source).collect::<Vec<_>>().join(", ");
        let row = vec![join.from_table.clone(), join.to_table.clone(), columns, kind];
        if are_several { [vec![join.database.clone()], row].concat() } else { row }
    };
    table::table(&joins.iter().map(row).collect::<Vec<_>>(), &[if are_several { 3 } else { 2 }])
}

/// A line for each join that many tables have.
fn shared(joins: &[SharedJoin], are_several: bool) -> String {
    let line = |join: &SharedJoin| {
        let database = if are_several { format!("{}: ", join.database) } else { String::new() };
        let (columns, count) = (join.from_columns.join(", "), counted(join.joins, "table"));
        let inferred =
            if join.inferred > 0 { format!(" ({} inferred)", grouped(join.inferred)) } else { String::new() };
        format!("{}\n", one_line(&format!("{database}{count} refer to {} by {columns}{inferred}", join.to_table)))
    };
    joins.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_desk::DescribedHop;

    #[test]
    fn a_path_says_how_many_of_its_joins_have_no_key() {
        let hop = |inferred, noted| DescribedHop {
            from_table: String::new(),
            to_table: String::new(),
            on_clause: None,
            inferred,
            noted,
            because: String::new(),
            cardinality: String::new(),
            multiplies_rows: false,
            or_by: Vec::new(),
            or_by_left_out: 0,
        };
        let (key, noted, inferred) = (hop(Some(false), false), hop(Some(false), true), hop(Some(true), false));
        for (hops, expected) in [
            (vec![key.clone()], "1 join\n"),
            (vec![noted.clone()], "1 join, 1 noted\n"),
            (vec![inferred.clone()], "1 join, 1 inferred\n"),
            (vec![noted.clone(), inferred, key, noted], "4 joins, 2 noted, 1 inferred\n"),
        ] {
            assert_eq!(words(&DescribedPath { hops, sql_snippet: None }), expected);
        }
    }
}
