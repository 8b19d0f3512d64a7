//! `refdesk db`: databases as references. One file per subcommand.

mod ask;
mod check;
mod document;
mod pipeline;
mod plan;
mod status;

use refdesk_desk::{Desk, Session};
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};
use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{DbCommand, IndexArgs, OutputFormat};
use super::fix::worded;
use super::index;
use super::signals::{INTERRUPTED, Interrupt};

pub fn run(desk: &mut Desk, session: &Session, command: &DbCommand, format: OutputFormat) -> CommandOutput {
    let interrupt = Interrupt::listen(desk.stop_flag());
    let mut answer = match command {
        DbCommand::Plan(args) => {
            let next = " Review it, and write the pages with `refdesk db document`.";
            plan::run(desk, session, args, format, next).unwrap_or_else(|refusal| refusal)
        }
        DbCommand::Document(args) => unindexed(document::run(desk, session, args, &interrupt)),
        DbCommand::Index { fresh } => {
            let answer = index::run(desk, &IndexArgs { fresh: *fresh, ..IndexArgs::default() });
            unless_interrupted(answer, &interrupt)
        }
        DbCommand::Pipeline(args) => pipeline::run(desk, session, args, format, &interrupt),
        DbCommand::Status(args) => status::status(desk, args).unwrap_or_else(refused),
        DbCommand::Diff(args) => status::diff(desk, args).unwrap_or_else(refused),
        DbCommand::Check(args) => check::run(desk, args).unwrap_or_else(refused),
        DbCommand::Show { table } => ask::show(desk, table).unwrap_or_else(refused),
        DbCommand::Path(args) => ask::path(desk, args).unwrap_or_else(refused),
        DbCommand::Domains { database } => ask::domains(desk, database.as_deref()).unwrap_or_else(refused),
        DbCommand::Domain(args) => ask::domain(desk, args).unwrap_or_else(refused),
        DbCommand::Joins(args) => ask::joins(desk, args).unwrap_or_else(refused),
        DbCommand::Usage(args) => ask::usage(desk, args).unwrap_or_else(refused),
    };
    let (_, problems) = desk.databases();
    let known = std::mem::take(&mut answer.diagnostics);
    answer.diagnostics = problems.iter().cloned().chain(known).collect();
    answer.shows_warnings = true;
    if answer.exit == 0 && answer.diagnostics.iter().any(Diagnostic::is_error) {
        answer.exit = 1;
    }
    answer
}

/// The answer of a subcommand that found or changed nothing.
pub fn nothing(command: &DbCommand) -> Value {
    match command {
        DbCommand::Plan(_) => plan::nothing(),
        DbCommand::Document(_) => document::nothing(),
        DbCommand::Index { .. } => index::nothing(),
        DbCommand::Pipeline(_) => pipeline::nothing(),
        DbCommand::Status(_) => json!({"databases": [], "manifest_missing": false, "failed": []}),
        DbCommand::Check(_) => json!({"databases": [], "failed": []}),
        DbCommand::Diff(_) => json!({
            "databases": [], "manifest_missing": false, "edited": [], "without_table": [], "left_over": [], "missing": [], "to_update": [],
            "sources_missing": [], "sources_outdated": [], "failed": [],
        }),
        DbCommand::Show { table } => json!({"table": table, "columns": [], "tokens_used": 0}),
        DbCommand::Path(args) => {
            json!({"source_table": args.from, "target_table": args.to, "database": null, "paths": [], "tokens_used": 0})
        }
        DbCommand::Usage(args) => json!({"column": args.column, "usage": [], "tokens_used": 0}),
        DbCommand::Domains { .. } => json!({"domains": [], "tokens_used": 0}),
        DbCommand::Domain(args) => json!({"domain": args.domain, "tables": [], "relationships": [], "tokens_used": 0}),
        DbCommand::Joins(_) => json!({"relationships": [], "total": 0, "tokens_used": 0}),
    }
}

/// The answer if the configuration or the arguments prevented the start.
fn refused(error: Error) -> CommandOutput {
    let exit = match error.code {
        Code::NoDatabases | Code::UnknownDatabase | Code::DatabaseMisconfigured | Code::BadGlob => 2,
        Code::Stopped => INTERRUPTED,
        _ => 1,
    };
    CommandOutput { exit, ..CommandOutput::refused(error) }
}

/// Adds a note on how to make the pages searchable, if any were written or removed.
fn unindexed(mut answer: CommandOutput) -> CommandOutput {
    let has = |what: &str| answer.json.get(what).and_then(Value::as_array).is_some_and(|paths| !paths.is_empty());
    if has("written") || has("removed") {
        answer.notes.push("`refdesk db index` brings the search index up to date with these pages".to_owned());
    }
    answer
}

/// The answer, or an error if Ctrl-C ended the command before the index was complete.
fn unless_interrupted(answer: CommandOutput, interrupt: &Interrupt) -> CommandOutput {
    if !interrupt.is_raised() {
        return answer;
    }
    let stopped =
        Error::new(Code::Stopped, "stopped before the index was complete", "`refdesk index` continues from there");
    CommandOutput { exit: INTERRUPTED, ..answer.with_failures(vec![stopped]) }
}

/// `; 2 databases could not be compared`, or nothing.
fn not_done(failed: usize, done: &str) -> String {
    if failed > 0 { format!("; {} could not be {done}", counted(failed, "database")) } else { String::new() }
}

/// The databases that could not be read, for programs: each with its name.
fn failed_json(failed: &[(String, Error)]) -> Vec<Value> {
    failed.iter().map(|(name, error)| json!({"name": name, "error": worded(error.clone())})).collect()
}
