//! `hook claude-code` on a prompt, as a whole process. 1,000 sources with documents, all selected: under 30 ms with the mentions
//! cached by the previous run. 10,000 sources in one `references.json`: at most 20 ms more than twice `cat` of that file. Medians
//! of alternating runs, warm file system.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_files::stamp;
use serde_json::json;
use support::{Layout, Workspace, cat, id, refdesk, report, time, time_alternately, time_fed, workspace};

const PROMPT: &str = "Please look at topic-5 and how the router does it, see @gateway-00002-retry too.";

/// Runs the hook on one prompt of a session.
fn prompt(workspace: &Workspace, session: &str) -> Duration {
    let document = json!({
        "session_id": session,
        "cwd": workspace.folder.path(),
        "hook_event_name": "UserPromptSubmit",
        "prompt": PROMPT,
    });
    time_fed(&mut refdesk(workspace, &["hook", "claude-code"]), document.to_string().as_bytes())
}

fn kept(workspace: &Workspace) -> PathBuf {
    workspace.folder.path().join(".jaato/refdesk/cache/mentions")
}

/// Runs until the mentions are cached; those of recently written documents are not.
fn warm_up(workspace: &Workspace) {
    let began = Instant::now();
    let last = workspace.documents.last().expect("documents");
    while !stamp(last).expect("a document").has_settled(std::time::SystemTime::now()) {
        assert!(began.elapsed() < Duration::from_secs(60), "the documents never settle");
        std::thread::yield_now();
    }
    prompt(workspace, "warm-up");
    assert!(kept(workspace).exists(), "nothing is kept");
}

fn thousand(_: &mut Criterion) {
    let workspace = workspace(1_000, 4_096, Layout::OneFile);
    time(&mut refdesk(&workspace, &["select", &id(0)]));
    warm_up(&workspace);
    let mut session = 0;
    let again = || prompt(&workspace, "one");
    let first = || {
        session += 1;
        prompt(&workspace, &format!("session-{session}"))
    };
    let [again, first] = time_alternately(21, again, first);
    let cold = || {
        std::fs::remove_file(kept(&workspace)).expect("what was kept");
        prompt(&workspace, "one")
    };
    let [cold, documents] = time_alternately(11, cold, || time(&mut cat(&workspace.documents)));
    println!("1,000 sources, all selected: {again:?}; the first prompt of a session, with 999 notices: {first:?}");
    println!("the same with nothing kept: {cold:?}; cat of the documents: {documents:?}");
    report("hook, 1,000 sources, warm", again.as_secs_f64() * 1e3, 30.0, " ms");
    report("hook, 1,000 sources, warm, first of a session", first.as_secs_f64() * 1e3, 30.0, " ms");
}

fn ten_thousand(_: &mut Criterion) {
    let workspace = workspace(10_000, 400, Layout::OneFile);
    let file = [workspace.folder.path().join("references.json")];
    let measure = |what: &str| {
        let [ours, theirs] = time_alternately(21, || prompt(&workspace, "one"), || time(&mut cat(&file)));
        let promised = theirs.as_secs_f64() * 2e3 + 20.0;
        println!("10,000 sources, {what}: {ours:?}, cat: {theirs:?}");
        report(&format!("hook, 10,000 sources, {what}"), ours.as_secs_f64() * 1e3, promised, " ms");
    };
    measure("nothing selected");
    time(&mut refdesk(&workspace, &["select", &id(9_000)]));
    warm_up(&workspace);
    measure("one selected");
    time(&mut refdesk(&workspace, &["select", &id(0)]));
    warm_up(&workspace);
    measure("all selected");
}

criterion_group!(benches, thousand, ten_thousand);
criterion_main!(benches);
