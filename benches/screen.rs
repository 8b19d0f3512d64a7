//! The real program in a real pty of 120×36: the time to the first full frame with 1,000 sources; from a key to the
//! last byte of the frame that shows its effect, with 10,000; a filter over 100,000; the cost of an idle screen; and
//! keys while the workspace keeps changing. Medians and p95 of 30. Put further measurements of a running screen here,
//! one function each, called from `whole_processes`.

#![allow(
    missing_docs,
    clippy::restriction,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and stops where it cannot measure"
)]

mod support;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use memchr::memmem;
use support::running::{Running, start};
use support::{Layout, Workspace, refdesk, report, time, workspace};

const TIMES: usize = 30;

/// Mark a frame that is written in pieces; a frame of few bytes has neither mark.
const BEGIN_OF_FRAME: &[u8] = b"\x1b[?2026h";
const END_OF_FRAME: &[u8] = b"\x1b[?2026l";

/// The timeout of every wait here.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What the program wrote.
#[derive(Default)]
struct Written {
    bytes: usize,
    frames: usize,
    is_in_frame: bool,
    /// The last bytes, which may be the beginning of a mark.
    tail: Vec<u8>,
}

impl Written {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.tail.extend_from_slice(bytes);
        let [begun, ended] = [BEGIN_OF_FRAME, END_OF_FRAME].map(|marks| memmem::rfind(&self.tail, marks));
        let is_small = !self.is_in_frame && begun.is_none() && ended.is_none();
        self.frames += memmem::find_iter(&self.tail, END_OF_FRAME).count() + usize::from(is_small);
        // Keep less than a whole mark, so that none is counted twice.
        self.tail.drain(..self.tail.len().saturating_sub(END_OF_FRAME.len() - 1));
        self.is_in_frame = if begun == ended { self.is_in_frame } else { begun > ended };
    }
}

impl Running {
    /// The time of the first complete frame on which `holds` is true for the text on the screen.
    fn until(&mut self, holds: impl Fn(&str) -> bool) -> Instant {
        let mut written = Written::default();
        loop {
            let (came, bytes) = self.bytes.recv_timeout(TIMEOUT).expect("a frame");
            self.screen.process(&bytes);
            written.add(&bytes);
            // In the middle of a frame, the screen is incomplete.
            if !written.is_in_frame && holds(&self.screen.screen().contents()) {
                return came;
            }
        }
    }

    fn until_shown(&mut self, words: &[&str]) -> Instant {
        self.until(|text| words.iter().all(|word| text.contains(word)))
    }

    /// Collects what is written until `end`.
    fn written_until(&mut self, end: Instant) -> Written {
        let mut written = Written::default();
        loop {
            match self.bytes.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((_, bytes)) => {
                    self.screen.process(&bytes);
                    written.add(&bytes);
                }
                Err(RecvTimeoutError::Timeout) => return written,
                Err(RecvTimeoutError::Disconnected) => panic!("the program ended"),
            }
        }
    }

    /// Waits until the output stops: documents are read after the first frame.
    fn until_quiet(&mut self) {
        while self.written_until(Instant::now() + Duration::from_secs(1)).bytes > 0 {}
    }

    /// The time from this key to the end of the frame that changes the text.
    fn key(&mut self, keys: &str) -> Duration {
        let before = self.screen.screen().contents();
        let pressed = self.press(keys);
        self.until(|text| text != before).duration_since(pressed)
    }

    /// The CPU time of all threads so far.
    fn processor(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.process_id()?)).ok()?;
        let after_name = stat.rsplit(')').next()?;
        let ticks: Vec<u64> = after_name.split_whitespace().skip(11).take(2).filter_map(|it| it.parse().ok()).collect();
        // A tick of the kernel's accounting is 10 ms on every system that has /proc.
        Some(Duration::from_millis(10 * ticks.iter().sum::<u64>()))
    }
}

