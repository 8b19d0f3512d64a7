//! The databases that are references, judged by their files without connecting to any of them.

use super::report::{CheckLevel, CheckLine};
use refdesk_desk::{DatabaseOverview, DatabaseState, Desk, TableSummary};
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::counted;

const NAME: &str = "databases";

/// Reports what is wrong with the databases, or what to do next; `None` without databases.
pub fn databases(desk: &Desk) -> Option<CheckLine> {
    desk.databases_file()?;
    Some(line(&desk.overview_reader().read()))
}

fn line(overview: &DatabaseOverview) -> CheckLine {
    if let Some(problem) = overview.problems.iter().find(|problem| problem.is_error()) {
        return wrong(problem);
    }
    if let Some(problem) = overview.manifest_problem() {
        return CheckLine { level: CheckLevel::Note, ..wrong(problem) };
    }
    let count_of =
        |standing: fn(&DatabaseState) -> bool| overview.databases.iter().filter(|it| standing(&it.state)).count();
    let count = counted(overview.databases.len(), "database");
    if count_of(|it| *it == DatabaseState::Untrusted) > 0 {
        return CheckLine::note(NAME, format!("{count}, not all of them trusted"), "`refdesk trust` shows what waits");
    }
    if count_of(|it| matches!(it, DatabaseState::Unreadable(_))) > 0 {
        return CheckLine::note(NAME, format!("{count}, not all of them readable"), "`refdesk db status` says why");
    }
    let tables = |is_such: fn(&TableSummary) -> bool| {
        let all = overview.databases.iter().flat_map(|it| &it.domains).flat_map(|domain| &domain.tables);
        all.filter(|table| is_such(table)).count()
    };
    let documented = tables(|table| table.page.is_some());
    let states = [
        (tables(|table| table.page.is_none() && !table.marks.is_skipped), "not documented"),
        (tables(|table| table.marks.is_stale), "changed since"),
        (tables(|table| table.marks.is_failed), "failed"),
    ];
    let found = format!("{count}, {} documented", counted(documented, "table"));
    let not_done: Vec<String> =
        states.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}")).collect();
    let is_used = count_of(|it| *it == DatabaseState::Ready) > 0;
    if overview.is_unfinished {
        return CheckLine::note(
            NAME,
            format!("{found}; the last run did not finish"),
            "`refdesk db document` continues it",
        );
    }
    if !not_done.is_empty() || (documented == 0 && is_used) {
        return CheckLine::note(NAME, found + &not_done.concat(), "`refdesk db document` writes the pages");
    }
    match overview.problems.first() {
        Some(problem) => CheckLine { level: CheckLevel::Note, ..wrong(problem) },
        None => CheckLine::ok(NAME, found),
    }
}

fn wrong(problem: &Diagnostic) -> CheckLine {
    let problem = problem.clone().worded(&super::super::fix::words);
    let place = match (&problem.file, problem.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, _) => String::new(),
    };
    CheckLine::wrong(NAME, format!("{place}{}", problem.message), problem.fix.to_string())
}
