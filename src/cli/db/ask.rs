//! `refdesk db show`, `path` and `usage`: what the pages say, without reaching a database.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::refused;
use crate::cli::answer::CommandOutput;
use crate::cli::args::{DbPathArgs, DbShowArgs, DbUsageArgs};
use crate::cli::rows;
use refdesk_database::schema::join_path::{HOPS, JoinPath, join_paths, named};
use refdesk_database::schema::table_doc::TableDoc;
use refdesk_desk::{Desk, DocumentedTable};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::nearest::did_you_mean;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

/// The page of a table.
pub fn show(desk: &Desk, args: &DbShowArgs) -> CommandOutput {
    let tables = match desk.documented_tables() {
        Ok(tables) => tables,
        Err(error) => return refused(error),
    };
    let found = match one(&tables, &args.table) {
        Ok(found) => found,
        Err(error) => return CommandOutput::refused(error),
    };
    let page = desk.page_text(&found.path);
    // The front matter is for programs, which have the other page.
    let body =
        page.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(page.as_str(), |(_, body)| body);
    let mut json = json!(found.doc);
    if let Value::Object(members) = &mut json {
        members.insert("database".to_owned(), json!(found.database));
        members.insert("domain".to_owned(), json!(found.domain));
        members.insert("path".to_owned(), json!(found.path));
    }
    CommandOutput::new(json, visible(body.trim_start()).into_owned())
}

/// How two tables can be joined.
pub fn path(desk: &Desk, args: &DbPathArgs) -> CommandOutput {
    let tables = match desk.documented_tables() {
        Ok(tables) => tables,
        Err(error) => return refused(error),
    };
    let ends = one(&tables, &args.from).and_then(|from| Ok((from, one(&tables, &args.to)?)));
    let (from, to) = match ends {
        Ok(ends) => ends,
        Err(error) => return CommandOutput::refused(error),
    };
    let (source, target) = (&from.doc.fully_qualified_name, &to.doc.fully_qualified_name);
    let refuse = |message: String, fix: String| {
        let json = json!({"source_table": source, "target_table": target, "paths": []});
        CommandOutput::new(json, "").and_refused(vec![Error::new(Code::NoPath, message, fix)])
    };
    if from.database != to.database {
        let message = format!("{source} is in the database '{}' and {target} in '{}'", from.database, to.database);
        return refuse(message, "tables of different databases cannot be joined".to_owned());
    }
    if source == target {
        return refuse(format!("{source} is both ends of the path"), "name two different tables".to_owned());
    }
    let docs: Vec<TableDoc> =
        tables.iter().filter(|it| it.database == from.database).map(|it| it.doc.clone()).collect();
    let found = join_paths(&docs, source, target, args.max_hops.map_or(HOPS, usize::from));
    if found.paths.is_empty() {
        let near = |table: &str, others: &[String]| match others {
            [] => format!("{table} is joined with no table"),
            others => format!("{table} is joined with {}", others.join(", ")),
        };
        let fix = format!("{}; {}", near(source, &found.near_source), near(target, &found.near_target));
        return refuse(format!("no path of joins leads from {source} to {target}"), fix);
    }
    let json = json!({"source_table": source, "target_table": target, "paths": found.paths});
    CommandOutput::new(json, found.paths.iter().map(words).collect::<Vec<_>>().join("\n"))
}

fn words(path: &JoinPath) -> String {
    let count = counted(path.hops.len(), "join");
    let inferred = path.hops.iter().filter(|hop| hop.inferred).count();
    let inferred = if inferred > 0 { format!(", {inferred} inferred") } else { String::new() };
    let sql: Vec<String> = path.sql_snippet.lines().map(|line| format!("  {}\n", one_line(line))).collect();
    format!("{count}{inferred}\n{}", sql.concat())
}

/// Where a column is used.
pub fn usage(desk: &Desk, args: &DbUsageArgs) -> CommandOutput {
    let tables = match desk.documented_tables() {
        Ok(tables) => tables,
        Err(error) => return refused(error),
    };
    let is_wanted = |it: &&DocumentedTable| {
        args.database.as_ref().is_none_or(|name| *name == it.database)
            && args.domain.as_ref().is_none_or(|domain| *domain == it.domain)
    };
    let wanted = args.column.to_lowercase();
    let mut found = Vec::new();
    for table in tables.iter().filter(is_wanted) {
        let doc = &table.doc;
        for column in doc.columns.iter().filter(|column| column.name.to_lowercase() == wanted) {
            let key = doc.foreign_keys.iter().find(|key| key.columns.contains(&column.name));
            let inferred = doc.inferred_joins.iter().find(|join| join.columns.contains(&column.name));
            let role = if doc.primary_key.contains(&column.name) { "primary key" } else { "" };
            let refers = key.map(|key| &key.referenced_table).or(inferred.map(|join| &join.referenced_table));
            found.push((table, column, role, refers));
        }
    }
    if found.is_empty() {
        let names: Vec<&str> =
            tables.iter().flat_map(|it| &it.doc.columns).map(|column| column.name.as_str()).collect();
        let fix = did_you_mean(&args.column, names).unwrap_or_default();
        return CommandOutput::refused(Error::new(
            Code::UnknownTable,
            format!("no table has a column '{}'", args.column),
            fix,
        ));
    }
    let json: Vec<Value> = found
        .iter()
        .map(|(table, column, role, refers)| {
            json!({
                "database": table.database, "domain": table.domain, "table": table.doc.fully_qualified_name,
                "column": column.name, "type": column.data_type, "description": column.description,
                "primary_key": !role.is_empty(), "refers_to": refers, "sensitive": column.sensitive,
            })
        })
        .collect();
    let rows_of: Vec<Vec<String>> = found
        .iter()
        .map(|(table, column, _, _)| {
            vec![
                format!("{}.{}", table.database, table.doc.fully_qualified_name),
                column.data_type.clone(),
                column.description.clone(),
            ]
        })
        .collect();
    CommandOutput::new(json!({"column": args.column, "usage": json}), rows::table(&rows_of))
}

/// The one table that a name means.
fn one<'t>(tables: &'t [DocumentedTable], name: &str) -> Result<&'t DocumentedTable, Error> {
    let mut docs: BTreeMap<String, Vec<TableDoc>> = BTreeMap::new();
    for table in tables {
        docs.entry(table.database.clone()).or_default().push(table.doc.clone());
    }
    let found: Vec<(String, String)> = named(&docs, name)
        .into_iter()
        .map(|(database, doc)| (database.to_owned(), doc.fully_qualified_name.clone()))
        .collect();
    match found.as_slice() {
        [(database, full)] => {
            let table = tables.iter().find(|it| it.database == *database && it.doc.fully_qualified_name == *full);
            table.ok_or_else(|| Error::new(Code::UnknownTable, format!("no table is named '{name}'"), ""))
        }
        [] => {
            let bare = |it: &'t DocumentedTable| {
                let full = it.doc.fully_qualified_name.as_str();
                full.split_once('.').map_or(full, |(_, table)| table)
            };
            let fix = did_you_mean(name, tables.iter().map(bare)).unwrap_or_default();
            Err(Error::new(Code::UnknownTable, format!("no table is named '{name}'"), fix))
        }
        several => {
            let names: Vec<String> = several.iter().map(|(database, full)| format!("{database}.{full}")).collect();
            let message = format!("'{name}' means {} tables: {}", several.len(), names.join(", "));
            Err(Error::new(Code::UnknownTable, message, "name the database and the schema, too"))
        }
    }
}
