//! Resident memory of the full screen with 10,000 sources of 3 tags each: after everything is read, after the filter and the
//! prompt are used, and after some reloads. Under 40 MiB. In a real pty, emulated by vt100.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use support::running::{Running, start};
use support::{Layout, report, workspace};

/// The limit, in MiB.
const PROMISED: f64 = 40.0;

/// The program is idle if it writes nothing for this long.
const QUIET: Duration = Duration::from_secs(2);

impl Running {
    /// Waits until the screen shows all of `shown` and none of `gone`.
    fn until(&mut self, shown: &[&str], gone: &[&str]) {
        let limit = Instant::now() + Duration::from_secs(60);
        loop {
            let contents = self.screen.screen().contents();
            if shown.iter().all(|word| contents.contains(word)) && !gone.iter().any(|word| contents.contains(word)) {
                return;
            }
            let left = limit.saturating_duration_since(Instant::now());
            let (_, bytes) = self.bytes.recv_timeout(left).unwrap_or_else(|_| panic!("{shown:?} in\n{contents}"));
            self.screen.process(&bytes);
        }
    }

    /// Waits until the program is idle.
    fn until_quiet(&mut self) {
        loop {
            match self.bytes.recv_timeout(QUIET) {
                Ok((_, bytes)) => self.screen.process(&bytes),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the program ended"),
            }
        }
    }

    /// A figure of `/proc/PID/status`, in MiB.
    fn status(&self, name: &str) -> f64 {
        let id = self.child.process_id().expect("a running program");
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("a system with /proc");
        let line = status.lines().find(|line| line.split(':').next() == Some(name)).expect(name);
        let kibibytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok());
        kibibytes.expect("a number") / 1024.0
    }

    fn resident(&self, when: &str) {
        report(&format!("resident {when}"), self.status("VmRSS"), PROMISED, " MiB");
    }
}

fn whole_process(_: &mut Criterion) {
    let workspace = workspace(10_000, 1_024, Layout::OneFile);
    let mut running = start(&workspace);
    running.until(&["10,000 sources"], &["reading"]);
    running.until_quiet();
    running.resident("when everything is read");

    running.press("/retry");
    running.until(&["/ retry"], &[]);
    running.press("\r\x1b");
    running.until_quiet();
    running.resident("when the filter was used");

    running.press("3i");
    running.until_quiet();
    running.press(&format!("topic-77, area 12, shared, @{}", support::id(9_999)));
    running.until(&["(matched: "], &[]);
    running.until_quiet();
    running.resident("when a prompt was typed");

    running.press("\x1b");
    running.until_quiet();
    for _ in 0..3 {
        running.press("r");
        running.until_quiet();
    }
    for (round, document) in workspace.documents.iter().step_by(500).enumerate() {
        let text = std::fs::read_to_string(document).expect("a document");
        let more = format!("{text}See {} too, {round}.\n", support::id(1));
        refdesk_files::write_atomic(document, more.as_bytes()).expect("a writable document");
        running.until_quiet();
    }
    running.resident("after 3 reloads and 20 edits");
    println!("at most at any time: {:.2} MiB", running.status("VmHWM"));
}

criterion_group!(benches, whole_process);
criterion_main!(benches);