/// Prints and returns the median and p95, in milliseconds.
fn spread(what: &str, mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)].as_secs_f64() * 1_000.0;
    let (median, p95) = (at(50), at(95));
    println!("{what}: median {median:.2} ms, p95 {p95:.2} ms, slowest {:.2} ms, of {}", at(100), times.len());
    (median, p95)
}

fn first_frame() {
    let workspace = workspace(1_000, 4_096, Layout::OneFile);
    let first = support::id(0);
    let full = ["1,000 sources", &first, "Catalog", "Selection", "Hints", "Templates"];
    let once = || {
        let mut running = start(&workspace);
        running.until_shown(&full).duration_since(running.began)
    };
    // The first run reads from disk what later ones find in memory.
    once();
    let (median, _) = spread("first full frame, 1,000 sources", (0..TIMES).map(|_| once()).collect());
    report("first full frame", median, 12.0, " ms");
}

/// Fast typing; the effect of a key is visible before the next one.
const BETWEEN_KEYS: Duration = Duration::from_millis(40);

/// Slow enough for the document to follow each move of the cursor immediately.
const SINGLE_KEYS: Duration = Duration::from_millis(300);

fn keys(workspace: &Workspace) {
    let mut running = start(workspace);
    running.until_shown(&["10,000 sources"]);
    running.until_quiet();
    let mut all = Vec::new();
    let rounds: [(&str, &[&str]); 6] = [
        ("down", &["j"]),
        ("page down", &["\x1b[6~"]),
        ("typing a filter", &["r", "e", "t", "r", "y", "\x7f", "\x7f", "\x7f", "\x7f", "\x7f"]),
        ("next pane", &["\t"]),
        ("zoom", &["z"]),
        // The question of what to pick, the answer, and undoing the pick.
        ("pick", &[" ", "y", " "]),
    ];
    for (what, keys) in rounds {
        // The first source pulls in all others.
        running.press(match what {
            "typing a filter" => "/",
            "pick" => "1g",
            _ => "1",
        });
        let mut times = Vec::new();
        for nth in 0..TIMES {
            running.written_until(Instant::now() + BETWEEN_KEYS);
            times.push(running.key(keys[nth % keys.len()]));
        }
        running.until_quiet();
        running.press("\x1b");
        running.until_quiet();
        if what != "pick" {
            all.extend(times.iter().copied());
        }
        spread(&format!("key to last byte, 10,000 sources, {what}"), times);
    }
    let (median, p95) = spread("key to last byte, 10,000 sources, all but pick", all);
    report("key to last byte, median", median, 1.0, " ms");
    report("key to last byte, p95", p95, 3.0, " ms");
}

/// While nothing happens and the search index is up to date, nothing is written or computed.
fn idleness() {
    let workspace = workspace(300, 400, Layout::OneFile);
    time(&mut refdesk(&workspace, &["index"]));
    let mut running = start(&workspace);
    running.until_shown(&["300 sources"]);
    running.until_quiet();
    let before = running.processor();
    let idle = running.written_until(Instant::now() + Duration::from_secs(30));
    report("idle for 30 s", idle.bytes as f64, 0.0, " bytes");
    if let Some((before, after)) = before.zip(running.processor()) {
        let share = (after - before).as_secs_f64() / 30.0 * 100.0;
        report("idle for 30 s, processor", share, 0.0, " %");
    }
}

/// Measures from a letter of a filter to the last byte of the rows that match it.
fn filtering() {
    let workspace = workspace(100_000, 40, Layout::OneFile);
    let mut running = start(&workspace);
    running.until_shown(&["100,000 sources"]);
    running.until_quiet();
    running.press("/");
    let letters = ["g", "a", "t", "e", "9", "\x7f", "\x7f", "\x7f", "\x7f", "\x7f"];
    let times = (0..TIMES).map(|nth| {
        running.written_until(Instant::now() + BETWEEN_KEYS);
        running.key(letters[nth % letters.len()])
    });
    let (_, p95) = spread("a letter of a filter, 100,000 sources", times.collect());
    report("a letter of a filter, p95", p95, 15.0, " ms");
}

