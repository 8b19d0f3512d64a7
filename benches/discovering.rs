//! What a new user waits for. `init` proposing sources from 5,000 documents of 4 KB: at most 3 seconds, and at most 12
//! times `cat` of them. Completing an id among 5,000 sources in separate files: at most 20 ms, next to the same in an
//! empty workspace and `cat` of these files. `doctor` with three agents connected: at most 2 seconds. Alternating whole
//! processes, warm cache, medians.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::path::Path;
use std::process::Command;

use criterion::{Criterion, criterion_group, criterion_main};
use support::{Layout, REFDESK, STATE, Workspace, cat, id, refdesk, report, time, time_alternately, workspace};

fn initialized(_: &mut Criterion) {
    let workspace = workspace(5_000, 4_096, Layout::OneFile);
    std::fs::remove_file(workspace.folder.path().join("references.json")).expect("the catalog is not needed");
    let words = ["--format", "json", "init", "--dry-run"];
    let [ours, theirs] =
        time_alternately(5, || time(&mut refdesk(&workspace, &words)), || time(&mut cat(&workspace.documents)));
    println!("init of 5,000 documents: {ours:?}, cat: {theirs:?}");
    report("init of 5,000 documents", ours.as_secs_f64(), 3.0, " s");
    report("init ÷ cat", ours.as_secs_f64() / theirs.as_secs_f64(), 12.0, "×");
}

/// A completion call for the ids that begin like the one in the middle of the catalog.
fn completion(workspace: &Workspace) -> Command {
    let root = workspace.folder.path();
    let mut command = Command::new(REFDESK);
    command.args(["--", "refdesk", "show", &id(2_500)[..7]]).current_dir(root);
    command.env("REFDESK_COMPLETE", "fish").env("HOME", root).env("XDG_STATE_HOME", STATE);
    command.env_remove("REFERENCES_CONFIG_PATH");
    command
}

fn completed(_: &mut Criterion) {
    let full = workspace(5_000, 400, Layout::Discovered);
    let empty = workspace(0, 0, Layout::Discovered);
    let answer = completion(&full).output().expect("a program that starts").stdout;
    assert!(String::from_utf8_lossy(&answer).contains(&id(2_500)), "nothing was completed");
    let call = || time(&mut completion(&full));
    let [ours, nothing] = time_alternately(41, call, || time(&mut completion(&empty)));
    let [again, theirs] = time_alternately(41, call, || time(&mut cat(&full.entries)));
    println!("completion among 5,000 sources: {ours:?}, in an empty workspace: {nothing:?}");
    println!("completion among 5,000 sources: {again:?}, cat: {theirs:?}");
    let (to_empty, to_cat) = (ours.as_secs_f64() / nothing.as_secs_f64(), again.as_secs_f64() / theirs.as_secs_f64());
    println!("completion ÷ the same in an empty workspace: {to_empty:.2}×, ÷ cat: {to_cat:.2}×");
    report("completion among 5,000 sources", ours.as_secs_f64() * 1e3, 20.0, " ms");
}

fn examined(_: &mut Criterion) {
    let workspace = workspace(100, 4_096, Layout::Discovered);
    let folder = Path::new(REFDESK).parent().expect("its folder");
    // The settings name the program by its bare name.
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let run = |words: &[&str]| {
        let mut command = refdesk(&workspace, words);
        command.env("PATH", &path);
        command
    };
    let connected = run(&["connect", "claude-code", "codex", "gemini-cli", "--yes"]).output();
    assert!(connected.expect("a program that starts").status.success(), "the agents are not connected");
    let [doctor, version] = time_alternately(11, || time(&mut run(&["doctor"])), || time(&mut run(&["--version"])));
    println!("doctor with three agents: {doctor:?}, refdesk --version: {version:?}");
    report("doctor with three agents", doctor.as_secs_f64(), 2.0, " s");
}

criterion_group!(benches, initialized, completed, examined);
criterion_main!(benches);
