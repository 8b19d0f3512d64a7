//! Runs the real program to its end and collects its output. Checks every run for panics, signals and hangs, without
//! sleeping.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

/// A run that takes longer counts as hanging. Far above the slowest run on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(120);

/// The built program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_refdesk");

/// A `PATH` on which the built program comes first, as after an installation.
pub fn installed_path() -> std::ffi::OsString {
    let own = Path::new(PROGRAM).parent().map(Path::to_path_buf);
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others))).unwrap()
}

/// The result of a run.
#[derive(Debug)]
pub struct ProgramRun {
    /// The command line, for assertion messages.
    pub called: String,
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl ProgramRun {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// Standard output as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap_or_else(|_| panic!("not UTF-8: {self}"))
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub fn json(&self) -> Value {
        let text = self.text();
        assert!(text.ends_with('\n'), "no line break at the end: {self}");
        serde_json::from_str(text).unwrap_or_else(|error| panic!("not one JSON document ({error}): {self}"))
    }
}

impl std::fmt::Display for ProgramRun {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = String::from_utf8_lossy(&self.stdout);
        let shown: String = shown.chars().take(4000).collect();
        let complaint: String = self.stderr.chars().take(4000).collect();
        write!(out, "{}\nexit {}\n-- stdout\n{shown}\n-- stderr\n{complaint}", self.called, self.code)
    }
}

/// Runs a command to its end with this standard input.
#[track_caller]
pub fn run(command: &mut Command, input: Option<&[u8]>) -> ProgramRun {
    let called = format!("{command:?}");
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    finish(called, child, input)
}

/// Waits for a child whose output is piped.
#[track_caller]
pub fn finish(called: String, mut child: std::process::Child, input: Option<&[u8]>) -> ProgramRun {
    let id = child.id();
    let input = input.map(<[u8]>::to_vec);
    let stdin = child.stdin.take();
    let (tell, reported) = mpsc::channel();
    std::thread::spawn(move || {
        let writer = std::thread::spawn(move || {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // A program may exit without reading its input.
                let _ = stdin.write_all(&input);
            }
        });
        let output = child.wait_with_output();
        let _ = writer.join();
        let _ = tell.send(output);
    });
    let output = match reported.recv_timeout(LIMIT) {
        Ok(output) => output.expect("its output can be read"),
        Err(_) => {
            kill(id);
            panic!("hangs: {called}");
        }
    };
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or_else(|| panic!("ended by a signal: {called}: {:?}", output.status));
    let ran = ProgramRun { called, code, stdout: output.stdout, stderr };
    assert!(!ran.stderr.contains("panicked"), "{ran}");
    // 130 is the exit code after Ctrl-C.
    assert!((0..=3).contains(&ran.code) || ran.code == 130, "{ran}");
    ran
}

pub fn kill(id: u32) {
    signal(id, rustix::process::Signal::KILL);
}

pub fn signal(id: u32, signal: rustix::process::Signal) {
    let id = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        let _ = rustix::process::kill_process(id, signal);
    }
}
