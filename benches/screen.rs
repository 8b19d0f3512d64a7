//! The first full frame with 1,000 sources: under 50 ms from the start of the process; then, idle for 10 seconds, nothing is
//! written. In a real pty, emulated by vt100; medians.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where it cannot measure"
)]

mod support;

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use support::{Layout, REFDESK, Workspace, report, workspace};

const ROWS: u16 = 36;
const COLUMNS: u16 = 120;

/// The program in a pty, with what it writes coming by a channel.
struct Running {
    began: Instant,
    bytes: Receiver<Vec<u8>>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

fn start(workspace: &Workspace) -> Running {
    let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pty");
    let mut reader = pair.master.try_clone_reader().expect("its reader");
    let mut command = CommandBuilder::new(REFDESK);
    command.arg("--workspace");
    command.arg(workspace.folder.path());
    command.env("TERM", "xterm-256color");
    command.env("HOME", workspace.folder.path());
    let began = Instant::now();
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
    Running { began, bytes, child, _master: pair.master }
}

impl Running {
    /// Time until the screen shows all of these words.
    fn until_shown(&self, words: &[&str]) -> Duration {
        let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
        loop {
            let bytes = self.bytes.recv_timeout(Duration::from_secs(20)).expect("a frame");
            screen.process(&bytes);
            let contents = screen.screen().contents();
            if words.iter().all(|word| contents.contains(word)) {
                return self.began.elapsed();
            }
        }
    }

    /// Bytes written while nothing happens.
    fn bytes_within(&self, time: Duration) -> usize {
        let end = Instant::now() + time;
        let mut count = 0;
        loop {
            match self.bytes.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => count += bytes.len(),
                Err(RecvTimeoutError::Timeout) => return count,
                Err(RecvTimeoutError::Disconnected) => panic!("the program ended"),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn whole_processes(_: &mut Criterion) {
    let workspace = workspace(1_000, 4_096, Layout::OneFile);
    let first = support::id(0);
    let full = ["1,000 sources", &first, "Catalog", "Selection", "Hints", "Templates"];
    let mut times: Vec<Duration> = (0..21).map(|_| start(&workspace).until_shown(&full)).collect();
    times.sort_unstable();
    println!(
        "first full frame, 1,000 sources: median {:?}, slowest {:?}",
        times[times.len() / 2],
        times[times.len() - 1]
    );
    report("first full frame", times[times.len() / 2].as_secs_f64() * 1_000.0, 50.0, " ms");

    let running = start(&workspace);
    running.until_shown(&full);
    // Documents are read behind the first frame; when they are, nothing is left to say.
    while running.bytes_within(Duration::from_secs(1)) > 0 {}
    let idle = running.bytes_within(Duration::from_secs(10));
    #[expect(clippy::cast_precision_loss, reason = "a count of bytes for people")]
    report("idle for 10 s", idle as f64, 0.0, " bytes");
}

criterion_group!(benches, whole_processes);
criterion_main!(benches);
