//! `refdesk index`: builds the search index, or brings it up to date.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::answer::CommandOutput;
use super::args::{IndexArgs, OutputFormat};
use super::signals::Signals;
use super::{fix, output};
use crate::runtime::runtime;
use refdesk_desk::engine;
use refdesk_desk::{Desk, IndexProgress, IndexReport, Indexing, Options, Session, first_sections_only};
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::{Code, Error};

/// Updates the index, with a progress line on a terminal.
pub fn run(desk: &mut Desk, args: &IndexArgs) -> CommandOutput {
    match update(desk, args) {
        Err(error) => unmet(desk, error),
        // Another process is updating the index, which is enough.
        Ok(None) if args.background => CommandOutput::new(Value::Null, String::new()),
        Ok(None) => {
            let message = "another refdesk is building the search index";
            unmet(desk, Error::new(Code::IndexBusy, message, "wait for it to end"))
        }
        Ok(Some(report)) => {
            let mut text = summary(desk, &report);
            // If the index cannot be read again, the build has still succeeded.
            let cut = desk.cut_files(|_| true).unwrap_or_default();
            let waits = [waiting(desk.untrusted_source_count()), desk.index_waits_for_trust().map(str::to_owned)];
            first_sections_only(&cut)
                .into_iter()
                .chain(waits.into_iter().flatten())
                .for_each(|sentence| text.push_str(&format!("{sentence}\n")));
            let json = to_json(desk, &report, &cut);
            let whole = desk.check_whole("the index keeps its texts of sources that may be missing");
            // Without the manifest, tables of databases are indexed as plain texts.
            let diagnostics = desk.manifest_problem().into_iter().collect();
            let output = CommandOutput { diagnostics, ..CommandOutput::new(json, text) };
            output.with_failures(whole.err().into_iter().collect())
        }
    }
}

fn update(desk: &mut Desk, args: &IndexArgs) -> Result<Option<IndexReport>, Error> {
    let has_ended = desk.stop_flag();
    if args.background {
        lower_priority();
    }
    if args.until_eof {
        let end = has_ended.clone();
        // Blocks until standard input ends, or until this process does.
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            end.store(true, Ordering::Relaxed);
        });
    }
    let mut shown = ProgressLine::new();
    let how = Indexing { fresh: args.fresh, words_only: args.words_only, background: args.background };
    let done = desk.update_index(how, &mut |progress| {
        shown.show(progress);
        !has_ended.load(Ordering::Relaxed)
    });
    shown.clear();
    done
}

/// What the index has now, and what it lacks.
fn summary(desk: &Desk, report: &IndexReport) -> String {
    let mut text = format!("The index has {}", counted(report.documents, "section"));
    if report.added > 0 || report.removed > 0 {
        text.push_str(&format!(": {} added, {} removed", grouped(report.added), grouped(report.removed)));
    }
    text.push_str(".\n");
    if desk.catalog().is_empty() {
        text.push_str(&fix::empty_catalog(desk));
    }
    if report.is_set_aside {
        text.push_str(
            "The old index was damaged or not made here, as after moving or copying the workspace, and was kept as \
             .jaato/refdesk/index.db.aside, or with a number if that name was taken.\n",
        );
    } else if report.is_replaced {
        text.push_str("The old index was from another version, and was removed.\n");
    }
    // Columns and joins of databases are always found by words.
    if report.missing > 0 {
        let (can, its) = if report.missing == 1 {
            ("section can be found only by its words", "its vector")
        } else {
            ("sections can be found only by their words", "their vectors")
        };
        text.push_str(&format!("{} {can}: `refdesk index` adds {its}.\n", grouped(report.missing)));
    }
    if report.shared > 0 {
        text.push_str(&format!(
            "{} left out: if more than 32 sources contain a file, only the 32 innermost have its text.\n",
            counted(report.shared, "text"),
        ));
    }
    if report.unreadable > 0 {
        text.push_str(&format!(
            "{} could not be read, or {} not UTF-8 text; `refdesk check` names {}.\n",
            counted(report.unreadable, "file"),
            if report.unreadable == 1 { "is" } else { "are" },
            if report.unreadable == 1 { "it" } else { "them" },
        ));
    }
    text
}

