//! Shared by the benchmarks: deterministic workspaces of any size, and pairs of processes timed alternately, so that
//! their ratio stays valid if the machine's speed drifts.

#![allow(dead_code, reason = "each benchmark is a program of its own and uses what it needs")]

pub mod mcp;
pub mod running;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The program built by `cargo bench`.
pub const REFDESK: &str = env!("CARGO_BIN_EXE_refdesk");

/// Where a workspace stores its catalog entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// All in `references.json`.
    OneFile,
    /// Each in its own file in `.jaato/references`.
    Discovered,
}

/// A workspace with its documents and, for [`Layout::Discovered`], the files of its entries.
pub struct Workspace {
    /// Removed on drop.
    pub folder: TempDir,
    /// The documents, in catalog order.
    pub documents: Vec<PathBuf>,
    /// The discovered files.
    pub entries: Vec<PathBuf>,
}

/// The id of the source at this position in the catalog.
pub fn id(at: usize) -> String {
    const WORDS: [&str; 8] = ["retry", "billing", "gateway", "ledger", "session", "router", "sampler", "policy"];
    format!("{}-{at:05}-{}", WORDS[at % 8], WORDS[(at / 8) % 8])
}

/// `size` local sources, each of which mentions four more, so that the first reaches all. Documents have about `bytes`
/// bytes; half of the mentions are by id and half by link.
pub fn workspace(size: usize, bytes: usize, layout: Layout) -> Workspace {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path();
    let (references, docs) = (root.join(".jaato/references"), root.join("docs"));
    std::fs::create_dir_all(&references).expect("folders");
    let mut made = Workspace { documents: Vec::new(), entries: Vec::new(), folder };
    let mut sources = Vec::new();
    for at in 0..size {
        let place = docs.join(format!("s{}", at / 100));
        std::fs::create_dir_all(&place).expect("folders");
        let path = place.join(format!("d{at:05}.md"));
        write(&path, document(at, size, bytes).as_bytes());
        let written = format!("${{workspaceRoot}}/docs/s{}/d{at:05}.md", at / 100);
        let entry = json!({"id": id(at), "name": format!("Source {at}"), "description": "About it.", "path": written,
                           "tags": [format!("topic-{at}"), format!("area {}", at % 97), "shared"]});
        match layout {
            Layout::OneFile => sources.push(entry),
            Layout::Discovered => {
                let file = references.join(format!("{}.json", id(at)));
                write(&file, entry.to_string().as_bytes());
                made.entries.push(file);
            }
        }
        made.documents.push(path);
    }
    if layout == Layout::OneFile {
        // Building an index in the background would distort the measurements.
        let file = json!({"version": "1.0", "index": {"background": false}, "sources": Value::Array(sources)});
        write(&made.folder.path().join("references.json"), file.to_string().as_bytes());
    }
    made
}

fn document(at: usize, size: usize, bytes: usize) -> String {
    let mut text = format!("# Document {at}\n\n");
    for child in (4 * at + 1..=4 * at + 4).filter(|child| *child < size) {
        if child % 2 == 0 {
            text.push_str(&format!("See {} for the rest of it.\n", id(child)));
        } else {
            text.push_str(&format!("See [the rest](../s{}/d{child:05}.md#part) of it.\n", child / 100));
        }
    }
    while text.len() < bytes {
        text.push_str(
            "The gateway keeps its own ledger, so that a slow router never blocks the session (see below).\n",
        );
    }
    text
}

fn write(path: &Path, bytes: &[u8]) {
    refdesk_files::write_atomic(path, bytes).expect("a writable temporary folder");
}

/// The user's state folder. It must not be in a workspace, where nothing could be sealed.
pub const STATE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/state");

/// A command that runs refdesk in a workspace, with an empty home.
pub fn refdesk(workspace: &Workspace, words: &[&str]) -> Command {
    let mut command = Command::new(REFDESK);
    let root = workspace.folder.path();
    command.arg("--workspace").arg(root).args(words).env("HOME", root).env_remove("REFERENCES_CONFIG_PATH");
    command.env("XDG_STATE_HOME", STATE);
    command
}

pub fn cat(files: &[PathBuf]) -> Command {
    let mut command = Command::new("cat");
    command.args(files);
    command
}

/// The wall time of one run, whose output is discarded.
pub fn time(command: &mut Command) -> Duration {
    let began = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let took = began.elapsed();
    assert!(status.expect("a program that starts").code().is_some_and(|code| code < 2));
    took
}

/// Like [`time`], with standard input.
pub fn time_fed(command: &mut Command, input: &[u8]) -> Duration {
    let began = Instant::now();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a program that starts");
    child.stdin.take().expect("its input").write_all(input).expect("a program that reads");
    let status = child.wait().expect("a program that ends");
    let took = began.elapsed();
    assert!(status.code().is_some_and(|code| code < 2));
    took
}

/// Runs two commands alternately, after one unmeasured run of each; returns the median time of each.
pub fn time_alternately(
    runs: usize,
    mut one: impl FnMut() -> Duration,
    mut two: impl FnMut() -> Duration,
) -> [Duration; 2] {
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for run in 0..=runs {
        let pair = [one(), two()];
        if run > 0 {
            times[0].push(pair[0]);
            times[1].push(pair[1]);
        }
    }
    times.map(|mut all| {
        all.sort_unstable();
        all[all.len() / 2]
    })
}

/// Prints a measurement, its limit, and whether the limit is kept.
pub fn report(what: &str, measured: f64, promised: f64, unit: &str) {
    let verdict = if measured <= promised { "kept" } else { "NOT KEPT" };
    println!("{what}: {measured:.2}{unit}, promised at most {promised}{unit}: {verdict}");
}
