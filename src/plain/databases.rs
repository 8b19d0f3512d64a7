//! The documented databases: their tables, a page with what it discloses of each column's values, and documentation
//! runs, which print what they would write first.

use refdesk_desk::engine::{PreparedRun, Request};
use refdesk_desk::{DatabaseOverview, DatabasePage, DatabaseState, DatabaseSummary, DocumentReport, TableSummary};
use refdesk_text::Error;

use super::lists::{NumberedRow, Pages, Target, list, read};
use super::state::{InputOutcome, Pending, PlainState, Question};
use super::words::{counted, sentence, stopped};
use crate::common::databases::{column_notes, domain, headline, keeps, marks, outcome, without_front_matter, words_of};

/// The maximum number of diff lines and of paths of new pages printed before the question.
const LINES: usize = 200;
const PATHS: usize = 20;

pub fn ask(state: &mut PlainState, words: &str, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Databases(words.to_owned()));
    turn.ask(Request::Databases);
}

/// Lists databases and tables, or the tables that match these words.
pub fn listed(state: &mut PlainState, overview: &DatabaseOverview, filter: &str, turn: &mut InputOutcome) {
    overview.problems.iter().for_each(|problem| turn.print(sentence(&problem.message)));
    if overview.databases.is_empty() {
        return turn.print("No database is configured. Name one in .jaato/databases.yaml, and type describe.");
    }
    let words = words_of(filter);
    let mut rows = Vec::new();
    let mut tables = 0;
    for database in &overview.databases {
        if words.is_empty() {
            rows.push(NumberedRow::new(page(database, database.page.as_ref()), database_words(database)));
        }
        for domain in &database.domains {
            let kept: Vec<_> = domain.tables.iter().filter(|table| keeps(&words, database, domain, table)).collect();
            tables += kept.len();
            rows.extend(kept.into_iter().map(|table| {
                let words = format!("{}, domain {}, {}", table.name.full(), domain.name, table_words(table));
                NumberedRow::new(page(database, table.page.as_ref()), words)
            }));
        }
    }
    if rows.is_empty() && !words.is_empty() {
        turn.print(format!("No table matches {filter}."));
        return list(state, rows, turn);
    }
    turn.print(format!(
        "{} in {}.{}",
        counted(tables, "table"),
        counted(overview.databases.len(), "database"),
        if rows.is_empty() { "" } else { " Type a number to read its page." }
    ));
    if overview.is_unfinished {
        turn.print("The last run was not finished. Type describe to go on.");
    }
    list(state, rows, turn);
}

fn page(database: &DatabaseSummary, path: Option<&String>) -> Target {
    path.map_or(Target::Sentence, |path| Target::DatabasePage(database.name.clone(), path.clone()))
}

fn database_words(database: &DatabaseSummary) -> String {
    let kind = if database.kind.is_empty() { String::new() } else { format!(", {}", database.kind) };
    let state_words = match &database.state {
        DatabaseState::Ready => String::new(),
        DatabaseState::Off => ", switched off".to_owned(),
        DatabaseState::Untrusted => ", waits for your trust".to_owned(),
        DatabaseState::Wrong => ", its entry has errors".to_owned(),
        DatabaseState::Unreadable(why) => format!(", could not be read: {why}"),
    };
    format!("Database {}{kind}{state_words}.", database.name)
}

fn table_words(table: &TableSummary) -> String {
    let mut words = vec![if table.page.is_some() { "documented" } else { "not documented" }.to_owned()];
    words.extend(marks(table.marks));
    format!("{}.", words.join(", "))
}

pub fn ask_for_page(state: &mut PlainState, database: String, path: String, turn: &mut InputOutcome) {
    state.pending = Some(Pending::DatabasePage);
    turn.ask(Request::DatabasePage { database, path });
}

/// Prints a page, and what it discloses of each column's values.
pub fn read_page(state: &mut PlainState, page: &DatabasePage, turn: &mut InputOutcome) {
    let Some(text) = &page.text else { return turn.print(format!("{} cannot be read.", page.path)) };
    let mut lines: Vec<String> = without_front_matter(text).lines().map(str::to_owned).collect();
    if let Some(doc) = &page.doc {
        lines.push("What this page says about values:".to_owned());
        lines.extend(doc.columns.iter().map(|column| format!("{}: {}.", column.name, column_notes(column))));
    }
    turn.print(format!("{}, {}.", page.path, counted(lines.len(), "line")));
    let end = vec!["This is the end.".to_owned()];
    read(state, Pages { title: page.path.clone(), lines, end, ..Pages::default() }, turn);
}

/// Starts reading the named database, or all.
pub fn describe(state: &mut PlainState, name: &str, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Documentation);
    turn.print("Reading the schema and the existing pages.");
    turn.ask(Request::PrepareDatabases(name.split_whitespace().map(str::to_owned).collect()));
}

/// Prints what would be written, and asks.
pub fn prepared(state: &mut PlainState, prepared: Result<Box<PreparedRun>, Error>, turn: &mut InputOutcome) {
    let PreparedRun { number: run, preview } = match prepared {
        Ok(prepared) => *prepared,
        Err(error) => return turn.print_error(&error),
    };
    turn.print(headline(&preview));
    preview.failed.iter().for_each(|error| turn.print_error(error));
    preview
        .plan_changes
        .iter()
        .chain(preview.problems.iter().map(|it| &it.message))
        .for_each(|it| turn.print(sentence(it)));
    preview.domains.iter().for_each(|it| turn.print(stopped(&domain(it))));
    preview.removed.iter().for_each(|path| turn.print(format!("Removes {path}.")));
    for path in &preview.left_over {
        turn.print(format!("Obsolete, but edited by hand; stays until you remove it: {path}."));
    }
    for (what, pages) in [("Edited by hand, stays", &preview.edited), ("Changes", &preview.changed)] {
        for page in pages {
            turn.print(format!("{what}: {}.", page.path));
            let lines = page.diff.iter().flat_map(|diff| &diff.lines);
            lines.take(LINES).for_each(|line| turn.print(format!("{}{}", line.mark.sign(), line.shown())));
        }
    }
    preview.new.iter().take(PATHS).for_each(|path| turn.print(format!("New: {path}.")));
    if preview.new.len() > PATHS {
        turn.print(format!("And {}.", counted(preview.new.len() - PATHS, "more new page")));
    }
    if preview.is_up_to_date {
        state.pending = Some(Pending::Simple("There is nothing to write."));
        return turn.ask(Request::PauseDatabases);
    }
    turn.print("Type yes to write this, or no to leave everything as it is.");
    state.question = Some(Question::Documentation { run, pages: preview.new.len() + preview.changed_count });
}

pub fn write(state: &mut PlainState, run: u64, pages: usize, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Documented(pages));
    turn.print("Writing. Ctrl-C stops after the current table; describe continues from there.");
    turn.ask(Request::WriteDatabases(run));
}

pub fn forget(state: &mut PlainState, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Simple("Nothing was written."));
    turn.ask(Request::PauseDatabases);
}

pub fn written(written: Result<Box<DocumentReport>, Error>, of: usize, turn: &mut InputOutcome) {
    let report = match written {
        Ok(report) => report,
        Err(error) => return turn.print_error(&error),
    };
    report.failed.iter().for_each(|error| turn.print_error(error));
    turn.print(sentence(&outcome(&report, Some(of))));
}