/// Measures what moving the cursor writes: while the key is held, with the document shown and with only the list; and
/// for a single move, which shows a new document.
fn cursor_moves(workspace: &Workspace) {
    let mut running = start(workspace);
    running.until_shown(&["10,000 sources"]);
    running.until_quiet();
    for (what, between, wanted) in [
        ("a new document after it", SINGLE_KEYS, 400.0),
        ("the key held beside a document", BETWEEN_KEYS, 150.0),
        ("the list alone", BETWEEN_KEYS, 150.0),
    ] {
        if what == "the list alone" {
            running.press("z");
            running.until_quiet();
        }
        // After a pause, the document follows immediately: the second move is quick.
        running.press("j");
        running.written_until(Instant::now() + BETWEEN_KEYS);
        if between > BETWEEN_KEYS {
            running.until_quiet();
        }
        let mut bytes: Vec<usize> = Vec::new();
        for _ in 0..TIMES {
            running.press("j");
            bytes.push(running.written_until(Instant::now() + between).bytes);
        }
        bytes.sort_unstable();
        println!("bytes of a move of the cursor, {what}: {bytes:?}");
        report(&format!("bytes of a move of the cursor, {what}, median"), bytes[TIMES / 2] as f64, wanted, " bytes");
        running.press("g");
        running.until_quiet();
    }
}

/// Writes documents of the workspace as fast as possible, up to 10,000 a second, until stopped.
fn write_without_end(
    documents: Vec<PathBuf>,
    stop: Arc<AtomicBool>,
    written: Arc<AtomicUsize>,
) -> thread::JoinHandle<()> {
    const EACH: Duration = Duration::from_micros(100);
    thread::spawn(move || {
        let began = Instant::now();
        for (nth, path) in (0u32..).zip(documents.iter().cycle()) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let mut file = File::create(path).expect("a document");
            writeln!(file, "Changed {nth} times. See {} for the rest of it.", support::id(nth as usize % 900))
                .expect("room");
            written.fetch_add(1, Ordering::Relaxed);
            while began.elapsed() < EACH * nth {
                thread::yield_now();
            }
        }
    })
}

fn keys_in_a_flood(workspace: &Workspace) {
    let mut running = start(workspace);
    running.until_shown(&["10,000 sources"]);
    running.press(" y");
    running.until_quiet();
    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let documents = workspace.documents.iter().take(2_000).cloned().collect();
    let writer = write_without_end(documents, Arc::clone(&stop), Arc::clone(&written));
    let began = Instant::now();
    let mut most = 0;
    let mut times = Vec::new();
    for nth in 0..10 {
        let second = Instant::now() + Duration::from_secs(1);
        let mut frames = 0;
        for _ in 0..TIMES / 10 {
            frames += running.written_until(Instant::now() + Duration::from_millis(250)).frames;
            times.push(running.key(if nth % 2 == 0 { "j" } else { "k" }));
            frames += 1;
        }
        frames += running.written_until(second).frames;
        most = most.max(frames);
    }
    let rate = written.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    writer.join().expect("the writer");
    println!("changes: {rate:.0} a second, of 10,000 wanted");
    let (_, p95) = spread("key to last byte while the workspace changes", times);
    report("frames in a second while the workspace changes", most as f64, 60.0, "");
    report("key to last byte while the workspace changes, p95", p95, 8.0, " ms");
}

