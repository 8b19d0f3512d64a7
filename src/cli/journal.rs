//! `refdesk journal`: what agents were sent and read, and what was picked and written. Prints stored lines for
//! programs, a table on a terminal, or how often hints were followed.

use std::collections::BTreeSet;
use std::io;

use jiff::{Timestamp, Zoned};
use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{JournalArgs, OutputFormat};
use super::{since, table};
use refdesk_desk::Desk;
use refdesk_desk::engine::{sentence, separate_reason};
use refdesk_desk::session::{Count, Line, advice};
use refdesk_text::escape::{self, one_line};
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

fn not_a_time(text: &str, now: &Zoned) -> CommandOutput {
    match since::positive(text, now) {
        Some(duration) => {
            let message = format!("--since: '{text}' is negative, but a duration counts back from now anyway");
            CommandOutput::usage(message, format!("write --since {duration}"))
        }
        None => CommandOutput::usage(format!("--since: '{text}' is not a time"), since::EXAMPLES),
    }
}

/// Prints the requested lines, or only those of `session` if it is given.
pub fn run(desk: &Desk, args: &JournalArgs, session: Option<&str>, format: OutputFormat) -> CommandOutput {
    let now = since::now();
    let since = match args.since.as_deref().map(|text| since::parse(text, &now).ok_or(text)).transpose() {
        Ok(since) => since,
        Err(text) => return not_a_time(text, &now),
    };
    let stored = session.map(refdesk_files::name::safe);
    let is_wanted = |line: &Line| {
        let is_recent = |since| line.time.parse::<Timestamp>().is_ok_and(|time| time >= since);
        since.is_none_or(is_recent) && stored.as_ref().is_none_or(|stored| *stored == line.session)
    };
    let done = if args.precision {
        precision(desk, is_wanted)
    } else {
        let is_filtered = since.is_some() || session.is_some();
        lines(desk, is_wanted, is_filtered, (format == OutputFormat::Text).then_some(&now))
    };
    match done {
        Ok((mut answer, damaged)) => {
            if let Some(unknown) = session.and_then(|session| unknown_session(desk, session)) {
                answer.notes.clear();
                answer.diagnostics.push(unknown);
            }
            if damaged > 0 {
                let lines = counted(damaged, "line");
                let are = if damaged == 1 { "is" } else { "are" };
                let message = format!("{lines} of the journal {are} damaged or incomplete, and left out");
                let file = desk.workspace_context().display(&desk.journal_file());
                answer.diagnostics.push(Diagnostic::warning(Code::DamagedJournal, message).in_file(file));
            }
            answer
        }
        Err(error) => unreadable(&error),
    }
}

/// A warning if no line is of this session, because its name may be misspelled.
fn unknown_session(desk: &Desk, session: &str) -> Option<Diagnostic> {
    let mut known = BTreeSet::new();
    let insert = |line: Line| {
        known.insert(line.session);
    };
    desk.each_line(insert).ok()?;
    if known.is_empty() || known.contains(&refdesk_files::name::safe(session)) {
        return None;
    }
    let message = format!("the journal has no line of a session '{session}'");
    let all = || "`refdesk journal` prints the lines of all sessions".to_owned();
    let fix = did_you_mean(session, known.iter().map(String::as_str)).unwrap_or_else(all);
    Some(Diagnostic::warning(Code::UnknownValue, message).fix(fix))
}

pub fn unreadable(error: &io::Error) -> CommandOutput {
    let hint = if error.kind() == io::ErrorKind::PermissionDenied { advice(error) } else { "" };
    CommandOutput::refused(Error::new(Code::UnreadableJournal, format!("the journal cannot be read: {error}"), hint))
}

/// The lines as a table if `table` gives the current time, otherwise as stored.
fn lines(
    desk: &Desk,
    is_wanted: impl Fn(&Line) -> bool,
    is_filtered: bool,
    table: Option<&Zoned>,
) -> io::Result<(CommandOutput, usize)> {
    let mut text = Vec::new();
    let mut cells = Vec::new();
    let damaged = desk.each_line(|line| match table {
        _ if !is_wanted(&line) => {}
        Some(now) => cells.push(row(&line, now)),
        None => {
            // Cannot fail: the line was parsed from JSON.
            let line = serde_json::to_string(&line).unwrap_or_default();
            text.extend(escape::json(&line).as_bytes());
            text.push(b'\n');
        }
    })?;
    let mut notes = Vec::new();
    if table.is_some() {
        if cells.is_empty() {
            notes.push(match is_filtered {
                true => "no line of the journal matches; `refdesk journal` prints all of them".to_owned(),
                false => "the journal is empty; `refdesk connect` sets up agents, whose work appears here".to_owned(),
            });
        }
        text = table::table(&cells, &[5]).into_bytes();
    }
    Ok((CommandOutput { text, notes, lines: true, ..CommandOutput::new(Value::Null, "") }, damaged))
}

