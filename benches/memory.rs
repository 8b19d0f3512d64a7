//! What the full screen holds in memory with 10,000 sources of 3 tags each: when everything is read, when the filter and the
//! prompt were used, and after some reloads. Under 40 MiB resident. In a real pty, emulated by vt100.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where it cannot measure"
)]

mod support;

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use support::{Layout, REFDESK, Workspace, report, workspace};

const ROWS: u16 = 36;
const COLUMNS: u16 = 120;

/// What is promised, in MiB.
const PROMISED: f64 = 40.0;

/// Nothing written for so long, everything asked for is done.
const QUIET: Duration = Duration::from_secs(2);

/// The program in a pty, with what it writes coming by a channel.
struct Running {
    bytes: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    screen: vt100::Parser,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

fn start(workspace: &Workspace) -> Running {
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pty");
    let mut reader = pair.master.try_clone_reader().expect("its reader");
    let keys = pair.master.take_writer().expect("its writer");
    let mut command = CommandBuilder::new(REFDESK);
    command.arg("--workspace");
    command.arg(workspace.folder.path());
    command.env("TERM", "xterm-256color");
    command.env("HOME", workspace.folder.path());
    let child = pair.slave.spawn_command(command).expect("the program");
    let (sender, bytes) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    Running { bytes, keys, screen: vt100::Parser::new(ROWS, COLUMNS, 0), child, _master: pair.master }
}

impl Running {
    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("a program that reads keys");
    }

    /// Waits until the screen shows all of these words and none of those.
    fn until(&mut self, shown: &[&str], gone: &[&str]) {
        let limit = Instant::now() + Duration::from_secs(60);
        loop {
            let contents = self.screen.screen().contents();
            if shown.iter().all(|word| contents.contains(word)) && !gone.iter().any(|word| contents.contains(word)) {
                return;
            }
            let left = limit.saturating_duration_since(Instant::now());
            let bytes = self.bytes.recv_timeout(left).unwrap_or_else(|_| panic!("{shown:?} in\n{contents}"));
            self.screen.process(&bytes);
        }
    }

    /// Waits until nothing is written any more.
    fn until_quiet(&mut self) {
        loop {
            match self.bytes.recv_timeout(QUIET) {
                Ok(bytes) => self.screen.process(&bytes),
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

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
        refdesk::disk::write_atomic(document, more.as_bytes()).expect("a writable document");
        running.until_quiet();
    }
    running.resident("after 3 reloads and 20 edits");
    println!("at most at any time: {:.2} MiB", running.status("VmHWM"));
}

criterion_group!(benches, whole_process);
criterion_main!(benches);
