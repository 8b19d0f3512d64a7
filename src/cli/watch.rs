//! `refdesk watch`: the feed of the full screen as lines, each printed as it happens. It runs the same engine. A
//! separate thread writes the lines, so that a slow reader delays neither the desk nor a signal.

use std::io::{self, Write, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::OutputFormat;
use super::answer::{CommandOutput, object};
use super::output::{self, ignore_closed_reader};
use super::signals::Signals;
use crate::runtime::runtime;
use refdesk_desk::engine::{self, Age, Event, Notice, Receipts};
use refdesk_desk::session::Line;
use refdesk_desk::{Options, Session};
use refdesk_files::name::safe;
use refdesk_files::path::display;
use refdesk_text::escape::{self, one_line, visible};
use refdesk_text::{Code, Error};

/// The most lines that wait for the reader; beyond that, the engine waits and counts what it drops.
const WAITING: usize = 256;

/// How long writing the last lines may take after a signal.
const LAST: Duration = Duration::from_secs(1);

struct EventPrinter<'a> {
    workspace: &'a Path,
    /// Only rows of this session.
    session: Option<String>,
    format: OutputFormat,
}

/// Prints events until a signal arrives or the reader closes its end; both are normal exits.
pub fn run(options: Options, session: Session, only: Option<&str>, format: OutputFormat) -> ExitCode {
    let workspace = options.context.workspace.clone();
    let printer = EventPrinter { workspace: &workspace, session: only.map(safe), format };
    match watch(options, session, &printer) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let refusal = Error::new(Code::Watch, error.to_string(), "");
            output::print(CommandOutput::refused(refusal), OutputFormat::Text)
        }
    }
}

fn watch(options: Options, session: Session, printer: &EventPrinter<'_>) -> io::Result<()> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        let (_engine, events) = engine::start(options, session)?;
        let (lines, waiting) = channel(WAITING);
        let (end, mut written) = oneshot::channel();
        thread::Builder::new().name("lines".to_owned()).spawn(move || {
            let _ = end.send(write(waiting));
        })?;
        let gone = reader_gone()?;
        tokio::select! {
            biased;
            _ = signals.any() => {}
            ended = &mut written => return ignore_closed_reader(ended.unwrap_or(Ok(()))),
            () = gone => {}
            printed = print_events(events, printer, &lines) => printed?,
        }
        drop(lines);
        match timeout(LAST, written).await {
            Ok(Ok(ended)) => ignore_closed_reader(ended),
            // The reader is gone.
            _ => Ok(()),
        }
    })
}

/// Takes every event of the engine.
async fn print_events(
    mut events: Receiver<Event>,
    printer: &EventPrinter<'_>,
    lines: &Sender<String>,
) -> io::Result<()> {
    while let Some(event) = events.recv().await {
        for line in printer.lines(event) {
            if lines.send(line).await.is_err() {
                return Ok(());
            }
        }
    }
    Err(io::Error::other("the background task ended; its error is above or in the log"))
}

/// Writes each line immediately, until the channel closes.
fn write(mut lines: Receiver<String>) -> io::Result<()> {
    let mut out = stdout();
    while let Some(line) = lines.blocking_recv() {
        out.write_all(line.as_bytes()).and_then(|()| out.flush())?;
    }
    Ok(())
}

impl EventPrinter<'_> {
    /// The lines for an event, each with its line break.
    fn lines(&self, event: Event) -> Vec<String> {
        match event {
            Event::Notice(notice) => self.line(&notice, None).into_iter().collect(),
            Event::Receipts(Receipts { lines, age: Age::Now, gap }) => {
                let gap = gap.and_then(|gap| self.line(&gap, None));
                let receipts = lines.iter().filter_map(|(notice, line)| self.line(notice, Some(line)));
                gap.into_iter().chain(receipts).collect()
            }
            Event::Refused(refusal) => {
                // If standard error is closed, there is nowhere to report it.
                let _ = writeln!(stderr(), "{}", one_line(&refusal.to_string()));
                Vec::new()
            }
            Event::Receipts(_) | Event::Agents | Event::Closed(_) | Event::DatabaseRun(_) => Vec::new(),
        }
    }

    fn line(&self, notice: &Notice, receipt: Option<&Line>) -> Option<String> {
        let is_wanted = self.session.as_deref().is_none_or(|session| notice.session.as_deref() == Some(session));
        is_wanted.then(|| match self.format {
            OutputFormat::Json => format!("{}\n", escape::json(&self.object(notice, receipt).to_string())),
            OutputFormat::Text => to_text(notice),
        })
    }

    /// Unknown fields are left out.
    fn object(&self, notice: &Notice, receipt: Option<&Line>) -> Value {
        let place = notice.place.as_ref().map(|spot| format!("{}:{}", display(self.workspace, &spot.path), spot.line));
        let some = |text: &str| (!text.is_empty()).then(|| json!(text));
        let members = [
            ("time", Some(json!(notice.at))),
            ("session", notice.session.as_deref().map(|session| json!(session))),
            ("who", Some(json!(notice.who.word()))),
            ("topic", Some(json!(notice.topic.word()))),
            ("text", Some(json!(notice.text))),
            ("reason", some(&notice.reason)),
            ("source", notice.subject.as_ref().map(|id| json!(id.as_str()))),
            ("place", place.map(Value::from)),
            ("receipt", receipt.map(|line| json!(line))),
        ];
        object(members.into_iter().filter_map(|(name, value)| Some((name, value?))))
    }
}