fn row(line: &Line, now: &Zoned) -> Vec<String> {
    let receipt = &line.receipt;
    let time = since::shown(&line.time, now, true);
    let tokens = if receipt.tokens > 0 { format!("~{} tokens", grouped(receipt.tokens)) } else { String::new() };
    let followed = receipt.follows.iter().map(|(id, block)| {
        let block =
            if block.word().starts_with('e') { format!("an {}", block.word()) } else { format!("a {}", block.word()) };
        if receipt.about.len() == 1 { format!(", following {block}") } else { format!("; @{id} following {block}") }
    });
    let reason = separate_reason(receipt).map(|reason| format!(" ({reason})"));
    let text = std::iter::once(sentence(receipt)).chain(followed).chain(reason).collect();
    vec![line.n.to_string(), time, line.session.clone(), line.who.clone(), tokens, text]
}

/// How often hints were followed, by tag and by source.
fn precision(desk: &Desk, is_wanted: impl Fn(&Line) -> bool) -> io::Result<(CommandOutput, usize)> {
    let (tally, damaged) = desk.tally(is_wanted)?;
    let (tags, hinted, expanded) = (tally.tags(), tally.hinted(), tally.expanded());
    let counted = |name: &str, counts: &[(String, Count)]| -> Vec<Value> {
        let count = |(what, count): &(String, Count)| json!({name: what, "offered": count.offered, "followed": count.followed, "share": count.share()});
        counts.iter().map(count).collect()
    };
    let json = json!({
        "hints": {"tags": counted("tag", &tags), "sources": counted("id", &hinted)},
        "expansions": {"sources": counted("id", &expanded)},
        "damaged": damaged,
    });
    let mut text = String::new();
    for (title, counts) in [("Hints by tag", tags), ("Hints by source", hinted), ("Expansions by source", expanded)] {
        if counts.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let head = [title, "given", "followed", "share"].map(str::to_owned).to_vec();
        let row = |(what, count): &(String, Count)| {
            let share = format!("{:.0}%", 100.0 * count.share());
            vec![one_line(what).into_owned(), count.offered.to_string(), count.followed.to_string(), share]
        };
        let counts: Vec<Vec<String>> = std::iter::once(head).chain(counts.iter().map(row)).collect();
        text.push_str(&table::table(&counts, &[]));
    }
    if text.is_empty() {
        text.push_str("no hints and no expansions\n");
    }
    Ok((CommandOutput::new(json, text), damaged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_people_has_what_and_why() {
        let now: Zoned = "2026-11-22T12:00:00+02:00[+02:00]".parse().unwrap();
        for (rest, expected) in [
            (
                json!({"what": "enriched", "kind": "prompt", "bytes": 132, "tokens": 33, "why": [
                    {"block": "hint", "about": "web", "level": "full", "bytes": 34, "why": [
                        {"by": "tag", "tag": "web", "line": 1, "column": 5}, {"by": "tag", "tag": "net", "line": 2, "column": 1}]},
                    {"block": "notice", "about": "b", "level": "count", "bytes": 0, "why": [{"by": "parents", "chain": ["a"]}]},
                ]}),
                "~33 tokens | To a prompt: hinted at @web (web, net); 1 left out",
            ),
            (
                json!({"what": "read", "about": ["b"], "path": "docs/b.md", "follows": {"b": "expansion"}}),
                " | Read @b, following an expansion",
            ),
            (
                json!({"what": "selected", "about": ["a", "b"], "follows": {"b": "hint"}}),
                " | Picked @a, @b; @b following a hint",
            ),
            (json!({"what": "written", "about": ["out.txt"], "bytes": 1}), " | Wrote out.txt"),
            (json!({"what": "removed", "about": ["old.tmpl"], "reason": "old"}), " | Removed old.tmpl (old)"),
            (json!({"what": "forgot", "reason": "compact"}), " | Forgot what it was given (compact)"),
        ] {
            let mut line = json!({"n": 7, "time": "2026-11-22T10:03:04.567Z", "desk": "d", "session": "s", "who": "w"});
            line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            let cells = row(&serde_json::from_value(line).unwrap(), &now);
            assert_eq!(cells.join(" | "), format!("7 | 12:03:04 | s | w | {expected}"));
        }
    }
}
