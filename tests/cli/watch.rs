//! End-to-end tests of `refdesk watch`: it prints the actions of other processes as lines, in order and once, and ends
//! by a signal or with its reader.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::program::{LIMIT, kill};
use crate::support::workspace::{Workspace, inline};

/// A running `refdesk watch` with its output.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    /// Starts it, and makes changes until it prints one.
    fn start(world: &Workspace, words: &[&str]) -> Self {
        let (watch, _) = Self::begin(world, words);
        enrich(world, "begin", "about @callee");
        watch.until("the last before the test", |line| {
            line["text"].as_str().is_some_and(|text| text.contains("expanded @callee"))
        });
        watch
    }

    /// Starts it; also returns the first line that it prints.
    fn begin(world: &Workspace, words: &[&str]) -> (Self, String) {
        let mut command = world.bare(&[&["watch"], words].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        let watch = Self { child, lines };
        let began = Instant::now();
        loop {
            enrich(world, "begin", "about java");
            match watch.lines.try_recv() {
                Ok(line) => return (watch, line),
                Err(_) => assert!(began.elapsed() < LIMIT, "it prints nothing"),
            }
        }
    }

    /// The lines up to the first that matches.
    #[track_caller]
    fn until(&self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("never: {what}; but {seen:#?}"));
            let line: Value = serde_json::from_str(&line).unwrap();
            let is_it = is_wanted(&line);
            seen.push(line);
            if is_it {
                return seen;
            }
        }
    }

    fn end(mut self, signal: Signal) -> Option<i32> {
        let id = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
        self.exit()
    }

    fn exit(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            if began.elapsed() > LIMIT {
                kill(self.child.id());
                panic!("it does not end");
            }
            thread::yield_now();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It has already ended, unless the test failed.
        if let Ok(None) = self.child.try_wait() {
            kill(self.child.id());
            let _ = self.child.wait();
        }
    }
}

fn world() -> Workspace {
    let tagged = |id: &str| json!({"id": id, "name": id, "type": "inline", "content": "x", "tags": ["java"]});
    let caller = json!({"id": "caller", "name": "Caller", "type": "inline", "content": "See @callee."});
    Workspace::of(json!([tagged("first"), tagged("second"), caller, inline("callee", "")]), &[])
}

/// Enriches a prompt in this session with `--repeat`.
fn enrich(world: &Workspace, session: &str, prompt: &str) {
    let words = ["--session", session, "enrich", "--repeat"];
    crate::support::program::run(&mut world.bare(&words), Some(prompt.as_bytes())).exits(0);
}

#[test]
fn actions_of_others_arrive_once_and_in_order() {
    let world = world();
    enrich(&world, "old", "about java");
    let watch = Watch::start(&world, &[]);
    enrich(&world, "s1", "about java");
    world.run(&["select", "caller"]).exits(0);
    enrich(&world, "s2", "about java");
    enrich(&world, "s3", "about java");
    let seen = watch.until("the last", |line| line["session"] == "s3");
    let receipts = seen.iter().filter(|line| line["topic"] == "enriched");
    let sessions: Vec<&str> = receipts.filter_map(|line| line["session"].as_str()).collect();
    assert_eq!(sessions, ["s1", "s2", "s3"], "{seen:#?}");
    let receipt = &seen.iter().find(|line| line["session"] == "s1").unwrap()["receipt"];
    assert_eq!((&receipt["what"], &receipt["who"]), (&json!("enriched"), &json!("refdesk enrich")), "{receipt}");
    assert!(receipt["text"].as_str().unwrap().contains("@first"), "{receipt}");
    // A selection arrives as a notice of the desk itself, possibly after the next action.
    let mut reported = seen;
    if !reported.iter().any(|line| line["text"] == "Picked @caller") {
        reported.extend(watch.until("the pick", |line| line["text"] == "Picked @caller"));
    }
    enrich(&world, "end", "about java");
    reported.extend(watch.until("the end", |line| line["session"] == "end"));
    let picks: Vec<&Value> = reported.iter().filter(|line| line["text"] == "Picked @caller").collect();
    assert_eq!(picks.len(), 1, "{reported:#?}");
    assert_eq!((&picks[0]["who"], &picks[0]["session"]), (&json!("refdesk select"), &json!("default")));
    let brought = reported.iter().filter(|line| {
        line["text"].as_str().is_some_and(|text| text.starts_with("References transitively included: @callee"))
    });
    assert_eq!(brought.count(), 1, "{reported:#?}");
    assert!(reported.iter().all(|line| line["time"].as_str().is_some_and(|time| time.ends_with('Z'))), "{reported:#?}");
    assert!(reported.iter().all(|line| line["session"] != "old"), "what was before is not told: {reported:#?}");
    assert_eq!(watch.end(Signal::TERM), Some(0));
}

#[test]
fn text_is_printed_to_a_pipe_if_it_is_asked_for() {
    let world = world();
    let (watch, line) = Watch::begin(&world, &["--format", "text"]);
    assert!(!line.is_empty() && !line.starts_with('{'), "{line}");
    assert_eq!(watch.end(Signal::TERM), Some(0));
}

#[test]
fn it_can_be_limited_to_one_session() {
    let world = world();
    let watch = Watch::start(&world, &["--session", "begin"]);
    let select = |session: &str, id: &str| world.run(&["--session", session, "select", id]).exits(0);
    select("other", "first");
    enrich(&world, "other", "about java");
    // A selection made before a journal line is known when that line is printed.
    enrich(&world, "begin", "about java");
    let mut seen = watch.until("its prompt", |line| line["topic"] == "enriched");
    select("begin", "caller");
    seen.extend(watch.until("its pick", |line| line["text"] == "Picked @caller"));
    // By now, repeated lines and lines of other sessions would have been printed.
    select("other", "second");
    enrich(&world, "begin", "about @callee");
    seen.extend(watch.until("the end", |line| line["text"].as_str().unwrap().contains("expanded @callee")));
    assert!(seen.iter().all(|line| line["session"] == "begin"), "{seen:#?}");
    let reported = |text: &str| seen.iter().filter(|line| line["text"].as_str().unwrap().starts_with(text)).count();
    let counts = ["Picked @caller", "References transitively included: @callee", "To a prompt: "].map(reported);
    assert_eq!((counts, seen.len()), ([1, 1, 2], 4), "{seen:#?}");
    assert_eq!(watch.end(Signal::INT), Some(0));
}

#[test]
fn it_ends_with_its_reader() {
    let world = world();
    let mut command = world.bare(&["watch"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    // It must notice this without writing.
    drop(child.stdout.take());
    let (_, lines) = channel();
    let mut watch = Watch { child, lines };
    assert_eq!(watch.exit(), Some(0));
}

#[test]
fn a_reader_that_does_not_read_does_not_block_its_end() {
    let long = json!({"id": "long", "name": "n".repeat(9000), "type": "inline", "content": "x", "tags": ["java"]});
    let world = Workspace::of(json!([long]), &[]);
    let mut command = world.bare(&["watch"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let kept = child.stdout.take().unwrap();
    let (_, lines) = channel();
    let watch = Watch { child, lines };
    let began = Instant::now();
    // Fills the pipe: far more than its capacity, in few lines.
    for _ in 0..20 {
        enrich(&world, "s", "about java");
        assert!(began.elapsed() < LIMIT);
    }
    assert_eq!(watch.end(Signal::TERM), Some(0));
    drop(kept);
}