/// A line about the sources that are not indexed until they are trusted.
fn waiting(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 source waits for trust and is not in the index: `refdesk trust` shows what to trust.".to_owned()),
        _ => {
            let count = grouped(count);
            Some(format!(
                "{count} sources wait for trust and are not in the index: `refdesk trust` shows what to trust."
            ))
        }
    }
}

/// The answer of a run that did nothing, with the current state of the index.
fn unmet(desk: &Desk, error: Error) -> CommandOutput {
    let status = desk.index_status().ok().flatten();
    let known = status.map(|status| IndexReport {
        documents: status.documents,
        missing: status.without_vector,
        ..IndexReport::default()
    });
    let json = to_json(desk, &known.unwrap_or_default(), &desk.cut_files(|_| true).unwrap_or_default());
    CommandOutput { json, ..CommandOutput::refused(error) }
}

fn to_json(desk: &Desk, report: &IndexReport, cut: &[String]) -> Value {
    document(report, cut, desk.untrusted_source_count(), desk.index_waits_for_trust().is_some())
}

/// The answer if nothing was read.
pub fn nothing() -> Value {
    document(&IndexReport::default(), &[], 0, false)
}

fn document(report: &IndexReport, cut: &[String], waiting: usize, does_database_wait: bool) -> Value {
    let mut json = json!(report);
    if let Value::Object(members) = &mut json {
        members.insert("cut_files".to_owned(), json!(cut));
        members.insert("waits_for_trust".to_owned(), json!(waiting));
        members.insert("database_waits_for_trust".to_owned(), json!(does_database_wait));
    }
    json
}

/// Updates the index now and whenever the workspace changes, until a signal arrives.
pub fn watch(mut options: Options, session: Session, args: &IndexArgs, format: OutputFormat) -> ExitCode {
    let mut desk = Desk::open(options.clone());
    let _lock = match desk.lock_index_watch() {
        Ok(lock) => lock,
        Err(error) => return output::print(unmet(&desk, error), format),
    };
    let mut first = run(&mut desk, args);
    first.add_opening_diagnostics(&desk);
    drop(desk);
    if let Some(process) = &mut options.index_process {
        (process.is_explicit, process.words_only) = (true, args.words_only);
    }
    let code = output::print(first, format);
    if code != ExitCode::SUCCESS {
        return code;
    }
    let runtime = runtime();
    let watched = runtime.and_then(|runtime| {
        runtime.block_on(async {
            let mut signals = Signals::new()?;
            // The engine runs the updates.
            let _engine = engine::start(options, session)?;
            signals.any().await;
            Ok(())
        })
    });
    match watched {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::print(CommandOutput::refused(Error::new(Code::Watch, error.to_string(), "")), format),
    }
}

/// Lowers the priority of this process as far as possible.
fn lower_priority() {
    if let Err(error) = rustix::process::nice(19) {
        tracing::debug!("the priority cannot be lowered: {error}");
    }
}

/// A line of progress on standard error, if that is a terminal.
struct ProgressLine {
    is_terminal: bool,
    /// When the first vector was started.
    began: Option<Instant>,
}

impl ProgressLine {
    fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), began: None }
    }

    fn show(&mut self, progress: IndexProgress) {
        if !self.is_terminal {
            return;
        }
        let line = match progress {
            IndexProgress::Words { done, of } => format!("reading source {} of {of}", done.min(of)),
            IndexProgress::Vectors { done, of } => {
                let passed = self.began.get_or_insert_with(Instant::now).elapsed();
                format!("computing vector {done} of {of}{}", left(passed, done, of))
            }
        };
        // Ignore a closed terminal: the index does not depend on it.
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
    }

    fn clear(&self) {
        if self.is_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// The time left at the speed so far, once there is enough to estimate it.
fn left(passed: Duration, done: usize, of: usize) -> String {
    if passed < Duration::from_secs(2) || done == 0 {
        return String::new();
    }
    let seconds = (passed.as_secs_f64() / done as f64 * of.saturating_sub(done) as f64).round();
    if seconds < 90.0 {
        format!(", {seconds:.0} s left")
    } else {
        format!(", {:.0} min left", (seconds / 60.0).round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_time_is_shown_once_it_is_known() {
        assert_eq!(left(Duration::from_secs(1), 10, 100), "");
        assert_eq!(left(Duration::from_secs(10), 100, 300), ", 20 s left");
        assert_eq!(left(Duration::from_secs(10), 100, 10_000), ", 17 min left");
    }
}