/// `12:03:41 refdesk select, selection: Picked @a (session default)`
fn to_text(notice: &Notice) -> String {
    let reason = if notice.reason.is_empty() { String::new() } else { format!(" ({})", notice.reason) };
    let (who, topic) = (notice.who.word(), notice.topic.word());
    let line = format!("{} {who}, {topic}: {}{reason}", notice.time, notice.text);
    format!("{}\n", visible(&one_line(&line)))
}

/// Returns when the reading end of standard output is closed, even if nothing is written.
fn reader_gone() -> io::Result<impl Future<Output = ()>> {
    let (sender, closed) = oneshot::channel::<()>();
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        use rustix::event::{PollFd, PollFlags, poll};
        let out = stdout();
        // Request no events: a closed or broken pipe is always reported.
        let mut asked = [PollFd::new(&out, PollFlags::empty())];
        while matches!(poll(&mut asked, None), Err(rustix::io::Errno::INTR)) {}
        drop(sender);
    })?;
    Ok(async {
        let _ = closed.await;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_desk::FileLine;
    use refdesk_desk::engine::{Actor, Topic};
    use refdesk_desk::session::{JournalEvent, Receipt};

    fn printer(session: Option<&str>, format: OutputFormat) -> EventPrinter<'static> {
        EventPrinter { workspace: Path::new("/w"), session: session.map(str::to_owned), format }
    }

    fn notice() -> Notice {
        let [time, at] = ["12:03:41", "2026-11-22T12:03:41.000Z"].map(str::to_owned);
        Notice { time, at, ..Notice::new(Actor::Other("refdesk select".into()), Topic::Selection, "Picked @a") }
    }

    fn receipt() -> (Notice, Line) {
        let owned = str::to_owned;
        let receipt = Receipt { about: vec![owned("a")], ..Receipt::new(JournalEvent::Read) };
        let (time, desk) = (owned("2026-11-22T12:03:41.000Z"), owned("default"));
        let line = Line { n: 3, time, desk, session: owned("s1"), who: owned("claude-code"), receipt, seal: None };
        (Notice { session: Some("s1".into()), reason: owned("session s1"), ..notice() }, line)
    }

    #[test]
    fn known_fields_are_printed() {
        let place = Some(FileLine { path: "/w/a.md".into(), line: 14 });
        let lines = printer(None, OutputFormat::Json).lines(Event::Notice(Notice {
            place,
            subject: Some("a".into()),
            reason: "a.md:14".to_owned(),
            ..notice()
        }));
        let expected = r#"{"time":"2026-11-22T12:03:41.000Z","who":"refdesk select","topic":"selection","text":"Picked @a","reason":"a.md:14","source":"a","place":"a.md:14"}"#;
        assert_eq!(lines, [format!("{expected}\n")]);
    }

    #[test]
    fn receipts_are_journal_lines_and_old_ones_are_not_printed() {
        let of = |age| Event::Receipts(Receipts { lines: vec![receipt()], age, gap: Some(notice()) });
        let printer = printer(None, OutputFormat::Json);
        assert!(printer.lines(of(Age::Past)).is_empty());
        let lines = printer.lines(of(Age::Now));
        assert_eq!(lines.len(), 2, "the gap comes first");
        let reported: Value = serde_json::from_str(&lines[1]).unwrap();
        assert_eq!((&reported["session"], &reported["receipt"]), (&json!("s1"), &json!(receipt().1)));
    }

    #[test]
    fn only_the_requested_session_is_printed() {
        for (session, reported) in [(None, 2), (Some("s1"), 1), (Some("other"), 0)] {
            let printer = printer(session, OutputFormat::Json);
            let of_notice = printer.lines(Event::Notice(notice())).len();
            let of_receipt =
                printer.lines(Event::Receipts(Receipts { lines: vec![receipt()], age: Age::Now, gap: None }));
            assert_eq!(of_notice + of_receipt.len(), reported, "{session:?}");
        }
    }

    #[test]
    fn json_has_no_hidden_characters_and_keeps_its_value() {
        let text = "a\u{9b}2J\u{202e}b\u{e0041}";
        let printer = printer(None, OutputFormat::Json);
        let line = printer.lines(Event::Notice(Notice { text: text.to_owned(), ..notice() })).concat();
        assert!(!line.chars().any(refdesk_text::escape::is_hidden), "{line:?}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["text"], text);
    }

    #[test]
    fn the_text_form_is_one_line_that_cannot_move_the_cursor() {
        let lines = printer(None, OutputFormat::Text)
            .lines(Event::Notice(Notice { text: "a\n\x1b[2J".to_owned(), ..notice() }));
        assert_eq!(lines, ["12:03:41 refdesk select, selection: a\\n\\x1b[2J\n"]);
    }
}