/// A template of 64 KB whose first line shows the typed value, in a highlighted language: measures from each key to the
/// frame with the new rendering.
fn values_typed() {
    for (syntax, print, each, end) in [
        ("Jinja2", "{{ name }}", "{% for item in items %}{{ item.title }}", "{% endfor %}"),
        ("Mustache", "{{name}}", "{{#items}}{{title}}", "{{/items}}"),
    ] {
        let workspace = workspace(10, 1_024, Layout::OneFile);
        let mut template = format!("Hello {print}!\n");
        while template.len() < 64 * 1_024 {
            template.push_str(&format!("A line of text that says {print}, and of each item {each}, once more{end}.\n"));
        }
        let path = workspace.folder.path().join(".templates/big.java.tpl");
        refdesk_files::write_atomic(&path, template.as_bytes()).expect("a template");
        let mut running = start(&workspace);
        running.until_shown(&["10 sources"]);
        running.until_quiet();
        running.press("4i");
        running.until_quiet();
        // The fields are sorted by name: the `title` of the first of `items`, then `name`.
        running.press("\t");
        running.until_quiet();
        let mut typed = String::new();
        let mut times = Vec::new();
        for nth in 0..TIMES {
            running.written_until(Instant::now() + BETWEEN_KEYS);
            let key = char::from(b'a' + u8::try_from(nth % 26).expect("a letter")).to_string();
            // The pane cuts long lines, so delete the value before it gets that long.
            if typed.len() == 8 {
                running.press("\x15");
                typed.clear();
                running.until_quiet();
            }
            typed.push_str(&key);
            let shown = format!("Hello {typed}!");
            let pressed = running.press(&key);
            times.push(running.until(|text| text.contains(&shown)).duration_since(pressed));
        }
        let (_, p95) = spread(&format!("a value typed to its preview, {syntax}, 64 KB"), times);
        report("a value typed to its preview, p95", p95, 16.0, " ms");
    }
}

/// A Markdown document of 1 MB: measures from the key that opens it to the frame that shows it rendered, then the keys
/// that scroll in it.
fn documents_opened() {
    let workspace = workspace(10, 1_024, Layout::OneFile);
    let mut text = "# All that there is\n\n".to_owned();
    let mut nth = 0;
    while text.len() < 1_000_000 {
        nth += 1;
        text.push_str(&format!(
            "## Section {nth}\n\nA paragraph with **bold** text, `code` and [a link](d00002.md), which goes on for a while.\n\n\
             - an item\n- [x] another\n\n| a | b |\n| - | -: |\n| one | {nth} |\n\n```java\nint x = {nth};\n```\n\n"
        ));
    }
    refdesk_files::write_atomic(&workspace.documents[1], text.as_bytes()).expect("a document");
    let mut running = start(&workspace);
    running.until_shown(&["10 sources"]);
    running.until_quiet();
    let (mut opened, mut scrolled) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        running.written_until(Instant::now() + SINGLE_KEYS);
        let pressed = running.press("j");
        opened.push(running.until_shown(&["All that there is", "Section 1"]).duration_since(pressed));
        running.written_until(Instant::now() + SINGLE_KEYS);
        running.press("k");
        running.until_shown(&["Document 0"]);
    }
    running.press("j\r");
    running.until_quiet();
    for _ in 0..TIMES {
        running.written_until(Instant::now() + BETWEEN_KEYS);
        scrolled.push(running.key("\x06"));
    }
    let (_, p95) = spread("opening a Markdown document of 1 MB", opened);
    report("opening a Markdown document of 1 MB, p95", p95, 30.0, " ms");
    spread("a page further in it", scrolled);
    running.until_quiet();
    let pressed = running.press("G");
    let end = format!("Section {nth}");
    println!("to the end of it: {:?}", running.until_shown(&[&end]).duration_since(pressed));
}

fn whole_processes(_: &mut Criterion) {
    first_frame();
    idleness();
    filtering();
    documents_opened();
    values_typed();
    let workspace = workspace(10_000, 4_096, Layout::OneFile);
    cursor_moves(&workspace);
    keys(&workspace);
    // Last, because it changes the workspace.
    keys_in_a_flood(&workspace);
}

criterion_group!(benches, whole_processes);
criterion_main!(benches);
